"""Draw the figures of the documentation: ``make figures`` all of them, ``python docs/draw.py NAME ...`` those named.

A figure is a file in docs/figures with a function `draw(path)`; the drawing is written beside it.
"""

import runpy
import sys
from pathlib import Path

FIGURES = Path(__file__).parent / "figures"


def main(names: list[str]) -> None:
    """Draw the figures of these names, or all."""
    sys.path.insert(0, str(FIGURES))  # for what several of them share
    scripts = [FIGURES / f"{name}.py" for name in names] or sorted(FIGURES.glob("[!_]*.py"))
    for script in scripts:
        print(f"figures: {script.stem}", flush=True)
        runpy.run_path(str(script))["draw"](script.with_suffix(".svg"))


if __name__ == "__main__":
    main(sys.argv[1:])
