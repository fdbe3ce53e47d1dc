"""What a step begins and ends with: poses, masses and boxes from the columns, and back."""

import math
from typing import Any, Final

import numpy as np
from numba import types

from ecs_physics.constants import FAT_MARGIN, FAT_SHARE, FAT_STEPS_AHEAD, SPECULATIVE_DISTANCE
from ecs_physics.kernels.axes import cos_sin
from ecs_physics.kernels.box_manifolds import write_box
from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    Reals32,
    Record,
    Table,
    inlined,
    inner,
    integer,
    integers,
    kernel,
    real,
    reals2,
    reals32_2,
    table,
)
from ecs_physics.kernels.lanes import maximum, minimum
from ecs_physics.kernels.manifold_lanes import write_part
from ecs_physics.kernels.quads import Quad, box_of, four, number, read_four, swapped, write_four
from ecs_physics.tables import (
    BODY,
    BOX,
    DAMPING,
    DYNAMIC,
    FITTED_BOX,
    FORCE,
    FREE,
    GRAVITY_SCALE,
    KINEMATIC,
    LOCKED_AXES,
    MASS,
    PART,
    SLEEPING,
    STATIC,
    SWEPT_BOX,
    TRANSFORM,
    VELOCITY,
)

LARGEST: Final = float(np.finfo(np.float32).max)
"""m. Boxes that begin beyond are taken to begin here."""

ONE_DOWN: Final = np.float32(1.2e-7)
"""Ratio to a float32 of a step to one that is smaller, one or two away."""

TINY: Final = np.float32(1e-37)
"""m. The same step next to 0."""


@kernel(integer(integer, table(FORCE)))
def find_bad_force(rows: int, forces: Table) -> int:
    """The first row with a NaN or an infinity in its force, or -1."""
    for row in range(rows):
        force = forces[row]
        if not math.isfinite(force.x + force.y + force.torque):
            return row
    return -1


@kernel(
    integer(
        integer,
        real,
        table(TRANSFORM),
        table(VELOCITY),
        table(MASS),
        table(LOCKED_AXES),
        table(DAMPING),
        table(GRAVITY_SCALE),
        table(BODY),
        table(PART),
        reals2,
        reals2,
        reals32_2,
        integers,
    )
)
def place_bodies(
    rows: int,
    dt: float,
    transforms: Table,
    velocities: Table,
    masses: Table,
    locked_axes: Table,
    dampings: Table,
    gravity_scales: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    world_out: Reals,
    lane_parts_out: Reals32,
    counts_out: Integers,
) -> int:
    """Bring BODY and PART rows in step with the columns, before a step of `dt` seconds.

    Poses that somebody wrote since the last step become the bodies' poses; inverse masses follow
    the mass columns; vertices turn with their bodies; boxes are fitted, and fat boxes renewed
    where the body might leave them during the step. Sleeping bodies are where they were.

    `counts_out` (2,) takes the number of parts whose fat box is new (`moved`), in this step or in
    one before that failed, and that of those of them that are of static bodies. Returns -1; or,
    where the columns of a row hold a NaN or an infinity, the row, and the bodies behind it are not
    placed.
    """
    moved = 0
    moved_statics = 0
    for row in range(rows):
        kind = bodies[row].kind
        if kind in (FREE, SLEEPING):
            continue
        if not is_finite(row, transforms, velocities, masses, dampings, gravity_scales):
            return row
        recenter(row, masses, bodies, parts, local_vertices)
        is_new = take_pose(row, transforms, bodies)
        start_here(bodies[row])
        take_mass(row, kind, masses, locked_axes, velocities, bodies)
        is_still = kind == STATIC and not is_new
        part_row = bodies[row].first_part
        while part_row >= 0:
            if not is_still:
                place_part(part_row, bodies[row], parts, local_vertices, world_out)
                fatten(part_row, dt, bodies[row], velocities[row], parts)
                if parts[part_row].form == BOX:
                    way = farthest_way(dt, bodies[row], velocities[row])
                    write_box(part_row, world_out, parts[part_row], way, lane_parts_out)
                else:
                    write_part(part_row, world_out, parts[part_row], lane_parts_out)
                if kind == STATIC:  # its seams are looked for again
                    parts[part_row].moved = True
            moved += 1 if parts[part_row].moved else 0
            moved_statics += 1 if parts[part_row].moved and kind == STATIC else 0
            part_row = parts[part_row].next
    counts_out[0] = moved
    counts_out[1] = moved_statics
    return -1


