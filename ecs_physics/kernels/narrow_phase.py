"""From pairs of parts whose boxes meet to contacts with points, normals and mixed materials."""

import math
from typing import Final

import numpy as np
from numba import types

from ecs_physics.constants import LINEAR_SLOP, SPECULATIVE_DISTANCE
from ecs_physics.kernels.box_manifolds import (
    ANSWER,
    APART_X,
    APART_Y,
    NO_POINTS,
    collide_boxes,
    manifold_of,
)
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    inner,
    integer,
    integers2,
    integers32,
    integers32_2,
    integers32_3,
    kernel,
    real,
    reals2,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold import Manifold
from ecs_physics.kernels.part_pairs import collide_parts
from ecs_physics.kernels.quads import boxes_meet, read_four
from ecs_physics.kernels.welded_manifold import are_welded, collide_welds
from ecs_physics.tables import BODY, CONTACT, PART, VELOCITY, column_of

ACTIVE: Final = 0
AFAR: Final = 1
"""Columns of the counts of `collide_pairs`."""

SWEPT_BOX: Final = column_of(PART, "swept_lower_x")
"""From this column of PART on: the box of what a part may touch in the step."""

ROWS_AT_ONCE: Final = 512
"""Rows of the contact table that are looked at three times before the next ones. More: they are
fetched from far memory as often. Less: more batches are not full."""


@kernel(
    types.void(
        integer,
        integer,
        integer,
        real,
        table(BODY),
        table(VELOCITY),
        table(PART),
        reals2,
        reals32_2,
        integers32_3,
        reals32_3,
        table(CONTACT),
        integers32_2,
        integers32,
        integers32,
        integers2,
    )
)
def collide_pairs(
    chunk: int,
    first: int,
    last: int,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
    boxes: Reals32,
    pairs: Integers32,
    batches: Reals32,
    contacts_out: Table,
    lists: Integers32,
    active_out: Integers32,
    afar_out: Integers32,
    counts_out: Integers,
) -> None:
    """Renew the manifolds of the rows `first` to `last` - 1 of the contact table.

    A point is kept while its gap is at most SPECULATIVE_DISTANCE plus what the two surfaces come
    closer there, along the normal, in `dt` seconds. Impulses of a point whose features met in the
    last step too are kept for the warm start; all others, and the sums of the last step, become 0.

    Boxes wait until there are eight pairs of them. What is unclear of these is listed for a second
    sweep: as any other parts.

    Args:
        chunk: which of the batches, `lists` and `counts_out` may be used.
        first: row.
        last: row. Each row names its parts and bodies.
        dt: s, the whole step ahead.
        bodies: poses and materials.
        velocities: aligned with `bodies`.
        parts: of all bodies.
        world_vertices: (V, 4), m, of all parts; see part_cores.py.
        boxes: (P, 8), of those parts that are boxes; see box_manifolds.py.
        pairs: scratch, (chunks, 3, LANES).
        batches: scratch, (chunks, FIELDS, LANES).
        contacts_out: pairs in, manifolds out. Rows keep their places.
        lists: scratch, (2 chunks, ROWS_AT_ONCE).
        active_out: (`last` or more,) from `first` on, the rows that act in the step: that are awake
            and have points. Ascending.
        afar_out: the same, those of them that act across a gap (flight.py).
        counts_out: (chunks, 2), how many are in these two lists.
    """
    active = first
    afar = first
    near = lists[2 * chunk]
    unclear = lists[2 * chunk + 1]
    for start in range(first, last, ROWS_AT_ONCE):
        end = min(start + ROWS_AT_ONCE, last)
        count = list_near(start, end, parts, contacts_out, near)
        left = count
        for sweep in range(2):
            unclear_count = 0
            waiting = 0
            for k in range(left):
                row = near[k] if sweep == 0 else unclear[k]
                contact = contacts_out[row]
                part_a = parts[at(contact.part_a)]
                part_b = parts[at(contact.part_b)]
                if sweep == 0 and are_boxes(part_a, part_b):
                    put_pair(chunk, waiting, row, contact, bodies, pairs, batches)
                    waiting += 1
                else:
                    collide_pair(contact, dt, bodies, velocities, parts, world_vertices)
                if waiting == LANES or (waiting > 0 and k == left - 1):
                    unclear_count += finish_batch(
                        chunk,
                        waiting,
                        dt,
                        bodies,
                        velocities,
                        parts,
                        boxes,
                        pairs,
                        batches,
                        contacts_out,
                        unclear_count,
                        unclear,
                    )
                    waiting = 0
            left = unclear_count
        for k in range(count):  # while they are in near memory
            row = near[at(k)]
            contact = contacts_out[at(row)]
            active_out[at(active)] = row
            active += 1 if contact.count > 0 else 0
            afar_out[at(afar)] = row
            afar += 1 if is_acting_afar(contact, dt) else 0
    counts_out[chunk, ACTIVE] = active - first
    counts_out[chunk, AFAR] = afar - first


