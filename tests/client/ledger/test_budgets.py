"""Budgets that are contexts: what they count, what they refuse, and how a journal keeps them."""

import json
from fractions import Fraction

import pytest

import discreet as dc
from discreet.bulk.words import secure
from discreet.client.ledger import Budget, Cap, Debit, Terms
from discreet.client.ledger.account import Account, KnownTerms, context_of, describe_context
from discreet.client.ledger.journal import START, line, lines_of
from discreet.core.errors import DamagedLedger, InvalidInput, Overspent

VALUES = ["none", "cold", "hiv"]
HERE = "https://a.example/"


def survey(context, name="randomized_response"):
    return dc.mechanism(context, name)


HIGH_LOW = dc.Context.high_low(VALUES, ["hiv"], 1)
UNIFORM = dc.Context.uniform(VALUES, "1/2")
BUDGET = dc.Context.graded({"none": "inf", "cold": "inf", "hiv": "3/2"})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def answer(ledger, context, question, value="hiv", **more):
    return ledger.randomize(survey(context), value, secure(), question=question, **more)


def without_terms(ledger):
    """Write a ledger as those were that kept the context of a law only where a budget counted it."""
    ledger.path.write_bytes(b"".join(lines_of(entry for entry in ledger.entries if not isinstance(entry, Terms))))


def test_answers_are_counted_pair_by_pair(path):
    ledger = dc.Ledger(path, 9, budgets=[BUDGET])
    answer(ledger, HIGH_LOW, "1")
    answer(ledger, UNIFORM, "2")
    (balance,) = ledger.budgets
    assert balance.budget == BUDGET
    assert balance.spent.matrix() == (HIGH_LOW + UNIFORM).matrix()
    assert (balance.spent.epsilon("hiv", "cold"), balance.left.epsilon("hiv", "cold")) == (Fraction(3, 2), 0)
    assert balance.left.epsilon("none", "cold") == float("inf")
    assert balance.tightest() == ("hiv", "none", Fraction(3, 2), Fraction(3, 2))
    assert ledger.spent == Fraction(3, 2)
    before = path.read_bytes()
    with pytest.raises(Overspent) as refused:
        answer(ledger, UNIFORM, "3")
    assert str(refused.value) == (
        "this answer costs 0.5 for telling 'hiv' from 'none', more than the 0 that remains of the budget of 1.5 there; "
        "no report was made"
    )
    assert path.read_bytes() == before
    answer(ledger, HIGH_LOW, "1")  # what was paid for may be asked again
    assert ledger.budgets[0].spent.matrix() == balance.spent.matrix()


def test_what_is_refused_does_not_depend_on_the_answer(path):
    ledger = dc.Ledger(path, 9, budgets=[dc.Context.uniform(VALUES, "1/4")])
    said = set()
    for value in VALUES:
        with pytest.raises(Overspent) as refused:
            answer(ledger, UNIFORM, "1", value)
        said.add(str(refused.value))
    assert len(said) == 1


def test_a_pair_that_the_budget_protects_must_not_show(path):
    ledger = dc.Ledger(path, 9, budgets=[dc.Context.high_low(VALUES, ["hiv", "cold"], 5)])
    with pytest.raises(Overspent, match=r"may tell 'cold' from 'hiv' for certain, where the budget allows 5 only"):
        answer(ledger, HIGH_LOW, "1")
    assert ledger.spent == 0
    answer(dc.Ledger(path.with_name("other"), 9, budgets=[BUDGET]), HIGH_LOW, "1")  # what it leaves open may show


def test_the_cap_holds_beside_the_budgets(path):
    ledger = dc.Ledger(path, 1, budgets=[BUDGET])
    answer(ledger, HIGH_LOW, "1")
    with pytest.raises(Overspent, match="more than the 0 that remains of your privacy budget of 1"):
        answer(ledger, UNIFORM, "2")


def test_questions_with_more_values_or_in_another_order_count_and_others_do_not(path):
    ledger = dc.Ledger(path, 99, budgets=[BUDGET])
    answer(ledger, dc.Context.uniform(["x", "hiv", "none", "cold"], "1/2"), "more", "x")
    answer(ledger, dc.Context.uniform(["hiv", "cold", "none"], "1/2"), "order")
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == 1
    answer(ledger, dc.Context.uniform(["hiv", "none"], 7), "fewer")
    answer(ledger, dc.Context.uniform(range(3), 7), "other", 0)
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == 1
    assert sum(isinstance(entry, Terms) for entry in ledger.entries) == 4


