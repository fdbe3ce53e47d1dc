"""The separating-axis method for convex parts: the minimum push vector and where it acts.

Of two convex polygons the axes are the edge normals of both: they overlap where they do so along
every axis, and the axis of least overlap is the shortest way out (the minimum push vector). The
parts' rounding is added to the overlap; for round parts whose cores are apart the line between
their nearest vertices is an axis as well.

`world` holds x, y and outward normal of each vertex's edge (V, 4) about the centre of mass.
"""

import math

from ecs_physics.kernels.compile import (
    Integers,
    Reals,
    Record,
    Table,
    inner,
    integer,
    integers,
    kernel,
    real,
    reals,
    reals2,
    table,
)
from ecs_physics.kernels.impacts_out import PARALLEL, VERTEX_EDGE, write_impact
from ecs_physics.tables import BODY, CONTACT, PART

PARALLEL_SINE = 1e-3
"""rad. Edges that differ less in direction touch along their common length, at whose middle the
push acts. Larger: tilted boxes rest on a middle that does not carry them."""

Impact = tuple[float, float, float, float, float, bool]
"""Overlap (m), normal x and y, point x and y (m), and whether it is flat."""


@kernel(
    integer(integer, integer, integer, integers, table(BODY), table(PART), reals2, table(CONTACT))
)
def find_axis_impacts(
    first_row: int,
    rows: int,
    pair_count: int,
    pairs: Integers,
    bodies: Table,
    parts: Table,
    world: Reals,
    contacts_out: Table,
) -> int:
    """Write an impact for each two overlapping parts of pairs of bodies.

    Args:
        first_row: row of `contacts_out` to begin with.
        rows: what pairs were packed with.
        pair_count: pairs in use.
        pairs: a * rows + b, rows of two bodies.
        bodies: BODY.
        parts: PART.
        world: (V, 4) m.
        contacts_out: impacts, from `first_row` on; normals point from A to B.

    Returns the number of impacts; where `contacts_out` is too short, only the first are written.
    """
    at = first_row
    for pair in range(pair_count):
        row_a = pairs[pair] // rows
        row_b = pairs[pair] % rows
        part_a = bodies[row_a].first_part
        while part_a >= 0:
            part_b = bodies[row_b].first_part
            while part_b >= 0:
                overlap, normal_x, normal_y, x, y, is_flat = _impact(
                    parts[part_a], parts[part_b], bodies[row_a], bodies[row_b], world
                )
                if overlap > 0.0:
                    write_impact(
                        at,
                        row_a,
                        row_b,
                        part_a,
                        part_b,
                        x,
                        y,
                        normal_x,
                        normal_y,
                        overlap,
                        PARALLEL if is_flat else VERTEX_EDGE,
                        0,
                        0,
                        bodies,
                        contacts_out,
                    )
                    at += 1
                part_b = parts[part_b].next
            part_a = parts[part_a].next
    return at - first_row


@kernel(real(integer, integer, integers, table(BODY), table(PART), reals2))
def deepest_overlap(
    rows: int, pair_count: int, pairs: Integers, bodies: Table, parts: Table, world: Reals
) -> float:
    """The greatest overlap (m) of any two parts of pairs of bodies, by this method; 0 for none."""
    deepest = 0.0
    for pair in range(pair_count):
        row_a = pairs[pair] // rows
        row_b = pairs[pair] % rows
        part_a = bodies[row_a].first_part
        while part_a >= 0:
            part_b = bodies[row_b].first_part
            while part_b >= 0:
                result = _impact(parts[part_a], parts[part_b], bodies[row_a], bodies[row_b], world)
                deepest = max(deepest, result[0])
                part_b = parts[part_b].next
            part_a = parts[part_a].next
    return deepest


