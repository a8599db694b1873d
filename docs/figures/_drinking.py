"""A survey that several figures share: made-up people, asked how often they drink, in three regions and four years."""

import numpy as np

import discreet as dc

VALUES = ["nothing", "now and then", "often", "every day"]


def survey(people: int = 12_000) -> dc.Survey:
    """Reports of everybody with their region, age and year; only "every day" is sensitive."""
    drawn = np.random.default_rng(2020)
    region = drawn.choice(["east", "north", "south"], people)
    year = drawn.choice([2022, 2023, 2024, 2025], people)
    age = drawn.integers(18, 80, people)
    daily = 0.03 + 0.0015 * (age - 18) + 0.06 * (region == "north") + 0.03 * (year - 2022)
    rest = 1 - daily - 0.15
    cuts = np.cumsum(np.stack([0.45 * rest, 0.55 * rest, np.full(people, 0.15)], axis=1), axis=1)
    held = (drawn.random(people)[:, None] > cuts).sum(axis=1)
    mechanism = dc.mechanism(dc.Context.high_low(VALUES, sensitive=["every day"], epsilon="1"))
    reports = mechanism.randomize_indices(held, dc.random.seeded(7))
    return dc.Survey(mechanism, reports, labels={"region": region, "year": year, "age": age})
