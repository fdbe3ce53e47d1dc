"""Rows of tables as eight lanes and back: what lies in a line in memory, side by side.

A body's row lies in memory as eight numbers in a line, while lanes.py computes with one number of
each of eight bodies: a transposition. As there, every public function is plain Python on NumPy
arrays, and compiled kernels get the same under the same name.

Rows are named by an array of integers, C-contiguous int32 (blocks, sides, 8): lane k stands for the
row r_k = `rows[block, side, k]`. A row may occur several times.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from ecs_physics.kernels.compile import BOUNDSCHECK, integer, real32
from ecs_physics.kernels.lanes import (
    BYTE,
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT64,
    LANES,
    VECTOR,
    ZEROS,
    Lanes,
    address,
    are_indices,
    check_lanes,
    instructions,
    is_array,
    is_lanes,
    lanes,
    read,
    shuffled,
    write,
)
from ecs_physics.kernels.quads import VECTOR as FOUR_REALS
from ecs_physics.kernels.quads import Numbers, check_four, is_table, seen_as_numbers

REAL_BYTES: Final = 8
INT_BYTES: Final = 4
HALF_VECTOR: Final = ir.VectorType(FLOAT, LANES // 2)

# ----------------------------------------------------------------- meaning, in plain NumPy


def gather_rows(
    bodies: NDArray[np.float32], rows: NDArray[np.int32], block: int, side: int
) -> tuple[Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes]:
    """Return eight rows as eight columns: lane k of column f is `bodies[r_k, f]`.

    `bodies` is C-contiguous (n, 8).
    """
    a, b, c, d, e, f, g, h = bodies[rows[block, side]].T.copy()
    return a, b, c, d, e, f, g, h


def gather_velocities(
    bodies: NDArray[np.float32], rows: NDArray[np.int32], block: int, side: int
) -> tuple[Lanes, Lanes, Lanes]:
    """Return the first three of the columns that `gather_rows` gives, by half the work."""
    a, b, c = bodies[rows[block, side], :3].T.copy()
    return a, b, c


def gather_reals(
    table: Numbers, rows: NDArray[np.int32], block: int, side: int, column: int
) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Return the columns `column` to `column + 3` of eight rows, rounded to float32.

    `table` is C-contiguous, float64 of two dimensions or rows of fields; see quads.py.
    """
    numbers = seen_as_numbers(table)
    a, b, c, d = numbers[rows[block, side], column : column + 4].T.astype(np.float32)
    return a, b, c, d


def scatter_reals(
    table: Numbers,
    rows: NDArray[np.int32],
    block: int,
    side: int,
    column: int,
    a: Lanes,
    b: Lanes,
    c: Lanes,
    d: Lanes,
) -> None:
    """Write lane k of `a, b, c, d` to the columns `column` to `column + 3` of the row r_k.

    The way back from `gather_reals`. Of lanes that name the same row the last one counts.
    """
    numbers = seen_as_numbers(table)
    for lane, row in enumerate(rows[block, side]):
        numbers[row, column : column + 4] = a[lane], b[lane], c[lane], d[lane]


def gather_integers(
    table: NDArray[Any], rows: NDArray[np.int32], block: int, side: int, column: int
) -> Lanes:
    """Return an int32 field of eight rows of a table of fields, rounded to float32.

    `column` counts fields of four bytes each.
    """
    numbers = table.view(np.int32).reshape(len(table), -1)
    return numbers[rows[block, side], column].astype(np.float32)


def scatter_velocities(
    bodies: NDArray[np.float32],
    rows: NDArray[np.int32],
    block: int,
    side: int,
    v0: Lanes,
    v1: Lanes,
    v2: Lanes,
) -> None:
    """Write lane k of `v0, v1, v2` to the first three numbers of row `rows[block, side, k]`.

    The fourth, which nobody uses, becomes 0; the others stay. Of lanes that name the same row the
    last one counts.
    """
    for lane, row in enumerate(rows[block, side]):
        bodies[row, :4] = v0[lane], v1[lane], v2[lane], 0.0


