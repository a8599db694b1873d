"""A collection of a form with the reports of made-up people, who answer as each other in part."""

import numpy as np

import discreet as dc
from discreet.questionnaires.packing import pack_reports
from discreet.wire.form_reports import ReportPacking

HABITS = {
    "title": "Health and habits",
    "questions": [
        {"name": "smoke", "question": "Do you smoke?", "kind": "yes/no"},
        {"name": "travel", "question": "How do you travel to work?", "words": {"bike": "by bicycle"}},
        {"name": "content", "question": "How content are you?", "kind": "scale"},
        {"name": "car", "question": "a car", "group": "What do you own?", "kind": "box"},
        {"name": "boat", "question": "a boat", "group": "What do you own?", "kind": "box"},
    ],
    "labels": {"region": ["north", "south"]},
    "minimum": 50,
    "changes": "refuse",
    "access": "open",
}
ANSWERS = {
    "smoke": ["yes", "no"],
    "travel": ["bus", "car", "bike"],
    "content": ["not at all", "a little", "quite", "very"],
    "car": ["no", "yes"],
    "boat": ["no", "yes"],
}


def spec(strategy, names, epsilon="2"):
    """The form of some of these questions, at this epsilon each."""
    context = {"form": "uniform", "epsilon": epsilon}
    questions = [{"name": name, "domain": {"values": ANSWERS[name]}, "context": context} for name in names]
    return {"form": {"strategy": strategy}, "questions": questions}


def answers(people):
    """Answers of so many people: who smokes takes the car."""
    number = np.arange(people)
    smoke = number % 4 == 0
    return {
        "smoke": np.where(smoke, "yes", "no"),
        "travel": np.where(smoke, "car", np.array(["bus", "bike", "car"])[number % 3]),
        "content": np.array(ANSWERS["content"])[number % 4],
        "car": np.where(smoke, "yes", "no"),
        "boat": np.where(number % 20 == 0, "yes", "no"),
    }


def fill(collector, strategy, people=0, *, names=tuple(ANSWERS), **more):
    """The id of a new collection by a strategy, with reports of so many people in each region."""
    questions = [one for one in HABITS["questions"] if one["name"] in names]
    declaration = {**HABITS, "questions": questions, "spec": spec(strategy, names), **more}
    made = collector.ask("/collections", declaration)
    form = dc.Form.of(declaration["spec"])
    packing = ReportPacking(form)
    for seed, region in enumerate(["north", "south"] if people else []):
        held = {name: column for name, column in answers(people).items() if name in names}
        reports = form.randomize_many(held, dc.random.seeded(seed))
        numbers = [packing.to_json(number) for number in map(int, pack_reports(packing, reports))]
        body = {"fingerprint": form.fingerprint, "labels": {"region": region}, "reports": numbers, "version": 1}
        key = {"idempotency-key": f"people-{made['id']}-{seed}"}
        collector.ask(f"/collections/{made['id']}/reports", body, **key)
    return made["id"]
