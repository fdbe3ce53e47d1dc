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

Contacts that hit together are solved together, again and again (projected Gauss-Seidel with
accumulated impulses), so that a crate may land across the joint of two edges.
"""

import math

import numpy as np
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

TOUCHING = 0.04 * LINEAR_SLOP
"""m. Surfaces that would end a substep as near as this have met, and bounce there. Smaller: where
the hit falls on the substep's end, the float32 solver may see it first, and stop it dead."""

WIDE_TURN = 0.5
"""rad. What turns by more than this in a substep gets both impulses of a hit at its beginning:
later, another corner would be there. Smaller: bounces of what spins are less exact. Larger: they
gain energy."""

SWEEPS = 20
"""Rounds of solving where several contacts hit at once. Fewer: they part unevenly."""

HIT = np.dtype(
    [
        ("normal_x", "f8"),  # along which it hits, from A to B
        ("normal_y", "f8"),
        ("mean_0", "f8"),  # m/s, normal speed wanted while positions move
        ("mean_1", "f8"),
        ("after_0", "f8"),  # m/s, normal speed to be left with, or NO_HIT
        ("after_1", "f8"),
        ("normal_0", "f8"),  # N s, accumulated in this substep
        ("normal_1", "f8"),
        ("tangent_0", "f8"),
        ("tangent_1", "f8"),
    ],
    align=True,
)
"""What becomes of a bouncy contact in a substep."""


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
        reals2,
        reals32_2,
        table(HIT),
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
    motions: Reals,
    copies: Reals32,
    hits_out: Table,
) -> None:
    """Play the hits of this substep up to its end: the first impulses, before positions move."""
    hitting = np.int64(0)
    for k in range(count):
        contact = contacts[bouncy[k]]
        hits_out[k].after_0 = NO_HIT
        hits_out[k].after_1 = NO_HIT
        if is_approaching(contact, velocities):
            plan(contact, h, bodies, parts, forces, velocities, hits_out[k])
            hitting += is_hit(hits_out[k])
    if hitting > 0:
        is_over = is_spinning(count, h, bouncy, contacts, velocities, hits_out)
        settle(count, hitting, False, bouncy, bodies, parts, contacts, velocities, hits_out)
        is_over = is_over or is_spinning(count, h, bouncy, contacts, velocities, hits_out)
        if is_over:
            settle(count, hitting, True, bouncy, bodies, parts, contacts, velocities, hits_out)
        take_hit_bodies(count, bouncy, bodies, contacts, velocities, motions, copies, hits_out)
        if is_over:
            leave_no_second_impulse(count, hits_out)


@kernel(
    types.void(
        integer,
        integers32,
        table(BODY),
        table(PART),
        table(CONTACT),
        table(VELOCITY),
        reals2,
        reals32_2,
        table(HIT),
    )
)
def rebound(
    count: int,
    bouncy: Integers32,
    bodies: Table,
    parts: Table,
    contacts: Table,
    velocities: Table,
    motions: Reals,
    copies: Reals32,
    hits: Table,
) -> None:
    """Leave what has hit in this substep with the speed it has then: the second impulses."""
    hitting = np.int64(0)
    for k in range(count):
        hitting += is_hit(hits[k])
    if hitting > 0:
        settle(count, hitting, True, bouncy, bodies, parts, contacts, velocities, hits)
        take_hit_bodies(count, bouncy, bodies, contacts, velocities, motions, copies, hits)


@inner
def is_spinning(
    count: int, h: float, bouncy: Integers32, contacts: Table, velocities: Table, hits: Table
) -> bool:
    """Whether something that hits will turn so far in this substep that it hits elsewhere."""
    for k in range(count):
        if is_hit(hits[k]):
            turn_a = h * abs(velocities[contacts[bouncy[k]].body_a].omega)
            turn_b = h * abs(velocities[contacts[bouncy[k]].body_b].omega)
            if max(turn_a, turn_b) > WIDE_TURN:
                return True
    return False


@inner
def leave_no_second_impulse(count: int, hits_out: Table) -> None:
    """Let nothing rebound later in this substep: it has done so."""
    for k in range(count):
        hits_out[k].after_0 = NO_HIT
        hits_out[k].after_1 = NO_HIT