@kernel(types.void(integer, table(TRANSFORM), table(BODY), table(PART), reals2, reals2))
def refresh_parts(
    rows: int,
    transforms: Table,
    bodies: Table,
    parts: Table,
    local_vertices: Reals,
    world_out: Reals,
) -> None:
    """Place all parts where their bodies are now, for queries between steps.

    The next step notices written transforms all the same, and fat boxes stay as they are.
    """
    for row in range(rows):
        body = bodies[row]
        if body.kind == FREE:
            continue
        if is_written(row, transforms, bodies):
            pose_body(body, transforms[row])
        part_row = body.first_part
        while part_row >= 0:
            place_part(part_row, body, parts, local_vertices, world_out)
            part_row = parts[part_row].next


@inlined
def is_finite(
    row: int,
    transforms: Table,
    velocities: Table,
    masses: Table,
    dampings: Table,
    gravity_scales: Table,
) -> bool:
    """Whether all that a row's columns say of its motion and mass are numbers."""
    pose = transforms[row]
    velocity = velocities[row]
    total = pose.x + pose.y + pose.angle + velocity.x + velocity.y + velocity.omega
    mass = masses[row]
    total += mass.mass + mass.inertia + mass.center_x + mass.center_y
    total += dampings[row].linear + dampings[row].angular + gravity_scales[row].factor
    return math.isfinite(total)


@inner
def recenter(row: int, masses: Table, bodies: Table, parts: Table, local_vertices: Reals) -> None:
    """Let a body follow a centre of mass that was written into its Mass columns."""
    body = bodies[row]
    away_x = masses[row].center_x - body.center_x
    away_y = masses[row].center_y - body.center_y
    if away_x == 0.0 and away_y == 0.0:
        return
    body.center_x = masses[row].center_x
    body.center_y = masses[row].center_y
    body.changed = True
    body.extent = 0.0
    part_row = body.first_part
    while part_row >= 0:
        part = parts[part_row]
        first = part.first_vertex - 1 if part.one_sided else part.first_vertex
        last = part.first_vertex + part.count + (1 if part.one_sided else 0)
        for vertex in range(first, last):
            local_vertices[vertex, 0] -= away_x
            local_vertices[vertex, 1] -= away_y
            distance = math.hypot(local_vertices[vertex, 0], local_vertices[vertex, 1])
            body.extent = max(body.extent, distance + part.radius)
        part_row = part.next


@inlined
def is_written(row: int, transforms: Table, bodies: Table) -> bool:
    """Whether a Transform is new or was written since a step last saw it."""
    body = bodies[row]
    pose = transforms[row]
    return (
        body.changed
        or pose.x != body.seen_x
        or pose.y != body.seen_y
        or pose.angle != body.seen_angle
    )


@inlined
def pose_body(body: Record, pose: Record) -> None:
    """Put a body where its Transform is."""
    body.angle = pose.angle
    body.cos, body.sin = cos_sin(pose.angle)
    body.x = pose.x + body.cos * body.center_x - body.sin * body.center_y
    body.y = pose.y + body.sin * body.center_x + body.cos * body.center_y


@inlined
def take_pose(row: int, transforms: Table, bodies: Table) -> bool:
    """Let BODY follow a Transform that was written; tells whether it was."""
    body = bodies[row]
    pose = transforms[row]
    is_new = is_written(row, transforms, bodies)
    body.teleported = is_new
    body.changed = False
    if is_new:
        pose_body(body, pose)
        body.seen_x = pose.x
        body.seen_y = pose.y
        body.seen_angle = pose.angle
    return is_new


@inlined
def start_here(body: Record) -> None:
    """Let a step's motion begin where a body is; one asleep stays there until it is woken."""
    body.start_x = body.x
    body.start_y = body.y
    body.start_angle = body.angle


@inlined
def take_mass(
    row: int, kind: int, masses: Table, locked_axes: Table, velocities: Table, bodies: Table
) -> None:
    """Inverse mass and inertia from the columns; a locked axis cannot be pushed and is still."""
    body = bodies[row]
    if kind != DYNAMIC:
        body.inverse_mass_x = 0.0
        body.inverse_mass_y = 0.0
        body.inverse_inertia = 0.0
        return
    mass = masses[row].mass
    inertia = masses[row].inertia
    inverse = 1.0 / mass if mass > 0.0 else 0.0
    body.inverse_mass_x = inverse
    body.inverse_mass_y = inverse
    body.inverse_inertia = 1.0 / inertia if inertia > 0.0 else 0.0
    locked = locked_axes[row]
    if locked.x:
        body.inverse_mass_x = 0.0
        velocities[row].x = 0.0
    if locked.y:
        body.inverse_mass_y = 0.0
        velocities[row].y = 0.0
    if locked.angle:
        body.inverse_inertia = 0.0
        velocities[row].omega = 0.0