def test_several_budgets_each_count_their_own(path):
    yes = dc.Context.uniform(["yes", "no"], 2)
    ledger = dc.Ledger(path, 99, budgets=[BUDGET, yes])
    answer(ledger, dc.Context.uniform(["yes", "no"], 1), "1", "yes")
    assert [balance.spent.largest for balance in ledger.budgets] == [0, 1]
    with pytest.raises(InvalidInput, match=r"budgets\[1\] must be over other values"):
        dc.Ledger(path, 99, budgets=[yes, dc.Context.uniform(["no", "yes"], 1)])
    with pytest.raises(InvalidInput, match=r"budgets\[0\] of type int must be a context"):
        dc.Ledger(path, 99, budgets=[3])


def test_a_budget_is_lowered_and_never_raised(path):
    ledger = dc.Ledger(path, 9, budgets=[BUDGET])
    answer(ledger, HIGH_LOW, "1")
    dc.Ledger(path, 9, budgets=[BUDGET])  # the same again changes nothing
    assert sum(isinstance(entry, Budget) for entry in ledger.entries) == 1
    with pytest.raises(
        InvalidInput, match=r"budget over 3 values must imply the one that .*: a budget is never raised"
    ):
        ledger.limit(dc.Context.graded({"hiv": 2, "none": 1, "cold": 1}))
    ledger.limit(dc.Context.graded({"hiv": 1, "none": 3, "cold": "inf"}))  # in another order
    assert ledger.budgets[0].spent.epsilon("none", "hiv") == float("inf")
    assert ledger.budgets[0].left.epsilon("none", "hiv") == 0
    with pytest.raises(Overspent, match=r"the 0 that remains of the budget of .* there"):
        answer(ledger, UNIFORM, "2")
    assert len(ledger.budgets) == 1


def test_a_changed_value_spends_of_the_budget_again(path):
    ledger = dc.Ledger(path, 9, budgets=[dc.Context.uniform(VALUES, 1)])
    answer(ledger, UNIFORM, "1")
    answer(ledger, UNIFORM, "1", "cold", changes="spend")
    with pytest.raises(Overspent):
        answer(ledger, UNIFORM, "1", "none", changes="spend")


def test_what_was_answered_before_a_budget_counts_for_every_pair(path):
    ledger = dc.Ledger(path, 9)
    answer(ledger, dc.Context.uniform(["yes", "no"], 1), "1", "yes")  # about something else, as only its law says
    without_terms(ledger)
    ledger.limit(dc.Context.uniform(VALUES, 2))
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == 1
    answer(ledger, UNIFORM, "2")
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == Fraction(3, 2)
    law = survey(dc.Context.uniform(["yes", "no"], 1))
    ledger.limit(dc.Context.uniform(VALUES, 2), laws=[law])
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == Fraction(1, 2)


def test_what_was_answered_before_a_budget_counts_exactly_where_its_context_was_written(path):
    ledger = dc.Ledger(path, 9)
    answer(ledger, dc.Context.uniform(["yes", "no"], 1), "1", "yes")
    answer(ledger, UNIFORM, "2")
    ledger.limit(dc.Context.uniform(VALUES, 2))
    assert ledger.budgets[0].spent.epsilon("hiv", "none") == Fraction(1, 2)


def test_terms_that_cannot_be_read_count_for_every_pair(path):
    terms = Terms("a" * 64, {"form": "of another client"}, {"values": VALUES})
    account = Account([Cap("9"), Budget(**describe_context(BUDGET)), terms, Debit(HERE, "a" * 64, "1", False)])
    (found,) = account.budgets
    assert found.spent(account.paid, account.terms).matrix() == dc.Context.uniform(VALUES, 1).matrix()
    assert account.overlaps(BUDGET.domain) == []


