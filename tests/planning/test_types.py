"""The best types: figures with their proofs, rounded to certified laws."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.core.errors import BeyondLimits, NotServed, PrivacyViolation
from discreet.core.limits import Limits, metering
from discreet.estimation.decoders import decoder_of
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.tables.table import Table
from discreet.planning.classwise import certified_types, classes_of
from discreet.planning.optimize.type_options import Classes
from discreet.planning.optimize.types import best_types


def classes(sizes, across, inside=None, masses=None):
    across = [Fraction(str(epsilon)) for epsilon in across]
    inside = across if inside is None else [Fraction(str(epsilon)) for epsilon in inside]
    own = tuple(a if size == 1 else b for size, a, b in zip(sizes, across, inside, strict=True))
    of = tuple(c for c, size in enumerate(sizes) for _ in range(size))
    return Classes(of, own, tuple(across), np.array(sizes) / len(of) if masses is None else np.array(masses))


def types_error(design):
    """n times the exact expected squared error of the certified types, for values that are even inside each class."""
    even = design.classes.even
    return float(np.sum(decoder_of(certified_types(design)).second_moments(even)) - np.sum(even**2))


@pytest.mark.parametrize(
    ("sizes", "across", "inside", "error"),
    [
        ((3, 9), (1, 3), None, 8.826),
        ((5, 15), (1, 4), None, 13.044),
        ((10, 90), (1, 4), None, 37.13),
        ((50, 950), (1, 4), None, 257.05),
        ((20, 30, 50), (1, 2, 3), None, 101.99),
        ((5, 10, 35, 50), (0.5, 1, 2, 4), None, 132.81),
        ((10, 100, 190), (0.2, 1, 5), None, 1477.7),
        ((2, 3, 5, 8), (2,) * 4, (0.5,) * 4, 114.98),
        ((1, 2, 4, 9, 20), (3,) * 5, (1,) * 5, 60.91),
    ],
)
def test_the_error_is_proved_the_least_and_that_of_the_certified_law(sizes, across, inside, error):
    design = best_types(classes(sizes, across, inside), bits=None)
    reached = types_error(design)
    assert design.bound * (1 - 1e-9) <= reached <= design.bound * (1 + 1e-5)
    assert reached <= error + 0.005
    assert reached >= 0.999 * error


def test_too_many_types_to_list_are_searched_without_a_proof():
    design = best_types(classes((5, 10, 20, 40, 80), (3,) * 5, (1,) * 5), bits=None)
    assert design.bound is None
    assert types_error(design) <= 281.66


@pytest.mark.parametrize(("bits", "within"), [(64, 1.01), (24, 1.04), (12, 1.2)])
def test_reports_fit_their_bits_at_little_cost(bits, within):
    asked = classes((10, 90), (1, 4))
    design = best_types(asked, bits=bits)
    assert certified_types(design).bits <= bits
    assert design.bound is None
    assert types_error(best_types(asked, bits=None)) < types_error(design) < within * 37.1277


def test_equal_blocks_reach_the_closed_form_of_nested_contexts():
    """h, d_high and d_low scanned: 5 blocks of 5 at 1 and 3 have 22.760."""
    assert types_error(best_types(classes((5,) * 5, (3,) * 5, (1,) * 5), bits=None)) == pytest.approx(22.760, abs=2e-3)


def test_a_design_for_a_prior_has_less_error_there():
    at = [0.05, 0.95]
    made, plain = (best_types(classes((5, 15), (1, 4), masses=masses), bits=None) for masses in (at, None))
    shares = np.repeat(np.array(at) / [5, 15], [5, 15])
    moments = [np.sum(decoder_of(certified_types(one)).second_moments(shares)) for one in (made, plain)]
    assert moments[0] < moments[1]
    assert made.bound == pytest.approx(moments[0] - np.sum(shares**2), rel=1e-5)


def test_the_written_out_channel_satisfies_the_context_and_has_the_stated_error():
    context = dc.Context.uniform(range(7), "2") & dc.Context.high_low(range(7), [0, 3, 5], "1")
    design = best_types(classes_of(context, np.full(7, 1 / 7)), bits=None)
    mechanism = Mechanism(context, certified_types(design))
    rows = mechanism.channel()
    dc.verify(rows, context=context)
    written = Table.of_fractions(rows)
    even = np.full(7, 1 / 7)
    assert np.sum(decoder_of(written).second_moments(even)) - 1 / 7 == pytest.approx(types_error(design), rel=1e-6)
    assert float(mechanism.certificate.gap) < 1e-9
    with pytest.raises(PrivacyViolation):  # the control: nobody promised less
        Mechanism(context & dc.Context.high_low(range(7), [0], "0.999999"), certified_types(design))


def test_extreme_epsilons_and_masses_are_served_or_refused_in_one_line():
    design = best_types(classes((2, 2, 2), (0.006, 7.665, 0.015), masses=(0.9968, 0.0032, 0)), bits=32)
    assert design.bound is None  # the masses compared are not quite these
    assert types_error(design) < 132_000
    with pytest.raises(NotServed, match="fits"):
        best_types(classes((900, 900), (1, 2)), bits=12)
    with metering(Limits(work=1000)), pytest.raises(BeyondLimits, match="types of 2 classes"):
        best_types(classes((50, 950), (1, 4)), bits=None)
