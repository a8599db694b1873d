"""Laws of uploads: what is taken, what is refused and why, and that nothing is taken twice."""

import itertools
import json
from datetime import UTC, datetime, timedelta

import pytest

from discreet.bulk.report_files import reports_to_bytes
from discreet.bulk.words import seeded
from discreet.collector.declaration import format_moment
from discreet.collector.http.upload_decoder import MAX_REFUSED, PACKED, UploadDecoder
from discreet.core.canonical import canonical

WIDE = '[domain]\nsize = 60\n[context]\nform = "uniform"\nepsilon = "1"\n[mechanism]\nname = "unary"\n'


def stored(service, name):
    return [(batch.labels, batch.count, batch.reports) for batch in service.store.batches(name)]


def packed(service, name, reports, **more):
    line = canonical({"fingerprint": service.mechanism(name).fingerprint, "version": 1, **more})
    return line.encode() + b"\n" + reports


def test_a_report_is_stored_with_its_label_and_the_day(service, name):
    answered = service.send(name, [0], number="one", labels={"week": "1"})
    assert (answered.status, answered.json) == (200, {"accepted": 1, "refused": [], "upload": "one"})
    assert stored(service, name) == [((("week", "1"),), 1, b"\0")]
    (batch,) = service.store.batches(name)
    assert batch.day == datetime.now(UTC).date().isoformat()


def test_an_upload_again_gets_the_first_answer_and_changes_nothing(service, name):
    first = service.send(name, [0, 99], number="one")
    again = service.send(name, [0, 99], number="one")
    assert (again.status, again.content) == (200, first.content)
    assert len(stored(service, name)) == 1


def test_other_bytes_under_the_same_number_are_a_conflict(service, name):
    service.send(name, [0], number="one")
    assert service.send(name, [1], number="one").code == "conflict"
    assert service.send(name, [1], number="one").status == 409
    body = json.dumps({"fingerprint": service.mechanism(name).fingerprint, "reports": [0], "version": 1}).encode()
    assert service.upload(name, body, number="one", kind=PACKED).status == 400


def test_one_bad_report_does_not_fail_the_rest(service, name):
    answered = service.send(name, [0, 99, 1, "0", 2.0, True, None, -1, 10**30], number="one")
    assert answered.status == 200
    assert answered.json["accepted"] == 2
    forms, impossible = [3, 4, 5, 6], [1, 7, 8]
    assert answered.json["refused"] == sorted(
        [[index, "form"] for index in forms] + [[index, "impossible"] for index in impossible]
    )
    assert stored(service, name) == [((), 2, b"\0\1")]


@pytest.mark.parametrize("many", [1, 5000])
@pytest.mark.parametrize("part", [[], {}, [0], {"a": {}}, ["0", []]])
def test_what_has_parts_is_no_report_and_no_upload_holds_it(service, name, part, many):
    """A body is refused for it before it is any object of Python's, however large."""
    for reports in ([part] * many, [0] * many + [part], [part] + [0] * many):
        answered = service.send(name, reports)
        assert (answered.status, answered.code) == (400, "json")
    assert stored(service, name) == []


@pytest.mark.parametrize(
    "change",
    [
        ("[0,", "[,0,"), (",0]", ",0,]"), (",0]", ",0]]"), (",0]", ',0"]'), ("0,0,0", "0,,0"), (",0]", ",0],[0]"),
        (",0]", ',"a,b]'), (",0]", ',0],"reports":[0]'), (",0]", ',0],"labels":{"reports":[0]}'), (",0]", ",0 0]"),
    ],
)  # fmt: skip
def test_a_large_body_is_read_as_strictly_as_a_small_one(service, name, change):
    start = f'{{"fingerprint":"{service.mechanism(name).fingerprint}","version":1,"reports":['
    for many in (10, 3000, 200_000):
        good = start + "0," * many + "0]}"
        changed = good.replace(*change, 1) if change[0] != ",0]" else good[: -len(",0]}")] + change[1] + "}"
        assert service.upload(name, changed.encode()).status in (400, 422), (many, change)
        assert service.upload(name, good.encode()).json["accepted"] == many + 1


def test_reports_of_a_large_body_may_stand_anywhere_in_it(service, name):
    fingerprint = service.mechanism(name).fingerprint
    reports = ",\n ".join(["0", "1", "2"] * 70_000)
    body = f'{{"version":1,"labels":{{"week":"2"}}, "reports" :\t[{reports}\n],"fingerprint":"{fingerprint}"}}'
    assert service.upload(name, body.encode()).json["accepted"] == 210_000
    ((labels, count, kept),) = stored(service, name)
    assert (labels, count, bytes(kept)) == ((("week", "2"),), 210_000, bytes([0, 1, 2] * 70_000))


def test_a_large_body_has_a_million_reports_at_most_and_is_counted_before_it_is_decoded(service, name, monkeypatch):
    fingerprint = service.mechanism(name).fingerprint
    body = f'{{"fingerprint":"{fingerprint}","version":1,"reports":[{"0," * 10**6}0]}}'.encode()
    monkeypatch.setattr(UploadDecoder, "_pieces", None)
    assert service.upload(name, body).code == "count"


