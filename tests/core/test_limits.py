"""Laws of the limits: what a document may ask for, and how its owner may ask for more."""

import pytest

import discreet as dc
from discreet import limits
from discreet.core.errors import BeyondLimits, InvalidInput
from discreet.wire import Spec

LARGE = {"domain": {"size": 1 << 21}, "context": {"form": "uniform", "epsilon": 1}, "mechanism": {"name": "hadamard"}}
POINTS = {"form": "metric", "epsilon": 1, "points": [[x] for x in range(500)]}


def test_a_document_beyond_a_limit_is_refused_with_the_way_to_raise_it():
    with pytest.raises(BeyondLimits, match=r"^domain\.size: values=2097152 is beyond the limit of 1048576") as refused:
        Spec.of(LARGE)
    assert "limits.raised(values=...)" in str(refused.value)


def test_its_owner_can_raise_a_limit_for_what_is_read_inside_the_block():
    with limits.raised(values=1 << 21):
        spec = Spec.of(LARGE)
    assert spec.limits == limits.Limits(values=1 << 21)
    assert spec.mechanism.context.size == 1 << 21  # made later, under the limits it was read under
    with pytest.raises(BeyondLimits):
        Spec.of(LARGE)


def test_limits_that_are_raised_inside_each_other_add_up():
    with limits.raised(values=1 << 21), limits.raised(work=5):
        assert limits.allowed() == limits.Limits(values=1 << 21, work=5)
    assert limits.allowed() == limits.Limits()


def test_a_spec_is_read_but_its_mechanism_not_made_beyond_the_limit_on_work():
    document = {"domain": {"size": 500}, "context": {**POINTS, "points": [[0]] * 500}}
    with pytest.raises(BeyondLimits, match="500 points: work="):
        Spec.of(document)
    spec = Spec.of(
        {
            "domain": {"size": 6},
            "context": {"form": "uniform", "epsilon": 1},
            "mechanism": {"name": "projective", "family": "paley", "key": [4294967291]},
        }
    )
    with pytest.raises(BeyondLimits, match="a difference set in Z_4294967291: work="):
        _ = spec.mechanism


def test_work_adds_up_over_one_document_and_starts_anew_with_the_next():
    for _ in range(2):
        with limits.metering(limits.Limits(work=10)):
            limits.spend(6, "this")
            with pytest.raises(BeyondLimits, match="that: work=12 is beyond the limit of 10"):
                limits.spend(6, "that")


def test_what_a_program_asks_for_itself_is_not_limited():
    limits.spend(1 << 62, "anything")
    limits.check("values", 1 << 62, "anything")
    assert dc.mechanism(dc.Context.uniform(range(10**7), 1), "hadamard").context.size == 10**7


def test_a_spec_of_a_mechanism_that_is_there_is_not_limited_either():
    mechanism = dc.mechanism(dc.Context.uniform(range(1 << 21), 1), "hadamard")
    assert Spec.of_mechanism(mechanism).mechanism.fingerprint == mechanism.fingerprint


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"size": 5}, "limit 'size' must be one of bytes, values, report_bits, work"),
        ({"values": 0}, "limit values=0 must be a positive whole number"),
        ({"values": "5"}, "limit values='5' must be"),
        ({"values": True}, "limit values=True must be"),
    ],
)
def test_a_limit_must_have_a_name_and_a_number(named, message):
    with pytest.raises(InvalidInput, match=message), limits.raised(**named):
        pass


def test_every_limit_can_be_exceeded_and_raised():
    """The control: each of them is used by some reader."""
    wide = {"domain": {"size": 70_000}, "context": {"form": "uniform", "epsilon": 1}, "mechanism": {"name": "unary"}}
    asked = {"values": LARGE, "report_bits": wide, "work": {"domain": {"size": 500}, "context": POINTS}}
    for name, document in asked.items():
        with pytest.raises(BeyondLimits, match=f"{name}="):
            _ = Spec.of(document).mechanism.name
        with limits.raised(**{name: 1 << 40}):
            assert Spec.of(document).context.size == document["domain"]["size"]
    with pytest.raises(BeyondLimits, match="survey: bytes=2 is beyond the limit of 1"), limits.raised(bytes=1):
        limits.check_bytes(2, "survey")
