"""The big loops of the step on two threads: the same bits as on one.

Contacts of one colour share no dynamic body, so each thread takes half of a colour's blocks, and
both wait for each other before the next colour. What has no colours (the last one, and bounces)
is done by the first thread alone.
"""

import numpy as np
from numba import prange, types
from numpy.typing import NDArray

from ecs_physics.kernels.barrier import wait_for_all
from ecs_physics.kernels.blocks import COLORS
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Reals32,
    Table,
    inner,
    integer,
    integers,
    integers2,
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
from ecs_physics.kernels.impacts import HIT, hit, rebound
from ecs_physics.kernels.joint_lists import ROW
from ecs_physics.kernels.joint_pin_lanes import joint_spring
from ecs_physics.kernels.joint_pins_wide import solve_pin_block, warm_start_pin_block
from ecs_physics.kernels.joint_row_lanes import refresh_range
from ecs_physics.kernels.joint_rows_wide import solve_row_block, warm_start_row_block
from ecs_physics.kernels.narrow_phase import ACTIVE, AFAR, collide_pairs
from ecs_physics.kernels.solver_bodies import give_poses, give_range, kick, move, start_motions
from ecs_physics.kernels.wide_contact import solve_block, warm_start_block
from ecs_physics.tables import BODY, CONTACT, DAMPING, FORCE, PART, VELOCITY

THREADS = 2
FEWEST_ROWS_FOR_THREADS = 800
"""Bodies below which one thread is faster: waiting for the other costs more than it saves."""

CHUNKS = 32
"""Pieces of the narrow phase: more than threads, since contacts differ in cost."""


@kernel(
    types.void(
        integer,
        integer,
        integer,
        real,
        table(BODY),
        table(VELOCITY),
        table(PART),
        reals2,
        reals32_2,
        reals32_2,
        reals32_2,
        integers32_3,
        reals32_3,
        table(CONTACT),
        integers32_2,
        integers32,
        integers32,
        integers2,
    ),
    parallel=True,
)
def collide_pairs_on_two(
    chunks: int,
    first: int,
    last: int,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    world_vertices: Reals,
    lane_parts: Reals32,
    motions: Reals32,
    surfaces: Reals32,
    names: Integers32,
    batches: Reals32,
    contacts_out: Table,
    lists: Integers32,
    active_out: Integers32,
    afar_out: Integers32,
    counts_out: Integers,
) -> None:
    """What narrow_phase.collide_pairs does, in so many chunks, on all threads there are."""
    for chunk in prange(chunks):
        collide_pairs(
            chunk,
            first + (last - first) * chunk // chunks,
            first + (last - first) * (chunk + 1) // chunks,
            dt,
            bodies,
            velocities,
            parts,
            world_vertices,
            lane_parts,
            motions,
            surfaces,
            names,
            batches,
            contacts_out,
            lists,
            active_out,
            afar_out,
            counts_out,
        )
    for chunk in range(1, chunks):
        start = first + (last - first) * chunk // chunks
        join(ACTIVE, first, start, counts_out[chunk], active_out, counts_out[0])
        join(AFAR, first, start, counts_out[chunk], afar_out, counts_out[0])


@inner
def join(
    column: int, first: int, start: int, counts: Integers, rows: Integers32, counts_out: Integers
) -> None:
    """Put what a chunk has listed from `start` on behind what is listed from `first` on."""
    end = first + counts_out[column]
    for k in range(counts[column]):
        rows[end + k] = rows[start + k]
    counts_out[column] += counts[column]


