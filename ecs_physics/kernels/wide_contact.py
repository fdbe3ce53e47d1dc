"""The contact solver of soft_contact.py, eight contacts at a time.

Same operations in the same order, so a lane gets the very bits that the plain twin computes;
read that one for the method. Here a name stands for eight contacts (lanes.py), and what depends
on a condition is worked out both ways and chosen by `where_positive`.

A block's velocities travel as one tuple `v`: v_x, v_y, omega of A, then of B.
"""

import numpy as np
from numba import types

from ecs_physics.constants import PUSH_SPEED
from ecs_physics.kernels.blocks import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    BIAS_RATE,
    FLAGS,
    FRICTION,
    IMPULSE_SCALE,
    INERTIA_A,
    INERTIA_B,
    MASS_AX,
    MASS_AY,
    MASS_BX,
    MASS_BY,
    MASS_SCALE,
    NORMAL_IMPULSE,
    NORMAL_MASS,
    NORMAL_X,
    NORMAL_Y,
    PER_DISTANCE,
    POINT_0,
    POINT_1,
    RADIUS_A,
    RADIUS_B,
    ROLLING,
    ROLLING_IMPULSE,
    ROLLING_MASS,
    ROLLING_RESISTANCE,
    SEPARATION,
    SHARE_B,
    SURFACE_SPEED,
    TANGENT_IMPULSE,
    TANGENT_MASS,
    TOTAL_NORMAL,
    TOTAL_TANGENT,
    TWO_POINTS,
)
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
from ecs_physics.kernels.lanes import (
    Lanes,
    gather_rows,
    gather_velocities,
    load,
    maximum,
    minimum,
    scatter_velocities,
    splat,
    store,
    where_positive,
)

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_SLOWEST_BIAS = np.float32(-PUSH_SPEED)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3))
def warm_start_wide(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, blocks: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        warm_start_block(block, bodies, rows, blocks)


@kernel(types.void(integer, integer, boolean, boolean, real32, reals32_2, integers32_3, reals32_3))
def solve_contacts_wide(
    first_block: int,
    last_block: int,
    use_bias: bool,
    in_order: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    blocks: Reals32,
) -> None:
    """Solve every contact once: normals, then friction, then rolling resistance."""
    for block in range(first_block, last_block):
        solve_block(block, use_bias, in_order, inverse_h, bodies, rows, blocks)


@inlined
def warm_start_block(block: int, bodies: Reals32, rows: Integers32, blocks: Reals32) -> None:
    """Warm start eight contacts."""
    v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
    normal_x = load(blocks, block, NORMAL_X)
    normal_y = load(blocks, block, NORMAL_Y)
    v = warm_start_point(POINT_0, block, normal_x, normal_y, v, blocks)
    if blocks[block, FLAGS, TWO_POINTS] != _ZERO:
        v = warm_start_point(POINT_1, block, normal_x, normal_y, v, blocks)
    if blocks[block, FLAGS, ROLLING] != _ZERO:
        v = turn(load(blocks, block, ROLLING_IMPULSE), v, block, blocks)
    scatter_velocities(bodies, rows, block, 0, v[0], v[1], v[2])
    scatter_velocities(bodies, rows, block, 1, v[3], v[4], v[5])


@inlined
def warm_start_point(
    start: int,
    block: int,
    normal_x: Lanes,
    normal_y: Lanes,
    v: tuple[Lanes, ...],
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """Apply one point's impulses of the substep before again."""
    arms = arms_of(start, block, blocks)
    normal_impulse = load(blocks, block, start + NORMAL_IMPULSE)
    tangent_impulse = load(blocks, block, start + TANGENT_IMPULSE)
    x = normal_impulse * normal_x + tangent_impulse * normal_y
    y = normal_impulse * normal_y - tangent_impulse * normal_x
    return (
        v[0] - load(blocks, block, MASS_AX) * x,
        v[1] - load(blocks, block, MASS_AY) * y,
        v[2] - load(blocks, block, INERTIA_A) * (arms[0] * y - arms[1] * x),
        v[3] + load(blocks, block, MASS_BX) * x,
        v[4] + load(blocks, block, MASS_BY) * y,
        v[5] + load(blocks, block, INERTIA_B) * (arms[2] * y - arms[3] * x),
    )


@inlined
def solve_block(
    block: int,
    use_bias: bool,
    in_order: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    blocks: Reals32,
) -> None:
    """Solve eight contacts once."""
    two_points = blocks[block, FLAGS, TWO_POINTS] != _ZERO
    if use_bias:
        v = gather_velocities(bodies, rows, block, 0) + gather_velocities(bodies, rows, block, 1)
    else:
        a = gather_rows(bodies, rows, block, 0)
        b = gather_rows(bodies, rows, block, 1)
        if two_points:
            follow(POINT_1, block, a, b, blocks)
        follow(POINT_0, block, a, b, blocks)
        v = (a[0], a[1], a[2], b[0], b[1], b[2])
    normal_x = load(blocks, block, NORMAL_X)
    normal_y = load(blocks, block, NORMAL_Y)
    if two_points:
        first = POINT_0 if in_order else POINT_1
        second = POINT_1 if in_order else POINT_0
        v = solve_normal(first, block, normal_x, normal_y, v, use_bias, inverse_h, blocks)
        v = solve_normal(second, block, normal_x, normal_y, v, use_bias, inverse_h, blocks)
        v = solve_friction(first, block, normal_x, normal_y, v, use_bias, blocks)
        v = solve_friction(second, block, normal_x, normal_y, v, use_bias, blocks)
    else:
        v = solve_normal(POINT_0, block, normal_x, normal_y, v, use_bias, inverse_h, blocks)
        v = solve_friction(POINT_0, block, normal_x, normal_y, v, use_bias, blocks)
    if blocks[block, FLAGS, ROLLING] != _ZERO:
        v = solve_rolling(block, v, blocks)
    scatter_velocities(bodies, rows, block, 0, v[0], v[1], v[2])
    scatter_velocities(bodies, rows, block, 1, v[3], v[4], v[5])


@inlined
def arms_of(start: int, block: int, blocks: Reals32) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """From both centres of mass to where impulses act at a point, m."""
    return (
        load(blocks, block, start + ARM_AX),
        load(blocks, block, start + ARM_AY),
        load(blocks, block, start + ARM_BX),
        load(blocks, block, start + ARM_BY),
    )


@inlined
def follow(
    start: int,
    block: int,
    a: tuple[Lanes, ...],
    b: tuple[Lanes, ...],
    blocks: Reals32,
) -> None:
    """Carry points along with what their bodies have moved in this substep, and their gaps too."""
    normal_x = load(blocks, block, NORMAL_X)
    normal_y = load(blocks, block, NORMAL_Y)
    ax, ay, bx, by = arms_of(start, block, blocks)
    separation = load(blocks, block, start + SEPARATION)
    share_b = load(blocks, block, SHARE_B)
    share_a = splat(_ONE) - share_b
    to_core_a = load(blocks, block, RADIUS_A) + share_b * separation
    to_core_b = load(blocks, block, RADIUS_B) + share_a * separation
    core_ax = ax - to_core_a * normal_x
    core_ay = ay - to_core_a * normal_y
    core_bx = bx + to_core_b * normal_x
    core_by = by + to_core_b * normal_y
    turned_ax = a[6] * core_ax - a[7] * core_ay
    turned_ay = a[7] * core_ax + a[6] * core_ay
    turned_bx = b[6] * core_bx - b[7] * core_by
    turned_by = b[7] * core_bx + b[6] * core_by
    apart_x = (b[4] - a[4]) + (turned_bx - turned_ax)
    apart_y = (b[5] - a[5]) + (turned_by - turned_ay)
    sideways = apart_x * normal_y - apart_y * normal_x
    turn = sideways * load(blocks, block, PER_DISTANCE)
    half = splat(_HALF) * turn
    moved = (apart_x * normal_x + apart_y * normal_y) + half * sideways
    store(blocks, block, start + SEPARATION, separation + moved)
    if start == POINT_0:
        store(blocks, block, NORMAL_X, normal_x + turn * (normal_y - half * normal_x))
        store(blocks, block, NORMAL_Y, normal_y - turn * (normal_x + half * normal_y))
    store(blocks, block, start + ARM_AX, ax + (turned_ax + share_b * apart_x))
    store(blocks, block, start + ARM_AY, ay + (turned_ay + share_b * apart_y))
    store(blocks, block, start + ARM_BX, bx + (turned_bx - share_a * apart_x))
    store(blocks, block, start + ARM_BY, by + (turned_by - share_a * apart_y))


@inlined
def lever(arms: tuple[Lanes, ...], x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """Torque of a unit impulse along (x, y) about both centres of mass, m."""
    return arms[0] * y - arms[1] * x, arms[2] * y - arms[3] * x


@inlined
def speed_along(x: Lanes, y: Lanes, levers: tuple[Lanes, Lanes], v: tuple[Lanes, ...]) -> Lanes:
    """Velocity of the contact point on B as seen from A, along (x, y), m/s."""
    return ((v[3] - v[0]) * x + (v[4] - v[1]) * y) + (v[5] * levers[1] - v[2] * levers[0])


@inlined
def push(
    impulse: Lanes,
    x: Lanes,
    y: Lanes,
    levers: tuple[Lanes, Lanes],
    v: tuple[Lanes, ...],
    block: int,
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """The velocities after an impulse along (x, y), N s, on B and its opposite on A.

    What belongs to the direction is multiplied first: it waits for nothing, while each impulse of
    a contact waits for the one before.
    """
    return (
        v[0] - (load(blocks, block, MASS_AX) * x) * impulse,
        v[1] - (load(blocks, block, MASS_AY) * y) * impulse,
        v[2] - (load(blocks, block, INERTIA_A) * levers[0]) * impulse,
        v[3] + (load(blocks, block, MASS_BX) * x) * impulse,
        v[4] + (load(blocks, block, MASS_BY) * y) * impulse,
        v[5] + (load(blocks, block, INERTIA_B) * levers[1]) * impulse,
    )


@inlined
def solve_normal(
    start: int,
    block: int,
    normal_x: Lanes,
    normal_y: Lanes,
    v: tuple[Lanes, ...],
    use_bias: bool,
    inverse_h: float,
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """Keep points from approaching faster than their gaps allow, and push overlap out."""
    zero = splat(_ZERO)
    one = splat(_ONE)
    separation = load(blocks, block, start + SEPARATION)
    levers = lever(arms_of(start, block, blocks), normal_x, normal_y)
    old = load(blocks, block, start + NORMAL_IMPULSE)
    effective_mass = load(blocks, block, start + NORMAL_MASS)
    to_gap = separation * splat(inverse_h)
    if use_bias:
        scale = load(blocks, block, MASS_SCALE)
        pushed = maximum(load(blocks, block, BIAS_RATE) * separation, splat(_SLOWEST_BIAS))
        bias = where_positive(separation, to_gap, scale * pushed)
        mass_scale = where_positive(separation, one, scale)
        impulse_scale = where_positive(separation, zero, load(blocks, block, IMPULSE_SCALE))
        at_rest = (old - impulse_scale * old) - effective_mass * bias
        speed = speed_along(normal_x, normal_y, levers, v)
        new = maximum(at_rest - (effective_mass * mass_scale) * speed, zero)
    else:
        at_rest = old - effective_mass * where_positive(separation, to_gap, zero)
        is_reached = where_positive(separation, old, one)
        speed = speed_along(normal_x, normal_y, levers, v)
        new = where_positive(is_reached, maximum(at_rest - effective_mass * speed, zero), zero)
        total = load(blocks, block, start + TOTAL_NORMAL)
        store(blocks, block, start + TOTAL_NORMAL, total + new)
    store(blocks, block, start + NORMAL_IMPULSE, new)
    return push(new - old, normal_x, normal_y, levers, v, block, blocks)


@inlined
def solve_friction(
    start: int,
    block: int,
    normal_x: Lanes,
    normal_y: Lanes,
    v: tuple[Lanes, ...],
    use_bias: bool,
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """Coulomb: stop sliding (relative to a running surface) with at most friction x normal."""
    tangent_x = normal_y
    tangent_y = -normal_x
    levers = lever(arms_of(start, block, blocks), tangent_x, tangent_y)
    old = load(blocks, block, start + TANGENT_IMPULSE)
    limit = load(blocks, block, FRICTION) * load(blocks, block, start + NORMAL_IMPULSE)
    effective_mass = load(blocks, block, start + TANGENT_MASS)
    at_rest = old + effective_mass * load(blocks, block, SURFACE_SPEED)
    wanted = at_rest - effective_mass * speed_along(tangent_x, tangent_y, levers, v)
    new = minimum(maximum(wanted, -limit), limit)
    store(blocks, block, start + TANGENT_IMPULSE, new)
    if not use_bias:
        total = load(blocks, block, start + TOTAL_TANGENT)
        store(blocks, block, start + TOTAL_TANGENT, total + new)
    return push(new - old, tangent_x, tangent_y, levers, v, block, blocks)


@inlined
def solve_rolling(block: int, v: tuple[Lanes, ...], blocks: Reals32) -> tuple[Lanes, ...]:
    """Stop the relative turning with at most rolling resistance x normal impulse."""
    pressed = load(blocks, block, POINT_0 + NORMAL_IMPULSE) + load(
        blocks, block, POINT_1 + NORMAL_IMPULSE
    )
    limit = load(blocks, block, ROLLING_RESISTANCE) * pressed
    old = load(blocks, block, ROLLING_IMPULSE)
    wanted = old - load(blocks, block, ROLLING_MASS) * (v[5] - v[2])
    new = minimum(maximum(wanted, -limit), limit)
    change = new - old
    store(blocks, block, ROLLING_IMPULSE, new)
    return turn(change, v, block, blocks)


@inlined
def turn(impulse: Lanes, v: tuple[Lanes, ...], block: int, blocks: Reals32) -> tuple[Lanes, ...]:
    """The velocities after an angular impulse, N m s, on B and its opposite on A."""
    omega_a = v[2] - load(blocks, block, INERTIA_A) * impulse
    omega_b = v[5] + load(blocks, block, INERTIA_B) * impulse
    return v[0], v[1], omega_a, v[3], v[4], omega_b
