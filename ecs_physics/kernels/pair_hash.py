"""Which contact belongs to two parts: contacts persist by pair, found through a hash table.

A pair is always (part_a, part_b) with part_a < part_b. Contacts lie without gaps in rows 0 to
`contact_count`; one that goes is replaced by the last. The hash table is open addressed: a pair
lies in its home slot or in the next free one after it, and a removal moves later ones back, so
that there are no dead slots and the table never needs cleaning.

Arrays, all owned by the caller:

- `keys`: (H,) int64, the pair as `part_a << 32 | part_b`, EMPTY in a free slot. H is a power of
  two, at least twice the number of contacts that there may be. A new one is filled with EMPTY.
- `rows`: (H,) int32, the row of the pair's contact; undefined where the slot is free.
- `contacts`: (C,) CONTACT; rows from `contact_count` on are undefined.
- `pairs`: (N, 2) int32, C-contiguous, from `hash_grid.find_pairs`.
- `parts`: (P,) PART, `bodies`: (B,) BODY, `traits`: (B,) TRAITS, read only.
- `gone`: (P,) bool, by row of `parts`.

The order of the contacts depends on the sequence of these calls alone, not on H.
"""

from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    boolean,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    table,
)
from ecs_physics.kernels.contact_states import UNDECIDED
from ecs_physics.tables import BODY, CONTACT, PART, TRAITS

EMPTY: Final = -1
"""Key of a slot that is free."""

Table = NDArray[Any]
Keys = NDArray[np.int64]
Integers = NDArray[np.int32]


@kernel(
    integer(
        integers32_2,
        integer,
        integers,
        integers32,
        table(BODY),
        table(TRAITS),
        table(PART),
        table(CONTACT),
        integer,
    )
)
def add_pairs(
    pairs: Integers,
    n: int,
    keys: Keys,
    rows: Integers,
    bodies: Table,
    traits: Table,
    parts: Table,
    contacts: Table,
    contact_count: int,
) -> int:
    """Append a contact without points for each of the first `n` pairs that has none yet.

    Parts, bodies and entities are filled in, and `disabled`; features become -1, every other
    field 0. Returns the new number of contacts. The caller sees to it beforehand that `contacts`
    has room for `contact_count + n` rows and `keys` twice as many slots.
    """
    for k in range(n):
        part_a = np.int64(pairs[k, 0])
        part_b = np.int64(pairs[k, 1])
        key = _key_of(part_a, part_b)
        slot = _slot_of(key, keys)
        if keys[slot] == key:
            continue
        keys[slot] = key
        rows[slot] = contact_count
        _clear(contact_count, contacts)
        body_a = parts[part_a].body
        body_b = parts[part_b].body
        contacts[contact_count].part_a = part_a
        contacts[contact_count].part_b = part_b
        contacts[contact_count].body_a = body_a
        contacts[contact_count].body_b = body_b
        contacts[contact_count].is_sensor = traits[body_a].is_sensor or traits[body_b].is_sensor
        if traits[body_a].is_one_way or traits[body_b].is_one_way:
            contacts[contact_count].disabled = UNDECIDED
        contacts[contact_count].entity_a = bodies[body_a].entity
        contacts[contact_count].entity_b = bodies[body_b].entity
        contact_count += 1
    return contact_count


@kernel(integer(table(PART), integers, integers32, table(CONTACT), integer))
def drop_pairs(
    parts: Table, keys: Keys, rows: Integers, contacts: Table, contact_count: int
) -> int:
    """Remove the contacts whose fat boxes are apart, or of which a part has left its body.

    Boxes that touch are not apart. Returns the new number of contacts. A row of `parts` that was
    freed and given to the same row of `bodies` again is not noticed: use `drop_parts_of` for
    bodies that were removed, or that got another shape or kind.
    """
    row = 0
    while row < contact_count:
        a = contacts[row].part_a
        b = contacts[row].part_b
        if (
            parts[a].body == contacts[row].body_a
            and parts[b].body == contacts[row].body_b
            and parts[a].fat_lower_x <= parts[b].fat_upper_x
            and parts[b].fat_lower_x <= parts[a].fat_upper_x
            and parts[a].fat_lower_y <= parts[b].fat_upper_y
            and parts[b].fat_lower_y <= parts[a].fat_upper_y
        ):
            row += 1
        else:
            contact_count = _drop(row, keys, rows, contacts, contact_count)
    return contact_count