@kernel(
    types.void(
        integer,
        real,
        integer,
        table(FORCE),
        table(DAMPING),
        table(PART),
        table(BODY),
        table(VELOCITY),
        integer,
        integers32,
        table(CONTACT),
        table(HIT),
        integers32,
        integers32_3,
        reals32_3,
        integers32,
        integers32_3,
        types.uint8[::1],
        reals32_3,
        integers32,
        integers32_3,
        reals32_3,
        table(ROW),
        reals2,
        reals32_2,
        integers,
    ),
    parallel=True,
)
def soft_step_on_two(
    substeps: int,
    h: float,
    rows: int,
    forces: Table,
    dampings: Table,
    parts: Table,
    bodies: Table,
    velocities: Table,
    bouncy_count: int,
    bouncy: Integers32,
    contacts: Table,
    hits: Table,
    color_starts: Integers32,
    block_rows: Integers32,
    blocks: Reals32,
    pin_starts: Integers32,
    pin_rows: Integers32,
    pin_is_soft: NDArray[np.uint8],
    pin_lanes: Reals32,
    row_starts: Integers32,
    row_rows: Integers32,
    row_lanes: Reals32,
    joint_rows: Table,
    motions: Reals,
    copies: Reals32,
    shared: Integers,
) -> None:
    """What soft_step.soft_step does, on two threads.

    `shared` is what the threads meet at (barrier.py); Numba must run at least two, or the first
    waits for ever. `color_starts` is the first block of each colour, and the number of blocks.
    """
    for thread in prange(THREADS):
        soft_step_share(
            thread,
            substeps,
            h,
            rows,
            forces,
            dampings,
            parts,
            bodies,
            velocities,
            bouncy_count,
            bouncy,
            contacts,
            hits,
            color_starts,
            block_rows,
            blocks,
            pin_starts,
            pin_rows,
            pin_is_soft,
            pin_lanes,
            row_starts,
            row_rows,
            row_lanes,
            joint_rows,
            motions,
            copies,
            shared,
        )


@inner
def soft_step_share(
    thread: int,
    substeps: int,
    h: float,
    rows: int,
    forces: Table,
    dampings: Table,
    parts: Table,
    bodies: Table,
    velocities: Table,
    bouncy_count: int,
    bouncy: Integers32,
    contacts: Table,
    hits: Table,
    color_starts: Integers32,
    block_rows: Integers32,
    blocks: Reals32,
    pin_starts: Integers32,
    pin_rows: Integers32,
    pin_is_soft: NDArray[np.uint8],
    pin_lanes: Reals32,
    row_starts: Integers32,
    row_rows: Integers32,
    row_lanes: Reals32,
    joint_rows: Table,
    motions: Reals,
    copies: Reals32,
    shared: Integers,
) -> None:
    """One thread's share of all substeps: the phases of soft_step, in step with the other's."""
    inverse_h = np.float32(1.0 / h)
    spring = joint_spring(h)
    first_row, last_row = share_of(0, row_starts[COLORS], thread)
    first, last = share_of(0, rows, thread)
    start_motions(first, last, h, forces, dampings, bodies, velocities, motions, copies)
    for substep in range(substeps):
        in_order = substep % 2 == 0
        kick(first, last, motions, copies)
        if bouncy_count > 0:
            give_range(first, last, bodies, motions, copies, velocities)
        wait_for_all(THREADS, shared)
        if bouncy_count > 0:
            if thread == 0:
                hit(
                    bouncy_count,
                    h,
                    bouncy,
                    bodies,
                    parts,
                    forces,
                    contacts,
                    velocities,
                    motions,
                    copies,
                    hits,
                )
            wait_for_all(THREADS, shared)
        warm_start_rows(thread, row_starts, copies, row_rows, row_lanes, shared)
        warm_start_pins(thread, pin_starts, copies, pin_rows, pin_lanes, shared)
        warm_start_share(thread, color_starts, copies, block_rows, blocks, shared)
        solve_rows(thread, True, inverse_h, row_starts, copies, row_rows, row_lanes, shared)
        solve_pins(
            thread, True, spring, pin_starts, copies, pin_rows, pin_is_soft, pin_lanes, shared
        )
        solve_share(
            thread, True, in_order, inverse_h, color_starts, copies, block_rows, blocks, shared
        )
        move(first, last, h, motions, copies)
        if bouncy_count > 0 or row_starts[COLORS] > 0:
            give_poses(first, last, motions, bodies)
        if bouncy_count > 0:
            give_range(first, last, bodies, motions, copies, velocities)
        wait_for_all(THREADS, shared)
        if bouncy_count > 0:
            if thread == 0:
                rebound(
                    bouncy_count,
                    bouncy,
                    bodies,
                    parts,
                    contacts,
                    velocities,
                    motions,
                    copies,
                    hits,
                )
            wait_for_all(THREADS, shared)
        if row_starts[COLORS] > 0:
            refresh_range(first_row, last_row, joint_rows, bodies, copies, row_rows, row_lanes)
            wait_for_all(THREADS, shared)
        solve_rows(thread, False, inverse_h, row_starts, copies, row_rows, row_lanes, shared)
        solve_pins(
            thread, False, spring, pin_starts, copies, pin_rows, pin_is_soft, pin_lanes, shared
        )
        solve_share(
            thread, False, not in_order, inverse_h, color_starts, copies, block_rows, blocks, shared
        )
    give_poses(first, last, motions, bodies)
    give_range(first, last, bodies, motions, copies, velocities)


