"""What moved so far in a step that it may have passed through something, and where it must stop.

A body can only get through where it moves by more than a part of its own thickness in one step:
else the next step's contact still knows which way is out. What is that fast is swept from where
it began the step to where it ended. Where the sweep comes to overlap another part by more than
contacts leave behind, the body is put back to that moment, with the velocity it has: the next
step's contact does the rest.

Bodies stop at what cannot be pushed, static or kinematic, and where flight.py has left it to this;
bullets stop at everything. The sweep follows both, and what has met something that moves is
carried on by it, as if it stuck there for the rest of the step.
"""

import math
from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.bodies import is_written, write_pose
from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Record,
    Table,
    inlined,
    inner,
    integer,
    integers,
    integers32,
    kernel,
    reals,
    reals2,
    table,
)
from ecs_physics.kernels.flight import LEFT_TO_SWEEP
from ecs_physics.kernels.pair_filter import may_meet
from ecs_physics.kernels.time_of_impact import (
    NEVER,
    TOLERANCE,
    separation_at_start,
    sweep_time,
    turned_back,
)
from ecs_physics.tables import (
    BODY,
    CONTACT,
    DYNAMIC,
    FREE,
    KINEMATIC,
    PART,
    STATIC,
    TRAITS,
    TRANSFORM,
)

Marks = NDArray[np.uint8]

FAST: Final = 0.5
"""Ratio. Motion in a step by the radius of the part's core, above which a body is swept. Larger:
contacts may lose their side. Smaller: more sweeps than are of use."""

DEEP: Final = 0.25
"""Ratio. Of the two cores' radii, how much overlap counts as not yet passing, if that is less
than LINEAR_SLOP. Larger: thin things pass. Smaller: fast ones stop at what they graze."""

NOBODY: Final = -1
"""Stands for no row."""

IS_FAST: Final = 1
"""Mark of a body: it moved far in this step."""

STOPS: Final = 2
"""Mark of a body: it cannot be pushed, so that others stop at it, or is a bullet."""


@kernel(integer(integer, table(BODY), table(TRAITS), types.uint8[::1]))
def find_fast(rows: int, bodies: Table, traits: Table, marks_out: Marks) -> int:
    """Mark the bodies that moved far in this step; returns how many there are.

    Dynamic ones are to be swept, and whatever meets fast kinematic ones. What cannot be pushed is
    marked as well.
    """
    count = 0
    for row in range(rows):
        body = bodies[row]
        mark = STOPS if body.kind == STATIC or body.kind == KINEMATIC else 0
        if body.kind == DYNAMIC or body.kind == KINEMATIC:
            motion = abs(body.x - body.start_x) + abs(body.y - body.start_y)
            motion += abs(body.angle - body.start_angle) * body.extent
            is_fast = motion > FAST * body.core and body.first_part >= 0
            if is_fast and not traits[row].is_sensor:
                mark |= IS_FAST
                count += 1
        marks_out[row] = mark
    return count


@kernel(
    types.void(
        integer,
        integer,
        integer,
        table(CONTACT),
        table(TRAITS),
        integers,
        table(PART),
        reals2,
        types.uint8[::1],
        table(BODY),
        table(TRANSFORM),
        reals,
        integers,
        integers32,
    ),
    feature="continuous",
)
def stop_fast(
    rows: int,
    part_rows: int,
    contact_count: int,
    contacts: Table,
    traits: Table,
    excluded: Integers,
    parts: Table,
    local_vertices: Reals,
    marks: Marks,
    bodies_out: Table,
    transforms_out: Table,
    times: Reals,
    obstacles: Integers,
    swept: Integers32,
) -> None:
    """Put bodies back to where they must stop, given what is marked (`find_fast`).

    In three rounds: bullets against all; everything against what cannot be pushed, kinematic and
    static; and what was carried on in these against static parts, which always have the last word.
    `times` and `obstacles` have a number for each row: when it stops, and at whom; `swept` has room
    for all contacts.
    """
    for row in range(rows):
        times[row] = NEVER
        obstacles[row] = NOBODY
        if traits[row].is_bullet:
            marks[row] |= np.uint8(STOPS)
    swept_count = list_swept(contact_count, contacts, marks, swept)
    any_carried = False
    for obstacle_kind in (DYNAMIC, KINEMATIC, STATIC):
        if obstacle_kind == STATIC and not any_carried:
            break
        any_stops = sweep_contacts(
            swept_count,
            swept,
            contacts,
            obstacle_kind,
            traits,
            parts,
            local_vertices,
            bodies_out,
            times,
            obstacles,
        )
        for row in range(rows):
            is_swept = (marks[row] & IS_FAST) != 0
            is_swept = is_swept and sweeps(row, obstacle_kind, bodies_out, traits, obstacles)
            if is_swept and has_left_fat_boxes(bodies_out[row], parts):
                stops = sweep_everywhere(
                    row,
                    part_rows,
                    obstacle_kind,
                    traits,
                    excluded,
                    parts,
                    local_vertices,
                    bodies_out,
                    times,
                    obstacles,
                )
                any_stops = any_stops or stops
        if any_stops and stop_bodies(rows, marks, bodies_out, transforms_out, times, obstacles):
            any_carried = True
            swept_count = list_swept(contact_count, contacts, marks, swept)


