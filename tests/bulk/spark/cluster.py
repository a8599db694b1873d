"""A real Spark standalone cluster on loopback: one master and some workers, each a process of its own.

Every port is chosen by the system and bound to 127.0.0.1. Java is the system's or, where there is none,
the one of the ``spark`` extra. Also used by bench/spark.py.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import discreet.bulk.spark

SOURCE = Path(discreet.__file__).parents[1]
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What makes Java start sooner and run slower: right for daemons and small jobs."""

PATIENCE = 120.0
"""Seconds that a process may take to say that it is ready."""


class Process:
    """A Spark daemon, its log, and its children, which end with it."""

    def __init__(self, log: Path, arguments: list[str], environment: dict[str, str]) -> None:
        self.log = log
        starter = Path(find_spec("pyspark").submodule_search_locations[0]) / "bin" / "spark-class"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(starter), *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The number of the daemon, and of the session that its children belong to."""
        return self._process.pid

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The match of the line in the log that says so; an error with the log if it does not come in time."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            said = re.search(pattern, self.log.read_text(errors="replace"))
            if said:
                return said
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"{self.log.name} never said {pattern!r}:\n{self.log.read_text(errors='replace')[-4000:]}")

    def kill(self) -> None:
        """End the daemon and the executors it started, at once, as a power cut would."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=30)


class Cluster:
    """A master and its workers; use in a ``with`` statement."""

    def __init__(self, folder: Path, *, workers: int = 2, worker_memory: str = "1g", java_options: str = "") -> None:
        self.folder = folder
        self._java_options = java_options
        self._memory = worker_memory
        self._count = workers
        self.workers: list[Process] = []

    def __enter__(self) -> Cluster:
        daemons = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": QUICK}
        self._environment = {**os.environ, **self.environment, **daemons}
        self._environment.pop("SPARK_HOME", None)
        daemon = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        self._master = Process(self.folder / "master.log", daemon, self._environment)
        try:
            self.url = self._master.wait_for(r"Starting Spark master at (spark://127\.0\.0\.1:\d+)")[1]
            started = [self._start_worker() for _ in range(self._count)]
            for worker in started:
                worker.wait_for("Successfully registered with master")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_worker(self) -> Process:
        number = len(self.workers)
        work = self.folder / f"worker-{number}"
        work.mkdir()
        daemon = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        given = ["--cores", "1", "--memory", self._memory, "--work-dir", str(work), self.url]
        worker = Process(self.folder / f"worker-{number}.log", daemon + given, self._environment)
        self.workers.append(worker)
        return worker

    def add_worker(self) -> None:
        """Start one more worker and wait until it has joined."""
        self._start_worker().wait_for("Successfully registered with master")

    @property
    def ports(self) -> list[int]:
        """The ports that the daemons say they listen on."""
        logs = [process.log.read_text(errors="replace") for process in (self._master, *self.workers)]
        return [int(port) for log in logs for port in re.findall(r"started service '\w+' on port (\d+)", log)]

    @property
    def environment(self) -> dict[str, str]:
        """What a process of Spark on this machine needs in its environment; no settings made elsewhere count."""
        return {
            **({"JAVA_HOME": home} if (home := discreet.bulk.spark.java_home() or os.environ.get("JAVA_HOME")) else {}),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_CONF_DIR": str(self.folder),
            "SPARK_LOCAL_DIRS": str(self.folder / "scratch"),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def settings(self, **more: str) -> dict[str, str]:
        """What a driver on this machine needs to be told."""
        return {
            "spark.master": self.url,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": self._java_options,
            "spark.executor.extraJavaOptions": self._java_options,
            "spark.executor.memory": self._memory,
            "spark.executorEnv.PYTHONPATH": str(SOURCE),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            **{name.replace("_", "."): value for name, value in more.items()},
        }

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self._master):
            process.kill()


def close(session: object) -> None:
    """End a session together with the Java process behind it, so that its ports and sockets are free."""
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)
        SparkContext._gateway = SparkContext._jvm = None
