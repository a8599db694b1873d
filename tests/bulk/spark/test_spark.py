"""Spark on a real cluster of two workers: one machine's reports, whatever dies and however often it is asked."""

import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
import discreet.bulk.spark as ds
from discreet.bulk.jobs import tally_files
from discreet.bulk.prf import CollectionKey, randomize_records
from discreet.cli import main
from discreet.core.errors import InvalidInput, InvalidReport, MechanismMismatch, UnknownValue
from discreet.estimation.tally import parse_tally
from discreet.wire import Spec

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KEY = b"a secret of at least 16 bytes"
N = 30_000
PLACES = {f"city {b}": [f"place {b}-{i}" for i in range(3 + b)] for b in range(40)}
NAMES = [name for members in PLACES.values() for name in members]
CONTEXTS = {
    "blocks": dc.Context.blocks(PLACES, epsilon="1"),
    "uniform": dc.Context.uniform(NAMES, epsilon="1"),
    "high_low": dc.Context.high_low(NAMES, sensitive=NAMES[:50], epsilon="1"),
}


def index_of(ids):
    """A value for every record, by a formula that Spark and NumPy share."""
    return (ids * 7919 + ids // 13) % len(NAMES)


@pytest.fixture(scope="module")
def people(spark):
    """Records 0 .. N-1 in 4 partitions: the number, a name, the value as text and as a number."""
    from pyspark.sql import functions as f

    index = (f.col("id") * 7919 + f.floor(f.col("id") / 13)) % len(NAMES)
    names = f.array(*map(f.lit, NAMES))
    return spark.range(0, N, numPartitions=4).select(
        "id",
        f.concat(f.lit("person "), "id").alias("person"),
        index.alias("number"),
        f.element_at(names, (index + 1).cast("int")).alias("place"),
        (f.col("id") % 3).cast("byte").alias("wave"),
    )


def collection_key(mechanism, collection="place"):
    return CollectionKey(KEY, mechanism, collection=collection)


def on_one_machine(mechanism, *, collection="place"):
    ids = np.arange(N)
    return randomize_records(mechanism, index_of(ids), ids=ids, key=collection_key(mechanism, collection))


def reports_by_id(frame):
    """What an action sees: the report of every record."""
    return {row["id"]: row["report"] for row in frame.collect()}


@pytest.mark.parametrize(
    ("form", "name"), [("blocks", "hadamard"), ("uniform", "subset"), ("high_low", "randomized_response")]
)
def test_the_tally_is_the_one_of_a_single_machine(people, form, name):
    mechanism = dc.mechanism(CONTEXTS[form], name)
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY)
    expected = mechanism.tally(on_one_machine(mechanism))
    assert ds.tally(frame, mechanism) == expected
    estimate = ds.estimate(frame, mechanism)
    assert np.array_equal(estimate.shares, dc.estimate(expected).shares)
    assert estimate.n == N
    assert ds.tally(frame, mechanism).counts.sum() != 0
    assert mechanism.tally(on_one_machine(mechanism, collection="home")) != expected  # the control: other words


def test_two_actions_change_no_report_and_fresh_randomness_changes_many(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY, keep=["id"])
    first, second = reports_by_id(frame), reports_by_id(frame.repartition(5))
    assert list(first) != list(second)  # the rows came another way
    assert sum(first[record] != second[record] for record in range(N)) == 0
    assert [first[record] for record in range(N)] == on_one_machine(mechanism).tolist()

    def fresh(batches):
        import pyarrow

        import discreet

        for batch in batches:
            drawn = mechanism.randomize_indices(batch.column(1).to_numpy(), discreet.random.secure())
            reports = pyarrow.array(drawn.astype("int32"))
            yield pyarrow.RecordBatch.from_arrays([batch.column(0), reports], names=["id", "report"])

    unkeyed = people.select("id", "number").mapInArrow(fresh, "id long, report int")
    first, second = reports_by_id(unkeyed), reports_by_id(unkeyed)
    assert sum(first[record] != second[record] for record in range(N)) > N // 10


