"""Four float64 numbers that are computed with as one: a pose, a velocity, a vertex and its normal.

What lanes.py does for eight float32 numbers, and in the same manner: every public function here is
plain Python on NumPy arrays of shape (4,), and kernels get the same under the same name. Each
operation is rounded on its own, so a place carries the bits that scalar code would.

Four numbers are read from and written to a row of a table of numbers, which may be float32 as
well: these are widened, and rounded on the way back. A table with fields is seen as numbers of
eight bytes; `tables.column_of` tells where a field is.
"""

import operator
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import models, overload, register_jitable, register_model
from numpy.typing import NDArray

from ecs_physics.kernels.compile import BOUNDSCHECK, integer, real, real32
from ecs_physics.kernels.lanes import (
    BYTE,
    FLOAT,
    INT64,
    are_indices,
    compile_binary,
    emit_maximum,
    emit_minimum,
    instructions,
    is_array,
    maximum,
    minimum,
    shuffled,
)

Quad = NDArray[np.float64]
"""What four numbers are to plain Python: float64 of shape (4,)."""

Numbers = NDArray[Any]
"""A table that they are read from: C-contiguous float64 or float32 of two dimensions, or rows of
fields."""

# ----------------------------------------------------------------- meaning, in plain NumPy


def four(a: float, b: float, c: float, d: float) -> Quad:
    """Return these numbers as one."""
    return np.array([a, b, c, d], np.float64)


def number(numbers: Quad, place: int) -> float:
    """Return one of the four."""
    return float(numbers[place])


def swapped(numbers: Quad) -> Quad:
    """Return them with the first two, and the last two, in each other's place."""
    return numbers[[1, 0, 3, 2]]


def box_of(lower: Quad, upper: Quad) -> Quad:
    """Return a box: of two corners, of which the first two numbers are x and y."""
    return np.array([lower[0], lower[1], upper[0], upper[1]], np.float64)


def boxes_meet(a: Quad, b: Quad) -> bool:
    """Whether two boxes overlap or touch: lower x and y, upper x and y. Not where one is NaN."""
    return bool((a[:2] <= b[2:]).all() and (b[:2] <= a[2:]).all())


def read_four(table: Numbers, row: int, column: int) -> Quad:
    """Return the numbers in a row from this column on."""
    return seen_as_numbers(table)[row, column : column + 4].astype(np.float64)


def write_four(table: Numbers, row: int, column: int, numbers: Quad) -> None:
    """Write them into a row from this column on."""
    seen_as_numbers(table)[row, column : column + 4] = numbers


def seen_as_numbers(table: Numbers) -> NDArray[Any]:
    """Return a table as it is or, where it has fields, as rows of float64."""
    return table if table.dtype.names is None else table.view(np.float64).reshape(len(table), -1)


# ------------------------------------------------------------------- the type, for Numba


class QuadType(types.Type):
    """Numba's type of four float64 numbers."""

    def __init__(self) -> None:
        super().__init__(name="float64x4")


quad = QuadType()

VECTOR: Final = ir.VectorType(ir.DoubleType(), 4)
VECTOR_32: Final = ir.VectorType(FLOAT, 4)


@register_model(QuadType)
class QuadModel(models.PrimitiveModel):
    """They are one LLVM vector wherever they are."""

    def __init__(self, data_models: Any, numba_type: QuadType) -> None:
        super().__init__(data_models, numba_type, VECTOR)  # type: ignore[no-untyped-call]


def is_quad(given: Any) -> bool:
    """Whether this Numba type is four numbers."""
    return isinstance(given, QuadType)


def is_table(given: Any) -> bool:
    """Whether this Numba type is a table that they are read from."""
    has_fields = isinstance(given, types.Array) and isinstance(given.dtype, types.Record)
    is_of_rows = has_fields and given.ndim == 1 and given.layout == "C"
    return is_of_rows or is_array(given, 2, types.float64) or is_array(given, 2, real32)


# ------------------------------------------------------------- compiled: place by place


compile_binary(operator.add, ir.IRBuilder.fadd, quad)
compile_binary(operator.sub, ir.IRBuilder.fsub, quad)
compile_binary(operator.mul, ir.IRBuilder.fmul, quad)
compile_binary(maximum, emit_maximum, quad)
compile_binary(minimum, emit_minimum, quad)


@instructions
def make_four(_typing: Any, _a: Any, _b: Any, _c: Any, _d: Any) -> Any:
    """The instructions of `four`."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        made = ir.Constant(VECTOR, ir.Undefined)
        for place, each in enumerate(given):
            made = builder.insert_element(made, each, INT64(place))
        return made

    return quad(real, real, real, real), emit


@overload(four)
def compile_four(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Give kernels `four`."""
    if not all(isinstance(each, types.Number) for each in (a, b, c, d)):
        return None

    def compiled(a: Any, b: Any, c: Any, d: Any) -> Any:
        return make_four(a, b, c, d)

    return compiled