@pytest.mark.parametrize("many", [1, 5000])
def test_the_places_of_bad_reports_are_those_of_the_array_path(service, name, many):
    reports = [0, 1, 2] * many
    reports[1] = reports[-1] = 99
    answered = service.send(name, reports)
    last = len(reports) - 1
    assert answered.json["refused"] == [[1, "impossible"], [last, "impossible"]]
    as_bytes = packed(service, name, bytes(reports))
    again = service.upload(name, as_bytes, kind=PACKED)
    assert again.json["refused"] == answered.json["refused"]
    assert stored(service, name)[0] == stored(service, name)[1]


def test_many_good_reports_in_json_are_those_that_are_packed(service, name):
    reports = [0, 1, 2, 3] * 50
    assert service.send(name, reports).json["accepted"] == 200
    assert {batch[2] for batch in stored(service, name)} == {bytes(reports)}


@pytest.mark.parametrize(("odd", "code"), [(-1, "impossible"), (1 << 40, "impossible"), ("1", "form"), (1.0, "form")])
def test_an_odd_report_among_many_is_found(service, name, odd, code):
    reports = [0, 1, 2, 3] * 50
    reports[77] = odd
    assert service.send(name, reports).json["refused"] == [[77, code]]
    assert stored(service, name)[0][1] == 199


def test_if_none_is_possible_nothing_is_stored(service, name):
    answered = service.send(name, [99, "x"], number="one")
    assert (answered.status, answered.code) == (422, "impossible")
    assert stored(service, name) == []
    assert service.send(name, [0], number="one").status == 200


def test_an_upload_of_mostly_impossible_reports_is_refused_whole(service, name):
    reports = [0] + [99] * (MAX_REFUSED + 1)
    assert service.send(name, reports).code == "impossible"
    assert service.upload(name, packed(service, name, bytes(reports)), kind=PACKED).code == "impossible"
    assert stored(service, name) == []


def test_packed_reports_are_stored_as_they_are(service, name):
    mechanism = service.mechanism(name)
    reports = mechanism.randomize_indices([0, 1, 2, 3, 4] * 100, seeded(3))
    body = packed(service, name, reports_to_bytes(mechanism, reports), labels={"week": "2"})
    assert service.upload(name, body, kind=PACKED).json["accepted"] == 500
    assert stored(service, name) == [((("week", "2"),), 500, reports_to_bytes(mechanism, reports))]


def test_wide_reports_are_hexadecimal_text(service):
    name = service.made(spec=WIDE, words=None)
    mechanism = service.mechanism(name)
    report = mechanism.randomize(7, seeded(1))
    digits = f"{report:015x}"
    answered = service.send(name, [digits, digits.upper(), report, "0" + digits, "g" * 15])
    assert answered.json["accepted"] == 1
    assert [index for index, code in answered.json["refused"] if code == "form"][-3:] == [2, 3, 4]
    assert stored(service, name)[0][2][:8] == report.to_bytes(8, "little")
    body = packed(service, name, report.to_bytes(8, "little") + b"\xff" * 8)
    assert service.upload(name, body, kind=PACKED).json["refused"] == [[1, "impossible"]]


def test_reports_of_another_law_are_refused(service, name):
    other = {"fingerprint": "0" * 64, "reports": [0], "version": 1}
    assert (service.upload(name, other).status, service.upload(name, other).code) == (422, "other_law")


@pytest.mark.parametrize("labels", [{"week": "9"}, {"day": "1"}, {"week": 1}, {"week": ["1"]}, {"week": None}])
def test_labels_that_were_not_declared_are_refused(service, name, labels):
    assert (service.send(name, [0], labels=labels).status, service.send(name, [0], labels=labels).code) == (
        422,
        "label",
    )


@pytest.mark.parametrize("count", [0, 1_000_001])
def test_too_few_and_too_many_reports_are_refused(service, name, count):
    assert service.upload(name, packed(service, name, b"\0" * count), kind=PACKED).code == "count"


def test_a_million_reports_are_taken(service, name):
    answered = service.upload(name, packed(service, name, b"\0" * 1_000_000), kind=PACKED)
    assert answered.json["accepted"] == 1_000_000


def test_of_wide_reports_an_upload_holds_four_mebibytes(service):
    spec = {"domain": {"size": 800}, "context": {"form": "uniform", "epsilon": "1"}, "mechanism": {"name": "unary"}}
    name = service.made(spec=spec, words=None)
    for count, status in ((41_943, 200), (41_944, 422)):
        answered = service.upload(name, packed(service, name, bytes(100 * count)), kind=PACKED)
        assert answered.status == status
    assert answered.json["detail"] == "an upload to this collection must hold 1 to 41943 reports"


