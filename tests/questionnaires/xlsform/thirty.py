"""A questionnaire of 30 questions of every kind, in three languages."""

from __future__ import annotations

from typing import Any

LIKERT = ["strongly disagree", "disagree", "neither", "agree", "strongly agree"]
WORDS = {
    "": ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"],
    "de": ["Gar nicht", "Eher nicht", "Weder noch", "Eher ja", "Ja, sehr"],
    "ar": ["لا أوافق بشدة", "لا أوافق", "محايد", "أوافق", "أوافق بشدة"],
}


def words(language: str) -> dict[str, str]:
    return dict(zip(LIKERT, WORDS[language], strict=True))


def question(number: int) -> dict[str, Any]:
    """The questions in turn: yes or no, one of a list, a scale, a number, steps, boxes."""
    name = f"q{number}"
    asked = {"name": name, "question": f"Question {number}?", "help": f"Think of the last {number} days."}
    kinds: list[dict[str, Any]] = [
        {"kind": "yes/no", "domain": {"values": ["no", "yes"]}},
        {"kind": "choice", "domain": {"values": ["bus", "car", f"way {number}"]}, "words": {"bus": "By bus"}},
        {"kind": "scale", "domain": {"values": LIKERT}, "words": words("")},
        {"kind": "number", "unit": "years", "domain": {"values": {"from": 18, "to": 18 + number}}},
        {"kind": "scale", "domain": {"values": {"from": 0, "to": 10, "step": 2}}},
        {"kind": "choice", "domain": {"values": [1, 2, 98]}, "words": {"98": "=1+1, I do not know"}},
    ]
    return asked | kinds[number % len(kinds)]


CONTEXTS: list[dict[str, Any]] = [
    {"form": "high_low", "sensitive": ["yes"], "epsilon": "1"},
    {"form": "uniform", "epsilon": "1/3"},
    {"form": "metric", "points": [1, 2, 3, 4, 5], "epsilon": "0.7"},
    {"form": "metric", "distance": "line", "epsilon": "0.25"},
    {"form": "metric", "distance": "ring", "around": 24, "epsilon": "0.1"},
    {
        "form": "outside",
        "outside": [98],
        "scale": {"form": "metric", "distance": "line", "epsilon": "1"},
        "epsilon": "2",
    },
]


def boxes(group: str, *names: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "question": f"Has {name}?", "group": group, "kind": "box", "domain": {"values": ["no", "yes"]}}
        for name in names
    ]


def thirty(*, own: bool = False, language: str = "en", strategy: str = "one at random") -> dict[str, Any]:
    """The plain data of the questionnaire; `own` gives each question a context of its own."""
    questions = [question(number) for number in range(23)]
    if own:
        questions = [one | {"context": CONTEXTS[number % 6]} for number, one in enumerate(questions)]
    more = boxes("What do you have?", "has_car", "has_bike", "has_dog") + boxes("And at home?", "a garden", "kids")
    more[0]["help"] = "Tick all that are there."
    last = {"name": "9 words, no name for ODK", "question": "Free?", "kind": "choice"}
    more += [*boxes("One alone", "boat"), last | {"domain": {"values": ["a", "b"]}}]
    if own:
        more = [one | {"context": {"form": "uniform", "epsilon": "2"}} for one in more]
    questions += more
    translations = {}
    for code in ("de", "ar"):
        texts = {one["name"]: {"question": f"{code}: {one['question']}"} for one in questions}
        for one in questions:
            if "words" in one:
                own_words = words(code) if one["kind"] == "scale" else {key: f"{code} {key}" for key in one["words"]}
                texts[one["name"]]["words"] = own_words
            if one["kind"] == "box":
                texts[one["name"]]["group"] = f"{code}: {one['group']}"
            if "unit" in one:
                texts[one["name"]]["unit"] = f"{code} years"
        translations[code] = {
            "title": f"{code} title",
            "introduction": f"{code} introduction",
            "consent": f"{code} consent",
            "questions": texts,
            "background": {"region": {"question": f"{code} region?", "words": {"north": f"{code} north"}}},
        }
    return {
        "name": "thirty",
        "note": "version 2026-11",
        "title": "Thirty questions",
        "asker": "An institute, mail@example.org",
        "introduction": "Welcome.\n\nIt takes five minutes.",
        "consent": "I take part of my own will.",
        "thanks": "Thank you.",
        "language": language,
        "minimum": 200,
        "opens": "2026-12-01T00:00:00Z",
        "labels": {"region": ["north", "south"], "wave": ["1", "2"]},
        "background": [{"name": "region", "question": "Where do you live?", "words": {"north": "In the north"}}],
        "form": {"strategy": strategy, **({} if own else {"epsilon": "2.5"})},
        "questions": questions,
        "translations": translations,
    }
