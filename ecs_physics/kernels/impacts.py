"""Restitution: where two surfaces meet inside a substep, they part there at e times the speed.

The usual way (reverse the speed that was found when the step began, once the contact has been
solved) loses or gains height with the phase of the hit. Here the substep is played exactly for
the two surfaces alone. Symplectic Euler with step h follows a true parabola whose speed at the
substep's beginning is u = v - a h/2, v being the speed after the kick by the acceleration a. So:

    s + u t + a t^2/2 = 0      gives the time t of the hit (s separation, along the normal)
    w = u + a t                is the speed there, and -e w after it
    s' = -e w r + a r^2/2      is the separation at the substep's end, r = h - t after the hit
    v' = -e w + a (r - h/2)    the speed to be left with, so that the next substep goes on from u'

Before positions move, the contact gets the impulse for the mean speed (s' - s)/h; after, for v'.
The soft solver then finds nothing left to do. All in float64, on the masters.
"""

import math

from numba import types

from ecs_physics.constants import LINEAR_SLOP, RESTITUTION_THRESHOLD
from ecs_physics.kernels.blocks import share_of_b
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Record,
    Table,
    inner,
    integer,
    integers32,
    kernel,
    real,
    reals2,
    reals3,
    reals32_2,
    table,
)
from ecs_physics.kernels.solver_bodies import take_velocity
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, FORCE, PART, VELOCITY

NO_HIT = math.inf
"""What stands for 'does not meet in this substep' among the speeds to be left with."""

FLAT = LINEAR_SLOP
"""m. Where one point of a contact hits, the other does too if it ends as near as this: a box that
lands flat must not be tripped by the rounding of its corners."""


@kernel(integer(integer, integers32, table(CONTACT), integers32))
def find_bouncy(
    active_count: int, active: Integers32, contacts: Table, bouncy_out: Integers32
) -> int:
    """List the active contacts that may bounce; returns how many."""
    count = 0
    for k in range(active_count):
        if contacts[active[k]].restitution > 0.0:
            bouncy_out[count] = active[k]
            count += 1
    return count


@kernel(
    types.void(
        integer,
        real,
        integers32,
        table(BODY),
        table(PART),
        table(FORCE),
        table(CONTACT),
        table(VELOCITY),
        reals3,
        reals32_2,
        reals2,
    )
)
def hit(
    count: int,
    h: float,
    bouncy: Integers32,
    bodies: Table,
    parts: Table,
    forces: Table,
    contacts: Table,
    velocities: Table,
    origins: Reals,
    solver_bodies: Reals32,
    speeds_out: Reals,
) -> None:
    """Play the hits of this substep up to its end: the first impulse, before positions move.

    `speeds_out[k, point]` becomes the normal speed to be left with, NO_HIT where nothing meets.
    """
    for k in range(count):
        contact = contacts[bouncy[k]]
        a = contact.body_a
        b = contact.body_b
        share_b = share_of_b(contact, bodies, parts)
        pull = normal_pull(contact, a, b, bodies, forces)
        arms_0 = arms_now(contact, 0, share_b, parts, bodies, origins)
        speed_0 = normal_speed(contact, arms_0, velocities[a], velocities[b])
        if contact.count > 1:
            arms_1 = arms_now(contact, 1, share_b, parts, bodies, origins)
            speed_1 = normal_speed(contact, arms_1, velocities[a], velocities[b])
        else:
            arms_1 = arms_0
            speed_1 = 0.0
        lowest = min(arms_0[4] + h * speed_0, arms_1[4] + h * speed_1)
        speeds_out[k, 0] = NO_HIT
        speeds_out[k, 1] = NO_HIT
        if lowest >= 0.0:
            continue
        wanted_0 = wanted_1 = NO_HIT
        if arms_0[4] + h * speed_0 < FLAT:
            wanted_0, speeds_out[k, 0] = play_hit(arms_0[4], speed_0, pull, contact.restitution, h)
        if contact.count > 1 and arms_1[4] + h * speed_1 < FLAT:
            wanted_1, speeds_out[k, 1] = play_hit(arms_1[4], speed_1, pull, contact.restitution, h)
        reach_speeds(
            contact,
            a,
            b,
            speeds_out[k, 0] != NO_HIT,
            speeds_out[k, 1] != NO_HIT,
            wanted_0,
            wanted_1,
            bodies,
            parts,
            velocities,
            origins,
            solver_bodies,
        )


