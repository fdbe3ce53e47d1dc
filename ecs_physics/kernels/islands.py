"""Who rests, who rests together, and who must wake.

An island is a set of dynamic bodies that are tied together by contacts and links. Its bodies fall
asleep in the same step, once each of them has rested long enough, and wake in the same step.

Arrays, all owned by the caller and aligned by row where they are of bodies:

- `rests`: (B,) REST. `island` is the smallest row of the island that a sleeping body fell asleep
  with.
- `stirred`: (B,) bool, sleeping bodies whose islands must wake.
- `contacts`: (C,) CONTACT; `active`: rows of it that have points and are solved.
- `links`: (L, 2) int32, rows of bodies that something other than a contact ties, as springs do; -1
  stands for the world.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.kernels.bodies import fatten, is_written, place_part, start_here
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Record,
    Table,
    boolean,
    inlined,
    inner,
    integer,
    integers,
    integers32,
    integers32_2,
    kernel,
    real,
    reals2,
    table,
)
from ecs_physics.kernels.contact_states import SOLVED, UNASKED, UNDECIDED
from ecs_physics.tables import (
    BODY,
    CONTACT,
    DYNAMIC,
    FORCE,
    GRAVITY_SCALE,
    KINEMATIC,
    LOCKED_AXES,
    MASS,
    PART,
    SLEEPING,
    STATIC,
    TRAITS,
    TRANSFORM,
    VELOCITY,
)

REST: Final = np.dtype(
    [
        ("entity", "i8"),  # whose rest it is; another body in the row begins anew
        ("time", "f8"),  # s, for which the body has rested
        ("is_tired", "?"),  # it has rested long enough to sleep
        ("island", "i4"),  # of a sleeping body
        ("locked", "i4"),  # the columns of a sleeping body when it fell asleep: 1 x, 2 y, 4 angle
        ("mass", "f8"),  # kg
        ("inertia", "f8"),  # kg m^2
        ("center_x", "f8"),  # m
        ("center_y", "f8"),
        ("gravity_factor", "f8"),
    ],
    align=True,
)

Flags = NDArray[np.bool_]
flags = boolean[::1]

AWAKE: Final = 0
TIRED: Final = 1
MOVING: Final = 2
ASLEEP: Final = 3
"""Places in what `rest` counts."""


# -- falling asleep ---------------------------------------------------------------------------


@kernel(
    types.void(
        integer,
        real,
        real,
        real,
        table(TRAITS),
        table(BODY),
        table(VELOCITY),
        table(REST),
        integers,
    )
)
def rest(
    rows: int,
    dt: float,
    speed: float,
    time: float,
    traits: Table,
    bodies: Table,
    velocities: Table,
    rests_out: Table,
    counts_out: Integers,
) -> None:
    """After a step of `dt` s, say for how long each dynamic body has been slower than its limit.

    Slow is the speed of the centre of mass and that of the farthest point around it together.
    `speed` (m/s) and `time` (s) are the limits of bodies that have none of their own. A body that
    was teleported begins anew. `counts_out` (4,) becomes the number of dynamic bodies, of those
    that are tired, of kinematic bodies that move, and of sleeping bodies.
    """
    awake = tired = moving = asleep = 0
    for row in range(rows):
        body = bodies[row]
        if body.kind == DYNAMIC:
            awake += 1
            state = rests_out[row]
            trait = traits[row]
            limit = speed if math.isnan(trait.sleep_speed) else trait.sleep_speed
            needed = time if math.isnan(trait.sleep_time) else trait.sleep_time
            velocity = velocities[row]
            linear = math.sqrt(velocity.x * velocity.x + velocity.y * velocity.y)
            is_slow = linear + abs(velocity.omega) * body.extent < limit
            if state.entity != body.entity or body.teleported:
                state.entity = body.entity
                state.time = 0.0
            state.time = state.time + dt if is_slow else 0.0
            state.is_tired = state.time >= needed
            tired += 1 if state.is_tired else 0
        elif body.kind == KINEMATIC:
            moving += 1 if moves(velocities[row]) else 0
        elif body.kind == SLEEPING:
            asleep += 1
    counts_out[AWAKE] = awake
    counts_out[TIRED] = tired
    counts_out[MOVING] = moving
    counts_out[ASLEEP] = asleep


@inlined
def moves(velocity: Record) -> bool:
    """Whether a velocity is not zero."""
    return bool(velocity.x != 0.0 or velocity.y != 0.0 or velocity.omega != 0.0)


@kernel(
    types.void(
        integer,
        integer,
        integers32,
        table(CONTACT),
        integers32_2,
        table(BODY),
        table(VELOCITY),
        table(REST),
        integers32,
        flags,
    )
)
def find_islands(
    rows: int,
    active_count: int,
    active: Integers32,
    contacts: Table,
    links: Integers32,
    bodies: Table,
    velocities: Table,
    rests: Table,
    islands_out: Integers32,
    restless_out: Flags,
) -> None:
    """Write each row's island, its smallest row, and whether something in that island is awake.

    A body is restless that is not tired, that a moving kinematic body touches or is linked to, or
    that lies on a surface which runs. Union-find: the root of a tree is its smallest row.
    """
    for row in range(rows):
        islands_out[row] = row
        restless_out[row] = bodies[row].kind == DYNAMIC and not rests[row].is_tired
    for k in range(active_count):
        contact = contacts[active[k]]
        tie(contact.body_a, contact.body_b, bodies, velocities, islands_out, restless_out)
        if contact.surface_speed != 0.0:
            restless_out[contact.body_a] = True
            restless_out[contact.body_b] = True
    for k in range(links.shape[0]):
        if links[k, 0] >= 0 and links[k, 1] >= 0:
            tie(links[k, 0], links[k, 1], bodies, velocities, islands_out, restless_out)
    for row in range(rows):
        root = root_of(row, islands_out)
        islands_out[row] = root
        if restless_out[row]:
            restless_out[root] = True
    for row in range(rows):
        restless_out[row] = restless_out[islands_out[row]]


@inner
def tie(
    a: int,
    b: int,
    bodies: Table,
    velocities: Table,
    islands: Integers32,
    restless: Flags,
) -> None:
    """Put two dynamic bodies into one island; one that a moving body holds does not rest."""
    if bodies[a].kind == DYNAMIC and bodies[b].kind == DYNAMIC:
        root_a = root_of(a, islands)
        root_b = root_of(b, islands)
        islands[max(root_a, root_b)] = min(root_a, root_b)
    elif carries(bodies[a], velocities[a]):
        restless[b] = True
    elif carries(bodies[b], velocities[b]):
        restless[a] = True


@inlined
def carries(body: Record, velocity: Record) -> bool:
    """Whether an immovable body moves, or somebody has moved it in this step."""
    if body.kind == KINEMATIC and moves(velocity):
        return True
    return bool(body.kind != DYNAMIC and body.teleported)


@inlined
def root_of(row: int, islands: Integers32) -> int:
    """The root of a row's tree; the way there is halved."""
    while islands[row] != row:
        islands[row] = islands[islands[row]]
        row = islands[row]
    return row


