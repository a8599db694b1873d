from itertools import product

import pytest

from discreet.mechanisms.finite_geometry.finite_fields import Field, QuotientRing, cyclic_polynomial

ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 32, 49]


@pytest.mark.parametrize("q", ORDERS)
def test_labels_form_a_field(q: int) -> None:
    field = Field(q)
    labels = [0, *field.nonzero]
    assert len(set(labels)) == q
    sample = labels[:7]
    for a in labels:
        assert field.add(a, 0) == a
        assert field.multiply(a, 1) == a
        assert sorted(field.add(a, b) for b in labels) == sorted(labels)
        if a:
            assert sorted(field.multiply(a, b) for b in labels) == sorted(labels)
    for a, b, c in product(sample, repeat=3):
        assert field.multiply(a, b) == field.multiply(b, a)
        assert field.add(field.add(a, b), c) == field.add(a, field.add(b, c))
        assert field.multiply(field.multiply(a, b), c) == field.multiply(a, field.multiply(b, c))
        assert field.multiply(a, field.add(b, c)) == field.add(field.multiply(a, b), field.multiply(a, c))


@pytest.mark.parametrize("q", ORDERS)
def test_byte_tables_agree_with_the_operations(q: int) -> None:
    field = Field(q)
    labels = [0, *field.nonzero]
    assert max(labels) < 256
    for a, b in product(labels, repeat=2):
        total = a ^ b if field.characteristic == 2 else a + b
        assert field.reduction[total] == field.add(a, b)
        assert field.scaling(a)[b] == field.multiply(a, b)


@pytest.mark.parametrize("q", ORDERS)
def test_powers_of_the_generator_are_the_nonzero_elements(q: int) -> None:
    field = Field(q)
    assert sorted(field.powers_of_generator(q - 1)) == sorted(field.nonzero)


@pytest.mark.parametrize(("q", "t"), [(2, 4), (2, 8), (3, 4), (4, 3), (5, 3), (8, 3), (9, 3), (27, 3)])
def test_powers_of_x_meet_every_projective_point_once(q: int, t: int) -> None:
    ring = cyclic_polynomial(q, t)
    power, points = [1] + [0] * (t - 1), set()
    for _ in range((q**t - 1) // (q - 1)):
        multiples = [tuple(ring.field.multiply(c, a) for a in power) for c in ring.field.nonzero]
        points.add(min(multiples))
        power = ring.times_x(power)
    assert len(points) == (q**t - 1) // (q - 1)
    assert not any(power[1:])


@pytest.mark.parametrize(
    ("q", "t", "terms"),
    [
        (2, 4, ((1, 1), (2, 1), (3, 1), (0, 1))),  # irreducible, but x has order 5 and not 15
        (2, 4, ((2, 1), (0, 1))),  # a square
        (3, 2, ((1, 0), (0, 1))),  # x**2 = 1
        (7, 3, ((1, 0), (0, 2))),  # irreducible, x**3 is a scalar
    ],
)
def test_a_polynomial_whose_root_falls_short_is_refused(q: int, t: int, terms: tuple[tuple[int, int], ...]) -> None:
    assert not QuotientRing(Field(q), t, terms).x_reaches_every_point()


@pytest.mark.parametrize(("q", "t"), [(2, 9), (3, 5), (8, 4), (9, 4), (131, 3)])
def test_multiplication_squaring_and_powers_agree(q: int, t: int) -> None:
    ring = cyclic_polynomial(q, t)
    power, powers = [1] + [0] * (t - 1), []
    for _ in range(60):
        powers.append(power)
        power = ring.times_x(power)
    for i in range(30):
        assert ring.power_of_x(i) == powers[i]
        assert ring.square(powers[i]) == powers[2 * i]
        assert ring.multiply(powers[i], powers[29]) == powers[i + 29]