@kernel(
    types.void(
        integer,
        integers32,
        table(BODY),
        table(PART),
        table(CONTACT),
        table(VELOCITY),
        reals3,
        reals32_2,
        reals2,
    )
)
def rebound(
    count: int,
    bouncy: Integers32,
    bodies: Table,
    parts: Table,
    contacts: Table,
    velocities: Table,
    origins: Reals,
    solver_bodies: Reals32,
    speeds: Reals,
) -> None:
    """Leave what has hit in this substep with the speed it has then: the second impulse."""
    for k in range(count):
        contact = contacts[bouncy[k]]
        reach_speeds(
            contact,
            contact.body_a,
            contact.body_b,
            speeds[k, 0] != NO_HIT,
            speeds[k, 1] != NO_HIT,
            speeds[k, 0],
            speeds[k, 1],
            bodies,
            parts,
            velocities,
            origins,
            solver_bodies,
        )


@inner
def play_hit(
    gap: float, speed: float, pull: float, restitution: float, h: float
) -> tuple[float, float]:
    """Mean speed during the substep and speed at its end, along the normal (m/s).

    Both are NO_HIT where the surfaces meet too slowly to bounce.
    """
    start = speed - 0.5 * pull * h
    time = hit_time(max(gap, 0.0), start, pull, h)
    closing = start + pull * time
    if closing > -RESTITUTION_THRESHOLD:
        return NO_HIT, NO_HIT
    parting = -restitution * closing
    rest = h - time
    end_gap = min(gap, 0.0) + parting * rest + 0.5 * pull * rest * rest
    return (end_gap - gap) / h, parting + pull * (rest - 0.5 * h)


@inner
def hit_time(gap: float, speed: float, pull: float, h: float) -> float:
    """When gap + speed t + pull t^2/2 first reaches zero, at most h (s).

    The form without cancellation: 2 gap / (-speed + sqrt(speed^2 - 2 pull gap)).
    """
    inside = speed * speed - 2.0 * pull * gap
    under = -speed + math.sqrt(max(inside, 0.0))
    if under <= 0.0:
        return h
    return min(2.0 * gap / under, h)


@inner
def arms_now(
    contact: Record, point: int, share_b: float, parts: Table, bodies: Table, origins: Reals
) -> tuple[float, ...]:
    """From both centres of mass to where impulses act at a point, and its gap now (m)."""
    if point == 0:
        ax, ay = contact.anchor_ax_0, contact.anchor_ay_0
        bx, by = contact.anchor_bx_0, contact.anchor_by_0
        separation = contact.separation_0
    else:
        ax, ay = contact.anchor_ax_1, contact.anchor_ay_1
        bx, by = contact.anchor_bx_1, contact.anchor_by_1
        separation = contact.separation_1
    x_a, y_a, angle_a = motion(contact.body_a, bodies, origins)
    x_b, y_b, angle_b = motion(contact.body_b, bodies, origins)
    radius_a = parts[contact.part_a].radius
    radius_b = parts[contact.part_b].radius
    turned_ax, turned_ay = turned(
        angle_a, ax - radius_a * contact.normal_x, ay - radius_a * contact.normal_y
    )
    turned_bx, turned_by = turned(
        angle_b, bx + radius_b * contact.normal_x, by + radius_b * contact.normal_y
    )
    apart_x = (x_b - x_a) + (turned_bx - turned_ax)
    apart_y = (y_b - y_a) + (turned_by - turned_ay)
    gap = separation + apart_x * contact.normal_x + apart_y * contact.normal_y
    share_a = 1.0 - share_b
    return (
        ax + turned_ax + share_b * apart_x,
        ay + turned_ay + share_b * apart_y,
        bx + turned_bx - share_a * apart_x,
        by + turned_by - share_a * apart_y,
        gap,
    )


