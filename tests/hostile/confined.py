"""A reader of documents that can be asked anything: it lives in a process whose memory and time are limited."""

import base64
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEMORY = 1 << 30
"""Bytes that reading one document may take, beside what the program itself takes."""
SECONDS = 20
"""Seconds of the processor that reading one document may take; the process is ended then.

The work that `discreet.core.limits` grants takes up to five on a quiet machine, and more where others use its cores."""


class Confined:
    """A process that reads what it is sent; it is started again when a document ends it."""

    def __init__(self, *, memory=MEMORY, seconds=SECONDS):
        self._limits = [str(memory), str(seconds)]
        self._process = None

    def _start(self):
        unmeasured = {name: entry for name, entry in os.environ.items() if not name.startswith("COVERAGE_")}
        environment = {**unmeasured, "PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
        environment |= {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("reader.py")), *self._limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        if not self._process.stdout.readline():
            raise RuntimeError("the reader did not start")

    def read(self, reader, content, more=None):
        """``ok``, ``refused`` or ``raw`` with a message, or ``ended`` if the document ended the process."""
        if self._process is None:
            self._start()
        job = {"reader": reader, "content": base64.b64encode(content).decode(), "more": more}
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            return "ended", f"the process ended with {self.close()}"
        return tuple(json.loads(answer))

    def close(self):
        """End the process; how it ended."""
        if self._process is None:
            return None
        process, self._process = self._process, None
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        return process.wait()
