"""The contact solver: soft constraints, solved lane by lane in float32.

After Erin Catto (2024), "Solver2D" (the soft step, or TGS-soft): each substep, last substep's
impulses are applied again (warm start), then every contact is solved once as a stiff damped
spring that pushes overlap out, then, after positions have moved, once more without the spring so
that the push leaves no speed behind (relaxation).

An impulse acts on both bodies at one point, and that point follows the bodies from substep to
substep (`follow`): with one that stays as it was when the step began, a turning body gains or
loses angular momentum.

These are the plain twins of the eight-lane kernels: the same operations in the same order.
"""

from typing import Any

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
    LANES,
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
    inner,
    integer,
    integers32_3,
    kernel,
    real32,
    reals32_2,
    reals32_3,
)

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_SLOWEST_BIAS = np.float32(-PUSH_SPEED)


@kernel(types.void(integer, integer, reals32_2, integers32_3, reals32_3))
def warm_start(
    first_block: int, last_block: int, bodies: Reals32, rows: Integers32, blocks: Reals32
) -> None:
    """Apply the impulses of the substep before again, for blocks first_block to last_block - 1."""
    for block in range(first_block, last_block):
        points = points_of(block, blocks)
        for lane in range(LANES):
            a = rows[block, 0, lane]
            b = rows[block, 1, lane]
            for n in range(points):
                start = nth_point(n, points, True)
                arms = arms_of(start, block, lane, blocks)
                normal_impulse = blocks[block, start + NORMAL_IMPULSE, lane]
                tangent_impulse = blocks[block, start + TANGENT_IMPULSE, lane]
                normal_x = blocks[block, NORMAL_X, lane]
                normal_y = blocks[block, NORMAL_Y, lane]
                x = normal_impulse * normal_x + tangent_impulse * normal_y
                y = normal_impulse * normal_y - tangent_impulse * normal_x
                bodies[a, 0] -= blocks[block, MASS_AX, lane] * x
                bodies[a, 1] -= blocks[block, MASS_AY, lane] * y
                bodies[a, 2] -= blocks[block, INERTIA_A, lane] * (arms[0] * y - arms[1] * x)
                bodies[b, 0] += blocks[block, MASS_BX, lane] * x
                bodies[b, 1] += blocks[block, MASS_BY, lane] * y
                bodies[b, 2] += blocks[block, INERTIA_B, lane] * (arms[2] * y - arms[3] * x)
            if blocks[block, FLAGS, ROLLING] != _ZERO:
                rolling = blocks[block, ROLLING_IMPULSE, lane]
                bodies[a, 2] -= blocks[block, INERTIA_A, lane] * rolling
                bodies[b, 2] += blocks[block, INERTIA_B, lane] * rolling


@kernel(types.void(integer, integer, boolean, boolean, real32, reals32_2, integers32_3, reals32_3))
def solve_contacts(
    first_block: int,
    last_block: int,
    use_bias: bool,
    in_order: bool,
    inverse_h: float,
    bodies: Reals32,
    rows: Integers32,
    blocks: Reals32,
) -> None:
    """Solve every contact once: normals, then friction, then rolling resistance.

    `use_bias` makes overlap push out (the solving pass). Without it (the relaxing pass) a contact
    only stops what still approaches; that pass comes after bodies have moved, and first lets the
    points follow. `in_order` takes each contact's point 0 first, else point 1: a pile solved always
    in the same order leans to one side. `inverse_h` is 1/s.
    """
    for block in range(first_block, last_block):
        points = points_of(block, blocks)
        for lane in range(LANES):
            a = rows[block, 0, lane]
            b = rows[block, 1, lane]
            if not use_bias:
                for n in range(points):
                    follow(nth_point(n, points, False), block, lane, a, b, bodies, blocks)
            if points == 1:
                solve_one(block, lane, a, b, use_bias, inverse_h, bodies, blocks)
            else:
                first = nth_point(0, points, in_order)
                second = nth_point(1, points, in_order)
                solve_two(first, second, block, lane, a, b, use_bias, inverse_h, bodies, blocks)
            if blocks[block, FLAGS, ROLLING] != _ZERO:
                solve_rolling(block, lane, a, b, bodies, blocks)


@inner
def points_of(block: int, blocks: Reals32) -> int:
    """How many points the contacts of a block have at most."""
    return 1 if blocks[block, FLAGS, TWO_POINTS] == _ZERO else 2


@inner
def nth_point(n: int, points: int, in_order: bool) -> int:
    """Where the fields of the n-th of a contact's points start."""
    return POINT_0 if points == 1 or (n == 0) == in_order else POINT_1


