"""The ledger: what is spent, what is kept, and what is refused."""

import hmac
import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

import discreet as dc
from discreet.bulk.words import secure
from discreet.client.ledger import Cap, Debit, Report, SystemDisk, Terms
from discreet.client.ledger.account import Account
from discreet.client.ledger.journal import lines_of
from discreet.core.errors import (
    AlreadyAnswered,
    DamagedLedger,
    InvalidEpsilon,
    InvalidInput,
    Overspent,
    RandomnessFailure,
    Refused,
    UnknownValue,
)

HERE = "https://a.example/"
CONTEXT = dc.Context.high_low(["none", "cold", "hiv"], ["hiv"], "1")
SURVEY = dc.mechanism(CONTEXT, "randomized_response")
YES = dc.mechanism(dc.Context.uniform(["yes", "no"], "1"), "randomized_response")
SMOKING, DRINKING = "5" * 64, "d" * 64
WIDE = dc.mechanism(dc.Context.uniform(range(64), "0.5"), "unary")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "ledger.jsonl"


def test_an_answer_is_paid_for_and_the_same_value_gets_the_same_report(path):
    ledger = dc.Ledger(path, "4")
    assert (ledger.cap, ledger.spent, ledger.left) == (4, 0, 4)
    report = ledger.randomize(WIDE, 3, secure(), question=HERE)
    assert [ledger.randomize(WIDE, 3, secure(), question=HERE) for _ in range(5)] == [report] * 5
    assert (ledger.spent, ledger.left) == (Fraction(1, 2), Fraction(7, 2))
    assert dc.Ledger.existing(path).randomize(WIDE, 3.0, secure(), question=HERE) == report
    assert ledger.randomize(WIDE, 4, secure(), question="https://b.example/") != report
    assert [(entry.collection, entry.epsilon, entry.reports) for entry in ledger.collections] == [
        (HERE, Fraction(1, 2), 1),
        ("https://b.example/", Fraction(1, 2), 1),
    ]
    assert repr(ledger) == f"Ledger({str(path)!r}, spent=1 of 4)"


def test_the_journal_is_as_the_format_says(path):
    ledger = dc.Ledger(path, 4)
    report = ledger.randomize(SURVEY, "hiv", secure(), question=HERE)
    key = Path(f"{path}.key").read_bytes()
    tag = hmac.new(key, b'["https://a.example/","hiv"]', "sha256").hexdigest()
    assert ledger.entries == [
        Cap("4"),
        Terms(SURVEY.fingerprint, CONTEXT.describe(), {"values": ["none", "cold", "hiv"]}),
        Debit(HERE, SURVEY.fingerprint, "1", True),
        Report(HERE, tag, report, {}),
    ]
    assert path.read_text() == ledger.export()
    first = json.loads(path.read_text().splitlines()[0])
    assert {**first, "chain": ""} == {"kind": "cap", "version": 1, "epsilon": "4", "chain": ""}