@inner
def warm_start_share(
    thread: int,
    color_starts: Integers32,
    copies: Reals32,
    block_rows: Integers32,
    blocks: Reals32,
    shared: Integers,
) -> None:
    """Warm start this thread's half of every colour."""
    for color in range(COLORS):
        if color_starts[color] < color_starts[color + 1]:
            first, last = blocks_of(color, thread, color_starts)
            for block in range(first, last):
                warm_start_block(block, copies, block_rows, blocks)
            wait_for_all(THREADS, shared)


@inner
def solve_share(
    thread: int,
    use_bias: bool,
    in_order: bool,
    inverse_h: float,
    color_starts: Integers32,
    copies: Reals32,
    block_rows: Integers32,
    blocks: Reals32,
    shared: Integers,
) -> None:
    """Solve this thread's half of every colour."""
    for color in range(COLORS):
        if color_starts[color] < color_starts[color + 1]:
            first, last = blocks_of(color, thread, color_starts)
            for block in range(first, last):
                solve_block(block, use_bias, in_order, inverse_h, copies, block_rows, blocks)
            wait_for_all(THREADS, shared)


@inner
def warm_start_rows(
    thread: int,
    starts: Integers32,
    copies: Reals32,
    row_rows: Integers32,
    row_lanes: Reals32,
    shared: Integers,
) -> None:
    """Warm start this thread's half of every colour of joints' rows."""
    for color in range(COLORS):
        if starts[color] < starts[color + 1]:
            first, last = blocks_of(color, thread, starts)
            for block in range(first, last):
                warm_start_row_block(block, copies, row_rows, row_lanes)
            wait_for_all(THREADS, shared)


@inner
def warm_start_pins(
    thread: int,
    starts: Integers32,
    copies: Reals32,
    pin_rows: Integers32,
    pin_lanes: Reals32,
    shared: Integers,
) -> None:
    """Warm start this thread's half of every colour of pins."""
    for color in range(COLORS):
        if starts[color] < starts[color + 1]:
            first, last = blocks_of(color, thread, starts)
            for block in range(first, last):
                warm_start_pin_block(block, copies, pin_rows, pin_lanes)
            wait_for_all(THREADS, shared)


@inner
def solve_rows(
    thread: int,
    use_bias: bool,
    inverse_h: float,
    starts: Integers32,
    copies: Reals32,
    row_rows: Integers32,
    row_lanes: Reals32,
    shared: Integers,
) -> None:
    """Solve this thread's half of every colour of joints' rows."""
    for color in range(COLORS):
        if starts[color] < starts[color + 1]:
            first, last = blocks_of(color, thread, starts)
            for block in range(first, last):
                solve_row_block(block, use_bias, inverse_h, copies, row_rows, row_lanes)
            wait_for_all(THREADS, shared)


@inner
def solve_pins(
    thread: int,
    use_bias: bool,
    spring: tuple[float, float, float],
    starts: Integers32,
    copies: Reals32,
    pin_rows: Integers32,
    pin_is_soft: NDArray[np.uint8],
    pin_lanes: Reals32,
    shared: Integers,
) -> None:
    """Solve this thread's half of every colour of pins."""
    for color in range(COLORS):
        if starts[color] < starts[color + 1]:
            first, last = blocks_of(color, thread, starts)
            for block in range(first, last):
                solve_pin_block(block, use_bias, spring, copies, pin_rows, pin_is_soft, pin_lanes)
            wait_for_all(THREADS, shared)


@inner
def blocks_of(color: int, thread: int, color_starts: Integers32) -> tuple[int, int]:
    """First and last + 1 of a thread's blocks of a colour; the last colour has an order to keep."""
    first = int(color_starts[color])
    last = int(color_starts[color + 1])
    if color < COLORS - 1:
        return share_of(first, last, thread)
    return (first, last) if thread == 0 else (last, last)


@inner
def share_of(first: int, last: int, thread: int) -> tuple[int, int]:
    """A thread's part of the numbers from `first` to `last` - 1."""
    count = last - first
    return first + count * thread // THREADS, first + count * (thread + 1) // THREADS
