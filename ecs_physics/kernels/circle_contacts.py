"""Contacts of circles with circles, eight pairs at once.

The method is that of circle_manifold.collide_circles, and then of contact_points.take_manifold. A
name stands for eight pairs (lanes.py).
"""

from typing import Final

import numpy as np

from ecs_physics.constants import LINEAR_SLOP, SPECULATIVE_DISTANCE
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    Table,
    at,
    inlined,
    inner,
)
from ecs_physics.kernels.lane_rows import gather_rows, scatter_reals
from ecs_physics.kernels.lanes import Lanes, maximum, splat, sqrt, store, where_positive
from ecs_physics.kernels.manifold import ROUND
from ecs_physics.kernels.manifold_lanes import (
    BODY_A,
    BODY_B,
    FRICTION,
    MIDDLE_X,
    MIDDLE_Y,
    PART_A,
    PART_B,
    RADIUS,
    RESTITUTION,
    ROLLING_RESISTANCE,
    ROW,
    SPEED_X,
    SPEED_Y,
    SURFACE_SPEED,
    TURNING,
    Pair,
    fill_up,
    way_between,
)
from ecs_physics.kernels.part_cores import COINCIDENT
from ecs_physics.kernels.quads import four, write_four
from ecs_physics.tables import CONTACT, column_of

# Fields of a batch.
COUNT: Final = 0  # of points
STATE: Final = 1  # see contact_points.py
BOUNCE: Final = 2  # restitution
ROLLING: Final = 3  # m, rolling resistance

# From these columns of the contact table on, four are written at once.
_SEPARATIONS: Final = column_of(CONTACT, "separation_0")  # two of them, and two approach speeds
_NORMAL: Final = column_of(CONTACT, "normal_x")  # and friction and speed of the surfaces
_IMPULSES: Final = column_of(CONTACT, "normal_impulse_0")  # two of each kind
_ANCHORS_A: Final = column_of(CONTACT, "anchor_ax_0")  # x of both points, then y
_ANCHORS_B: Final = column_of(CONTACT, "anchor_bx_0")
_TOTALS: Final = column_of(CONTACT, "total_normal_0")

_SPECULATIVE_DISTANCE = np.float32(SPECULATIVE_DISTANCE)
_COINCIDENT = np.float32(COINCIDENT)
_SLOP = np.float32(LINEAR_SLOP)
_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


@inner
def renew_circles(
    number: int,
    count: int,
    dt: float,
    lane_parts: Reals32,
    motions: Reals32,
    surfaces: Reals32,
    names: Integers32,
    batch: Reals32,
    contacts_out: Table,
    first_row: int,
    states_out: Integers32,
) -> None:
    """Renew the contacts of a batch of circles, whose first `count` lanes have been given pairs.

    `states_out` takes the states of the contacts from `first_row` on. What the rest is:
    narrow_phase.collide_pairs.
    """
    fill_up(number, count, names)
    a = gather_rows(motions, names, number, BODY_A)
    b = gather_rows(motions, names, number, BODY_B)
    apart = way_between(a, b)
    normal, point, gap = touching_circles(number, apart, lane_parts, names)
    approach = approach_at(point, normal, apart, a, b)
    zero, one = splat(_ZERO), splat(_ONE)
    counts = matters(gap, approach, dt)
    is_met = where_positive(splat(dt) * approach - gap, one, zero)
    is_afar = where_positive(gap - splat(_SLOP), is_met, zero)
    friction, bounce, rolling, surface_speed = mixed_materials(number, lane_parts, surfaces, names)
    store(batch, number, COUNT, counts)
    store(batch, number, STATE, counts + counts * is_afar)
    store(batch, number, BOUNCE, bounce)
    store(batch, number, ROLLING, rolling)
    scatter_reals(contacts_out, names, number, ROW, _SEPARATIONS, gap, zero, approach, zero)
    scatter_reals(contacts_out, names, number, ROW, _ANCHORS_A, point[0], zero, point[1], zero)
    arm_x, arm_y = point[0] - apart[0], point[1] - apart[1]
    scatter_reals(contacts_out, names, number, ROW, _ANCHORS_B, arm_x, zero, arm_y, zero)
    scatter_reals(
        contacts_out, names, number, ROW, _NORMAL, normal[0], normal[1], friction, surface_speed
    )
    for lane in range(count):
        row = names[at(number), ROW, at(lane)]
        contact = contacts_out[at(row)]
        new = np.int32(batch[at(number), COUNT, at(lane)])
        is_kept = (new > 0) & (contact.count > 0)
        pressed = contact.normal_impulse_0 if is_kept else 0.0
        rubbed = contact.tangent_impulse_0 if is_kept else 0.0
        contact.rolling_impulse = contact.rolling_impulse if is_kept else _ZERO
        contact.count = new
        contact.feature_0 = ROUND
        contact.restitution = batch[at(number), BOUNCE, at(lane)]
        contact.rolling_resistance = batch[at(number), ROLLING, at(lane)]
        write_four(contacts_out, at(row), _IMPULSES, four(pressed, 0.0, rubbed, 0.0))
        write_four(contacts_out, at(row), _TOTALS, four(0.0, 0.0, 0.0, 0.0))
        states_out[at(row - first_row)] = np.int32(batch[at(number), STATE, at(lane)])