def test_neither_the_value_nor_the_key_is_in_the_journal(path):
    ledger = dc.Ledger(path, 4)
    ledger.randomize(SURVEY, "hiv", secure(), question=HERE)
    key = Path(f"{path}.key").read_bytes()
    assert len(key) == 32
    written = [line for line in ledger.export().splitlines() if '"kind":"terms"' not in line]  # which lists all values
    assert len(written) == 3
    assert "hiv" not in "".join(written)
    assert key.hex() not in ledger.export()


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_nobody_else_may_read_the_files(path):
    dc.Ledger(path, 4).randomize(SURVEY, "hiv", secure(), question=HERE)
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == {"ledger.jsonl": 0o600, "ledger.jsonl.key": 0o600, "ledger.jsonl.lock": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_nothing_is_spent_beyond_the_cap(path):
    ledger = dc.Ledger(path, "1.2")
    for number in range(2):
        ledger.randomize(WIDE, number, secure(), question=f"https://{number}.example/")
    before = path.read_bytes()
    with pytest.raises(
        Overspent, match=r"costs 0.5, more than the 0.2 that remains of your privacy budget of 1.2; no report was made"
    ):
        ledger.randomize(WIDE, 2, secure(), question="https://2.example/")
    assert path.read_bytes() == before
    ledger.randomize(WIDE, 0, secure(), question="https://0.example/")  # what was paid for may be asked again


def test_a_tenth_ten_times_is_exactly_one(path):
    ledger = dc.Ledger(path, 1)
    tenth = dc.mechanism(dc.Context.uniform(range(11), "0.1"), "randomized_response")
    for number in range(10):
        ledger.randomize(tenth, number, secure(), question=str(number))
    assert (ledger.spent, ledger.left) == (1, 0)
    with pytest.raises(Overspent):
        ledger.randomize(tenth, 10, secure(), question="10")


def test_a_cap_is_lowered_and_never_raised(path):
    dc.Ledger(path, 4)
    assert dc.Ledger(path, 2).cap == 2
    assert dc.Ledger(path, "2.0").cap == 2
    assert len(dc.Ledger.existing(path).entries) == 2
    with pytest.raises(InvalidInput, match=r"cap=3 must be at most 2, the cap of .*: a cap is never raised"):
        dc.Ledger(path, 3)
    ledger = dc.Ledger.existing(path)
    ledger.randomize(SURVEY, "hiv", secure(), question=HERE)
    assert dc.Ledger(path, "0.5").left == 0
    with pytest.raises(Overspent, match="more than the 0 that remains"):
        ledger.randomize(SURVEY, "cold", secure(), question="https://b.example/")


@pytest.mark.parametrize("cap", ["inf", float("inf"), -1, "four", None, True])
def test_a_cap_is_an_exact_finite_number(path, cap):
    with pytest.raises((InvalidInput, InvalidEpsilon), match="cap="):
        dc.Ledger(path, cap)
    assert not path.exists()


def test_a_ledger_that_is_not_there_is_not_made_by_looking_at_it(path):
    with pytest.raises(InvalidInput, match="must be a ledger, and there is none"):
        dc.Ledger.existing(path)
    assert not path.parent.exists()
    with pytest.raises(InvalidInput, match="path of type int"):
        dc.Ledger(3, 4)


def test_a_changed_value_is_refused_or_spends_again(path):
    ledger = dc.Ledger(path, 4)
    first = ledger.randomize(WIDE, 1, secure(), question=HERE)
    with pytest.raises(AlreadyAnswered, match="answers there cannot be changed; no report was made"):
        ledger.randomize(WIDE, 2, secure(), question=HERE)
    assert ledger.spent == Fraction(1, 2)
    second = ledger.randomize(WIDE, 2, secure(), question=HERE, changes="spend")
    assert second != first
    assert ledger.spent == 1
    assert ledger.randomize(WIDE, 1, secure(), question=HERE) == first
    assert ledger.spent == 1


def test_one_wording_under_one_law_has_one_report_for_a_value_at_every_address(path):
    ledger, others = dc.Ledger(path, "1.5"), [f"https://{number}.example/" for number in range(8)]
    report = ledger.randomize(WIDE, 1, secure(), question=HERE, wording=SMOKING)
    assert {ledger.randomize(WIDE, 1, secure(), question=other, wording=SMOKING) for other in others} == {report}
    assert ledger.spent == Fraction(1, 2)
    assert [(entry.collection, entry.epsilon, entry.reports) for entry in ledger.collections[1:]] == [
        (other, 0, 1) for other in others
    ]
    assert (ledger.entries[-1].source, ledger.entries[-1].wording) == (HERE, SMOKING)
    again = dc.Ledger.existing(path)
    with pytest.raises(AlreadyAnswered):  # it was answered there too
        again.randomize(WIDE, 2, secure(), question=others[0], wording=SMOKING)
    new = again.randomize(WIDE, 2, secure(), question="https://new.example/", wording=SMOKING)
    assert new != report  # another value is paid for
    assert again.spent == 1
    assert again.randomize(WIDE, 2, secure(), question=others[0], changes="spend", wording=SMOKING) == new
    assert again.spent == 1


@pytest.mark.parametrize("wordings", [(SMOKING, DRINKING), (SMOKING, None), (None, SMOKING), (None, None)])
def test_another_wording_and_none_are_paid_for_under_the_same_law(path, wordings):
    ledger = dc.Ledger(path, 1)
    first, second = (
        ledger.randomize(WIDE, 1, secure(), question=name, wording=wording)
        for name, wording in zip((HERE, "https://b.example/"), wordings, strict=True)
    )
    assert first != second  # 64 bits: equal in fewer than one of 10^6 pairs of draws
    assert [entry.epsilon for entry in ledger.collections] == [Fraction(1, 2)] * 2
    assert [entry.wording for entry in ledger.entries if isinstance(entry, Report)] == list(wordings)


def differing(lossy, seed, people=300):
    """How many people of whom all answer two yes/no questions under one law with yes send two different reports."""
    rng, found = dc.random.seeded(seed), 0
    for _ in range(people):
        ledger = dc.Ledger("/home/one/ledger.jsonl", 2, disk=lossy.LossyDisk(random.Random(0)))
        asked = [("https://a.example/", SMOKING), ("https://b.example/", DRINKING)]
        found += len({ledger.randomize(YES, "yes", rng, question=name, wording=text) for name, text in asked}) - 1
        assert ledger.spent in (1, 2)
    return found


def test_reports_to_two_questions_under_one_law_are_independent(lossy, monkeypatch):
    """Equal answers give different reports as often as two draws do; the false-alarm rate is at most 1e-6."""
    first, second = YES.channel()[0]
    usual = stats.binom(300, float(2 * first * second))
    low, high = usual.ppf(5e-7), usual.ppf(1 - 5e-7)
    assert low <= differing(lossy, 5) <= high

    def reports_to(account, fingerprint, wording):  # the control: shared by the law alone
        return [kept.entry for one in account.collections.values() for kept in one.reports]

    monkeypatch.setattr(Account, "reports_to", reports_to)
    assert differing(lossy, 5) == 0 < low


@pytest.mark.parametrize("wording", ["", "A" * 64, "0" * 63, 5, b"0" * 64])
def test_a_wording_is_a_hash(path, wording):
    ledger = dc.Ledger(path, 1)
    with pytest.raises(InvalidInput, match=r"wording=.* must be a SHA-256 in hexadecimal digits"):
        ledger.randomize(WIDE, 1, secure(), question=HERE, wording=wording)
    assert ledger.spent == 0


def test_a_debit_that_waits_for_its_report_is_not_used_up_by_a_report_from_elsewhere(path):
    ledger, there = dc.Ledger(path, 2), {"question": "https://b.example/", "changes": "spend", "wording": SMOKING}
    with ledger._journal.open() as journal:
        journal.append(Debit("https://b.example/", WIDE.fingerprint, "0.5", False))
    ledger.randomize(WIDE, 1, secure(), question=HERE, wording=SMOKING)
    ledger.randomize(WIDE, 1, secure(), **there)
    assert ledger.spent == 1
    ledger.randomize(WIDE, 2, secure(), **there)  # under the debit
    assert ledger.spent == 1
    ledger.randomize(WIDE, 3, secure(), **there)
    assert ledger.spent == Fraction(3, 2)


@pytest.mark.parametrize(
    "entry",
    [
        Report("https://b.example/", "0" * 64, 6, {}, HERE, SMOKING),
        Report("https://b.example/", "0" * 64, 5, {}, "https://c.example/", SMOKING),
        Report("https://other.example/", "0" * 64, 5, {}, HERE, SMOKING),
        Report("https://b.example/", "0" * 64, 5, {}, HERE, DRINKING),
        Report("https://b.example/", "0" * 64, 5, {}, HERE),
        Report("https://b.example/", "0" * 64, 7, {}, HERE),
    ],
    ids=["another report", "no source", "another law", "another wording", "no wording", "no wording at the source"],
)
def test_a_report_from_elsewhere_must_be_there(entry):
    first = [Cap("4"), Debit(HERE, "a" * 64, "1", False), Report(HERE, "1" * 64, 5, {}, wording=SMOKING)]
    first += [Debit(HERE, "a" * 64, "1", False), Report(HERE, "2" * 64, 7, {})]
    first += [Debit("https://other.example/", "b" * 64, "1", False)]
    Account([*first, Report("https://b.example/", "0" * 64, 5, {}, HERE, SMOKING)])
    with pytest.raises(InvalidInput, match="source"):
        Account([*first, entry])


def test_a_ledger_without_wordings_is_read_and_shares_none_of_its_reports(path):
    ledger = dc.Ledger(path, 4)
    report = ledger.randomize(WIDE, 1, secure(), question=HERE)
    old = [entry for entry in ledger.entries if not isinstance(entry, Terms)]
    path.write_bytes(b"".join(lines_of(old)))
    assert [json.loads(line)["kind"] for line in path.read_text().splitlines()] == ["cap", "debit", "report"]
    assert "wording" not in path.read_text()
    found = dc.Ledger.existing(path)
    assert found.randomize(WIDE, 1, secure(), question=HERE, wording=SMOKING) == report
    assert found.randomize(WIDE, 1, secure(), question="https://b.example/", wording=SMOKING) != report
    assert found.spent == 1


def test_answers_that_were_asked_about_before_are_named(path):
    ledger, other = dc.Ledger(path, 9), "https://b.example/"
    wave = dc.mechanism(dc.Context.uniform(["none ", "cold", "hiv"], "1"), "randomized_response")
    assert ledger.warnings(other, wave) == []
    ledger.randomize(SURVEY, "hiv", secure(), question=HERE)
    assert ledger.warnings(other, wave) == [
        f"2 of these 3 answers were also answers to {HERE}, which you answered before: "
        "if both ask the same of you, what they show adds up."
    ]
    assert len(ledger.warnings(other, SURVEY, wording=SMOKING)) == 1  # the same law, and perhaps the same question
    assert ledger.warnings(other, WIDE) == []
    ledger.randomize(wave, "hiv", secure(), question=other)
    assert ledger.warnings(other, wave) == []  # answered already
    ledger.randomize(wave, "hiv", secure(), question="https://c.example/", wording=SMOKING)
    assert ledger.warnings("https://d.example/", wave, wording=SMOKING) == []  # answered already, at another address
    assert len(ledger.warnings("https://d.example/", wave, wording=DRINKING)) == 3


def test_a_long_context_is_written_only_where_a_budget_counts_it(path):
    long = dc.mechanism(dc.Context.uniform([f"a rather long answer {number}" for number in range(3000)], 1), "hadamard")
    ledger = dc.Ledger(path, 9)
    ledger.randomize(long, "a rather long answer 7", secure(), question=HERE)
    assert not any(isinstance(entry, Terms) for entry in ledger.entries)
    ledger.limit(dc.Context.uniform(["a rather long answer 1", "a rather long answer 7"], 5))
    ledger.randomize(long, "a rather long answer 8", secure(), question=HERE, changes="spend")
    assert any(isinstance(entry, Terms) for entry in ledger.entries)


def test_a_collection_keeps_its_law(path):
    ledger = dc.Ledger(path, 4)
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    with pytest.raises(Refused, match="answered under another law"):
        ledger.randomize(SURVEY, "hiv", secure(), question=HERE)
    assert ledger.spent == Fraction(1, 2)


def test_a_value_outside_the_domain_costs_nothing_and_is_not_repeated(path):
    ledger = dc.Ledger(path, 4)
    with pytest.raises(UnknownValue) as refused:
        ledger.randomize(SURVEY, "HIV positive", secure(), question=HERE)
    assert "HIV" not in str(refused.value)
    assert ledger.spent == 0


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"mechanism": CONTEXT}, "must be a mechanism"),
        ({"rng": random.Random(1)}, "must be a source of words"),
        ({"question": None}, "must be the name of a collection"),
        ({"changes": "maybe"}, "changes='maybe' must be one of refuse, spend"),
    ],
)
def test_wrong_arguments_cost_nothing(path, wrong, rule):
    ledger = dc.Ledger(path, 4)
    given = {"mechanism": SURVEY, "value": "hiv", "rng": secure(), "question": HERE, **wrong}
    with pytest.raises(InvalidInput, match=rule):
        ledger.randomize(given.pop("mechanism"), given.pop("value"), given.pop("rng"), **given)
    assert ledger.spent == 0


