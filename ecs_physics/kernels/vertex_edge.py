"""The vertex-against-edge method, for any simple outlines: founding system 3.

Vertex Vi of A is inside B where both of its segments, Vi-1 Vi and Vi Vi+1, cross one edge of B and
Vi is behind it: impact point Vi, normal perpendicular to the edge towards A, overlap the distance
of Vi behind it. Where only one of them crosses an edge:

- *parallel*: the other one lies along that edge, within PARALLEL_SINE and PARALLEL_GAP; the impact
  point is the middle of what the two edges share;
- *vertex on vertex*: Vi is inside B, and some vertex of B is inside A; the impact point is Vi.

- *edge in*, where the caller asks for it, since the textbook method misses it: the outline goes on
  behind the edge, and a later segment crosses back. The first and the last vertex behind the edge
  are impacts.

Vertices of A against edges of B, then the other way around. By its nature the method misses deep
overlaps: of two bars crossed like a plus no vertex is inside the other.
"""

import math

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Reals,
    Record,
    Table,
    boolean,
    inner,
    integer,
    integers,
    integers32,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.impacts_out import (
    EDGE_IN,
    PARALLEL,
    VERTEX_EDGE,
    VERTEX_VERTEX,
    feature_of,
    kind_of,
    write_impact,
)
from ecs_physics.kernels.outlines import CHAIN, OUTLINE, POLYGON, SEGMENT
from ecs_physics.tables import BODY, CONTACT

PARALLEL_SINE = 1e-3
"""rad. Edges that differ less in direction are parallel. Larger: tilted boxes rest on a middle that
does not carry them. Smaller: a resting box is handled corner by corner."""

PARALLEL_GAP = 0.03
"""m. Parallel edges are seen as such up to this distance. Larger: deep overlaps count as resting
contacts. Smaller: fast boxes that land flat are handled as two corners."""


@kernel(
    integer(
        integer,
        integer,
        integer,
        boolean,
        integers,
        integers32,
        table(OUTLINE),
        reals2,
        table(BODY),
        table(CONTACT),
    )
)
def find_vertex_impacts(
    first_row: int,
    rows: int,
    pair_count: int,
    with_edges: bool,
    pairs: Integers,
    first_loops: Integers32,
    loops: Table,
    points: Reals,
    bodies: Table,
    contacts_out: Table,
) -> int:
    """Write the impacts of pairs of bodies.

    Args:
        first_row: row of `contacts_out` to begin with.
        rows: what pairs were packed with.
        pair_count: pairs in use.
        with_edges: True finds the case *edge in* as well.
        pairs: a * rows + b, rows of two bodies.
        first_loops: (rows + 1,) the outlines of body i are those from [i] to [i + 1] - 1.
        loops: see outlines.py.
        points: (V, 2) m, in the world.
        bodies: BODY.
        contacts_out: impacts, from `first_row` on; normals point from A to B.

    Returns the number of impacts; where `contacts_out` is too short, only the first are written.
    """
    at = first_row
    for pair in range(pair_count):
        row_a = pairs[pair] // rows
        row_b = pairs[pair] % rows
        for a in range(first_loops[row_a], first_loops[row_a + 1]):
            for b in range(first_loops[row_b], first_loops[row_b + 1]):
                begin = at
                for side in range(2):  # one call, of which compiled code holds one copy
                    mine = a if side == 0 else b
                    other = b if side == 0 else a
                    at = _vertices_against_edges(
                        begin,
                        at,
                        side == 0,
                        with_edges,
                        loops[mine],
                        loops[other],
                        points,
                        bodies,
                        contacts_out,
                    )
    return at - first_row


