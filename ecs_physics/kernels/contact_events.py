"""Which bodies touch: what has changed since the last step.

A row of the contact table touches from the first step in which a point of it gets an impulse or
overlaps, and until one in which none does and all points are more than LINEAR_SLOP apart: a
resting contact does not flicker. Two bodies touch as long as any row of them does. PAIR is the
table of those, without gaps and ascending by its two entities, so that equal worlds tell equal
events in equal order.

A hit is a point that got an impulse and whose gap closed fast enough right before.
"""

import math
from typing import Final

import numpy as np
from numba import types

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Record,
    Table,
    at,
    inlined,
    inner,
    integer,
    integers,
    integers2,
    integers32,
    kernel,
    real,
    table,
)
from ecs_physics.kernels.contact_order import LISTED, list_by_entities, older, younger
from ecs_physics.kernels.impacts import normal_pull
from ecs_physics.tables import BODY, CONTACT, DYNAMIC, FORCE, SLEEPING

PAIR: Final = np.dtype(
    [
        ("entity_a", "i8"),  # the smaller one
        ("entity_b", "i8"),
        ("rows", "i8"),  # of the contact table that touch
    ],
    align=True,
)
"""Two bodies that touch."""

BEYOND: Final = 2**62
"""More than any entity."""

ENDS: Final = np.dtype([("entity_a", "i8"), ("entity_b", "i8")], align=True)
"""What `Events.contact_end` shows."""

BEGINS: Final = np.dtype(
    [
        ("entity_a", "i8"),
        ("entity_b", "i8"),
        ("x", "f8"),  # m
        ("y", "f8"),
        ("normal_x", "f8"),  # unit vector from A to B
        ("normal_y", "f8"),
    ],
    align=True,
)
"""What `Events.contact_begin` shows."""

HITS: Final = np.dtype(
    [
        ("entity_a", "i8"),
        ("entity_b", "i8"),
        ("x", "f8"),  # m, of the fastest point
        ("y", "f8"),
        ("normal_x", "f8"),  # unit vector from A to B
        ("normal_y", "f8"),
        ("speed", "f8"),  # m/s
        ("impulse", "f8"),  # N s, of all points of the pair that hit, over the whole step
    ],
    align=True,
)
"""What `Events.hits` shows."""

WORTH_A_LOOK = 0.5
"""Ratio of the speed of a hit, from which on at the step's beginning it is worked out what a
point had when it met. Lower: more looks. Higher: what falls a long way in one step is missed."""


@kernel(integer(integer, real, table(CONTACT), integers32, integers32, integers))
def find_changes(
    rows: int,
    hit_speed: float,
    contacts: Table,
    changed_out: Integers32,
    hitting_out: Integers32,
    counts_out: Integers,
) -> int:
    """List the rows that touch now and did not, those that did and do not, and those that may hit.

    Rows of sensors are left alone, and those of what sleeps stay as they are.

    Args:
        rows: of `contacts` that are in use.
        hit_speed: m/s, of the slowest hit.
        contacts: after the substeps of a step.
        changed_out: (`rows` or more,) the rows whose touching has changed, ascending.
        hitting_out: (`rows` or more,) those for `write_hits` to look at, ascending.
        counts_out: (2 or more,) how many of the rows did touch; how many are in `hitting_out`.

    Returns the number of rows in `changed_out`.
    """
    look_speed = WORTH_A_LOOK * hit_speed
    looked_at = 0
    touching = 0
    for row in range(rows):  # without branches: which rows touch, the processor cannot foresee
        contact = contacts[at(row)]
        hitting_out[at(looked_at)] = row
        looked_at += 1 if is_worth_a_look(contact, look_speed) else 0
        touching += 1 if contact.is_touching & (not contact.is_sensor) else 0
    changed = 0
    hitting = 0
    for k in range(looked_at):
        row = hitting_out[k]
        contact = contacts[row]
        slop = LINEAR_SLOP if contact.is_touching else 0.0
        changed_out[at(changed)] = row
        changed += 1 if contact.is_touching != touches(contact, slop) else 0
        hitting_out[at(hitting)] = row
        hitting += 1 if is_met(contact, look_speed) else 0
    counts_out[0] = touching
    counts_out[1] = hitting
    return changed