@inlined
def list_near(
    first: int, last: int, parts: Table, contacts_out: Table, near_out: Integers32
) -> int:
    """List those of the rows `first` to `last` - 1 whose parts may touch, and empty the others.

    Returns how many are in `near_out`. Without a branch on it: which they are the processor cannot
    foresee, and guessing wrongly it would wait for each row's memory alone.
    """
    near = 0
    for row in range(first, last):
        contact = contacts_out[at(row)]
        is_near = may_touch(contact.part_a, contact.part_b, parts)
        is_near = is_near & (not contact.is_sensor)
        near_out[at(near)] = row
        near += 1 if is_near & (not contact.is_asleep) else 0
        if contact.count > 0 and not (is_near or contact.is_asleep):
            contact.count = 0
    return near


@inlined
def are_boxes(part_a: Record, part_b: Record) -> bool:
    """Whether two parts are boxes with all of their edges in sight."""
    return bool(part_a.is_box and part_b.is_box and part_a.seams == 0 and part_b.seams == 0)


@inlined
def put_pair(
    chunk: int,
    lane: int,
    row: int,
    contact: Record,
    bodies: Table,
    pairs_out: Integers32,
    batches_out: Reals32,
) -> None:
    """Put the boxes of a contact, in this row, into a lane."""
    body_a = bodies[at(contact.body_a)]
    body_b = bodies[at(contact.body_b)]
    pairs_out[chunk, 0, lane] = contact.part_a
    pairs_out[chunk, 1, lane] = contact.part_b
    pairs_out[chunk, 2, lane] = row
    batches_out[chunk, APART_X, lane] = np.float32(body_b.x - body_a.x)
    batches_out[chunk, APART_Y, lane] = np.float32(body_b.y - body_a.y)


@inlined
def farthest_gap(contact: Record, dt: float, bodies: Table, velocities: Table) -> float:
    """The gap (m) up to which two parts can meet within `dt` seconds, and have a contact."""
    velocity_a = velocities[at(contact.body_a)]
    velocity_b = velocities[at(contact.body_b)]
    speed = (
        abs(velocity_b.x - velocity_a.x)
        + abs(velocity_b.y - velocity_a.y)
        + abs(velocity_a.omega) * bodies[at(contact.body_a)].extent
        + abs(velocity_b.omega) * bodies[at(contact.body_b)].extent
    )
    return float(SPECULATIVE_DISTANCE + dt * speed)


@inner
def finish_batch(
    chunk: int,
    count: int,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    boxes: Reals32,
    pairs: Integers32,
    batches: Reals32,
    contacts_out: Table,
    start: int,
    unclear_out: Integers32,
) -> int:
    """Renew the manifolds of the first `count` lanes of a batch.

    Writes the rows for which it cannot to `unclear_out` from `start` on, and returns their number.
    """
    unclear = 0
    collide_boxes(chunk, boxes, pairs, batches)
    for lane in range(count):
        row = pairs[chunk, 2, lane]
        contact = contacts_out[row]
        answer = batches[chunk, ANSWER, lane]
        if answer < NO_POINTS:
            unclear_out[start + unclear] = row
            unclear += 1
        elif answer > NO_POINTS:
            take_manifold(contact, manifold_of(chunk, lane, batches), dt, bodies, velocities, parts)
        else:
            contact.count = 0
    return unclear


