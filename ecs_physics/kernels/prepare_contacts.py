"""All that the contact solver needs before the first substep, in one call."""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.blocks import (
    COLORS,
    POINTS,
    color_contacts,
    fill_lanes,
)
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Table,
    at,
    boolean,
    inlined,
    integer,
    integers32,
    integers32_2,
    integers32_3,
    kernel,
    real,
    reals2,
    reals32_2,
    reals32_3,
    table,
)
from ecs_physics.kernels.fill_blocks import fill_blocks
from ecs_physics.kernels.solver_bodies import MOVES, start_copies
from ecs_physics.tables import BODY, CONTACT

_ZERO = np.float32(0.0)


@kernel(
    integer(
        integer,
        integer,
        integers32,
        integer,
        boolean,
        real,
        real,
        table(BODY),
        reals32_2,
        table(CONTACT),
        types.uint32[::1],
        integers32_2,
        integers32,
        integers32,
        integers32_2,
        integers32_2,
        integers32,
        integers32_3,
        reals32_3,
        reals2,
        reals32_2,
        reals32_2,
    )
)
def prepare_contacts(
    rows: int,
    active_count: int,
    active: Integers32,
    kept_count: int,
    are_same: bool,
    h: float,
    contact_hertz: float,
    bodies: Table,
    lane_parts: Reals32,
    contacts: Table,
    used: NDArray[Any],
    kept_out: Integers32,
    colors: Integers32,
    starts_out: Integers32,
    taken: Integers32,
    lanes_out: Integers32,
    bouncy_out: Integers32,
    rows_out: Integers32,
    blocks_out: Reals32,
    poses_out: Reals,
    copies_out: Reals32,
    masses_out: Reals32,
) -> int:
    """Note where bodies are, colour the contacts, fill their blocks and list the bouncy ones.

    Resting piles are not coloured anew in each step. `kept_out`, (`active_count` or more, 4), says
    of which contacts `starts_out` and `lanes_out` are: dynamic bodies, row and number
    of points of the first `kept_count`. `are_same`: bodies and rows are those of that time; then
    rows tell enough.

    `starts_out[COLORS]` becomes the number of blocks. `used`, `colors` and `taken` are scratch.
    Returns the number of bouncy contacts; or -1, and nothing is filled, where `blocks_out` has too
    few.
    """
    start_copies(rows, bodies, poses_out, copies_out, masses_out)
    nobody = copies_out.shape[0] - 1
    is_right = kept_count == active_count
    if not is_right or not are_same or not have_same_rows(active_count, active, kept_out):
        is_right = note_bodies(active_count, active, masses_out, contacts, kept_out) and is_right
    if not is_right:
        block_count = color_contacts(active_count, kept_out, used, colors, starts_out)
        if block_count > blocks_out.shape[0]:
            return -1
        fill_lanes(active_count, kept_out, colors, starts_out, taken, lanes_out)
    bouncy_count = fill_blocks(
        starts_out[COLORS],
        active,
        lanes_out,
        h,
        contact_hertz,
        nobody,
        contacts,
        lane_parts,
        masses_out,
        rows_out,
        blocks_out,
    )
    if bouncy_count > 0:
        list_bouncy(active_count, active, contacts, bouncy_out)
    return bouncy_count


@inlined
def list_bouncy(
    active_count: int, active: Integers32, contacts: Table, bouncy_out: Integers32
) -> None:
    """List the contacts that may bounce, in the order of their rows."""
    bouncy = 0
    for k in range(active_count):
        if contacts[at(active[k])].restitution > 0.0:
            bouncy_out[bouncy] = active[k]
            bouncy += 1


@inlined
def have_same_rows(active_count: int, active: Integers32, kept: Integers32) -> bool:
    """Whether the active contacts are in the rows of those that were kept."""
    same = 0
    while same < active_count and active[same] == kept[same, 2]:
        same += 1
    return same == active_count


@inlined
def note_bodies(
    active_count: int, active: Integers32, masses: Reals32, contacts: Table, kept_out: Integers32
) -> bool:
    """Note between which dynamic bodies the active contacts are, and whether it is the same ones.

    Rows alone do not tell: where one goes and another comes, as with what is shot, it is the same
    pairs in other rows.
    """
    are_same = True
    for k in range(active_count):
        contact = contacts[at(active[k])]
        a = dynamic_row(contact.body_a, masses)
        b = dynamic_row(contact.body_b, masses)
        are_same = are_same & (kept_out[k, 0] == a) & (kept_out[k, 1] == b)
        kept_out[k, 0] = a
        kept_out[k, 1] = b
        kept_out[k, 2] = active[k]
        kept_out[k, POINTS] = contact.count
    return are_same


@inlined
def dynamic_row(row: int, masses: Reals32) -> int:
    """A body's row, or -1 where it is not dynamic: then it does not count for colours."""
    return row if masses[at(row), MOVES] > _ZERO else -1