@inner
def is_hit(one: Record) -> int:
    """1 where some point of a contact hits, else 0."""
    return 1 if one.after_0 != NO_HIT or one.after_1 != NO_HIT else 0


@inner
def is_approaching(contact: Record, velocities: Table) -> bool:
    """Whether any point comes fast enough: a quick look, at which most of a resting pile fails.

    The arms are those of the step's beginning; half the threshold makes up for that.
    """
    a = velocities[contact.body_a]
    b = velocities[contact.body_b]
    arms = (contact.anchor_ax_0, contact.anchor_ay_0, contact.anchor_bx_0, contact.anchor_by_0)
    speed = relative_speed(arms, contact.normal_x, contact.normal_y, a, b)
    if contact.count > 1:
        arms = (contact.anchor_ax_1, contact.anchor_ay_1, contact.anchor_bx_1, contact.anchor_by_1)
        speed = min(speed, relative_speed(arms, contact.normal_x, contact.normal_y, a, b))
    return speed < -0.5 * RESTITUTION_THRESHOLD


@inner
def plan(
    contact: Record,
    h: float,
    bodies: Table,
    parts: Table,
    forces: Table,
    velocities: Table,
    hit_out: Record,
) -> None:
    """Work out the speeds that a contact's points want in this substep, if they hit."""
    a = contact.body_a
    b = contact.body_b
    hit_out.normal_0 = hit_out.normal_1 = 0.0
    hit_out.tangent_0 = hit_out.tangent_1 = 0.0
    hit_out.normal_x = contact.normal_x
    hit_out.normal_y = contact.normal_y
    if are_circles(contact, parts):
        aim_between_centers(contact, parts, bodies, hit_out)
    x = hit_out.normal_x
    y = hit_out.normal_y
    pull = normal_pull(x, y, a, b, bodies, forces)
    arms_0 = arms_now(contact, 0, x, y, parts, bodies)
    speed_0 = relative_speed(arms_0, x, y, velocities[a], velocities[b])
    end_0 = arms_0[4] + h * speed_0
    arms_1 = arms_0
    speed_1 = speed_0
    end_1 = end_0
    if contact.count > 1:
        arms_1 = arms_now(contact, 1, x, y, parts, bodies)
        speed_1 = relative_speed(arms_1, x, y, velocities[a], velocities[b])
        end_1 = arms_1[4] + h * speed_1
    if min(end_0, end_1) >= TOUCHING:
        return
    restitution = contact.restitution
    if end_0 < FLAT:
        hit_out.mean_0, hit_out.after_0 = play_hit(arms_0[4], speed_0, pull, restitution, h)
    if contact.count > 1 and end_1 < FLAT:
        hit_out.mean_1, hit_out.after_1 = play_hit(arms_1[4], speed_1, pull, restitution, h)


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
    gap_there = gap + start * time + 0.5 * pull * time * time
    end_gap = gap_there + parting * rest + 0.5 * pull * rest * rest
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
def are_circles(contact: Record, parts: Table) -> bool:
    """Whether both parts of a contact are circles."""
    return parts[contact.part_a].count == 1 and parts[contact.part_b].count == 1


@inner
def aim_between_centers(contact: Record, parts: Table, bodies: Table, hit_out: Record) -> None:
    """Let two circles hit along the line between their centres as they are now.

    Along the normal of the step's beginning, an oblique hit would turn what friction cannot.
    """
    ax, ay, bx, by = cores_now(contact, 0, parts, bodies)
    x = bodies[contact.body_b].x - bodies[contact.body_a].x + bx - ax
    y = bodies[contact.body_b].y - bodies[contact.body_a].y + by - ay
    length = math.hypot(x, y)
    if length > 0.0:
        hit_out.normal_x = x / length
        hit_out.normal_y = y / length


@inner
def cores_now(
    contact: Record, point: int, parts: Table, bodies: Table
) -> tuple[float, float, float, float]:
    """What lies behind the rounding at a point of A and of B, from their centres of mass (m)."""
    if point == 0:
        ax, ay = contact.anchor_ax_0, contact.anchor_ay_0
        bx, by = contact.anchor_bx_0, contact.anchor_by_0
        half_gap = 0.5 * contact.separation_0
    else:
        ax, ay = contact.anchor_ax_1, contact.anchor_ay_1
        bx, by = contact.anchor_bx_1, contact.anchor_by_1
        half_gap = 0.5 * contact.separation_1
    to_core = half_gap + parts[contact.part_a].radius
    ax -= to_core * contact.normal_x
    ay -= to_core * contact.normal_y
    to_core = half_gap + parts[contact.part_b].radius
    bx += to_core * contact.normal_x
    by += to_core * contact.normal_y
    angle_a = bodies[contact.body_a].angle - bodies[contact.body_a].start_angle
    angle_b = bodies[contact.body_b].angle - bodies[contact.body_b].start_angle
    ax, ay = turned(angle_a, ax, ay)
    bx, by = turned(angle_b, bx, by)
    return ax, ay, bx, by