@kernel(
    integer(
        integer,
        integers32,
        flags,
        table(MASS),
        table(LOCKED_AXES),
        table(GRAVITY_SCALE),
        reals2,
        table(BODY),
        table(VELOCITY),
        table(REST),
        table(PART),
        reals2,
        integers32,
        integers,
    )
)
def lay_down(
    rows: int,
    islands: Integers32,
    restless: Flags,
    masses: Table,
    locked_axes: Table,
    gravity_scales: Table,
    local_vertices: Reals,
    bodies_out: Table,
    velocities_out: Table,
    rests_out: Table,
    parts_out: Table,
    world_out: Reals,
    fell_out: Integers32,
    moved_out: Integers,
) -> int:
    """Put all dynamic bodies to sleep whose island is not restless: still, and where they are.

    `fell_out` takes their rows, ascending; their number is returned. `moved_out[0]` grows by the
    number of their parts whose fat box is new.
    """
    fell = 0
    for row in range(rows):
        if bodies_out[row].kind != DYNAMIC or restless[row]:
            continue
        velocities_out[row].x = 0.0
        velocities_out[row].y = 0.0
        velocities_out[row].omega = 0.0
        start_here(bodies_out[row])
        keep_columns(row, masses, locked_axes, gravity_scales, rests_out)
        rests_out[row].entity = bodies_out[row].entity
        rests_out[row].island = islands[row]
        bodies_out[row].kind = SLEEPING
        part = bodies_out[row].first_part
        while part >= 0:
            was_moved = parts_out[part].moved
            place_part(part, bodies_out[row], parts_out, local_vertices, world_out)
            fatten(part, 0.0, bodies_out[row], velocities_out[row], parts_out)
            moved_out[0] += 1 if parts_out[part].moved and not was_moved else 0
            part = parts_out[part].next
        fell_out[fell] = row
        fell += 1
    return fell


