"""What overlaps the sensors at the end of a step, and what has crossed one within it."""

import math
from typing import Final

from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Record,
    Table,
    inner,
    integer,
    integers,
    integers32,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.contact_states import REFUSED
from ecs_physics.kernels.distance import distance_of_parts
from ecs_physics.tables import BODY, CONTACT, FREE, PART, STATIC, TRAITS

MOST_ADVANCES: Final = 256
"""Looks at one pair along its way. Fewer: what spins fast is taken to have missed."""

OVERREACH: Final = 1e-6
"""m. How much farther than the gap a look goes on. Smaller: what turns is never quite there, or
needs more looks. Larger: a corner that is grazed is missed."""


@kernel(integer(integer, table(CONTACT), integers32), feature="sensors")
def list_sensor_rows(count: int, contacts: Table, rows_out: Integers32) -> int:
    """Write those of the first `count` rows that have a sensor, ascending; return how many."""
    found = 0
    for row in range(count):
        if contacts[row].is_sensor:
            rows_out[found] = row
            found += 1
    return found


@kernel(types.void(integer, integers32, table(CONTACT), table(BODY), reals2), feature="sensors")
def note_starts(
    count: int, rows: Integers32, contacts: Table, bodies: Table, starts_out: Reals
) -> None:
    """Write x, y and angle, as they are now, of the bodies that `count` contact rows name."""
    for k in range(count):
        contact = contacts[rows[k]]
        for body in (contact.body_a, contact.body_b):
            starts_out[body, 0] = bodies[body].x
            starts_out[body, 1] = bodies[body].y
            starts_out[body, 2] = bodies[body].angle


@kernel(
    types.void(
        integer,
        integers32,
        reals2,
        table(BODY),
        table(TRAITS),
        table(PART),
        reals2,
        reals2,
        table(CONTACT),
        integers,
        integers,
    ),
    feature="sensors",
)
def find_overlaps(
    count: int,
    rows: Integers32,
    starts: Reals,
    bodies: Table,
    traits: Table,
    parts: Table,
    local_vertices: Reals,
    world_vertices: Reals,
    contacts: Table,
    keys_out: Integers,
    counts_out: Integers,
) -> None:
    """Look at `count` contact rows that have a sensor, with bodies where the step has led them.

    Args:
        count: of `rows` in use.
        rows: rows of `contacts`.
        starts: (B, 3) where bodies were when the step began, see `note_starts`.
        bodies: poses.
        traits: aligned with `bodies`.
        parts: of all bodies.
        local_vertices: (V, 4), m, in the shapes' axes.
        world_vertices: (V, 4), m: of parts of these rows they follow the poses.
        contacts: `is_touching` says afterwards which of the rows overlap.
        keys_out: (`count` or more,) sensor_key of each row that overlaps, from the front, and of
            each that only did so within the step, from the back; a pair may come several times.
        counts_out: (2,) how many of either.
    """
    overlapping = 0
    crossed = 0
    for k in range(count):
        contact = contacts[rows[k]]
        was_touching = contact.is_touching
        contact.is_touching = False
        is_gone = bodies[contact.body_a].kind == FREE or bodies[contact.body_b].kind == FREE
        if contact.disabled >= REFUSED or is_gone:
            continue
        for body, part in (
            (contact.body_a, contact.part_a),
            (contact.body_b, contact.part_b),
        ):
            if bodies[body].kind != STATIC:
                turn(parts[part], bodies[body].angle, local_vertices, world_vertices)
        key = sensor_key(contact, traits)
        if gap_at(1.0, contact, starts, bodies, parts, world_vertices)[0] <= 0.0:
            contact.is_touching = True
            keys_out[overlapping] = key
            overlapping += 1
        elif not was_touching and crosses(
            contact, starts, bodies, parts, local_vertices, world_vertices
        ):
            crossed += 1
            keys_out[keys_out.shape[0] - crossed] = key
    counts_out[0] = overlapping
    counts_out[1] = crossed


