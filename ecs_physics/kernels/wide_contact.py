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
    REACH,
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
from ecs_physics.kernels.lane_rows import gather_rows, gather_velocities, scatter_velocities
from ecs_physics.kernels.lanes import Lanes, load, maximum, minimum, splat, store, where_positive

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
    if not two_points:
        v = solve_one(block, use_bias, inverse_h, v, blocks)
    elif in_order:
        v = solve_two(POINT_0, POINT_1, block, use_bias, inverse_h, v, blocks)
    else:
        v = solve_two(POINT_1, POINT_0, block, use_bias, inverse_h, v, blocks)
    if blocks[block, FLAGS, ROLLING] != _ZERO:
        v = solve_rolling(block, v, blocks)
    scatter_velocities(bodies, rows, block, 0, v[0], v[1], v[2])
    scatter_velocities(bodies, rows, block, 1, v[3], v[4], v[5])


@inlined
def solve_one(
    block: int, use_bias: bool, inverse_h: float, v: tuple[Lanes, ...], blocks: Reals32
) -> tuple[Lanes, ...]:
    """Solve contacts that have one point."""
    normal, tangent = directions(block, blocks)
    arms = arms_of(POINT_0, block, blocks)
    along_normal = row_of(normal, arms)
    along_tangent = row_of(tangent, arms)
    closing = speed_along(along_normal, v)
    sliding = speed_along(along_tangent, v)
    push_0, pressed_0 = solve_normal(POINT_0, block, closing, use_bias, inverse_h, blocks)
    sliding = sliding + coupling(along_tangent, along_normal, block, blocks) * push_0
    rub_0 = solve_friction(POINT_0, block, sliding, pressed_0, use_bias, blocks)
    turn_a = along_normal[2] * push_0 + along_tangent[2] * rub_0
    turn_b = along_normal[3] * push_0 + along_tangent[3] * rub_0
    return push(push_0, rub_0, normal, tangent, turn_a, turn_b, v, block, blocks)


