"""A survey of four made-up cities, from answers to shares with error bars: ``python -m discreet.gallery.example``.

The same people answer three times, under three promises. *Classical*: nobody can tell any district from any
other. *Blocks*: the city may be shown, the district inside it may not. *High-low*: only the districts around a
clinic are hidden. Each has the same epsilon where it protects; what differs is what needs no protection,
and that is what the collector gets for free.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

import discreet as dc
from discreet.core import tables

CITIES = {
    "Aldermoor": {"Harbour": 15.1, "Old Town": 11.8, "Clinic Quarter": 4.2, "Mill Lane": 6.4, "Northfield": 3.0},
    "Brightwater": {"Riverside": 9.7, "Station": 7.9, "Clinic Hill": 2.6, "Gardens": 5.5, "Tannery": 1.3},
    "Castlegate": {"Market": 8.3, "Cathedral": 3.7, "Clinic Row": 1.9, "Docks": 4.9},
    "Dunmere": {"High Street": 6.2, "Lakeside": 3.8, "Clinic Park": 0.9, "Quarry": 2.8},
}
"""The percentage of all people in each district, invented like the names."""

EPSILON = "1"
PEOPLE = 200_000
PICTURE = "survey.png"

DISTRICTS = [f"{city}: {district}" for city, districts in CITIES.items() for district in districts]
CLINICS = [district for district in DISTRICTS if "Clinic" in district]
SHARES = np.array([share for districts in CITIES.values() for share in districts.values()]) / 100


def contexts() -> dict[str, dc.Context]:
    """The three promises, each with the same epsilon where it protects."""
    by_city: dict[Hashable, list[str]] = {
        city: [f"{city}: {district}" for district in districts] for city, districts in CITIES.items()
    }
    return {
        "classical: every district hidden": dc.Context.uniform(DISTRICTS, EPSILON),
        "blocks: the city may show": dc.Context.blocks(by_city, EPSILON),
        "high-low: only clinics hidden": dc.Context.high_low(DISTRICTS, CLINICS, EPSILON),
    }


def survey(context: dc.Context, answers: Any, rng: Any) -> dict[str, Any]:
    """One survey from start to finish: mechanism, certificate, reports, tally, estimate."""
    mechanism = dc.mechanism(context)
    certificate = dc.verify(mechanism)
    reports = mechanism.randomize_many(answers, rng)
    tally = mechanism.tally(reports)
    estimate = dc.estimate(tally)
    low, high = estimate.interval(0.95)
    numbers = {"shares": estimate.shares, "stderr": estimate.stderr, "low": low, "high": high}
    return {"mechanism": mechanism, "certificate": certificate, "values": DISTRICTS, **numbers}


def main() -> None:
    """Run the three surveys, print what was learned and draw it."""
    generator = np.random.default_rng(2020)  # made-up people; their noise comes from dc.random.seeded
    answers = generator.choice(DISTRICTS, size=PEOPLE, p=SHARES)
    print(f"{PEOPLE:,} made-up people in {len(DISTRICTS)} districts of {len(CITIES)} cities, epsilon {EPSILON}.")
    print("Noise is seeded so that this page comes out the same; real people use dc.random.secure().\n")
    surveys = {}
    for number, (promise, context) in enumerate(contexts().items()):
        done = surveys[promise] = survey(context, answers, dc.random.seeded(number))
        proof = done["certificate"]
        print(promise)
        bits = done["mechanism"].bits
        print(f"  {proof.mechanism}, {bits} bits per report; tightest: {proof.x!r} against {proof.z!r}")
        print(f"  certified: claimed {proof.claimed}, realised {proof.realised:.12g} (gap {proof.gap:.1g})")
    print()
    print_shares(surveys, SHARES)
    print_errors(surveys, SHARES)
    draw(surveys, SHARES)


def print_shares(surveys: dict[str, dict[str, Any]], truth: Any) -> None:
    """The table of truth, estimates and standard errors, in percent."""
    heads = [promise.partition(":")[0] for promise in surveys]
    columns = [("percent of people", "s"), ("truth", ".2f"), *((head, "") for head in heads)]
    rows = [
        (
            district + "*" * (district in CLINICS),
            100 * truth[x],
            *(f"{100 * s['shares'][x]:.2f} ± {100 * s['stderr'][x]:.2f}" for s in surveys.values()),
        )
        for x, district in enumerate(DISTRICTS)
    ]
    print(tables.text(columns, rows))
    print("± is one standard error; * is hidden under every promise\n")


def print_errors(surveys: dict[str, dict[str, Any]], truth: Any) -> None:
    """What each promise costs: the error, and how often the intervals contain the truth."""
    rows = []
    for promise, s in surveys.items():
        error = np.sqrt(np.mean((s["shares"] - truth) ** 2))
        right = int(np.sum((s["low"] <= truth) & (truth <= s["high"])))
        rows.append((promise, s["mechanism"].name, f"{100 * error:.2f} points", f"{right} of {len(truth)}"))
    columns = [("promise", "s"), ("mechanism", "s"), ("typical error", ""), ("intervals right", "")]
    print(tables.text(columns, rows))
    print("typical error: root mean square over the districts, in points of percent; 95 % intervals, right on average")
    print("95 % of the time. What may show costs nothing: the less is promised, the more the same people reveal.\n")


def draw(surveys: dict[str, dict[str, Any]], truth: Any) -> None:
    """Save the picture in the working directory, or say how to get it."""
    from pathlib import Path

    from ..plots import plot_shares

    panels = [
        {
            "title": promise,
            "values": [district.partition(": ")[2] for district in DISTRICTS],
            "groups": [district.partition(": ")[0] for district in DISTRICTS],
            **{key: s[key] for key in ("shares", "low", "high")},
        }
        for promise, s in surveys.items()
    ]
    title = f"Where {PEOPLE:,} people live, asked three ways (epsilon {EPSILON}, 95 % intervals)"
    try:
        plot_shares(panels, PICTURE, title=title, truth=truth)
    except dc.errors.MissingExtra as absent:
        print(f"no picture: {absent}", file=sys.stderr)
    else:
        print(f"picture: {Path(PICTURE).resolve()}")


if __name__ == "__main__":
    main()
