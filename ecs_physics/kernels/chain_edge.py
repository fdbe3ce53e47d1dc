"""Where an edge of a chain, A, touches a circle, or a part of two or more vertices.

The edge is solid on one side, and a piece of a surface that goes on at its ends: normals are only
what that surface has, see chain_surface.py. A core whose centre is behind it touches nothing.

What the arguments are: part_pairs.py.
"""

import math
from typing import Final

from ecs_physics.kernels.chain_surface import (
    FLUSH,
    HEAD,
    HILL,
    OURS,
    TAIL,
    THEIRS,
    End,
    edge_end,
    left_normal,
    owner,
)
from ecs_physics.kernels.compile import Reals, inlined, inner
from ecs_physics.kernels.manifold import (
    EXACT,
    ROUND,
    TOLERANCE,
    TWO_VERTICES,
    Manifold,
    feature,
    is_within,
    no_manifold,
    one_point,
    seen_from_other,
)
from ecs_physics.kernels.part_cores import (
    COINCIDENT,
    FAR,
    SLACK,
    facing_edge,
    lowest,
    middle,
    nearest_corner,
    next_vertex,
)
from ecs_physics.kernels.polygon_manifold import clipped_manifold

NO_AXIS: Final = 0
"""An edge of a chain and a polygon do not touch, ..."""
OWN_NORMAL: Final = 1
"""... are kept apart along the edge's normal, ..."""
FACE_OF_B: Final = 2
"""... along that of an edge of the polygon, ..."""
NEIGHBOURS: Final = 3
"""... or along one that another edge of the chain answers for."""