@inner
def arms_now(
    contact: Record, point: int, x: float, y: float, parts: Table, bodies: Table
) -> tuple[float, ...]:
    """From both centres of mass to where impulses along (x, y) act at a point, and its gap (m).

    Each surface turns with its body but for the rounding; the impulse acts between the two, at B's
    by its share.
    """
    ax, ay, bx, by = cores_now(contact, point, parts, bodies)
    radius = parts[contact.part_a].radius
    ax += radius * x
    ay += radius * y
    radius = parts[contact.part_b].radius
    bx -= radius * x
    by -= radius * y
    apart_x = bodies[contact.body_b].x - bodies[contact.body_a].x + bx - ax
    apart_y = bodies[contact.body_b].y - bodies[contact.body_a].y + by - ay
    gap = apart_x * x + apart_y * y
    if are_circles(contact, parts):  # nothing but the gap parts them
        apart_x = gap * x
        apart_y = gap * y
    share_b = share_of_b(contact, bodies, parts)
    share_a = 1.0 - share_b
    return (
        ax + share_b * apart_x,
        ay + share_b * apart_y,
        bx - share_a * apart_x,
        by - share_a * apart_y,
        gap,
    )


@inner
def turned(angle: float, x: float, y: float) -> tuple[float, float]:
    """(x, y) after a turn."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y


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
def normal_pull(
    normal_x: float, normal_y: float, a: int, b: int, bodies: Table, forces: Table
) -> float:
    """Acceleration of B's centre as seen from A's by the step's forces, along the normal."""
    x = forces[b].x * bodies[b].inverse_mass_x - forces[a].x * bodies[a].inverse_mass_x
    y = forces[b].y * bodies[b].inverse_mass_y - forces[a].y * bodies[a].inverse_mass_y
    return x * normal_x + y * normal_y


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
def settle(
    count: int,
    hitting: int,
    is_after: bool,
    bouncy: Integers32,
    bodies: Table,
    parts: Table,
    contacts: Table,
    velocities: Table,
    hits: Table,
) -> None:
    """Bring all points that hit to the speeds they want, then let them rub."""
    for _ in range(SWEEPS if hitting > 1 else 1):
        for k in range(count):
            if is_hit(hits[k]):
                reach_speeds(contacts[bouncy[k]], is_after, bodies, parts, velocities, hits[k])
    for k in range(count):
        if is_hit(hits[k]):
            rub_points(contacts[bouncy[k]], bodies, parts, velocities, hits[k])


@inner
def take_hit_bodies(
    count: int,
    bouncy: Integers32,
    bodies: Table,
    contacts: Table,
    velocities: Table,
    motions: Reals,
    copies: Reals32,
    hits: Table,
) -> None:
    """Copy the velocities of what has hit for the solver."""
    for k in range(count):
        if is_hit(hits[k]):
            a = contacts[bouncy[k]].body_a
            b = contacts[bouncy[k]].body_b
            if bodies[a].kind == DYNAMIC:
                take_velocity(a, velocities, motions, copies)
            if bodies[b].kind == DYNAMIC:
                take_velocity(b, velocities, motions, copies)


