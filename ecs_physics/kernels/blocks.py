"""Contacts coloured and cut into blocks of eight, as the solver reads them.

Contacts of one colour share no dynamic body, so that eight of them can be solved at once and
in any order. A block holds eight contacts of one colour, lane by lane: `blocks[block, field,
lane]`, float32. Contacts that find no colour go into the last one, alone in a block each, and are
solved one after the other. Lanes without a contact hold zeros and point at the row of no body.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.constants import (
    CONTACT_DAMPING_RATIO,
    STATIC_CONTACT_FACTOR,
)
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    integer,
    integers32,
    integers32_2,
    integers32_3,
    kernel,
    real,
    reals32,
    table,
)
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, PART, STATIC

FAR_CIRCLES: Final = 0.25
"""Ratio. Gap of two circles by their radii up to which their normal follows as they pass. Larger:
it gets wrong, for it turns by small steps. Smaller: oblique hits of slow ones turn them."""

LANES = 8

WIDE_SLIDE = 0.2
"""Ratio to the smaller body's extent: how far a contact's point is followed sideways in a substep.
More: what slides faster is pushed far off its middle, with an effective mass that is no longer its
own, and gains energy. Less: impulses on what slides act at a point that is left behind."""

COLORS = 24
"""The last one is for contacts that found none. More: blocks with more empty lanes."""

FIRST_AT_REST = 12
"""The first colour of contacts with what is not dynamic. They are solved last: what cannot give way
has the last word, and piles are stiffer. Less: they come in the middle of the others."""

# Fields of a block that both points share.
NORMAL_X = 0
NORMAL_Y = 1
FRICTION = 2
SURFACE_SPEED = 3
MASS_AX = 4  # inverse masses, 1/kg, and inertias
MASS_AY = 5
INERTIA_A = 6
MASS_BX = 7
MASS_BY = 8
INERTIA_B = 9
BIAS_RATE = 10  # 1/s, how fast overlap is pushed out
MASS_SCALE = 11
IMPULSE_SCALE = 12
RADIUS_A = 13  # m, rounding: the surface that far from the core does not turn with the body
RADIUS_B = 14
PER_DISTANCE = 15  # 1/m, one by the distance of two circles' centres, else 0
SHARE_B = 16  # whose motion the contact point follows: 0 is A's, 1 is B's
ROLLING_RESISTANCE = 17  # m
ROLLING_MASS = 18  # kg m^2
ROLLING_IMPULSE = 19  # N m s
FLAGS = 20  # of the whole block, 0 or 1: what its contacts have, in the lanes named below
REACH = 21  # m, how far a point may move sideways in a substep and still be followed
# Fields of each point, from POINT_0 and POINT_1 on.
POINT_0 = 22
POINT_1 = POINT_0 + 11
ARM_AX = 0  # m, from the centre of mass of A to where impulses act; both are kept up to date
ARM_AY = 1
ARM_BX = 2
ARM_BY = 3
SEPARATION = 4  # m
NORMAL_MASS = 5  # kg, effective
TANGENT_MASS = 6
NORMAL_IMPULSE = 7  # N s
TANGENT_IMPULSE = 8
TOTAL_NORMAL = 9  # N s, summed over the substeps
TOTAL_TANGENT = 10
FIELDS = POINT_1 + 11
# Lanes of FLAGS: where no contact of a block has it, the work for it is left out.
TWO_POINTS = 0
ROLLING = 1


@kernel(integer(integer, integers32_2, types.uint32[::1], integers32, integers32))
def color_contacts(
    active_count: int,
    pairs: Integers32,
    used: NDArray[np.uint32],
    colors_out: Integers32,
    starts_out: Integers32,
) -> int:
    """Give each active contact a colour: the first that its dynamic bodies have not used.

    `pairs[k]`, (`active_count` or more, 2 or more), are the dynamic bodies of contact k, -1 for
    others. `used` is scratch, a bit for each colour and body. `starts_out[c]` becomes the first
    block of colour c, `starts_out[COLORS]` the number of blocks, which is returned.
    """
    used[:] = 0
    counts = starts_out
    counts[:] = 0
    last = COLORS - 1
    for k in range(active_count):
        a = pairs[k, 0]
        b = pairs[k, 1]
        a_moves = a >= 0
        b_moves = b >= 0
        taken = np.uint32(0)
        if a_moves:
            taken |= used[at(a)]
        if b_moves:
            taken |= used[at(b)]
        color = 0 if a_moves and b_moves else FIRST_AT_REST
        while color < last and (taken >> np.uint32(color)) & np.uint32(1):
            color += 1
        if color < last:
            bit = np.uint32(np.uint32(1) << np.uint32(color))
            if a_moves:
                used[at(a)] |= bit
            if b_moves:
                used[at(b)] |= bit
        colors_out[k] = color
        counts[color] += 1
    block = 0
    for color in range(COLORS):
        count = counts[color]
        starts_out[color] = block
        block += count if color == last else (count + LANES - 1) // LANES
    starts_out[COLORS] = block
    return block


@kernel(
    types.void(integer, integers32, integers32, integers32, integers32, integers32_2, integers32)
)
def fill_lanes(
    active_count: int,
    active: Integers32,
    colors: Integers32,
    starts: Integers32,
    lanes_taken: Integers32,
    lanes_out: Integers32,
    places_out: Integers32,
) -> None:
    """Put the contacts into the lanes of their colours' blocks, in order; -1 in empty lanes.

    `places_out[k]` becomes the place of active contact k, LANES times its block plus its lane.
    """
    block_count = starts[COLORS]
    lanes_out[:block_count, :] = -1
    lanes_taken[:] = 0
    last = COLORS - 1
    for k in range(active_count):
        color = colors[k]
        place = lanes_taken[color]
        lanes_taken[color] += 1
        place = LANES * starts[color] + (LANES * place if color == last else place)
        lanes_out[place // LANES, place % LANES] = active[k]
        places_out[k] = place


@inlined
def softness(hertz: float, damping_ratio: float, h: float) -> tuple[float, float, float]:
    """Bias rate (1/s), mass scale and impulse scale of a soft constraint solved every h seconds.

    Erin Catto (2011), "Soft Constraints: Reinventing the Spring", with h omega zeta written so
    that no division by the mass remains.
    """
    omega = 2.0 * math.pi * hertz
    a = 2.0 * damping_ratio + h * omega
    b = h * omega * a
    return omega / a, b / (1.0 + b), 1.0 / (1.0 + b)


@kernel(
    integer(
        integer,
        integers32,
        integers32,
        real,
        real,
        integer,
        table(BODY),
        table(PART),
        table(CONTACT),
        integers32,
        integers32_3,
        reals32,
    )
)
def fill_blocks(
    active_count: int,
    active: Integers32,
    places: Integers32,
    h: float,
    contact_hertz: float,
    nobody: int,
    bodies: Table,
    parts: Table,
    contacts: Table,
    bouncy_out: Integers32,
    rows_out: Integers32,
    flat_out: Reals32,
) -> int:
    """Write what the solver needs of each contact into its lane; list the contacts that may bounce.

    `flat_out` are the blocks as one row of numbers (see `place_of_lane`).
    `rows_out[block, side, lane]` is the solver body of side A (0) or B (1). In the order of the
    contacts: they are read from far memory, and the few blocks that are being filled are near.
    Returns the number of rows in `bouncy_out`.
    """
    bouncy = 0
    soft = softness(contact_hertz, CONTACT_DAMPING_RATIO, h)
    hard = softness(STATIC_CONTACT_FACTOR * contact_hertz, CONTACT_DAMPING_RATIO, h)
    for k in range(active_count):
        contact = contacts[at(active[k])]
        block = places[k] // LANES
        lane = places[k] % LANES
        place = place_of_lane(block, lane)
        a = contact.body_a
        b = contact.body_b
        rows_out[block, 0, lane] = nobody if bodies[at(a)].kind == STATIC else a
        rows_out[block, 1, lane] = nobody if bodies[at(b)].kind == STATIC else b
        is_pair = bodies[at(a)].kind == DYNAMIC and bodies[at(b)].kind == DYNAMIC
        spring = soft if is_pair else hard
        put(flat_out, place, BIAS_RATE, spring[0])
        put(flat_out, place, MASS_SCALE, spring[1])
        put(flat_out, place, IMPULSE_SCALE, spring[2])
        put(flat_out, place, RADIUS_A, parts[at(contact.part_a)].radius)
        put(flat_out, place, RADIUS_B, parts[at(contact.part_b)].radius)
        per_distance = one_by_distance(contact, parts)
        put(flat_out, place, PER_DISTANCE, per_distance)
        reach = WIDE_SLIDE * smaller_extent(bodies[at(a)], bodies[at(b)])
        put(flat_out, place, REACH, reach)
        share_b = share_of_b(contact, bodies, parts)
        put(flat_out, place, SHARE_B, share_b)
        fill_lane(contact, bodies[at(a)], bodies[at(b)], share_b - 0.5, place, lane, flat_out)
        if contact.restitution > 0.0:
            bouncy_out[bouncy] = active[k]
            bouncy += 1
    return bouncy


@kernel(types.void(integer, integer, integers32_2, integers32_3, reals32))
def empty_lanes(
    block_count: int, nobody: int, lanes: Integers32, rows_out: Integers32, flat_out: Reals32
) -> None:
    """Make the lanes without a contact such that solving them changes nothing."""
    for block in range(block_count):
        for lane in range(LANES):
            if lanes[block, lane] < 0:
                rows_out[block, 0, lane] = nobody
                rows_out[block, 1, lane] = nobody
                empty_lane(place_of_lane(block, lane), flat_out)


@inlined
def place_of_lane(block: int, lane: int) -> Any:
    """Where a lane's fields begin in the row of numbers that all blocks make.

    With three indices the compiler keeps a distance for each of the fields, far more than there are
    registers; and it makes ready for negative ones, unless they are unsigned.
    """
    return np.uint64(block * (FIELDS * LANES) + lane)


@inlined
def put(flat_out: Reals32, at: Any, field: int, value: float) -> None:
    """Write one field of the lane that begins at `at`."""
    flat_out[at + np.uint64(LANES * field)] = np.float32(value)


@inlined
def taken(flat: Reals32, at: Any, field: int) -> Any:
    """Read one field of the lane that begins at `at`."""
    return flat[at + np.uint64(LANES * field)]


@inlined
def empty_lane(at: Any, flat_out: Reals32) -> None:
    """Without masses and impulses nothing moves, whatever the other fields are left from."""
    for field in range(MASS_AX, INERTIA_B + 1):
        put(flat_out, at, field, 0.0)
    for field in range(ROLLING_MASS, ROLLING_IMPULSE + 1):
        put(flat_out, at, field, 0.0)
    empty_point(POINT_0, at, flat_out)
    empty_point(POINT_1, at, flat_out)


@inlined
def empty_point(start: int, at: Any, flat_out: Reals32) -> None:
    """The same for a point that a contact does not have."""
    for field in range(NORMAL_MASS, TOTAL_TANGENT + 1):
        put(flat_out, at, start + field, 0.0)


@inlined
def share_of_b(contact: Record, bodies: Table, parts: Table) -> float:
    """Whose motion the point follows at which impulses act: 0 is A's, 1 is B's.

    Both bodies get an impulse at one point, or angular momentum would not be kept. Of two circles
    that is the point between the centres, and a circle on anything else touches right below its
    centre: off it, the normal impulse would brake its rolling. Against what is not dynamic only
    the other counts.
    """
    if bodies[at(contact.body_a)].kind != DYNAMIC:
        return 1.0
    if bodies[at(contact.body_b)].kind != DYNAMIC:
        return 0.0
    part_a = parts[at(contact.part_a)]
    part_b = parts[at(contact.part_b)]
    if part_a.count == 1 and part_b.count == 1:
        return part_a.radius / (part_a.radius + part_b.radius)
    if part_b.count == 1:
        return 1.0
    return 0.0 if part_a.count == 1 else 0.5


@inlined
def smaller_extent(body_a: Record, body_b: Record) -> float:
    """The extent (m) of the smaller body, of those that move."""
    if body_a.kind != DYNAMIC:
        return float(body_b.extent)
    if body_b.kind != DYNAMIC:
        return float(body_a.extent)
    return float(min(body_a.extent, body_b.extent))


@inlined
def one_by_distance(contact: Record, parts: Table) -> float:
    """1/m: by what a sideways motion turns the normal of two circles; 0 for other parts.

    0 also for circles far apart: theirs is the normal that they will meet with (see flight.py).
    """
    part_a = parts[at(contact.part_a)]
    part_b = parts[at(contact.part_b)]
    if part_a.count > 1 or part_b.count > 1:
        return 0.0
    radii = part_a.radius + part_b.radius
    distance = radii + contact.separation_0
    is_near = distance > 0.25 * radii and contact.separation_0 < FAR_CIRCLES * radii
    return 1.0 / distance if is_near else 0.0


@inlined
def fill_lane(
    contact: Record,
    body_a: Record,
    body_b: Record,
    off_middle: float,
    at: Any,
    lane: int,
    flat_out: Reals32,
) -> None:
    """One contact's fields, but for its softness.

    `off_middle` is where in the gap impulses act: 0 in its middle, 0.5 at B's surface.
    """
    first = at - np.uint64(lane)
    if lane == 0:  # the first lane of a block is filled first
        put(flat_out, first + np.uint64(TWO_POINTS), FLAGS, 0.0)
        put(flat_out, first + np.uint64(ROLLING), FLAGS, 0.0)
    if contact.count > 1:
        put(flat_out, first + np.uint64(TWO_POINTS), FLAGS, 1.0)
    if contact.rolling_resistance > 0.0 or contact.rolling_impulse != 0.0:
        put(flat_out, first + np.uint64(ROLLING), FLAGS, 1.0)
    put(flat_out, at, NORMAL_X, contact.normal_x)
    put(flat_out, at, NORMAL_Y, contact.normal_y)
    put(flat_out, at, FRICTION, contact.friction)
    put(flat_out, at, SURFACE_SPEED, contact.surface_speed)
    put(flat_out, at, MASS_AX, body_a.inverse_mass_x)
    put(flat_out, at, MASS_AY, body_a.inverse_mass_y)
    put(flat_out, at, INERTIA_A, body_a.inverse_inertia)
    put(flat_out, at, MASS_BX, body_b.inverse_mass_x)
    put(flat_out, at, MASS_BY, body_b.inverse_mass_y)
    put(flat_out, at, INERTIA_B, body_b.inverse_inertia)
    rolling = body_a.inverse_inertia + body_b.inverse_inertia
    put(flat_out, at, ROLLING_RESISTANCE, contact.rolling_resistance)
    put(flat_out, at, ROLLING_MASS, 1.0 / rolling if rolling > 0.0 else 0.0)
    put(flat_out, at, ROLLING_IMPULSE, contact.rolling_impulse)
    fill_point(
        POINT_0,
        contact.anchor_ax_0,
        contact.anchor_ay_0,
        contact.anchor_bx_0,
        contact.anchor_by_0,
        contact.separation_0,
        contact.normal_impulse_0,
        contact.tangent_impulse_0,
        off_middle,
        contact,
        body_a,
        body_b,
        at,
        flat_out,
    )
    if contact.count > 1:
        fill_point(
            POINT_1,
            contact.anchor_ax_1,
            contact.anchor_ay_1,
            contact.anchor_bx_1,
            contact.anchor_by_1,
            contact.separation_1,
            contact.normal_impulse_1,
            contact.tangent_impulse_1,
            off_middle,
            contact,
            body_a,
            body_b,
            at,
            flat_out,
        )
    else:
        empty_point(POINT_1, at, flat_out)


@inlined
def fill_point(
    start: int,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    separation: float,
    impulse: float,
    tangent_impulse: float,
    off_middle: float,
    contact: Record,
    body_a: Record,
    body_b: Record,
    at: Any,
    flat_out: Reals32,
) -> None:
    """One point's fields, which begin at `start`; it is given as CONTACT has it.

    The inverse effective mass of a direction d is d^2 / m of both, plus (r x d)^2 / I of both.
    """
    x = contact.normal_x
    y = contact.normal_y
    mass_x = body_a.inverse_mass_x + body_b.inverse_mass_x
    mass_y = body_a.inverse_mass_y + body_b.inverse_mass_y
    away_x = off_middle * separation * x  # from the middle of the gap to where the shares say
    away_y = off_middle * separation * y
    ax += away_x
    ay += away_y
    bx += away_x
    by += away_y
    arm_a = ax * y - ay * x
    arm_b = bx * y - by * x
    normal = x * x * mass_x + y * y * mass_y
    normal += body_a.inverse_inertia * arm_a * arm_a
    normal += body_b.inverse_inertia * arm_b * arm_b
    arm_a = -ax * x - ay * y
    arm_b = -bx * x - by * y
    tangent = y * y * mass_x + x * x * mass_y
    tangent += body_a.inverse_inertia * arm_a * arm_a
    tangent += body_b.inverse_inertia * arm_b * arm_b
    put(flat_out, at, start + ARM_AX, ax)
    put(flat_out, at, start + ARM_AY, ay)
    put(flat_out, at, start + ARM_BX, bx)
    put(flat_out, at, start + ARM_BY, by)
    put(flat_out, at, start + SEPARATION, separation)
    put(flat_out, at, start + NORMAL_MASS, 1.0 / normal if normal > 0.0 else 0.0)
    put(flat_out, at, start + TANGENT_MASS, 1.0 / tangent if tangent > 0.0 else 0.0)
    put(flat_out, at, start + NORMAL_IMPULSE, impulse)
    put(flat_out, at, start + TANGENT_IMPULSE, tangent_impulse)
    put(flat_out, at, start + TOTAL_NORMAL, 0.0)
    put(flat_out, at, start + TOTAL_TANGENT, 0.0)


@kernel(types.void(integer, integers32, integers32, reals32, table(CONTACT)))
def store_impulses(
    active_count: int,
    active: Integers32,
    places: Integers32,
    flat: Reals32,
    contacts_out: Table,
) -> None:
    """Write the impulses back to the contacts, to start the next step from and to be read."""
    for k in range(active_count):
        contact = contacts_out[active[k]]
        at = place_of_lane(places[k] // LANES, places[k] % LANES)
        contact.normal_impulse_0 = taken(flat, at, POINT_0 + NORMAL_IMPULSE)
        contact.normal_impulse_1 = taken(flat, at, POINT_1 + NORMAL_IMPULSE)
        contact.tangent_impulse_0 = taken(flat, at, POINT_0 + TANGENT_IMPULSE)
        contact.tangent_impulse_1 = taken(flat, at, POINT_1 + TANGENT_IMPULSE)
        contact.total_normal_0 += taken(flat, at, POINT_0 + TOTAL_NORMAL)
        contact.total_normal_1 += taken(flat, at, POINT_1 + TOTAL_NORMAL)
        contact.total_tangent_0 += taken(flat, at, POINT_0 + TOTAL_TANGENT)
        contact.total_tangent_1 += taken(flat, at, POINT_1 + TOTAL_TANGENT)
        contact.rolling_impulse = taken(flat, at, ROLLING_IMPULSE)