@inlined
def take_manifold(
    contact_out: Record,
    manifold: Manifold,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
) -> None:
    """Make a manifold that of a contact, with the materials of its bodies."""
    body_a = bodies[at(contact_out.body_a)]
    body_b = bodies[at(contact_out.body_b)]
    velocity_a = velocities[at(contact_out.body_a)]
    velocity_b = velocities[at(contact_out.body_b)]
    write_points(
        contact_out,
        manifold,
        dt,
        body_b.x - body_a.x,
        body_b.y - body_a.y,
        velocity_b.x - velocity_a.x,
        velocity_b.y - velocity_a.y,
        velocity_a.omega,
        velocity_b.omega,
    )
    if contact_out.count > 0:
        radius = max(parts[at(contact_out.part_a)].radius, parts[at(contact_out.part_b)].radius)
        mix_materials(contact_out, body_a, body_b, radius)


@inlined
def is_acting_afar(contact: Record, dt: float) -> bool:
    """Whether no point of a contact touches yet, and one would do so within `dt` seconds."""
    gap_0 = contact.separation_0
    gap_1 = contact.separation_1
    end_0 = gap_0 - dt * contact.approach_0
    end_1 = gap_1 - dt * contact.approach_1
    is_alone = contact.count < 2
    are_apart = (gap_0 > LINEAR_SLOP) & (is_alone | (gap_1 > LINEAR_SLOP))
    is_met = (end_0 < 0.0) | ((not is_alone) & (end_1 < 0.0))
    return bool((contact.count > 0) & are_apart & is_met)


@inlined
def collide_pair(
    contact_out: Record,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
) -> None:
    """Renew the manifold of one row of the contact table, whose parts may touch."""
    part_a = parts[at(contact_out.part_a)]
    part_b = parts[at(contact_out.part_b)]
    body_a = bodies[at(contact_out.body_a)]
    body_b = bodies[at(contact_out.body_b)]
    dx = body_b.x - body_a.x
    dy = body_b.y - body_a.y
    limit = farthest_gap(contact_out, dt, bodies, velocities)
    if are_welded(part_a, part_b):
        manifold = collide_welds(world_vertices, part_a, part_b, dx, dy, limit)
    else:
        manifold = collide_parts(
            world_vertices,
            np.int64(part_a.first_vertex),
            np.int64(part_a.count),
            part_a.radius,
            part_a.one_sided,
            np.int64(part_b.first_vertex),
            np.int64(part_b.count),
            part_b.radius,
            part_b.one_sided,
            dx,
            dy,
            limit,
        )
    take_manifold(contact_out, manifold, dt, bodies, velocities, parts)


@inlined
def may_touch(part_a: int, part_b: int, parts: Table) -> bool:
    """Whether two parts can come near enough to each other in this step to have a contact."""
    return boxes_meet(read_four(parts, part_a, SWEPT_BOX), read_four(parts, part_b, SWEPT_BOX))


