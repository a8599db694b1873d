"""Workbooks for the tests, made by openpyxl as people make them."""

from __future__ import annotations

from openpyxl import Workbook


def book(path, survey, choices=(), settings=(), **others):
    """An .xlsx file with these sheets, each a list of rows."""
    made = Workbook()
    made.remove(made.active)
    for name, rows in {"survey": survey, "choices": choices, "settings": settings, **others}.items():
        if rows:
            sheet = made.create_sheet(name)
            for row in rows:
                sheet.append(row)
    made.save(path)
    return path


YES_NO = [["list_name", "name", "label"], ["yn", "yes", "Yes"], ["yn", "no", "No"]]

WIDGETS = [
    ["type", "name", "label", "hint", "appearance", "required", "relevant", "constraint", "constraint_message",
     "calculation", "choice_filter", "default", "read_only", "parameters", "media::image", "body::accuracyThreshold"],
    ["note", "intro", "Welcome to this form. It has one of each widget.", "Swipe to begin."],
    [],
    ["begin_group", "text_widgets", "Widgets for text", "", "field-list"],
    ["text", "string", "Write some text", "Any text will do"],
    ["text", "string_number", "Write a number as text", "", "numbers"],
    ["text", "url", "Open a page", "", "url", "", "", "", "", "", "", "https://example.org"],
    ["end_group"],
    ["begin group", "number_widgets", "Widgets for numbers"],
    ["integer", "age", "How old are you?", "In years", "", "yes", "", ". >= 0 and . <= 120", "No such age"],
    ["integer", "any", "Any whole number?", "", "thousands-sep"],
    ["integer", "income", "What do you earn a month?", "", "", "", "", "(. > 0) and (. < 20001) and . != 999"],
    ["decimal", "weight", "How heavy is it?", "", "bearing"],
    ["range", "stars", "How many stars?", "", "rating", "", "", "", "", "", "", "", "", "start=1 end=5 step=1"],
    ["range", "percent", "Per cent?", "", "vertical", "", "", "", "", "", "", "", "", "start=0;end=100;step=5"],
    ["range", "half", "In halves?", "", "picker", "", "", "", "", "", "", "", "", "start=0.5 end=5 step=0.5"],
    ["end group"],
    ["image", "selfie", "Take a picture", "", "new-front"],
    ["image", "sign", "Sign here", "", "signature"],
    ["audio", "sound", "Record a sound"],
    ["video", "film", "Record a film"],
    ["file", "paper", "Add a file"],
    ["barcode", "code", "Scan a code"],
    ["date", "day", "Which day?", "", "no-calendar"],
    ["time", "hour", "What time?"],
    ["datetime", "moment", "When?"],
    ["geopoint", "place", "Where are you?", "", "placement-map", "", "", "", "", "", "", "", "", "", "", 5],
    ["geotrace", "line", "Which way?"],
    ["geoshape", "area", "Which area?"],
    ["begin_group", "select_widgets", "Widgets for choices", "", "", "", "${age} > 17"],
    ["select_one letters", "letter", "Which letter?", "", "minimal", "no"],
    ["select_one letters or_other", "letter_more", "Which letter, or another?"],
    ["select_one yn", "consented", "Have you been asked, ${age} years old?", "", "quick"],
    ["select_one agree", "fine", "Is this form fine?", "", "likert"],
    ["select_multiple letters", "many", "Which letters?", "Tick all", "columns-2"],
    ["select_one cities", "city", "Which city?", "", "autocomplete", "", "", "", "", "", "country=${letter}"],
    ["select_one_from_file places.csv", "place_in_file", "Which place?"],
    ["rank letters", "order", "In what order?"],
    ["select_one letters", "shown", "Which picture?", "", "image-map", "", "", "", "", "", "", "", "", "randomize=true",
     "map.svg"],
    ["end_group"],
    ["acknowledge", "late", "I have seen this."],
    ["note", "between", "The next ones are repeated."],
    ["begin_repeat", "children", "Children"],
    ["integer", "child_age", "How old is this child?", "", "", "", "", ". >= 0 and . <= 17"],
    ["end_repeat"],
    ["calculate", "twice", "", "", "", "", "", "", "", "${age} * 2"],
    ["start", "begun"],
    ["end", "ended"],
    ["today", "today"],
    ["deviceid", "device"],
    ["audit", "audit"],
    ["hidden", "secret"],
    ["magic", "wand", "A type that nobody knows"],
    ["select_one yn", "again", "Would you do it again?", "", "", "", "", "", "", "", "", "yes"],
    ["note", "end_note", "Thank you for all of it."],
]  # fmt: skip
CHOICES = [
    ["list_name", "name", "label", "country", "image"],
    ["letters", "a", "A", "", "a.png"],
    ["letters", "b", "B"],
    ["letters", "c", "C"],
    ["yn", "yes", "Yes"],
    ["yn", "no", "No"],
    ["agree", 1, "Not at all"],
    ["agree", 2, "So so"],
    ["agree", 3, "Very"],
    ["cities", "ulm", "Ulm", "a"],
    ["cities", "bonn", "Bonn", "b"],
    ["unused", "x", "X"],
]
SETTINGS = [
    ["form_title", "form_id", "version", "style", "instance_name", "public_key"],
    ["All widgets", "all_widgets", 20261101, "pages", "${string}", "MIIB"],
]
"""A form with the layout of the ones with all widgets that ODK and KoboToolbox show, in words of our own."""
