"""When two parts that move and turn come to touch: never too late, and early by a tolerance.

Conservative advancement (B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems",
1996) along separating axes (E. Catto, "Continuous Collision", GDC 2013). While an axis keeps two
parts apart they cannot touch. So: find the best axis at a time t, go on to the first time at
which the parts may meet along that axis, and look anew. How far a corner may have come by then is
its speed along the axis times the time, plus, as it turns by `turn` radians about a centre at a
distance r, half of turn^2 r times the square of the time, which no turning corner exceeds.

The separation along the best axis is the distance of two parts that are apart, or minus the
shortest way out of each other: so a sweep may also ask when parts come to overlap by so much.

A sweep runs from time 0 to 1. Motion is even: places move along lines, angles turn evenly. Both
parts' vertices are given about the centre of mass of their own body, at an angle of 0; the one body
is then at `angle_a`, the other at `angle_b`, displaced by (dx, dy); in the sweep they turn by
`turn_a` and `turn_b`, and the other moves by (move_x, move_y) as seen from the one.
"""

import math
from typing import Final

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.compile import (
    Reals,
    Record,
    boolean,
    inlined,
    inner,
    integer,
    kernel,
    real,
    reals2,
)
from ecs_physics.kernels.part_cores import COINCIDENT, FAR, lowest, middle

NEVER: Final = 2.0
"""A time that no sweep reaches."""

TOLERANCE: Final = 0.1 * LINEAR_SLOP
"""m. Parts as near as this have met. Smaller: more looks. Larger: bodies stop visibly short."""

MOST_LOOKS: Final = 64
"""Looks at which a sweep ends, as if the parts met there: it may stop too early, never too late.
Fewer: fast spinning rods stick near walls. More: a rare sweep costs more."""


@kernel(
    real(
        reals2,
        integer,
        integer,
        real,
        boolean,
        integer,
        integer,
        real,
        boolean,
        real,
        real,
        real,
        real,
        real,
        real,
        real,
        real,
        real,
    ),
    feature="impact_time",
)
def impact_time(
    vertices: Reals,
    first_a: int,
    count_a: int,
    radius_a: float,
    one_sided_a: bool,
    first_b: int,
    count_b: int,
    radius_b: float,
    one_sided_b: bool,
    dx: float,
    dy: float,
    angle_a: float,
    angle_b: float,
    move_x: float,
    move_y: float,
    turn_a: float,
    turn_b: float,
    gap: float,
) -> float:
    """`time_of_impact`, for whoever is no kernel."""
    result: float = time_of_impact(
        vertices,
        first_a,
        count_a,
        radius_a,
        one_sided_a,
        first_b,
        count_b,
        radius_b,
        one_sided_b,
        dx,
        dy,
        angle_a,
        angle_b,
        move_x,
        move_y,
        turn_a,
        turn_b,
        gap,
    )
    return result


@inner
def time_of_impact(
    vertices: Reals,
    first_a: int,
    count_a: int,
    radius_a: float,
    one_sided_a: bool,
    first_b: int,
    count_b: int,
    radius_b: float,
    one_sided_b: bool,
    dx: float,
    dy: float,
    angle_a: float,
    angle_b: float,
    move_x: float,
    move_y: float,
    turn_a: float,
    turn_b: float,
    gap: float,
) -> float:
    """The first time (0 to 1) at which the separation is `gap` (m) or TOLERANCE more; or NEVER.

    0 where it is no more than that to begin with. A negative `gap` asks for an overlap; it finds
    nothing where the parts are never that thick.
    """
    reach = gap + radius_a + radius_b
    bend = 0.5 * turn_a * turn_a * farthest(vertices, first_a, count_a)
    bend += 0.5 * turn_b * turn_b * farthest(vertices, first_b, count_b)
    time = 0.0
    for _ in range(MOST_LOOKS):
        cos_a = math.cos(angle_a + time * turn_a)
        sin_a = math.sin(angle_a + time * turn_a)
        angle = angle_b - angle_a + time * (turn_b - turn_a)
        cos = math.cos(angle)
        sin = math.sin(angle)
        x, y = turned_back(cos_a, sin_a, dx + time * move_x, dy + time * move_y)
        separation, axis_x, axis_y = best_axis(
            vertices,
            first_a,
            count_a,
            one_sided_a,
            first_b,
            count_b,
            one_sided_b,
            x,
            y,
            cos,
            sin,
        )
        if separation <= reach + TOLERANCE:
            return time
        speed_x, speed_y = turned_back(cos_a, sin_a, move_x, move_y)
        time += free_time(
            vertices,
            first_a,
            count_a,
            first_b,
            count_b,
            x * axis_x + y * axis_y - reach,
            speed_x * axis_x + speed_y * axis_y,
            axis_x,
            axis_y,
            cos,
            sin,
            turn_a,
            turn_b,
            bend,
        )
        if time >= 1.0:
            return NEVER
    return time