@inner
def _vertices_against_edges(
    begin: int,
    at: int,
    a_first: bool,
    with_edges: bool,
    mine: Record,
    other: Record,
    points: Reals,
    bodies: Table,
    contacts_out: Table,
) -> int:
    """Impacts of the vertices of `mine` on the edges of `other`; returns the next free row.

    `a_first` tells that `mine` is A. Rows from `begin` on are what the same pair has so far.
    """
    start = mine.first
    count = mine.count
    other_start = other.first
    other_edges = other.count if other.kind == POLYGON else other.count - 1
    other_lower_x, other_lower_y, other_upper_x, other_upper_y = _box(other, points)
    is_ring = mine.kind == POLYGON
    first_vertex = 0 if is_ring else 1
    end_vertex = count if is_ring else count - 1
    for i in range(first_vertex, end_vertex):
        before = start + (i - 1 if i > 0 else count - 1)
        vertex = start + i
        after = start + (i + 1 if i + 1 < count else 0)
        px = points[before, 0]
        py = points[before, 1]
        x = points[vertex, 0]
        y = points[vertex, 1]
        qx = points[after, 0]
        qy = points[after, 1]
        if (
            max(px, x, qx) < other_lower_x
            or min(px, x, qx) > other_upper_x
            or max(py, y, qy) < other_lower_y
            or min(py, y, qy) > other_upper_y
        ):
            continue
        if mine.kind == CHAIN and (x - px) * (qy - y) - (y - py) * (qx - x) >= 0.0:
            continue  # the chain's solid side is inside this corner's angle: no point to poke with
        best = math.inf
        best_edge = -1
        best_x = best_y = 0.0
        crossed = math.inf
        crossed_edge = -1
        crossed_x = crossed_y = 0.0
        parallel_edge = -1
        parallel_is_after = False
        entered = math.inf
        entered_edge = -1
        entered_x = entered_y = 0.0
        for j in range(other_edges):
            k = j + 1 if j + 1 < other.count else 0
            ax = points[other_start + j, 0]
            ay = points[other_start + j, 1]
            bx = points[other_start + k, 0]
            by = points[other_start + k, 1]
            crosses_before = _cross(px, py, x, y, ax, ay, bx, by)
            crosses_after = _cross(x, y, qx, qy, ax, ay, bx, by)
            if not (crosses_before or crosses_after):
                continue
            normal_x, normal_y, depth = _edge_normal(x, y, ax, ay, bx, by, other.kind)
            if not depth > 0.0:
                continue
            if crosses_before and crosses_after:
                if depth < best:
                    best = depth
                    best_edge = j
                    best_x = normal_x
                    best_y = normal_y
                continue
            if depth < crossed:
                crossed = depth
                crossed_edge = j
                crossed_x = normal_x
                crossed_y = normal_y
            step = 1 if crosses_before else -1
            if (
                with_edges
                and is_ring
                and depth < entered
                and _comes_back(start, count, i, step, points, ax, ay, bx, by, other.kind)
            ):
                entered = depth
                entered_edge = j
                entered_x = normal_x
                entered_y = normal_y
            if parallel_edge < 0:
                far_x = qx if crosses_before else px
                far_y = qy if crosses_before else py
                if _is_along(x, y, far_x, far_y, normal_x, normal_y, depth):
                    sign = 1.0 if crosses_before else -1.0
                    if _faces(x, y, far_x, far_y, sign, mine.kind, normal_x, normal_y):
                        parallel_edge = j
                        parallel_is_after = crosses_before
        kind = -1
        my_feature = i
        if best_edge >= 0:
            kind = VERTEX_EDGE
        elif parallel_edge >= 0:
            my_feature = i if parallel_is_after else (i - 1 if i > 0 else count - 1)
            best_edge = parallel_edge
            if not _is_known(begin, at, a_first, my_feature, parallel_edge, contacts_out):
                k = parallel_edge + 1 if parallel_edge + 1 < other.count else 0
                x, y, best_x, best_y, best = _shared_middle(
                    x,
                    y,
                    qx if parallel_is_after else px,
                    qy if parallel_is_after else py,
                    points[other_start + parallel_edge, 0],
                    points[other_start + parallel_edge, 1],
                    points[other_start + k, 0],
                    points[other_start + k, 1],
                    other.kind,
                )
                if best > 0.0:
                    kind = PARALLEL
        elif entered_edge >= 0:
            kind = EDGE_IN
            best_edge = entered_edge
            best_x = entered_x
            best_y = entered_y
            best = entered
        elif crossed_edge >= 0 and is_ring and other.kind == POLYGON:
            best_edge = crossed_edge
            best_x = crossed_x
            best_y = crossed_y
            best = crossed
            if (a_first or not _has_kind(begin, at, VERTEX_VERTEX, contacts_out)) and (
                _is_inside(x, y, other, points) and _any_inside(other, mine, points)
            ):
                kind = VERTEX_VERTEX
        if kind >= 0:
            _write(
                at,
                a_first,
                mine,
                other,
                x,
                y,
                best_x,
                best_y,
                best,
                kind,
                my_feature,
                best_edge,
                bodies,
                contacts_out,
            )
            at += 1
    return at


