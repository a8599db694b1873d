"""Where people live, and what a survey gives back of it when everybody is hidden inside a block of public shape."""

import numpy as np

import discreet as dc
from discreet import geo
from discreet.plots import plot_maps

BOX, SHAPE, PEOPLE = (25.0, 50.0, -130.0, -60.0), (125, 350), 1_000_000
CITIES = {
    "New York": (40.71, -74.01),
    "Chicago": (41.88, -87.63),
    "Miami": (25.76, -80.19),
    "Houston": (29.76, -95.37),
    "Denver": (39.74, -104.99),
    "Los Angeles": (34.05, -118.24),
    "Seattle": (47.61, -122.33),
}


def draw(path):
    """Draw the figure."""
    centres = geo.grid_centres(SHAPE, BOX)
    inhabitants = geo.city_population(*centres, smallest=1000)
    truth = inhabitants / inhabitants.sum()
    held = np.random.default_rng(1).choice(len(truth), PEOPLE, p=truth)

    context = geo.kd_tree_context(*centres, inhabitants, "1", blocks=875)
    mechanism = dc.mechanism(context)
    tally = mechanism.tally(mechanism.randomize_indices(held, dc.random.seeded(1)))
    found = dc.shrink(tally, rule="tv", coordinates=geo.grid_coordinates(SHAPE)).shares

    wrong = abs(found - truth).sum() / 2
    plot_maps(
        {"Where people live": truth.reshape(SHAPE), f"From {PEOPLE:,} reports": found.reshape(SHAPE)},
        path,
        box=BOX,
        title=f"A private survey puts {1 - wrong:.0%} of people in the right cell",
        unit="people",
        outline=geo.north_america(),
        places=CITIES,
        note=f"Public inhabitants of towns of 1,000 or more (GeoNames), from whom {PEOPLE:,} made-up people are drawn; "
        f"{context.size:,} cells of 0.2 degrees. Epsilon 1 inside each of 875 blocks; which block it is may be seen.",
    )