def test_without_randomness_there_is_no_report_and_the_debit_serves_the_next_try(path):
    ledger = dc.Ledger(path, 4)
    with pytest.raises(RandomnessFailure):
        ledger.randomize(WIDE, 1, dc.random.replay([]), question=HERE)
    assert (ledger.spent, ledger.collections[0].reports) == (Fraction(1, 2), 0)
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    assert (ledger.spent, ledger.collections[0].reports) == (Fraction(1, 2), 1)


def test_a_lost_key_makes_every_value_look_changed(path):
    ledger = dc.Ledger(path, 4)
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    Path(f"{path}.key").unlink()
    with pytest.raises(AlreadyAnswered):
        ledger.randomize(WIDE, 1, secure(), question=HERE)
    Path(f"{path}.key").write_bytes(b"short")
    with pytest.raises(DamagedLedger, match=r"ledger.jsonl.key must hold 32 bytes"):
        ledger.randomize(WIDE, 1, secure(), question=HERE)


# -- damage --------------------------------------------------------------------------------------


def test_a_torn_last_line_is_cut_off(path):
    ledger = dc.Ledger(path, 4)
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"chain":"12')
    assert ledger.spent == Fraction(1, 2)
    assert path.read_bytes() != whole  # looking changes nothing
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    assert path.read_bytes() == whole


