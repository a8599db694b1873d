"""`discreet spark` as a job that spark-submit hands to the cluster, and what it refuses before it starts.

This file comes before the one with the long session, which keeps both workers to itself.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.prf import BlockCipher, CollectionKey, hash_record_ids, randomize_records
from discreet.cli import main
from discreet.estimation.tally import read_tally
from discreet.wire import Spec

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SPEC = """
name = "check-ins"
[domain]
values = ["north", "east", "south", "west"]
[context]
form = "uniform"
epsilon = "1"
[mechanism]
name = "hadamard"
"""
SECRET = bytes(range(200, 232))
N = 3000
JOB = Path(find_spec("discreet").submodule_search_locations[0]) / "cli" / "collecting" / "spark.py"


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "survey.toml").write_text(SPEC)
    (tmp_path / "key").write_bytes(SECRET)
    places = ["north", "east", "south", "west", "nowhere"]
    rows = [f"person {i},{places[i * i % 5]},{i % 2}\n" for i in range(N)]
    (tmp_path / "answers.csv").write_text("who,place,wave\n" + "".join(rows))
    return tmp_path


def expected_tally(mechanism):
    """The same on one machine: ids by the keyed hash of the names, values by their index."""
    key = CollectionKey(SECRET, mechanism, collection="place")
    records = [i for i in range(N) if i * i % 5 != 4]
    names = [f"person {i}".encode() for i in records]
    offsets = np.concatenate([[0], np.cumsum([len(name) for name in names])])
    ids = hash_record_ids(BlockCipher(key._names), offsets, np.frombuffer(b"".join(names), dtype=np.uint8))
    values = np.array([i * i % 5 for i in records])
    return mechanism.tally(randomize_records(mechanism, values, ids=ids, key=key))


def test_a_submitted_job_leaves_the_tally_of_one_machine(cluster, survey):
    submit = Path(find_spec("pyspark").submodule_search_locations[0]) / "bin" / "spark-submit"
    settings = [part for name, value in cluster.settings().items() for part in ("--conf", f"{name}={value}")]
    options = ["--column", "place", "--record-id", "who", "--key-file", "key", "--unknown", "drop", "-o", "tally.json"]
    job = [str(JOB), "survey.toml", "answers.csv", *options, "--reports", "kept", "--keep", "wave"]
    found = {"PYTHONPATH": str(JOB.parents[3]), "PYSPARK_DRIVER_PYTHON": sys.executable}
    done = subprocess.run(
        [str(submit), *settings, *job],
        cwd=survey,
        env={**os.environ, **cluster.environment, **found},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    mechanism = Spec.read(survey / "survey.toml").mechanism
    tally = read_tally(survey / "tally.json", mechanism)
    assert tally == expected_tally(mechanism)
    assert tally.n == N - sum(i * i % 5 == 4 for i in range(N)) < N
    assert f"{N - tally.n} of {N} values are null or outside the domain; left out" in done.stdout
    assert (survey / "kept" / "_SUCCESS").exists()
    assert json.loads((survey / "tally.json").read_text())["fingerprint"] == mechanism.fingerprint
    assert dc.estimate(tally).n == tally.n


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--key-file", "nothing"], "nothing: No such file or directory"),
        (["--keep", "wave"], "--keep needs --reports"),
        (["--unknown", "ignore"], "Invalid value for '--unknown'"),
    ],
)
def test_a_job_that_cannot_work_ends_in_one_line_before_spark_starts(survey, monkeypatch, capsys, options, said):
    monkeypatch.chdir(survey)
    monkeypatch.setattr(dc.spark, "session", lambda **_: pytest.fail("Spark was started"))
    asked = ["--column", "place", "--record-id", "who", "--key-file", "key", *options]
    with pytest.raises(SystemExit) as end:
        main(["spark", "survey.toml", "answers.csv", *asked])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    assert sorted(os.listdir(survey)) == ["answers.csv", "key", "survey.toml"]
