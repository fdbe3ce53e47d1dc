"""Rows: one number that depends on two poses, held, driven, sprung or limited, in float32.

`lanes[block, field, lane]`. The Jacobian J says how fast that number, the measure, changes with the
velocities of A and B. An impulse is solved for as in solver.md; a limit counts only up from zero,
and while it is not reached it only sees to it that it will not be passed (`IS_LIMIT`).

Jacobian and gap follow the bodies in each substep, worked out in float64 (joint_lanes.py). These
are the plain twins of joint_rows_wide.py.
"""

import numpy as np
from numba import types

from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    boolean,
    inner,
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

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3), feature="joints")
def warm_start_rows(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, lanes: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        for lane in range(LANES):
            impulse = lanes[block, IMPULSE, lane]
            push(impulse, block, lane, rows[block, 0, lane], rows[block, 1, lane], bodies, lanes)


@kernel(
    types.void(integer, integer, boolean, real32, reals32_2, integers32_3, reals32_3),
    feature="joints",
)
def solve_rows(
    first_block: int,
    last_block: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    lanes: Reals32,
) -> None:
    """Solve every row once. `use_bias` closes gaps (solving); without it, relaxing, springs do.

    `inverse_h` is 1/s.
    """
    for block in range(first_block, last_block):
        for lane in range(LANES):
            a = rows[block, 0, lane]
            b = rows[block, 1, lane]
            solve_row(block, lane, a, b, use_bias, inverse_h, bodies, lanes)


@inner
def push(
    impulse: float, block: int, lane: int, a: int, b: int, bodies: Reals32, lanes: Reals32
) -> None:
    """Apply an impulse along the Jacobian."""
    for axis in range(3):
        onto_a = lanes[block, MASS_AX + axis, lane] * lanes[block, JACOBIAN + axis, lane]
        bodies[a, axis] += onto_a * impulse
    for axis in range(3):
        onto_b = lanes[block, MASS_BX + axis, lane] * lanes[block, JACOBIAN + 3 + axis, lane]
        bodies[b, axis] += onto_b * impulse


@inner
def solve_row(
    block: int,
    lane: int,
    a: int,
    b: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    lanes: Reals32,
) -> None:
    """Solve one row."""
    speed = lanes[block, JACOBIAN, lane] * bodies[a, 0]
    speed += lanes[block, JACOBIAN + 1, lane] * bodies[a, 1]
    speed += lanes[block, JACOBIAN + 2, lane] * bodies[a, 2]
    speed += lanes[block, JACOBIAN + 3, lane] * bodies[b, 0]
    speed += lanes[block, JACOBIAN + 4, lane] * bodies[b, 1]
    speed += lanes[block, JACOBIAN + 5, lane] * bodies[b, 2]
    speed -= lanes[block, SPEED, lane]
    gap = lanes[block, GAP, lane]
    start = RATE if use_bias else RELAX_RATE
    if gap * lanes[block, IS_LIMIT, lane] > _ZERO:
        bias = gap * inverse_h
        scale = _ONE
        impulse_scale = _ZERO
    else:
        bias = lanes[block, start, lane] * gap
        scale = lanes[block, start + 1, lane]
        impulse_scale = lanes[block, start + 2, lane]
    old = lanes[block, IMPULSE, lane]
    wanted = old - lanes[block, MASS, lane] * (scale * (speed + bias)) - impulse_scale * old
    lowest = lanes[block, LOWEST, lane]
    highest = lanes[block, HIGHEST, lane]
    wanted = wanted if wanted > lowest else lowest
    new = wanted if wanted < highest else highest
    lanes[block, IMPULSE, lane] = new
    if not use_bias:  # the substep's last word
        lanes[block, TOTAL, lane] += new
    push(new - old, block, lane, a, b, bodies, lanes)
