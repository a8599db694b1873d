"""Write `long.txt`: the tests that only `make test-all` runs, from the durations of a run of all of them.

    pytest --durations=0 -vv > durations.txt && python tests/tiers.py durations.txt

The tests of `make test` share SECONDS of processor time. Those of `KEPT` are always among them: one real run each of
SQLite, PostgreSQL, Node, Chromium and Spark. Of the others the longest are left to `make test-all`, until the rest
fits. A test that is not listed, as any new one, is in both tiers.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

SECONDS = 300.0
HERE = Path(__file__).parent
LINE = re.compile(r"^([0-9.]+)s (call|setup|teardown)\s+tests/(\S.*?)\s*$")
KEPT = (
    "bulk/spark/test_spark.py::test_the_tally_is_the_one_of_a_single_machine[blocks",
    "client_js/test_vectors.py::test_a_changed_report_is_found_in_",
    "collector/test_postgres.py::test_the_store_in_postgres_keeps_every_law",
    "pages/test_answering.py::test_a_person_answers_and_is_counted",
)
"""How the names of tests begin that stay in the quick tier whatever they take."""


def durations(log: str) -> dict[str, float]:
    """The seconds that each test takes in all."""
    seconds: dict[str, float] = defaultdict(float)
    for line in log.splitlines():
        if match := LINE.match(line):
            seconds[match[3]] += float(match[1])
    return dict(seconds)


def long_tests(seconds: dict[str, float], budget: float) -> list[str]:
    """The longest tests, until what is left fits the budget."""
    left, long = sum(seconds.values()), list[str]()
    for name in sorted(seconds, key=lambda name: -seconds[name]):
        if left <= budget:
            break
        if not name.startswith(KEPT):
            long.append(name)
            left -= seconds[name]
    return sorted(long)


if __name__ == "__main__":
    seconds = durations(Path(sys.argv[1]).read_text(encoding="utf-8"))
    long = long_tests(seconds, SECONDS)
    taken, total = sum(seconds[name] for name in long), sum(seconds.values())
    head = f"# Written by tests/tiers.py: {len(long)} of {len(seconds)} tests, {taken:.0f} of {total:.0f} seconds."
    (HERE / "long.txt").write_text("\n".join([head, *long, ""]), encoding="utf-8")
    print(head)
