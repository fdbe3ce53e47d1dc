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


# ------------------------------------------------------------------- the type, for Numba


class LanesType(types.Type):
    """Numba's type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="float32x8")


lanes = LanesType()
"""The type, to write signatures with."""

FLOAT: Final = ir.FloatType()
VECTOR: Final = ir.VectorType(FLOAT, LANES)
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


def are_indices(*given: Any) -> bool:
    """Whether these Numba types are integers."""
    return all(isinstance(each, types.Integer) for each in given)


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
def compile_load(array: Any, block: Any, field: Any) -> Any:
    """Give kernels `load` for float32 arrays (blocks, fields, 8)."""
    if not (is_array(array, 3, real32) and are_indices(block, field)):
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
def compile_store(array: Any, block: Any, field: Any, value: Any) -> Any:
    """Give kernels `store` for float32 arrays (blocks, fields, 8)."""
    if not (is_array(array, 3, real32) and are_indices(block, field) and is_lanes(value)):
        return None

    def store_compiled(array: Any, block: Any, field: Any, value: Any) -> None:
        if BOUNDSCHECK:
            check_lanes(array, block, field)
        store_lanes(array, block, field, value)

    return store_compiled


# --------------------------------------------------------------- the debug switch's checks


@register_jitable
def check_lanes(array: Any, block: int, field: int) -> None:
    """Raise IndexError unless `array[block, field]` is eight lanes of the array."""
    if not (0 <= block < array.shape[0] and 0 <= field < array.shape[1] and array.shape[2] == 8):
        raise IndexError("load or store outside its array, or its last dimension is not 8")
