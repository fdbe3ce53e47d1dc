"""Contacts across a gap, taken to where the parts will meet, or taken away if they will not.

The narrow phase sees parts as the step begins. Between the nearest points of two that are still
apart it puts a plane that neither may cross; so nothing gets through, however fast. But the plane
goes on where the part ends: it would stop what flies past a corner, and turn what meets a wall
farther on. So where such a contact would act, the two are swept through the step. If they do not
meet, there is no contact. If they do, the contact is the one of that moment, with its points where
they are now, before the motion.
"""

import math
from typing import Final

import numpy as np

from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.blocks import FAR_CIRCLES
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Record,
    Table,
    inlined,
    inner,
    integer,
    integers32,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.kernels.contact_points import approach_speed
from ecs_physics.kernels.manifold import Manifold
from ecs_physics.kernels.part_pairs import collide_parts
from ecs_physics.kernels.time_of_impact import NEVER, time_of_impact, turned_back
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, PART, VELOCITY

LEFT_TO_SWEEP: Final = -2
"""Value of `feature_0` of a contact without points, whose bodies are swept after the step."""

SIDEWAYS: Final = 0.5
"""Ratio. Of the cores' radii, how far two bodies may pass each other sideways until they meet.
The solver moves points along with both; farther than this it pushes where the bodies are not.
Smaller: more lose a part of their step as they meet. Larger: what is fast gains energy."""


@kernel(
    integer(
        integer,
        integers32,
        real,
        table(BODY),
        table(VELOCITY),
        table(PART),
        reals2,
        reals2,
        table(CONTACT),
        integer,
        integers32,
    )
)
def aim_contacts(
    afar_count: int,
    afar: Integers32,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
    scratch: Reals,
    contacts_out: Table,
    active_count: int,
    active_out: Integers32,
) -> int:
    """Renew the contacts across a gap; returns how many are left active.

    Args:
        afar_count: of `afar`.
        afar: rows of `contacts_out` as the narrow phase has listed them; overwritten.
        dt: s, the whole step ahead.
        bodies: poses.
        velocities: aligned with `bodies`.
        parts: of all bodies.
        world_vertices: (V, 4), m, of all parts; see part_cores.py.
        scratch: as large, to be overwritten.
        contacts_out: manifolds in and out.
        active_count: of `active_out`.
        active_out: rows that have points, ascending; those that lose theirs are taken out.
    """
    lost = 0
    for k in range(afar_count):
        row = afar[k]
        aim_contact(contacts_out[row], dt, bodies, velocities, parts, world_vertices, scratch)
        if contacts_out[row].count == 0:
            afar[lost] = row
            lost += 1
    if lost == 0:
        return active_count
    kept = 0
    next_lost = 0
    for k in range(active_count):
        if next_lost < lost and active_out[k] == afar[next_lost]:
            next_lost += 1
        else:
            active_out[kept] = active_out[k]
            kept += 1
    return kept


@inner
def aim_contact(
    contact_out: Record,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
    scratch: Reals,
) -> None:
    """Make a contact the one of the moment at which its parts meet within `dt` seconds."""
    part_a = parts[contact_out.part_a]
    part_b = parts[contact_out.part_b]
    time = time_of_meeting(contact_out, dt, bodies, velocities, parts, world_vertices)
    if time >= NEVER * dt:
        contact_out.count = 0
        return
    are_circles = part_a.count == 1 and part_b.count == 1
    if are_circles and contact_out.separation_0 < FAR_CIRCLES * (part_a.radius + part_b.radius):
        return  # their normal follows them
    if part_a.seams != 0 or part_b.seams != 0:
        return  # the narrow phase knows which of its edges are in sight
    manifold = manifold_then(
        contact_out, time, dt, bodies, velocities, parts, world_vertices, scratch
    )
    contact_out.count = 0
    kind_a = bodies[contact_out.body_a].kind
    kind_b = bodies[contact_out.body_b].kind
    are_pushed = kind_a == DYNAMIC and kind_b == DYNAMIC
    velocity_x, velocity_y = approaching(contact_out, velocities)
    sideways = time * abs(velocity_x * manifold[2] - velocity_y * manifold[1])
    if are_pushed and sideways > SIDEWAYS * (part_a.core + part_b.core):
        contact_out.feature_0 = LEFT_TO_SWEEP
        return
    take_points(contact_out, manifold, time, dt, bodies, velocities, parts)


@inlined
def approaching(contact: Record, velocities: Table) -> tuple[float, float]:
    """The velocity of B's centre of mass as seen from that of A, m/s."""
    velocity_a = velocities[contact.body_a]
    velocity_b = velocities[contact.body_b]
    return velocity_b.x - velocity_a.x, velocity_b.y - velocity_a.y


@inner
def time_of_meeting(
    contact: Record,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
) -> float:
    """When two parts meet that fly on as they do now, s; NEVER times `dt` if not within `dt`."""
    part_a = parts[contact.part_a]
    part_b = parts[contact.part_b]
    body_a = bodies[contact.body_a]
    body_b = bodies[contact.body_b]
    velocity_x, velocity_y = approaching(contact, velocities)
    share = time_of_impact(
        world_vertices,
        part_a.first_vertex,
        part_a.count,
        part_a.radius,
        part_a.one_sided,
        part_b.first_vertex,
        part_b.count,
        part_b.radius,
        part_b.one_sided,
        body_b.x - body_a.x,
        body_b.y - body_a.y,
        0.0,
        0.0,
        velocity_x * dt,
        velocity_y * dt,
        velocities[contact.body_a].omega * dt,
        velocities[contact.body_b].omega * dt,
        0.0,
    )
    return float(dt * share)


