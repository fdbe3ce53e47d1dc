"""Eight float32 numbers that are computed with as one: the vector type of the wide solver.

A processor with AVX adds eight float32 numbers in one instruction. LLVM finds such
instructions in plain loops only now and then, so this module says it outright: it teaches
Numba a type of eight lanes, the operators `+ - * /` and unary `-` on it, and the few functions
below. Kernels then read as scalar code does, each name standing for eight contacts at once.

Every public function here is plain Python on NumPy arrays of shape (8,): that is what it
means, and what runs with the JIT off. `numba.extending.overload` gives compiled kernels the same
under the same name. Both round every operation on its own (no fused multiply-add, no
reassociation), so that a lane carries exactly the bits that scalar float32 code would.

How a kernel has to use it:

- Numbers become lanes by `splat`; there are no mixed operators (`splat(HALF) * v`).
- No `+=` on lanes: the NumPy twin would change the array that another name still holds.
- Indices are not checked and do not count from the end. Under ECS_PHYSICS_BOUNDSCHECK=1 a
  wrong one raises IndexError, as it does for other arrays.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_jitable, register_model
from numpy.typing import NDArray

from ecs_physics.kernels.compile import BOUNDSCHECK, integer, real32

LANES: Final = 8
"""float32 numbers in a vector: what one 256-bit register holds. On narrower machines LLVM cuts
each operation in two or more; the results are the same."""

FLOAT_BYTES: Final = 4
REAL_BYTES: Final = 8
ROW_BYTES: Final = LANES * FLOAT_BYTES

Lanes = NDArray[np.float32]
"""What a vector is to plain Python: float32 of shape (8,)."""

# ----------------------------------------------------------------- meaning, in plain NumPy


def splat(number: float | np.float32) -> Lanes:
    """Return eight lanes that all hold `number` (float32)."""
    return np.full(LANES, number, np.float32)


def load(array: NDArray[np.float32], block: int, field: int) -> Lanes:
    """Return the eight lanes of `array[block, field]`, a C-contiguous (blocks, fields, 8)."""
    return array[block, field].copy()


def store(array: NDArray[np.float32], block: int, field: int, value: Lanes) -> None:
    """Write the eight lanes of `value` to `array[block, field]`."""
    array[block, field] = value


def maximum(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return `a if a > b else b` in each lane.

    So `b` where either is NaN, and where both are zeros of any sign: not symmetric. This is
    what the processor's own instruction does, and Python's `max(b, a)` (not `max(a, b)`).
    """
    return np.where(a > b, a, b)