# --------------------------------------------------------------------------- compiled
#
# Rows are read in halves of four numbers: a half is put into its place while it is read, and what
# is left are two transpositions of 4 x 4 in each half of the registers, which need no costly moves
# between the halves.

FIRST_OF_PAIRS: Final = [0, 8, 1, 9, 4, 12, 5, 13]
LAST_OF_PAIRS: Final = [2, 10, 3, 11, 6, 14, 7, 15]
FIRST_HALVES: Final = [0, 1, 8, 9, 4, 5, 12, 13]
LAST_HALVES: Final = [2, 3, 10, 11, 6, 7, 14, 15]


def so_many_lanes(count: int) -> Any:
    """Numba's type of a tuple of lanes: a call that has no types for the type checker."""
    return types.UniTuple(lanes, count)  # type: ignore[no-untyped-call]


def are_names(rows: Any, block: Any, side: Any) -> bool:
    """Whether these Numba types can name eight rows: `rows[block, side]`."""
    return is_array(rows, 3, types.int32) and are_indices(block, side)


def transposed(builder: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any, Any, Any]:
    """Emit the transposition of 4 x 4 numbers, done in both halves of the vectors at once.

    It is its own inverse: rows (a b c d) become columns, and columns rows.
    """
    ab_first = shuffled(builder, a, b, FIRST_OF_PAIRS)
    ab_last = shuffled(builder, a, b, LAST_OF_PAIRS)
    cd_first = shuffled(builder, c, d, FIRST_OF_PAIRS)
    cd_last = shuffled(builder, c, d, LAST_OF_PAIRS)
    return (
        shuffled(builder, ab_first, cd_first, FIRST_HALVES),
        shuffled(builder, ab_first, cd_first, LAST_HALVES),
        shuffled(builder, ab_last, cd_last, FIRST_HALVES),
        shuffled(builder, ab_last, cd_last, LAST_HALVES),
    )


def row_numbers(context: Any, builder: Any, signature: Any, given: Any) -> list[Any]:
    """Emit the eight numbers of rows in `rows[block, side]`."""
    place = address(context, builder, signature.args[1], given[1], given[2:4])
    places = [builder.gep(place, [INT64(lane * FLOAT_BYTES)]) for lane in range(LANES)]
    return [builder.sext(read(builder, each, INT32), INT64) for each in places]


def row_addresses(context: Any, builder: Any, signature: Any, given: Any) -> list[Any]:
    """Emit the byte addresses of the eight rows of bodies that `rows[block, side]` names."""
    numbers = row_numbers(context, builder, signature, given)
    bodies_type, bodies = signature.args[0], given[0]
    return [address(context, builder, bodies_type, bodies, [row]) for row in numbers]


def read_columns(builder: Any, addresses: Sequence[Any], first: int) -> tuple[Any, Any, Any, Any]:
    """Emit the columns `first` to `first + 3` of the eight rows at these addresses."""
    places = [builder.gep(place, [INT64(first * FLOAT_BYTES)]) for place in addresses]
    return columns_of(builder, [read(builder, place, HALF_VECTOR) for place in places])