def test_each_flipped_byte_is_noticed_before_anything_is_spent_or_sent(path):
    ledger = dc.Ledger(path, 4)
    ledger.submit(WIDE, 1, secure(), question=HERE, url=HERE, labels={})
    whole = path.read_bytes()
    for place in range(len(whole)):
        for flip in (1, 0xFF):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
            with pytest.raises(DamagedLedger):
                dc.Ledger(path, 4)
    path.write_bytes(whole)
    assert dc.Ledger.existing(path).spent == Fraction(1, 2)


@pytest.mark.parametrize("content", [b"", b'{"chain"', b"\0" * 100])
def test_a_file_without_a_whole_line_is_no_ledger(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DamagedLedger, match="must begin with a cap"):
        dc.Ledger(path, 4)
    assert path.read_bytes() == content


def test_a_line_that_is_chained_and_makes_no_sense_is_refused(path):
    from discreet.client.ledger.journal import START, line

    dc.Ledger(path, 4)
    written, chain = line(START, {"kind": "cap", "version": 1, "epsilon": "4"})
    path.write_bytes(written + line(chain, {"kind": "cap", "version": 1, "epsilon": "5"})[0])
    with pytest.raises(DamagedLedger, match="line 2: cap=5 must be at most"):
        dc.Ledger.existing(path)
    path.write_bytes(written + line(chain, {"kind": "gift"})[0])
    with pytest.raises(DamagedLedger, match="line 2: kind='gift' must be one of"):
        dc.Ledger.existing(path)


