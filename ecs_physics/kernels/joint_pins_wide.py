"""The pins of joint_pins.py, eight at a time: the same operations in the same order.

A block's velocities travel as one tuple `v`: v_x, v_y, omega of A, then of B.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    boolean,
    inlined,
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
from ecs_physics.kernels.lane_rows import gather_rows, gather_velocities, scatter_velocities
from ecs_physics.kernels.lanes import Lanes, load, splat, sqrt, store, where_positive

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3), feature="joints")
def warm_start_pins_wide(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, pins: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        warm_start_pin_block(block, bodies, rows, pins)


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
def solve_pins_wide(
    first_block: int,
    last_block: int,
    use_bias: bool,
    h: float,
    bodies: Reals32,
    rows: Integers32,
    is_soft: NDArray[np.uint8],
    pins: Reals32,
) -> None:
    """Solve every pin once; see joint_pins.solve_pins."""
    spring = joint_spring(h)
    for block in range(first_block, last_block):
        solve_pin_block(block, use_bias, spring, bodies, rows, is_soft, pins)


@inlined
def warm_start_pin_block(block: int, bodies: Reals32, rows: Integers32, pins: Reals32) -> None:
    """Warm start eight pins."""
    v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
    v = push(load(pins, block, IMPULSE_X), load(pins, block, IMPULSE_Y), v, block, pins)
    scatter_velocities(bodies, rows, block, 0, v[0], v[1], v[2])
    scatter_velocities(bodies, rows, block, 1, v[3], v[4], v[5])


@inlined
def solve_pin_block(
    block: int,
    use_bias: bool,
    spring: tuple[float, float, float],
    bodies: Reals32,
    rows: Integers32,
    is_soft: NDArray[np.uint8],
    pins: Reals32,
) -> None:
    """Solve eight pins once."""
    if use_bias:
        v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
        rate = splat(spring[0])
        scale = splat(spring[1])
        impulse_scale = splat(spring[2])
    else:
        a = gather_rows(bodies, rows, block, 0)
        b = gather_rows(bodies, rows, block, 1)
        follow(block, a, b, pins)
        v = (a[0], a[1], a[2], b[0], b[1], b[2])
        rate = splat(_ZERO)
        scale = splat(_ONE)
        impulse_scale = splat(_ZERO)
    ax = load(pins, block, ARM_AX)
    ay = load(pins, block, ARM_AY)
    bx = load(pins, block, ARM_BX)
    by = load(pins, block, ARM_BY)
    x = (v[0] - v[2] * ay) - (v[3] - v[5] * by)
    y = (v[1] + v[2] * ax) - (v[4] + v[5] * bx)
    soft = is_soft[block] > 0
    if soft:
        start = RATE if use_bias else RELAX_RATE
        rate = load(pins, block, start)
        scale = load(pins, block, start + 1)
        impulse_scale = load(pins, block, start + 2)
        x = x - load(pins, block, SPEED_X)
        y = y - load(pins, block, SPEED_Y)
    x = scale * (x + rate * load(pins, block, GAP_X))
    y = scale * (y + rate * load(pins, block, GAP_Y))
    k11, k12, k22, divisor = inverse_of(block, pins)
    old_x = load(pins, block, IMPULSE_X)
    old_y = load(pins, block, IMPULSE_Y)
    new_x = old_x - (k11 * x + k12 * y) / divisor - impulse_scale * old_x
    new_y = old_y - (k12 * x + k22 * y) / divisor - impulse_scale * old_y
    if soft:
        one = splat(_ONE)
        most = load(pins, block, MOST)
        square = new_x * new_x + new_y * new_y
        too_much = square - most * most
        shorter = most / sqrt(where_positive(square, square, one))
        new_x = where_positive(too_much, new_x * shorter, new_x)
        new_y = where_positive(too_much, new_y * shorter, new_y)
    store(pins, block, IMPULSE_X, new_x)
    store(pins, block, IMPULSE_Y, new_y)
    if not use_bias:
        store(pins, block, TOTAL_X, load(pins, block, TOTAL_X) + new_x)
        store(pins, block, TOTAL_Y, load(pins, block, TOTAL_Y) + new_y)
    v = push(new_x - old_x, new_y - old_y, v, block, pins)
    scatter_velocities(bodies, rows, block, 0, v[0], v[1], v[2])
    scatter_velocities(bodies, rows, block, 1, v[3], v[4], v[5])


@inlined
def follow(block: int, a: tuple[Lanes, ...], b: tuple[Lanes, ...], pins: Reals32) -> None:
    """Turn the arms along with what the bodies have turned in this substep; the gap follows."""
    ax = load(pins, block, ARM_AX)
    ay = load(pins, block, ARM_AY)
    bx = load(pins, block, ARM_BX)
    by = load(pins, block, ARM_BY)
    turned_ax = a[6] * ax - a[7] * ay
    turned_ay = a[7] * ax + a[6] * ay
    turned_bx = b[6] * bx - b[7] * by
    turned_by = b[7] * bx + b[6] * by
    gap_x = load(pins, block, GAP_X)
    gap_y = load(pins, block, GAP_Y)
    store(pins, block, GAP_X, gap_x + ((a[4] - b[4]) + (turned_ax - turned_bx)))
    store(pins, block, GAP_Y, gap_y + ((a[5] - b[5]) + (turned_ay - turned_by)))
    store(pins, block, ARM_AX, ax + turned_ax)
    store(pins, block, ARM_AY, ay + turned_ay)
    store(pins, block, ARM_BX, bx + turned_bx)
    store(pins, block, ARM_BY, by + turned_by)


@inlined
def push(x: Lanes, y: Lanes, v: tuple[Lanes, ...], block: int, pins: Reals32) -> tuple[Lanes, ...]:
    """The velocities after the impulse (x, y), N s, on A and its opposite on B."""
    turn_a = load(pins, block, ARM_AX) * y - load(pins, block, ARM_AY) * x
    turn_b = load(pins, block, ARM_BX) * y - load(pins, block, ARM_BY) * x
    return (
        v[0] + load(pins, block, MASS_AX) * x,
        v[1] + load(pins, block, MASS_AY) * y,
        v[2] + load(pins, block, INERTIA_A) * turn_a,
        v[3] - load(pins, block, MASS_BX) * x,
        v[4] - load(pins, block, MASS_BY) * y,
        v[5] - load(pins, block, INERTIA_B) * turn_b,
    )


@inlined
def inverse_of(block: int, pins: Reals32) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """K^-1 as its three different elements, all to be divided by the last number.

    See joint_pins.inverse_of.
    """
    mass_x = load(pins, block, MASS_AX) + load(pins, block, MASS_BX)
    mass_y = load(pins, block, MASS_AY) + load(pins, block, MASS_BY)
    inertia_a = load(pins, block, INERTIA_A)
    inertia_b = load(pins, block, INERTIA_B)
    ax = load(pins, block, ARM_AX)
    ay = load(pins, block, ARM_AY)
    bx = load(pins, block, ARM_BX)
    by = load(pins, block, ARM_BY)
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
    slack = splat(REGULARIZATION) * trace
    square = where_positive(trace, trace * trace, splat(_ONE))
    return (
        where_positive(determinant, k22 + slack, k11),
        where_positive(determinant, xy, -xy),
        where_positive(determinant, k11 + slack, k22),
        where_positive(determinant, determinant + slack * (trace + slack), square),
    )
