"""What the solver has found, from the blocks back to the contacts: eight contacts at once."""

from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.blocks import (
    FLAGS,
    LANES,
    NORMAL_IMPULSE,
    POINT_0,
    POINT_1,
    ROLLING,
    ROLLING_IMPULSE,
    TANGENT_IMPULSE,
    TOTAL_NORMAL,
    TOTAL_TANGENT,
)
from ecs_physics.kernels.compile import (
    Integers32,
    Reals32,
    Record,
    Table,
    at,
    inlined,
    integer,
    integers32_2,
    integers32_3,
    kernel,
    reals32_3,
    table,
)
from ecs_physics.kernels.fill_blocks import ROW
from ecs_physics.kernels.lane_rows import gather_reals, scatter_reals
from ecs_physics.kernels.lanes import load
from ecs_physics.tables import CONTACT, column_of

# From these columns of the contact table on, four are written at once.
_IMPULSES: Final = column_of(CONTACT, "normal_impulse_0")
_TOTALS: Final = column_of(CONTACT, "total_normal_0")

_ZERO = np.float32(0.0)


@kernel(types.void(integer, integers32_2, integers32_3, reals32_3, table(CONTACT)))
def store_impulses(
    block_count: int,
    lanes: Integers32,
    rows: Integers32,
    blocks: Reals32,
    contacts_out: Table,
) -> None:
    """Write the impulses back to the contacts, to start the next step from and to be read.

    What the arguments are: fill_blocks.py.
    """
    for block in range(block_count):
        if lanes[block, LANES - 1] >= 0:
            store_block(block, rows, blocks, contacts_out)
        else:  # an empty lane names a contact of another one
            for lane in range(LANES):
                if lanes[block, lane] >= 0:
                    contact = contacts_out[at(rows[block, ROW, lane])]
                    store_lane(block, lane, blocks, contact)
        if blocks[block, FLAGS, ROLLING] != _ZERO:
            for lane in range(LANES):
                if lanes[block, lane] >= 0:
                    contact = contacts_out[at(rows[block, ROW, lane])]
                    contact.rolling_impulse = blocks[block, ROLLING_IMPULSE, lane]


@inlined
def store_block(block: int, rows: Integers32, blocks: Reals32, contacts_out: Table) -> None:
    """Write the impulses of eight contacts."""
    normal_0 = load(blocks, block, POINT_0 + NORMAL_IMPULSE)
    normal_1 = load(blocks, block, POINT_1 + NORMAL_IMPULSE)
    tangent_0 = load(blocks, block, POINT_0 + TANGENT_IMPULSE)
    tangent_1 = load(blocks, block, POINT_1 + TANGENT_IMPULSE)
    scatter_reals(
        contacts_out, rows, block, ROW, _IMPULSES, normal_0, normal_1, tangent_0, tangent_1
    )
    of_bounces = gather_reals(contacts_out, rows, block, ROW, _TOTALS)
    normal_0 = of_bounces[0] + load(blocks, block, POINT_0 + TOTAL_NORMAL)
    normal_1 = of_bounces[1] + load(blocks, block, POINT_1 + TOTAL_NORMAL)
    tangent_0 = of_bounces[2] + load(blocks, block, POINT_0 + TOTAL_TANGENT)
    tangent_1 = of_bounces[3] + load(blocks, block, POINT_1 + TOTAL_TANGENT)
    scatter_reals(contacts_out, rows, block, ROW, _TOTALS, normal_0, normal_1, tangent_0, tangent_1)


@inlined
def store_lane(block: int, lane: int, blocks: Reals32, contact_out: Record) -> None:
    """Write the impulses of one contact."""
    contact_out.normal_impulse_0 = blocks[block, POINT_0 + NORMAL_IMPULSE, lane]
    contact_out.normal_impulse_1 = blocks[block, POINT_1 + NORMAL_IMPULSE, lane]
    contact_out.tangent_impulse_0 = blocks[block, POINT_0 + TANGENT_IMPULSE, lane]
    contact_out.tangent_impulse_1 = blocks[block, POINT_1 + TANGENT_IMPULSE, lane]
    contact_out.total_normal_0 += blocks[block, POINT_0 + TOTAL_NORMAL, lane]
    contact_out.total_normal_1 += blocks[block, POINT_1 + TOTAL_NORMAL, lane]
    contact_out.total_tangent_0 += blocks[block, POINT_0 + TOTAL_TANGENT, lane]
    contact_out.total_tangent_1 += blocks[block, POINT_1 + TOTAL_TANGENT, lane]