def minimum(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return `a if a < b else b` in each lane: `b` where either is NaN or both are zeros."""
    return np.where(a < b, a, b)


def where_positive(test: Lanes, a: Lanes, b: Lanes) -> Lanes:
    """Return `a if test > 0 else b` in each lane: `b` where `test` is NaN."""
    return np.where(test > 0, a, b)


def sqrt(a: Lanes) -> Lanes:
    """Return the correctly rounded square root of each lane, NaN for a negative one."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(a)


def gather_rows(
    bodies: NDArray[np.float32], rows: NDArray[np.int32], block: int, side: int
) -> tuple[Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes]:
    """Return eight rows of `bodies` as eight columns: lane k of column f is `bodies[r_k, f]`.

    `bodies` is C-contiguous (n, 8), `rows` C-contiguous int32 (blocks, sides, 8), and the r_k are
    `rows[block, side]`. A row may occur several times.
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
    numbers: NDArray[np.float64], rows: NDArray[np.int32], block: int, side: int, column: int
) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Return the columns `column` to `column + 3` of eight rows, rounded to float32.

    `numbers` is float64, C-contiguous (n, `column + 4` or more): a table whose fields take eight
    bytes each, seen as numbers. Rows are named as for `gather_rows`.
    """
    a, b, c, d = numbers[rows[block, side], column : column + 4].T.astype(np.float32)
    return a, b, c, d


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


# ------------------------------------------------------------------- the type, for Numba


class LanesType(types.Type):
    """Numba's type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="float32x8")


lanes = LanesType()
"""The type, to write signatures with."""

FLOAT: Final = ir.FloatType()
FOUR_REALS: Final = ir.VectorType(ir.DoubleType(), LANES // 2)
VECTOR: Final = ir.VectorType(FLOAT, LANES)
HALF_VECTOR: Final = ir.VectorType(FLOAT, LANES // 2)
INT32: Final = ir.IntType(32)
INT64: Final = ir.IntType(64)
BYTE: Final = ir.IntType(8)
ZEROS: Final = ir.Constant(VECTOR, [0.0] * LANES)

instructions: Callable[[Callable[..., Any]], Any] = intrinsic
"""Numba's `intrinsic`, without its claim that a caller, too, gives the typing context."""


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    """Lanes are one LLVM vector wherever they are: as a value, an argument, a result."""

    def __init__(self, data_models: Any, numba_type: LanesType) -> None:
        super().__init__(data_models, numba_type, VECTOR)  # type: ignore[no-untyped-call]


def is_lanes(given: Any) -> bool:
    """Whether this Numba type is lanes."""
    return isinstance(given, LanesType)


def is_array(given: Any, dimensions: int, dtype: Any) -> bool:
    """Whether this Numba type is a C-contiguous array, the only kind that lanes come from."""
    return (
        isinstance(given, types.Array)
        and given.ndim == dimensions
        and given.dtype == dtype
        and given.layout == "C"
    )


# ------------------------------------------------------------- compiled: lane by lane
#
# An intrinsic says which LLVM instructions a call becomes: it returns the call's signature and
# a function that emits them. An overload then lends it the public name. LLVM puts
# all of them in the places of their calls.


def compile_unary(function: Callable[..., Any], emit: Callable[..., Any]) -> None:
    """Make `function(a)` of lanes compile to the instructions of `emit(builder, a)`."""

    @instructions
    def emitted(_typing: Any, _a: Any) -> Any:
        return lanes(lanes), lambda _context, builder, _signature, given: emit(builder, *given)

    def compiled(a: Any) -> Any:
        return emitted(a)

    @overload(function)
    def choose(a: Any) -> Any:
        return compiled if is_lanes(a) else None


def compile_binary(
    function: Callable[..., Any], emit: Callable[..., Any], kind: types.Type = lanes
) -> None:
    """Make `function(a, b)` of a `kind` of vectors compile to what `emit(builder, a, b)` emits."""

    @instructions
    def emitted(_typing: Any, _a: Any, _b: Any) -> Any:
        signature = kind(kind, kind)
        return signature, lambda _context, builder, _signature, given: emit(builder, *given)

    def compiled(a: Any, b: Any) -> Any:
        return emitted(a, b)

    @overload(function)
    def choose(a: Any, b: Any) -> Any:
        return compiled if a == b == kind else None


def emit_sqrt(builder: Any, a: Any) -> Any:
    """Emit LLVM's own square root, which is the processor's instruction."""
    name = f"llvm.sqrt.v{LANES}f32"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), name)
    return builder.call(function, [a])


def emit_maximum(builder: Any, a: Any, b: Any) -> Any:
    """Emit an ordered comparison (false for NaN) and a choice: LLVM makes it one instruction."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def emit_minimum(builder: Any, a: Any, b: Any) -> Any:
    """Emit the same with the other comparison."""
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


# No flags: without "contract" LLVM may not join a product and a sum into one rounding.
compile_binary(operator.add, ir.IRBuilder.fadd)
compile_binary(operator.sub, ir.IRBuilder.fsub)
compile_binary(operator.mul, ir.IRBuilder.fmul)
compile_binary(operator.truediv, ir.IRBuilder.fdiv)
compile_unary(operator.neg, ir.IRBuilder.fneg)
compile_binary(maximum, emit_maximum)
compile_binary(minimum, emit_minimum)
compile_unary(sqrt, emit_sqrt)


@instructions
def where_positive_lanes(_typing: Any, _test: Any, _a: Any, _b: Any) -> Any:
    """The instructions of `where_positive`."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        test, a, b = given
        return builder.select(builder.fcmp_ordered(">", test, ZEROS), a, b)

    return lanes(lanes, lanes, lanes), emit


@overload(where_positive)
def compile_where_positive(test: Any, a: Any, b: Any) -> Any:
    """Give kernels `where_positive` for three lanes."""

    def compiled(test: Any, a: Any, b: Any) -> Any:
        return where_positive_lanes(test, a, b)

    return compiled if is_lanes(test) and is_lanes(a) and is_lanes(b) else None