@inner
def motion(row: int, bodies: Table, origins: Reals) -> tuple[float, float, float]:
    """How far a body has moved (m) and turned (rad) since the step began."""
    body = bodies[row]
    return body.x - origins[0, row, 0], body.y - origins[0, row, 1], body.angle - origins[0, row, 2]


@inner
def turned(angle: float, x: float, y: float) -> tuple[float, float]:
    """By how much (x, y) changes when it is turned."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    return cos * x - sin * y - x, sin * x + cos * y - y


@inner
def relative_speed(
    arms: tuple[float, ...], x: float, y: float, velocity_a: Record, velocity_b: Record
) -> float:
    """Speed of B's contact point as seen from A, along (x, y), m/s."""
    relative_x = (velocity_b.x - velocity_b.omega * arms[3]) - (
        velocity_a.x - velocity_a.omega * arms[1]
    )
    relative_y = (velocity_b.y + velocity_b.omega * arms[2]) - (
        velocity_a.y + velocity_a.omega * arms[0]
    )
    return relative_x * x + relative_y * y


@inner
def normal_speed(
    contact: Record, arms: tuple[float, ...], velocity_a: Record, velocity_b: Record
) -> float:
    """Speed along the normal, negative while closing (m/s)."""
    return relative_speed(arms, contact.normal_x, contact.normal_y, velocity_a, velocity_b)


@inner
def normal_pull(contact: Record, a: int, b: int, bodies: Table, forces: Table) -> float:
    """Acceleration of B's centre as seen from A's by the step's forces, along the normal."""
    x = forces[b].x * bodies[b].inverse_mass_x - forces[a].x * bodies[a].inverse_mass_x
    y = forces[b].y * bodies[b].inverse_mass_y - forces[a].y * bodies[a].inverse_mass_y
    return x * contact.normal_x + y * contact.normal_y


@inner
def response(
    arms_p: tuple[float, ...],
    arms_q: tuple[float, ...],
    x: float,
    y: float,
    body_a: Record,
    body_b: Record,
) -> float:
    """How much a unit impulse at point q changes the relative speed at p, both along (x, y)."""
    arm_ap = arms_p[0] * y - arms_p[1] * x
    arm_bp = arms_p[2] * y - arms_p[3] * x
    arm_aq = arms_q[0] * y - arms_q[1] * x
    arm_bq = arms_q[2] * y - arms_q[3] * x
    straight = x * x * (body_a.inverse_mass_x + body_b.inverse_mass_x)
    straight += y * y * (body_a.inverse_mass_y + body_b.inverse_mass_y)
    turning = body_a.inverse_inertia * arm_ap * arm_aq + body_b.inverse_inertia * arm_bp * arm_bq
    return straight + turning