@inlined
def place_part(
    part_row: int, body: Record, parts: Table, local_vertices: Reals, world_out: Reals
) -> None:
    """Turn a part's vertices and normals into the world's axes and fit its box."""
    part = parts[part_row]
    first = part.first_vertex
    last = first + part.count
    cos = body.cos
    sin = body.sin
    begin = first - 1 if part.one_sided else first
    end = last + 1 if part.one_sided else last
    turn = four(-sin, sin, -sin, sin)
    stay = four(cos, cos, cos, cos)
    lower = four(math.inf, math.inf, math.inf, math.inf)
    upper = four(-math.inf, -math.inf, -math.inf, -math.inf)
    for row in range(begin, end):
        local = read_four(local_vertices, row, 0)  # x, y and normal
        turned = local * stay + swapped(local) * turn
        write_four(world_out, row, 0, turned)
        if first <= row < last:
            lower = minimum(lower, turned)
            upper = maximum(upper, turned)
    radius = part.radius
    place = four(body.x, body.y, body.x, body.y)
    box = (place + box_of(lower, upper)) + four(-radius, -radius, radius, radius)
    write_four(parts, part_row, FITTED_BOX, box)


@inlined
def fatten(part_row: int, dt: float, body: Record, velocity: Record, parts: Table) -> None:
    """Renew a part's fat box where this step may lead out of it; `moved` stays until a search."""
    part = parts[part_row]
    turning = abs(velocity.omega) * dt
    reach = 0.5 * SPECULATIVE_DISTANCE + body.extent * min(turning, 2.0)
    step_x = velocity.x * dt
    step_y = velocity.y * dt
    swept = read_four(parts, part_row, FITTED_BOX) + reaching(step_x, step_y, reach)
    write_four(parts, part_row, SWEPT_BOX, swept)
    fits = (
        (number(swept, 0) >= part.fat_lower_x)
        & (number(swept, 1) >= part.fat_lower_y)
        & (number(swept, 2) <= part.fat_upper_x)
        & (number(swept, 3) <= part.fat_upper_y)
    )
    if not fits:
        part.moved = True
        margin = min(FAT_MARGIN, FAT_SHARE * body.extent)
        fat = swept + reaching(FAT_STEPS_AHEAD * step_x, FAT_STEPS_AHEAD * step_y, margin)
        part.fat_lower_x = rounded_down(number(fat, 0))
        part.fat_lower_y = rounded_down(number(fat, 1))
        part.fat_upper_x = rounded_up(number(fat, 2))
        part.fat_upper_y = rounded_up(number(fat, 3))


@inlined
def reaching(x: float, y: float, margin: float) -> Quad:
    """What makes a box also hold where it gets to by a motion, and a margin (m) around it."""
    return four(
        min(x, 0.0) - margin, min(y, 0.0) - margin, max(x, 0.0) + margin, max(y, 0.0) + margin
    )


@inlined
def farthest_way(dt: float, body: Record, velocity: Record) -> float:
    """How far (m) a point of a body gets at most in `dt` seconds."""
    speed = abs(velocity.x) + abs(velocity.y) + abs(velocity.omega) * body.extent
    return float(dt * speed)


@inlined
def rounded_down(x: float) -> Any:
    """A float32 just below `x`, whichever way it was rounded, which nobody could foresee."""
    near = np.float32(min(x, LARGEST))
    return near - abs(near) * ONE_DOWN - TINY


@inlined
def rounded_up(x: float) -> Any:
    """A float32 just above `x`."""
    return -rounded_down(-x)


@kernel(types.void(integer, table(BODY), table(TRANSFORM)))
def write_poses(rows: int, bodies: Table, transforms_out: Table) -> None:
    """Write the poses that the integration has led to into the Transform columns.

    A Transform that somebody wrote while the step ran is left as written: the next step begins
    there.
    """
    for row in range(rows):
        body = bodies[row]
        if body.kind != DYNAMIC and body.kind != KINEMATIC:
            continue
        if not is_written(row, transforms_out, bodies):
            write_pose(body, transforms_out[row])


@inlined
def write_pose(body: Record, pose_out: Record) -> None:
    """Write where one body is into its Transform, as seen."""
    if body.angle != body.seen_angle:
        body.cos, body.sin = cos_sin(body.angle)
    pose_out.x = body.x - (body.cos * body.center_x - body.sin * body.center_y)
    pose_out.y = body.y - (body.sin * body.center_x + body.cos * body.center_y)
    pose_out.angle = body.angle
    body.seen_x = pose_out.x
    body.seen_y = pose_out.y
    body.seen_angle = pose_out.angle


@kernel(types.void(integer, table(FORCE)))
def clear_forces(rows: int, forces_out: Table) -> None:
    """Forces act for one step."""
    for row in range(rows):
        forces_out[row].x = 0.0
        forces_out[row].y = 0.0
        forces_out[row].torque = 0.0