@inner
def manifold_then(
    contact: Record,
    time: float,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
    scratch: Reals,
) -> Manifold:
    """The manifold after `time` seconds, for what may touch in the rest of the `dt`."""
    part_a = parts[contact.part_a]
    part_b = parts[contact.part_b]
    body_a = bodies[contact.body_a]
    body_b = bodies[contact.body_b]
    velocity_a = velocities[contact.body_a]
    velocity_b = velocities[contact.body_b]
    velocity_x, velocity_y = approaching(contact, velocities)
    turn_part(part_a, velocity_a.omega * time, world_vertices, scratch)
    turn_part(part_b, velocity_b.omega * time, world_vertices, scratch)
    speed = (
        math.sqrt(velocity_x * velocity_x + velocity_y * velocity_y)
        + abs(velocity_a.omega) * body_a.extent
        + abs(velocity_b.omega) * body_b.extent
    )
    return collide_parts(
        scratch,
        np.int64(part_a.first_vertex),
        np.int64(part_a.count),
        part_a.radius,
        part_a.one_sided,
        np.int64(part_b.first_vertex),
        np.int64(part_b.count),
        part_b.radius,
        part_b.one_sided,
        body_b.x - body_a.x + time * velocity_x,
        body_b.y - body_a.y + time * velocity_y,
        SPECULATIVE_DISTANCE + (dt - time) * speed,
    )


@inner
def take_points(
    contact_out: Record,
    manifold: Manifold,
    time: float,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
) -> None:
    """Give a contact the normal and those points of a later manifold that matter in the step."""
    body_a = bodies[contact_out.body_a]
    body_b = bodies[contact_out.body_b]
    contact_out.normal_impulse_0 = contact_out.normal_impulse_1 = 0.0
    contact_out.tangent_impulse_0 = contact_out.tangent_impulse_1 = 0.0
    contact_out.normal_x = manifold[1]
    contact_out.normal_y = manifold[2]
    for point in range(manifold[0]):
        is_first = point == 0
        add_point(
            contact_out,
            manifold[3] if is_first else manifold[7],
            manifold[4] if is_first else manifold[8],
            manifold[5] if is_first else manifold[9],
            manifold[6] if is_first else manifold[10],
            time,
            dt,
            body_b.x - body_a.x,
            body_b.y - body_a.y,
            parts[contact_out.part_a].radius,
            parts[contact_out.part_b].radius,
            velocities[contact_out.body_a],
            velocities[contact_out.body_b],
        )


@inner
def turn_part(part: Record, angle: float, vertices: Reals, turned_out: Reals) -> None:
    """Write the vertices of a part, and a chain's next ones, turned about the body's centre."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    around = 1 if part.one_sided else 0
    for row in range(part.first_vertex - around, part.first_vertex + part.count + around):
        for column in range(0, 4, 2):
            x, y = turned_back(cos, -sin, vertices[row, column], vertices[row, column + 1])
            turned_out[row, column] = x
            turned_out[row, column + 1] = y


@inner
def add_point(
    contact_out: Record,
    x: float,
    y: float,
    gap: float,
    which: int,
    time: float,
    dt: float,
    dx: float,
    dy: float,
    radius_a: float,
    radius_b: float,
    velocity_a: Record,
    velocity_b: Record,
) -> None:
    """Give a contact a point that it will have after `time` seconds, if that matters in the step.

    What lies behind each surface's rounding goes back with its body to where it is now; then the
    point is midway between the surfaces as always, only that the gap is the one of now. A point
    that lies behind the other's surface by now, and comes round, is left out.
    """
    normal_x = contact_out.normal_x
    normal_y = contact_out.normal_y
    move_x = velocity_b.x - velocity_a.x
    move_y = velocity_b.y - velocity_a.y
    there_x = dx + time * move_x
    there_y = dy + time * move_y
    approach = approach_speed(
        x,
        y,
        normal_x,
        normal_y,
        there_x,
        there_y,
        move_x,
        move_y,
        velocity_a.omega,
        velocity_b.omega,
    )
    to_a = 0.5 * gap + radius_a
    to_b = 0.5 * gap + radius_b
    angle_a = time * velocity_a.omega
    angle_b = time * velocity_b.omega
    ax, ay = turned_back(
        math.cos(angle_a), math.sin(angle_a), x - to_a * normal_x, y - to_a * normal_y
    )
    bx, by = turned_back(
        math.cos(angle_b),
        math.sin(angle_b),
        x - there_x + to_b * normal_x,
        y - there_y + to_b * normal_y,
    )
    now = (dx + bx - ax) * normal_x + (dy + by - ay) * normal_y - radius_a - radius_b
    reach = SPECULATIVE_DISTANCE + (dt - time) * max(approach, 0.0)
    if gap > reach or now < 0.0:
        return
    to_a = 0.5 * now + radius_a
    to_b = 0.5 * now + radius_b
    if contact_out.count == 0:
        contact_out.count = 1
        contact_out.feature_0 = which
        contact_out.separation_0 = now
        contact_out.approach_0 = approach
        contact_out.anchor_ax_0 = ax + to_a * normal_x
        contact_out.anchor_ay_0 = ay + to_a * normal_y
        contact_out.anchor_bx_0 = bx - to_b * normal_x
        contact_out.anchor_by_0 = by - to_b * normal_y
    else:
        contact_out.count = 2
        contact_out.feature_1 = which
        contact_out.separation_1 = now
        contact_out.approach_1 = approach
        contact_out.anchor_ax_1 = ax + to_a * normal_x
        contact_out.anchor_ay_1 = ay + to_a * normal_y
        contact_out.anchor_bx_1 = bx - to_b * normal_x
        contact_out.anchor_by_1 = by - to_b * normal_y