@inner
def _comes_back(
    start: int,
    count: int,
    vertex: int,
    step: int,
    points: Reals,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    kind: int,
) -> bool:
    """Whether the outline, on from a vertex, stays behind the edge a-b until it crosses it."""
    x = points[start + vertex, 0]
    y = points[start + vertex, 1]
    for _ in range(count - 2):
        vertex = (vertex + step) % count
        next_x = points[start + vertex, 0]
        next_y = points[start + vertex, 1]
        if _cross(x, y, next_x, next_y, ax, ay, bx, by):
            return True
        depth = _edge_normal(next_x, next_y, ax, ay, bx, by, kind)[2]
        if not depth > 0.0:
            return False
        x = next_x
        y = next_y
    return False


@inner
def _write(
    at: int,
    a_first: bool,
    mine: Record,
    other: Record,
    x: float,
    y: float,
    normal_x: float,
    normal_y: float,
    overlap: float,
    kind: int,
    my_feature: int,
    other_feature: int,
    bodies: Table,
    contacts_out: Table,
) -> None:
    """Write an impact whose normal points from `other` to `mine`."""
    row_a = mine.body if a_first else other.body
    row_b = other.body if a_first else mine.body
    sign = -1.0 if a_first else 1.0
    write_impact(
        at,
        row_a,
        row_b,
        bodies[row_a].first_part,
        bodies[row_b].first_part,
        x,
        y,
        sign * normal_x,
        sign * normal_y,
        overlap,
        kind,
        my_feature if a_first else other_feature,
        other_feature if a_first else my_feature,
        bodies,
        contacts_out,
    )


@inner
def _is_known(
    begin: int, end: int, a_first: bool, my_edge: int, other_edge: int, contacts: Table
) -> bool:
    """Whether the rows from `begin` on have these two edges as a parallel impact."""
    edge_a = my_edge if a_first else other_edge
    edge_b = other_edge if a_first else my_edge
    wanted = feature_of(PARALLEL, edge_a)
    for row in range(begin, min(end, contacts.shape[0])):
        if contacts[row].feature_0 == wanted and contacts[row].feature_1 == edge_b:
            return True
    return False


@inner
def _has_kind(begin: int, end: int, kind: int, contacts: Table) -> bool:
    """Whether one of the rows from `begin` on is of a kind."""
    for row in range(begin, min(end, contacts.shape[0])):
        if kind_of(contacts[row].feature_0) == kind:
            return True
    return False


@inner
def _box(loop: Record, points: Reals) -> tuple[float, float, float, float]:
    """Lower x, lower y, upper x, upper y of an outline (m)."""
    first = loop.first
    lower_x = upper_x = points[first, 0]
    lower_y = upper_y = points[first, 1]
    for point in range(first + 1, first + loop.count):
        lower_x = min(lower_x, points[point, 0])
        lower_y = min(lower_y, points[point, 1])
        upper_x = max(upper_x, points[point, 0])
        upper_y = max(upper_y, points[point, 1])
    return lower_x, lower_y, upper_x, upper_y