@inner
def list_swept(contact_count: int, contacts: Table, marks: Marks, swept_out: Integers32) -> int:
    """List the contacts at which some round may stop a body; returns how many there are.

    One test turns most away, which the processor can foresee; whether a body is fast it cannot.
    """
    count = 0
    for k in range(contact_count):
        contact = contacts[k]
        marked = marks[contact.body_a] | marks[contact.body_b]
        if marked != (IS_FAST | STOPS) and contact.feature_0 != LEFT_TO_SWEEP:
            continue
        if (marked & IS_FAST) == 0 or contact.is_sensor or contact.disabled != 0:
            continue
        if (marked & STOPS) != 0 or is_left_to_sweep(contact):
            swept_out[count] = k
            count += 1
    return count


@inlined
def is_left_to_sweep(contact: Record) -> bool:
    """Whether flight.py has left it to the sweep to find out whether two bodies meet."""
    return bool(contact.feature_0 == LEFT_TO_SWEEP and contact.count == 0)


@inlined
def sweeps(row: int, obstacle_kind: int, bodies: Table, traits: Table, obstacles: Integers) -> bool:
    """Whether a body may be stopped in the round in which obstacles are of this kind or less."""
    if bodies[row].kind != DYNAMIC or traits[row].is_sensor:
        return False
    if obstacle_kind == DYNAMIC:
        return bool(traits[row].is_bullet)
    return obstacle_kind == KINEMATIC or obstacles[row] != NOBODY


@inner
def sweep_contacts(
    swept_count: int,
    swept: Integers32,
    contacts: Table,
    obstacle_kind: int,
    traits: Table,
    parts: Table,
    local_vertices: Reals,
    bodies: Table,
    times_out: Reals,
    obstacles_out: Integers,
) -> bool:
    """Sweep the pairs of contacts that were listed for it; tells whether any body stops."""
    any_stops = False
    for k in swept[:swept_count]:
        a = contacts[k].body_a
        b = contacts[k].body_b
        stops_a = is_obstacle(bodies[b], obstacle_kind)
        stops_a = stops_a and sweeps(a, obstacle_kind, bodies, traits, obstacles_out)
        stops_b = is_obstacle(bodies[a], obstacle_kind)
        stops_b = stops_b and sweeps(b, obstacle_kind, bodies, traits, obstacles_out)
        if obstacle_kind == DYNAMIC and is_left_to_sweep(contacts[k]):
            contacts[k].feature_0 = -1
            stops_a = stops_b = bodies[a].kind == DYNAMIC and bodies[b].kind == DYNAMIC
        if stops_a or stops_b:
            stops = sweep_pair(
                contacts[k].part_a,
                contacts[k].part_b,
                stops_a,
                stops_b,
                parts,
                local_vertices,
                bodies,
                times_out,
                obstacles_out,
            )
            any_stops = any_stops or stops
    return any_stops


@inlined
def is_obstacle(body: Record, obstacle_kind: int) -> bool:
    """Whether sweeps of this round stop at a body."""
    if obstacle_kind == DYNAMIC:
        return bool(body.kind != FREE)
    return bool(body.kind == STATIC or body.kind == obstacle_kind)


@inner
def has_left_fat_boxes(body: Record, parts: Table) -> bool:
    """Whether a part may have been outside its fat box, with which pairs were found."""
    part_row = body.first_part
    while part_row >= 0:
        part = parts[part_row]
        lower_x, lower_y, upper_x, upper_y = box_of_sweep(part, body)
        is_inside = (
            lower_x >= part.fat_lower_x
            and lower_y >= part.fat_lower_y
            and upper_x <= part.fat_upper_x
            and upper_y <= part.fat_upper_y
        )
        if not is_inside:
            return True
        part_row = part.next
    return False


@inlined
def box_of_sweep(part: Record, body: Record) -> tuple[float, float, float, float]:
    """A box around all that a part covered in this step: lower x, y, upper x, y (m)."""
    x = body.x - body.start_x
    y = body.y - body.start_y
    turn = body.extent * min(abs(body.angle - body.start_angle), 2.0)
    return (
        part.lower_x + min(x, 0.0) - turn,
        part.lower_y + min(y, 0.0) - turn,
        part.upper_x + max(x, 0.0) + turn,
        part.upper_y + max(y, 0.0) + turn,
    )