def test_numbers_of_every_type_give_the_reports_of_a_single_machine_also_on_retry(people):
    from pyspark.sql import functions as f

    mechanism = dc.mechanism(dc.Context.uniform(dc.NumberDomain(0, 400, clip=True), epsilon="1"))
    cents = f.col("number") + f.col("id") % 100 / 100
    held = people.select("id", cents.alias("exact"))
    frame = ds.randomize(held, mechanism, "exact", record_id="id", key=KEY, keep=["id"])
    first, second = reports_by_id(frame), reports_by_id(frame.repartition(5))
    ids = np.arange(N)
    numbers = index_of(ids) + ids % 100 / 100
    positions = [mechanism.context.domain.position(number) for number in numbers.tolist()]
    expected = randomize_records(mechanism, positions, ids=ids, key=collection_key(mechanism, "exact"))
    assert [first[record] for record in range(N)] == [second[record] for record in range(N)] == expected.tolist()
    for kind in ("decimal(10,2)", "string"):
        other = held.withColumn("exact", f.round("exact", 2).cast(kind))
        assert ds.tally(ds.randomize(other, mechanism, "exact", record_id="id", key=KEY), mechanism) == mechanism.tally(
            expected
        )
    missing = held.withColumn("exact", f.when(f.col("id") > 6, f.col("exact")))
    with pytest.raises(UnknownValue, match="column 'exact': 7 records are null or not a number from 0 to 400"):
        ds.tally(ds.randomize(missing, mechanism, "exact", record_id="id", key=KEY), mechanism)
    with pytest.raises(InvalidInput, match="of type boolean must be numbers or text to hold values"):
        ds.randomize(held.withColumn("exact", f.lit(True)), mechanism, "exact", record_id="id", key=KEY)


def test_text_and_numbers_bytes_and_text_are_the_same_to_it(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    by_number = dc.mechanism(dc.Context.uniform(range(len(NAMES)), epsilon="1"), "hadamard")
    named = ds.tally(ds.randomize(people, mechanism, "place", record_id="person", key=KEY), mechanism)
    as_bytes = people.selectExpr("place", "cast(person as binary) as person")
    assert ds.tally(ds.randomize(as_bytes, mechanism, "place", record_id="person", key=KEY), mechanism) == named
    assert named != mechanism.tally(on_one_machine(mechanism))  # other ids, other words
    assert named.n == N
    frame = ds.randomize(people, by_number, "number", record_id="id", key=KEY)
    assert ds.tally(frame, by_number) == by_number.tally(on_one_machine(by_number, collection="number"))


@pytest.mark.parametrize("name", ["hadamard", "subset"])
def test_reports_read_back_have_the_tally_that_they_had(people, tmp_path, name):
    mechanism = dc.mechanism(CONTEXTS["uniform"], name)
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY, keep=["wave"])
    stored = ds.stored(frame, str(tmp_path / "kept"))
    assert stored.columns == ["wave", "report", "fingerprint"]
    assert ds.tally(stored, mechanism) == mechanism.tally(on_one_machine(mechanism))
    assert ds.tally(stored.select("report"), mechanism) == ds.tally(stored, mechanism)  # the metadata is enough
    for frame_of_another in (stored, frame, frame.cache()):
        with pytest.raises(MechanismMismatch, match="holds reports of another mechanism"):
            ds.tally(frame_of_another, dc.mechanism(CONTEXTS["blocks"], name))
    frame.unpersist()
    parts = sorted(str(part) for part in (tmp_path / "kept").glob("*.parquet"))
    assert tally_files(mechanism, parts) == ds.tally(stored, mechanism)  # on one machine, with the mark of each file
    with pytest.raises(MechanismMismatch, match=r"\.parquet: column 'report': holds reports of another mechanism"):
        tally_files(dc.mechanism(CONTEXTS["blocks"], name), parts)
    with pytest.raises(InvalidInput, match="already exists"):
        ds.stored(frame, str(tmp_path / "kept"))


