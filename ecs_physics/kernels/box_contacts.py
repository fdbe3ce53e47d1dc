"""Contacts of boxes with boxes, of which eight pairs at once find out where they touch."""

from ecs_physics.kernels.box_manifolds import (
    ANSWER,
    APART_X,
    APART_Y,
    NO_POINTS,
    collide_boxes,
    manifold_of,
)
from ecs_physics.kernels.compile import Integers32, Reals32, Table, at, inner
from ecs_physics.kernels.contact_points import IDLE, state_of, take_manifold
from ecs_physics.kernels.lane_rows import gather_rows
from ecs_physics.kernels.lanes import store
from ecs_physics.kernels.manifold_lanes import BODY_A, BODY_B, ROW, fill_up, way_between


@inner
def renew_boxes(
    number: int,
    count: int,
    dt: float,
    bodies: Table,
    velocities: Table,
    parts: Table,
    lane_parts: Reals32,
    motions: Reals32,
    names: Integers32,
    batch: Reals32,
    contacts_out: Table,
    first_row: int,
    states_out: Integers32,
    start: int,
    unclear_out: Integers32,
) -> int:
    """Renew the contacts of a batch of boxes, whose first `count` lanes have been given pairs.

    Rows for which that fails are written to `unclear_out` from `start` on. Returns how many they
    are. `states_out` takes the states of the others, from `first_row` on. What the rest is:
    narrow_phase.collide_pairs.
    """
    fill_up(number, count, names)
    a = gather_rows(motions, names, number, BODY_A)
    b = gather_rows(motions, names, number, BODY_B)
    apart_x, apart_y = way_between(a, b)
    store(batch, number, APART_X, apart_x)
    store(batch, number, APART_Y, apart_y)
    collide_boxes(number, lane_parts, names, batch)
    unclear = 0
    for lane in range(count):
        row = names[at(number), ROW, at(lane)]
        contact = contacts_out[at(row)]
        answer = batch[at(number), ANSWER, at(lane)]
        if answer < NO_POINTS:
            unclear_out[start + unclear] = row
            unclear += 1
        elif answer > NO_POINTS:
            take_manifold(contact, manifold_of(number, lane, batch), dt, bodies, velocities, parts)
            states_out[at(row - first_row)] = state_of(contact, dt)
        else:
            contact.count = 0
            states_out[at(row - first_row)] = IDLE
    return unclear
