"""Published libraries, each in a virtual environment of its own that is made here when it can be.

Each is asked for what it does best of what we do too, in its own plain way: reports of many people one by
one, then an estimate from them. Rates are reports a second of processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measure import HELD, Result

HOME = Path(sys.prefix) / "peers"
"""Where their environments are kept."""

TIMER = (
    "import json, resource, sys, time\n"
    + HELD
    + """
k, n = int(sys.argv[1]), int(sys.argv[2])
values = [i * 7919 % k for i in range(n)]
def spent(work):
    start = time.process_time()
    made = work()
    return made, time.process_time() - start
"""
)

REPORT = """
print(json.dumps({"privatise": n / privatise, "decode": n / decode if decode else 0, "memory": held()}))
"""


@dataclass(frozen=True)
class Peer:
    """A library: what to install, the protocol measured, how many people at which k, and the program."""

    name: str
    protocol: str
    packages: tuple[str, ...]
    people: dict[int, int]
    program: str


PEERS = [
    Peer(
        "pure-ldp",
        "Hadamard response",
        ("pure-ldp", "scikit-learn", "statsmodels"),  # the last two it imports and does not ask for
        {1000: 200_000, 43_750: 200_000},
        """
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
server = HadamardResponseServer(1.0, k, index_mapper=lambda x: x)
client = HadamardResponseClient(1.0, k, server.get_hash_funcs(), index_mapper=lambda x: x)
reports, privatise = spent(lambda: [client.privatise(x) for x in values])
def estimated():
    for report in reports:
        server.aggregate(report)
    return server.estimate_all(range(k), suppress_warnings=True)
_, decode = spent(estimated)
""",
    ),
    Peer(
        "multi-freq-ldpy",
        "subset selection",
        ("multi-freq-ldpy",),
        {1000: 20_000, 43_750: 400},
        """
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
SS_Client(0, k, 1.0)  # compiled by the first call
reports, privatise = spent(lambda: [SS_Client(x, k, 1.0) for x in values])
_, decode = spent(lambda: SS_Aggregator_MI(reports, k, 1.0))
""",
    ),
    Peer(
        "opendp",
        "k-ary randomized response",
        ("opendp",),
        {1000: 10_000, 43_750: 5_000},
        """
import math
import opendp.prelude as dp
dp.enable_features("contrib")
truth = math.exp(1.0) / (math.exp(1.0) + k - 1)
measure = dp.m.make_randomized_response(list(range(k)), prob=truth)
reports, privatise = spent(lambda: [measure(x) for x in values])
decode = 0
""",
    ),
]


def peers(ks: list[int], ours: dict[tuple[str, str, int], float], *, quick: bool) -> Iterator[Result]:
    """A line for each library, protocol and k, with how many times faster ours is where the protocol is the same."""
    for peer in PEERS:
        problem = install(peer)
        for k in ks:
            if problem or k not in peer.people:
                yield Result(
                    "peers", f"{peer.name} {peer.protocol}", k, 0, 0.0, note=f"skipped: {problem or 'not asked'}"
                )
                continue
            n = peer.people[k] // (10 if quick else 1)
            yield from _measured(peer, k, n, ours)


def install(peer: Peer) -> str:
    """Make the library's environment unless it is there; what went wrong, or nothing."""
    home = HOME / peer.name
    if not (home / "made").exists():
        try:
            venv.create(home, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            return f"no environment could be made ({problem})"
        command = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*command, *peer.packages], capture_output=True, text=True, check=False)
        if done.returncode:
            last = [line for line in done.stderr.splitlines() if line.startswith("ERROR")][-1:]
            return f"it cannot be installed ({''.join(last)[:120]})"
        (home / "made").touch()
    return ""


def _measured(peer: Peer, k: int, n: int, ours: dict[tuple[str, str, int], float]) -> Iterator[Result]:
    program = TIMER + peer.program + REPORT
    command = [HOME / peer.name / "bin" / "python", "-W", "ignore", "-c", program, str(k), str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:]
        yield Result("peers", f"{peer.name} {peer.protocol}", k, n, 0.0, note=f"fails: {''.join(reason)[:120]}")
        return
    found = json.loads(done.stdout.splitlines()[-1])
    base = {"Hadamard response": "hadamard", "subset selection": "subset"}.get(peer.protocol, "randomized_response")
    for part in ("privatise", "decode"):
        if found[part]:
            mine = ours.get((part, f"uniform {base}", k))
            ratios = {"ours/theirs": mine / found[part]} if mine else {}
            case = f"{peer.name} {peer.protocol}, {part}"
            yield Result("peers", case, k, n, found[part], megabytes=found["memory"], ratios=ratios)