@inner
def reach_speeds(
    contact: Record,
    a: int,
    b: int,
    hits_0: bool,
    hits_1: bool,
    wanted_0: float,
    wanted_1: float,
    bodies: Table,
    parts: Table,
    velocities: Table,
    origins: Reals,
    solver_bodies: Reals32,
) -> None:
    """Give the points that hit the normal speeds wanted, both at once, and friction with them."""
    if not hits_0 and not hits_1:
        return
    normal_x = contact.normal_x
    normal_y = contact.normal_y
    share_b = share_of_b(contact, bodies, parts)
    arms_0 = arms_now(contact, 0, share_b, parts, bodies, origins)
    arms_1 = arms_now(contact, 1, share_b, parts, bodies, origins) if hits_1 else arms_0
    lack_0 = wanted_0 - normal_speed(contact, arms_0, velocities[a], velocities[b])
    lack_1 = wanted_1 - normal_speed(contact, arms_1, velocities[a], velocities[b])
    response_00 = response(arms_0, arms_0, normal_x, normal_y, bodies[a], bodies[b])
    response_11 = response(arms_1, arms_1, normal_x, normal_y, bodies[a], bodies[b])
    if response_00 <= 0.0 or response_11 <= 0.0:
        return  # locked axes: nothing can move along the normal
    response_01 = response(arms_0, arms_1, normal_x, normal_y, bodies[a], bodies[b])
    impulse_0, impulse_1 = share_impulses(
        hits_0, hits_1, lack_0, lack_1, response_00, response_11, response_01
    )
    x = normal_x * impulse_0
    y = normal_y * impulse_0
    push(x, y, a, b, arms_0, bodies, velocities)
    x = normal_x * impulse_1
    y = normal_y * impulse_1
    push(x, y, a, b, arms_1, bodies, velocities)
    # Friction only after both: one corner's impulse alone would make a flat box seem to slide.
    contact.total_normal_0 += impulse_0
    contact.total_normal_1 += impulse_1
    contact.total_tangent_0 += rub(contact, impulse_0, arms_0, bodies, velocities)
    contact.total_tangent_1 += rub(contact, impulse_1, arms_1, bodies, velocities)
    if bodies[a].kind == DYNAMIC:
        take_velocity(a, velocities, solver_bodies)
    if bodies[b].kind == DYNAMIC:
        take_velocity(b, velocities, solver_bodies)


@inner
def share_impulses(
    hits_0: bool,
    hits_1: bool,
    lack_0: float,
    lack_1: float,
    response_00: float,
    response_11: float,
    response_01: float,
) -> tuple[float, float]:
    """The normal impulses (N s) that give two points the speeds which they lack.

    Where the two together would need a pull, the one that lacks more is served alone.
    """
    if not hits_1:
        return lack_0 / response_00, 0.0
    if not hits_0:
        return 0.0, lack_1 / response_11
    determinant = response_00 * response_11 - response_01 * response_01
    if determinant > 1e-6 * response_00 * response_11:
        impulse_0 = (response_11 * lack_0 - response_01 * lack_1) / determinant
        impulse_1 = (response_00 * lack_1 - response_01 * lack_0) / determinant
        if (impulse_0 >= 0.0) == (impulse_1 >= 0.0):
            return impulse_0, impulse_1
    if lack_0 / response_00 >= lack_1 / response_11:
        return lack_0 / response_00, 0.0
    return 0.0, lack_1 / response_11


@inner
def rub(
    contact: Record, impulse: float, arms: tuple[float, ...], bodies: Table, velocities: Table
) -> float:
    """Apply the friction that a normal impulse (N s) allows, and return it (N s)."""
    a = contact.body_a
    b = contact.body_b
    tangent_x = contact.normal_y
    tangent_y = -contact.normal_x
    sliding = relative_speed(arms, tangent_x, tangent_y, velocities[a], velocities[b])
    yielding = response(arms, arms, tangent_x, tangent_y, bodies[a], bodies[b])
    if yielding <= 0.0:
        return 0.0
    stopping = (contact.surface_speed - sliding) / yielding
    limit = contact.friction * abs(impulse)
    friction = min(max(stopping, -limit), limit)
    push(tangent_x * friction, tangent_y * friction, a, b, arms, bodies, velocities)
    return friction


@inner
def push(
    x: float, y: float, a: int, b: int, arms: tuple[float, ...], bodies: Table, velocities: Table
) -> None:
    """Apply the impulse (x, y), N s, to B and its opposite to A."""
    velocity_a = velocities[a]
    velocity_b = velocities[b]
    body_a = bodies[a]
    body_b = bodies[b]
    velocity_a.x -= body_a.inverse_mass_x * x
    velocity_a.y -= body_a.inverse_mass_y * y
    velocity_a.omega -= body_a.inverse_inertia * (arms[0] * y - arms[1] * x)
    velocity_b.x += body_b.inverse_mass_x * x
    velocity_b.y += body_b.inverse_mass_y * y
    velocity_b.omega += body_b.inverse_inertia * (arms[2] * y - arms[3] * x)
