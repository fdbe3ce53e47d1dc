"""Which contact belongs to two parts: contacts persist by pair, found through a hash table.

A pair is always (part_a, part_b) with part_a < part_b. Contacts lie without gaps in rows 0 to
`contact_count`; one whose part goes is replaced by the last, and now and then all are put in the
order of their parts, so that who goes through them reads the bodies in order too. The hash table
is open addressed: a pair lies in its home slot or in the next free one after it, and a removal
moves later ones back, so that there are no dead slots and the table never needs cleaning.

Arrays, all owned by the caller:

- `keys`: (H,) int64, the pair as `part_a << 32 | part_b`, EMPTY in a free slot. H is a power of
  two, at least twice the number of contacts that there may be. A new one is filled with EMPTY.
- `rows`: (H,) int32, the row of the pair's contact; undefined where the slot is free.
- `contacts`: (C,) CONTACT; rows from `contact_count` on are undefined.
- `pairs`: (N, 2) int32, C-contiguous, from `hash_grid.find_pairs`.
- `parts`: (P,) PART, `bodies`: (B,) BODY, `traits`: (B,) TRAITS, read only.
- `searched`: (P, 4) float32, the fat boxes of the parts; see hash_grid.py.
- `gone`: (P,) bool, by row of `parts`.
- `starts`: (P,) int32, `listed` and `listed_again`: (N,) LISTED, scratch for sorting.

The order of the contacts depends on the sequence of these calls alone, not on H.
"""

from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.compile import (
    Reals32,
    at,
    boolean,
    inner,
    integer,
    integers,
    integers2,
    integers32,
    integers32_2,
    kernel,
    reals32_2,
    table,
)
from ecs_physics.kernels.contact_states import UNDECIDED
from ecs_physics.tables import BODY, CONTACT, PART, TRAITS

EMPTY: Final = -1
"""Key of a slot that is free."""

LISTED: Final = np.dtype([("part_a", "i4"), ("part_b", "i4"), ("row", "i4")], align=True)
"""A contact's parts and its row or its slot, where contacts are put in order."""

Table = NDArray[Any]
Keys = NDArray[np.int64]
Integers = NDArray[np.int32]


