"""The types of rows of a survey: what each is called, and why some have no place in a questionnaire."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.domain import Value

SELECT = re.compile(
    r"(?P<type>select_one|select one from|select one|select1|add select one prompt using|"
    r"select_multiple|select all that apply from|select all that apply|select multiple from|select multiple|"
    r"add select multiple prompt using)\s+(?P<list>\S+)(?P<other>\s+(or_other|or specify other))?",
    re.IGNORECASE,
)
"""A type that names a list of choices."""
BEGIN = re.compile(r"begin[ _](\w+)(?: .*)?", re.IGNORECASE)
END = re.compile(r"end[ _](\w+)", re.IGNORECASE)

OPEN = "an open answer cannot be randomized, and is left out: ask it without discreet, or as a choice"
NUMBERS = "left out: say from where to where, as the constraint . >= 0 and . <= 99.5"
TIMES = "left out: dates and times are not asked; ask in whole years, or in bands"
PLACES = "left out: a place on a map is not asked; ask for one of a list of areas"
MEDIA = "left out: pictures, sounds, films, files and codes cannot be randomized"
DEVICE = "left out: nothing about the person, the device or the time is recorded"
FILES = "left out: only the lists of the sheet choices are read"
LEFT_OUT = {
    **dict.fromkeys(("text", "string", "email"), OPEN),
    "decimal": NUMBERS,
    **dict.fromkeys(("date", "time", "datetime"), TIMES),
    **dict.fromkeys(("geopoint", "location", "geotrace", "geoshape", "start-geopoint", "osm", "map"), PLACES),
    **dict.fromkeys(
        ("image", "photo", "audio", "video", "file", "barcode", "background-audio", "signature", "draw"), MEDIA
    ),
    **dict.fromkeys(
        ("start", "end", "today", "deviceid", "imei", "subscriberid", "simserial", "phonenumber", "phone_number",
         "username", "audit"),
        DEVICE,
    ),
    **dict.fromkeys(("calculate", "hidden"), "left out: nothing is calculated or looked up"),
    "rank": "left out: an order of choices is not asked; ask which comes first",
}  # fmt: skip
"""Why a type is left out, by its first word."""

BLOCKS = {
    "repeat": "left out with all that is in it: nothing is asked more than once",
    "kobomatrix": "left out with all that is in it: ask its rows as questions of their own",
    "rank": "left out with all that is in it: an order of choices is not asked",
    "score": "left out with all that is in it: ask its rows as questions of their own",
    "loop": "left out with all that is in it: ask its rows as questions of their own",
}
"""Why a block of rows is left out, by what follows ``begin_``; any other one is a group."""

YES_NO = ({"yes", "no"}, {"y", "n"})
"""The choices that make a question one of yes or no."""
MAX_POINTS = 11
"""The most points of a range that is shown as a scale."""


def reason(written: str) -> str:
    """Why a row of this type is left out."""
    if "from_file" in written or "external" in written.split()[0]:
        return FILES
    return LEFT_OUT.get(written.split()[0].lower(), "left out: this type of question is not known")


def kind_of_list(values: Sequence[Value], appearance: str) -> str:
    """How one of a list of choices is shown, unless the row says it."""
    if {str(value).lower() for value in values} in YES_NO and len(values) == 2:
        return "yes/no"
    return "scale" if "likert" in appearance.lower().split() else "choice"