@inner
def keep_columns(
    row: int, masses: Table, locked_axes: Table, gravity_scales: Table, rests_out: Table
) -> None:
    """Note what a body's columns are, so that a change is seen."""
    state = rests_out[row]
    state.mass = masses[row].mass
    state.inertia = masses[row].inertia
    state.center_x = masses[row].center_x
    state.center_y = masses[row].center_y
    state.gravity_factor = gravity_scales[row].factor
    state.locked = locks_of(locked_axes[row])


@inlined
def locks_of(axes: Record) -> int:
    """The three flags of a LockedAxes in one number."""
    return (1 if axes.x else 0) + (2 if axes.y else 0) + (4 if axes.angle else 0)


# -- waking -----------------------------------------------------------------------------------


@kernel(
    types.void(
        integer,
        table(TRANSFORM),
        table(VELOCITY),
        table(MASS),
        table(LOCKED_AXES),
        table(GRAVITY_SCALE),
        table(FORCE),
        table(BODY),
        table(REST),
        flags,
        integers,
    )
)
def find_written(
    rows: int,
    transforms: Table,
    velocities: Table,
    masses: Table,
    locked_axes: Table,
    gravity_scales: Table,
    forces: Table,
    bodies: Table,
    rests: Table,
    stirred_out: Flags,
    counts_out: Integers,
) -> None:
    """Stir the sleeping bodies whose columns somebody wrote, or whom somebody pushes.

    `counts_out[0]` becomes their number, `counts_out[1]` that of immovable bodies that move, or
    whose Transform is new.
    """
    stirred = 0
    disturbing = 0
    for row in range(rows):
        kind = bodies[row].kind
        if kind == SLEEPING:
            if (
                moves(velocities[row])
                or is_written(row, transforms, bodies)
                or is_pushed(forces[row])
                or is_other(row, masses, locked_axes, gravity_scales, rests)
            ):
                stirred_out[row] = True
                stirred += 1
        elif disturbs(row, transforms, velocities, bodies):
            disturbing += 1
    counts_out[0] = stirred
    counts_out[1] = disturbing


@inlined
def disturbs(row: int, transforms: Table, velocities: Table, bodies: Table) -> bool:
    """Whether an immovable body moves, or somebody has moved it."""
    if bodies[row].kind == KINEMATIC and moves(velocities[row]):
        return True
    is_immovable = bodies[row].kind == KINEMATIC or bodies[row].kind == STATIC
    return is_immovable and bool(is_written(row, transforms, bodies))


@inlined
def is_pushed(force: Record) -> bool:
    """Whether a force is not zero."""
    return bool(force.x != 0.0 or force.y != 0.0 or force.torque != 0.0)


@inlined
def is_other(
    row: int, masses: Table, locked_axes: Table, gravity_scales: Table, rests: Table
) -> bool:
    """Whether the columns of a sleeping body are not what they were when it fell asleep."""
    state = rests[row]
    mass = masses[row]
    return bool(
        state.mass != mass.mass
        or state.inertia != mass.inertia
        or state.center_x != mass.center_x
        or state.center_y != mass.center_y
        or state.gravity_factor != gravity_scales[row].factor
        or state.locked != locks_of(locked_axes[row])
    )


@kernel(integer(integer, table(FORCE), table(BODY), flags))
def find_pushed(rows: int, forces: Table, bodies: Table, stirred_out: Flags) -> int:
    """Stir the sleeping bodies that have a force; returns how many there are."""
    stirred = 0
    for row in range(rows):
        if bodies[row].kind == SLEEPING and is_pushed(forces[row]):
            stirred_out[row] = True
            stirred += 1
    return stirred