@instructions
def take_number(_typing: Any, _numbers: Any, _place: Any) -> Any:
    """The instructions of `number`."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.extract_element(*given)

    return real(quad, integer), emit


@overload(number)
def compile_number(numbers: Any, place: Any) -> Any:
    """Give kernels `number`."""

    def compiled(numbers: Any, place: Any) -> Any:
        return take_number(numbers, place)

    return compiled if is_quad(numbers) and are_indices(place) else None


@instructions
def swap_pairs(_typing: Any, _numbers: Any) -> Any:
    """The instructions of `swapped`."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return shuffled(builder, given[0], given[0], [1, 0, 3, 2])

    return quad(quad), emit


@overload(swapped)
def compile_swapped(numbers: Any) -> Any:
    """Give kernels `swapped`."""

    def compiled(numbers: Any) -> Any:
        return swap_pairs(numbers)

    return compiled if is_quad(numbers) else None


@instructions
def join_corners(_typing: Any, _lower: Any, _upper: Any) -> Any:
    """The instructions of `box_of`."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return shuffled(builder, given[0], given[1], [0, 1, 4, 5])

    return quad(quad, quad), emit


@overload(box_of)
def compile_box_of(lower: Any, upper: Any) -> Any:
    """Give kernels `box_of`."""

    def compiled(lower: Any, upper: Any) -> Any:
        return join_corners(lower, upper)

    return compiled if is_quad(lower) and is_quad(upper) else None


@instructions
def compare_boxes(_typing: Any, _a: Any, _b: Any) -> Any:
    """The instructions of `boxes_meet`: the four comparisons at once."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        a, b = given
        lower = shuffled(builder, a, b, [0, 1, 4, 5])
        upper = shuffled(builder, b, a, [2, 3, 6, 7])
        answers = builder.bitcast(builder.fcmp_ordered("<=", lower, upper), ir.IntType(4))
        return builder.icmp_unsigned("==", answers, ir.IntType(4)(15))

    return types.boolean(quad, quad), emit


@overload(boxes_meet)
def compile_boxes_meet(a: Any, b: Any) -> Any:
    """Give kernels `boxes_meet`."""

    def compiled(a: Any, b: Any) -> Any:
        return compare_boxes(a, b)

    return compiled if is_quad(a) and is_quad(b) else None


# -------------------------------------------------------- compiled: to and from tables


def place_of(context: Any, builder: Any, table_type: Any, given: Any) -> tuple[Any, Any]:
    """Emit where `table[row, column]` lies, as the address of a vector; and its alignment."""
    kind, size = (VECTOR_32, 4) if table_type.dtype == real32 else (VECTOR, 8)
    table = context.make_array(table_type)(context, builder, given[0])
    start = builder.mul(given[1], builder.extract_value(table.strides, 0))
    start = builder.add(start, builder.mul(given[2], INT64(size)))
    place = builder.gep(builder.bitcast(table.data, BYTE.as_pointer()), [start])
    return builder.bitcast(place, kind.as_pointer()), size


@instructions
def read_numbers(_typing: Any, table: Any, _row: Any, _column: Any) -> Any:
    """The instructions of `read_four`."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place, alignment = place_of(context, builder, signature.args[0], given)
        numbers = builder.load(place)
        numbers.align = alignment
        return numbers if alignment == 8 else builder.fpext(numbers, VECTOR)

    return quad(table, integer, integer), emit


@overload(read_four)
def compile_read_four(table: Any, row: Any, column: Any) -> Any:
    """Give kernels `read_four`."""

    def compiled(table: Any, row: Any, column: Any) -> Any:
        if BOUNDSCHECK:
            check_four(table, row, column)
        return read_numbers(table, row, column)

    return compiled if is_table(table) and are_indices(row, column) else None


@instructions
def write_numbers(_typing: Any, table: Any, _row: Any, _column: Any, _numbers: Any) -> Any:
    """The instructions of `write_four`."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place, alignment = place_of(context, builder, signature.args[0], given)
        numbers = given[3] if alignment == 8 else builder.fptrunc(given[3], VECTOR_32)
        builder.store(numbers, place).align = alignment
        return context.get_dummy_value()

    return types.void(table, integer, integer, quad), emit


@overload(write_four)
def compile_write_four(table: Any, row: Any, column: Any, numbers: Any) -> Any:
    """Give kernels `write_four`."""

    def compiled(table: Any, row: Any, column: Any, numbers: Any) -> None:
        if BOUNDSCHECK:
            check_four(table, row, column)
        write_numbers(table, row, column, numbers)

    are_right = is_table(table) and are_indices(row, column) and is_quad(numbers)
    return compiled if are_right else None


@register_jitable
def check_four(table: Any, row: int, column: int) -> None:
    """Raise IndexError unless the row has four numbers from this column on."""
    columns = table.strides[0] // table.itemsize if table.ndim == 2 else table.itemsize // 8
    if not (0 <= row < table.shape[0] and 0 <= column <= columns - 4):
        raise IndexError("four numbers that are outside their table")