@inner
def reach_speeds(
    contact: Record,
    is_after: bool,
    bodies: Table,
    parts: Table,
    velocities: Table,
    one: Record,
) -> None:
    """Give the points of a contact that hit the normal speeds they want, both at once."""
    a = contact.body_a
    b = contact.body_b
    x = one.normal_x
    y = one.normal_y
    hits_0 = one.after_0 != NO_HIT
    hits_1 = one.after_1 != NO_HIT
    arms_0 = arms_now(contact, 0, x, y, parts, bodies)
    arms_1 = arms_now(contact, 1, x, y, parts, bodies) if hits_1 else arms_0
    response_00 = response(arms_0, arms_0, x, y, bodies[a], bodies[b])
    response_11 = response(arms_1, arms_1, x, y, bodies[a], bodies[b])
    if response_00 <= 0.0 or response_11 <= 0.0:
        return  # locked axes: nothing can move along the normal
    response_01 = response(arms_0, arms_1, x, y, bodies[a], bodies[b])
    wanted_0 = one.after_0 if is_after else one.mean_0
    wanted_1 = one.after_1 if is_after else one.mean_1
    lack_0 = wanted_0 - relative_speed(arms_0, x, y, velocities[a], velocities[b])
    lack_1 = wanted_1 - relative_speed(arms_1, x, y, velocities[a], velocities[b])
    change_0, change_1 = share_impulses(
        hits_0,
        hits_1,
        one.normal_0,
        one.normal_1,
        lack_0,
        lack_1,
        response_00,
        response_11,
        response_01,
    )
    one.normal_0 += change_0
    one.normal_1 += change_1
    contact.total_normal_0 += change_0
    contact.total_normal_1 += change_1
    push(x * change_0, y * change_0, a, b, arms_0, bodies, velocities)
    push(x * change_1, y * change_1, a, b, arms_1, bodies, velocities)


@inner
def share_impulses(
    hits_0: bool,
    hits_1: bool,
    old_0: float,
    old_1: float,
    lack_0: float,
    lack_1: float,
    response_00: float,
    response_11: float,
    response_01: float,
) -> tuple[float, float]:
    """Changes of two normal impulses (N s) that give both points the speeds which they lack.

    The impulses as a whole only push: where one would have to pull, it becomes 0 and the other
    serves its point alone (the linear complementarity problem of two points, case by case).
    """
    if not hits_1:
        return max(lack_0 / response_00, -old_0), 0.0
    if not hits_0:
        return 0.0, max(lack_1 / response_11, -old_1)
    determinant = response_00 * response_11 - response_01 * response_01
    if determinant > 1e-6 * response_00 * response_11:
        change_0 = (response_11 * lack_0 - response_01 * lack_1) / determinant
        change_1 = (response_00 * lack_1 - response_01 * lack_0) / determinant
        if old_0 + change_0 >= 0.0 and old_1 + change_1 >= 0.0:
            return change_0, change_1
    alone_0 = (lack_0 + response_01 * old_1) / response_00  # with the other taken back
    alone_1 = (lack_1 + response_01 * old_0) / response_11
    if alone_0 >= alone_1:
        return max(alone_0, -old_0), -old_1
    return -old_0, max(alone_1, -old_1)


@inner
def rub_points(
    contact: Record,
    bodies: Table,
    parts: Table,
    velocities: Table,
    one: Record,
) -> None:
    """Apply the friction that the normal impulses of a hit allow.

    Only after all of them: one corner's impulse alone would make a flat box seem to slide.
    """
    x = one.normal_x
    y = one.normal_y
    if one.after_0 != NO_HIT:
        arms = arms_now(contact, 0, x, y, parts, bodies)
        change = rub(contact, y, -x, one.normal_0, one.tangent_0, arms, bodies, velocities)
        one.tangent_0 += change
        contact.total_tangent_0 += change
    if one.after_1 != NO_HIT:
        arms = arms_now(contact, 1, x, y, parts, bodies)
        change = rub(contact, y, -x, one.normal_1, one.tangent_1, arms, bodies, velocities)
        one.tangent_1 += change
        contact.total_tangent_1 += change


@inner
def rub(
    contact: Record,
    x: float,
    y: float,
    normal: float,
    old: float,
    arms: tuple[float, ...],
    bodies: Table,
    velocities: Table,
) -> float:
    """Apply along (x, y) the friction that a normal impulse (N s) allows; returns its change."""
    a = contact.body_a
    b = contact.body_b
    sliding = relative_speed(arms, x, y, velocities[a], velocities[b])
    yielding = response(arms, arms, x, y, bodies[a], bodies[b])
    if yielding <= 0.0:
        return 0.0
    limit = contact.friction * normal
    wanted = old + (contact.surface_speed - sliding) / yielding
    change = min(max(wanted, -limit), limit) - old
    push(x * change, y * change, a, b, arms, bodies, velocities)
    return change


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
