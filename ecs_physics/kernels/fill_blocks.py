"""What the solver needs of the contacts, put into their blocks: eight contacts at once.

Block by block, so that all but what hangs on single parts is done with lanes (lanes.py).
"""

from typing import Final

import numpy as np

from ecs_physics.constants import CONTACT_DAMPING_RATIO, STATIC_CONTACT_FACTOR
from ecs_physics.kernels.blocks import (
    ARM_AX,
    ARM_AY,
    ARM_BX,
    ARM_BY,
    BIAS_RATE,
    FAR_CIRCLES,
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
    NEAREST_CIRCLES,
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
    WIDE_SLIDE,
    softness,
)
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    Table,
    at,
    inlined,
    integer,
    integers32,
    integers32_2,
    integers32_3,
    kernel,
    real,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.lane_rows import gather_integers, gather_reals, gather_rows
from ecs_physics.kernels.lanes import Lanes, maximum, minimum, splat, store, where_positive
from ecs_physics.kernels.manifold_lanes import HALF_0, RADIUS
from ecs_physics.kernels.solver_bodies import (
    EXTENT,
    INVERSE_INERTIA,
    INVERSE_MASS_X,
    INVERSE_MASS_Y,
    MOVES,
)
from ecs_physics.tables import CONTACT, column_of

# Sides of `rows`: solver bodies A and B, the row of the contact table, and parts A and B.
A: Final = 0
B: Final = 1
ROW: Final = 2
CORE_A: Final = 3
CORE_B: Final = 4
SIDES: Final = 5

# From these columns of the contact table on, four are read at once.
_SEPARATIONS: Final = column_of(CONTACT, "separation_0")  # two of them, and two approach speeds
_NORMAL: Final = column_of(CONTACT, "normal_x")  # and of the surfaces
_IMPULSES: Final = column_of(CONTACT, "normal_impulse_0")  # two of each kind
_COUNT: Final = 2 * column_of(CONTACT, "count")
_ANCHORS_A: Final = column_of(CONTACT, "anchor_ax_0")  # x of both points, then y
_ANCHORS_B: Final = column_of(CONTACT, "anchor_bx_0")

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_WIDE_SLIDE = np.float32(WIDE_SLIDE)
_FAR_CIRCLES = np.float32(FAR_CIRCLES)
_NEAREST_CIRCLES = np.float32(NEAREST_CIRCLES)
_TINIEST = np.float32(1.2e-38)


@kernel(
    integer(
        integer,
        integers32,
        integers32_2,
        real,
        real,
        integer,
        table(CONTACT),
        reals32_2,
        reals32_2,
        integers32_3,
        reals32_3,
    )
)
def fill_blocks(
    block_count: int,
    active: Integers32,
    lanes: Integers32,
    h: float,
    contact_hertz: float,
    nobody: int,
    contacts: Table,
    lane_parts: Reals32,
    masses: Reals32,
    rows_out: Integers32,
    blocks_out: Reals32,
) -> int:
    """Fill the lanes of all blocks, and return how many of their contacts may bounce.

    Args:
        block_count: of `lanes` and what is filled.
        active: rows of the contact table.
        lanes: (blocks, LANES), which of `active` each lane holds, -1 for none; lane 0 holds one.
        h: s, the substep.
        contact_hertz: Hz, of the spring of a contact between two bodies that give way.
        nobody: solver body of empty lanes.
        contacts: the contact table.
        lane_parts: of all parts; see manifold_lanes.py.
        masses: of the solver bodies; see solver_bodies.py.
        rows_out: (blocks, SIDES, LANES), which solver bodies and which row of the contact table.
        blocks_out: (blocks, FIELDS, LANES).
    """
    soft = softness(contact_hertz, CONTACT_DAMPING_RATIO, h)
    hard = softness(STATIC_CONTACT_FACTOR * contact_hertz, CONTACT_DAMPING_RATIO, h)
    bouncy = 0
    for block in range(block_count):
        bouncy += name_rows(block, active, lanes, nobody, contacts, rows_out, blocks_out)
        a = gather_rows(masses, rows_out, block, A)
        b = gather_rows(masses, rows_out, block, B)
        fill_bodies(block, a, b, soft, hard, blocks_out)
        separations = gather_reals(contacts, rows_out, block, ROW, _SEPARATIONS)
        normal = gather_reals(contacts, rows_out, block, ROW, _NORMAL)
        impulses = gather_reals(contacts, rows_out, block, ROW, _IMPULSES)
        store(blocks_out, block, NORMAL_X, normal[0])
        store(blocks_out, block, NORMAL_Y, normal[1])
        store(blocks_out, block, FRICTION, normal[2])
        store(blocks_out, block, SURFACE_SPEED, normal[3])
        share_b = fill_circles(block, a, b, separations[0], lane_parts, rows_out, blocks_out)
        arms_a = gather_reals(contacts, rows_out, block, ROW, _ANCHORS_A)
        arms_b = gather_reals(contacts, rows_out, block, ROW, _ANCHORS_B)
        has_point = splat(_ONE)
        for point in range(2):
            start = POINT_0 if point == 0 else POINT_1
            if point == 1 and blocks_out[block, FLAGS, TWO_POINTS] == _ZERO:
                leave_out(start, block, blocks_out)
                continue
            if point == 1:
                count = gather_integers(contacts, rows_out, block, ROW, _COUNT)
                has_point = where_positive(count - splat(_ONE), splat(_ONE), splat(_ZERO))
            store(blocks_out, block, start + SEPARATION, separations[point])
            store(blocks_out, block, start + NORMAL_IMPULSE, has_point * impulses[point])
            store(blocks_out, block, start + TANGENT_IMPULSE, has_point * impulses[2 + point])
            arms = (arms_a[point], arms_a[2 + point], arms_b[point], arms_b[2 + point])
            off_middle = (share_b - splat(_HALF)) * separations[point]
            fill_point(start, block, normal, arms, off_middle, has_point, a, b, blocks_out)
    return bouncy