@pytest.mark.parametrize("form", ["csv", "json", "orc", "parquet"])
def test_every_format_keeps_the_fingerprint_and_reports_of_another_are_found_among_many(people, tmp_path, form):
    mechanism, other = (dc.mechanism(dc.Context.uniform(NAMES, epsilon=e), "hadamard") for e in ("1", "3"))
    asked = {"record_id": "id", "key": KEY}
    own = ds.randomize(people, mechanism, "place", **asked)
    own.write.format(form).option("header", True).save(f"file://{tmp_path}/reports")
    read = ds.read(people.sparkSession, [f"file://{tmp_path}/reports"], form=form)
    expected = mechanism.tally(on_one_machine(mechanism))
    assert ds.tally(read, mechanism) == expected
    with pytest.raises(MechanismMismatch, match=f"{mechanism.fingerprint[:12]}.*not of .*{other.fingerprint[:12]}"):
        ds.tally(read, other)
    foreign = ds.randomize(people.limit(7), other, "place", **asked)
    foreign.write.format(form).mode("append").option("header", True).save(f"file://{tmp_path}/reports")
    mixed = ds.read(people.sparkSession, [f"file://{tmp_path}/reports"], form=form)
    # Spark takes the metadata of a Parquet folder from one of its files: where it is the other's, that says it already
    said = rf"column 'report'(, 7 times)?: holds reports of another mechanism \({other.fingerprint[:12]}\)"
    with pytest.raises(MechanismMismatch, match=said):
        ds.tally(mixed, mechanism)
    with pytest.raises(MechanismMismatch, match=said):
        ds.tally(own.union(foreign), mechanism)


def test_reports_that_say_nothing_are_refused_unless_that_is_asked_for(people, spark):
    mechanism = dc.mechanism(CONTEXTS["uniform"], "hadamard")
    bare = spark.createDataFrame([(5,), (6,)], "report int")
    with pytest.raises(InvalidInput, match="column 'report': no mark says which mechanism wrote these reports"):
        ds.tally(bare, mechanism)
    assert ds.tally(bare, mechanism, unmarked=True).n == ds.estimate(bare, mechanism, unmarked=True).n == 2
    nulls = bare.selectExpr("report", "cast(null as string) as fingerprint")
    for unmarked in (False, True):
        with pytest.raises(MechanismMismatch, match="2 times: holds reports of another mechanism"):
            ds.tally(nulls, mechanism, unmarked=unmarked)


def test_reports_cached_renamed_or_split_have_the_tally_that_they_had(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    expected = mechanism.tally(on_one_machine(mechanism))
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY, keep=["wave"]).cache()
    assert ds.tally(frame, mechanism) == expected
    parts = [ds.tally(frame.filter(f"wave = {wave}"), mechanism) for wave in range(3)]
    assert sum(parts) == expected
    assert min(part.n for part in parts) > 0
    assert ds.tally(frame.withColumnRenamed("report", "y"), mechanism, column="y") == expected
    frame.unpersist()


@pytest.mark.parametrize(
    ("name", "written", "form"),
    [
        ("some.csv", "id,place\n7,a\n", None),
        ("some.jsonl", '{"id": 7, "place": "a"}\n', None),
        ("some.txt", '{"id": 7, "place": "a"}\n', "json"),
    ],
)
def test_records_are_read_by_the_names_of_their_files(spark, tmp_path, name, written, form):
    (tmp_path / name).write_text(written)
    (row,) = ds.read(spark, [str(tmp_path / name)], form=form).collect()
    assert (int(row["id"]), row["place"]) == (7, "a")


def test_records_that_cannot_be_read_are_refused(spark):
    with pytest.raises(InvalidInput, match="does not exist"):
        ds.read(spark, ["/no/such/folder"])
    with pytest.raises(InvalidInput, match=r"more than one format \(csv, parquet\)"):
        ds.read(spark, ["a.csv", "b.parquet"])


def test_many_large_tallies_are_merged_on_the_executors_first(people, monkeypatch):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY)
    expected = ds.tally(frame, mechanism)
    monkeypatch.setattr(ds, "MERGED_BY_DRIVER", 0)
    assert ds.tally(frame, mechanism) == expected


def test_an_empty_frame_has_an_empty_tally(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people.limit(0), mechanism, "place", record_id="id", key=KEY)
    assert ds.tally(frame, mechanism) == mechanism.tally()
    assert frame.collect() == []


def test_reports_are_never_shuffled_and_only_the_columns_asked_for_travel(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY)
    assert frame.columns == ["report", "fingerprint"]
    plan = frame._jdf.queryExecution().toString()
    assert "randomize_records(value" in plan
    assert "Exchange" not in plan
    assert "Exchange" in people.groupBy("place").count()._jdf.queryExecution().toString()  # the control


