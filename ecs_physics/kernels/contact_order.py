"""Contacts in the order of their bodies: equal worlds tell equal events in equal order."""

from typing import Final

import numpy as np

from ecs_physics.kernels.compile import Integers32, Record, Table, inlined, inner

LISTED: Final = np.dtype(
    [
        ("entity_a", "i8"),  # the one that was created first
        ("entity_b", "i8"),
        ("row", "i8"),  # of the contact table
    ],
    align=True,
)
"""A contact in a list that is sorted by the entities of its bodies."""


@inner
def list_by_entities(count: int, rows: Integers32, contacts: Table, listed_out: Table) -> None:
    """List some contacts ascending by their two entities, older first, and by their rows.

    A Shell sort: in place, and fast for the few that change in a step.
    """
    for k in range(count):
        contact = contacts[rows[k]]
        set_listed(older(contact), younger(contact), rows[k], listed_out[k])
    gap = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, count):
            entity_a = listed_out[k].entity_a
            entity_b = listed_out[k].entity_b
            row = listed_out[k].row
            place = k
            while place >= gap and comes_after(listed_out[place - gap], entity_a, entity_b, row):
                listed_out[place] = listed_out[place - gap]
                place -= gap
            set_listed(entity_a, entity_b, row, listed_out[place])
        gap //= 3


@inlined
def comes_after(listed: Record, entity_a: int, entity_b: int, row: int) -> bool:
    """Whether a listed contact comes after that of two entities in `row`."""
    if listed.entity_a != entity_a:
        return bool(listed.entity_a > entity_a)
    if listed.entity_b != entity_b:
        return bool(listed.entity_b > entity_b)
    return bool(listed.row > row)


@inlined
def set_listed(entity_a: int, entity_b: int, row: int, listed_out: Record) -> None:
    """Write a listed contact."""
    listed_out.entity_a = entity_a
    listed_out.entity_b = entity_b
    listed_out.row = row


@inlined
def older(contact: Record) -> int:
    """The entity of a contact that was created first."""
    return min(contact.entity_a, contact.entity_b)


@inlined
def younger(contact: Record) -> int:
    """The other one."""
    return max(contact.entity_a, contact.entity_b)