@kernel(real(reals2, reals2, reals))
def push_vector(corners_a: Reals, corners_b: Reals, push_out: Reals) -> float:
    """Write the shortest push (x, y) of A that parts it from B; return the overlap (m) it removes.

    `corners_a` and `corners_b` (n, 2), m, are convex polygons counter-clockwise. The push is 0 and
    the overlap not above 0 where they are apart.
    """
    best = math.inf
    push_out[0] = 0.0
    push_out[1] = 0.0
    best_x = best_y = 0.0
    for side in range(2):
        mine = corners_b if side == 0 else corners_a
        other = corners_a if side == 0 else corners_b
        sign = 1.0 if side == 0 else -1.0
        for i in range(mine.shape[0]):
            k = i + 1 if i + 1 < mine.shape[0] else 0
            along_x = mine[k, 0] - mine[i, 0]
            along_y = mine[k, 1] - mine[i, 1]
            length = math.sqrt(along_x * along_x + along_y * along_y)
            if length == 0.0:
                continue
            normal_x = along_y / length
            normal_y = -along_x / length
            depth = -math.inf
            for j in range(other.shape[0]):
                dx = other[j, 0] - mine[i, 0]
                dy = other[j, 1] - mine[i, 1]
                depth = max(depth, -(dx * normal_x + dy * normal_y))
            if depth < best:
                best = depth
                best_x = sign * normal_x
                best_y = sign * normal_y
    if best > 0.0:
        push_out[0] = best * best_x
        push_out[1] = best * best_y
    return best


@inner
def _impact(part_a: Record, part_b: Record, body_a: Record, body_b: Record, world: Reals) -> Impact:
    """Overlap of two parts (m, not above 0: none), normal from A to B, point, whether flat."""
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, False)
    if (
        part_a.lower_x > part_b.upper_x
        or part_b.lower_x > part_a.upper_x
        or part_a.lower_y > part_b.upper_y
        or part_b.lower_y > part_a.upper_y
        or (part_a.one_sided and part_b.one_sided)
    ):
        return nothing
    depth_b, edge_b = _least_overlap(part_b, part_a, body_b, body_a, world)
    depth_a, edge_a = _least_overlap(part_a, part_b, body_a, body_b, world)
    radius = part_a.radius + part_b.radius
    if min(depth_a, depth_b) + radius <= 0.0:
        return nothing
    if part_a.one_sided:
        use_a = True
    elif part_b.one_sided:
        use_a = False
    else:
        use_a = depth_a < depth_b
    has_no_edges = edge_a < 0 and edge_b < 0
    if radius > 0.0 and (has_no_edges or min(depth_a, depth_b) <= 0.0):
        gap, x, y, from_x, from_y = _nearest_vertices(part_a, part_b, body_a, body_b, world)
        if has_no_edges and gap == 0.0:
            return radius, 0.0, 1.0, from_x, from_y + part_a.radius - radius, False
        if gap > 0.0:
            toward = _support(part_b, body_b, x, y, world) - _reach(part_a, body_a, x, y, world)
            if toward > -min(depth_a, depth_b) or has_no_edges:
                overlap = radius - toward
                reach = part_a.radius - overlap
                return overlap, x, y, from_x + reach * x, from_y + reach * y, False
    if use_a:
        overlap, normal_x, normal_y, x, y, is_flat = _on_edge(
            part_a, edge_a, part_b, body_a, body_b, depth_a, radius, world
        )
        return overlap, normal_x, normal_y, x, y, is_flat
    overlap, normal_x, normal_y, x, y, is_flat = _on_edge(
        part_b, edge_b, part_a, body_b, body_a, depth_b, radius, world
    )
    return overlap, -normal_x, -normal_y, x, y, is_flat


@inner
def _least_overlap(
    mine: Record, other: Record, my_body: Record, other_body: Record, world: Reals
) -> tuple[float, int]:
    """The edge of `mine` that `other` is least behind, and how far (m, without rounding).

    (inf, -1) for a part without edges.
    """
    best = math.inf
    best_edge = -1
    if mine.count < 2:
        return best, best_edge
    dx = other_body.x - my_body.x
    dy = other_body.y - my_body.y
    edges = 1 if mine.one_sided else mine.count
    for edge in range(mine.first_vertex, mine.first_vertex + edges):
        normal_x = world[edge, 2]
        normal_y = world[edge, 3]
        depth = -math.inf
        for vertex in range(other.first_vertex, other.first_vertex + other.count):
            to_x = world[vertex, 0] + dx - world[edge, 0]
            to_y = world[vertex, 1] + dy - world[edge, 1]
            depth = max(depth, -(to_x * normal_x + to_y * normal_y))
        if depth < best:
            best = depth
            best_edge = edge
    return best, best_edge