@inner
def solve_one(
    block: int,
    lane: int,
    a: int,
    b: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    blocks: Reals32,
) -> None:
    """Solve a contact that has one point."""
    normal, tangent = directions(block, lane, blocks)
    arms = arms_of(POINT_0, block, lane, blocks)
    along_normal = row_of(normal, arms)
    along_tangent = row_of(tangent, arms)
    closing = speed_along(along_normal, a, b, bodies)
    sliding = speed_along(along_tangent, a, b, bodies)
    push_0, pressed_0 = solve_normal(POINT_0, block, lane, closing, use_bias, inverse_h, blocks)
    sliding += coupling(along_tangent, along_normal, block, lane, blocks) * push_0
    rub_0 = solve_friction(POINT_0, block, lane, sliding, pressed_0, use_bias, blocks)
    turn_a = along_normal[2] * push_0 + along_tangent[2] * rub_0
    turn_b = along_normal[3] * push_0 + along_tangent[3] * rub_0
    push(push_0, rub_0, normal, tangent, turn_a, turn_b, block, lane, a, b, bodies, blocks)


@inner
def solve_two(
    first: int,
    second: int,
    block: int,
    lane: int,
    a: int,
    b: int,
    use_bias: bool,
    inverse_h: float,
    bodies: Reals32,
    blocks: Reals32,
) -> None:
    """Solve a contact that has two points.

    Impulse after impulse, each with the speeds that those before have left. What one changes in
    the speed along another is known beforehand (`coupling`): so bodies are read and written once,
    and the next impulse waits for one product and one sum.
    """
    normal, tangent = directions(block, lane, blocks)
    arms_0 = arms_of(first, block, lane, blocks)
    arms_1 = arms_of(second, block, lane, blocks)
    normal_0 = row_of(normal, arms_0)
    normal_1 = row_of(normal, arms_1)
    tangent_0 = row_of(tangent, arms_0)
    tangent_1 = row_of(tangent, arms_1)
    closing_0 = speed_along(normal_0, a, b, bodies)
    closing_1 = speed_along(normal_1, a, b, bodies)
    sliding_0 = speed_along(tangent_0, a, b, bodies)
    sliding_1 = speed_along(tangent_1, a, b, bodies)
    push_0, pressed_0 = solve_normal(first, block, lane, closing_0, use_bias, inverse_h, blocks)
    closing_1 += coupling(normal_1, normal_0, block, lane, blocks) * push_0
    sliding_0 += coupling(tangent_0, normal_0, block, lane, blocks) * push_0
    sliding_1 += coupling(tangent_1, normal_0, block, lane, blocks) * push_0
    push_1, pressed_1 = solve_normal(second, block, lane, closing_1, use_bias, inverse_h, blocks)
    sliding_0 += coupling(tangent_0, normal_1, block, lane, blocks) * push_1
    sliding_1 += coupling(tangent_1, normal_1, block, lane, blocks) * push_1
    rub_0 = solve_friction(first, block, lane, sliding_0, pressed_0, use_bias, blocks)
    sliding_1 += coupling(tangent_1, tangent_0, block, lane, blocks) * rub_0
    rub_1 = solve_friction(second, block, lane, sliding_1, pressed_1, use_bias, blocks)
    turn_a = (normal_0[2] * push_0 + normal_1[2] * push_1) + (
        tangent_0[2] * rub_0 + tangent_1[2] * rub_1
    )
    turn_b = (normal_0[3] * push_0 + normal_1[3] * push_1) + (
        tangent_0[3] * rub_0 + tangent_1[3] * rub_1
    )
    pushed = push_0 + push_1
    rubbed = rub_0 + rub_1
    push(pushed, rubbed, normal, tangent, turn_a, turn_b, block, lane, a, b, bodies, blocks)


