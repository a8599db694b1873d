"""A cluster for all tests on Spark, and a session on it for those of one file."""

import importlib.util
import socket
from pathlib import Path

import pytest

if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("pyarrow") is None:
    collect_ignore_glob = ["test_*.py"]


def load(name):
    """A module that stands beside this file."""
    spec = importlib.util.spec_from_file_location(f"tests_spark_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A master and two workers on loopback, whose ports are free again afterwards."""
    running = load("cluster")
    with running.Cluster(tmp_path_factory.mktemp("cluster"), java_options=running.QUICK) as started:
        yield started
    ports = started.ports
    assert len(ports) >= 6
    for port in ports:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0, f"port {port} is still taken"


@pytest.fixture(scope="module")
def spark(cluster):
    """A session whose executors are processes of the two workers, and which logs every event.

    It ends with the file that asked for it, and its Java with it: a later one finds its own working folder.
    """
    import discreet.bulk.spark

    events = cluster.folder / "events"
    events.mkdir(exist_ok=True)
    settings = cluster.settings(
        spark_eventLog_enabled="true",
        spark_eventLog_compress="false",  # a test reads them
        spark_eventLog_dir=events.as_uri(),
        spark_task_maxFailures="2",
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.environment.items():
            patch.setenv(name, value)
        session = discreet.bulk.spark.session(name="tests", settings=settings)
        session.sparkContext.setLogLevel("OFF")
        yield session
        load("cluster").close(session)
