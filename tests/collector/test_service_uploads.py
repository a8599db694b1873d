"""Laws of uploads: what is taken, what is refused and why, and that nothing is taken twice."""


def reports_of(service, name, count):
    all_ = list(service.mechanism(name).reports())
    return [all_[i % len(all_)] for i in range(count)]


def test_a_report_is_taken(service, name):
    answered = service.send(name, [0], number="one", labels={"week": "1"})
    assert (answered.status, answered.json) == (200, {"accepted": 1, "refused": [], "upload": "one"})
    (batch,) = service.store.batches(name)
    assert (batch.labels, batch.count, batch.reports) == ((("week", "1"),), 1, b"\0")
