"""Reads documents in a process of its own, with little memory and little time: what may happen to a client.

Started by `confined.py`. A job is a line ``{"reader": name, "content": base64, "more": ...}``; the answer is a line
that says ``ok``, ``refused`` (a `DiscreetError` of one line) or ``raw`` with what was raised. The kernel ends the
process when a job takes more than its time; one that takes more than its memory raises `MemoryError` or dies.
"""

import base64
import json
import resource
import signal
import sys
import tempfile
import threading
from pathlib import Path

import discreet as dc
from discreet.bulk.report_files import reports_from_bytes, reports_from_texts
from discreet.core.canonical import loads
from discreet.core.errors import DiscreetError
from discreet.estimation.tally import parse_tally
from discreet.questionnaires.tally import FormTally
from discreet.wire import (
    Questionnaire,
    Spec,
    law_text,
    parse_law,
    parse_published,
    report_from_bytes,
    report_from_json,
    report_from_text,
    reports_from_envelope,
)
from discreet.wire.form import Form

LONGEST_MESSAGE = 2000
WAITS = 10
"""How many times the seconds of the processor may pass on the clock: others use its cores, too."""

MECHANISMS = {
    "narrow": dc.mechanism(dc.Context.uniform(range(6), "1"), "hadamard"),
    "sets": dc.mechanism(dc.Context.uniform(range(40), "1"), "subset", d=10),
    "wide": dc.mechanism(dc.Context.uniform(range(70), "1"), "unary"),
    "very wide": dc.mechanism(dc.Context.uniform(range(14_300), "1"), "unary"),
    "blocks": dc.mechanism(dc.Context.blocks({"a": range(3), "b": range(3, 7)}, "1"), "subset", d=1),
    "high-low": dc.mechanism(dc.Context.high_low(range(7), range(3), "1"), "randomized_response"),
    "table": dc.mechanism(dc.Context.uniform(range(2), "2"), "table", rows=[["2/3", "1/3"], ["1/3", "2/3"]]),
}
HABITS = {
    "form": {"strategy": "each", "epsilon": "1"},
    "questions": [
        {"name": name, "domain": {"size": 2}, "mechanism": {"name": "subset"}} for name in ("smokes", "drinks")
    ],
}


def used(mechanism):
    """What a client does with a mechanism: show it, publish it, send a report."""
    law_text(mechanism)
    str(mechanism.certificate)
    for x in {0, mechanism.context.size - 1}:
        report = mechanism.randomize_index(x, dc.random.seeded(1))
        mechanism.sampler.check_report(report)


def spec_in(suffix):
    def read(content, more):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "cells.csv").write_text("cell\na\nb\n")
            path = Path(folder) / f"spec{suffix}"
            path.write_bytes(content)
            used(Spec.read(path).mechanism)

    return read


def form(content, more):
    """What a client does with a form: show it, and send a report."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "form.json"
        path.write_bytes(content)
        read = Form.read(path)
        answers = {name: spec.context.values[0] for name, spec in read.questions.items()}
        read.report_from_json(read.report_to_json(read.randomize(answers, dc.random.seeded(1))))
        str(read.largest)


def questionnaire(content, more):
    """What who collects does with a questionnaire: show it in every language, declare it, write it."""
    asked = Questionnaire.of(loads(content, dc.errors.InvalidSpec))
    for language in asked.texts.languages:
        asked.texts.in_language(language).as_dict()
    asked.declaration()
    asked.to_toml()


def form_law(content, more):
    """What a client does with the law of a form."""
    read = parse_published(content.decode("utf-8", "surrogateescape"))
    assert not isinstance(read, dc.Mechanism)
    read.randomize({name: spec.context.values[0] for name, spec in read.questions.items()}, dc.random.seeded(1))


def form_tally(content, more):
    read = Form.of(HABITS)
    data = content.replace(b"FORM", read.fingerprint.encode())
    for part, mechanism in read.mechanisms.items():
        data = data.replace(part.upper().encode(), mechanism.fingerprint.encode())
    FormTally.parse(read, data)


def signed(mechanism, content):
    """The content with the mechanism's own fingerprint where it asks for it."""
    return content.replace(b"FINGERPRINT", mechanism.fingerprint.encode())