class FullDisk(SystemDisk):
    """A disk that takes half of a line and then has no room, or does not get it onto the platter."""

    full, fails = False, False

    def append(self, path, content):
        super().append(path, content[: len(content) // 2] if self.full else content)
        if self.full:
            raise OSError(28, "No space left on device", str(path))

    def sync(self, path):
        super().sync(path)
        if self.fails:
            FullDisk.fails = False
            raise OSError(5, "Input/output error", str(path))


def test_a_full_disk_leaves_the_ledger_as_it_was(path, monkeypatch):
    disk = FullDisk()
    ledger = dc.Ledger(path, 4, disk=disk)
    before = path.read_bytes()
    monkeypatch.setattr(disk, "full", True)
    with pytest.raises(OSError, match="No space left"):
        ledger.randomize(WIDE, 1, secure(), question=HERE)
    assert path.read_bytes() == before
    monkeypatch.setattr(disk, "full", False)
    ledger.randomize(WIDE, 1, secure(), question=HERE)


def test_what_could_not_be_synced_is_taken_back(path):
    ledger = dc.Ledger(path, 4, disk=FullDisk())
    ledger.randomize(WIDE, 1, secure(), question=HERE)
    before = path.read_bytes()

    class Failing(FullDisk):
        def append(self, path, content):
            super().append(path, content)
            FullDisk.fails = True

    with pytest.raises(OSError, match="Input/output error"):
        dc.Ledger.existing(path, disk=Failing()).randomize(WIDE, 1, secure(), question="https://b.example/")
    assert path.read_bytes() == before


# -- several at once --------------------------------------------------------------------------------

PROCESS = """
import sys
import discreet as dc
from discreet.core.errors import Overspent
wide = dc.mechanism(dc.Context.uniform(range(64), "0.5"), "unary")
done = []
for number in range(30):
    try:
        ledger = dc.Ledger(sys.argv[1], 6)
        done.append((number, ledger.randomize(wide, number, dc.random.secure(), question=str(number))))
    except Overspent:
        pass
print(dict(done))
"""


def test_two_processes_at_once_spend_one_budget_and_agree_on_every_report(path):
    source = str(Path(dc.__file__).parents[1])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(path)],
            env={**os.environ, "PYTHONPATH": source},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    found = [eval(process.communicate(timeout=120)[0]) for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert found[0] == found[1]
    assert len(found[0]) == 12
    assert dc.Ledger.existing(path).spent == 6
    assert all(entry.reports == 1 for entry in dc.Ledger.existing(path).collections)


KILLED = """
import sys
import discreet as dc
wide = dc.mechanism(dc.Context.uniform(range(64), "0.5"), "unary")
for number in range(10_000):
    report = dc.Ledger(sys.argv[1], 10_000).randomize(wide, number % 64, dc.random.secure(), question=str(number))
    print(number, report, flush=True)
"""


@pytest.mark.slow
def test_a_process_killed_at_any_moment_leaves_a_ledger_that_stands_by_its_reports(tmp_path):
    """Twelve processes are killed after some of their answers; whatever they had printed is given again."""
    source = str(Path(dc.__file__).parents[1])
    path, told = tmp_path / "ledger.jsonl", {}
    for round_ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)],
            env={**os.environ, "PYTHONPATH": source},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3 + 5 * round_):
            number, report = map(int, process.stdout.readline().split())
            assert told.setdefault(number, report) == report
        process.kill()
        process.communicate()
    ledger = dc.Ledger.existing(path)
    assert ledger.spent >= Fraction(len(told), 2)
    assert {n: ledger.randomize(WIDE, n, secure(), question=str(n)) for n in told} == told