@inlined
def is_worth_a_look(contact: Record, speed: float) -> bool:
    """Whether a contact may begin, end or hit now.

    Not one that touches as before, slower than `speed` (m/s), as most do, nor one that has no
    points and had none; and those of sensors and of what sleeps are left alone.
    """
    is_quiet = (
        contact.is_touching
        & (contact.disabled == 0)
        & (contact.count > 0)
        & (contact.separation_0 <= LINEAR_SLOP)
        & (contact.approach_0 < speed)
        & (contact.approach_1 < speed)
    )
    is_idle = (not contact.is_touching) & (contact.count == 0)
    is_left_alone = contact.is_sensor | (contact.is_touching & contact.is_asleep)
    return not (is_quiet | is_idle | is_left_alone)


@inlined
def is_met(contact: Record, speed: float) -> bool:
    """Whether a point got an impulse, and came closer with at least `speed` (m/s) before."""
    first = (contact.approach_0 >= speed) & (contact.total_normal_0 > 0.0)
    second = (contact.approach_1 >= speed) & (contact.total_normal_1 > 0.0)
    is_any = first | (second & (contact.count > 1))
    return bool(is_any & (contact.count > 0) & (contact.disabled == 0))


@inlined
def touches(contact: Record, slop: float) -> bool:
    """Whether a point got an impulse in this step, or was at most `slop` (m) apart before it."""
    first = (contact.separation_0 <= slop) | (contact.total_normal_0 > 0.0)
    second = (contact.separation_1 <= slop) | (contact.total_normal_1 > 0.0)
    is_any = first | (second & (contact.count > 1))
    return bool(is_any & (contact.count > 0) & (contact.disabled == 0))


@kernel(types.void(integer, integers2, integer, table(PAIR)))
def take_off(lost_count: int, lost: Integers, pair_count: int, pairs: Table) -> None:
    """Take lost rows, given the entities of each, off the count of their pairs."""
    for k in range(lost_count):
        place = place_of(lost[k, 0], lost[k, 1], pair_count, pairs)
        if place < pair_count and is_of(pairs[place], lost[k, 0], lost[k, 1]):
            pairs[place].rows -= 1


@kernel(types.void(integer, table(CONTACT), integer, table(PAIR)))
def recount(rows: int, contacts: Table, pair_count: int, pairs: Table) -> None:
    """Count the rows of each pair anew: some have gone from the contact table since."""
    for k in range(pair_count):
        pairs[k].rows = 0
    for row in range(rows):
        contact = contacts[row]
        if contact.is_touching and not contact.is_sensor:
            place = place_of(older(contact), younger(contact), pair_count, pairs)
            if place < pair_count and is_of(pairs[place], older(contact), younger(contact)):
                pairs[place].rows += 1