@inner
def collide_edge_circle(
    vertices: Reals,
    first_a: int,
    radius_a: float,
    first_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of an edge of a chain, A, and a part of one vertex."""
    tail = first_a
    head = first_a + 1
    normal_x, normal_y = left_normal(vertices, tail, head)
    x = vertices[first_b, 0] + dx
    y = vertices[first_b, 1] + dy
    reach = limit + radius_a + radius_b
    height = (x - vertices[tail, 0]) * normal_x + (y - vertices[tail, 1]) * normal_y
    if height < 0.0 or height > reach:
        return no_manifold()
    before_tail = (y - vertices[tail, 1]) * normal_x - (x - vertices[tail, 0]) * normal_y
    after_head = (x - vertices[head, 0]) * normal_y - (y - vertices[head, 1]) * normal_x
    if before_tail > 0.0 or after_head > 0.0:
        side = HEAD if after_head > 0.0 else TAIL
        end = edge_end(vertices, tail, side, normal_x, normal_y)
        if end[0] == FLUSH:
            if max(before_tail, after_head) > SLACK:
                return no_manifold()
        else:
            corner = head if side == HEAD else tail
            corner_x = vertices[corner, 0]
            corner_y = vertices[corner, 1]
            away_x = x - corner_x
            away_y = y - corner_y
            distance = math.sqrt(away_x * away_x + away_y * away_y)
            if distance > reach:
                return no_manifold()
            if distance > COINCIDENT:
                away_x /= distance
                away_y /= distance
                if owner(away_x, away_y, side, normal_x, normal_y, end) != OURS:
                    return no_manifold()
                return one_point(
                    away_x, away_y, corner_x, corner_y, distance, radius_a, radius_b, ROUND
                )
    foot_x = x - height * normal_x
    foot_y = y - height * normal_y
    return one_point(normal_x, normal_y, foot_x, foot_y, height, radius_a, radius_b, ROUND)


@inner
def collide_edge_polygon(
    vertices: Reals,
    first_a: int,
    radius_a: float,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of an edge of a chain, A, and a part of two or more vertices."""
    tail = first_a
    head = first_a + 1
    reach = limit + radius_a + radius_b
    normal_x, normal_y = left_normal(vertices, tail, head)
    axis, gap, face, is_head = edge_axis(
        vertices, tail, normal_x, normal_y, first_b, count_b, dx, dy, reach
    )
    if axis == NO_AXIS:
        return no_manifold()
    face_end = next_vertex(face, first_b, count_b)
    # As the edge of a counter-clockwise part, the chain's runs from head to tail.
    if axis == FACE_OF_B:
        first, start, end, radius, x, y = first_b, face, face_end, radius_b, -dx, -dy
        axis_x, axis_y = vertices[face, 2], vertices[face, 3]
        other_first, other_start, other_end, other_radius = first_a, head, tail, radius_a
    else:
        first, start, end, radius, x, y = first_a, head, tail, radius_a, dx, dy
        axis_x, axis_y = normal_x, normal_y
        other_first, other_start, other_end, other_radius = first_b, face, face_end, radius_b
    manifold = clipped_manifold(
        vertices,
        first,
        start,
        end,
        radius,
        other_first,
        other_start,
        other_end,
        other_radius,
        x,
        y,
        axis_x,
        axis_y,
    )
    if axis == NEIGHBOURS:
        manifold = no_manifold()
    elif axis == FACE_OF_B:
        manifold = seen_from_other(manifold, dx, dy)
    if is_within(manifold, gap - radius_a - radius_b + EXACT):
        return manifold
    return edge_corner_manifold(
        manifold,
        is_head,
        vertices,
        tail,
        normal_x,
        normal_y,
        radius_a,
        first_b,
        count_b,
        radius_b,
        dx,
        dy,
        reach,
    )


@inner
def edge_corner_manifold(
    manifold: Manifold,
    is_head: bool,
    vertices: Reals,
    tail: int,
    normal_x: float,
    normal_y: float,
    radius_a: float,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    reach: float,
) -> Manifold:
    """The manifold between an end of A and the nearest vertex of B, if these are nearest.

    Else `manifold`, or none where the neighbour answers for that corner, or beyond `reach` (m).
    """
    side = HEAD if is_head else TAIL
    corner = tail + 1 if is_head else tail
    distance, nearest = nearest_corner(vertices, corner, first_b, count_b, dx, dy)
    end = edge_end(vertices, tail, side, normal_x, normal_y)
    if end[0] == FLUSH or distance <= COINCIDENT:
        return manifold
    corner_x = vertices[corner, 0]
    corner_y = vertices[corner, 1]
    x = (vertices[nearest, 0] + dx - corner_x) / distance
    y = (vertices[nearest, 1] + dy - corner_y) / distance
    along = vertices[nearest, 0] * x + vertices[nearest, 1] * y
    is_nearest = lowest(vertices, first_b, count_b, x, y) >= along - SLACK
    if not is_nearest or (x * normal_y - y * normal_x) * side < 0.0:
        return manifold
    if owner(x, y, side, normal_x, normal_y, end) != OURS or distance > reach:
        return no_manifold()
    which = TWO_VERTICES + feature(corner - tail, nearest - first_b)
    return one_point(x, y, corner_x, corner_y, distance, radius_a, radius_b, which)


@inner
def edge_axis(
    vertices: Reals,
    tail: int,
    normal_x: float,
    normal_y: float,
    first: int,
    count: int,
    dx: float,
    dy: float,
    reach: float,
) -> tuple[int, float, int, bool]:
    """Along which axis an edge of a chain keeps a part of two or more vertices off.

    The part's `count` vertices are displaced by (dx, dy). All axes compete, but a normal that
    the surface does not have takes no part, and a neighbour's normal, if it wins, leaves the
    contact to the neighbour (unless a corner is nearer than any of these axes tells).

    Returns (OWN_NORMAL, FACE_OF_B, NEIGHBOURS or NO_AXIS; the gap of the cores along it, m; the
    row of the part's edge that faces the chain's; whether they are nearest at the head).
    """
    tail_x = vertices[tail, 0] - dx
    tail_y = vertices[tail, 1] - dy
    head_x = vertices[tail + 1, 0] - dx
    head_y = vertices[tail + 1, 1] - dy
    own = gap_before(vertices, first, count, tail_x, tail_y, normal_x, normal_y)
    if own > reach:
        return NO_AXIS, own, first, False

    before = edge_end(vertices, tail, TAIL, normal_x, normal_y)
    after = edge_end(vertices, tail, HEAD, normal_x, normal_y)
    center_x, center_y = middle(vertices, first, count)
    is_above = (center_x - tail_x) * normal_x + (center_y - tail_y) * normal_y >= 0.0
    rival, is_rival_head, is_in_front = neighbours_axis(
        vertices,
        tail_x,
        tail_y,
        head_x,
        head_y,
        before,
        after,
        first,
        count,
        center_x,
        center_y,
    )
    if rival > reach or not (is_above or is_in_front):
        return NO_AXIS, rival, first, False

    best, face, their_best, is_head = face_axis(
        vertices,
        tail_x,
        tail_y,
        head_x,
        head_y,
        normal_x,
        normal_y,
        before,
        after,
        first,
        count,
        reach,
    )
    if their_best > rival:
        rival = their_best
        is_rival_head = is_head
    if rival > reach:
        return NO_AXIS, rival, first, False
    if own + TOLERANCE >= max(best, rival):
        face = facing_edge(vertices, first, count, normal_x, normal_y)
        end = next_vertex(face, first, count)
        gap = vertices[face, 0] * normal_x + vertices[face, 1] * normal_y
        end_gap = vertices[end, 0] * normal_x + vertices[end, 1] * normal_y
        nearest = face if gap < end_gap else end
        x = vertices[nearest, 0] - 0.5 * (tail_x + head_x)
        y = vertices[nearest, 1] - 0.5 * (tail_y + head_y)
        return OWN_NORMAL if is_above else NEIGHBOURS, own, face, x * normal_y > y * normal_x
    if best > rival:
        is_head = vertices[face, 3] * normal_x > vertices[face, 2] * normal_y
        return FACE_OF_B, best, face, is_head
    return NEIGHBOURS if rival > 0.0 else NO_AXIS, rival, first, is_rival_head


@inlined
def neighbours_axis(
    vertices: Reals,
    tail_x: float,
    tail_y: float,
    head_x: float,
    head_y: float,
    before: End,
    after: End,
    first: int,
    count: int,
    center_x: float,
    center_y: float,
) -> tuple[float, bool, bool]:
    """How the neighbours of an edge from tail to head, those at hills, keep a part off.

    Returns (the larger gap of the cores along their normals, m; whether that is at the head;
    whether the part's centre lies before a neighbour).
    """
    gap = -FAR
    is_head = False
    is_in_front = False
    if before[0] == HILL:
        x, y = before[1], before[2]
        gap = gap_before(vertices, first, count, tail_x, tail_y, x, y)
        is_in_front = (center_x - tail_x) * x + (center_y - tail_y) * y >= 0.0
    if after[0] == HILL:
        x, y = after[1], after[2]
        gap_after = gap_before(vertices, first, count, head_x, head_y, x, y)
        if gap_after > gap:
            gap = gap_after
            is_head = True
        if (center_x - head_x) * x + (center_y - head_y) * y >= 0.0:
            is_in_front = True
    return gap, is_head, is_in_front


@inlined
def face_axis(
    vertices: Reals,
    tail_x: float,
    tail_y: float,
    head_x: float,
    head_y: float,
    normal_x: float,
    normal_y: float,
    before: End,
    after: End,
    first: int,
    count: int,
    reach: float,
) -> tuple[float, int, float, bool]:
    """Which edges of a part keep it farthest off an edge of a chain from tail to head.

    Returns (the gap, m, over those whose normal the chain's edge has; the row of that one; the
    gap over those whose normal the neighbours have; whether that one is at the head). A gap
    beyond `reach` (m) is the second, whosever it is: there is no contact.
    """
    best = -FAR
    face = first
    their_best = -FAR
    is_their_head = False
    for row in range(first, first + count):
        x = -vertices[row, 2]
        y = -vertices[row, 3]
        gap = vertices[row, 0] * x + vertices[row, 1] * y
        gap -= max(tail_x * x + tail_y * y, head_x * x + head_y * y)
        if gap > reach:
            return best, face, gap, False
        is_head = x * normal_y > y * normal_x
        side = HEAD if is_head else TAIL
        whose = owner(x, y, side, normal_x, normal_y, after if is_head else before)
        if whose == OURS and gap > best:
            best = gap
            face = row
        elif whose == THEIRS and gap > their_best:
            their_best = gap
            is_their_head = is_head
    return best, face, their_best, is_their_head


@inner
def gap_before(
    vertices: Reals, first: int, count: int, x: float, y: float, normal_x: float, normal_y: float
) -> float:
    """How far a core of `count` vertices lies before a line through (x, y), m."""
    return lowest(vertices, first, count, normal_x, normal_y) - (x * normal_x + y * normal_y)