@inlined
def turned_back(cos: float, sin: float, x: float, y: float) -> tuple[float, float]:
    """(x, y) as a frame sees it that is turned by the angle of this cosine and sine."""
    return cos * x + sin * y, cos * y - sin * x


@inner
def farthest(vertices: Reals, first: int, count: int) -> float:
    """How far the vertices of a part reach from the centre of mass of their body, m."""
    square = 0.0
    for row in range(first, first + count):
        x = vertices[row, 0]
        y = vertices[row, 1]
        square = max(square, x * x + y * y)
    return math.sqrt(square)


@inner
def best_axis(
    vertices: Reals,
    first_a: int,
    count_a: int,
    one_sided_a: bool,
    first_b: int,
    count_b: int,
    one_sided_b: bool,
    x: float,
    y: float,
    cos: float,
    sin: float,
) -> tuple[float, float, float]:
    """The axis that keeps two cores farthest apart: (separation in m, unit vector from A to B).

    All in A's frame, where B is at (x, y) and turned by the angle of `cos` and `sin`. Axes are the
    normals of both, and the direction between the two nearest vertices. A chain's edge has its
    own normal alone, and keeps off nothing behind it.
    """
    best, axis_x, axis_y = best_normal(
        vertices, first_a, count_a, one_sided_a, first_b, count_b, x, y, cos, sin
    )
    back_x, back_y = turned_back(cos, sin, -x, -y)
    other, other_x, other_y = best_normal(
        vertices, first_b, count_b, one_sided_b, first_a, count_a, back_x, back_y, cos, -sin
    )
    if other > best:
        best = other
        axis_x, axis_y = turned_back(cos, -sin, -other_x, -other_y)
    distance = FAR
    away_x = 0.0
    away_y = 0.0
    for row_b in range(first_b, first_b + count_b):
        place_x, place_y = turned_back(cos, -sin, vertices[row_b, 0], vertices[row_b, 1])
        for row_a in range(first_a, first_a + count_a):
            step_x = place_x + x - vertices[row_a, 0]
            step_y = place_y + y - vertices[row_a, 1]
            square = step_x * step_x + step_y * step_y
            if square < distance:
                distance = square
                away_x = step_x
                away_y = step_y
    distance = math.sqrt(distance)
    if distance > max(best, COINCIDENT):
        away_x /= distance
        away_y /= distance
        in_b_x, in_b_y = turned_back(cos, sin, away_x, away_y)
        is_behind = (
            one_sided_a and away_x * vertices[first_a, 2] + away_y * vertices[first_a, 3] < 0
        )
        is_behind |= (
            one_sided_b and in_b_x * vertices[first_b, 2] + in_b_y * vertices[first_b, 3] > 0
        )
        between = lowest(vertices, first_a, count_a, -away_x, -away_y)
        between += lowest(vertices, first_b, count_b, in_b_x, in_b_y) + x * away_x + y * away_y
        if between > best and not is_behind:
            return between, away_x, away_y
    if best == -FAR:  # two circles about one centre
        return 0.0, 0.0, 1.0
    return best, axis_x, axis_y


@inner
def best_normal(
    vertices: Reals,
    first_a: int,
    count_a: int,
    one_sided_a: bool,
    first_b: int,
    count_b: int,
    x: float,
    y: float,
    cos: float,
    sin: float,
) -> tuple[float, float, float]:
    """Which edge of A keeps core B farthest off: (separation in m, its normal); -FAR for none."""
    edges = 1 if one_sided_a else count_a
    if count_a == 1:
        edges = 0
    best = -FAR
    best_x = 0.0
    best_y = 1.0
    for row in range(first_a, first_a + edges):
        normal_x = vertices[row, 2]
        normal_y = vertices[row, 3]
        in_b_x, in_b_y = turned_back(cos, sin, normal_x, normal_y)
        separation = lowest(vertices, first_b, count_b, in_b_x, in_b_y)
        separation += (x - vertices[row, 0]) * normal_x + (y - vertices[row, 1]) * normal_y
        if separation > best:
            best = separation
            best_x = normal_x
            best_y = normal_y
    return best, best_x, best_y