@kernel(
    types.void(
        integer,
        integers32,
        table(CONTACT),
        integer,
        table(PAIR),
        table(LISTED),
        table(PAIR),
        integers32,
        table(ENDS),
        integers,
    )
)
def merge_changes(
    changed_count: int,
    changed: Integers32,
    contacts: Table,
    pair_count: int,
    pairs: Table,
    listed_out: Table,
    pairs_out: Table,
    begun_out: Integers32,
    ended_out: Table,
    counts_out: Integers,
) -> None:
    """Turn the rows that `find_changes` has found, and bring the pairs in step with them.

    Args:
        changed_count: of `changed`.
        changed: rows of `contacts`, in any order.
        contacts: their `is_touching` is turned.
        pair_count: of `pairs`.
        pairs: as they were; those of no rows have ended.
        listed_out: (`changed_count` or more,) the changed ones in order.
        pairs_out: (`pair_count + changed_count` or more,) as they are.
        begun_out: (`changed_count` or more,) a row of each pair that is new.
        ended_out: (`pair_count` or more,) the pairs that are no more.
        counts_out: (4,) how many are in `pairs_out`, `begun_out` and `ended_out`; how many rows
            touch.
    """
    list_by_entities(changed_count, changed, contacts, listed_out)
    kept = begun = ended = touching = 0
    old = 0
    k = 0
    while old < pair_count or k < changed_count:
        entity_a = entity_b = BEYOND
        if k < changed_count:
            entity_a = listed_out[k].entity_a
            entity_b = listed_out[k].entity_b
        while old < pair_count and is_before(pairs[old], entity_a, entity_b):
            rows = pairs[old].rows
            if rows > 0:
                set_pair(pairs[old].entity_a, pairs[old].entity_b, rows, pairs_out[kept])
                kept += 1
                touching += rows
            else:
                set_end(pairs[old].entity_a, pairs[old].entity_b, ended_out[ended])
                ended += 1
            old += 1
        was = old < pair_count and is_of(pairs[old], entity_a, entity_b)
        rows = pairs[old].rows if was else 0
        first = -1
        while k < changed_count and is_of(listed_out[k], entity_a, entity_b):
            contact = contacts[listed_out[k].row]
            contact.is_touching = not contact.is_touching
            rows += 1 if contact.is_touching else -1
            if contact.is_touching and first < 0:
                first = listed_out[k].row
            k += 1
        if rows > 0:
            set_pair(entity_a, entity_b, rows, pairs_out[kept])
            kept += 1
            touching += rows
            if not was:
                begun_out[begun] = first
                begun += 1
        elif was:
            set_end(entity_a, entity_b, ended_out[ended])
            ended += 1
        old += 1 if was else 0
    counts_out[0] = kept
    counts_out[1] = begun
    counts_out[2] = ended
    counts_out[3] = touching


@kernel(types.void(integer, integers32, table(CONTACT), table(BODY), table(BEGINS)))
def write_begins(
    count: int, rows: Integers32, contacts: Table, bodies: Table, begins_out: Table
) -> None:
    """Say of the contacts in `rows` whose they are, where and along which normal."""
    for k in range(count):
        contact = contacts[rows[k]]
        one = begins_out[k]
        one.entity_a = older(contact)
        one.entity_b = younger(contact)
        one.x, one.y, one.normal_x, one.normal_y = place(contact, stronger_point(contact), bodies)


@kernel(
    integer(
        integer,
        integers32,
        real,
        real,
        table(CONTACT),
        table(BODY),
        table(FORCE),
        table(LISTED),
        table(HITS),
    )
)
def write_hits(
    count: int,
    rows: Integers32,
    hit_speed: float,
    h: float,
    contacts: Table,
    bodies: Table,
    forces: Table,
    listed_out: Table,
    hits_out: Table,
) -> int:
    """Work out at which speed contacts were met, and say which of them are hits.

    Contacts of the same two bodies become one hit: that of the fastest point, with the impulses
    of all.

    Args:
        count: of `rows`.
        rows: of `contacts`, in any order.
        hit_speed: m/s, of the slowest hit.
        h: s, the substep.
        contacts: after the substeps of a step.
        bodies: after the step.
        forces: of the step.
        listed_out: (`count` or more,) the rows in order.
        hits_out: (`count` or more,) the hits, in order.

    Returns their number.
    """
    list_by_entities(count, rows, contacts, listed_out)
    hits = 0
    for k in range(count):
        contact = contacts[listed_out[k].row]
        pull = -normal_pull(
            contact.normal_x, contact.normal_y, contact.body_a, contact.body_b, bodies, forces
        )
        point = 0
        speed = 0.0
        if contact.total_normal_0 > 0.0:
            speed = meeting_speed(contact.separation_0, contact.approach_0, pull, h)
        if contact.count > 1 and contact.total_normal_1 > 0.0:
            speed_1 = meeting_speed(contact.separation_1, contact.approach_1, pull, h)
            if speed_1 > speed:
                point = 1
                speed = speed_1
        if speed < hit_speed:
            continue
        impulse = contact.total_normal_0 + (contact.total_normal_1 if contact.count > 1 else 0.0)
        is_same = (
            hits > 0
            and hits_out[hits - 1].entity_a == older(contact)
            and hits_out[hits - 1].entity_b == younger(contact)
        )
        if not is_same:
            hits += 1
            hits_out[hits - 1].entity_a = older(contact)
            hits_out[hits - 1].entity_b = younger(contact)
            hits_out[hits - 1].speed = 0.0
            hits_out[hits - 1].impulse = 0.0
        one = hits_out[hits - 1]
        one.impulse += impulse
        if speed > one.speed:
            one.speed = speed
            one.x, one.y, one.normal_x, one.normal_y = place(contact, point, bodies)
    return hits