@inlined
def write_points(
    contact_out: Record,
    manifold: Manifold,
    dt: float,
    dx: float,
    dy: float,
    velocity_x: float,
    velocity_y: float,
    omega_a: float,
    omega_b: float,
) -> None:
    """Put those points of a manifold that matter within `dt` seconds into a contact.

    Args:
        contact_out: row of the contact table.
        manifold: see manifold.py.
        dt: s.
        dx: m, from the centre of mass of A to that of B.
        dy: m.
        velocity_x: m/s, of the centre of mass of B relative to that of A.
        velocity_y: m/s.
        omega_a: rad/s, of A.
        omega_b: rad/s, of B.
    """
    (count, normal_x, normal_y, x_0, y_0, gap_0, feature_0, x_1, y_1, gap_1, feature_1) = manifold
    old_count = contact_out.count
    approach_0 = approach_speed(
        x_0, y_0, normal_x, normal_y, dx, dy, velocity_x, velocity_y, omega_a, omega_b
    )
    approach_1 = approach_speed(
        x_1, y_1, normal_x, normal_y, dx, dy, velocity_x, velocity_y, omega_a, omega_b
    )
    keeps_0 = count > 0 and gap_0 <= SPECULATIVE_DISTANCE + dt * max(approach_0, 0.0)
    keeps_1 = count > 1 and gap_1 <= SPECULATIVE_DISTANCE + dt * max(approach_1, 0.0)
    new_count = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
    if old_count == 0 and new_count == 0:
        return
    if not keeps_0:
        x_0 = x_1
        y_0 = y_1
        gap_0 = gap_1
        approach_0 = approach_1
        feature_0 = feature_1
    if old_count == 0 or new_count == 0:
        contact_out.rolling_impulse = 0.0
    normal_0, tangent_0 = kept_impulses(contact_out, feature_0, new_count > 0)
    normal_1, tangent_1 = kept_impulses(contact_out, feature_1, new_count > 1)
    contact_out.normal_impulse_0 = normal_0
    contact_out.normal_impulse_1 = normal_1
    contact_out.tangent_impulse_0 = tangent_0
    contact_out.tangent_impulse_1 = tangent_1
    contact_out.total_normal_0 = 0.0
    contact_out.total_normal_1 = 0.0
    contact_out.total_tangent_0 = 0.0
    contact_out.total_tangent_1 = 0.0
    contact_out.count = new_count
    contact_out.normal_x = normal_x
    contact_out.normal_y = normal_y
    contact_out.feature_0 = feature_0
    contact_out.anchor_ax_0 = x_0
    contact_out.anchor_ay_0 = y_0
    contact_out.anchor_bx_0 = x_0 - dx
    contact_out.anchor_by_0 = y_0 - dy
    contact_out.separation_0 = gap_0
    contact_out.approach_0 = approach_0
    contact_out.feature_1 = feature_1
    contact_out.anchor_ax_1 = x_1
    contact_out.anchor_ay_1 = y_1
    contact_out.anchor_bx_1 = x_1 - dx
    contact_out.anchor_by_1 = y_1 - dy
    contact_out.separation_1 = gap_1
    contact_out.approach_1 = approach_1


@inlined
def kept_impulses(contact: Record, which: int, is_point: bool) -> tuple[float, float]:
    """Normal and tangent impulse of the same features in the last step, 0 if they did not meet."""
    if is_point and contact.count > 0 and contact.feature_0 == which:
        return contact.normal_impulse_0, contact.tangent_impulse_0
    if is_point and contact.count > 1 and contact.feature_1 == which:
        return contact.normal_impulse_1, contact.tangent_impulse_1
    return 0.0, 0.0


@inlined
def approach_speed(
    x: float,
    y: float,
    normal_x: float,
    normal_y: float,
    dx: float,
    dy: float,
    velocity_x: float,
    velocity_y: float,
    omega_a: float,
    omega_b: float,
) -> float:
    """How fast (m/s) the surfaces come closer at (x, y), from A's centre of mass (m)."""
    apart_x = velocity_x - omega_b * (y - dy) + omega_a * y
    apart_y = velocity_y + omega_b * (x - dx) - omega_a * x
    return -(apart_x * normal_x + apart_y * normal_y)


@inner
def mix_materials(contact_out: Record, body_a: Record, body_b: Record, radius: float) -> None:
    """The pair's friction, restitution, rolling resistance (of `radius` m) and surface speed."""
    contact_out.friction = math.sqrt(body_a.friction * body_b.friction)
    contact_out.restitution = max(body_a.restitution, body_b.restitution)
    contact_out.rolling_resistance = radius * max(
        body_a.rolling_resistance, body_b.rolling_resistance
    )
    contact_out.surface_speed = body_a.surface_speed + body_b.surface_speed
