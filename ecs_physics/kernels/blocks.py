"""Contacts coloured and cut into blocks of eight, as the solver reads them.

Contacts of one colour share no dynamic body, so that eight of them can be solved at once and
in any order. A block holds eight contacts of one colour, lane by lane: `blocks[block, field,
lane]`, float32. Contacts that find no colour go into the last one, alone in a block each, and are
solved one after the other. Lanes without a contact are of nobody, who has no mass. What is in the
fields comes from fill_blocks.py.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    Integers32,
    Record,
    Table,
    at,
    inlined,
    integer,
    integers32,
    integers32_2,
    kernel,
)
from ecs_physics.tables import DYNAMIC

FAR_CIRCLES: Final = 0.25
"""Ratio. Gap of two circles by their radii up to which their normal follows as they pass. Larger:
it gets wrong, for it turns by small steps. Smaller: oblique hits of slow ones turn them."""

NEAREST_CIRCLES: Final = 0.25
"""Ratio of the distance of two circles' centres to their radii, from which on it does. Smaller: it
turns by big steps where one is inside the other."""

LANES = 8

WIDE_SLIDE = 0.2
"""Ratio to the smaller body's extent: how far a contact's point is followed sideways in a substep.
More: what slides faster is pushed far off its middle, with an effective mass that is no longer its
own, and gains energy. Less: impulses on what slides act at a point that is left behind."""

COLORS = 24
"""The last one is for contacts that found none. More: blocks with more empty lanes."""

POINTS = 3
"""Column of what is kept of the active contacts: how many points each has."""

FIRST_AT_REST = 12
"""The first colour of contacts with what is not dynamic. They are solved last: what cannot give way
has the last word, and piles are stiffer. Less: they come in the middle of the others."""

ALL_BUT_LAST = 2 ** (COLORS - 1) - 1
BEFORE_REST = 2**FIRST_AT_REST - 1
"""Sets of colours, a bit for each."""

WORD = 2**32 - 1
DE_BRUIJN = 0x077CB531
NUMBERS = np.zeros(32, np.int32)
NUMBERS[[(DE_BRUIJN << number & WORD) >> 27 for number in range(32)]] = np.arange(32)
"""Every five bits of this word occur in it once: they tell the place at which they begin."""

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
        taken = 0 if a >= 0 and b >= 0 else BEFORE_REST
        if a >= 0:
            taken |= np.int64(used[at(a)])
        if b >= 0:
            taken |= np.int64(used[at(b)])
        free = ~taken & ALL_BUT_LAST
        bit = free & -free  # the lowest; 0 where none is free
        if a >= 0:
            used[at(a)] |= np.uint32(bit)
        if b >= 0:
            used[at(b)] |= np.uint32(bit)
        color = number_of(bit) if bit != 0 else last
        colors_out[k] = color
        counts[color] += 1
    block = 0
    for color in range(COLORS):
        count = counts[color]
        starts_out[color] = block
        block += count if color == last else (count + LANES - 1) // LANES
    starts_out[COLORS] = block
    return block


@inlined
def number_of(bit: int) -> Any:
    """Which bit it is, 0 to 31, without a loop: the processor cannot foresee how long one runs.

    C. E. Leiserson, H. Prokop and K. H. Randall, "Using de Bruijn Sequences to Index a 1 in a
    Computer Word", 1998: the product has the sequence from that place on in its upper bits.
    """
    return NUMBERS[(bit * DE_BRUIJN & WORD) >> 27]


@kernel(
    types.void(
        integer,
        integers32_2,
        integers32,
        integers32,
        integers32_2,
        integers32_2,
    )
)
def fill_lanes(
    active_count: int,
    pairs: Integers32,
    colors: Integers32,
    starts: Integers32,
    lanes_taken: Integers32,
    lanes_out: Integers32,
) -> None:
    """Give the active contacts the lanes of their colours' blocks; -1 in empty lanes.

    Of each colour those with two points come first, so that few blocks have both kinds: one in
    which no contact has a second point is spared half of the work. Else they keep their order; in
    the last colour, where it counts, all do.

    Args:
        active_count: of `pairs` and `colors`.
        pairs: (`active_count` or more, 4), the last column is how many points a contact has.
        colors: as `color_contacts` has given them.
        starts: the first block of each colour, and the number of blocks.
        lanes_taken: scratch, (2, COLORS).
        lanes_out: (blocks or more, LANES).
    """
    block_count = starts[COLORS]
    lanes_out[:block_count, :] = -1
    lanes_taken[:] = 0
    last = COLORS - 1
    for k in range(active_count):
        lanes_taken[1, colors[k]] += 1 if pairs[k, POINTS] > 1 else 0
    for k in range(active_count):
        color = colors[k]
        is_behind = 1 if pairs[k, POINTS] < 2 and color < last else 0
        place = lanes_taken[is_behind, color]
        lanes_taken[is_behind, color] += 1
        place = LANES * starts[color] + (LANES * place if color == last else place)
        lanes_out[place // LANES, place % LANES] = k


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
