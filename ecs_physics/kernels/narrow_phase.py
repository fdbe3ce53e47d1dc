"""From pairs of parts whose boxes meet to contacts with points, normals and mixed materials."""

from typing import Final

import numpy as np
from numba import types

from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.box_contacts import renew_boxes
from ecs_physics.kernels.circle_contacts import renew_circles
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    at,
    inlined,
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
from ecs_physics.kernels.contact_points import ACTING_AFAR, IDLE, state_of, take_manifold
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold_lanes import put_pair
from ecs_physics.kernels.part_pairs import collide_parts
from ecs_physics.kernels.quads import boxes_meet, read_four
from ecs_physics.kernels.welded_manifold import are_welded, collide_welds
from ecs_physics.tables import BODY, BOX, CIRCLE, CONTACT, OTHER, PART, SWEPT_BOX, VELOCITY

ACTIVE: Final = 0
AFAR: Final = 1
"""Columns of the counts of `collide_pairs`."""

LISTS: Final = 3
"""Scratch of a chunk: the rows that are near, those that come one by one, and the states of all."""

ROWS_AT_ONCE: Final = 512
"""Rows of the contact table that are listed, and then renewed, before the next ones. More: they are
fetched from far memory twice. Less: more batches are not full."""


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
        reals32_2,
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
    lane_parts: Reals32,
    motions: Reals32,
    surfaces: Reals32,
    names: Integers32,
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

    Boxes, and circles, wait until there are eight pairs of them. All others, and boxes of which
    eight at once cannot tell where they touch, come one by one after them.

    Args:
        chunk: which of the batches, `lists` and `counts_out` may be used.
        first: row.
        last: row. Each row names its parts and bodies.
        dt: s, the whole step ahead.
        bodies: poses and materials.
        velocities: aligned with `bodies`.
        parts: of all bodies.
        world_vertices: (V, 4), m, of all parts; see part_cores.py.
        lane_parts: (P, 8), of boxes and circles; see manifold_lanes.py, here and for the next two.
        motions: (B, 8), how bodies move.
        surfaces: (B, 8), what they are made of.
        names: scratch, (2 chunks, NAMES, LANES).
        batches: scratch, (2 chunks, FIELDS, LANES).
        contacts_out: pairs in, manifolds out. Rows keep their places.
        lists: scratch, (LISTS times chunks, ROWS_AT_ONCE).
        active_out: (`last` or more,) from `first` on, the rows that act in the step: that are awake
            and have points. Ascending.
        afar_out: the same, those of them that act across a gap (flight.py).
        counts_out: (chunks, 2), how many are in these two lists.
    """
    active = first
    afar = first
    near = lists[at(LISTS * chunk)]
    others = lists[at(LISTS * chunk + 1)]
    states = lists[at(LISTS * chunk + 2)]
    for start in range(first, last, ROWS_AT_ONCE):
        end = min(start + ROWS_AT_ONCE, last)
        count = list_near(start, end, parts, contacts_out, near)
        left = renew_batches(
            chunk,
            count,
            near,
            dt,
            bodies,
            velocities,
            parts,
            lane_parts,
            motions,
            surfaces,
            names,
            batches,
            contacts_out,
            start,
            states,
            others,
        )
        for k in range(left):
            contact = contacts_out[at(others[at(k)])]
            collide_pair(contact, dt, bodies, velocities, parts, world_vertices)
            states[at(others[at(k)] - start)] = state_of(contact, dt)
        for k in range(count):  # without branches: nobody can foresee which of them act
            row = near[at(k)]
            state = states[at(row - start)]
            active_out[at(active)] = row
            active += 1 if state != IDLE else 0
            afar_out[at(afar)] = row
            afar += 1 if state == ACTING_AFAR else 0
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
def renew_batches(
    chunk: int,
    count: int,
    near: Integers32,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    lane_parts: Reals32,
    motions: Reals32,
    surfaces: Reals32,
    names: Integers32,
    batches: Reals32,
    contacts_out: Table,
    first_row: int,
    states_out: Integers32,
    others_out: Integers32,
) -> int:
    """Renew the contacts of boxes, and those of circles, among the `count` rows in `near`.

    The rows of others, and of boxes where that fails, are left in `others_out`; returns how many
    they are. `states_out` takes the states of the contacts from `first_row` on.
    """
    of_boxes = 2 * chunk
    of_circles = 2 * chunk + 1
    boxes = 0
    circles = 0
    others = 0
    for k in range(count):
        row = near[at(k)]
        contact = contacts_out[at(row)]
        form = common_form(contact.part_a, contact.part_b, parts)
        if form == BOX:
            put_pair(of_boxes, boxes, row, contact, names)
            boxes += 1
        elif form == CIRCLE:
            put_pair(of_circles, circles, row, contact, names)
            circles += 1
        else:
            others_out[at(others)] = row
            others += 1
        if boxes == LANES or (boxes > 0 and k == count - 1):
            others += renew_boxes(
                of_boxes,
                boxes,
                dt,
                bodies,
                velocities,
                parts,
                lane_parts,
                motions,
                names,
                batches,
                contacts_out,
                first_row,
                states_out,
                others,
                others_out,
            )
            boxes = 0
        if circles == LANES or (circles > 0 and k == count - 1):
            renew_circles(
                of_circles,
                circles,
                np.float32(dt),
                lane_parts,
                motions,
                surfaces,
                names,
                batches,
                contacts_out,
                first_row,
                states_out,
            )
            circles = 0
    return others


@inlined
def common_form(part_a: int, part_b: int, parts: Table) -> int:
    """The form of two parts of which eight pairs can collide at once, else OTHER.

    Of boxes only those with all of their edges in sight.
    """
    a = parts[at(part_a)]
    b = parts[at(part_b)]
    is_plain = (a.form == b.form) & (a.seams == 0) & (b.seams == 0)
    return a.form if is_plain else OTHER


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
