"""What entries add up to, and in which order they can stand."""

from fractions import Fraction

import pytest

from discreet.client.ledger.account import MAX_BATCH_REPORTS, Account
from discreet.client.ledger.entries import Cap, Debit, Outcome, Report, Upload
from discreet.core.canonical import canonical
from discreet.core.errors import InvalidInput

HERE = "https://a.example/"
DEBIT = Debit(HERE, "a" * 64, "1/3", False)


def report(number, *, labels=None, tag="b"):
    return Report(HERE, tag * 64, number, labels or {})


def upload(number, *reports, labels=None):
    body = canonical({"reports": list(reports)} | ({"labels": labels} if labels else {}))
    return Upload(f"{number:032x}", HERE, HERE, body)


def test_debits_add_up_exactly():
    account = Account([Cap("4"), DEBIT, report(1), DEBIT, Debit("b", "c" * 64, "0.1", True)])
    assert account.spent == Fraction(23, 30)
    assert account.collections[HERE].owed
    assert account.collections["b"].shows


@pytest.mark.parametrize(
    ("entries", "rule"),
    [
        ([DEBIT], "the first line must be a cap"),
        ([Cap("1"), Cap("2")], "a cap is never raised"),
        ([Cap("1"), report(1)], "a report must follow its debit"),
        ([Cap("1"), DEBIT, report(1), report(2)], "a report must follow its debit"),
        ([Cap("1"), DEBIT, Debit(HERE, "b" * 64, "1", False)], "must keep its fingerprint"),
        ([Cap("1"), Outcome("0" * 32, "accepted", 200)], "an outcome must follow its upload"),
        ([Cap("1"), DEBIT, report(1), upload(1, 1), upload(1, 1)], "a number of its own"),
    ],
)
def test_entries_that_cannot_follow_are_refused(entries, rule):
    with pytest.raises(InvalidInput, match=rule):
        Account(entries)


def test_an_upload_carries_each_report_once_under_its_labels():
    account = Account([Cap("4"), DEBIT, report(7), DEBIT, report(7, tag="c")])
    first, second = account.collections[HERE].reports
    account.add(upload(1, 7))
    assert account.carries(first, "{}") == upload(1, 7)
    assert account.carries(second, "{}") is None  # another value with the same report, still to be sent
    week = {"week": "1"}
    account.add(upload(2, 7, labels=week))
    assert account.carries(second, canonical(week)) == upload(2, 7, labels=week)
    assert [entry.report for entry in account.batch(second, {})] == [7]


def test_a_report_that_was_never_sent_is_carried_before_an_equal_one_that_was():
    account = Account([Cap("4"), DEBIT, report(7), DEBIT, report(7, tag="c")])
    first, second = account.collections[HERE].reports
    weeks = [{"week": str(number)} for number in range(4)]
    for number, labels in enumerate(weeks[:3]):
        account.add(upload(number, 7, labels=labels))
    assert [account.sent(stored, weeks[3], None) for stored in (first, second)] == [
        upload(number, 7, labels=weeks[number]) for number in range(2)
    ]
    for stored in (first, second):  # which of the two went in the last week is not known: it is not sent twice
        assert account.sent(stored, weeks[2], "week") == upload(2, 7, labels=weeks[2])
        assert account.sent(stored, weeks[3], "week") is None


def test_a_refused_upload_carries_nothing():
    account = Account([Cap("4"), DEBIT, report(7), upload(1, 7)])
    kept = account.collections[HERE].reports[0]
    assert account.queued() == [upload(1, 7)]
    account.add(Outcome(upload(1).upload, "refused", 400))
    assert (account.queued(), account.carries(kept, "{}")) == ([], None)
    account.add(Outcome(upload(1).upload, "accepted", 200))  # the first outcome counts
    assert account.state(upload(1)) == "refused"


def test_reports_that_were_never_sent_go_into_one_upload_of_at_most_a_thousand():
    entries = [Cap("4000")]
    for number in range(MAX_BATCH_REPORTS + 5):
        entries += [DEBIT, report(number, labels={"week": "1"} if number % 2 else None)]
    account = Account(entries)
    last = account.collections[HERE].reports[-1]
    assert len(account.batch(last, {})) == MAX_BATCH_REPORTS // 2 + 3
    entries = [Cap("4000")]
    for number in range(MAX_BATCH_REPORTS + 5):
        entries += [DEBIT, report(number)]
    account = Account(entries)
    batch = account.batch(account.collections[HERE].reports[-1], {})
    assert len(batch) == MAX_BATCH_REPORTS
    assert batch[-1].report == MAX_BATCH_REPORTS + 4