@inlined
def name_rows(
    block: int,
    active: Integers32,
    lanes: Integers32,
    nobody: int,
    contacts: Table,
    rows_out: Integers32,
    blocks_out: Reals32,
) -> int:
    """Write which bodies, parts and contact each lane is of, and what the whole block has.

    An empty lane has the contact of the first one: between nobody it changes nothing. Returns how
    many contacts may bounce.
    """
    bouncy = 0
    are_double = False
    are_rolling = False
    first = active[at(lanes[at(block), 0])]
    for lane in range(LANES):
        k = lanes[at(block), lane]
        row = active[at(k)] if k >= 0 else first
        contact = contacts[at(row)]
        rows_out[at(block), A, lane] = contact.body_a if k >= 0 else nobody
        rows_out[at(block), B, lane] = contact.body_b if k >= 0 else nobody
        rows_out[at(block), ROW, lane] = row
        rows_out[at(block), CORE_A, lane] = contact.part_a
        rows_out[at(block), CORE_B, lane] = contact.part_b
        are_double = are_double | (contact.count > 1)
        rolls = (contact.rolling_resistance > 0.0) | (contact.rolling_impulse != 0.0)
        are_rolling = are_rolling | rolls
        bouncy += 1 if (contact.restitution > 0.0) & (k >= 0) else 0
    blocks_out[at(block), FLAGS, TWO_POINTS] = _ONE if are_double else _ZERO
    blocks_out[at(block), FLAGS, ROLLING] = _ONE if are_rolling else _ZERO
    store(blocks_out, block, ROLLING_RESISTANCE, splat(_ZERO))
    store(blocks_out, block, ROLLING_IMPULSE, splat(_ZERO))
    if are_rolling:
        for lane in range(LANES):
            if lanes[block, lane] >= 0:
                contact = contacts[at(rows_out[block, ROW, lane])]
                blocks_out[block, ROLLING_RESISTANCE, lane] = contact.rolling_resistance
                blocks_out[block, ROLLING_IMPULSE, lane] = contact.rolling_impulse
    return bouncy


@inlined
def leave_out(start: int, block: int, blocks_out: Reals32) -> None:
    """Leave masses and impulses of points that no contact of a block has at 0."""
    store(blocks_out, block, start + NORMAL_MASS, splat(_ZERO))
    store(blocks_out, block, start + TANGENT_MASS, splat(_ZERO))
    store(blocks_out, block, start + NORMAL_IMPULSE, splat(_ZERO))
    store(blocks_out, block, start + TANGENT_IMPULSE, splat(_ZERO))
    store(blocks_out, block, start + TOTAL_NORMAL, splat(_ZERO))
    store(blocks_out, block, start + TOTAL_TANGENT, splat(_ZERO))


@inlined
def fill_bodies(
    block: int,
    a: tuple[Lanes, ...],
    b: tuple[Lanes, ...],
    soft: tuple[float, float, float],
    hard: tuple[float, float, float],
    blocks_out: Reals32,
) -> None:
    """Masses, and what hangs on whether both bodies give way."""
    store(blocks_out, block, MASS_AX, a[INVERSE_MASS_X])
    store(blocks_out, block, MASS_AY, a[INVERSE_MASS_Y])
    store(blocks_out, block, INERTIA_A, a[INVERSE_INERTIA])
    store(blocks_out, block, MASS_BX, b[INVERSE_MASS_X])
    store(blocks_out, block, MASS_BY, b[INVERSE_MASS_Y])
    store(blocks_out, block, INERTIA_B, b[INVERSE_INERTIA])
    store(blocks_out, block, ROLLING_MASS, inverse_of(a[INVERSE_INERTIA] + b[INVERSE_INERTIA]))
    both_move = a[MOVES] * b[MOVES]
    for k in range(3):
        field = BIAS_RATE if k == 0 else MASS_SCALE if k == 1 else IMPULSE_SCALE
        chosen = where_positive(both_move, splat(soft[k]), splat(hard[k]))
        store(blocks_out, block, field, chosen)
    store(blocks_out, block, REACH, splat(_WIDE_SLIDE) * minimum(a[EXTENT], b[EXTENT]))