@instructions
def splat_lanes(_typing: Any, _number: Any) -> Any:
    """The instructions of `splat`: put the number into lane 0 and copy that lane to all."""

    def emit(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        nothing = ir.Constant(VECTOR, ir.Undefined)
        first = builder.insert_element(nothing, given[0], INT32(0))
        return shuffled(builder, first, nothing, [0] * LANES)

    return lanes(real32), emit


@overload(splat)
def compile_splat(number: Any) -> Any:
    """Give kernels `splat` for any number; it is rounded to float32 first."""

    def compiled(number: Any) -> Any:
        return splat_lanes(number)

    return compiled if isinstance(number, types.Number) else None


# -------------------------------------------------------- compiled: lanes to and from arrays


def address(context: Any, builder: Any, array_type: Any, array: Any, index: Sequence[Any]) -> Any:
    """Emit the byte address of `array[index[0], index[1], ..., 0]`.

    Uses the array's own strides but for the last index given: what follows that in a
    C-contiguous array of eight-lane rows is one row, and a constant makes shorter code.
    """
    structure = context.make_array(array_type)(context, builder, array)
    strides = [builder.extract_value(structure.strides, k) for k in range(len(index) - 1)]
    strides.append(INT64(ROW_BYTES))
    place = builder.bitcast(structure.data, BYTE.as_pointer())
    for i, stride in zip(index, strides, strict=True):
        place = builder.gep(place, [builder.mul(i, stride)])
    return place


def read(builder: Any, place: Any, kind: Any) -> Any:
    """Emit a read of one `kind` at a byte address that is only aligned to a float."""
    value = builder.load(builder.bitcast(place, kind.as_pointer()))
    value.align = FLOAT_BYTES
    return value


def write(builder: Any, value: Any, place: Any) -> None:
    """Emit a write of a value at a byte address that is only aligned to a float."""
    builder.store(value, builder.bitcast(place, value.type.as_pointer())).align = FLOAT_BYTES


def shuffled(builder: Any, a: Any, b: Any, order: Sequence[int]) -> Any:
    """Emit a choice of lanes of `a` (from 0) and of `b` (from the length of `a`) in this order."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INT32, len(order)), list(order)))


@instructions
def load_lanes(_typing: Any, array: Any, _block: Any, _field: Any) -> Any:
    """The instructions of `load`."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, *index = given
        return read(builder, address(context, builder, signature.args[0], array, index), VECTOR)

    return lanes(array, integer, integer), emit


@overload(load)
def compile_load(array: Any, block: Any, field: Any) -> Any:  # noqa: ARG001 (names of `load`)
    """Give kernels `load` for float32 arrays (blocks, fields, 8)."""
    if not is_array(array, 3, real32):
        return None

    def load_compiled(array: Any, block: Any, field: Any) -> Any:
        if BOUNDSCHECK:
            check_lanes(array, block, field)
        return load_lanes(array, block, field)

    return load_compiled


@instructions
def store_lanes(_typing: Any, array: Any, _block: Any, _field: Any, _value: Any) -> Any:
    """The instructions of `store`."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, *index, value = given
        write(builder, value, address(context, builder, signature.args[0], array, index))
        return context.get_dummy_value()

    return types.void(array, integer, integer, lanes), emit


@overload(store)
def compile_store(array: Any, block: Any, field: Any, value: Any) -> Any:  # noqa: ARG001
    """Give kernels `store` for float32 arrays (blocks, fields, 8)."""
    if not (is_array(array, 3, real32) and is_lanes(value)):
        return None

    def store_compiled(array: Any, block: Any, field: Any, value: Any) -> None:
        if BOUNDSCHECK:
            check_lanes(array, block, field)
        store_lanes(array, block, field, value)

    return store_compiled


# ------------------------------------------------------------ compiled: rows of bodies
#
# A body's row lies in memory as eight numbers in a line, while the solver wants one lane of
# each of eight bodies side by side: a transposition. Rows are read in halves of four numbers: a
# half is put into its place while it is read, and what is left are two transpositions of 4 x 4
# in each half of the registers, which need no costly moves between the halves.

FIRST_OF_PAIRS: Final = [0, 8, 1, 9, 4, 12, 5, 13]
LAST_OF_PAIRS: Final = [2, 10, 3, 11, 6, 14, 7, 15]
FIRST_HALVES: Final = [0, 1, 8, 9, 4, 5, 12, 13]
LAST_HALVES: Final = [2, 3, 10, 11, 6, 7, 14, 15]


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


@instructions
def gather_lanes(_typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any) -> Any:
    """The instructions of `gather_rows`."""
    columns = types.UniTuple(lanes, 8)  # type: ignore[no-untyped-call]

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        addresses = row_addresses(context, builder, signature, given)
        values = read_columns(builder, addresses, 0) + read_columns(builder, addresses, 4)
        return context.make_tuple(builder, columns, values)

    return columns(bodies, rows, integer, integer), emit


@overload(gather_rows)
def compile_gather_rows(bodies: Any, rows: Any, block: Any, side: Any) -> Any:  # noqa: ARG001
    """Give kernels `gather_rows`."""
    if not (is_array(bodies, 2, real32) and is_array(rows, 3, types.int32)):
        return None

    def gather_compiled(bodies: Any, rows: Any, block: Any, side: Any) -> Any:
        if BOUNDSCHECK:
            check_rows(bodies, rows, block, side)
        return gather_lanes(bodies, rows, block, side)

    return gather_compiled


@instructions
def gather_velocity_lanes(_typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any) -> Any:
    """The instructions of `gather_velocities`."""
    columns = types.UniTuple(lanes, 3)  # type: ignore[no-untyped-call]

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        addresses = row_addresses(context, builder, signature, given)
        return context.make_tuple(builder, columns, read_columns(builder, addresses, 0)[:3])

    return columns(bodies, rows, integer, integer), emit


@overload(gather_velocities)
def compile_gather_velocities(bodies: Any, rows: Any, block: Any, side: Any) -> Any:  # noqa: ARG001
    """Give kernels `gather_velocities`."""
    if not (is_array(bodies, 2, real32) and is_array(rows, 3, types.int32)):
        return None

    def gather_compiled(bodies: Any, rows: Any, block: Any, side: Any) -> Any:
        if BOUNDSCHECK:
            check_rows(bodies, rows, block, side)
        return gather_velocity_lanes(bodies, rows, block, side)

    return gather_compiled


@instructions
def gather_real_lanes(
    _typing: Any, numbers: Any, rows: Any, _block: Any, _side: Any, _column: Any
) -> Any:
    """The instructions of `gather_reals`."""
    columns = types.UniTuple(lanes, 4)  # type: ignore[no-untyped-call]

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, given[0])
        first = builder.bitcast(table.data, BYTE.as_pointer())
        first = builder.gep(first, [builder.mul(given[4], INT64(REAL_BYTES))])
        stride = builder.extract_value(table.strides, 0)
        halves = []
        for row in row_numbers(context, builder, signature, given):
            place = builder.gep(first, [builder.mul(row, stride)])
            halves.append(builder.fptrunc(read(builder, place, FOUR_REALS), HALF_VECTOR))
        return context.make_tuple(builder, columns, columns_of(builder, halves))

    return columns(numbers, rows, integer, integer, integer), emit


@overload(gather_reals)
def compile_gather_reals(
    numbers: Any,
    rows: Any,
    block: Any,  # noqa: ARG001 (names of `gather_reals`)
    side: Any,  # noqa: ARG001
    column: Any,  # noqa: ARG001
) -> Any:
    """Give kernels `gather_reals`."""
    if not (is_array(numbers, 2, types.float64) and is_array(rows, 3, types.int32)):
        return None

    def gather_compiled(numbers: Any, rows: Any, block: Any, side: Any, column: Any) -> Any:
        if BOUNDSCHECK:
            check_reals(numbers, rows, block, side, column)
        return gather_real_lanes(numbers, rows, block, side, column)

    return gather_compiled


@instructions
def scatter_lanes(
    _typing: Any, bodies: Any, rows: Any, _block: Any, _side: Any, _v0: Any, _v1: Any, _v2: Any
) -> Any:
    """The instructions of `scatter_velocities`: one write of four numbers for each row."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        addresses = row_addresses(context, builder, signature, given)
        _bodies, _rows, _block, _side, v0, v1, v2 = given
        rows_out = transposed(builder, v0, v1, v2, ZEROS)
        for lane, place in enumerate(addresses):
            start = lane // 4 * 4
            row = rows_out[lane % 4]
            write(builder, shuffled(builder, row, row, range(start, start + 4)), place)
        return context.get_dummy_value()

    return types.void(bodies, rows, integer, integer, lanes, lanes, lanes), emit


@overload(scatter_velocities)
def compile_scatter_velocities(
    bodies: Any,
    rows: Any,
    block: Any,  # noqa: ARG001 (names of `scatter_velocities`)
    side: Any,  # noqa: ARG001
    v0: Any,
    v1: Any,
    v2: Any,
) -> Any:
    """Give kernels `scatter_velocities`."""
    if not (is_array(bodies, 2, real32) and is_array(rows, 3, types.int32)):
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


# --------------------------------------------------------------- the debug switch's checks


@register_jitable
def check_lanes(array: Any, block: int, field: int) -> None:
    """Raise IndexError unless `array[block, field]` is eight lanes of the array."""
    if not (0 <= block < array.shape[0] and 0 <= field < array.shape[1] and array.shape[2] == 8):
        raise IndexError("load or store outside its array, or its last dimension is not 8")


@register_jitable
def check_rows(bodies: Any, rows: Any, block: int, side: int) -> None:
    """Raise IndexError unless `rows[block, side]` names eight rows of `bodies`."""
    check_lanes(rows, block, side)
    for lane in range(8):
        if not 0 <= rows[block, side, lane] < bodies.shape[0] or bodies.shape[1] != 8:
            raise IndexError("gather or scatter of a row outside bodies, or rows are not of 8")


@register_jitable
def check_reals(numbers: Any, rows: Any, block: int, side: int, column: int) -> None:
    """Raise IndexError unless the four columns from `column` on are there, and so are the rows."""
    check_lanes(rows, block, side)
    if not 0 <= column <= numbers.shape[1] - 4:
        raise IndexError("gather of columns outside the table")
    for lane in range(8):
        if not 0 <= rows[block, side, lane] < numbers.shape[0]:
            raise IndexError("gather of a row outside the table")