@inner
def free_time(
    vertices: Reals,
    first_a: int,
    count_a: int,
    first_b: int,
    count_b: int,
    offset: float,
    speed: float,
    axis_x: float,
    axis_y: float,
    cos: float,
    sin: float,
    turn_a: float,
    turn_b: float,
    bend: float,
) -> float:
    """How long no vertex of B can come within reach of one of A along an axis that stands still.

    `offset` (m) is what is added to the way from a vertex of A to one of B along the axis, `speed`
    how fast that grows; a gap g that changes at a rate v lasts until g + v t = bend t^2.
    """
    in_b_x, in_b_y = turned_back(cos, sin, axis_x, axis_y)
    least = FAR
    for row_a in range(first_a, first_a + count_a):
        ax = vertices[row_a, 0]
        ay = vertices[row_a, 1]
        base = offset - ax * axis_x - ay * axis_y
        rate_a = speed - turn_a * (ax * axis_y - ay * axis_x)
        for row_b in range(first_b, first_b + count_b):
            bx = vertices[row_b, 0]
            by = vertices[row_b, 1]
            gap = base + bx * in_b_x + by * in_b_y
            rate = rate_a + turn_b * (bx * in_b_y - by * in_b_x)
            under = math.sqrt(rate * rate + 4.0 * bend * gap) - rate
            if 2.0 * gap < least * under:
                least = 2.0 * gap / under
    return least


@inner
def sweep_time(
    part_a: Record,
    part_b: Record,
    body_a: Record,
    body_b: Record,
    local_vertices: Reals,
    gap: float,
) -> float:
    """`time_of_impact` of two parts, from where their bodies began this step to where they are.

    NEVER for what begins behind the edge of a chain.
    """
    if begins_behind(part_a, part_b, body_a, body_b, local_vertices):
        return NEVER
    if begins_behind(part_b, part_a, body_b, body_a, local_vertices):
        return NEVER
    result: float = time_of_impact(
        local_vertices,
        part_a.first_vertex,
        part_a.count,
        part_a.radius,
        part_a.one_sided,
        part_b.first_vertex,
        part_b.count,
        part_b.radius,
        part_b.one_sided,
        body_b.start_x - body_a.start_x,
        body_b.start_y - body_a.start_y,
        body_a.start_angle,
        body_b.start_angle,
        (body_b.x - body_b.start_x) - (body_a.x - body_a.start_x),
        (body_b.y - body_b.start_y) - (body_a.y - body_a.start_y),
        body_a.angle - body_a.start_angle,
        body_b.angle - body_b.start_angle,
        gap,
    )
    return result


@inner
def begins_behind(
    edge: Record, part: Record, body_of_edge: Record, body: Record, local_vertices: Reals
) -> bool:
    """Whether the middle of a part began this step behind the edge of a chain."""
    if not edge.one_sided:
        return False
    x, y, cos, sin = pose_in_start(body_of_edge, body)
    middle_x, middle_y = middle(local_vertices, part.first_vertex, part.count)
    middle_x, middle_y = turned_back(cos, -sin, middle_x, middle_y)
    row = edge.first_vertex
    height = (middle_x + x - local_vertices[row, 0]) * local_vertices[row, 2]
    height += (middle_y + y - local_vertices[row, 1]) * local_vertices[row, 3]
    return bool(height < 0.0)


@inlined
def pose_in_start(body_a: Record, body_b: Record) -> tuple[float, float, float, float]:
    """Where B began this step as A saw it then: x, y (m), cosine and sine of its angle."""
    x, y = turned_back(
        math.cos(body_a.start_angle),
        math.sin(body_a.start_angle),
        body_b.start_x - body_a.start_x,
        body_b.start_y - body_a.start_y,
    )
    angle = body_b.start_angle - body_a.start_angle
    return x, y, math.cos(angle), math.sin(angle)


@inner
def separation_at_start(
    part_a: Record, part_b: Record, body_a: Record, body_b: Record, local_vertices: Reals
) -> float:
    """The separation of two parts as this step began, m."""
    x, y, cos, sin = pose_in_start(body_a, body_b)
    separation, _, _ = best_axis(
        local_vertices,
        part_a.first_vertex,
        part_a.count,
        part_a.one_sided,
        part_b.first_vertex,
        part_b.count,
        part_b.one_sided,
        x,
        y,
        cos,
        sin,
    )
    result: float = separation - part_a.radius - part_b.radius
    return result