@inner
def _left(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> bool:
    """Whether (x, y) is to the left of the line from a to b."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0


@inner
def _cross(
    px: float, py: float, qx: float, qy: float, ax: float, ay: float, bx: float, by: float
) -> bool:
    """Whether the segments p-q and a-b cross; an end on the other's line counts to its right."""
    if _left(ax, ay, bx, by, px, py) == _left(ax, ay, bx, by, qx, qy):
        return False
    return _left(px, py, qx, qy, ax, ay) != _left(px, py, qx, qy, bx, by)


@inner
def _edge_normal(
    x: float, y: float, ax: float, ay: float, bx: float, by: float, kind: int
) -> tuple[float, float, float]:
    """Unit normal of the edge a-b, away from its solid side, and how far (x, y) is behind it."""
    along_x = bx - ax
    along_y = by - ay
    length = math.sqrt(along_x * along_x + along_y * along_y)
    normal_x = along_y / length
    normal_y = -along_x / length
    depth = -((x - ax) * normal_x + (y - ay) * normal_y)
    if kind == CHAIN or (kind == SEGMENT and depth < 0.0):
        return -normal_x, -normal_y, -depth
    return normal_x, normal_y, depth


@inner
def _is_along(
    x: float, y: float, far_x: float, far_y: float, normal_x: float, normal_y: float, depth: float
) -> bool:
    """Whether the segment from (x, y) lies along the edge with this normal."""
    along_x = far_x - x
    along_y = far_y - y
    length = math.sqrt(along_x * along_x + along_y * along_y)
    rise = abs(along_x * normal_x + along_y * normal_y)
    return depth < PARALLEL_GAP and rise < PARALLEL_SINE * length


@inner
def _faces(
    x: float,
    y: float,
    far_x: float,
    far_y: float,
    sign: float,
    kind: int,
    normal_x: float,
    normal_y: float,
) -> bool:
    """Whether the outward normal of my own edge, from (x, y), points against the other's."""
    if kind == SEGMENT:
        return True
    if kind == CHAIN:
        sign = -sign
    own_x = sign * (far_y - y)
    own_y = -sign * (far_x - x)
    return own_x * normal_x + own_y * normal_y < 0.0


@inner
def _shared_middle(
    x: float,
    y: float,
    far_x: float,
    far_y: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    kind: int,
) -> tuple[float, float, float, float, float]:
    """Middle of what my edge, from (x, y), shares with the edge a-b: point, normal, overlap."""
    normal_x, normal_y, depth = _edge_normal(x, y, ax, ay, bx, by, kind)
    along_x = normal_y
    along_y = -normal_x
    mine = (x - ax) * along_x + (y - ay) * along_y
    mine_far = (far_x - ax) * along_x + (far_y - ay) * along_y
    edge = (bx - ax) * along_x + (by - ay) * along_y
    lower = max(min(mine, mine_far), min(0.0, edge))
    upper = min(max(mine, mine_far), max(0.0, edge))
    middle = 0.5 * (lower + upper)
    share = (middle - mine) / (mine_far - mine)
    middle_x = x + share * (far_x - x)
    middle_y = y + share * (far_y - y)
    depth = -((middle_x - ax) * normal_x + (middle_y - ay) * normal_y)
    return middle_x, middle_y, normal_x, normal_y, depth


@inner
def _is_inside(x: float, y: float, loop: Record, points: Reals) -> bool:
    """Whether (x, y) is inside a polygon: a ray to the right crosses its outline an odd time."""
    inside = False
    first = loop.first
    count = loop.count
    for i in range(count):
        k = i + 1 if i + 1 < count else 0
        ay = points[first + i, 1]
        by = points[first + k, 1]
        if (ay > y) != (by > y):
            ax = points[first + i, 0]
            bx = points[first + k, 0]
            if x < ax + (bx - ax) * ((y - ay) / (by - ay)):
                inside = not inside
    return inside


@inner
def _any_inside(mine: Record, other: Record, points: Reals) -> bool:
    """Whether a vertex of `mine` is inside the polygon `other`."""
    for point in range(mine.first, mine.first + mine.count):
        if _is_inside(points[point, 0], points[point, 1], other, points):
            return True
    return False