@inner
def sensor_key(contact: Record, traits: Table) -> int:
    """The sensor's entity and the other one in one number; ids are below 2**31."""
    if traits[contact.body_a].is_sensor:
        return (contact.entity_a << 32) | contact.entity_b
    return (contact.entity_b << 32) | contact.entity_a


@inner
def turn(part: Record, angle: float, local_vertices: Reals, world_out: Reals) -> None:
    """Turn a part's vertices and normals into the world's axes, for a body at `angle`."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    extra = 1 if part.one_sided else 0
    for vertex in range(part.first_vertex - extra, part.first_vertex + part.count + extra):
        x = local_vertices[vertex, 0]
        y = local_vertices[vertex, 1]
        normal_x = local_vertices[vertex, 2]
        normal_y = local_vertices[vertex, 3]
        world_out[vertex, 0] = cos * x - sin * y
        world_out[vertex, 1] = sin * x + cos * y
        world_out[vertex, 2] = cos * normal_x - sin * normal_y
        world_out[vertex, 3] = sin * normal_x + cos * normal_y


@inner
def gap_at(
    share: float,
    contact: Record,
    starts: Reals,
    bodies: Table,
    parts: Table,
    world_vertices: Reals,
) -> tuple[float, float, float]:
    """The gap (m) of a row's parts and its direction, after a `share` of the step's way.

    Vertices are turned as they are then. The gap of parts that overlap is 0 or less.
    """
    a = contact.body_a
    b = contact.body_b
    part_a = parts[contact.part_a]
    part_b = parts[contact.part_b]
    rest = 1.0 - share
    dx = (bodies[b].x - rest * (bodies[b].x - starts[b, 0])) - (
        bodies[a].x - rest * (bodies[a].x - starts[a, 0])
    )
    dy = (bodies[b].y - rest * (bodies[b].y - starts[b, 1])) - (
        bodies[a].y - rest * (bodies[a].y - starts[a, 1])
    )
    distance, ax, ay, bx, by = distance_of_parts(
        world_vertices,
        part_a.first_vertex,
        part_a.count,
        world_vertices,
        part_b.first_vertex,
        part_b.count,
        dx,
        dy,
    )
    gap = distance - (part_a.radius + part_b.radius)
    if distance == 0.0:
        return gap, 0.0, 0.0
    return gap, (bx - ax) / distance, (by - ay) / distance


@inner
def crosses(
    contact: Record,
    starts: Reals,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    world_vertices: Reals,
) -> bool:
    """Whether a row's parts, apart at the end of the step, meet on their straight way there.

    Conservative advancement (Mirtich, 1996): from where there is a gap, go on by the share of
    the way that it takes at least to close it along its direction, turning included. Along a
    direction in which the gap does not close they never meet. Vertices are left as at the end.
    """
    a = contact.body_a
    b = contact.body_b
    move_x = (bodies[b].x - starts[b, 0]) - (bodies[a].x - starts[a, 0])
    move_y = (bodies[b].y - starts[b, 1]) - (bodies[a].y - starts[a, 1])
    turn_a = bodies[a].angle - starts[a, 2]
    turn_b = bodies[b].angle - starts[b, 2]
    sweep = abs(turn_a) * bodies[a].extent + abs(turn_b) * bodies[b].extent
    share = 0.0
    gap = 0.0
    for _ in range(MOST_ADVANCES):
        if turn_a != 0.0:
            angle = starts[a, 2] + share * turn_a
            turn(parts[contact.part_a], angle, local_vertices, world_vertices)
        if turn_b != 0.0:
            angle = starts[b, 2] + share * turn_b
            turn(parts[contact.part_b], angle, local_vertices, world_vertices)
        gap, x, y = gap_at(share, contact, starts, bodies, parts, world_vertices)
        closing = sweep - (move_x * x + move_y * y)
        if gap <= 0.0 or gap >= closing * (1.0 - share):
            break
        share += (gap + OVERREACH) / closing
        if share >= 1.0:
            break
    if turn_a != 0.0:
        turn(parts[contact.part_a], bodies[a].angle, local_vertices, world_vertices)
    if turn_b != 0.0:
        turn(parts[contact.part_b], bodies[b].angle, local_vertices, world_vertices)
    return gap <= 0.0
