"""Contexts of many blocks, epsilons and points: the client takes what Python makes, and finds a single lie in it."""

import json
import random

import pytest

import discreet as dc
from discreet import Context
from discreet.core.errors import DiscreetError
from discreet.core.exact import epsilon_of, text_of
from discreet.mechanisms.law import plain_law
from discreet.mechanisms.uniform.graded_unary import GradedUnary
from discreet.wire import parse_law

from .lies import data_of, number
from .lies import text_of as written

REFUSED = "law: This collection is refused: "
WORK = f"{REFUSED}it takes too much work to check."


def nested(outer, inner, each, epsilon):
    """Values in blocks inside blocks, all of equal sizes."""
    blocks = {o: {i: [f"{o}.{i}.{v}" for v in range(each)] for i in range(inner)} for o in range(outer)}
    return Context.nested(blocks, epsilon)


def with_law(data, **entries):
    return {**data, "law": {**data["law"], **entries}}


def with_context(data, **entries):
    return {**data, "context": {**data["context"], **entries}}


def swapped(column, x, z):
    """A list with two entries exchanged."""
    found = list(column)
    found[x], found[z] = found[z], found[x]
    return found


def raised(units, at, share=1 << 30):
    """Numbers of a law, one of which is larger, or smaller, by a small share of itself."""
    found = [int(unit) for unit in units]
    found[at] += found[at] // share
    return [number(unit) for unit in found]


def of_blocks():
    flat = Context.nested({b: [f"{b}.{v}" for v in range(5)] for b in range(8_750)}, ["1", "3"])
    two = data_of(dc.mechanism(flat, "nested"))
    (column,) = two["context"]["block_of"]
    yield "43,750 values in 8,750 blocks", two, "3"
    yield "a block shown a billionth less", with_law(two, units=raised(two["law"]["units"], 6_543, -(1 << 30))), None
    yield "two values in each other's blocks", with_context(two, block_of=[swapped(column, 4, 21_234)]), None
    yield "blocks nearer to each other", with_context(two, epsilons=["1", "2.999999"]), None
    yield "values nearer to each other", with_context(two, epsilons=["0.999999", "3"]), None

    tree = data_of(dc.mechanism(nested(60, 50, 4, ["0.5", "1", "3"]), "nested"))
    columns = tree["context"]["block_of"]
    yield "3,000 blocks in 60", tree, "3"
    strangers = [swapped(column, 3, 11_999) for column in columns]
    yield "two values in each other's cities", with_context(tree, block_of=strangers), None
    yield "inner blocks nearer to each other", with_context(tree, epsilons=["0.5", "0.999999", "3"]), None
    yield "outer blocks nearer to each other", with_context(tree, epsilons=["0.5", "1", "2.999999"]), None

    levels = data_of(dc.mechanism(nested(50, 50, 8, ["0.5", "1", "3"]), "levels"))
    yield "marks in 2,500 blocks", levels, "3"
    strangers = [swapped(column, 3, 11_999) for column in levels["context"]["block_of"]]
    yield "two marked values in each other's cities", with_context(levels, block_of=strangers), None
    yield "marks that say too much of outer blocks", with_context(levels, epsilons=["0.5", "1", "2.99"]), None

    alike = data_of(dc.mechanism(nested(60, 50, 4, ["0.5", "1", "inf"]), "hadamard"))
    yield "60 blocks that show, of 50 each", alike, "1 and shows"
    yield "60 blocks that must not show", with_context(alike, epsilons=["0.5", "1", "4"]), None


