"""Tallies by label as JSON files: versioned, strict, and as small as the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...core.atomic import replacing
from ...core.errors import InvalidInput, MechanismMismatch, shown
from ...core.strict_json import loads
from ...estimation.tally import Tally
from ...estimation.tally_json import parse_tally, read_tally, tally_from_json
from ...mechanisms.mechanism import Mechanism
from ...wire.located import located
from .counts import MAX_COUNTS
from .tallies import GroupTallies

VERSION = 1
"""The version of files of tallies by label; another one is refused."""

KEYS = ("version", "mechanism", "fingerprint", "labels", "groups")
MAX_TALLY_BYTES = 24 * MAX_COUNTS
"""More than any file that is written here has."""

HEAD = 1 << 13
"""The bytes at the beginning of a file in which the names of its labels are told."""


def groups_to_json(groups: GroupTallies) -> dict[str, Any]:
    """Tallies by label as JSON data."""
    rows = [
        {"labels": list(key), "n": tally.n, "counts": tally.counts.tolist()}
        for key, tally in groups.keys_by_label.items()
    ]
    return {
        "version": VERSION,
        "mechanism": groups.mechanism.name,
        "fingerprint": groups.mechanism.fingerprint,
        "labels": list(groups.labels),
        "groups": rows,
    }


def groups_from_json(mechanism: Mechanism, data: object) -> GroupTallies:
    """The tallies by label in JSON data, which must belong to `mechanism` and be consistent."""
    if not isinstance(data, dict) or set(data) != set(KEYS):
        raise InvalidInput(f"tallies by label must be a JSON object with {', '.join(KEYS)}, and nothing else")
    if data["version"] != VERSION or isinstance(data["version"], bool):
        raise InvalidInput(f"version={shown(data['version'])} must be {VERSION}, the only known version")
    if not isinstance(data["mechanism"], str):
        raise InvalidInput("mechanism must be text")
    if data["fingerprint"] != mechanism.fingerprint:
        raise MechanismMismatch(
            f"these tallies are of {data['mechanism']} ({str(data['fingerprint'])[:12]}), "
            f"not of {mechanism.name} ({mechanism.fingerprint[:12]})"
        )
    labels, rows = data["labels"], data["groups"]
    if not isinstance(labels, list) or not isinstance(rows, list):
        raise InvalidInput("labels and groups must be lists")
    groups: dict[Any, Tally] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != {"labels", "n", "counts"} or not isinstance(row["labels"], list):
            raise InvalidInput(f"groups[{number}] must be an object with labels, n and counts, and nothing else")
        key = tuple(row["labels"])
        if any(not isinstance(part, (str, type(None))) for part in key):
            raise InvalidInput(f"groups[{number}]: labels must be text, or null where people have none")
        if key in groups:
            raise InvalidInput(f"groups[{number}]: its labels are those of an earlier group")
        with located(f"groups[{number}]"):
            tally = {"fingerprint": data["fingerprint"], "n": row["n"], "counts": row["counts"]}
            groups[key] = tally_from_json(mechanism, tally)
    return GroupTallies(mechanism, labels, groups)


def _holds_groups(data: object) -> bool:
    """True for JSON data that mean to be tallies by label, and not one tally."""
    return isinstance(data, dict) and "groups" in data


def groups_text(groups: GroupTallies) -> str:
    """Tallies by label as the text of a JSON file."""
    return json.dumps(groups_to_json(groups), ensure_ascii=False) + "\n"


def write_groups(groups: GroupTallies, path: str | Path) -> None:
    """Write tallies by label to a JSON file, whole or not at all."""
    with replacing(path) as file:
        file.write(groups_text(groups).encode())


def parse_counted(mechanism: Mechanism, written: str | bytes) -> Tally | GroupTallies:
    """The tally, or the tallies by label, in a JSON text."""
    if not _may_hold_groups(written[:HEAD]):
        return parse_tally(mechanism, written)
    if len(written) > MAX_TALLY_BYTES:
        raise InvalidInput(f"tallies by label must have at most {MAX_TALLY_BYTES} bytes")
    data = loads(written, InvalidInput)
    return groups_from_json(mechanism, data) if _holds_groups(data) else tally_from_json(mechanism, data)


def _may_hold_groups(head: str | bytes) -> bool:
    """True if a text begins as tallies by label do: their names come before the counts."""
    return b'"labels"' in head if isinstance(head, bytes) else '"labels"' in head


def read_counted(path: str | Path, mechanism: Mechanism) -> Tally | GroupTallies:
    """The tally, or the tallies by label, in a JSON file."""
    with open(path, "rb") as file:
        if not _may_hold_groups(file.read(HEAD)):
            return read_tally(path, mechanism)
        file.seek(0)
        written = file.read(MAX_TALLY_BYTES + 1)
    with located(str(path)):
        return parse_counted(mechanism, written)


def read_groups(path: str | Path, mechanism: Mechanism) -> GroupTallies:
    """The tallies by label in a JSON file; `InvalidInput` if it holds one tally of all."""
    found = read_counted(path, mechanism)
    if isinstance(found, Tally):
        raise InvalidInput(f"{path}: holds one tally of all reports together, and none by label")
    return found


def read_one_tally(path: str | Path, mechanism: Mechanism) -> Tally:
    """The tally in a JSON file; `InvalidInput` if it holds several, by label."""
    found = read_counted(path, mechanism)
    if isinstance(found, GroupTallies):
        options = " ".join(f"--by {name}" for name in found.labels)
        raise InvalidInput(f"{path}: holds tallies by label; to go on with them give {options}")
    return found
