"""Which contacts with one-way bodies are solved: those in which the other comes from above.

"Above" is where the stopping side of the one-way body faces.
"""

import math
from typing import Final

from numba import types

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.compile import (
    Integers32,
    Record,
    Table,
    inner,
    integer,
    integers32,
    kernel,
    table,
)
from ecs_physics.kernels.contact_states import (
    DISABLED,
    DROPPING,
    PASSING,
    REFUSED,
    SOLVED,
    UNDECIDED,
)
from ecs_physics.tables import BODY, CONTACT, TRAITS, VELOCITY

FACING: Final = 0.5
"""Cosine of the angle up to which a normal may lean and still be from above. Larger: balls fall
through at the ends. Smaller: what comes from the side is stopped at the corners."""

CATCH_SPEED: Final = 0.1
"""m/s. Up to which something that parts within LINEAR_SLOP is caught: what slides from one platform
to the next is already as deep as it rests. Larger: what still rises is held."""


@kernel(integer(integer, table(TRAITS), table(CONTACT), integers32))
def list_one_way_rows(count: int, traits: Table, contacts: Table, rows_out: Integers32) -> int:
    """Write those of the first `count` rows that have a one-way body; return how many."""
    found = 0
    for row in range(count):
        contact = contacts[row]
        is_one_way = traits[contact.body_a].is_one_way or traits[contact.body_b].is_one_way
        if is_one_way and not contact.is_sensor:
            rows_out[found] = row
            found += 1
    return found


@kernel(
    types.void(integer, integers32, table(BODY), table(VELOCITY), table(TRAITS), table(CONTACT))
)
def judge_one_way(
    count: int, rows: Integers32, bodies: Table, velocities: Table, traits: Table, contacts: Table
) -> None:
    """Set `disabled` of `count` rows anew, from the points that they have now.

    With a gap, the side counts on which the other is. Within each other, what was solved stays so,
    and what passes goes on, but for what is nearly above and does not rise.
    """
    for k in range(count):
        contact = contacts[rows[k]]
        if contact.is_asleep or contact.disabled >= REFUSED:
            continue
        if contact.count == 0:
            contact.disabled = UNDECIDED
            continue
        separation = contact.separation_0
        if contact.count > 1:
            separation = min(separation, contact.separation_1)
        is_above = least_facing(contact, bodies, traits) >= FACING
        if contact.disabled == DROPPING:
            if separation < -LINEAR_SLOP:
                contact.disabled = PASSING
        elif separation > 0.0:
            contact.disabled = SOLVED if is_above else PASSING
        elif contact.disabled == PASSING or contact.disabled == UNDECIDED:
            is_caught = (
                is_above
                and separation > -LINEAR_SLOP
                and parting_speed(contact, velocities) <= CATCH_SPEED
            )
            contact.disabled = SOLVED if is_caught else PASSING


@inner
def least_facing(contact: Record, bodies: Table, traits: Table) -> float:
    """Cosine between a contact's normal and where the one-way body faces; of two, the smaller."""
    least = 1.0
    for side in range(2):
        row = contact.body_a if side == 0 else contact.body_b
        if not traits[row].is_one_way:
            continue
        cos = math.cos(bodies[row].angle)
        sin = math.sin(bodies[row].angle)
        x = cos * traits[row].one_way_x - sin * traits[row].one_way_y
        y = sin * traits[row].one_way_x + cos * traits[row].one_way_y
        along = contact.normal_x * x + contact.normal_y * y
        least = min(least, along if side == 0 else -along)
    return least


@inner
def parting_speed(contact: Record, velocities: Table) -> float:
    """m/s at which two bodies part at point 0, along the normal."""
    a = velocities[contact.body_a]
    b = velocities[contact.body_b]
    x = (b.x - b.omega * contact.anchor_by_0) - (a.x - a.omega * contact.anchor_ay_0)
    y = (b.y + b.omega * contact.anchor_bx_0) - (a.y + a.omega * contact.anchor_ax_0)
    return x * contact.normal_x + y * contact.normal_y


@kernel(types.void(integer, table(CONTACT)))
def clear_disabled(count: int, contacts: Table) -> None:
    """Let the first `count` rows be solved again that were disabled for one step."""
    for row in range(count):
        if contacts[row].disabled == DISABLED:
            contacts[row].disabled = SOLVED


@kernel(integer(integer, integers32, table(CONTACT)))
def keep_solved(count: int, active_out: Integers32, contacts: Table) -> int:
    """Take out of the active rows those that are not to be solved; they have no points then.

    Returns how many are left, in the same order.
    """
    kept = 0
    for k in range(count):
        row = active_out[k]
        if contacts[row].disabled == SOLVED:
            active_out[kept] = row
            kept += 1
        else:
            contacts[row].count = 0
    return kept