def test_a_worker_killed_in_the_middle_changes_nothing(spark, cluster, people, tmp_path, monkeypatch):
    """Twelve slow partitions; one worker dies with its executor after some are done and while one runs."""
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    expected = mechanism.tally(on_one_machine(mechanism))
    monkeypatch.setattr(ds, "MERGED_BY_DRIVER", 0)  # counts lie on the workers' disks, and die with them
    notes = str(tmp_path)

    def slowly(batches):
        import os
        import time

        from pyspark import TaskContext

        where = "worker-" + os.getcwd().partition("worker-")[2][0]
        task = TaskContext.get()
        note = f"{notes}/{task.stageId()}.{task.partitionId()}.{task.taskAttemptId()}.{where}"
        open(f"{note}.begun", "w").close()
        yield from batches
        time.sleep(0.4)
        open(f"{note}.done", "w").close()

    slow = people.repartitionByRange(12, "id").mapInArrow(slowly, people.schema)
    frame = ds.randomize(slow, mechanism, "place", record_id="id", key=KEY)
    result = []
    job = threading.Thread(target=lambda: result.append(ds.tally(frame, mechanism)), daemon=True)
    job.start()

    def noted(what, worker=""):
        return [name.split(".") for name in os.listdir(notes) if name.endswith(f"{worker}.{what}")]

    number = len(cluster.workers) - 1
    victim = f"worker-{number}"
    end = time.monotonic() + 120
    while not (len(noted("done", victim)) >= 2 and len(noted("begun", victim)) > len(noted("done", victim))):
        assert time.monotonic() < end, f"nothing to interrupt: {sorted(os.listdir(notes))}"
        assert not result, "the job ended before anything could be killed"
        time.sleep(0.02)
    cluster.workers[number].kill()
    done_there = {partition for _, partition, *_ in noted("done", victim)}
    job.join(timeout=180)
    assert not job.is_alive()
    assert result == [expected]
    survivors = {partition for _, partition, *_, worker, _ in noted("done") if worker != victim}
    assert done_there & survivors  # work that was done and lost was done again
    assert len({worker for *_, worker, _ in noted("done")}) >= 2
    cluster.add_worker()
    assert ds.tally(ds.randomize(people, mechanism, "place", record_id="id", key=KEY), mechanism) == expected


def test_unknown_values_stop_the_job_with_their_number_or_are_left_out(people, spark):
    some = dc.mechanism(dc.Context.uniform(NAMES[1:], epsilon="1"), "hadamard")
    gone = int(np.count_nonzero(index_of(np.arange(N)) == 0))
    frame = ds.randomize(people, some, "place", record_id="id", key=KEY)
    with pytest.raises(UnknownValue, match=rf"column 'place': {gone} records are null or not among the 899") as said:
        ds.tally(frame, some)
    assert NAMES[0] not in str(said.value)
    with pytest.raises(UnknownValue, match="column 'place': at least"):
        ds.tally(frame.filter("report >= 0"), some)
    kept = ds.randomize(people, some, "place", record_id="id", key=KEY, unknown="drop")
    assert ds.tally(kept, some).n == kept.count() == N - gone
    unnamed = spark.createDataFrame([(1, "a"), (None, "b")], "id long, place string")
    pair = dc.mechanism(dc.Context.uniform(["a", "b"], epsilon="1"))
    with pytest.raises(InvalidInput, match="column 'id': 1 records have no id"):
        ds.tally(ds.randomize(unnamed, pair, "place", record_id="id", key=KEY), pair)


def test_reports_that_cannot_occur_are_refused(spark):
    mechanism = dc.mechanism(CONTEXTS["uniform"], "hadamard")
    frame = spark.createDataFrame([(5,), (mechanism.sampler.outputs,)], "report int")
    with pytest.raises(InvalidReport, match="from 0 to 1023"):
        ds.tally(frame, mechanism, unmarked=True)


