"""Pins: a point of A stays at a point of B, two by two equations solved at once, in float32.

`pins[block, field, lane]`. With r the arms from the centres of mass to the two points, m and i the
inverse masses and inertias, an impulse P on A (and -P on B) changes the relative velocity of the
points by K P,

    K = (m_a + m_b) 1 + i_a (perp r_a)(perp r_a)^T + i_b (perp r_b)(perp r_b)^T,

whose determinant is written below as a sum of squares: a light bob on a long arm leaves nothing of
a difference in float32. Where K has no inverse, since axes are locked, K / trace^2 is the inverse
in the one direction that can be pushed.

Most pins are rigid; the fields behind TOTAL_Y are read only where `is_soft` says that some lane of
the block is not. These are the plain twins of joint_pins_wide.py.
"""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.blocks import LANES
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    boolean,
    inner,
    integer,
    integers32_3,
    kernel,
    real,
    reals32_2,
    reals32_3,
)
from ecs_physics.kernels.joint_pin_lanes import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    GAP_X,
    GAP_Y,
    IMPULSE_X,
    IMPULSE_Y,
    INERTIA_A,
    INERTIA_B,
    MASS_AX,
    MASS_AY,
    MASS_BX,
    MASS_BY,
    MOST,
    RATE,
    REGULARIZATION,
    RELAX_RATE,
    SPEED_X,
    SPEED_Y,
    TOTAL_X,
    TOTAL_Y,
    joint_spring,
)

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3), feature="joints")
def warm_start_pins(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, pins: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        for lane in range(LANES):
            x = pins[block, IMPULSE_X, lane]
            y = pins[block, IMPULSE_Y, lane]
            push(x, y, block, lane, rows[block, 0, lane], rows[block, 1, lane], bodies, pins)


@kernel(
    types.void(
        integer,
        integer,
        boolean,
        real,
        reals32_2,
        integers32_3,
        types.uint8[::1],
        reals32_3,
    ),
    feature="joints",
)
def solve_pins(
    first_block: int,
    last_block: int,
    use_bias: bool,
    h: float,
    bodies: Reals32,
    rows: Integers32,
    is_soft: NDArray[np.uint8],
    pins: Reals32,
) -> None:
    """Solve every pin once.

    `h` is the substep, s. `use_bias` closes gaps (the solving pass). Without it (the relaxing pass)
    rigid pins only stop what still moves; that pass comes after bodies have moved, and first lets
    the arms follow.
    """
    spring = joint_spring(h) if use_bias else (_ZERO, _ONE, _ZERO)
    for block in range(first_block, last_block):
        for lane in range(LANES):
            a = rows[block, 0, lane]
            b = rows[block, 1, lane]
            if not use_bias:
                follow(block, lane, a, b, bodies, pins)
            solve_pin(block, lane, a, b, use_bias, spring, is_soft[block] > 0, bodies, pins)


@inner
def follow(block: int, lane: int, a: int, b: int, bodies: Reals32, pins: Reals32) -> None:
    """Turn the arms along with what the bodies have turned in this substep; the gap follows."""
    ax = pins[block, ARM_AX, lane]
    ay = pins[block, ARM_AY, lane]
    bx = pins[block, ARM_BX, lane]
    by = pins[block, ARM_BY, lane]
    turned_ax = bodies[a, 6] * ax - bodies[a, 7] * ay
    turned_ay = bodies[a, 7] * ax + bodies[a, 6] * ay
    turned_bx = bodies[b, 6] * bx - bodies[b, 7] * by
    turned_by = bodies[b, 7] * bx + bodies[b, 6] * by
    pins[block, GAP_X, lane] += (bodies[a, 4] - bodies[b, 4]) + (turned_ax - turned_bx)
    pins[block, GAP_Y, lane] += (bodies[a, 5] - bodies[b, 5]) + (turned_ay - turned_by)
    pins[block, ARM_AX, lane] = ax + turned_ax
    pins[block, ARM_AY, lane] = ay + turned_ay
    pins[block, ARM_BX, lane] = bx + turned_bx
    pins[block, ARM_BY, lane] = by + turned_by


@inner
def push(
    x: float, y: float, block: int, lane: int, a: int, b: int, bodies: Reals32, pins: Reals32
) -> None:
    """Apply the impulse (x, y), N s, to A and its opposite to B."""
    turn_a = pins[block, ARM_AX, lane] * y - pins[block, ARM_AY, lane] * x
    turn_b = pins[block, ARM_BX, lane] * y - pins[block, ARM_BY, lane] * x
    bodies[a, 0] += pins[block, MASS_AX, lane] * x
    bodies[a, 1] += pins[block, MASS_AY, lane] * y
    bodies[a, 2] += pins[block, INERTIA_A, lane] * turn_a
    bodies[b, 0] -= pins[block, MASS_BX, lane] * x
    bodies[b, 1] -= pins[block, MASS_BY, lane] * y
    bodies[b, 2] -= pins[block, INERTIA_B, lane] * turn_b


@inner
def inverse_of(block: int, lane: int, pins: Reals32) -> tuple[Any, Any, Any, Any]:
    """K^-1 as its three different elements, all to be divided by the last number.

    Of K + REGULARIZATION times its trace: an arm can be so much longer than the body is wide that
    float32 no longer knows the inverse, and impulses would grow from pass to pass.
    """
    mass_x = pins[block, MASS_AX, lane] + pins[block, MASS_BX, lane]
    mass_y = pins[block, MASS_AY, lane] + pins[block, MASS_BY, lane]
    inertia_a = pins[block, INERTIA_A, lane]
    inertia_b = pins[block, INERTIA_B, lane]
    ax = pins[block, ARM_AX, lane]
    ay = pins[block, ARM_AY, lane]
    bx = pins[block, ARM_BX, lane]
    by = pins[block, ARM_BY, lane]
    turn_a = inertia_a * ax
    turn_b = inertia_b * bx
    xx = turn_a * ax + turn_b * bx
    xy = turn_a * ay + turn_b * by
    yy = inertia_a * ay * ay + inertia_b * by * by
    cross = ax * by - ay * bx
    k11 = mass_x + yy
    k22 = mass_y + xx
    determinant = mass_x * k22 + mass_y * yy + inertia_a * inertia_b * cross * cross
    trace = k11 + k22
    if determinant > _ZERO:
        slack = REGULARIZATION * trace
        return k22 + slack, xy, k11 + slack, determinant + slack * (trace + slack)
    square = trace * trace if trace > _ZERO else _ONE
    return k11, -xy, k22, square


@inner
def solve_pin(
    block: int,
    lane: int,
    a: int,
    b: int,
    use_bias: bool,
    spring: tuple[float, float, float],
    is_soft: bool,
    bodies: Reals32,
    pins: Reals32,
) -> None:
    """Solve one pin."""
    ax = pins[block, ARM_AX, lane]
    ay = pins[block, ARM_AY, lane]
    bx = pins[block, ARM_BX, lane]
    by = pins[block, ARM_BY, lane]
    x = (bodies[a, 0] - bodies[a, 2] * ay) - (bodies[b, 0] - bodies[b, 2] * by)
    y = (bodies[a, 1] + bodies[a, 2] * ax) - (bodies[b, 1] + bodies[b, 2] * bx)
    rate, scale, impulse_scale = spring
    if is_soft:
        start = RATE if use_bias else RELAX_RATE
        rate = pins[block, start, lane]
        scale = pins[block, start + 1, lane]
        impulse_scale = pins[block, start + 2, lane]
        x -= pins[block, SPEED_X, lane]
        y -= pins[block, SPEED_Y, lane]
    x = scale * (x + rate * pins[block, GAP_X, lane])
    y = scale * (y + rate * pins[block, GAP_Y, lane])
    k11, k12, k22, divisor = inverse_of(block, lane, pins)
    old_x = pins[block, IMPULSE_X, lane]
    old_y = pins[block, IMPULSE_Y, lane]
    new_x = old_x - (k11 * x + k12 * y) / divisor - impulse_scale * old_x
    new_y = old_y - (k12 * x + k22 * y) / divisor - impulse_scale * old_y
    if is_soft:
        most = pins[block, MOST, lane]
        square = new_x * new_x + new_y * new_y
        if square - most * most > _ZERO:
            shorter = most / np.sqrt(square)
            new_x *= shorter
            new_y *= shorter
    pins[block, IMPULSE_X, lane] = new_x
    pins[block, IMPULSE_Y, lane] = new_y
    if not use_bias:  # the substep's last word
        pins[block, TOTAL_X, lane] += new_x
        pins[block, TOTAL_Y, lane] += new_y
    push(new_x - old_x, new_y - old_y, block, lane, a, b, bodies, pins)