@inner
def directions(
    block: int, lane: int, blocks: Reals32
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Normal and tangent."""
    normal_x = blocks[block, NORMAL_X, lane]
    normal_y = blocks[block, NORMAL_Y, lane]
    return (normal_x, normal_y), (normal_y, -normal_x)


@inner
def arms_of(start: int, block: int, lane: int, blocks: Reals32) -> tuple[float, ...]:
    """From both centres of mass to where impulses act at a point, m."""
    return (
        blocks[block, start + ARM_AX, lane],
        blocks[block, start + ARM_AY, lane],
        blocks[block, start + ARM_BX, lane],
        blocks[block, start + ARM_BY, lane],
    )


@inner
def follow(
    start: int, block: int, lane: int, a: int, b: int, bodies: Reals32, blocks: Reals32
) -> None:
    """Carry a point along with what its bodies have moved in this substep, and its gap too.

    The surfaces turn with their bodies but for the rounding: a rolling disc touches the ground
    below its centre all the time. Where the two move apart, the point goes with B by its share.
    The normal of two circles stays between their centres; point 0, theirs, comes last. Sideways a
    point is followed up to REACH.
    """
    normal_x = blocks[block, NORMAL_X, lane]
    normal_y = blocks[block, NORMAL_Y, lane]
    ax, ay, bx, by = arms_of(start, block, lane, blocks)
    separation = blocks[block, start + SEPARATION, lane]
    share_b = blocks[block, SHARE_B, lane]
    share_a = _ONE - share_b
    to_core_a = blocks[block, RADIUS_A, lane] + share_b * separation
    to_core_b = blocks[block, RADIUS_B, lane] + share_a * separation
    core_ax = ax - to_core_a * normal_x
    core_ay = ay - to_core_a * normal_y
    core_bx = bx + to_core_b * normal_x
    core_by = by + to_core_b * normal_y
    turned_ax = bodies[a, 6] * core_ax - bodies[a, 7] * core_ay
    turned_ay = bodies[a, 7] * core_ax + bodies[a, 6] * core_ay
    turned_bx = bodies[b, 6] * core_bx - bodies[b, 7] * core_by
    turned_by = bodies[b, 7] * core_bx + bodies[b, 6] * core_by
    apart_x = (bodies[b, 4] - bodies[a, 4]) + (turned_bx - turned_ax)
    apart_y = (bodies[b, 5] - bodies[a, 5]) + (turned_by - turned_ay)
    reach = blocks[block, REACH, lane]
    slid = apart_x * normal_y - apart_y * normal_x
    sideways = slid if slid > -reach else -reach
    sideways = sideways if sideways < reach else reach
    beyond = slid - sideways
    near_x = apart_x - beyond * normal_y
    near_y = apart_y + beyond * normal_x
    turn = sideways * blocks[block, PER_DISTANCE, lane]
    half = _HALF * turn
    blocks[block, start + SEPARATION, lane] = separation + (
        (near_x * normal_x + near_y * normal_y) + half * sideways
    )
    if start == POINT_0:
        blocks[block, NORMAL_X, lane] = normal_x + turn * (normal_y - half * normal_x)
        blocks[block, NORMAL_Y, lane] = normal_y - turn * (normal_x + half * normal_y)
    blocks[block, start + ARM_AX, lane] = ax + (turned_ax + share_b * near_x)
    blocks[block, start + ARM_AY, lane] = ay + (turned_ay + share_b * near_y)
    blocks[block, start + ARM_BX, lane] = bx + (turned_bx - share_a * near_x)
    blocks[block, start + ARM_BY, lane] = by + (turned_by - share_a * near_y)


@inner
def row_of(along: tuple[float, float], arms: tuple[float, ...]) -> tuple[float, ...]:
    """What an impulse along a direction at a point does: x, y, torque about A, torque about B."""
    x = along[0]
    y = along[1]
    return x, y, arms[0] * y - arms[1] * x, arms[2] * y - arms[3] * x


@inner
def speed_along(row: tuple[float, ...], a: int, b: int, bodies: Reals32) -> float:
    """Velocity of the contact point on B as seen from A, along the row's direction, m/s."""
    moving: float = (bodies[b, 0] - bodies[a, 0]) * row[0] + (bodies[b, 1] - bodies[a, 1]) * row[1]
    turning: float = bodies[b, 2] * row[3] - bodies[a, 2] * row[2]
    return moving + turning


@inner
def coupling(
    row: tuple[float, ...], other: tuple[float, ...], block: int, lane: int, blocks: Reals32
) -> float:
    """What a unit impulse along one row changes in the speed along the other, 1/kg."""
    mass_x = blocks[block, MASS_AX, lane] + blocks[block, MASS_BX, lane]
    mass_y = blocks[block, MASS_AY, lane] + blocks[block, MASS_BY, lane]
    moving: float = (mass_x * row[0]) * other[0] + (mass_y * row[1]) * other[1]
    turning_a: float = (blocks[block, INERTIA_A, lane] * row[2]) * other[2]
    turning_b: float = (blocks[block, INERTIA_B, lane] * row[3]) * other[3]
    return moving + (turning_a + turning_b)


@inner
def push(
    pushed: float,
    rubbed: float,
    normal: tuple[float, float],
    tangent: tuple[float, float],
    turn_a: float,
    turn_b: float,
    block: int,
    lane: int,
    a: int,
    b: int,
    bodies: Reals32,
    blocks: Reals32,
) -> None:
    """Apply impulses along normal and tangent, N s, to B and the opposite ones to A.

    `turn_a` and `turn_b` are their torques about A and B, N m s.
    """
    x = pushed * normal[0] + rubbed * tangent[0]
    y = pushed * normal[1] + rubbed * tangent[1]
    bodies[a, 0] -= blocks[block, MASS_AX, lane] * x
    bodies[a, 1] -= blocks[block, MASS_AY, lane] * y
    bodies[a, 2] -= blocks[block, INERTIA_A, lane] * turn_a
    bodies[b, 0] += blocks[block, MASS_BX, lane] * x
    bodies[b, 1] += blocks[block, MASS_BY, lane] * y
    bodies[b, 2] += blocks[block, INERTIA_B, lane] * turn_b


@inner
def solve_normal(
    start: int,
    block: int,
    lane: int,
    speed: float,
    use_bias: bool,
    inverse_h: float,
    blocks: Reals32,
) -> tuple[Any, Any]:
    """Keep one point from approaching faster than its gap allows, and push overlap out.

    Returns the change of the impulse, and the impulse, N s.
    """
    separation = blocks[block, start + SEPARATION, lane]
    if separation > _ZERO:
        bias = separation * inverse_h
        mass_scale = _ONE
        impulse_scale = _ZERO
    elif use_bias:
        mass_scale = blocks[block, MASS_SCALE, lane]
        impulse_scale = blocks[block, IMPULSE_SCALE, lane]
        pushed = blocks[block, BIAS_RATE, lane] * separation
        bias = mass_scale * (pushed if pushed > _SLOWEST_BIAS else _SLOWEST_BIAS)
    else:
        bias = _ZERO
        mass_scale = _ONE
        impulse_scale = _ZERO
    effective_mass = blocks[block, start + NORMAL_MASS, lane]
    old = blocks[block, start + NORMAL_IMPULSE, lane]
    at_rest = (old - impulse_scale * old) - effective_mass * bias
    wanted = at_rest - (effective_mass * mass_scale) * speed
    new = wanted if wanted > _ZERO else _ZERO
    if not use_bias and separation > _ZERO and not old > _ZERO:
        new = _ZERO  # not reached: braking it here would rob it of the speed that it hits with
    blocks[block, start + NORMAL_IMPULSE, lane] = new
    if not use_bias:  # the substep's last word
        blocks[block, start + TOTAL_NORMAL, lane] += new
    return new - old, new


@inner
def solve_friction(
    start: int,
    block: int,
    lane: int,
    speed: float,
    pressed: float,
    use_bias: bool,
    blocks: Reals32,
) -> float:
    """Coulomb: stop sliding (relative to a running surface) with at most friction x normal.

    Returns the change of the impulse, N s.
    """
    old = blocks[block, start + TANGENT_IMPULSE, lane]
    limit = blocks[block, FRICTION, lane] * pressed
    effective_mass = blocks[block, start + TANGENT_MASS, lane]
    at_rest = old + effective_mass * blocks[block, SURFACE_SPEED, lane]
    wanted = at_rest - effective_mass * speed
    wanted = wanted if wanted > -limit else -limit
    new = wanted if wanted < limit else limit
    blocks[block, start + TANGENT_IMPULSE, lane] = new
    if not use_bias:
        blocks[block, start + TOTAL_TANGENT, lane] += new
    change: float = new - old
    return change


@inner
def solve_rolling(block: int, lane: int, a: int, b: int, bodies: Reals32, blocks: Reals32) -> None:
    """Stop the relative turning with at most rolling resistance x normal impulse."""
    pressed = (
        blocks[block, POINT_0 + NORMAL_IMPULSE, lane]
        + blocks[block, POINT_1 + NORMAL_IMPULSE, lane]
    )
    limit = blocks[block, ROLLING_RESISTANCE, lane] * pressed
    old = blocks[block, ROLLING_IMPULSE, lane]
    wanted = old - blocks[block, ROLLING_MASS, lane] * (bodies[b, 2] - bodies[a, 2])
    wanted = wanted if wanted > -limit else -limit
    new = wanted if wanted < limit else limit
    change = new - old
    blocks[block, ROLLING_IMPULSE, lane] = new
    bodies[a, 2] -= blocks[block, INERTIA_A, lane] * change
    bodies[b, 2] += blocks[block, INERTIA_B, lane] * change