def test_a_closed_collection_gives_first_answers_only(service, name):
    first = service.send(name, [0], number="one")
    closed = service.ask("POST", f"/collections/{name}/close", role="admin")
    assert (closed.status, closed.json) == (200, {"id": name, "state": "closed"})
    assert service.ask("POST", f"/collections/{name}/close", role="admin").status == 200
    again = service.send(name, [0], number="two")
    assert (again.status, again.code) == (403, "closed")
    assert service.send(name, [0], number="one").content == first.content
    assert service.send(name, [1], number="one").code == "conflict"
    assert [entry.kind for entry in service.store.log()] == ["created", "closed"]


def test_a_collection_closed_by_another_process_takes_nothing(service, name):
    service.store.close(name, day="2026-11-17")
    assert service.send(name, [0]).code == "closed"


def test_a_collection_takes_reports_only_between_its_times(service):
    now, day = datetime.now(UTC), timedelta(days=1)
    early = service.made(opens=format_moment(now + day), closes=format_moment(now + 2 * day))
    late = service.made(opens=format_moment(now - 2 * day), closes=format_moment(now - day))
    right = service.made(opens=format_moment(now - day), closes=format_moment(now + day))
    assert [service.send(name, [0]).status for name in (early, late, right)] == [403, 403, 200]
    states = [row["state"] for row in service.get("/collections").json["collections"]]
    assert states == ["waiting", "closed", "open"]


def test_an_invitation_is_good_for_one_upload_of_one_report(service):
    name = service.made(access="invitation")
    made = service.post(f"/collections/{name}/invitations", {"count": 2}, role="admin").json["invitations"]
    assert service.send(name, [0]).code == "not_invited"
    assert service.send(name, [0], headers=[("invitation", "x")]).code == "not_invited"
    assert service.send(name, [0, 1], headers=[("invitation", made[0])]).code == "count"
    first = service.send(name, [0], number="one", headers=[("invitation", made[0])])
    assert first.status == 200
    assert service.send(name, [0], headers=[("invitation", made[0])]).code == "not_invited"
    assert service.send(name, [0], number="one", headers=[("invitation", made[0])]).content == first.content
    assert service.send(name, [0], number="one").content == first.content  # a repetition needs none
    assert service.store.invitations(name) == (2, 1)


def test_looks_around_one_person_tell_nothing_of_invitations_and_refusals(service):
    """After each person `progress` and the overview differ by 0 or by `minimum`."""
    name = service.made(access="invitation")
    made = service.post(f"/collections/{name}/invitations", {"count": 12}, role="admin").json["invitations"]
    shown, exact = [(0, 0)], [(0, 0)]
    for invitation in made:
        service.send(name, [99], headers=[("invitation", invitation)])
        service.send(name, [0], headers=[("invitation", invitation)])
        service.service._keep_refusals()
        progress = service.get(f"/collections/{name}/progress", role="analyst").json
        (row,) = service.get("/overview", role="admin").json["collections"]
        assert (row["invitations"], row["refused"]) == (progress["invitations"], progress["refused"])
        shown.append((progress["invitations"]["spent"], progress["refused"].get("report_impossible", 0)))
        exact.append((service.store.invitations(name)[1], service.store.refusals()[name, "report_impossible"]))
    steps = {after - before for looks in zip(*shown, strict=True) for before, after in itertools.pairwise(looks)}
    assert steps == {0, progress["minimum"]}
    assert shown[-1] == (10, 10)
    assert exact == [(n, n) for n in range(13)], "the control: exact counts tell each person"


def test_a_full_disk_and_a_failed_store_are_said_and_pass(service, name):
    assert service.get(f"/collections/{name}").json["state"] == "open"
    service.store.full = True
    answered = service.send(name, [0], number="one")
    assert (answered.status, answered.code) == (507, "full")
    assert int(answered.headers["retry-after"]) > 0
    assert service.get(f"/collections/{name}").json["state"] == "full"
    service.store.full, service.store.failing = False, True
    answered = service.send(name, [0], number="one")
    assert (answered.status, answered.code) == (503, "busy")
    service.store.failing = False
    assert service.send(name, [0], number="one").status == 200


def test_too_many_uploads_are_told_to_come_later(make):
    service = make(uploads_per_second=1)
    name = service.made()
    answered = [service.send(name, [0]) for _ in range(4)]
    assert {one.status for one in answered} == {200, 429}
    late = next(one for one in answered if one.status == 429)
    assert (late.code, late.headers["retry-after"]) == ("too_fast", "1")


def test_uploads_beyond_those_that_may_wait_are_told_to_come_later(service, name):
    service.service.waiting_uploads = service.service.settings.uploads_at_once
    assert (service.send(name, [0]).status, service.send(name, [0]).code) == (503, "busy")


def test_what_is_refused_is_counted_by_reason_and_kept(service, name):
    service.send(name, [0, 99, "x"])
    service.send(name, [99])
    service.send(name, [0], labels={"week": "9"})
    service.upload("0" * 16, {})
    service.service._keep_refusals()
    refused = service.store.refusals()
    assert refused[name, "report_impossible"] == 2
    assert refused[name, "report_form"] == 1
    assert refused[name, "impossible"] == 1
    assert refused[name, "label"] == 1
    assert refused["", "not_found"] == 1
    assert service.get(f"/collections/{name}/progress", role="analyst").json["refused"] == {}