@inner
def sweep_everywhere(
    row: int,
    part_rows: int,
    obstacle_kind: int,
    traits: Table,
    excluded: Integers,
    parts: Table,
    local_vertices: Reals,
    bodies: Table,
    times_out: Reals,
    obstacles_out: Integers,
) -> bool:
    """Sweep a body against all parts: it has got farther than the pairs were looked for.

    Tells whether it stops.
    """
    any_stops = False
    for other in range(part_rows):
        body = parts[other].body
        if body < 0 or body == row or not is_obstacle(bodies[body], obstacle_kind):
            continue
        if traits[body].is_sensor or not may_meet(row, body, bodies, traits, excluded):
            continue
        part_row = bodies[row].first_part
        while part_row >= 0:
            stops = sweep_pair(
                part_row,
                other,
                True,
                False,
                parts,
                local_vertices,
                bodies,
                times_out,
                obstacles_out,
            )
            any_stops = any_stops or stops
            part_row = parts[part_row].next
    return any_stops


@inner
def sweep_pair(
    part_a: int,
    part_b: int,
    stops_a: bool,
    stops_b: bool,
    parts: Table,
    local_vertices: Reals,
    bodies: Table,
    times_out: Reals,
    obstacles_out: Integers,
) -> bool:
    """Find out when two parts meet, and note it for the bodies that stop then; or tell False."""
    a = parts[part_a].body
    b = parts[part_b].body
    a_lower_x, a_lower_y, a_upper_x, a_upper_y = box_of_sweep(parts[part_a], bodies[a])
    b_lower_x, b_lower_y, b_upper_x, b_upper_y = box_of_sweep(parts[part_b], bodies[b])
    if (
        a_lower_x > b_upper_x
        or b_lower_x > a_upper_x
        or a_lower_y > b_upper_y
        or b_lower_y > a_upper_y
    ):
        return False
    time = stopping_time(parts[part_a], parts[part_b], bodies[a], bodies[b], local_vertices)
    if stops_a and time < times_out[a]:
        times_out[a] = time
        obstacles_out[a] = b
    if stops_b and time < times_out[b]:
        times_out[b] = time
        obstacles_out[b] = a
    return bool(time < NEVER)


@inner
def stopping_time(
    part_a: Record, part_b: Record, body_a: Record, body_b: Record, local_vertices: Reals
) -> float:
    """The part of the step after which two parts overlap more than contacts leave behind; or NEVER.

    Those that overlap more to begin with may do so a little more; but if it is most of their
    thickness, nobody knows which way is out.
    """
    thickness = part_a.core + part_b.core
    gap = TOLERANCE - min(LINEAR_SLOP, DEEP * thickness)
    time: float = sweep_time(part_a, part_b, body_a, body_b, local_vertices, gap)
    if time > 0.0:
        return time
    gap = separation_at_start(part_a, part_b, body_a, body_b, local_vertices)
    gap -= 2.0 * TOLERANCE + min(LINEAR_SLOP, DEEP * thickness)
    if gap < -0.75 * thickness:
        return NEVER
    later: float = sweep_time(part_a, part_b, body_a, body_b, local_vertices, gap)
    return later


@inner
def stop_bodies(
    rows: int,
    marks: Marks,
    bodies_out: Table,
    transforms_out: Table,
    times: Reals,
    obstacles: Integers,
) -> bool:
    """Put each swept body to where it met something; tells whether one met what may carry it on.

    `obstacles` keeps what carried a body on, which makes it fast, and `times` forgets.
    """
    any_carried = False
    for row in range(rows):
        time = times[row]
        if time >= NEVER or is_written(row, transforms_out, bodies_out):
            continue
        body = bodies_out[row]
        other = obstacles[row]
        body.x = body.start_x + time * (body.x - body.start_x)
        body.y = body.start_y + time * (body.y - body.start_y)
        body.angle = body.start_angle + time * (body.angle - body.start_angle)
        if bodies_out[other].kind != STATIC:
            any_carried = True
            is_mutual = times[other] < NEVER and obstacles[other] == row
            if not is_mutual:
                carry(time, bodies_out[other], body)
                marks[row] |= np.uint8(IS_FAST)
        write_pose(body, transforms_out[row])
    for row in range(rows):
        if times[row] < NEVER:
            times[row] = NEVER
            if bodies_out[obstacles[row]].kind == STATIC:
                obstacles[row] = NOBODY
    return any_carried


@inner
def carry(time: float, obstacle: Record, body_out: Record) -> None:
    """Let what stopped at `time` stick to the obstacle for the rest of the step."""
    rest = 1.0 - time
    turn = rest * (obstacle.angle - obstacle.start_angle)
    there_x = obstacle.x - rest * (obstacle.x - obstacle.start_x)
    there_y = obstacle.y - rest * (obstacle.y - obstacle.start_y)
    away_x, away_y = turned_back(
        math.cos(turn), -math.sin(turn), body_out.x - there_x, body_out.y - there_y
    )
    body_out.x = obstacle.x + away_x
    body_out.y = obstacle.y + away_y
    body_out.angle += turn
