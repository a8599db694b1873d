"""The languages of columns such as ``label::English (en)``."""

from __future__ import annotations

import re

from ...wire.texts import LANGUAGE

NAMES = {
    "en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ar": "العربية", "pt": "Português",
    "it": "Italiano", "nl": "Nederlands", "ru": "Русский", "uk": "Українська", "pl": "Polski", "tr": "Türkçe",
    "fa": "فارسی", "ps": "پښتو", "ur": "اردو", "hi": "हिन्दी", "bn": "বাংলা", "ne": "नेपाली", "my": "မြန်မာ",
    "th": "ไทย", "vi": "Tiếng Việt", "id": "Bahasa Indonesia", "zh": "中文", "ja": "日本語", "ko": "한국어",
    "sw": "Kiswahili", "am": "አማርኛ", "so": "Soomaali", "ha": "Hausa", "ht": "Kreyòl ayisyen", "ku": "Kurdî",
    "he": "עברית", "el": "Ελληνικά", "sv": "Svenska", "da": "Dansk", "fi": "Suomi", "nb": "Norsk bokmål",
    "cs": "Čeština", "hu": "Magyar", "ro": "Română", "rw": "Kinyarwanda", "ln": "Lingála", "wo": "Wolof",
}  # fmt: skip
"""What languages call themselves, by their codes."""

ENGLISH = {
    "german": "de", "french": "fr", "spanish": "es", "arabic": "ar", "portuguese": "pt", "italian": "it",
    "dutch": "nl", "russian": "ru", "ukrainian": "uk", "polish": "pl", "turkish": "tr", "persian": "fa", "farsi": "fa",
    "dari": "fa", "pashto": "ps", "urdu": "ur", "hindi": "hi", "bengali": "bn", "bangla": "bn", "nepali": "ne",
    "burmese": "my", "thai": "th", "vietnamese": "vi", "indonesian": "id", "bahasa": "id", "chinese": "zh",
    "japanese": "ja", "korean": "ko", "swahili": "sw", "amharic": "am", "somali": "so", "hausa": "ha",
    "haitian creole": "ht", "creole": "ht", "kurdish": "ku", "hebrew": "he", "greek": "el", "swedish": "sv",
    "danish": "da", "finnish": "fi", "norwegian": "nb", "czech": "cs", "hungarian": "hu", "romanian": "ro",
    "kinyarwanda": "rw", "lingala": "ln", "wolof": "wo",
}  # fmt: skip
"""The codes of languages by their English names, for columns without a code."""

CODES = {name.casefold(): code for code, name in NAMES.items()} | ENGLISH
WITH_CODE = re.compile(r"(.*)\(\s*([^()]+?)\s*\)\s*")


def code_of(name: str) -> str | None:
    """The code of a language as columns name it, ``English (en)``, ``English`` or ``en``; None for one unknown."""
    stated = WITH_CODE.fullmatch(name)
    code = stated[2] if stated else name.strip()
    first, dash, rest = CODES.get(code.casefold(), code).partition("-")
    code = f"{first.lower()}{dash}{rest}"
    return code if LANGUAGE.fullmatch(code) else None


def name_of(code: str) -> str:
    """The language as columns name it, ``English (en)``."""
    return f"{NAMES.get(code, code)} ({code})"