@inner
def _reach(part: Record, body: Record, x: float, y: float, world: Reals) -> float:
    """How far (m) a part's core reaches along (x, y), in the world."""
    reach = -math.inf
    for vertex in range(part.first_vertex, part.first_vertex + part.count):
        reach = max(reach, (world[vertex, 0] + body.x) * x + (world[vertex, 1] + body.y) * y)
    return reach


@inner
def _support(part: Record, body: Record, x: float, y: float, world: Reals) -> float:
    """Where (m) a part's core begins along (x, y), in the world."""
    return -_reach(part, body, -x, -y, world)


@inner
def _nearest_vertices(
    part_a: Record, part_b: Record, body_a: Record, body_b: Record, world: Reals
) -> tuple[float, float, float, float, float]:
    """Distance (m) and direction from A's to B's nearest vertex, and where A's is."""
    best = math.inf
    x = y = 0.0
    from_x = from_y = 0.0
    for i in range(part_a.first_vertex, part_a.first_vertex + part_a.count):
        ax = world[i, 0] + body_a.x
        ay = world[i, 1] + body_a.y
        for j in range(part_b.first_vertex, part_b.first_vertex + part_b.count):
            dx = world[j, 0] + body_b.x - ax
            dy = world[j, 1] + body_b.y - ay
            square = dx * dx + dy * dy
            if square < best:
                best = square
                x = dx
                y = dy
                from_x = ax
                from_y = ay
    gap = math.sqrt(best)
    if gap > 0.0:
        x /= gap
        y /= gap
    return gap, x, y, from_x, from_y


@inner
def _on_edge(
    mine: Record,
    edge: int,
    other: Record,
    my_body: Record,
    other_body: Record,
    depth: float,
    radius: float,
    world: Reals,
) -> Impact:
    """The impact of `other` on an edge of `mine`: overlap, normal of the edge, point, whether flat.

    The point is the other's deepest vertex, or, where its edge lies along mine, the middle of
    what they share.
    """
    normal_x = world[edge, 2]
    normal_y = world[edge, 3]
    along_x = -normal_y
    along_y = normal_x
    dx = other_body.x - my_body.x
    dy = other_body.y - my_body.y
    deepest = -math.inf
    vertex = other.first_vertex
    for each in range(other.first_vertex, other.first_vertex + other.count):
        to_x = world[each, 0] + dx - world[edge, 0]
        to_y = world[each, 1] + dy - world[edge, 1]
        behind = -(to_x * normal_x + to_y * normal_y)
        if behind > deepest:
            deepest = behind
            vertex = each
    end = edge + 1 if edge + 1 < mine.first_vertex + mine.count else mine.first_vertex
    length = (world[end, 0] - world[edge, 0]) * along_x + (world[end, 1] - world[edge, 1]) * along_y
    at = (world[vertex, 0] + dx - world[edge, 0]) * along_x
    at += (world[vertex, 1] + dy - world[edge, 1]) * along_y
    if mine.one_sided:
        center = (dx - world[edge, 0]) * normal_x + (dy - world[edge, 1]) * normal_y
        if center < 0.0:
            return 0.0, normal_x, normal_y, 0.0, 0.0, False  # on the wrong side: passes through
    is_flat = False
    for step in range(2):
        last = other.first_vertex + other.count - 1
        if step == 0:
            neighbour = vertex + 1 if vertex < last else other.first_vertex
        else:
            neighbour = vertex - 1 if vertex > other.first_vertex else last
        to_x = world[neighbour, 0] - world[vertex, 0]
        to_y = world[neighbour, 1] - world[vertex, 1]
        far = at + to_x * along_x + to_y * along_y
        rise = to_x * normal_x + to_y * normal_y
        if far != at and abs(rise) < PARALLEL_SINE * abs(far - at):
            lower = max(min(at, far), min(0.0, length))
            upper = min(max(at, far), max(0.0, length))
            at = 0.5 * (lower + upper)
            is_flat = True
            break
    x = my_body.x + world[edge, 0] + at * along_x
    y = my_body.y + world[edge, 1] + at * along_y
    below = mine.radius - depth - radius
    return depth + radius, normal_x, normal_y, x + below * normal_x, y + below * normal_y, is_flat