@inlined
def solve_two(
    first: int,
    second: int,
    block: int,
    use_bias: bool,
    inverse_h: float,
    v: tuple[Lanes, ...],
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """Solve contacts that have two points."""
    normal, tangent = directions(block, blocks)
    arms_0 = arms_of(first, block, blocks)
    arms_1 = arms_of(second, block, blocks)
    normal_0 = row_of(normal, arms_0)
    normal_1 = row_of(normal, arms_1)
    tangent_0 = row_of(tangent, arms_0)
    tangent_1 = row_of(tangent, arms_1)
    closing_0 = speed_along(normal_0, v)
    closing_1 = speed_along(normal_1, v)
    sliding_0 = speed_along(tangent_0, v)
    sliding_1 = speed_along(tangent_1, v)
    push_0, pressed_0 = solve_normal(first, block, closing_0, use_bias, inverse_h, blocks)
    closing_1 = closing_1 + coupling(normal_1, normal_0, block, blocks) * push_0
    sliding_0 = sliding_0 + coupling(tangent_0, normal_0, block, blocks) * push_0
    sliding_1 = sliding_1 + coupling(tangent_1, normal_0, block, blocks) * push_0
    push_1, pressed_1 = solve_normal(second, block, closing_1, use_bias, inverse_h, blocks)
    sliding_0 = sliding_0 + coupling(tangent_0, normal_1, block, blocks) * push_1
    sliding_1 = sliding_1 + coupling(tangent_1, normal_1, block, blocks) * push_1
    rub_0 = solve_friction(first, block, sliding_0, pressed_0, use_bias, blocks)
    sliding_1 = sliding_1 + coupling(tangent_1, tangent_0, block, blocks) * rub_0
    rub_1 = solve_friction(second, block, sliding_1, pressed_1, use_bias, blocks)
    turn_a = (normal_0[2] * push_0 + normal_1[2] * push_1) + (
        tangent_0[2] * rub_0 + tangent_1[2] * rub_1
    )
    turn_b = (normal_0[3] * push_0 + normal_1[3] * push_1) + (
        tangent_0[3] * rub_0 + tangent_1[3] * rub_1
    )
    return push(push_0 + push_1, rub_0 + rub_1, normal, tangent, turn_a, turn_b, v, block, blocks)


@inlined
def directions(block: int, blocks: Reals32) -> tuple[tuple[Lanes, Lanes], tuple[Lanes, Lanes]]:
    """Normal and tangent."""
    normal_x = load(blocks, block, NORMAL_X)
    normal_y = load(blocks, block, NORMAL_Y)
    return (normal_x, normal_y), (normal_y, -normal_x)


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
    reach = load(blocks, block, REACH)
    slid = apart_x * normal_y - apart_y * normal_x
    sideways = minimum(maximum(slid, -reach), reach)
    beyond = slid - sideways
    near_x = apart_x - beyond * normal_y
    near_y = apart_y + beyond * normal_x
    turn: Lanes = sideways * load(blocks, block, PER_DISTANCE)
    half = splat(_HALF) * turn
    moved = (near_x * normal_x + near_y * normal_y) + half * sideways
    store(blocks, block, start + SEPARATION, separation + moved)
    if start == POINT_0:
        store(blocks, block, NORMAL_X, normal_x + turn * (normal_y - half * normal_x))
        store(blocks, block, NORMAL_Y, normal_y - turn * (normal_x + half * normal_y))
    store(blocks, block, start + ARM_AX, ax + (turned_ax + share_b * near_x))
    store(blocks, block, start + ARM_AY, ay + (turned_ay + share_b * near_y))
    store(blocks, block, start + ARM_BX, bx + (turned_bx - share_a * near_x))
    store(blocks, block, start + ARM_BY, by + (turned_by - share_a * near_y))


@inlined
def row_of(along: tuple[Lanes, Lanes], arms: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """What an impulse along a direction at a point does: x, y, torque about A, torque about B."""
    x = along[0]
    y = along[1]
    return x, y, arms[0] * y - arms[1] * x, arms[2] * y - arms[3] * x


@inlined
def speed_along(row: tuple[Lanes, ...], v: tuple[Lanes, ...]) -> Lanes:
    """Velocity of the contact point on B as seen from A, along the row's direction, m/s."""
    moving = (v[3] - v[0]) * row[0] + (v[4] - v[1]) * row[1]
    return moving + (v[5] * row[3] - v[2] * row[2])


@inlined
def coupling(
    row: tuple[Lanes, ...], other: tuple[Lanes, ...], block: int, blocks: Reals32
) -> Lanes:
    """What a unit impulse along one row changes in the speed along the other, 1/kg."""
    mass_x = load(blocks, block, MASS_AX) + load(blocks, block, MASS_BX)
    mass_y = load(blocks, block, MASS_AY) + load(blocks, block, MASS_BY)
    moving = (mass_x * row[0]) * other[0] + (mass_y * row[1]) * other[1]
    turning_a = (load(blocks, block, INERTIA_A) * row[2]) * other[2]
    turning_b = (load(blocks, block, INERTIA_B) * row[3]) * other[3]
    return moving + (turning_a + turning_b)


@inlined
def push(
    pushed: Lanes,
    rubbed: Lanes,
    normal: tuple[Lanes, Lanes],
    tangent: tuple[Lanes, Lanes],
    turn_a: Lanes,
    turn_b: Lanes,
    v: tuple[Lanes, ...],
    block: int,
    blocks: Reals32,
) -> tuple[Lanes, ...]:
    """The velocities after impulses along normal and tangent, N s, on B and the opposite on A."""
    x = pushed * normal[0] + rubbed * tangent[0]
    y = pushed * normal[1] + rubbed * tangent[1]
    return (
        v[0] - load(blocks, block, MASS_AX) * x,
        v[1] - load(blocks, block, MASS_AY) * y,
        v[2] - load(blocks, block, INERTIA_A) * turn_a,
        v[3] + load(blocks, block, MASS_BX) * x,
        v[4] + load(blocks, block, MASS_BY) * y,
        v[5] + load(blocks, block, INERTIA_B) * turn_b,
    )


@inlined
def solve_normal(
    start: int,
    block: int,
    speed: Lanes,
    use_bias: bool,
    inverse_h: float,
    blocks: Reals32,
) -> tuple[Lanes, Lanes]:
    """Keep points from approaching faster than their gaps allow, and push overlap out.

    Returns the change of the impulse, and the impulse, N s.
    """
    zero = splat(_ZERO)
    one = splat(_ONE)
    separation = load(blocks, block, start + SEPARATION)
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
        new = maximum(at_rest - (effective_mass * mass_scale) * speed, zero)
    else:
        at_rest = old - effective_mass * where_positive(separation, to_gap, zero)
        is_reached = where_positive(separation, old, one)
        new = where_positive(is_reached, maximum(at_rest - effective_mass * speed, zero), zero)
        total = load(blocks, block, start + TOTAL_NORMAL)
        store(blocks, block, start + TOTAL_NORMAL, total + new)
    store(blocks, block, start + NORMAL_IMPULSE, new)
    return new - old, new


@inlined
def solve_friction(
    start: int, block: int, speed: Lanes, pressed: Lanes, use_bias: bool, blocks: Reals32
) -> Lanes:
    """Coulomb: stop sliding (relative to a running surface) with at most friction x normal.

    Returns the change of the impulse, N s.
    """
    old = load(blocks, block, start + TANGENT_IMPULSE)
    limit = load(blocks, block, FRICTION) * pressed
    effective_mass = load(blocks, block, start + TANGENT_MASS)
    at_rest = old + effective_mass * load(blocks, block, SURFACE_SPEED)
    new = minimum(maximum(at_rest - effective_mass * speed, -limit), limit)
    store(blocks, block, start + TANGENT_IMPULSE, new)
    if not use_bias:
        total = load(blocks, block, start + TOTAL_TANGENT)
        store(blocks, block, start + TOTAL_TANGENT, total + new)
    return new - old


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