@inlined
def touching_circles(
    number: int, apart: Pair, lane_parts: Reals32, names: Integers32
) -> tuple[Pair, Pair, Lanes]:
    """Normals, points from the centre of mass of A's body, and gaps.

    `apart` leads from there to the centre of mass of B's body.
    """
    a = gather_rows(lane_parts, names, number, PART_A)
    b = gather_rows(lane_parts, names, number, PART_B)
    x = apart[0] + (b[MIDDLE_X] - a[MIDDLE_X])
    y = apart[1] + (b[MIDDLE_Y] - a[MIDDLE_Y])
    distance = sqrt(x * x + y * y)
    is_apart = distance - splat(_COINCIDENT)
    divisor = maximum(distance, splat(_COINCIDENT))
    normal_x = where_positive(is_apart, x / divisor, splat(_ZERO))
    normal_y = where_positive(is_apart, y / divisor, splat(_ONE))
    middle = splat(_HALF) * (distance + (a[RADIUS] - b[RADIUS]))
    point = (a[MIDDLE_X] + middle * normal_x, a[MIDDLE_Y] + middle * normal_y)
    return (normal_x, normal_y), point, distance - (a[RADIUS] + b[RADIUS])


@inlined
def approach_at(
    point: Pair, normal: Pair, apart: Pair, a: tuple[Lanes, ...], b: tuple[Lanes, ...]
) -> Lanes:
    """How fast (m/s) surfaces come closer at a point; see contact_points.approach_speed."""
    turned_x: Lanes = b[TURNING] * (point[1] - apart[1]) - a[TURNING] * point[1]
    turned_y: Lanes = b[TURNING] * (point[0] - apart[0]) - a[TURNING] * point[0]
    x = (b[SPEED_X] - a[SPEED_X]) - turned_x
    y = (b[SPEED_Y] - a[SPEED_Y]) + turned_y
    return -(x * normal[0] + y * normal[1])


@inlined
def matters(gap: Lanes, approach: Lanes, dt: float) -> Lanes:
    """1 where a point with this gap (m) may touch within `dt` s, else 0."""
    reach = splat(_SPECULATIVE_DISTANCE) + splat(dt) * maximum(approach, splat(_ZERO))
    return where_positive(reach - gap, splat(_ONE), splat(_ZERO))


@inlined
def mixed_materials(
    number: int, lane_parts: Reals32, surfaces: Reals32, names: Integers32
) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Friction, restitution, rolling resistance and surface speed; see mix_materials."""
    a = gather_rows(surfaces, names, number, BODY_A)
    b = gather_rows(surfaces, names, number, BODY_B)
    part_a = gather_rows(lane_parts, names, number, PART_A)
    part_b = gather_rows(lane_parts, names, number, PART_B)
    rolling = maximum(a[ROLLING_RESISTANCE], b[ROLLING_RESISTANCE])
    return (
        sqrt(a[FRICTION] * b[FRICTION]),
        maximum(a[RESTITUTION], b[RESTITUTION]),
        maximum(part_a[RADIUS], part_b[RADIUS]) * rolling,
        a[SURFACE_SPEED] + b[SURFACE_SPEED],
    )
