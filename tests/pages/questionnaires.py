"""A questionnaire with every kind of question, in English, German and Arabic, for the tests of the answer page."""

from discreet.wire.questionnaire import Questionnaire

HOLDS = "prefer not to say"

QUESTIONS = [
    {
        "name": "travels",
        "question": "How do you usually travel to work?",
        "help": "On most days of the last month.",
        "kind": "choice",
        "domain": {"values": ["foot", "bike", "bus", "car"]},
        "words": {"foot": "on foot", "bike": "by bike", "bus": "by bus or train", "car": "by car"},
        "context": {"form": "high_low", "sensitive": ["car"], "epsilon": "1"},
    },
    {
        "name": "content",
        "question": "How content are you with your work?",
        "kind": "scale",
        "domain": {"values": [*range(11), HOLDS]},
        "words": {"0": "0, not at all", "10": "10, completely"},
        "context": {
            "form": "outside",
            "scale": {"form": "metric", "distance": "line", "epsilon": "0.2"},
            "outside": [HOLDS],
            "epsilon": "1",
        },
    },
    {
        "name": "hours",
        "question": "How many hours did you work last week?",
        "kind": "number",
        "unit": "hours",
        "domain": {"values": list(range(0, 81, 5))},
        "context": {"form": "metric", "distance": "line", "epsilon": "0.025"},
    },
    {
        "name": "night",
        "question": "Do you work at night?",
        "kind": "yes/no",
        "domain": {"values": ["no", "yes"]},
        "context": {"form": "uniform", "epsilon": "1"},
    },
    {
        "name": "back",
        "question": "back pain",
        "kind": "box",
        "group": "Which of these did you have this year?",
        "domain": {"values": ["no", "yes"]},
        "context": {"form": "uniform", "epsilon": "1"},
    },
    {
        "name": "sleep",
        "question": "trouble sleeping",
        "help": "More than one night a week.",
        "kind": "box",
        "group": "Which of these did you have this year?",
        "domain": {"values": ["no", "yes"]},
        "context": {"form": "uniform", "epsilon": "1"},
    },
]
GERMAN = {
    "title": "Arbeit und Gesundheit",
    "introduction": "Wir möchten wissen, wie es den Menschen im Hafen bei der Arbeit geht.\nEs dauert drei Minuten.",
    "consent": "Ihre verfremdeten Antworten werden bis 2028 aufbewahrt und nur für diese Studie benutzt.",
    "thanks": "Danke, dass Sie dabei waren!",
    "questions": {
        "travels": {
            "question": "Wie kommen Sie meistens zur Arbeit?",
            "help": "An den meisten Tagen des letzten Monats.",
            "words": {"foot": "zu Fuß", "bike": "mit dem Rad", "bus": "mit Bus oder Bahn", "car": "mit dem Auto"},
        },
        "content": {
            "question": "Wie zufrieden sind Sie mit Ihrer Arbeit?",
            "words": {"0": "0, gar nicht", "10": "10, vollkommen", HOLDS: "keine Angabe"},
        },
        "hours": {"question": "Wie viele Stunden haben Sie letzte Woche gearbeitet?", "unit": "Stunden"},
        "night": {"question": "Arbeiten Sie nachts?"},
        "back": {"question": "Rückenschmerzen", "group": "Was davon hatten Sie dieses Jahr?"},
        "sleep": {
            "question": "schlechten Schlaf",
            "help": "Öfter als eine Nacht in der Woche.",
            "group": "Was davon hatten Sie dieses Jahr?",
        },
    },
    "background": {"region": {"question": "Wo wohnen Sie?", "words": {"north": "im Norden", "south": "im Süden"}}},
}
ARABIC = {
    "title": "العمل والصحة",
    "introduction": "نريد أن نعرف أحوال العاملين في الميناء.\nيستغرق ذلك ثلاث دقائق.",
    "consent": "تُحفظ إجاباتك المموَّهة حتى عام 2028، ولا تُستخدم إلا في هذه الدراسة.",
    "thanks": "شكرًا على مشاركتك!",
    "questions": {
        "travels": {
            "question": "كيف تذهب إلى العمل عادةً؟",
            "help": "في معظم أيام الشهر الماضي.",
            "words": {"foot": "مشيًا", "bike": "بالدراجة", "bus": "بالحافلة أو القطار", "car": "بالسيارة"},
        },
        "content": {
            "question": "ما مدى رضاك عن عملك؟",
            "words": {"0": "0، غير راضٍ إطلاقًا", "10": "10، راضٍ تمامًا", HOLDS: "أفضّل عدم الإجابة"},
        },
        "hours": {"question": "كم ساعة عملت في الأسبوع الماضي؟", "unit": "ساعة"},
        "night": {"question": "هل تعمل ليلًا؟"},
        "back": {"question": "آلام الظهر", "group": "أيٌّ مما يلي أصابك هذا العام؟"},
        "sleep": {
            "question": "صعوبة النوم",
            "help": "أكثر من ليلة في الأسبوع.",
            "group": "أيٌّ مما يلي أصابك هذا العام؟",
        },
    },
    "background": {"region": {"question": "أين تسكن؟", "words": {"north": "في الشمال", "south": "في الجنوب"}}},
}
WORK = {
    "title": "Work and health",
    "asker": "Harbour Health Study, University of Aldermoor, study@aldermoor.example",
    "introduction": "We would like to know how people in the harbour are doing at work.\nIt takes three minutes.",
    "consent": "Your scrambled answers are kept until 2028, and used for this study alone.",
    "thanks": "Thank you for taking part!",
    "language": "en",
    "minimum": 1,
    "labels": {"region": ["north", "south"]},
    "background": [
        {
            "name": "region",
            "question": "Where do you live?",
            "words": {"north": "in the north", "south": "in the south"},
        }
    ],
    "form": {"strategy": "each"},
    "questions": QUESTIONS,
    "translations": {"ar": ARABIC, "de": GERMAN},
}


def declaration(strategy="each", **more):
    """The body that declares it, by one of the strategies."""
    return Questionnaire.of({**WORK, "form": {"strategy": strategy}, **more}).declaration()


FEW = ("travels", "night", "back", "sleep")


def small(strategy):
    """The same with fewer answers and questions, for all of them together as one value."""
    kept = [one for one in QUESTIONS if one["name"] in FEW]
    translations = {
        name: {**one, "questions": {key: entry for key, entry in one["questions"].items() if key in FEW}}
        for name, one in WORK["translations"].items()
    }
    return declaration(strategy, questions=kept, translations=translations)