@kernel(
    integer(
        integer,
        integers32_2,
        integer,
        integers32,
        table(LISTED),
        table(LISTED),
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
    part_rows: int,
    pairs: Integers,
    n: int,
    starts: Integers,
    listed: Table,
    listed_again: Table,
    keys: Keys,
    rows: Integers,
    bodies: Table,
    traits: Table,
    parts: Table,
    contacts: Table,
    contact_count: int,
) -> int:
    """Append a contact without points for each of the first `n` pairs that has none yet.

    Those of one call are in ascending order of their parts. Parts, bodies and entities are filled
    in, and `disabled`; features become -1, every other field 0. Returns the new number of contacts.
    The caller sees to it beforehand that `contacts` and the lists have room for `contact_count + n`
    rows and `keys` twice as many slots. Scratch: see `drop_pairs`.
    """
    count = 0
    for k in range(n):
        key = _key_of(np.int64(pairs[k, 0]), np.int64(pairs[k, 1]))
        slot = _slot_of(key, keys)
        if keys[slot] != key:
            keys[slot] = key
            listed[count].part_a = pairs[k, 0]
            listed[count].part_b = pairs[k, 1]
            listed[count].row = slot
            count += 1
    if count == 0:
        return contact_count
    _sort_by_part(False, part_rows, count, listed, starts, listed_again)
    _sort_by_part(True, part_rows, count, listed_again, starts, listed)
    for k in range(count):
        rows[listed[k].row] = contact_count
        _clear(contact_count, contacts)
        part_a = listed[k].part_a
        part_b = listed[k].part_b
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


@kernel(
    integer(
        integer,
        table(PART),
        reals32_2,
        integers32,
        table(LISTED),
        table(LISTED),
        integers,
        integers32,
        table(CONTACT),
        integer,
        table(CONTACT),
    )
)
def drop_pairs(
    part_rows: int,
    parts: Table,
    searched: Reals32,
    starts: Integers,
    listed: Table,
    listed_again: Table,
    keys: Keys,
    rows: Integers,
    contacts: Table,
    contact_count: int,
    contacts_out: Table,
) -> int:
    """Copy the contacts that stay, ascending by their parts, and leave out those that have parted.

    Out are those whose fat boxes are apart (boxes that touch are not), and those of which a part
    has left its body. A row of `parts` that was freed and given to the same row of `bodies` again
    is not noticed: use `drop_parts_of` for bodies that were removed, or that got another shape or
    kind. In this order, whoever goes through the contacts goes through the bodies in order as
    well, and finds most of them in near memory.

    Args:
        part_rows: rows of `parts` in use.
        parts: as they are now.
        searched: (`part_rows` or more, 4), m, their fat boxes; see hash_grid.py.
        starts: (`part_rows` or more,) scratch.
        listed: (`contact_count` or more,) scratch.
        listed_again: (`contact_count` or more,) scratch.
        keys: of the hash table, which is filled anew.
        rows: of the hash table.
        contacts: as they were.
        contact_count: how many there were.
        contacts_out: (`contact_count` or more,) as they are now.

    Returns the number of contacts in `contacts_out`.
    """
    count = _list_kept(parts, searched, contacts, contact_count, listed)
    _sort_by_part(False, part_rows, count, listed, starts, listed_again)
    _sort_by_part(True, part_rows, count, listed_again, starts, listed)
    for k in range(count):
        contacts_out[k] = contacts[listed[k].row]
    _fill(keys, rows, contacts_out, count)
    return count


@kernel(
    integer(
        boolean[::1],
        integers,
        integers32,
        table(CONTACT),
        integer,
        integers32,
        integers2,
        integers,
    )
)
def drop_parts_of(
    gone: NDArray[np.bool_],
    keys: Keys,
    rows: Integers,
    contacts: Table,
    contact_count: int,
    chosen: Integers,
    lost_out: NDArray[np.int64],
    lost_count_out: NDArray[np.int64],
) -> int:
    """Remove the contacts of all parts that are `gone`; return the new number of contacts.

    For bodies that are removed or get another shape or kind, any number of them in one pass.
    `chosen` (`contact_count` or more,) is scratch. `lost_out` (`lost_count_out[0] + contact_count`
    or more, 2) takes the entities of those that touched, older first, behind what it has;
    `lost_count_out` (1,) how many it then has.
    """
    count = 0
    for row in range(contact_count):  # without a branch: hardly any is chosen
        contact = contacts[at(row)]
        chosen[at(count)] = row
        count += 1 if gone[at(contact.part_a)] | gone[at(contact.part_b)] else 0
    lost = lost_count_out[0]
    for k in range(count - 1, -1, -1):  # the last first: what takes its row is not one of them
        contact = contacts[chosen[k]]
        if contact.is_touching:
            lost_out[lost, 0] = min(contact.entity_a, contact.entity_b)
            lost_out[lost, 1] = max(contact.entity_a, contact.entity_b)
            lost += 1
        contact_count = _drop(np.int64(chosen[k]), keys, rows, contacts, contact_count)
    lost_count_out[0] = lost
    return contact_count


@kernel(types.void(integers, integers32, table(CONTACT), integer))
def rehash(keys: Keys, rows: Integers, contacts: Table, contact_count: int) -> None:
    """Fill a hash table, a new and larger one say, from the contacts alone.

    What `keys` and `rows` held before does not matter.
    """
    _fill(keys, rows, contacts, contact_count)


@inner
def _fill(keys: Keys, rows: Integers, contacts: Table, contact_count: int) -> None:
    for slot in range(keys.shape[0]):
        keys[slot] = EMPTY
    for row in range(contact_count):
        key = _key_of(np.int64(contacts[row].part_a), np.int64(contacts[row].part_b))
        slot = _slot_of(key, keys)
        keys[slot] = key
        rows[slot] = row


@inner
def _list_kept(
    parts: Table, searched: Reals32, contacts: Table, contact_count: int, listed_out: Table
) -> int:
    """List the contacts that have not parted, in their order; return how many there are."""
    count = 0
    for row in range(contact_count):
        contact = contacts[row]
        a = contact.part_a
        b = contact.part_b
        is_apart = (
            (searched[a, 0] > searched[b, 2])
            | (searched[b, 0] > searched[a, 2])
            | (searched[a, 1] > searched[b, 3])
            | (searched[b, 1] > searched[a, 3])
        )
        is_left = parts[a].body != contact.body_a or parts[b].body != contact.body_b
        if not is_apart and not is_left:
            listed_out[count].part_a = contact.part_a
            listed_out[count].part_b = contact.part_b
            listed_out[count].row = row
            count += 1
    return count


@inner
def _sort_by_part(
    is_first: bool, part_rows: int, count: int, listed: Table, starts: Integers, sorted_out: Table
) -> None:
    """Put a list in the order of part_a or, where not `is_first`, of part_b; equal ones stay."""
    starts[:part_rows] = 0
    for k in range(count):
        starts[listed[k].part_a if is_first else listed[k].part_b] += 1
    end = 0
    for part in range(part_rows):
        end += starts[part]
        starts[part] = end
    for k in range(count - 1, -1, -1):
        part = listed[k].part_a if is_first else listed[k].part_b
        starts[part] -= 1
        sorted_out[starts[part]] = listed[k]


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
