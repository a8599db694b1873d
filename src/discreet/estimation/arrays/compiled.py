"""The only interface to Numba: how kernels are compiled, and machine operations that Python lacks.

Importing this file imports Numba; ask `acceleration` first. Kernels release the global lock, so
threads run them in parallel, and are cached on disk between runs if a directory is writable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending
from numba.core import types as numba_types

SOURCES = (
    "estimation/arrays/compiled.py",
    "estimation/arrays/counting.py",
    "bulk/packed.py",
    "bulk/kernels.py",
    "bulk/number_kernels.py",
    "bulk/row_kernels.py",
)
"""The source files of compiled code."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
njit: Any = numba.njit
types: Any = numba_types
WORD, BYTE = ir.IntType(64), ir.IntType(8)
LONGS = types.CPointer(types.uint64)


def jit(function: Kernel) -> Kernel:
    """The function, compiled when first called with new types and cached on disk if that is writable.

    The cache is valid as long as no source of the kernels has changed; if it cannot be read or written,
    the function is compiled again.
    """
    try:
        kernel: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
        _guard(kernel._cache)
    except (RuntimeError, AttributeError):  # no directory for the cache, or a Numba that manages it in another way
        kernel = njit(nogil=True, error_model="numpy")(function)
    return cast("Kernel", kernel)


def _guard(cache: Any) -> None:
    file, load, save = cache._cache_file, cache.load_overload, cache.save_overload
    file._source_stamp = (file._source_stamp, _sources())

    def load_or_forget(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # whatever an unreadable or foreign file raises, compile again
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(signature: Any, result: Any) -> None:
        with suppress(OSError):
            save(signature, result)

    cache.load_overload, cache.save_overload = load_or_forget, save_if_possible


@cache
def _sources() -> str:
    """A hash of all source files of compiled code."""
    package = Path(__file__).parents[2]
    return hashlib.sha256(b"".join((package / file).read_bytes() for file in SOURCES)).hexdigest()


def inline(function: Kernel) -> Kernel:
    """The function, inlined into each kernel that calls it."""
    return cast("Kernel", njit(nogil=True, error_model="numpy", forceinline=True)(function))


def choose_by_type(stub: Callable[..., Any], forms: Mapping[Any, Callable[..., Any]]) -> None:
    """Let compiled code call `stub`: it resolves to the form listed for the named tuple in its first argument."""

    def chosen(first: Any, *rest: Any) -> Any:
        return forms.get(getattr(first, "instance_class", None))

    extending.overload(stub, strict=False, jit_options={"error_model": "numpy", "forceinline": True})(chosen)


def intrinsic(generator: Callable[..., Any]) -> Callable[..., Any]:
    """An operation written in the compiler's intermediate language."""
    return cast("Callable[..., Any]", extending.intrinsic(generator))


@intrinsic
def multiply_high(context: Any, a: Any, b: Any) -> Any:
    """``floor(a * b / 2**64)`` of two words, through a product of 128 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def count_bits(context: Any, a: Any) -> Any:
    """The number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def longs_of(context: Any, array: Any) -> Any:
    """The address of an array's 64-bit words; passing it on in a loop costs no reference counting.

    The array must be used again after its address, or Numba may free its memory too early.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return LONGS(array), generate


@intrinsic
def longs_from(context: Any, longs: Any, i: Any) -> Any:
    """The address of word number i of these."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return LONGS(LONGS, types.uint64), generate


def _load(kind: Any) -> Callable[..., Any]:
    """Number i of the numbers of this kind at an address, as a word."""

    def load(context: Any, address: Any, i: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.zext(builder.load(_element(builder, arguments, kind)), WORD)

        return types.uint64(address, types.uint64), generate

    return intrinsic(load)


def _store(kind: Any) -> Callable[..., Any]:
    """Overwrite number i of the numbers of this kind at an address with the low bits of a word."""

    def store(context: Any, address: Any, i: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(builder.trunc(arguments[2], kind), _element(builder, arguments, kind))
            return context.get_dummy_value()

        return types.void(address, types.uint64, types.uint64), generate

    return intrinsic(store)


def _element(builder: Any, arguments: Any, kind: Any) -> Any:
    place = arguments[0]
    if isinstance(place.type, ir.IntType):
        place = builder.inttoptr(place, kind.as_pointer())
    elif kind is BYTE:
        place = builder.bitcast(place, kind.as_pointer())
    return builder.gep(place, [arguments[1]])


long_at, short_at, byte_at = _load(WORD), _load(ir.IntType(32)), _load(BYTE)
put_long, put_byte = _store(WORD), _store(BYTE)