@kernel(
    integer(
        integer,
        flags,
        table(TRANSFORM),
        table(VELOCITY),
        table(BODY),
        integers32_2,
        table(CONTACT),
        flags,
    )
)
def find_left_alone(
    count: int,
    removed: Flags,
    transforms: Table,
    velocities: Table,
    bodies: Table,
    links: Integers32,
    contacts_out: Table,
    stirred_out: Flags,
) -> int:
    """Stir sleeping bodies that touch what goes or moves; returns how many contacts say so.

    `removed` marks, by row of PART, parts that are gone. A contact with an immovable body that
    moves, or that somebody has moved, is awake from now on.
    """
    stirred = 0
    for k in range(count):
        contact = contacts_out[k]
        if not contact.is_asleep:
            continue
        a = contact.body_a
        b = contact.body_b
        is_gone = removed[contact.part_a] or removed[contact.part_b]
        if (
            not is_gone
            and not disturbs(a, transforms, velocities, bodies)
            and not disturbs(b, transforms, velocities, bodies)
        ):
            continue
        contact.is_asleep = False
        if contact.count > 0:
            stirred_out[a] = True
            stirred_out[b] = True
            stirred += 1
    for k in range(links.shape[0]):
        a = links[k, 0]
        b = links[k, 1]
        if a < 0 or b < 0:
            continue
        if disturbs(a, transforms, velocities, bodies) or disturbs(
            b, transforms, velocities, bodies
        ):
            stirred_out[a] = True
            stirred_out[b] = True
            stirred += 1
    return stirred


@kernel(integer(integer, integers32, table(CONTACT), table(BODY), flags))
def find_touched(
    active_count: int, active: Integers32, contacts: Table, bodies: Table, stirred_out: Flags
) -> int:
    """Stir the sleeping bodies of contacts that are awake, and may be solved; returns how many.

    What a body touched when it fell asleep sleeps as well; so this is something new.
    """
    stirred = 0
    for k in range(active_count):
        contact = contacts[active[k]]
        if contact.disabled not in (SOLVED, UNDECIDED, UNASKED):
            continue
        for row in (contact.body_a, contact.body_b):
            if bodies[row].kind == SLEEPING:
                stirred_out[row] = True
                stirred += 1
    return stirred


@kernel(integer(integer, flags, flags, table(BODY), table(REST), integers32))
def wake_islands(
    rows: int,
    stirred: Flags,
    marked: Flags,
    bodies_out: Table,
    rests_out: Table,
    woke_out: Integers32,
) -> int:
    """Make all bodies dynamic again whose island has a stirred body; then nothing is stirred.

    `marked` is scratch, False before and after. `woke_out` takes their rows, ascending; their
    number is returned.
    """
    for row in range(rows):
        if stirred[row] and bodies_out[row].kind == SLEEPING:
            marked[rests_out[row].island] = True
        stirred[row] = False
    woke = 0
    for row in range(rows):
        if bodies_out[row].kind == SLEEPING and marked[rests_out[row].island]:
            bodies_out[row].kind = DYNAMIC
            rests_out[row].time = 0.0
            rests_out[row].is_tired = False
            woke_out[woke] = row
            woke += 1
    for k in range(woke):
        marked[rests_out[woke_out[k]].island] = False
    return woke


@kernel(integer(integer, boolean, table(BODY), table(CONTACT), integers32))
def mark_contacts(
    count: int, may_fall: bool, bodies: Table, contacts_out: Table, active_out: Integers32
) -> int:
    """Say which contacts sleep: those of a sleeping body with another, or with an immovable one.

    Without `may_fall` they only wake. `active_out` takes the rows that have points and do not
    sleep, ascending; their number is returned.
    """
    active = 0
    for k in range(count):
        contact = contacts_out[k]
        kind_a = bodies[contact.body_a].kind
        kind_b = bodies[contact.body_b].kind
        is_still = kind_a != DYNAMIC and kind_b != DYNAMIC
        if is_still and may_fall and (kind_a == SLEEPING or kind_b == SLEEPING):
            contact.is_asleep = True
        elif not is_still:
            contact.is_asleep = False
        if contact.count > 0 and not contact.is_asleep:
            active_out[active] = k
            active += 1
    return active


def empty_rests(rows: int) -> NDArray[Any]:
    """REST rows of nobody."""
    return np.zeros(rows, REST)