def law(content, more):
    used(parse_law(content.decode("utf-8", "surrogateescape")))


def tally(content, more):
    mechanism = MECHANISMS[more]
    dc.estimate(parse_tally(mechanism, signed(mechanism, content))).shares.sum()


def text(content, more):
    written = content.decode("utf-8", "surrogateescape")
    mechanism = MECHANISMS[more]
    mechanism.tally(reports_from_texts(mechanism, written.split("\n")))
    for line in written.split("\n"):
        report_from_text(mechanism, line)


def json_report(content, more):
    report_from_json(MECHANISMS[more], loads(content, dc.errors.InvalidReport))


def envelope(content, more):
    mechanism = MECHANISMS[more]
    mechanism.tally(reports_from_envelope(mechanism, loads(signed(mechanism, content), dc.errors.InvalidReport)))


def packed(content, more):
    mechanism = MECHANISMS[more]
    mechanism.tally(reports_from_bytes(mechanism, content))
    report_from_bytes(mechanism, content)


def number(content, more):
    mechanism = MECHANISMS[more]
    mechanism.sampler.check_report(int.from_bytes(content, "little", signed=True))
    mechanism.tally([int.from_bytes(content, "little", signed=True)])


def file_named(suffix):
    def read(content, more):
        from discreet.bulk.jobs import tally_files

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"reports{suffix}"
            path.write_bytes(content)
            tally_files(MECHANISMS[more], [str(path)])

    return read


def crash(content, more):
    """The control: readers that do what no reader may do."""
    match more:
        case "raise":
            raise KeyError("planted")
        case "memory":
            return bytearray(1 << 40)
        case "hang":
            while True:
                pass
        case "wait":
            threading.Event().wait()
        case "hang inside one operation":
            return 3 ** (1 << 40)
        case "two lines" | "long":
            problem = dc.errors.InvalidInput()
            problem.args = ("one\ntwo" if more == "two lines" else "x" * 10 * LONGEST_MESSAGE,)
            raise problem
        case "die":
            signal.raise_signal(signal.SIGKILL)


def planted_spec(content, more):
    """The control: a reader of specs that trusts one entry too much."""
    data = loads(content, dc.errors.InvalidSpec)
    Spec.of(data)
    {"a": 1}[data["domain"].get("size") and "a"]


SUFFIXES = (".txt", ".csv", ".jsonl", ".txt.gz", ".txt.zst", ".parquet", ".arrow", ".arrow.gz")
READERS = {
    "spec.json": spec_in(".json"),
    "spec.toml": spec_in(".toml"),
    "form.json": form,
    "form tally": form_tally,
    "form law": form_law,
    "questionnaire": questionnaire,
    "law": law,
    "tally": tally,
    "text": text,
    "json": json_report,
    "envelope": envelope,
    "bytes": packed,
    "number": number,
    "planted": crash,
    "planted spec": planted_spec,
    **{f"file{suffix}": file_named(suffix) for suffix in SUFFIXES},
}


def outcome(job):
    try:
        READERS[job["reader"]](base64.b64decode(job["content"]), job.get("more"))
    except DiscreetError as refused:
        message = str(refused)
        if len(message.splitlines()) != 1 or len(message) > LONGEST_MESSAGE:
            return ["raw", f"a message of {len(message)} characters, {message[:200]!r}"]
        return ["refused", f"{type(refused).__name__}: {message}"]
    except (Exception, RecursionError) as problem:
        return ["raw", f"{type(problem).__name__}: {str(problem)[:200]}"]
    return ["ok", ""]


def virtual_memory():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(memory, seconds):
    import discreet.bulk.jobs
    import discreet.planning.choose  # noqa: F401  (what is imported is no part of what a document costs)

    MECHANISMS["narrow"].tally([1, 2])
    for suffix in SUFFIXES:
        outcome({"reader": f"file{suffix}", "content": "", "more": "narrow"})
    limit = virtual_memory() + memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(json.dumps(["ready", ""]), flush=True)
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor; the kernel ends this process after it
        signal.setitimer(signal.ITIMER_REAL, WAITS * seconds)  # and after this time on the clock, if it only waits
        answer = outcome(json.loads(line))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
