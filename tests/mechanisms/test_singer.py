import pytest

from discreet.core.errors import InvalidInput
from discreet.mechanisms.finite_geometry import singer
from discreet.mechanisms.finite_geometry.finite_fields import cyclic_polynomial


def by_definition(q: int, t: int) -> list[int]:
    ring = cyclic_polynomial(q, t)
    power, zeros = [1] + [0] * (t - 1), []
    for n in range((q**t - 1) // (q - 1)):
        if power[-1] == 0:
            zeros.append(n)
        power = ring.times_x(power)
    return zeros


PLANES = [(q, 3) for q in (2, 11, 16, 25, 27, 32, 49, 64, 127, 128, 131)]
SPACES = [(2, 8), (2, 11), (3, 7), (4, 5), (5, 6), (7, 4), (8, 4), (9, 4)]


@pytest.mark.parametrize(("q", "t"), PLANES + SPACES)
def test_the_elements_are_the_exponents_in_the_hyperplane(q: int, t: int) -> None:
    assert list(singer.elements(q, t)) == by_definition(q, t)


@pytest.mark.parametrize("q", [3, 5, 7, 13, 31, 101])
def test_listing_lines_gives_the_same_planar_set(q: int) -> None:
    ring = cyclic_polynomial(q, 3)
    assert tuple(sorted(singer._by_lines(ring, q * q + q + 1))) == singer.elements(q, 3)


@pytest.mark.parametrize("q", [3, 5, 7, 13, 31])
def test_columns_over_the_subfield_give_the_same_set(q: int) -> None:
    ring = cyclic_polynomial(q, 4)
    assert tuple(sorted(singer._by_subfield(ring, (q**4 - 1) // (q - 1)))) == singer.elements(q, 4)


@pytest.mark.parametrize(("q", "t"), [(2, 8), (3, 6), (4, 5), (9, 3)])
def test_one_changed_term_of_the_sequence_is_refused(q: int, t: int) -> None:
    ring = cyclic_polynomial(q, t)
    terms = singer._sequence(ring, (q**t - 1) // (q - 1))
    singer._check_recurrence(ring, bytes(terms))
    for place in (0, t - 1, t, len(terms) // 2, len(terms) - 1):
        changed = bytearray(terms)
        changed[place] = 1 if terms[place] == 0 else 0
        with pytest.raises(InvalidInput, match="recurrence"):
            singer._check_recurrence(ring, bytes(changed))


@pytest.mark.parametrize(("q", "t"), [(131, 3), (13, 4)])
def test_one_element_outside_the_hyperplane_is_refused(q: int, t: int) -> None:
    ring, v, found = cyclic_polynomial(q, t), (q**t - 1) // (q - 1), list(singer.elements(q, t))
    singer._check_zeros(ring, v, tuple(found))
    found[len(found) // 2] += 1 if found[len(found) // 2] + 1 not in found else 2
    with pytest.raises(InvalidInput, match="must be a zero"):
        singer._check_zeros(ring, v, tuple(found))
