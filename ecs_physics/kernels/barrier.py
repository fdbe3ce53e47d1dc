"""A place where threads wait for each other, some hundred nanoseconds long.

The coloured solver needs one after every colour, a hundred times a step: leaving and entering a
parallel region that often costs more than the second thread saves.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.extending import intrinsic

from ecs_physics.kernels.compile import Integers, inner, integer

ARRIVED = 0
"""Where in the shared int64 array the threads count themselves."""

GENERATION = 8
"""Where they count how often all have come, a cache line further on."""

SIZE = 16
"""Length of the shared array."""

_instructions: Callable[[Callable[..., Any]], Any] = intrinsic  # without its untyped claims


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@_instructions
def atomic_add(_typing: Any, array: Any, index: Any, _value: Any) -> Any:
    """Add `value` to `array[index]` as one step; returns what was there before."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _address(context, builder, signature.args[0], given[0], given[1])
        return builder.atomic_rmw("add", place, given[2], "seq_cst")

    return integer(array, index, integer), emit


@_instructions
def atomic_load(_typing: Any, array: Any, index: Any) -> Any:
    """What `array[index]` is now, whoever wrote it."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _address(context, builder, signature.args[0], given[0], given[1])
        return builder.load_atomic(place, "seq_cst", ir.IntType(64).width // 8)

    return integer(array, index), emit


@inner
def wait_for_all(threads: int, shared: Integers) -> None:
    """Return once `threads` threads have called this.

    All of them must be running at the same time, or they wait for ever.
    """
    generation = atomic_load(shared, GENERATION)
    if atomic_add(shared, ARRIVED, 1) == threads - 1:
        atomic_add(shared, ARRIVED, -threads)
        atomic_add(shared, GENERATION, 1)
    else:
        while atomic_load(shared, GENERATION) == generation:
            pass