def test_an_error_that_is_not_ours_is_left_alone(people):
    def broken(batches):
        raise OSError("the disk is on fire")

    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people.mapInArrow(broken, people.schema), mechanism, "place", record_id="id", key=KEY)
    with pytest.raises(Exception, match="the disk is on fire") as said:
        ds.tally(frame, mechanism)
    assert not isinstance(said.value, dc.errors.DiscreetError)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"column": "plaice"}, "column='plaice' is not in the frame; it has id, person, number, place, wave"),
        ({"record_id": "nobody"}, "record_id='nobody' is not in the frame"),
        ({"keep": ["nothing"]}, "keep='nothing' is not in the frame"),
        ({"keep": "place"}, "column='place' holds what is to be protected"),
        ({"record_id": "place"}, "column='place' holds what is to be protected"),
        ({"keep": ["wave"], "into": "wave"}, "into='wave' and 'fingerprint' must not be"),
        ({"into": "Fingerprint"}, "into='Fingerprint' and 'fingerprint' must not be"),
        ({"unknown": "ignore"}, "unknown='ignore' must be 'error' or 'drop'"),
        ({"key": b"short"}, "key of 5 bytes must be at least 16"),
        ({"record_id": "half"}, "column 'half' of type double must be whole numbers or text to hold record ids"),
        ({"column": "half"}, "column 'half' of type double must be whole numbers or text to hold values"),
        ({"column": "twice"}, "column='twice' appears twice in"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused_before_anything_runs(people, change, said):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    wide = people if "it has" in said else people.selectExpr("*", "id / 2 as half", "1 as twice", "2 as twice")
    arguments = {"column": "place", "record_id": "id", "key": KEY, **change}
    with pytest.raises(InvalidInput, match=said):
        ds.randomize(wide, mechanism, arguments.pop("column"), **arguments)


def test_column_names_may_be_anything(people):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    odd = people.withColumnRenamed("place", "where. `really`").withColumnRenamed("id", "who.")
    frame = ds.randomize(odd, mechanism, "where. `really`", record_id="who.", key=KEY, collection="place")
    assert ds.tally(frame, mechanism) == mechanism.tally(on_one_machine(mechanism))


class Held:
    """A session that outlives the command that asks for it."""

    def __init__(self, session):
        self._session = session
        self.stopped = False

    def __getattr__(self, name):
        return getattr(self._session, name)

    def stop(self):
        self.stopped = True


@pytest.mark.parametrize(
    "options", [[], ["--reports", "kept", "--keep", "id", "--unknown", "drop", "-o", "tally.json"]]
)
def test_the_command_gives_the_same_tally(people, spark, tmp_path, monkeypatch, capsys, options):
    held = Held(spark)
    monkeypatch.setattr(ds, "session", lambda **_: held)
    monkeypatch.chdir(tmp_path)
    people.select("id", "place").write.parquet(f"file://{tmp_path}/answers")
    context = {"form": "blocks", "epsilon": "1", "blocks": PLACES}
    spec = {"name": "s", "domain": {"values": NAMES}, "context": context, "mechanism": {"name": "hadamard"}}
    Path("survey.json").write_text(json.dumps(spec))
    Path("key").write_bytes(KEY)
    options = [f"file://{tmp_path}/kept" if part == "kept" else part for part in options]
    asked = ["--column", "place", "--record-id", "id", "--key-file", "key", *options]
    with pytest.raises(SystemExit) as end:
        main(["spark", "survey.json", f"file://{tmp_path}/answers", *asked])
    printed = capsys.readouterr()
    assert not end.value.code, printed.err
    assert held.stopped
    mechanism = Spec.read("survey.json").mechanism
    tally = parse_tally(mechanism, Path("tally.json").read_text() if options else printed.out)
    assert tally == mechanism.tally(on_one_machine(mechanism))
    assert ("0 of 30000 values are null or outside the domain; left out" in printed.err) == bool(options)


def test_the_key_is_in_no_plan_event_or_log(people, cluster):
    mechanism = dc.mechanism(CONTEXTS["blocks"], "hadamard")
    frame = ds.randomize(people, mechanism, "place", record_id="id", key=KEY)
    assert ds.tally(frame, mechanism).n == frame.filter("report >= 0").count() == N
    made = collection_key(mechanism)
    plan = frame._jdf.queryExecution().toString().encode()
    written = [path.read_bytes() for path in Path(cluster.folder).rglob("*") if path.is_file() and kept_by(path)]
    assert b"randomize_records" in b"".join(written)  # the control: what was run is there to be found
    everything = b"\n".join([plan, *written])
    for secret in (KEY, made._words, made._names):
        for form in (secret, secret.hex().encode(), repr(secret)[2:-1].encode()):
            assert form not in everything


def kept_by(path):
    """Event logs, and what daemons and executors print; not the passing blocks of Spark's own scratch space."""
    return "scratch" not in path.parts and path.suffix != ".jar"
