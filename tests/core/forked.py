"""What sources draw in forked processes, printed as JSON: for `test_random.py`, which starts it.

A program of its own, because a process with threads, as one that runs tests side by side is, must not be forked: the
child of a fork that Python knows nothing of waits for ever if another thread had asked for the interpreter.
"""

import ctypes
import json
import multiprocessing
import os

import numpy as np

import discreet as dc

HELD = {
    "a source": lambda source: source,
    "reserved words": lambda source: source.reserve(100),
    "words reserved from those": lambda source: source.reserve(100).reserve(50),
    "a place in reserved words": lambda source: source.reserve(100).at(10),
}
FORKS = {
    "Python": lambda: os.fork(),
    "C": lambda: ctypes.PyDLL(None).fork(),  # tells Python nothing, as libraries do it
}
METHODS = ("fork", "spawn", "forkserver")


def in_children(draw, *, fork=FORKS["Python"], children=4):
    """What `draw` gives in each of several forked processes."""
    found = []
    for _ in range(children):
        read, write = os.pipe()
        pid = fork()
        if pid == 0:
            os.write(write, np.array(draw(), dtype="<u8").tobytes())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            found.append(np.frombuffer(pipe.read(), dtype="<u8").tolist())
        os.waitpid(pid, 0)
    return found


def secure(held, used, fork):
    """Words of the children of one process, of later ones, and of the process itself."""
    source = HELD[held](dc.random.secure())
    source.fill(used)
    drawn = in_children(lambda: source.fill(4), fork=FORKS[fork])
    later = in_children(lambda: source.reserve(4).take(4), fork=FORKS[fork])
    return [*drawn, *later, source.fill(4).tolist(), source.take(4)]


def seeded(held, fork):
    source = HELD[held](dc.random.seeded(1))
    return [*in_children(lambda: source.fill(4), fork=FORKS[fork]), source.fill(4).tolist()]


def same_process_id():
    """Words of children whose process id is the one that the source was made under."""
    known, os.getpid = os.getpid, lambda: 4321
    try:
        reserved = dc.random.secure().reserve(100)
        return [*in_children(lambda: reserved.fill(4)), reserved.fill(4).tolist()]
    finally:
        os.getpid = known


def in_the_middle_of_a_draw():
    """Words of a child forked while the lock is held, as another thread would hold it, which the child has not."""
    source = dc.random.secure()
    with source._stream()._lock:
        return in_children(lambda: source.fill(4), children=1)


def four_words(source):
    return source.fill(4).tolist()


def in_workers(method):
    """Words of workers that were sent secure sources, of this process, and of workers that were sent a seed."""
    source = dc.random.secure()
    held = [source, source, source.reserve(100)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        parts = pool.map(four_words, [*held, held[-1]], chunksize=1)
        control = pool.map(four_words, [dc.random.seeded(1)] * 2, chunksize=1)
    return [*parts, *map(four_words, held)], control


def main():
    cases = {
        f"secure, {held}, {used}, {fork}": secure(held, used, fork)
        for held in HELD
        for used in (0, 3)
        for fork in FORKS
    }
    cases |= {f"seeded, {held}, {fork}": seeded(held, fork) for held in HELD for fork in FORKS}
    cases |= {"same process id": same_process_id(), "in the middle of a draw": in_the_middle_of_a_draw()}
    cases |= {f"workers, {method}": in_workers(method) for method in METHODS}
    print(json.dumps(cases))


if __name__ == "__main__":
    main()
