"""A collector with three example collections and made-up people: ``python -m discreet.gallery.demo``."""

from __future__ import annotations

import argparse
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np

from ..collector.http.server import run
from ..collector.settings import Settings
from ..collector.simulation import People, create
from ..core.errors import DiscreetError

CITIES = {"Aldermoor": (6, 5), "Brightwater": (5, 5), "Castlegate": (4, 5), "Dunmere": (4, 4)}
"""Four made-up cities, each a grid of so many columns and rows of cells."""


def check_ins() -> dict[str, Any]:
    """Where people check in: the city may show, the cell inside it may not."""
    blocks = {
        city: [f"{city} {chr(65 + x)}{y + 1}" for y in range(height) for x in range(width)]
        for city, (width, height) in CITIES.items()
    }
    return {
        "title": "Where do you check in?",
        "question": "In which part of which city did you check in last?",
        "spec": {"context": {"form": "blocks", "epsilon": "1.5", "blocks": blocks}},
        "minimum": 500,
    }


def health() -> dict[str, Any]:
    """What people were treated for: some answers are nobody's business."""
    values = ["nothing", "cold or flu", "back pain", "allergy", "depression", "HIV", "addiction", "pregnancy"]
    sensitive = ["depression", "HIV", "addiction", "pregnancy"]
    return {
        "title": "A health survey",
        "question": "What were you last treated for?",
        "spec": {
            "domain": {"values": values},
            "context": {"form": "high_low", "sensitive": sensitive, "epsilon": "1.5"},
        },
        "labels": {"region": ["north", "south", "east", "west"], "age": ["18-39", "40-64", "65 or more"]},
        "minimum": 200,
    }


def yes_or_no() -> dict[str, Any]:
    """A question whose No is harmless: a Yes is always told, and a No sometimes turned into one (Mangat1994)."""
    return {
        "title": "A question of honesty",
        "question": "Have you ever taken something home from work that was not yours?",
        "spec": {"domain": {"values": ["no", "yes"]}, "context": {"form": "binary", "epsilon": ["inf", "1"]}},
        "words": {"no": "No, never", "yes": "Yes, at least once"},
        "minimum": 100,
    }


COMMON = {"changes": "refuse", "access": "open"}
EXAMPLES = (check_ins, health, yes_or_no)


def people(url: str, stop: threading.Event, seed: int) -> None:
    """Made-up people who answer one collection, in ever larger crowds, until they are stopped."""
    some, rng = People(url), np.random.default_rng(seed)
    values, declared = some.questions[""].values, some.document.labels
    shares = rng.gamma(1.2, size=len(values))
    shares /= shares.sum()
    crowd = 40
    while not stop.is_set():
        for x in rng.choice(len(values), crowd, p=shares):
            if stop.is_set():
                return
            labels = {name: texts[int(rng.integers(len(texts)))] for name, texts in declared.items()}
            try:
                some.one().answer(values[int(x)], labels=labels)
            except DiscreetError:
                return
        stop.wait(0.2)


def main(arguments: list[str] | None = None) -> None:
    """Start the collector on a fresh file, make the collections, and let people answer until Ctrl-C."""
    asked = argparse.ArgumentParser(description=main.__doc__)
    asked.add_argument("--port", type=int, default=8000, help="the port to listen at; 0 takes a free one")
    asked.add_argument("--open", action="store_true", help="open a browser")
    options = asked.parse_args(arguments)
    stop = threading.Event()

    def announce(address: str, tokens: dict[str, str]) -> None:
        threading.Thread(target=begin, args=(address, tokens), daemon=True).start()

    def begin(address: str, tokens: dict[str, str]) -> None:
        urls = [create(address, tokens["admin"], {**COMMON, **example()}) for example in EXAMPLES]
        link = f"{address}/#admin={tokens['admin']}&analyst={tokens['analyst']}"
        print(f"Three example collections, and made-up people who answer them:\n  {link}", flush=True)
        print("Stop with Ctrl-C; nothing is kept.", flush=True)
        if options.open:
            webbrowser.open(link)
        for seed, url in enumerate(urls):
            threading.Thread(target=people, args=(url, stop, seed), daemon=True).start()

    with tempfile.TemporaryDirectory() as folder:
        try:
            run(Settings(store=str(Path(folder) / "demo.db"), port=options.port), announce)
        finally:
            stop.set()


if __name__ == "__main__":
    main()