@kernel(
    integer(
        boolean[::1], integers, integers32, table(CONTACT), integer, types.int64[:, ::1], integers
    )
)
def drop_parts_of(
    gone: NDArray[np.bool_],
    keys: Keys,
    rows: Integers,
    contacts: Table,
    contact_count: int,
    lost_out: NDArray[np.int64],
    lost_count_out: NDArray[np.int64],
) -> int:
    """Remove the contacts of all parts that are `gone`; return the new number of contacts.

    For bodies that are removed or get another shape or kind, any number of them in one pass.
    `lost_out` (`lost_count_out[0] + contact_count` or more, 2) takes the entities of those that
    touched, older first, behind what it has; `lost_count_out` (1,) how many it then has.
    """
    lost = lost_count_out[0]
    row = 0
    while row < contact_count:
        contact = contacts[row]
        if gone[contact.part_a] or gone[contact.part_b]:
            if contact.is_touching:
                lost_out[lost, 0] = min(contact.entity_a, contact.entity_b)
                lost_out[lost, 1] = max(contact.entity_a, contact.entity_b)
                lost += 1
            contact_count = _drop(row, keys, rows, contacts, contact_count)
        else:
            row += 1
    lost_count_out[0] = lost
    return contact_count


@kernel(types.void(integers, integers32, table(CONTACT), integer))
def rehash(keys: Keys, rows: Integers, contacts: Table, contact_count: int) -> None:
    """Fill a hash table, a new and larger one say, from the contacts alone.

    What `keys` and `rows` held before does not matter.
    """
    for slot in range(keys.shape[0]):
        keys[slot] = EMPTY
    for row in range(contact_count):
        key = _key_of(np.int64(contacts[row].part_a), np.int64(contacts[row].part_b))
        slot = _slot_of(key, keys)
        keys[slot] = key
        rows[slot] = row


@inner
def _key_of(part_a: np.int64, part_b: np.int64) -> np.int64:
    return (part_a << 32) | part_b


@inner
def _home_of(key: np.int64, slot_count: int) -> np.int64:
    """The slot where a pair belongs."""
    mixed = ((key >> 32) * 73856093) ^ ((key & 0xFFFFFFFF) * 19349663)
    return (mixed ^ (mixed >> 17)) & (slot_count - 1)


@inner
def _slot_of(key: np.int64, keys: Keys) -> np.int64:
    """The slot that holds the key, or else the free one where it has to go."""
    slot_count = keys.shape[0]
    slot = _home_of(key, slot_count)
    while keys[slot] not in (key, EMPTY):
        slot = (slot + 1) & (slot_count - 1)
    return slot


@inner
def _free_slot(slot: np.int64, keys: Keys, rows: Integers) -> None:
    """Empty a slot; move back what would be cut off from its home by the gap."""
    slot_count = keys.shape[0]
    mask = slot_count - 1
    gap = slot
    slot = (slot + 1) & mask
    while keys[slot] != EMPTY:
        home = _home_of(keys[slot], slot_count)
        if ((slot - home) & mask) >= ((slot - gap) & mask):  # home lies not after the gap
            keys[gap] = keys[slot]
            rows[gap] = rows[slot]
            gap = slot
        slot = (slot + 1) & mask
    keys[gap] = EMPTY


@inner
def _drop(row: int, keys: Keys, rows: Integers, contacts: Table, contact_count: int) -> int:
    """Remove one contact: the last one takes its row. Returns the new number of contacts."""
    key = _key_of(np.int64(contacts[row].part_a), np.int64(contacts[row].part_b))
    _free_slot(_slot_of(key, keys), keys, rows)
    last = contact_count - 1
    if row != last:
        contacts[row] = contacts[last]
        key = _key_of(np.int64(contacts[row].part_a), np.int64(contacts[row].part_b))
        rows[_slot_of(key, keys)] = row
    return last


@inner
def _clear(row: int, contacts: Table) -> None:
    """Set a contact to what it is before the narrow phase has seen it."""
    contacts[row].count = 0
    contacts[row].feature_0 = -1
    contacts[row].feature_1 = -1
    contacts[row].is_sensor = False
    contacts[row].is_touching = False
    contacts[row].is_asleep = False
    contacts[row].disabled = 0
    contacts[row].normal_x = 0.0
    contacts[row].normal_y = 0.0
    contacts[row].friction = 0.0
    contacts[row].restitution = 0.0
    contacts[row].rolling_resistance = 0.0
    contacts[row].surface_speed = 0.0
    contacts[row].anchor_ax_0 = 0.0
    contacts[row].anchor_ax_1 = 0.0
    contacts[row].anchor_ay_0 = 0.0
    contacts[row].anchor_ay_1 = 0.0
    contacts[row].anchor_bx_0 = 0.0
    contacts[row].anchor_bx_1 = 0.0
    contacts[row].anchor_by_0 = 0.0
    contacts[row].anchor_by_1 = 0.0
    contacts[row].separation_0 = 0.0
    contacts[row].separation_1 = 0.0
    contacts[row].approach_0 = 0.0
    contacts[row].approach_1 = 0.0
    contacts[row].normal_impulse_0 = 0.0
    contacts[row].normal_impulse_1 = 0.0
    contacts[row].tangent_impulse_0 = 0.0
    contacts[row].tangent_impulse_1 = 0.0
    contacts[row].total_normal_0 = 0.0
    contacts[row].total_normal_1 = 0.0
    contacts[row].total_tangent_0 = 0.0
    contacts[row].total_tangent_1 = 0.0
    contacts[row].rolling_impulse = 0.0