@inlined
def meeting_speed(gap: float, approach: float, pull: float, h: float) -> float:
    """How fast (m/s) a gap (m) closes at its end, given how fast it does now.

    `pull` (m/s^2) closes it as well. Steps of h follow a parabola that starts half a kick faster;
    see kernels/impacts.py.
    """
    if gap <= 0.0:
        return approach
    start = approach + 0.5 * pull * h
    return math.sqrt(max(start * start + 2.0 * pull * gap, 0.0))


@inner
def place(contact: Record, point: int, bodies: Table) -> tuple[float, float, float, float]:
    """Where a point is (m), and the normal from the older entity to the younger.

    The point is carried along with what it was found on: with both bodies half, or with the one
    that is not dynamic, if there is one.
    """
    a = bodies[contact.body_a]
    b = bodies[contact.body_b]
    if point == 0:
        ax, ay = contact.anchor_ax_0, contact.anchor_ay_0
        bx, by = contact.anchor_bx_0, contact.anchor_by_0
        half_gap = 0.5 * contact.separation_0
    else:
        ax, ay = contact.anchor_ax_1, contact.anchor_ay_1
        bx, by = contact.anchor_bx_1, contact.anchor_by_1
        half_gap = 0.5 * contact.separation_1
    share_b = 0.5
    if a.kind != DYNAMIC and a.kind != SLEEPING:
        share_b = 0.0
    elif b.kind != DYNAMIC and b.kind != SLEEPING:
        share_b = 1.0
    out = half_gap * (2.0 * share_b - 1.0)  # from half-way between the surfaces to the one's own
    sign = 1.0 if contact.entity_a < contact.entity_b else -1.0
    return (
        (1.0 - share_b) * (a.x + ax) + share_b * (b.x + bx) + out * contact.normal_x,
        (1.0 - share_b) * (a.y + ay) + share_b * (b.y + by) + out * contact.normal_y,
        sign * contact.normal_x,
        sign * contact.normal_y,
    )


@inner
def stronger_point(contact: Record) -> int:
    """The point with the greater impulse; of equal ones the deeper."""
    if contact.count < 2 or contact.total_normal_1 < contact.total_normal_0:
        return 0
    if contact.total_normal_1 > contact.total_normal_0:
        return 1
    return 1 if contact.separation_1 < contact.separation_0 else 0


@inner
def place_of(entity_a: int, entity_b: int, pair_count: int, pairs: Table) -> int:
    """Where a pair is in the ascending table, or would have to be."""
    low = 0
    high = pair_count
    while low < high:
        middle = (low + high) // 2
        if is_before(pairs[middle], entity_a, entity_b):
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def is_before(pair: Record, entity_a: int, entity_b: int) -> bool:
    """Whether a pair comes before that of two entities."""
    return pair.entity_a < entity_a or (pair.entity_a == entity_a and pair.entity_b < entity_b)


@inlined
def is_of(pair: Record, entity_a: int, entity_b: int) -> bool:
    """Whether a pair, or a listed contact, is that of two entities."""
    return pair.entity_a == entity_a and pair.entity_b == entity_b


@inlined
def set_pair(entity_a: int, entity_b: int, rows: int, pair_out: Record) -> None:
    """Write a pair."""
    pair_out.entity_a = entity_a
    pair_out.entity_b = entity_b
    pair_out.rows = rows


@inlined
def set_end(entity_a: int, entity_b: int, end_out: Record) -> None:
    """Write a pair that has ended."""
    end_out.entity_a = entity_a
    end_out.entity_b = entity_b