def columns_of(builder: Any, halves: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Emit the four columns of eight rows of four numbers."""
    both = [shuffled(builder, halves[k], halves[k + 4], range(LANES)) for k in range(4)]
    return transposed(builder, *both)


def halves_of(builder: Any, columns: Sequence[Any]) -> list[Any]:
    """Emit the eight rows of four columns."""
    rows = transposed(builder, *columns)
    starts = [lane // 4 * 4 for lane in range(LANES)]
    return [
        shuffled(builder, rows[lane % 4], rows[lane % 4], range(start, start + 4))
        for lane, start in enumerate(starts)
    ]


def field_addresses(
    context: Any, builder: Any, signature: Any, given: Any, size: int = REAL_BYTES
) -> list[Any]:
    """Emit the byte addresses of `column` in eight rows of a table whose columns are of a size."""
    table = context.make_array(signature.args[0])(context, builder, given[0])
    first = builder.bitcast(table.data, BYTE.as_pointer())
    first = builder.gep(first, [builder.mul(given[4], INT64(size))])
    stride = builder.extract_value(table.strides, 0)
    numbers = row_numbers(context, builder, signature, given)
    return [builder.gep(first, [builder.mul(row, stride)]) for row in numbers]


@instructions
def gather_lanes(_typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any) -> Any:
    """The instructions of `gather_rows`."""
    columns = so_many_lanes(8)

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        addresses = row_addresses(context, builder, signature, given)
        values = read_columns(builder, addresses, 0) + read_columns(builder, addresses, 4)
        return context.make_tuple(builder, columns, values)

    return columns(bodies, rows, integer, integer), emit


@instructions
def gather_velocity_lanes(_typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any) -> Any:
    """The instructions of `gather_velocities`."""
    columns = so_many_lanes(3)

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        addresses = row_addresses(context, builder, signature, given)
        return context.make_tuple(builder, columns, read_columns(builder, addresses, 0)[:3])

    return columns(bodies, rows, integer, integer), emit


def compile_gather_of_rows(gather: Callable[..., Any], emitted: Callable[..., Any]) -> None:
    """Give kernels a function that gathers rows of bodies."""

    def compiled(bodies: Any, rows: Any, block: Any, side: Any) -> Any:
        if BOUNDSCHECK:
            check_rows(bodies, rows, block, side)
        return emitted(bodies, rows, block, side)

    @overload(gather)
    def choose(bodies: Any, rows: Any, block: Any, side: Any) -> Any:
        are_right = is_array(bodies, 2, real32) and are_names(rows, block, side)
        return compiled if are_right else None


@instructions
def gather_real_lanes(
    _typing: Any, table: Any, rows: Any, _block: Any, _side: Any, _column: Any
) -> Any:
    """The instructions of `gather_reals`."""
    columns = so_many_lanes(4)

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        reals = [
            read(builder, place, FOUR_REALS)
            for place in field_addresses(context, builder, signature, given)
        ]
        halves = [builder.fptrunc(each, HALF_VECTOR) for each in reals]
        return context.make_tuple(builder, columns, columns_of(builder, halves))

    return columns(table, rows, integer, integer, integer), emit


@instructions
def gather_integer_lanes(
    _typing: Any, table: Any, rows: Any, _block: Any, _side: Any, _column: Any
) -> Any:
    """The instructions of `gather_integers`."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        integers = ir.Constant(ir.VectorType(INT32, LANES), ir.Undefined)
        for lane, place in enumerate(
            field_addresses(context, builder, signature, given, INT_BYTES)
        ):
            value = read(builder, place, INT32)
            integers = builder.insert_element(integers, value, INT32(lane))
        return builder.sitofp(integers, VECTOR)

    return lanes(table, rows, integer, integer, integer), emit


def compile_gather(
    gather: Callable[..., Any], emitted: Callable[..., Any], check: Callable[..., Any]
) -> None:
    """Give kernels a function that gathers columns of a table of fields or numbers."""

    def compiled(table: Any, rows: Any, block: Any, side: Any, column: Any) -> Any:
        if BOUNDSCHECK:
            check(table, rows, block, side, column)
        return emitted(table, rows, block, side, column)

    @overload(gather)
    def choose(table: Any, rows: Any, block: Any, side: Any, column: Any) -> Any:
        are_right = is_table(table) and are_names(rows, block, side) and are_indices(column)
        return compiled if are_right else None


@instructions
def scatter_real_lanes(
    _typing: Any,
    table: Any,
    rows: Any,
    _block: Any,
    _side: Any,
    _column: Any,
    _a: Any,
    _b: Any,
    _c: Any,
    _d: Any,
) -> Any:
    """The instructions of `scatter_reals`: one write of four numbers for each row."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        places = field_addresses(context, builder, signature, given)
        for place, half in zip(places, halves_of(builder, given[5:]), strict=True):
            write(builder, builder.fpext(half, FOUR_REALS), place)
        return context.get_dummy_value()

    return types.void(table, rows, integer, integer, integer, lanes, lanes, lanes, lanes), emit


@overload(scatter_reals)
def compile_scatter_reals(
    table: Any,
    rows: Any,
    block: Any,
    side: Any,
    column: Any,
    a: Any,
    b: Any,
    c: Any,
    d: Any,
) -> Any:
    """Give kernels `scatter_reals`."""
    if not (is_table(table) and are_names(rows, block, side) and are_indices(column)):
        return None
    if not all(is_lanes(each) for each in (a, b, c, d)):
        return None

    def scatter_compiled(
        table: Any, rows: Any, block: Any, side: Any, column: Any, a: Any, b: Any, c: Any, d: Any
    ) -> None:
        if BOUNDSCHECK:
            check_reals(table, rows, block, side, column)
        scatter_real_lanes(table, rows, block, side, column, a, b, c, d)

    return scatter_compiled


@instructions
def scatter_lanes(
    _typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any, _v0: Any, _v1: Any, _v2: Any
) -> Any:
    """The instructions of `scatter_velocities`: one write of four numbers for each row."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        places = row_addresses(context, builder, signature, given)
        for place, half in zip(places, halves_of(builder, [*given[4:], ZEROS]), strict=True):
            write(builder, half, place)
        return context.get_dummy_value()

    return types.void(bodies, rows, integer, integer, lanes, lanes, lanes), emit


@overload(scatter_velocities)
def compile_scatter_velocities(
    bodies: Any,
    rows: Any,
    block: Any,
    side: Any,
    v0: Any,
    v1: Any,
    v2: Any,
) -> Any:
    """Give kernels `scatter_velocities`."""
    if not (is_array(bodies, 2, real32) and are_names(rows, block, side)):
        return None
    if not (is_lanes(v0) and is_lanes(v1) and is_lanes(v2)):
        return None

    def scatter_compiled(
        bodies: Any, rows: Any, block: Any, side: Any, v0: Any, v1: Any, v2: Any
    ) -> None:
        if BOUNDSCHECK:
            check_rows(bodies, rows, block, side)
        scatter_lanes(bodies, rows, block, side, v0, v1, v2)

    return scatter_compiled


@register_jitable
def check_rows(bodies: Any, rows: Any, block: int, side: int) -> None:
    """Raise IndexError unless `rows[block, side]` names eight rows of `bodies`."""
    check_lanes(rows, block, side)
    for lane in range(8):
        if not 0 <= rows[block, side, lane] < bodies.shape[0] or bodies.shape[1] != 8:
            raise IndexError("gather or scatter of a row outside bodies, or rows are not of 8")


@register_jitable
def check_reals(table: Any, rows: Any, block: int, side: int, column: int) -> None:
    """Raise IndexError unless the eight rows are there, with four columns from `column` on."""
    check_lanes(rows, block, side)
    for lane in range(8):
        check_four(table, rows[block, side, lane], column)


@register_jitable
def check_integers(table: Any, rows: Any, block: int, side: int, column: int) -> None:
    """Raise IndexError unless the eight rows are there, with a column of this number."""
    check_lanes(rows, block, side)
    for lane in range(8):
        is_there = 0 <= rows[block, side, lane] < table.shape[0]
        if not (is_there and 0 <= column < table.itemsize // INT_BYTES):
            raise IndexError("gather of a field outside its table")


compile_gather_of_rows(gather_rows, gather_lanes)
compile_gather_of_rows(gather_velocities, gather_velocity_lanes)
compile_gather(gather_reals, gather_real_lanes, check_reals)
compile_gather(gather_integers, gather_integer_lanes, check_integers)
