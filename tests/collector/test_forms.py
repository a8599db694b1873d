"""A questionnaire is one collection: by every strategy it is declared, taken, counted and shown as one question is."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.report_files import numbers_to_bytes
from discreet.bulk.words import seeded
from discreet.collector import crossing, export
from discreet.collector.http.upload_decoder import PACKED
from discreet.collector.store import tallies
from discreet.core.canonical import canonical
from discreet.core.errors import DiscreetError, Unavailable
from discreet.questionnaires.packing import pack_reports, unpack_reports
from discreet.questionnaires.reading import read_form_surveys, tally_form
from discreet.wire import parse_published
from discreet.wire.form import STRATEGIES, TOGETHER
from discreet.wire.form_reports import ReportPacking

ANSWERS = {"smokes": ["no", "yes"], "travels": ["bus", "car", "bike"], "rooms": [1, 2, 3, 4]}
QUESTIONS = [
    {"name": "smokes", "question": "Do you smoke?", "words": {"yes": "yes, sometimes"}, "kind": "yes/no"},
    {"name": "travels", "question": "How do you travel?", "help": "On most days."},
    {"name": "rooms", "question": "How many rooms have you got?", "kind": "scale", "unit": "rooms"},
]


def spec(strategy, epsilon="4"):
    questions = [{"name": name, "domain": {"values": values}} for name, values in ANSWERS.items()]
    return {"form": {"strategy": strategy, "epsilon": epsilon}, "questions": questions}


def declared(strategy, **more):
    return {"spec": spec(strategy), "question": None, "words": None, "questions": QUESTIONS, **more}


def answers(n):
    """Answers of n people, of which each follows from the one before it in part."""
    smokes = np.arange(n) % 4 == 0
    return {
        "smokes": np.where(smokes, "yes", "no"),
        "travels": np.where(smokes, "car", np.array(["bus", "bike", "car"])[np.arange(n) % 3]),
        "rooms": np.arange(n) % 4 + 1,
    }


def packed(form, n, seed):
    """Packed reports of n people as numbers, and the reports themselves."""
    reports = form.randomize_many(answers(n), seeded(seed))
    return pack_reports(ReportPacking(form), reports), reports


def body(form, numbers, **labels):
    head = {"fingerprint": form.fingerprint, "version": 1, **({"labels": labels} if labels else {})}
    width = -(-ReportPacking(form).bits // 8)
    return canonical(head).encode() + b"\n" + numbers_to_bytes(numbers, width)


def as_json(form, numbers):
    packing = ReportPacking(form)
    return [packing.to_json(number) for number in whole(numbers)]


def whole(numbers):
    if numbers.ndim == 1:
        return numbers.tolist()
    return [sum(word << 64 * place for place, word in enumerate(row)) for row in numbers.tolist()]


@pytest.fixture(params=list(STRATEGIES))
def strategy(request):
    return request.param


# -- packed reports as arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(2, 3, 4), (90, 3, 70), (30, 34, 2), (64, 64, 64)])
@pytest.mark.parametrize("asked", ["one at random", "each"])
def test_arrays_unpack_as_numbers_do_one_by_one(asked, sizes):
    contexts = [dc.Context.uniform(range(size), epsilon="1") for size in sizes]
    mechanisms = [dc.mechanism(context, "unary" if context.size > 4 else "auto") for context in contexts]
    form = dc.Form(dict(zip("abc", mechanisms, strict=True)), asked)
    packing, n = ReportPacking(form), 300
    columns = {name: np.arange(n) % size for name, size in zip("abc", sizes, strict=True)}
    reports = form.randomize_many(columns, seeded(5))
    numbers = pack_reports(packing, reports)
    again = unpack_reports(packing, numbers)
    assert form.tally(again) == form.tally(reports)
    for person, number in enumerate(whole(numbers)):
        for part, report in packing.unpack(number).items():
            (place,) = np.flatnonzero(again.rows[part] == person)
            assert whole(again.reports[part][place : place + 1])[0] == report
    assert set(packing.unpack(whole(numbers)[0])) <= set("abc")


# -- declaring ------------------------------------------------------------------------------------------


def test_a_form_is_one_collection_with_one_document_and_one_law(service, strategy):
    made = service.create(**declared(strategy))
    assert made.status == 201, made.content
    name = made.json["id"]
    document = service.get(f"/collections/{name}").json
    assert document["questions"] == QUESTIONS
    assert not {"question", "words"} & set(document)
    written = service.get(f"/collections/{name}/law").content.decode()
    form = parse_published(written)
    assert document["fingerprint"] == form.fingerprint == made.json["fingerprint"]
    assert form.names == tuple(ANSWERS)
    parts = [hashlib.sha256(canonical(law).encode()).hexdigest() for law in json.loads(written)["form"]["laws"]]
    entries = {"fingerprints": parts, "questions": list(ANSWERS), "strategy": strategy, "version": 1}
    assert hashlib.sha256(canonical(entries).encode()).hexdigest() == form.fingerprint
    assert hashlib.sha256(written.encode()).hexdigest() != form.fingerprint  # of the text it is another one


def test_a_collection_says_all_its_texts(service):
    texts = {
        "asker": "The city of Ghent, survey@example.org",
        "introduction": "Two minutes about your day.",
        "consent": "I take part of my own will.",
        "thanks": "Thank you.",
        "language": "en",
        "background": [{"name": "week", "question": "Which week?", "words": {"1": "the first"}}],
        "translations": {"de": {"title": "Heute", "questions": {"smokes": {"words": {"yes": "ja", "no": "nein"}}}}},
    }
    name = service.made(**declared("each", **texts))
    document = service.get(f"/collections/{name}").json
    assert {key: document[key] for key in texts} == texts
    single = {"question": "Where?", "help": "Roughly.", "unit": "km", "kind": "choice", **texts}
    single["translations"] = {"de": {"question": "Wo?", "words": {"n1": "Nord eins"}}}
    name = service.made(**single)
    document = service.get(f"/collections/{name}").json
    assert {key: document[key] for key in single} == single


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": "What?"}, "question is not a known entry"),
        ({"questions": QUESTIONS[:2]}, "questions must be about smokes, travels, rooms"),
        ({"questions": QUESTIONS[::-1]}, "in this order"),
        ({"questions": [{**QUESTIONS[0], "words": {"maybe": "m"}}, *QUESTIONS[1:]]}, "'maybe' must be a value"),
        ({"questions": [{**QUESTIONS[0], "words": {"yes": "no"}}, *QUESTIONS[1:]]}, "must not look like"),
        ({"questions": [{**QUESTIONS[0], "question": None}, *QUESTIONS[1:]]}, "question"),
        ({"questions": [*QUESTIONS[:2], {**QUESTIONS[2], "kind": "box", "group": "g"}]}, "two answers, not 4"),
        ({"translations": {"de": {"questions": {"smokes": {"words": {"no": "ja", "yes": "ja"}}}}}}, "de.questions.s"),
        ({"translations": {"de": {"questions": {"age": {"question": "Alter?"}}}}}, "'age' must be one of"),
        ({"background": [{"name": "town", "question": "Where?"}]}, "'town' must be one of week"),
        ({"background": [{"name": "week", "words": {"9": "nine"}}]}, "'9' must be a text of the label"),
        ({"labels": {"smokes": ["a", "b"]}}, "'smokes' must not be the name of a question"),
        ({"spec": {**spec("each"), "form": {"strategy": "some", "epsilon": 1}}}, "spec: form.strategy"),
    ],
)
def test_a_form_that_cannot_be_asked_so_is_refused_in_one_line(service, changes, said):
    refused = service.create(**declared("each", **changes))
    assert refused.status == 422
    assert said in refused.json["detail"]
    assert "\n" not in refused.json["detail"]


def test_answers_together_that_nobody_could_read_back_are_refused(service):
    questions = [{"name": f"q{place}", "domain": {"size": 4}} for place in range(5)]
    big = {"form": {"strategy": TOGETHER, "epsilon": "1"}, "questions": questions}
    asked = [{"name": f"q{place}", "question": "Which?"} for place in range(5)]
    with dc.limits.raised(bytes=10_000):  # in place of a form of a million tuples, which takes long to make
        refused = service.create(**declared(TOGETHER, spec=big, questions=asked))
        small = {**big, "questions": questions[:3]}
        assert service.create(**declared(TOGETHER, spec=small, questions=asked[:3])).status == 201
    assert refused.status == 422
    assert refused.json["detail"].startswith("spec: the law file of the form")
    assert service.create(**declared(TOGETHER, spec=big, questions=asked)).status == 201


# -- uploads --------------------------------------------------------------------------------------------


def test_reports_count_the_same_as_json_and_packed(service, strategy):
    name = service.made(**declared(strategy, minimum=1))
    form = service.mechanism(name)
    numbers, reports = packed(form, 900, 1)
    for place, part in enumerate(np.array_split(numbers, 3)):
        sent = (
            service.upload(name, body(form, part, week="1"), kind=PACKED)
            if place == 0
            else service.send(name, as_json(form, part), labels={"week": "1"})
        )
        assert (sent.status, sent.json["accepted"], sent.json["refused"]) == (200, 300, []), sent.content
    assert service.send(name, as_json(form, numbers[:1])).json["accepted"] == 1
    tally = service.get(f"/collections/{name}/tally", role="analyst").json
    expected = form.tally(unpack_reports(ReportPacking(form), np.concatenate([numbers, numbers[:1]])))
    assert tally == expected.to_json()
    assert reports.n == 900


def test_what_is_no_report_of_the_form_is_refused_and_counted(service, strategy):
    name = service.made(**declared(strategy, minimum=1))
    form = service.mechanism(name)
    packing = ReportPacking(form)
    numbers, _ = packed(form, 100, 2)
    impossible = next(number for number in range((1 << packing.bits) - 1, -1, -1) if not packing.is_report(number))
    mixed = np.append(numbers, np.uint64(impossible))
    for sent in (
        service.upload(name, body(form, mixed), kind=PACKED),
        service.send(name, [*as_json(form, numbers), impossible]),
    ):
        assert sent.json["accepted"] == 100
        assert sent.json["refused"] == [[100, "impossible"]]
    hostile = [-1, 1 << packing.bits, 1.5, "1", None, True, 1 << 200]
    assert service.send(name, [hostile[0], *as_json(form, numbers[:1])]).json["refused"] == [[0, "impossible"]]
    for one in hostile:
        sent = service.send(name, [one, *as_json(form, numbers[:1])])
        assert sent.status in (200, 422)
        assert sent.status == 422 or sent.json["accepted"] == 1
    parts = service.send(name, [{"smokes": 1}])
    assert (parts.status, parts.code) == (400, "json")
    other = service.made(**declared(strategy, spec=spec(strategy, "3"), minimum=1))
    sent = service.upload(other, body(form, numbers), kind=PACKED)
    assert sent.code == "other_law"
    (part, *_) = form.mechanisms.values()
    sent = service.upload(name, {"fingerprint": part.fingerprint, "reports": [0], "version": 1})
    assert sent.code == "other_law"


def test_wide_reports_are_hexadecimal_and_counted_as_packed_ones(service):
    sizes = {"a": 40, "b": 41, "c": 3}
    questions = [
        {
            "name": name,
            "domain": {"size": size},
            "context": {"form": "uniform", "epsilon": "1"},
            "mechanism": {"name": "unary" if size > 3 else "auto"},
        }
        for name, size in sizes.items()
    ]
    wide = {"form": {"strategy": "each"}, "questions": questions}
    asked = [{"name": name, "question": "Which?"} for name in sizes]
    name = service.made(**declared("each", spec=wide, questions=asked, minimum=1))
    form = service.mechanism(name)
    packing = ReportPacking(form)
    assert packing.bits > 64
    columns = {key: np.arange(500) % size for key, size in sizes.items()}
    reports = form.randomize_many(columns, seeded(4))
    numbers = pack_reports(packing, reports)
    for sent in (
        service.send(name, as_json(form, numbers)),
        service.upload(name, body(form, numbers), kind=PACKED),
        service.send(name, as_json(form, numbers[:20])),
    ):
        assert (sent.status, sent.json["refused"]) == (200, [])
    tally = service.get(f"/collections/{name}/tally", role="analyst").json
    twice = form.tally(reports) + form.tally(reports)
    assert tally == (twice + form.tally(unpack_reports(packing, numbers[:20]))).to_json()
    texts = as_json(form, numbers)
    for wrong in (texts[0].upper(), texts[0][1:], " " + texts[0][1:], "0x" + texts[0][2:], texts[0][:-1] + "\u0661"):
        if wrong != texts[0]:
            sent = service.send(name, [*texts, wrong])
            assert sent.json["refused"] == [[500, "form"]], wrong


# -- results --------------------------------------------------------------------------------------------


@pytest.fixture
def filled(service, strategy):
    """A collection with 600 people of week 1 and 400 of week 2, its form, and their reports by week."""
    name = service.made(**declared(strategy, spec=spec(strategy, "9"), minimum=10))
    form, held = service.mechanism(name), {}
    for week, n in (("1", 600), ("2", 400)):
        numbers, held[week] = packed(form, n, int(week))
        assert service.upload(name, body(form, numbers, week=week), kind=PACKED).status == 200
    return name, form, held


def read(service, path):
    answered = service.get(f"/collections/{path}", role="analyst")
    assert answered.status == 200, answered.content
    return answered.json


def test_shares_of_every_question_are_those_of_the_library(service, filled):
    name, form, held = filled
    every = read(service, f"{name}/shares")["questions"]
    assert list(every) == list(ANSWERS)
    tally = form.tally(held["1"]) + form.tally(held["2"])
    expected = dc.margins(tally)
    table = expected.table()
    for question, values in ANSWERS.items():
        alone = read(service, f"{name}/shares?question={question}")
        assert alone == every[question]
        (cell,) = alone["cells"]
        result = cell["result"]
        assert result["values"] == values
        rows = [row for row, asked in enumerate(table["question"]) if asked == question]
        for column, there in (("estimate", "shares"), ("stderr", "stderr"), ("low", "low"), ("high", "high")):
            np.testing.assert_allclose(result[there], [table[column][row] for row in rows], rtol=1e-12)
        assert result["influence"] >= 1
        by_week = read(service, f"{name}/shares?question={question}&by=week")["cells"]
        assert [cell["labels"]["week"] for cell in by_week] == ["1", "2", "3"]
        assert by_week[2] == {"labels": {"week": "3"}, "n": 0, "missing": 10, "result": None}
        again = dc.margins(form.tally(held["2"]))[question]
        np.testing.assert_allclose(by_week[1]["result"]["shares"], again[1], rtol=1e-12)
    for method in ("project", "likelihood", "shrink"):
        for entry in read(service, f"{name}/shares?method={method}")["questions"].values():
            assert sum(entry["cells"][0]["result"]["shares"]) == pytest.approx(1)
    wide = read(service, f"{name}/shares?question=rooms&anytime=true")["cells"][0]["result"]
    assert wide["high"][0] - wide["low"][0] > table["high"][-4] - table["low"][-4]
    assert read(service, f"{name}/shares?question=rooms&days=7")["cells"][0]["result"]["shares"] == wide["shares"]


def test_progress_and_overview_count_people(service, filled):
    name, form, held = filled
    progress = read(service, f"{name}/progress")
    tally = form.tally(held["1"]) + form.tally(held["2"])
    assert progress["n"] == tally.n == 1000
    assert progress["questions"] == {part: one.n for part, one in tally.items()}
    assert progress["labels"] == {"week": {"1": 600, "2": 400}}
    (row,) = service.get("/overview", role="admin").json["collections"]
    assert (row["reports"], row["fingerprint"]) == (1000, form.fingerprint)


def test_differences_of_a_question_are_tested(service, filled):
    name, form, held = filled
    for question, values in ANSWERS.items():
        answered = read(service, f"{name}/differences?question={question}&by=week")
        (pair,) = answered["pairs"]
        shares = [dc.margins(form.tally(held[week]))[question] for week in ("1", "2")]
        assert pair["values"] == values
        np.testing.assert_allclose(pair["difference"], shares[0][1] - shares[1][1], atol=1e-12)
        np.testing.assert_allclose(pair["stderr"], np.hypot(shares[0][2], shares[1][2]), rtol=1e-9)
        assert 0 <= answered["omnibus"]["p"] <= 1
        assert answered["left_out"] == [{"label": "3", "n": 0, "missing": 10}]


def test_a_question_must_be_named_where_there_are_several(service, filled):
    name, _, _ = filled
    for path in ("differences?by=week", "release?question=age", "shares?question=age"):
        refused = service.get(f"/collections/{name}/{path}", role="analyst")
        assert (refused.status, refused.code) == (400, "parameter")
        assert "smokes, travels, rooms" in refused.json["detail"]
    single = service.made()
    refused = service.get(f"/collections/{single}/shares?question=smokes", role="analyst")
    assert (refused.status, refused.code) == (400, "parameter")


def test_a_release_is_about_one_question_and_says_what_it_is_part_of(service, filled, strategy):
    name, form, held = filled
    for question in ANSWERS:
        report = read(service, f"{name}/release?question={question}&form=json")
        entry = next(one for one in QUESTIONS if one["name"] == question)
        assert report["question"] == entry["question"]
        said = {"one at random": "one of 3 questions", "each": "adds up", TOGETHER: "one value"}[strategy]
        assert any(said in caveat for caveat in report["caveats"])
        shares = report["shares"] if report["panels"] is None else report["panels"][0]["estimate"]
        tally = form.tally(held["1"]) + form.tally(held["2"])
        np.testing.assert_allclose(shares, dc.margins(tally)[question][1], rtol=1e-12)
        page = service.get(f"/collections/{name}/release?question={question}", role="analyst")
        assert entry["question"] in page.content.decode()
    if strategy == TOGETHER:
        refused = service.get(f"/collections/{name}/release?question=rooms&method=project", role="analyst")
        assert refused.code == "unavailable"


def test_a_release_about_no_question_is_about_all(service, filled, strategy):
    name, form, held = filled
    report = read(service, f"{name}/release?form=json")
    assert (report["title"], report["n"]) == ("Districts", 1000)
    shares = dc.margins(form.tally(held["1"]) + form.tally(held["2"]))
    for question, one in report["questions"].items():
        found = one["shares"] if one["panels"] is None else one["panels"][0]["estimate"]
        np.testing.assert_allclose(found, shares[question][1], rtol=1e-12)
    assert list(report["questions"]) == list(ANSWERS)
    page = service.get(f"/collections/{name}/release", role="analyst").content.decode()
    assert all(entry["question"] in page for entry in QUESTIONS)
    refused = service.get(f"/collections/{name}/release?method=project", role="analyst")
    assert refused.status == (422 if strategy == TOGETHER else 200)


def test_a_release_about_a_box_has_its_heading(service):
    """A box alone, such as "Asthma", is no question."""
    form = dc.Form({"asthma": ["no", "yes"], "allergy": ["no", "yes"]}, "each", epsilon="4")
    boxes = [{"name": name, "question": name, "kind": "box", "group": "What do you have?"} for name in form.names]
    name = service.made(spec=form.as_dict(), question=None, words=None, questions=boxes, minimum=1)
    people = form.randomize_many({"asthma": ["no"] * 9, "allergy": ["yes"] * 9}, seeded(1))
    assert (
        service.upload(name, body(form, pack_reports(ReportPacking(form), people), week="1"), kind=PACKED).status == 200
    )
    report = read(service, f"{name}/release?question=asthma&form=json")
    assert report["question"] == "What do you have? asthma"


def test_two_questions_are_crossed_where_reports_tell_of_both(service, filled, strategy):
    name, _, _ = filled
    path = f"/collections/{name}/crosstab?first=smokes&second=travels"
    answered = service.get(path, role="analyst")
    if strategy == "one at random":
        assert (answered.status, answered.code) == (422, "unavailable")
        return
    (cell,) = answered.json["cells"]
    result = cell["result"]
    assert (cell["n"], cell["missing"], result["values"]) == (1000, 0, [ANSWERS["smokes"], ANSWERS["travels"]])
    shares, stderr = np.array(result["shares"]), np.array(result["stderr"])
    both = [answers(600), answers(400)]
    smokes, travels = (np.concatenate([one[key] for one in both]) for key in ("smokes", "travels"))
    truth = [[np.mean((smokes == x) & (travels == z)) for z in ANSWERS["travels"]] for x in ANSWERS["smokes"]]
    assert np.all(np.abs(shares - truth) < 5 * stderr + 0.005)  # of fixed words; false alarms below 4e-6
    assert np.all(np.array(result["low"]) <= shares)
    assert np.all(shares <= np.array(result["high"]))
    assert result["independence"]["p"] < 0.001  # who smokes goes by car
    by_week = service.get(f"{path}&by=week", role="analyst").json["cells"]
    assert [(cell["labels"]["week"], cell["n"], cell["missing"]) for cell in by_week] == [
        ("1", 600, 0),
        ("2", 400, 0),
        ("3", 0, 10),
    ]
    assert by_week[2]["result"] is None


@pytest.mark.parametrize("path", ["first=smokes&second=smokes", "first=smokes", "first=smokes&second=age"])
def test_what_is_crossed_must_be_two_of_the_questions(service, path):
    name = service.made(**declared("each"))
    refused = service.get(f"/collections/{name}/crosstab?{path}", role="analyst")
    assert (refused.status, refused.code) == (400, "parameter")
    single = service.made()
    refused = service.get(f"/collections/{single}/crosstab?first=a&second=b", role="analyst")
    assert (refused.status, refused.code) == (400, "parameter")


@pytest.mark.parametrize("most_bytes", [7, export.MAX_WRITTEN_BYTES])
def test_the_export_is_read_as_any_file_of_the_form(service, filled, tmp_path, monkeypatch, most_bytes):
    monkeypatch.setattr(export, "MAX_WRITTEN_BYTES", most_bytes)
    name, form, held = filled
    answered = service.get(f"/collections/{name}/export", role="analyst")
    assert answered.status == 200
    (tmp_path / "reports.parquet").write_bytes(answered.content)
    total = form.tally(held["1"]) + form.tally(held["2"])
    assert tally_form(form, [str(tmp_path / "reports.parquet")]) == total
    surveys = read_form_surveys(form, [str(tmp_path / "reports.parquet")], labels=["week"])
    assert {part: survey.n for part, survey in surveys.items()} == {part: one.n for part, one in total.items()}
    weeks = np.concatenate([survey.labels["week"] for survey in surveys.values()]).astype(str)
    assert set(weeks) == {"1", "2"}
    other = form.asking("each" if form.strategy == TOGETHER else TOGETHER)
    with pytest.raises(DiscreetError):
        tally_form(other, [str(tmp_path / "reports.parquet")])


# -- what is shown, and when ----------------------------------------------------------------------------


def test_nothing_is_shown_before_there_are_enough_people(service, strategy):
    name = service.made(**declared(strategy, minimum=10))
    form = service.mechanism(name)
    numbers, _ = packed(form, 14, 1)
    service.send(name, as_json(form, numbers[:9]))
    entry = read(service, f"{name}/shares?question=smokes")["cells"]
    assert entry == [{"labels": {}, "n": 0, "missing": 10, "result": None}]
    for path in ("tally", "release?question=smokes"):
        assert service.get(f"/collections/{name}/{path}", role="analyst").code == "below_minimum"
    if strategy != "one at random":
        (cell,) = read(service, f"{name}/crosstab?first=smokes&second=rooms")["cells"]
        assert (cell["n"], cell["missing"], cell["result"]) == (0, 10, None)
    service.send(name, as_json(form, numbers[9:10]))
    assert read(service, f"{name}/progress")["n"] == 10
    service.send(name, as_json(form, numbers[10:]))
    assert read(service, f"{name}/progress")["n"] == 10  # four wait for others
    if strategy != "one at random":
        assert read(service, f"{name}/crosstab?first=smokes&second=rooms")["cells"][0]["n"] == 10


def test_snapshots_hold_the_counts_of_all_parts(service, filled, monkeypatch):
    name, form, held = filled
    before = read(service, f"{name}/shares?by=week")
    monkeypatch.setattr(tallies, "TAIL_REPORTS", 100)
    counted = tallies.count_reports(service.store, name, form)
    assert service.store.snapshot(name).position > 0
    again = tallies.count_reports(service.store, name, form)
    assert again.tally() == counted.tally() == form.tally(held["1"]) + form.tally(held["2"])
    assert again.reports == 0
    assert read(service, f"{name}/shares?by=week") == before


def test_periods_of_a_form_are_taken_one_by_one(service, strategy):
    name = service.made(**declared(strategy, minimum=10, period="week"))
    form = service.mechanism(name)
    for week in ("1", "2"):
        numbers, _ = packed(form, 50, int(week))
        service.upload(name, body(form, numbers, week=week), kind=PACKED)
    together = read(service, f"{name}/shares?question=rooms")["cells"][0]
    assert together["periods"] == 2
    for path in ("tally", "release?question=rooms", "crosstab?first=rooms&second=smokes"):
        refused = service.get(f"/collections/{name}/{path}", role="analyst")
        assert (refused.status, refused.code) == (422, "unavailable")
        chosen = service.get(f"/collections/{name}/{path}{'&' if '?' in path else '?'}period=1", role="analyst")
        assert chosen.status == 200 or (strategy, path[:8]) == ("one at random", "crosstab")
    assert read(service, f"{name}/tally?period=1")["n"] == 50


def test_an_invitation_is_good_for_one_report_of_the_whole_form(service, strategy):
    name = service.made(**declared(strategy, access="invitation", minimum=1))
    form = service.mechanism(name)
    numbers, _ = packed(form, 3, 1)
    (one,) = service.post(f"/collections/{name}/invitations", {"count": 1}, role="admin").json["invitations"]
    assert service.send(name, as_json(form, numbers[:1])).code == "not_invited"
    assert service.send(name, as_json(form, numbers[:2]), headers=[("invitation", one)]).code == "count"
    assert service.send(name, as_json(form, numbers[:1]), headers=[("invitation", one)]).status == 200
    assert service.send(name, as_json(form, numbers[1:2]), headers=[("invitation", one)]).code == "not_invited"
    assert read(service, f"{name}/tally")["n"] == 1


def test_a_form_that_is_not_open_takes_nothing(service, strategy):
    early = service.made(**declared(strategy, opens="2999-01-01T00:00:00Z"))
    late = service.made(**declared(strategy, closes="2001-01-01T00:00:00Z"))
    closed = service.made(**declared(strategy))
    numbers, _ = packed(service.mechanism(early), 1, 1)
    assert service.post(f"/collections/{closed}/close", {}, role="admin").status == 200
    for name, state in ((early, "waiting"), (late, "closed"), (closed, "closed")):
        assert service.get(f"/collections/{name}").json["state"] == state
        assert service.send(name, as_json(service.mechanism(name), numbers)).code == "closed"


def test_reports_that_are_too_many_to_be_crossed_are_not_gathered():
    read = []

    def batches():
        for _ in range(100):
            read.append(1)
            yield ((), "2026-11-01"), [bytes(10)]

    with pytest.raises(Unavailable, match="more than the 20000000 that are crossed here"):
        crossing.reports_by_text(batches(), None, 35)
    assert len(read) == 4
    assert crossing.reports_by_text(batches(), None, 1000) == {"": bytes(1000)}
