"""The vertex-against-edge method, for any simple outlines: founding system 3.

Vertex Vi of A is inside B where both of its segments, Vi-1 Vi and Vi Vi+1, cross one edge of B and
Vi is behind it: impact point Vi, normal perpendicular to the edge towards A, overlap the distance
of Vi behind it. Where only one of them crosses an edge:

- *parallel*: the other one lies along that edge (see edges.py for how exactly); the impact point is
  the middle of what the two edges share;
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
    inlined,
    inner,
    integer,
    integers,
    integers32,
    kernel,
    reals2,
    table,
)
from ecs_physics.kernels.edges import (
    crosses,
    edge_normal,
    faces,
    is_along,
    shared_middle,
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
from ecs_physics.kernels.outlines import CHAIN, OUTLINE, POLYGON
from ecs_physics.tables import BODY, CONTACT

Corner = tuple[float, float, float, float, float, float]
"""The vertex before one, this one and the one after it: x and y of each (m)."""

Candidate = tuple[float, int, float, float]
"""How far a vertex is behind an edge (m), the edge's number, its normal x and y. None: NO_EDGE."""

Impact = tuple[int, int, int, float, float, float, float, float]
"""Kind, number of my vertex or edge, of the other's edge, point x and y (m), normal x and y towards
mine, overlap (m). None: NO_IMPACT."""

NO_EDGE: Candidate = (math.inf, -1, 0.0, 0.0)

NO_IMPACT: Impact = (-1, -1, -1, 0.0, 0.0, 0.0, 0.0, 0.0)


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
    box = _box(other, points)
    is_ring = mine.kind == POLYGON
    first_vertex = 0 if is_ring else 1
    end_vertex = mine.count if is_ring else mine.count - 1
    for i in range(first_vertex, end_vertex):
        corner = _corner(i, mine, points)
        if not _can_enter(corner, mine.kind, box):
            continue
        best, crossed, parallel, entered = _candidates(i, corner, with_edges, mine, other, points)
        impact = NO_IMPACT
        if best[1] >= 0:
            impact = _at_vertex(VERTEX_EDGE, i, corner, best)
        elif parallel[0] >= 0:
            impact = _parallel_impact(
                begin, at, a_first, i, corner, parallel, mine, other, points, contacts_out
            )
        elif entered[1] >= 0:
            impact = _at_vertex(EDGE_IN, i, corner, entered)
        elif crossed[1] >= 0 and _is_vertex_on_vertex(
            begin, at, a_first, corner, mine, other, points, contacts_out
        ):
            impact = _at_vertex(VERTEX_VERTEX, i, corner, crossed)
        if impact[0] >= 0:
            _write(at, a_first, mine, other, impact, bodies, contacts_out)
            at += 1
    return at


@inner
def _corner(i: int, loop: Record, points: Reals) -> Corner:
    """Vertex `i` of an outline, between its neighbours (m)."""
    before = loop.first + (i - 1 if i > 0 else loop.count - 1)
    vertex = loop.first + i
    after = loop.first + (i + 1 if i + 1 < loop.count else 0)
    return (
        points[before, 0],
        points[before, 1],
        points[vertex, 0],
        points[vertex, 1],
        points[after, 0],
        points[after, 1],
    )


@inner
def _edge(j: int, loop: Record, points: Reals) -> tuple[float, float, float, float]:
    """Begin x, y and end x, y of edge `j` of an outline (m)."""
    a = loop.first + j
    b = loop.first + (j + 1 if j + 1 < loop.count else 0)
    return points[a, 0], points[a, 1], points[b, 0], points[b, 1]


@inner
def _can_enter(corner: Corner, kind: int, box: tuple[float, float, float, float]) -> bool:
    """Whether a corner, of an outline of this kind, can be inside what has this box.

    Lower x, lower y, upper x, upper y (m).
    """
    px, py, x, y, qx, qy = corner
    lower_x, lower_y, upper_x, upper_y = box
    if (
        max(px, x, qx) < lower_x
        or min(px, x, qx) > upper_x
        or max(py, y, qy) < lower_y
        or min(py, y, qy) > upper_y
    ):
        return False
    # Where a chain's solid side is inside this corner's angle, there is no point to poke with.
    return not (kind == CHAIN and (x - px) * (qy - y) - (y - py) * (qx - x) >= 0.0)