def test_answers_that_may_show_values_must_be_known_to_a_budget(path):
    ledger = dc.Ledger(path, 9)
    answer(ledger, HIGH_LOW, HERE)
    without_terms(ledger)
    with pytest.raises(InvalidInput, match=f"must be set before answers that may show values, such as to {HERE}"):
        ledger.limit(BUDGET)
    assert ledger.budgets == []
    with pytest.raises(InvalidInput, match=r"laws\[0\] of type .* must be a mechanism"):
        ledger.limit(BUDGET, laws=[HIGH_LOW])
    ledger.limit(BUDGET, laws=[survey(HIGH_LOW)])
    assert ledger.budgets[0].left.epsilon("hiv", "none") == Fraction(1, 2)
    # a journal that was made otherwise fails closed
    entries = [Cap("9"), Debit(HERE, "a" * 64, "1", True), Budget(**describe_context(BUDGET))]
    (found,) = Account(entries).budgets
    with pytest.raises(Overspent):
        found.check(Account(entries).paid, KnownTerms(), [UNIFORM])


def test_the_journal_is_as_the_format_says(path):
    ledger = dc.Ledger(path, 9, budgets=[BUDGET])
    answer(ledger, HIGH_LOW, HERE)
    kinds = [json.loads(written)["kind"] for written in path.read_text().splitlines()]
    assert kinds == ["cap", "budget", "terms", "debit", "report"]
    terms = ledger.entries[2]
    assert terms == Terms(
        survey(HIGH_LOW).fingerprint,
        {"form": "high_low", "sensitive": ["hiv"], "epsilon": "1"},
        {"values": VALUES},
    )
    assert path.read_text() == ledger.export()
    assert context_of(terms) == HIGH_LOW


@pytest.mark.parametrize(
    "context",
    [
        dc.Context.blocks({"a": [1, 2], "b": [3, 4]}, {"a": 1, "b": 2}),
        dc.Context.metric(range(9), "line", "1/2"),
        dc.Context.uniform(range(5, 9), 1) + dc.Context.high_low(range(5, 9), [6], 2),
        dc.Context.uniform(list("ab"), 1) * dc.Context.binary("y", "n", (1, "inf")),
        dc.Context.nested({"fr": {"p": [1, 2], "l": [3]}, "de": {"b": [4, 5]}}, [1, 2, "inf"]),
    ],
    ids=lambda context: context.form,
)
def test_a_budget_of_any_form_is_read_as_it_was_written(path, context):
    ledger = dc.Ledger(path, 9, budgets=[context])
    assert dc.Ledger.existing(path).budgets[0].budget == context
    assert context_of(ledger.entries[1]).domain == context.domain


def test_a_budget_over_values_that_no_file_keeps_is_refused_before_anything_is_made(path):
    with pytest.raises(InvalidInput, match="must be text or a whole number"):
        dc.Ledger(path, 9, budgets=[dc.Context.uniform([0.5, 1.5], 1)])
    assert not path.exists()


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ({**describe_context(BUDGET), "context": {"form": "uniform", "epsilon": "2.0"}}, "as the ledger writes it"),
        ({**describe_context(BUDGET), "context": {"form": "gift"}}, "form='gift' must be one of"),
        ({**describe_context(BUDGET), "context": {"form": "uniform", "epsilon": "2"}}, "a budget is never raised"),
        ({**describe_context(BUDGET), "domain": {"values": VALUES, "more": 1}}, "more"),
        ({**describe_context(BUDGET), "domain": []}, "domain of a budget is not as it must be"),
    ],
)
def test_a_chained_budget_that_makes_no_sense_is_refused(path, data, rule):
    first, chain = line(START, {"kind": "cap", "version": 1, "epsilon": "9"})
    second, chain = line(chain, {"kind": "budget", **describe_context(BUDGET)})
    path.write_bytes(first + second + line(chain, {"kind": "budget", **data})[0])
    with pytest.raises(DamagedLedger, match=f"line 3: .*{rule}"):
        dc.Ledger.existing(path)


def test_a_large_domain_is_counted_by_its_classes(path):
    """43,750 values: the pairs are never listed."""
    values = range(43_750)
    ledger = dc.Ledger(path, 9, budgets=[dc.Context.high_low(values, range(100), 2)])
    law = dc.mechanism(dc.Context.high_low(values, range(100), 1), "hadamard")
    ledger.randomize(law, 5, secure(), question="1")
    assert ledger.budgets[0].tightest() == (0, 1, 2, 1)