def of_grades():
    grades = [f"1.{10_000 + 2 * i}1" for i in range(4_000)]
    random.Random(1).shuffle(grades)
    context = Context.graded({f"v{i}": grade for i, grade in enumerate(grades)})
    unary = GradedUnary([epsilon_of(grade) for grade in grades], prior=[1 / 4_000] * 4_000)
    bits = {**json.loads(f"{{{context.published}}}"), "law": plain_law(unary.law), "version": 2}
    yield "bits of 4,000 grades", bits, "1.179981"
    lower = [*grades[:3_000], text_of(epsilon_of(grades[3_000]) - epsilon_of("0.000001")), *grades[3_001:]]
    yield "a grade stricter than its bits", with_context(bits, epsilons=lower), None
    yield "a bit on a billionth more", with_law(bits, own=raised(bits["law"]["own"], 2_345)), None

    epsilons = [text_of(epsilon_of(f"1.{129_999 - i}")) for i in range(30_000)]
    alike = data_of(dc.mechanism(Context.graded(dict(enumerate(epsilons))), "randomized_response"))
    yield "30,000 epsilons", alike, "1.129999"
    yield "one epsilon of 30,000 too small", with_context(alike, epsilons=[*epsilons[:-1], "1.099999"]), None
    shown = ["inf" if x % 3 else epsilon for x, epsilon in enumerate(epsilons)]
    some = data_of(dc.mechanism(Context.graded(dict(enumerate(shown))), "hadamard"))
    yield "10,000 epsilons, and values that show", some, "1.129999 and shows"
    yield "a value that shows and must not", with_context(some, epsilons=["1.2", "1.2", *shown[2:]]), None


def decimal(thousandths):
    return text_of(epsilon_of(f"{thousandths}/1000"))


def of_points():
    rng = random.Random(2)
    places = sorted({(rng.randrange(10**7), rng.randrange(10**7)) for _ in range(5_000)})
    least = 10**7
    for i, (a, b) in enumerate(places):
        for c, d in places[i + 1 : i + 200]:
            if c - a >= least:
                break
            least = min(least, c - a + abs(d - b))
    law = data_of(dc.mechanism(Context.uniform(range(len(places)), f"{least}/100000"), "hadamard"))["law"]
    points = [[decimal(c) for c in place] for place in places]
    rng.shuffle(points)
    context = {"epsilon": "0.01", "form": "metric", "norm": "l1", "points": points}
    data = {"context": context, "domain": {"size": len(points)}, "law": law, "version": 2}
    widths = [max(column) - min(column) for column in zip(*places, strict=True)]
    yield "5,000 points off a grid", data, text_of(epsilon_of(f"{sum(widths)}/100000"))
    yield "points a little nearer than the law keeps", with_context(data, epsilon="0.0099999"), None
    yield "two points at one place", with_context(data, points=[points[1], *points[1:]]), None
    upright = [["0.5", decimal(2 * least * i + rng.randrange(least))] for i in range(len(points))]
    yield "points above each other", with_context(data, points=upright), WORK


LAWS = {name: (written(data), said) for made in (of_blocks, of_grades, of_points) for name, data, said in made()}
SLOW = {"bits", "bit", "grade", "points"}
"""What takes Python long, or more than documents may ask for."""


@pytest.fixture(scope="module")
def verdicts(node, tmp_path_factory):
    """What the client says of every law."""
    path = tmp_path_factory.mktemp("laws") / "laws.json"
    path.write_text(json.dumps({name: {"law": law, "fingerprint": None} for name, (law, _) in LAWS.items()}))
    return node.json("tests/verdicts.mjs", path)


@pytest.mark.parametrize("name", [name for name, (_, said) in LAWS.items() if said not in (None, WORK)])
def test_an_honest_law_is_accepted_with_its_epsilon(name, verdicts):
    assert verdicts[name] == f"accepted {LAWS[name][1]}"


@pytest.mark.parametrize("name", [name for name, (_, said) in LAWS.items() if said is None])
def test_a_lie_is_refused_for_what_it_tells(name, verdicts):
    assert verdicts[name].startswith(f"{REFUSED}a report would tell "), verdicts[name]


@pytest.mark.parametrize("name", [name for name, (_, said) in LAWS.items() if said == WORK])
def test_what_takes_too_much_work_is_refused_for_that(name, verdicts):
    assert verdicts[name] == WORK


@pytest.mark.parametrize("name", [name for name in LAWS if not SLOW & set(name.split())])
def test_python_says_the_same(name):
    law, said = LAWS[name]
    if said is None:
        with pytest.raises(DiscreetError):
            parse_law(law)
    else:
        assert text_of(parse_law(law).context.largest) == said.split()[0]
