"""A share in four years, from reports of four waves."""

from _drinking import survey


def draw(path):
    """Draw the figure."""
    survey().by("year", query={"every day": 1}).plot(
        path, title="Drinking every day: four years, 12,000 made-up people"
    )