@inlined
def fill_circles(
    block: int,
    a: tuple[Lanes, ...],
    b: tuple[Lanes, ...],
    separation: Lanes,
    lane_parts: Reals32,
    rows: Integers32,
    blocks_out: Reals32,
) -> Lanes:
    """Radii, and what hangs on which parts are circles.

    That is by what a sideways motion turns the normal, 1/m: of two circles that are near, by one by
    their distance. Of two that are far apart it is the normal that they will meet with (flight.py),
    and of other parts it does not turn so. And it is the share of B, which is returned; see
    blocks.share_of_b.
    """
    zero, half, one = splat(_ZERO), splat(_HALF), splat(_ONE)
    part_a = gather_rows(lane_parts, rows, block, CORE_A)
    part_b = gather_rows(lane_parts, rows, block, CORE_B)
    round_a = where_positive(part_a[HALF_0], zero, one)
    round_b = where_positive(part_b[HALF_0], zero, one)
    radius_a = part_a[RADIUS]
    radii = radius_a + part_b[RADIUS]
    store(blocks_out, block, RADIUS_A, radius_a)
    store(blocks_out, block, RADIUS_B, part_b[RADIUS])
    distance = radii + separation
    is_far = maximum(
        splat(_NEAREST_CIRCLES) * radii - distance, separation - splat(_FAR_CIRCLES) * radii
    )
    is_near = where_positive(-is_far, round_a * round_b, zero)
    per_distance = where_positive(is_near, one / maximum(distance, splat(_TINIEST)), zero)
    store(blocks_out, block, PER_DISTANCE, per_distance)
    of_circles = radius_a / maximum(radii, splat(_TINIEST))
    share = where_positive(round_a * round_b, of_circles, half * ((one - round_a) + round_b))
    share = where_positive(a[MOVES], where_positive(b[MOVES], share, zero), one)
    store(blocks_out, block, SHARE_B, share)
    return share


@inlined
def fill_point(
    start: int,
    block: int,
    normal: tuple[Lanes, ...],
    arms: tuple[Lanes, Lanes, Lanes, Lanes],
    off_middle: Lanes,
    has_point: Lanes,
    a: tuple[Lanes, ...],
    b: tuple[Lanes, ...],
    blocks_out: Reals32,
) -> None:
    """Arms and effective masses of the points that begin at the field `start`.

    The inverse effective mass of a direction d is d^2 / m of both, plus (r x d)^2 / I of both.
    `off_middle` (m) is how far from the middle of the gap impulses act, along the normal.
    """
    x = normal[0]
    y = normal[1]
    mass_x = a[INVERSE_MASS_X] + b[INVERSE_MASS_X]
    mass_y = a[INVERSE_MASS_Y] + b[INVERSE_MASS_Y]
    ax = arms[0] + off_middle * x
    ay = arms[1] + off_middle * y
    bx = arms[2] + off_middle * x
    by = arms[3] + off_middle * y
    across_a = ax * y - ay * x
    across_b = bx * y - by * x
    turning = (a[INVERSE_INERTIA] * across_a) * across_a + (
        b[INVERSE_INERTIA] * across_b
    ) * across_b
    along_normal = ((x * x) * mass_x + (y * y) * mass_y) + turning
    along_a = ax * x + ay * y
    along_b = bx * x + by * y
    turning = (a[INVERSE_INERTIA] * along_a) * along_a + (b[INVERSE_INERTIA] * along_b) * along_b
    along_tangent = ((y * y) * mass_x + (x * x) * mass_y) + turning
    store(blocks_out, block, start + ARM_AX, ax)
    store(blocks_out, block, start + ARM_AY, ay)
    store(blocks_out, block, start + ARM_BX, bx)
    store(blocks_out, block, start + ARM_BY, by)
    store(blocks_out, block, start + NORMAL_MASS, has_point * inverse_of(along_normal))
    store(blocks_out, block, start + TANGENT_MASS, has_point * inverse_of(along_tangent))
    store(blocks_out, block, start + TOTAL_NORMAL, splat(_ZERO))
    store(blocks_out, block, start + TOTAL_TANGENT, splat(_ZERO))


@inlined
def inverse_of(inverse_mass: Lanes) -> Lanes:
    """One by it, and 0 where that is 0: what cannot be moved."""
    zero = splat(_ZERO)
    return where_positive(inverse_mass, splat(_ONE) / maximum(inverse_mass, splat(_TINIEST)), zero)
