"""Laws of marks: what a report marks, where a place stands among it, and how far its chance may move."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.core.arithmetic import INTEGERS
from discreet.core.errors import InvalidInput, InvalidReport
from discreet.estimation.arrays.arithmetic import ARRAYS
from discreet.estimation.decoders.tree_subsets import places_of
from discreet.mechanisms.composed.even_cover import EvenCover
from discreet.mechanisms.tree.subset_encoding import subset_encoding_of
from discreet.mechanisms.uniform.cyclic import Projective
from discreet.mechanisms.uniform.cyclotomic import Cyclotomic
from discreet.mechanisms.uniform.hadamard import Hadamard
from discreet.mechanisms.uniform.randomized_response import RandomizedResponse
from discreet.mechanisms.uniform.subset import Subset

ONE = Fraction(1)
INNER = {
    "set": Subset(5, ONE, d=2),
    "wide set": Subset(70, ONE, d=3),
    "response": RandomizedResponse(4, ONE),
    "projective": Projective(5, ONE, family="singer", key=(2, 3)),
    "cyclotomic": Cyclotomic(6, ONE, p=7, d=2),
}


@pytest.fixture(params=INNER.values(), ids=INNER)
def encoding(request):
    return subset_encoding_of(request.param, "levels")


def some(encoding):
    return [sum(1 << c for c in (3, 64, 69))] if encoding.places == 70 else list(encoding.inner.reports())


def in_array(encoding, reports):
    if encoding.places <= 64:
        return np.array(reports, dtype=np.uint64)
    return np.array([[y & (1 << 64) - 1, y >> 64] for y in reports], dtype=np.uint64)


def test_every_report_marks_as_many_places_and_says_where_each_stands(encoding):
    reports = some(encoding)
    wide = in_array(encoding, reports)
    for place in range(encoding.places):
        flags, ranks = encoding.standing(wide, np.full(len(reports), place, dtype=np.uint64), ARRAYS)
        for y, flag, rank in zip(reports, flags, ranks, strict=True):
            marked = encoding.marked(y)
            assert len(marked) == encoding.members
            assert encoding.standing(y, place, INTEGERS) == (place in marked, sum(c < place for c in marked))
            assert (flag, rank) == (place in marked, sum(c < place for c in marked))


def test_places_are_what_reports_mark_and_what_they_do_not(encoding):
    reports = some(encoding)
    wide = in_array(encoding, reports)
    others = [[c for c in range(encoding.places) if c not in encoding.marked(y)] for y in reports]
    assert places_of(encoding, wide, marked=True).tolist() == [encoding.marked(y) for y in reports]
    assert places_of(encoding, wide, marked=False).tolist() == others


def test_reports_mark_what_they_support(encoding):
    for y in some(encoding):
        for x in range(min(encoding.inner.size, 6)):
            own = encoding.inner.probability(x, y) if encoding.places < 70 else None
            if own is not None:
                high = float(own) > float(encoding.cover.probability(y))
                assert high == (x in encoding.marked(y))


@pytest.mark.parametrize("name", ["set", "response", "projective", "cyclotomic"])
def test_the_swing_bounds_every_chance(name):
    encoding = subset_encoding_of(INNER[name], "levels")
    inner, bounds = INNER[name], encoding.bounds
    for y in inner.reports():
        marked, blank = set(encoding.marked(y)), EvenCover(inner).probability(y)
        for x in range(inner.size):
            own, mark = inner.probability(x, y), int(x in marked)
            assert own / blank <= bounds.above[mark] <= own / blank * (1 + Fraction(1, 10**9))
            assert blank / own <= bounds.below[mark] <= blank / own * (1 + Fraction(1, 10**9))
            for z in range(inner.size):
                if x != z:
                    assert own / inner.probability(z, y) <= bounds.between(mark, int(z in marked))


def test_the_chance_of_both_is_that_of_the_channel():
    for inner in (INNER["set"], INNER["response"], INNER["projective"], INNER["cyclotomic"]):
        encoding = subset_encoding_of(inner, "levels")
        both = sum(inner.probability(0, y) for y in inner.reports() if {0, 1} <= set(encoding.marked(y)))
        assert float(both) == pytest.approx(encoding.both, abs=1e-12)


def test_what_marks_no_places_is_refused():
    for inner in (Hadamard(4, ONE), RandomizedResponse(1, ONE)):
        with pytest.raises(InvalidInput, match="of sets or of cycles"):
            subset_encoding_of(inner, "levels")


def test_places_of_reports_that_cannot_occur_are_refused():
    with pytest.raises(InvalidReport, match="exactly 2"):
        places_of(subset_encoding_of(INNER["set"], "levels"), np.array([7], dtype=np.uint64), marked=True)
    with pytest.raises(InvalidReport, match="below 2"):
        places_of(subset_encoding_of(INNER["set"], "levels"), np.array([33], dtype=np.uint64), marked=True)
    with pytest.raises(InvalidReport, match="from 0 to 3"):
        places_of(subset_encoding_of(INNER["response"], "levels"), np.array([4], dtype=np.uint64), marked=True)
