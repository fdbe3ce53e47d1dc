"""The rows of joint_rows.py, eight at a time: the same operations in the same order."""

import numpy as np
from numba import types

from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    boolean,
    inlined,
    integer,
    integers32_3,
    kernel,
    real32,
    reals32_2,
    reals32_3,
)
from ecs_physics.kernels.joint_row_fields import (
    GAP,
    HIGHEST,
    IMPULSE,
    IS_LIMIT,
    JACOBIAN,
    LOWEST,
    MASS,
    MASS_AX,
    MASS_BX,
    RATE,
    RELAX_RATE,
    SPEED,
    TOTAL,
)
from ecs_physics.kernels.lane_rows import gather_velocities, scatter_velocities
from ecs_physics.kernels.lanes import Lanes, load, maximum, minimum, splat, store, where_positive

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3), feature="joints")
def warm_start_rows_wide(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, lanes: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        warm_start_row_block(block, bodies, rows, lanes)


@kernel(
    types.void(integer, integer, boolean, real32, reals32_2, integers32_3, reals32_3),
    feature="joints",
)
def solve_rows_wide(
    first_block: int,
    last_block: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    lanes: Reals32,
) -> None:
    """Solve every row once; see joint_rows.solve_rows."""
    for block in range(first_block, last_block):
        solve_row_block(block, use_bias, inverse_h, bodies, rows, lanes)


@inlined
def warm_start_row_block(block: int, bodies: Reals32, rows: Integers32, lanes: Reals32) -> None:
    """Warm start eight rows."""
    v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
    push(load(lanes, block, IMPULSE), v, block, bodies, rows, lanes)


@inlined
def push(
    impulse: Lanes,
    v: tuple[Lanes, ...],
    block: int,
    bodies: Reals32,
    rows: Integers32,
    lanes: Reals32,
) -> None:
    """Apply an impulse along the Jacobian to velocities `v`, and write them back."""
    v_ax = v[0] + load(lanes, block, MASS_AX) * load(lanes, block, JACOBIAN) * impulse
    v_ay = v[1] + load(lanes, block, MASS_AX + 1) * load(lanes, block, JACOBIAN + 1) * impulse
    omega_a = v[2] + load(lanes, block, MASS_AX + 2) * load(lanes, block, JACOBIAN + 2) * impulse
    v_bx = v[3] + load(lanes, block, MASS_BX) * load(lanes, block, JACOBIAN + 3) * impulse
    v_by = v[4] + load(lanes, block, MASS_BX + 1) * load(lanes, block, JACOBIAN + 4) * impulse
    omega_b = v[5] + load(lanes, block, MASS_BX + 2) * load(lanes, block, JACOBIAN + 5) * impulse
    scatter_velocities(bodies, rows, block, 0, v_ax, v_ay, omega_a)
    scatter_velocities(bodies, rows, block, 1, v_bx, v_by, omega_b)


@inlined
def solve_row_block(
    block: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    lanes: Reals32,
) -> None:
    """Solve eight rows once."""
    v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
    speed = load(lanes, block, JACOBIAN) * v[0]
    speed = speed + load(lanes, block, JACOBIAN + 1) * v[1]
    speed = speed + load(lanes, block, JACOBIAN + 2) * v[2]
    speed = speed + load(lanes, block, JACOBIAN + 3) * v[3]
    speed = speed + load(lanes, block, JACOBIAN + 4) * v[4]
    speed = speed + load(lanes, block, JACOBIAN + 5) * v[5]
    speed = speed - load(lanes, block, SPEED)
    gap = load(lanes, block, GAP)
    start = RATE if use_bias else RELAX_RATE
    is_open = gap * load(lanes, block, IS_LIMIT)
    bias = where_positive(is_open, gap * splat(inverse_h), load(lanes, block, start) * gap)
    scale = where_positive(is_open, splat(_ONE), load(lanes, block, start + 1))
    impulse_scale = where_positive(is_open, splat(_ZERO), load(lanes, block, start + 2))
    old = load(lanes, block, IMPULSE)
    wanted = old - load(lanes, block, MASS) * (scale * (speed + bias)) - impulse_scale * old
    new = minimum(
        maximum(wanted, load(lanes, block, LOWEST)),
        load(lanes, block, HIGHEST),
    )
    store(lanes, block, IMPULSE, new)
    if not use_bias:
        store(lanes, block, TOTAL, load(lanes, block, TOTAL) + new)
    push(new - old, v, block, bodies, rows, lanes)
