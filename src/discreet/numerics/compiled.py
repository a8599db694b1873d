"""The one door to Numba: how kernels are compiled, and the machine operations that Python has no name for.

Importing this file imports Numba; ask `acceleration` first. Kernels release the global lock, so
threads run them side by side, and are kept on disk between runs where a directory can be written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
WORD = ir.IntType(64)
LONGS = types.CPointer(types.uint64)


def inline(function: Kernel) -> Kernel:
    """The function compiled into each kernel that calls it."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)  # type: ignore[no-any-return]


def jit(function: Kernel) -> Kernel:
    """The function compiled when first called with new types; kept on disk if that can be written."""
    options = {"nogil": True, "error_model": "numpy"}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no directory for the cache can be written: compile again in each process
        made = numba.njit(**options)(function)
    return made  # type: ignore[no-any-return]


def chosen_by_type(stub: Callable[..., Any]) -> Callable[[Kernel], Kernel]:
    """Let compiled code call `stub`: the decorated function gives the form for the types of the arguments."""
    return overload(stub, jit_options={"error_model": "numpy", "forceinline": True})  # type: ignore[no-any-return]


def named_tuple_of(argument: Any) -> type | None:
    """The class of the named tuple that an argument's Numba type stands for."""
    return getattr(argument, "instance_class", None)


@intrinsic  # type: ignore[untyped-decorator]
def multiply_high(context: Any, a: Any, b: Any) -> Any:
    """``floor(a * b / 2**64)`` of two words, through a product of 128 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_bits(context: Any, a: Any) -> Any:
    """The number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def longs_of(context: Any, array: Any) -> Any:
    """The place in memory of an array's 64-bit words; what is passed on costs no reference counts in a loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return LONGS(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def longs_from(context: Any, longs: Any, i: Any) -> Any:
    """The place in memory of word number i of these."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return LONGS(LONGS, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def long_at(context: Any, longs: Any, i: Any) -> Any:
    """Word number i of the 64-bit words at this place or address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, arguments, WORD))

    return types.uint64(longs, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def short_at(context: Any, address: Any, i: Any) -> Any:
    """Number i of the 32-bit numbers at this address, as a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.load(_element(builder, arguments, ir.IntType(32))), WORD)

    return types.uint64(address, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def put_long(context: Any, longs: Any, i: Any, word: Any) -> Any:
    """Overwrite word number i of the 64-bit words at this place."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _element(builder, arguments, WORD))
        return context.get_dummy_value()

    return types.void(longs, types.uint64, types.uint64), generate


def _element(builder: Any, arguments: Any, kind: Any) -> Any:
    place = arguments[0]
    if isinstance(place.type, ir.IntType):
        place = builder.inttoptr(place, kind.as_pointer())
    return builder.gep(place, [arguments[1]])
