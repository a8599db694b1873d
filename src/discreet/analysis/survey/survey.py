"""`Survey`: reports with public labels, weights and the way people were drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...bulk.labelled.columns import (
    Labels,
    by_name,
    check_aligned,
    codes_of,
    column_of,
    concatenate,
    missing_in,
    names_of,
    narrow_type,
    objects,
    positive_numbers,
)
from ...core.domain import Domain
from ...core.errors import InvalidInput, Unavailable, check_type, shown
from ...estimation.results.unbiased import Estimate, estimate
from ...estimation.results.weights import weights_of
from ...estimation.tally import Tally, as_batch
from ...mechanisms.mechanism import Mechanism
from ..reference_distribution import Array, Codes
from .population import checked_population, joint_population
from .sampling import SamplingUnits

if TYPE_CHECKING:
    from ...bulk.labelled.tallies import GroupTallies
    from ..groups.means import Means

Population: TypeAlias = int | Mapping[Hashable, int]
"""The number of people that were drawn from, or that of each stratum."""


INSECURE_REMARK = "WARNING: a seed drew some of these reports, and whoever knows it can undo them"
"""What is said of reports whose file says that they are for trial only."""


@dataclass(frozen=True, eq=False, repr=False)
class Wave:
    """Reports of one mechanism."""

    mechanism: Mechanism
    reports: NDArray[Any]

    @cached_property
    def tally(self) -> Tally:
        """The counts of these reports."""
        return self.mechanism.tally(self.reports)

    @cached_property
    def estimate(self) -> Estimate:
        """The unbiased shares."""
        return estimate(self.tally)

    @cached_property
    def distinct(self) -> tuple[NDArray[Any], Codes]:
        """The different reports, and the number of each report among them."""
        axis = None if self.reports.ndim == 1 else 0
        different, numbers = np.unique(self.reports, axis=axis, return_inverse=True)
        return different, numbers.reshape(-1)


class Survey:
    """Reports of many people, each with public labels; ``+`` appends more, of other mechanisms over these values too.

    `reports` may be the words that a mechanism by hand has for them. `labels` are columns by name, or a table of
    pandas, polars or Arrow, one entry a report: whatever is a label is public, and protects nobody. `weights` are
    positive numbers (how many people a report stands for), `clusters` and `strata` columns that say how people were
    drawn, and `population` the number of people that they were drawn from, where that is not many times more; with
    strata that of each, ``{stratum: number}``. A label that is missing (None or nan) is an error; ``missing="drop"``
    leaves out the people who lack one, and `left_out` says how many.

    >>> import discreet as dc
    >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
    >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
    >>> survey = dc.Survey(mechanism, reports, labels={"age": [30, 60] * 1000})
    >>> survey
    <Survey of 2,000 reports of randomized_response, labels age>
    >>> print(survey.by("age", query={"yes": 1}))
    age  query      n  estimate  stderr      low    high
     30  yes    1,000    0.5079  0.0208   0.4672  0.5485
     60  yes    1,000   -0.0003  0.0134  -0.0252  0.0275
    - 2,000 reports of randomized_response
    - intervals at 0.95 confidence
    """

    insecure = False
    """True if the files that it was read from say that a seed drew reports of theirs."""
    index: Any
    """The index that its columns of pandas have, by which further columns are checked; None where they have none."""

    def __init__(
        self,
        mechanism: Mechanism,
        reports: Any,
        *,
        labels: Any = None,
        weights: Any = None,
        clusters: Any = None,
        strata: Any = None,
        population: Population | None = None,
        missing: str = "error",
    ) -> None:
        check_type("mechanism", mechanism, Mechanism, "a mechanism")
        if missing not in ("error", "drop"):
            raise InvalidInput(f"missing={shown(missing)} must be 'error' or 'drop'")
        batch = as_batch(_numbers(mechanism, reports), mechanism.sampler.bits)
        labels = _by_name(labels)
        given = {f"labels[{name!r}]": column for name, column in labels.items()}
        design = {"weights": weights, "clusters": clusters, "strata": strata}
        given |= {name: column for name, column in design.items() if column is not None}
        index = check_aligned({"reports": reports, **given})
        columns = {name: column_of(name, column, len(batch)) for name, column in given.items()}
        complete = np.ones(len(batch), dtype=bool)
        for name, column in columns.items():
            lacking = missing_in(name, column)
            if missing == "error" and lacking.any():
                raise InvalidInput(
                    f"{name}: {int(lacking.sum())} are missing; missing='drop' (--missing drop) leaves these people out"
                )
            complete &= ~lacking
        if not complete.all():
            batch, columns = batch[complete], {name: column[complete] for name, column in columns.items()}
            index = None if index is None else index[complete]
        columns = {name: narrow_type(column) for name, column in columns.items()}
        self.waves: tuple[Wave, ...] = (Wave(mechanism, batch),)
        self.labels: dict[str, NDArray[Any]] = {name: columns[f"labels[{name!r}]"] for name in labels}
        self.weights = positive_numbers("weights", columns["weights"]) if "weights" in columns else None
        self.clusters, self.strata = columns.get("clusters"), columns.get("strata")
        self.index = index
        self.population = checked_population(population, self.waves[0].tally.n, self.strata)
        self.left_out = int(len(complete) - complete.sum())
        self.part_of: tuple[Survey, NDArray[np.bool_]] | None = None

    @classmethod
    def read(
        cls,
        mechanism: Mechanism,
        files: Any,
        *,
        labels: Sequence[str] = (),
        weights: str | None = None,
        clusters: str | None = None,
        strata: str | None = None,
        population: Population | None = None,
        column: str | None = None,
        delimiter: str | None = None,
        unmarked: bool = False,
        missing: str = "error",
        progress: Callable[[int], None] = lambda rows: None,
    ) -> Survey:
        """The survey in report files with other columns beside the reports, as `read_survey` reads it."""
        from .reading import read_survey

        names: Any = {"column": column, "weights": weights, "clusters": clusters, "strata": strata}
        how: Any = {"delimiter": delimiter, "unmarked": unmarked, "missing": missing, "progress": progress}
        return read_survey(mechanism, files, labels=labels, population=population, **names, **how)

    @classmethod
    def from_frame(
        cls,
        mechanism: Mechanism,
        frame: Any,
        *,
        column: str | None = None,
        labels: Sequence[str] = (),
        weights: str | None = None,
        clusters: str | None = None,
        strata: str | None = None,
        population: Population | None = None,
        missing: str = "error",
    ) -> Survey:
        """The survey in a pandas, polars or Arrow table, `column` being that of the reports: see `survey_of_frame`."""
        from .reading import survey_of_frame

        names: Any = {"column": column, "weights": weights, "clusters": clusters, "strata": strata}
        return survey_of_frame(mechanism, frame, labels=labels, population=population, missing=missing, **names)

    @classmethod
    def _of(cls, **attributes: Any) -> Survey:
        """A survey with these attributes, which were checked before."""
        survey = cls.__new__(cls)
        vars(survey).update(attributes)
        return survey

    # -- what it holds -----------------------------------------------------------------------------
    @property
    def n(self) -> int:
        """The number of reports."""
        return sum(len(wave.reports) for wave in self.waves)

    @property
    def values(self) -> Domain:
        """The values that people may hold, in order."""
        return self.waves[0].mechanism.context.values

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of all reports; `InvalidInput` where there are several."""
        if len({wave.mechanism.fingerprint for wave in self.waves}) > 1:
            raise InvalidInput("the survey has reports of several mechanisms; each wave has its own")
        return self.waves[0].mechanism

    @property
    def tally(self) -> Tally:
        """The counts of all reports, which tell nothing of clusters and strata; `InvalidInput` for several mechanisms.

        `Unavailable` where people have weights, which counts cannot hold.
        """
        self._check_unweighted("tally")
        return replace(sum((wave.tally for wave in self.waves), self.mechanism.tally()), insecure=self.insecure)

    def _check_unweighted(self, name: str) -> None:
        if self.weights is not None:
            raise Unavailable(
                f"{name}: counts would lose the weights of this survey: use survey.shares(), survey.query(), "
                "survey.by() or dc.compare, or mechanism.tally(reports) where no weights are wanted"
            )

    def label(self, name: str) -> NDArray[Any]:
        """The column of labels with this name."""
        if not isinstance(name, str) or name not in self.labels:
            there = ", ".join(map(repr, self.labels)) or "none"
            raise InvalidInput(f"label={shown(name)} must be one of the survey's labels: {there}")
        return self.labels[name]

    @cached_property
    def plug_in(self) -> Array:
        """A distribution near the shares of all waves together, at which variances are taken."""
        if not self.n:
            return np.full(len(self.values), 1 / len(self.values))
        return np.asarray(sum(one.estimate.plug_in * one.tally.n for one in self.waves if one.tally.n) / self.n)

    @property
    def design(self) -> list[str]:
        """Which of weights, clusters and strata there are; nothing for a plain sample."""
        return [name for name in ("weights", "clusters", "strata") if getattr(self, name) is not None]

    @cached_property
    def units(self) -> SamplingUnits:
        """The clusters or people that were drawn, by strata; of a part of a sample, all of that sample."""
        if self.part_of is not None:
            whole, chosen = self.part_of
            return whole.units.domain(chosen)
        return self.units_of(None if self.clusters is None else codes_of(self.clusters)[1])

    def units_of(self, clusters: Codes | None) -> SamplingUnits:
        """The sampling units where people were drawn in these clusters, by the survey's strata."""
        levels, strata = ([None], None) if self.strata is None else codes_of(self.strata)
        population = self.population
        if population is None:
            return SamplingUnits(self.n, clusters, strata)
        sizes = [population[level] if isinstance(population, Mapping) else population for level in levels]
        return SamplingUnits(self.n, clusters, strata, np.array(sizes, dtype=float))

    @property
    def relative_weights(self) -> Array:
        """The part of the whole that each person stands for; they add up to 1."""
        return np.full(self.n, 1 / self.n) if self.weights is None else self.weights / self.weights.sum()

    def remarks(self, *, finite: bool = True) -> list[str]:
        """What there is to say of the sample beside every result: its size, its design, and who was left out.

        Without `finite` the result takes people as drawn from very many, whatever the population.
        """
        names = ", ".join(dict.fromkeys(wave.mechanism.name for wave in self.waves))
        remarks = [f"{self.n:,} reports of {names}"]
        if len(self.waves) > 1 and self.clusters is None:
            remarks.append(
                f"those of {len(self.waves)} waves are taken to be of different people; clusters= says who is one"
            )
        if self.insecure:
            remarks.append(INSECURE_REMARK)
        if self.design:
            remarks.append(f"errors allow for {' and '.join(self.design)}")
        if self.part_of is not None:
            remarks.append(f"these are a part of {self.part_of[0].n:,} people, whose design their errors keep")
        if self.population is not None and finite:
            by = f" in {len(self.population)} strata" if isinstance(self.population, Mapping) else ""
            size = sum(self.population.values()) if isinstance(self.population, Mapping) else self.population
            remarks.append(f"drawn from {size:,} people{by}: only the error of drawing them shrinks for that")
        if self.left_out:
            remarks.append(f"{self.left_out:,} people who lack a label are left out")
        if self.population is not None and not finite:
            remarks.append("errors are those of a sample from many more people: the population is not used here")
        return remarks

    # -- parts of it -------------------------------------------------------------------------------
    def __add__(self, other: Survey) -> Survey:
        if not isinstance(other, Survey):
            return NotImplemented
        if list(other.values) != list(self.values):
            raise InvalidInput("surveys must be over the same values, in the same order")
        if set(other.labels) != set(self.labels):
            raise InvalidInput(f"surveys must have the same labels: {sorted(self.labels)} and {sorted(other.labels)}")
        for name in ("population", "weights", "clusters", "strata"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise InvalidInput(f"{name} must be given for both surveys or for neither")
        whole = None
        if self.part_of is not None or other.part_of is not None:
            (first, chosen), (second, others) = (one.part_of or (one, np.ones(one.n, bool)) for one in (self, other))
            whole = first + second, np.concatenate([chosen, others])
        population = joint_population(self, other) if whole is None else whole[0].population
        return self._of(
            waves=(*self.waves, *other.waves),
            labels={name: concatenate([column, other.labels[name]]) for name, column in self.labels.items()},
            **self._design_columns(lambda name, column: concatenate([column, getattr(other, name)])),
            population=population,
            index=None if self.index is None or other.index is None else self.index.append(other.index),
            left_out=self.left_out + other.left_out,
            insecure=self.insecure or other.insecure,
            part_of=whole,
        )

    def _design_columns(self, change: Callable[[str, NDArray[Any]], NDArray[Any]]) -> dict[str, Any]:
        """Weights, clusters and strata, each changed where it is there."""
        nothing = dict.fromkeys(("weights", "clusters", "strata"))
        return nothing | {name: change(name, getattr(self, name)) for name in self.design}

    def only(self, rows: Any) -> Survey:
        """The reports of these rows: a column of True and False, or the numbers of rows.

        Where the survey has weights, clusters or strata, the part keeps the way in which all people were drawn: errors
        are those of a domain, to which clusters and people outside count as drawn, with a weight of 0, as `subset` of
        a design has them in R's survey, and the population of every stratum stays known. Without any of these it is
        a sample of its own, of a population that is not known.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
        >>> survey = dc.Survey(mechanism, [0, 1, 1, 0, 1, 1], clusters=["a", "a", "b", "b", "c", "c"])
        >>> part = survey.only([0, 2, 3])
        >>> part.n, len(part.units), part.units.sizes.tolist()
        (3, 2, [3])
        """
        chosen = np.zeros(self.n, dtype=bool)
        try:
            numbers = np.asarray(rows)
            chosen[numbers] = True
        except (IndexError, ValueError, TypeError):
            raise InvalidInput(f"rows must be True or False for each of {self.n} reports, or numbers of rows") from None
        if numbers.dtype == bool:
            check_aligned({"the survey": self, "rows": rows})
        waves = [
            wave if inside.all() else Wave(wave.mechanism, wave.reports[inside])
            for wave, inside in self.by_wave(chosen)
            if inside.any() or len(self.waves) == 1
        ]
        return self._of(
            waves=tuple(waves) or (Wave(self.waves[0].mechanism, self.waves[0].reports[:0]),),
            labels={name: column[chosen] for name, column in self.labels.items()},
            **self._design_columns(lambda name, column: column[chosen]),
            population=self.population if self.design else None,
            index=None if self.index is None else self.index[chosen],
            left_out=0,
            insecure=self.insecure,
            part_of=self._domain(chosen) if self.design else None,
        )

    def _domain(self, chosen: NDArray[np.bool_]) -> tuple[Survey, NDArray[np.bool_]]:
        """The whole sample, and who of it these people of the survey are."""
        if self.part_of is None:
            return self, chosen
        whole, mine = self.part_of
        everyone = np.zeros(whole.n, dtype=bool)
        everyone[np.nonzero(mine)[0][chosen]] = True
        return whole, everyone

    def by_wave(self, column: NDArray[Any]) -> Iterable[tuple[Wave, NDArray[Any]]]:
        """Every wave with its part of a column."""
        ends = np.cumsum([len(wave.reports) for wave in self.waves])
        return zip(self.waves, np.split(column, ends[:-1]), strict=True)

    def tallies(self, *labels: str) -> GroupTallies:
        """A tally for each label or combination of labels, which tells nothing of clusters and strata.

        `Unavailable` where people have weights.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
        >>> survey = dc.Survey(mechanism, [0, 1, 1, 0, 1], labels={"town": ["lima", "oslo", "lima", "lima", "oslo"]})
        >>> {town: tally.n for town, tally in survey.tallies("town").items()}
        {'lima': 3, 'oslo': 2}
        """
        from ...bulk.labelled.tallies import counts_by_label, of_counts

        if not labels:
            raise InvalidInput("tallies() must name at least one label")
        self._check_unweighted("tallies")
        reports = np.concatenate([wave.reports for wave in self.waves])
        coded = [Labels(objects(levels), codes) for levels, codes in map(codes_of, map(self.label, labels))]
        counts = counts_by_label(self.mechanism, reports, coded)
        return of_counts(self.mechanism, labels, counts, insecure=self.insecure)

    # -- estimates -----------------------------------------------------------------------------------
    def shares(self) -> Means:
        """The share of every value among all people, with errors that allow for weights, clusters and strata."""
        return self._means((), None)

    def query(self, query: Any) -> Means:
        """The sum of the shares weighted by `query`, as in `Estimate.query`: an event, scores, or "mean"."""
        return self._means((), query)

    def by(self, *labels: str | Sequence[str], query: Any = None, question: int | None = None) -> Means:
        """The share of every value, or a query, among the people of each label or combination of labels.

        Labels are named one by one or in a list, and `query` and `question` are as for `compare`.

        >>> import discreet as dc
        >>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="2"))
        >>> reports = mechanism.randomize_many(["yes", "no", "no", "no"] * 500, dc.random.seeded(1))
        >>> towns = dc.Survey(mechanism, reports, labels={"town": ["lima", "oslo"] * 1000}).by("town", query={"yes": 1})
        >>> towns.groups, towns.estimate.round(2).tolist()
        ([('lima',), ('oslo',)], [[0.51], [-0.0]])
        """
        names = names_of("by", labels[0] if len(labels) == 1 else labels)
        if not names:
            raise InvalidInput("by() must name at least one label")
        return self._means(names, query, question)

    def _means(self, labels: tuple[str, ...], query: Any, question: int | None = None) -> Means:
        from ..groups.means import means_of

        return means_of(self, labels, query, question)

    # -- what everything else is made from -----------------------------------------------------------
    def scores(self, query: Any, *, calibrated: bool = True) -> Array:
        """The score of every report, ``w . phi(y)``, whose mean is the weight of the value that the person holds.

        `query` gives each value its weight, as in `Estimate.query`. The scores are calibrated at even shares, so that
        no number of theirs depends on another person's report.
        """
        w = weights_of(self.values, query, name="query")
        at = np.full(len(w), 1 / len(w)) if calibrated else None
        parts = [wave.mechanism.score(wave.reports, w, shares=at) for wave in self.waves]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def covariance_of_sum(self, terms: Array) -> Array:
        """The covariance of the sum of one row of terms a person, by the way people were drawn."""
        return self.units.covariance(terms)

    def by_distinct_report(self, rows_of: Callable[[Mechanism, NDArray[Any]], Array]) -> tuple[Array, Codes]:
        """A row of numbers for every different report, by this function of them, and the row of each person."""
        tables, numbers, start = [], [], 0
        for wave in self.waves:
            different, own = wave.distinct
            tables.append(rows_of(wave.mechanism, different))
            numbers.append(own + start)
            start += len(different)
        return np.concatenate(tables), np.concatenate(numbers)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(wave.mechanism.name for wave in self.waves))
        labels = f", labels {', '.join(self.labels)}" if self.labels else ""
        return f"<Survey of {self.n:,} reports of {names}{labels}>"


def _by_name(labels: Any) -> Mapping[str, Any]:
    if labels is None:
        return {}
    columns = by_name("labels", labels)
    for name in columns:
        check_type("labels: a name", name, str, "text")
    return columns


def _numbers(mechanism: Mechanism, reports: Any) -> Any:
    """Reports as numbers, where they are the words that a mechanism by hand has for them."""
    if not mechanism.report_names or getattr(getattr(reports, "dtype", None), "kind", "O") in "iu":
        return reports
    if isinstance(reports, (str, bytes, Mapping)) or not isinstance(reports, Iterable):
        return reports
    listed = list(reports)
    return mechanism.reports_of(listed) if any(isinstance(report, str) for report in listed) else listed