@inlined
def _candidates(
    i: int, corner: Corner, with_edges: bool, mine: Record, other: Record, points: Reals
) -> tuple[Candidate, Candidate, tuple[int, bool], Candidate]:
    """Find the edges of `other` that vertex `i` of `mine` is behind and its segments cross.

    Returns four:

    - best: crossed by both segments; of several, as below, the one it is least deep behind.
    - crossed: crossed by one of them.
    - parallel: the first of these along a segment, as (its number or -1, whether this segment is
      the one after the vertex).
    - entered: the outline goes on behind it and comes back. Where the caller does not ask, none.
    """
    px, py, x, y, qx, qy = corner
    finds_entered = with_edges and mine.kind == POLYGON
    best = crossed = entered = NO_EDGE
    parallel_edge = -1
    parallel_is_after = False
    for j in range(other.count if other.kind == POLYGON else other.count - 1):
        edge = _edge(j, other, points)
        ax, ay, bx, by = edge
        crosses_before = crosses(px, py, x, y, ax, ay, bx, by)
        crosses_after = crosses(x, y, qx, qy, ax, ay, bx, by)
        if not (crosses_before or crosses_after):
            continue
        normal_x, normal_y, depth = edge_normal(x, y, ax, ay, bx, by, other.kind)
        if not depth > 0.0:
            continue
        candidate = (depth, j, normal_x, normal_y)
        if crosses_before and crosses_after:
            if depth < best[0]:
                best = candidate
            continue
        if depth < crossed[0]:
            crossed = candidate
        step = 1 if crosses_before else -1
        if (
            finds_entered
            and depth < entered[0]
            and _comes_back(i, step, mine, points, edge, other.kind)
        ):
            entered = candidate
        if parallel_edge < 0 and _is_parallel(corner, crosses_before, mine.kind, candidate):
            parallel_edge = j
            parallel_is_after = crosses_before
    return best, crossed, (parallel_edge, parallel_is_after), entered


@inner
def _is_parallel(corner: Corner, is_after: bool, kind: int, candidate: Candidate) -> bool:
    """Whether a segment at the corner, after it or before it, lies along an edge and faces it."""
    px, py, x, y, qx, qy = corner
    depth, _, normal_x, normal_y = candidate
    far_x = qx if is_after else px
    far_y = qy if is_after else py
    sign = 1.0 if is_after else -1.0
    return is_along(x, y, far_x, far_y, normal_x, normal_y, depth) and faces(
        x, y, far_x, far_y, sign, kind, normal_x, normal_y
    )


@inner
def _at_vertex(kind: int, i: int, corner: Corner, candidate: Candidate) -> Impact:
    """The impact of a kind whose point is vertex `i` itself, on an edge."""
    overlap, edge, normal_x, normal_y = candidate
    return kind, i, edge, corner[2], corner[3], normal_x, normal_y, overlap


@inner
def _parallel_impact(
    begin: int,
    end: int,
    a_first: bool,
    i: int,
    corner: Corner,
    parallel: tuple[int, bool],
    mine: Record,
    other: Record,
    points: Reals,
    contacts: Table,
) -> Impact:
    """The impact of two edges along each other, one of them at vertex `i`.

    None where the rows from `begin` on have it, from its other vertex, or the middle is outside.
    """
    px, py, x, y, qx, qy = corner
    other_edge, is_after = parallel
    my_edge = i if is_after else (i - 1 if i > 0 else mine.count - 1)
    if _is_known(begin, end, a_first, my_edge, other_edge, contacts):
        return NO_IMPACT
    far_x = qx if is_after else px
    far_y = qy if is_after else py
    ax, ay, bx, by = _edge(other_edge, other, points)
    middle_x, middle_y, normal_x, normal_y, overlap = shared_middle(
        x, y, far_x, far_y, ax, ay, bx, by, other.kind
    )
    if not overlap > 0.0:
        return NO_IMPACT
    return PARALLEL, my_edge, other_edge, middle_x, middle_y, normal_x, normal_y, overlap


@inner
def _is_vertex_on_vertex(
    begin: int,
    end: int,
    a_first: bool,
    corner: Corner,
    mine: Record,
    other: Record,
    points: Reals,
    contacts: Table,
) -> bool:
    """Whether the vertex is inside `other`, and one of `other` inside `mine`: two polygons.

    A vertex of B does not count where the rows from `begin` on have such an impact: it is the same.
    """
    if mine.kind != POLYGON or other.kind != POLYGON:
        return False
    if not a_first and _has_kind(begin, end, VERTEX_VERTEX, contacts):
        return False
    return _is_inside(corner[2], corner[3], other, points) and _any_inside(other, mine, points)


@inner
def _comes_back(
    vertex: int,
    step: int,
    mine: Record,
    points: Reals,
    edge: tuple[float, float, float, float],
    kind: int,
) -> bool:
    """Whether the outline, on from a vertex, stays behind an edge until it crosses it."""
    ax, ay, bx, by = edge
    start = mine.first
    count = mine.count
    x = points[start + vertex, 0]
    y = points[start + vertex, 1]
    for _ in range(count - 2):
        vertex = (vertex + step) % count
        next_x = points[start + vertex, 0]
        next_y = points[start + vertex, 1]
        if crosses(x, y, next_x, next_y, ax, ay, bx, by):
            return True
        depth = edge_normal(next_x, next_y, ax, ay, bx, by, kind)[2]
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
    impact: Impact,
    bodies: Table,
    contacts_out: Table,
) -> None:
    """Write an impact, whose normal points from `other` to `mine`, to row `at`."""
    kind, my_feature, other_feature, x, y, normal_x, normal_y, overlap = impact
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
