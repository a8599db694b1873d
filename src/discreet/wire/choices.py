"""The mechanism of a spec: a name and parameters, whose types are checked before anything is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..contexts import Context
from ..core.domain import Domain
from ..core.errors import InvalidInput, InvalidSpec
from ..core.exact import exact_number
from ..core.fields import Fields, as_list, exact, kind_of, text, whole
from ..core.limits import check
from ..mechanisms.build import AUTO, comparison, mechanism
from ..mechanisms.mechanism import Mechanism

if TYPE_CHECKING:
    from ..planning.explanation import Explanation

RESERVED = ("context", "word_bits")


def mechanism_of(context: Context, choice: object) -> Mechanism:
    """The mechanism for the context that the table `choice` names, certified."""
    name, parameters = _read(choice, context.domain)
    with _about_mechanism():
        return mechanism(context, name, **parameters)


def is_auto(choice: Mapping[str, Any]) -> bool:
    """True if the table `choice` leaves the mechanism to a comparison."""
    return choice.get("name", AUTO) == AUTO and "inner" not in choice


def comparison_of(context: Context, choice: object) -> Explanation:
    """The comparison of mechanisms that a table `choice` with the name "auto" asks for."""
    name, parameters = _read(choice, context.domain)
    if name != AUTO:
        raise InvalidSpec(f"mechanism.name={name!r} must be auto: a named mechanism is compared with nothing")
    with _about_mechanism():
        return comparison(context, **parameters)


@contextmanager
def _about_mechanism() -> Iterator[None]:
    try:
        yield
    except InvalidInput as problem:
        raise (InvalidSpec if type(problem) is InvalidInput else type(problem))(f"mechanism: {problem}") from None


def _read(choice: object, domain: Domain) -> tuple[str, dict[str, Any]]:
    """The name and the parameters that the table `choice` gives, with their types checked."""
    fields = Fields(choice, "mechanism")
    name = text(fields.optional("name", default=AUTO), "mechanism.name")
    for key in ("bits", "query", "worst"):
        if key in fields and name != AUTO:
            raise InvalidSpec(f'mechanism.{key} must go with name = "auto", not with {name!r}')
    parameters = fields.rest()
    for key in parameters:
        if key in RESERVED:
            raise InvalidSpec(f"mechanism.{key} is not a known entry")
    for key, read in READERS.items():
        if key in parameters:
            parameters[key] = read(parameters[key])
    if "prior" in parameters:
        parameters["prior"] = prior_of(parameters["prior"], domain)
    if "query" in parameters:
        parameters["query"] = query_of(parameters["query"], domain)
    if name == "mixture":
        for key in ("parts", "units", "prior"):
            fields.required(key)
    return "mixed" if "inner" in parameters and name == AUTO else name, parameters


def _bits(data: object) -> int:
    bits = whole(data, "mechanism.bits")
    if bits < 1:
        raise InvalidSpec(f"mechanism.bits={bits} must be at least 1")
    check("report_bits", bits, "mechanism.bits")
    return bits


def prior_of(data: object, domain: Domain) -> Any:
    """The assumed shares: a list in order, or a table by value as files write it."""
    if isinstance(data, Mapping):
        shares = {key: _share(share, f"mechanism.prior.{key}") for key, share in data.items()}
        return {domain[domain.index_of_text(key)]: share for key, share in shares.items()}
    return [_share(share, f"mechanism.prior[{x}]") for x, share in enumerate(as_list(data, "mechanism.prior"))]


def query_of(data: object, domain: Domain, *, name: str = "mechanism.query") -> Any:
    """What the mechanism is chosen by: a word, weights in order or by value as files write it, or a list of these."""
    if isinstance(data, str) and exact_number(data) is None:
        return data
    if isinstance(data, Mapping):
        weights = {key: _weight(weight, f"{name}.{key}") for key, weight in data.items()}
        return {domain[domain.index_of_text(key)]: weight for key, weight in weights.items()}
    if isinstance(data, (list, tuple)):
        check("values", len(data), name)
        return [query_of(entry, domain, name=f"{name}[{number}]") for number, entry in enumerate(data)]
    return _weight(data, name)


def _weight(data: object, name: str) -> float:
    try:
        return float(exact(data, name))
    except OverflowError:
        raise InvalidSpec(f"{name} must be a number of ordinary size") from None


def _worst(data: object) -> bool:
    if not isinstance(data, bool):
        raise InvalidSpec(f"mechanism.worst must be true or false, not {kind_of(data)}")
    return data


def _share(data: object, name: str) -> float:
    share = exact(data, name)
    if not 0 <= share <= 1:
        raise InvalidSpec(f"{name} must be a share from 0 to 1")
    return float(share)


def _rows(data: object) -> list[list[Any]]:
    rows = []
    for x, row in enumerate(as_list(data, "mechanism.rows")):
        name = f"mechanism.rows[{x}]"
        if not as_list(row, name):
            raise InvalidSpec(f"{name} must not be empty")
        rows.append([exact(entry, f"{name}[{y}]") for y, entry in enumerate(row)])
    return rows


def _units(data: object) -> list[int]:
    units = [exact(unit, f"mechanism.units[{i}]") for i, unit in enumerate(as_list(data, "mechanism.units"))]
    if any(unit.denominator != 1 for unit in units):
        raise InvalidSpec("mechanism.units must be whole numbers, one per part")
    return [int(unit) for unit in units]


def _named(key: str) -> Any:
    """A reader for a list of tables, each of which names a sampler."""

    def read(data: object) -> list[dict[str, Any]]:
        tables = []
        for number, entry in enumerate(as_list(data, f"mechanism.{key}")):
            fields = Fields(entry, f"mechanism.{key}[{number}]")
            name = text(fields.required("name"), fields.name("name"))
            extra = fields.rest()
            for reserved in RESERVED:
                if reserved in extra:
                    raise InvalidSpec(f"{fields.name(reserved)} is not a known entry")
            tables.append({"name": name, **extra})
        return tables

    return read


def _one(key: str) -> Any:
    """A reader for a table that names a sampler."""
    read = _named(key)
    return lambda data: read([data])[0]


READERS = {
    "bits": _bits,
    "worst": _worst,
    "rows": _rows,
    "units": _units,
    "parts": _named("parts"),
    "inner": _named("inner"),
    "first": _one("first"),
    "second": _one("second"),
}
"""How the parameters that are not plain numbers or text are read."""
