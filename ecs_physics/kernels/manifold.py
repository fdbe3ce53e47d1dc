"""Where two parts touch: the geometry of one pair.

A part is the set of points within `radius` of the hull of its vertices, its core. Everything
happens on cores; radii are taken off at the end. A is the part at the origin, B is displaced by
(dx, dy), the way from the centre of mass of A's body to that of B's; vertices are rows (x, y,
normal_x, normal_y) in the world's axes, about the centre of mass of their own body.

A manifold is the tuple

    (count, normal_x, normal_y,
     x_0, y_0, separation_0, feature_0,
     x_1, y_1, separation_1, feature_1)

with `count` points (0, 1 or 2), the unit normal from A to B, and of each point the place from the
centre of mass of A's body, midway between the two surfaces (m), the gap along the normal (m,
negative where they overlap) and the number of the features that meet there, which is the same as
long as the same features touch, whichever part is called A first. Fields beyond `count` are 0.

Over all points the smallest gap is the distance of the two parts, or minus the shortest way out
of each other, to within `TOLERANCE`. The other point may be farther than the limit asked for.

The method: separating axes over the normals of both cores, then the edge of one that faces the
other is clipped to the width of the edge of the axis (D. Gregorius, "Robust contact creation for
physics simulations", GDC 2015). Cores that are apart corner to corner have one point between
these corners.
"""

import math
from typing import Final

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.compile import inlined, inner

TOLERANCE: Final = 0.02 * LINEAR_SLOP
"""m. How much better another axis must be before a preferred one gives way. Smaller: the normal
of two nearly parallel edges jumps between steps. Larger: distances and depths become wrong by
as much."""

EXACT: Final = 0.1 * TOLERANCE
"""m. A clipped edge may miss the distance by this much before corners are looked at. Smaller:
edges that are nearly parallel lose their second point. Larger: distances become wrong."""

SLACK: Final = 1e-9
"""m. Points this far beyond an edge's end still belong to it. Smaller: rounding errors open
cracks between neighbours. Larger: bodies touch what is beside them."""

COINCIDENT: Final = 1e-8
"""m. Points closer than this have no direction from one to the other."""

FAR: Final = 1e300
"""m. Farther than anything."""

HEAD: Final = 1.0
"""The end of a chain's edge that the walk comes to last, ..."""
TAIL: Final = -1.0
"""... and the one it comes to first."""

OPEN: Final = 0
"""What a chain's edge ends at: nothing, so the vertex is a corner from all around."""
HILL: Final = 1
"""A neighbour that falls away: normals between the two edges' are shared out."""
FLUSH: Final = 2
"""A neighbour straight on or rising: the edge has only its own normal there."""

OURS: Final = 0
"""A direction between two edges at a hill belongs to the edge that asks, ..."""
THEIRS: Final = 1
"""... to its neighbour, ..."""
NOBODYS: Final = 2
"""... or it is not between them."""

NO_AXIS: Final = 0
"""An edge of a chain and a polygon do not touch, ..."""
OWN_NORMAL: Final = 1
"""... are kept apart along the edge's normal, ..."""
FACE_OF_B: Final = 2
"""... along that of an edge of the polygon, ..."""
NEIGHBOURS: Final = 3
"""... or along one that another edge of the chain answers for."""

VERTEX_OF_A: Final = 0
"""What meets in a point: a vertex of A and an edge of B, ..."""
VERTEX_OF_B: Final = 1 << 28
"""... a vertex of B and an edge of A, ..."""
TWO_VERTICES: Final = 2 << 28
"""... or two vertices."""

ROUND: Final = TWO_VERTICES
"""The feature number of any point of a circle: it keeps its impulses as it rolls on."""


@inner
def collide_parts(
    vertices,
    first_a,
    count_a,
    radius_a,
    one_sided_a,
    is_box_a,
    first_b,
    count_b,
    radius_b,
    one_sided_b,
    is_box_b,
    dx,
    dy,
    limit,
):
    """The manifold of any two parts whose gap is at most `limit` (m), else an empty one.

    Args:
        vertices: (V, 4), m, see the top of this file.
        first_a: row of the first vertex of A.
        count_a: number of its vertices.
        radius_a: m, its rounding.
        one_sided_a: whether it is an edge of a chain. Two of these never touch.
        is_box_a: whether it has four vertices, and opposite edges are parallel.
        first_b: the same of B, and so on.
        count_b: number.
        radius_b: m.
        one_sided_b: flag.
        is_box_b: flag.
        dx: m, from the centre of mass of A's body to that of B's.
        dy: m.
        limit: m, 0 or more.
    """
    if one_sided_a and one_sided_b:
        return no_manifold()
    is_swapped = one_sided_b or (count_a == 1 and count_b > 1 and not one_sided_a)
    if is_swapped:
        first_a, first_b = first_b, first_a
        count_a, count_b = count_b, count_a
        radius_a, radius_b = radius_b, radius_a
    from_x = -dx if is_swapped else dx
    from_y = -dy if is_swapped else dy
    if one_sided_a or one_sided_b:
        if count_b > 1:
            manifold = collide_edge_polygon(
                vertices, first_a, radius_a, first_b, count_b, radius_b, from_x, from_y, limit
            )
        else:
            manifold = collide_edge_circle(
                vertices, first_a, radius_a, first_b, radius_b, from_x, from_y, limit
            )
    elif count_b > 1:
        manifold = collide_polygons(
            vertices,
            first_a,
            count_a,
            radius_a,
            first_b,
            count_b,
            radius_b,
            is_box_a and is_box_b,
            dx,
            dy,
            limit,
        )
    elif count_a > 1:
        manifold = collide_polygon_circle(
            vertices, first_a, count_a, radius_a, first_b, radius_b, from_x, from_y, limit
        )
    else:
        manifold = collide_circles(vertices, first_a, radius_a, first_b, radius_b, dx, dy, limit)
    return seen_from_other(manifold, dx, dy) if is_swapped else manifold


@inner
def collide_circles(vertices, first_a, radius_a, first_b, radius_b, dx, dy, limit):
    """The manifold of two parts of one vertex. Concentric ones are parted upwards."""
    ax = vertices[first_a, 0]
    ay = vertices[first_a, 1]
    x = vertices[first_b, 0] + dx - ax
    y = vertices[first_b, 1] + dy - ay
    distance = math.sqrt(x * x + y * y)
    if distance > limit + radius_a + radius_b:
        return no_manifold()
    normal_x = 0.0
    normal_y = 1.0
    if distance > COINCIDENT:
        normal_x = x / distance
        normal_y = y / distance
    return one_point(normal_x, normal_y, ax, ay, distance, radius_a, radius_b, ROUND)


@inner
def collide_polygon_circle(vertices, first_a, count_a, radius_a, first_b, radius_b, dx, dy, limit):
    """The manifold of a part with two or more vertices, A, and one with a single vertex."""
    x = vertices[first_b, 0] + dx
    y = vertices[first_b, 1] + dy
    reach = limit + radius_a + radius_b
    separation = -FAR
    start = first_a
    for row in range(first_a, first_a + count_a):
        height = (x - vertices[row, 0]) * vertices[row, 2] + (y - vertices[row, 1]) * vertices[
            row, 3
        ]
        if height > separation:
            separation = height
            start = row
    if separation > reach:
        return no_manifold()
    end = next_vertex(start, first_a, count_a)
    normal_x = vertices[start, 2]
    normal_y = vertices[start, 3]
    corner = -1
    if (y - vertices[start, 1]) * normal_x < (x - vertices[start, 0]) * normal_y:
        corner = start
    elif (y - vertices[end, 1]) * normal_x > (x - vertices[end, 0]) * normal_y:
        corner = end
    if corner >= 0 and separation > -SLACK:
        corner_x = vertices[corner, 0]
        corner_y = vertices[corner, 1]
        away_x = x - corner_x
        away_y = y - corner_y
        distance = math.sqrt(away_x * away_x + away_y * away_y)
        if distance > reach:
            return no_manifold()
        if distance > COINCIDENT:
            return one_point(
                away_x / distance,
                away_y / distance,
                corner_x,
                corner_y,
                distance,
                radius_a,
                radius_b,
                ROUND,
            )
    foot_x = x - separation * normal_x
    foot_y = y - separation * normal_y
    return one_point(normal_x, normal_y, foot_x, foot_y, separation, radius_a, radius_b, ROUND)


@inner
def collide_polygons(
    vertices,
    first_a,
    count_a,
    radius_a,
    first_b,
    count_b,
    radius_b,
    are_boxes,
    dx,
    dy,
    limit,
):
    """The manifold of two parts with two or more vertices each.

    Where both have an equally good axis, it is A's.
    """
    reach = limit + radius_a + radius_b
    if are_boxes:
        separation_a, edge_a = best_face_of_box(vertices, first_a, first_b, dx, dy)
        if separation_a > reach:
            return no_manifold()
        separation_b, edge_b = best_face_of_box(vertices, first_b, first_a, -dx, -dy)
    else:
        separation_a, edge_a = best_face(vertices, first_a, count_a, first_b, count_b, dx, dy)
        if separation_a > reach:
            return no_manifold()
        separation_b, edge_b = best_face(vertices, first_b, count_b, first_a, count_a, -dx, -dy)
    if separation_b > reach:
        return no_manifold()
    bound = max(separation_a, separation_b) - radius_a - radius_b + EXACT
    is_flipped = separation_b > separation_a + TOLERANCE
    manifold = face_manifold(
        is_flipped,
        vertices,
        first_a,
        count_a,
        edge_a,
        radius_a,
        first_b,
        count_b,
        edge_b,
        radius_b,
        dx,
        dy,
    )
    if is_within(manifold, bound):
        return manifold
    return other_manifold(
        is_flipped or separation_a >= separation_b,
        bound,
        reach,
        vertices,
        first_a,
        count_a,
        edge_a,
        radius_a,
        first_b,
        count_b,
        edge_b,
        radius_b,
        dx,
        dy,
    )


@inlined
def face_manifold(
    is_flipped,
    vertices,
    first_a,
    count_a,
    edge_a,
    radius_a,
    first_b,
    count_b,
    edge_b,
    radius_b,
    dx,
    dy,
):
    """The manifold over the chosen edge of A, or of B where `is_flipped`; normal from A to B."""
    first = first_b if is_flipped else first_a
    count = count_b if is_flipped else count_a
    edge = edge_b if is_flipped else edge_a
    radius = radius_b if is_flipped else radius_a
    other_first = first_a if is_flipped else first_b
    other_count = count_a if is_flipped else count_b
    other_radius = radius_a if is_flipped else radius_b
    normal_x = vertices[edge, 2]
    normal_y = vertices[edge, 3]
    facing = facing_edge(vertices, other_first, other_count, normal_x, normal_y)
    manifold = clipped_manifold(
        vertices,
        first,
        edge,
        next_vertex(edge, first, count),
        radius,
        other_first,
        facing,
        next_vertex(facing, other_first, other_count),
        other_radius,
        -dx if is_flipped else dx,
        -dy if is_flipped else dy,
        normal_x,
        normal_y,
    )
    return seen_from_other(manifold, dx, dy) if is_flipped else manifold


@inner
def other_manifold(
    is_settled,
    bound,
    reach,
    vertices,
    first_a,
    count_a,
    edge_a,
    radius_a,
    first_b,
    count_b,
    edge_b,
    radius_b,
    dx,
    dy,
):
    """What there is where the preferred edge gave nothing: B's edge, or two corners.

    `is_settled`: A's edge was rightly preferred, or B's has been tried.
    """
    if not is_settled:
        manifold = face_manifold(
            True,
            vertices,
            first_a,
            count_a,
            edge_a,
            radius_a,
            first_b,
            count_b,
            edge_b,
            radius_b,
            dx,
            dy,
        )
        if is_within(manifold, bound):
            return manifold
    return corner_manifold(
        vertices, first_a, count_a, radius_a, first_b, count_b, radius_b, dx, dy, reach
    )


@inlined
def next_vertex(row, first, count):
    """The row of the vertex after that in `row`."""
    return row + 1 if row + 1 < first + count else first


@inner
def best_face(vertices, first_a, count_a, first_b, count_b, dx, dy):
    """The edge of A whose line keeps B farthest off: (gap along its normal in m, its row)."""
    best = -FAR
    edge = first_a
    for row in range(first_a, first_a + count_a):
        normal_x = vertices[row, 2]
        normal_y = vertices[row, 3]
        low = lowest(vertices, first_b, count_b, normal_x, normal_y)
        gap = low + (dx - vertices[row, 0]) * normal_x + (dy - vertices[row, 1]) * normal_y
        if gap > best:
            best = gap
            edge = row
    return best, edge


@inlined
def best_face_of_box(vertices, first_a, first_b, dx, dy):
    """`best_face` for two boxes, which most bodies are: a pair of faces shares one direction."""
    gap_0, gap_2 = gaps_of_faces(vertices, first_a, first_b, dx, dy)
    gap_1, gap_3 = gaps_of_faces(vertices, first_a + 1, first_b, dx, dy)
    best = gap_0
    edge = first_a
    edge = first_a + 1 if gap_1 > best else edge
    best = gap_1 if gap_1 > best else best
    edge = first_a + 2 if gap_2 > best else edge
    best = gap_2 if gap_2 > best else best
    edge = first_a + 3 if gap_3 > best else edge
    best = gap_3 if gap_3 > best else best
    return best, edge


@inlined
def gaps_of_faces(vertices, row, first_b, dx, dy):
    """How far box B lies before the face in `row` and before the opposite one, m."""
    normal_x = vertices[row, 2]
    normal_y = vertices[row, 3]
    along_0 = vertices[first_b, 0] * normal_x + vertices[first_b, 1] * normal_y
    along_1 = vertices[first_b + 1, 0] * normal_x + vertices[first_b + 1, 1] * normal_y
    along_2 = vertices[first_b + 2, 0] * normal_x + vertices[first_b + 2, 1] * normal_y
    along_3 = vertices[first_b + 3, 0] * normal_x + vertices[first_b + 3, 1] * normal_y
    low_01 = along_1 if along_1 < along_0 else along_0
    high_01 = along_0 if along_1 < along_0 else along_1
    low_23 = along_3 if along_3 < along_2 else along_2
    high_23 = along_2 if along_3 < along_2 else along_3
    low = low_23 if low_23 < low_01 else low_01
    high = high_23 if high_23 > high_01 else high_01
    away = dx * normal_x + dy * normal_y
    face = vertices[row, 0] * normal_x + vertices[row, 1] * normal_y
    opposite = vertices[row + 2, 0] * normal_x + vertices[row + 2, 1] * normal_y
    return low + away - face, opposite - (high + away)


@inner
def lowest(vertices, first, count, x, y):
    """The smallest coordinate along (x, y) of `count` vertices, m."""
    low = FAR
    for row in range(first, first + count):
        along = vertices[row, 0] * x + vertices[row, 1] * y
        if along < low:
            low = along
    return low


@inlined
def facing_edge(vertices, first, count, x, y):
    """The row of the edge whose normal is most opposed to (x, y)."""
    edge = first
    least = FAR
    for row in range(first, first + count):
        facing = vertices[row, 2] * x + vertices[row, 3] * y
        if facing < least:
            least = facing
            edge = row
    return edge


@inlined
def clipped_manifold(
    vertices,
    first_a,
    start_a,
    end_a,
    radius_a,
    first_b,
    start_b,
    end_b,
    radius_b,
    dx,
    dy,
    normal_x,
    normal_y,
):
    """The points of B's edge that lie over A's edge, as a manifold along A's normal.

    Both edges run from the row `start` to the row `end`, counter-clockwise around their part, so
    B's runs against A's.
    """
    base_x = vertices[start_a, 0]
    base_y = vertices[start_a, 1]
    length = (vertices[end_a, 1] - base_y) * normal_x - (vertices[end_a, 0] - base_x) * normal_y
    start_x = vertices[start_b, 0] + dx - base_x
    start_y = vertices[start_b, 1] + dy - base_y
    end_x = vertices[end_b, 0] + dx - base_x
    end_y = vertices[end_b, 1] + dy - base_y
    high_along = start_y * normal_x - start_x * normal_y
    low_along = end_y * normal_x - end_x * normal_y
    if high_along < -SLACK or low_along > length + SLACK:
        return no_manifold()
    high_gap = start_x * normal_x + start_y * normal_y
    low_gap = end_x * normal_x + end_y * normal_y
    width = high_along - low_along
    edge_a = start_a - first_a
    edge_b = start_b - first_b
    # Without branches: which end is cut off changes from contact to contact.
    per_width = 1.0 / width if width > SLACK else 0.0
    share_0 = min(max(-low_along * per_width, 0.0), 1.0)
    share_1 = min(max((high_along - length) * per_width, 0.0), 1.0)
    along_0 = low_along + share_0 * width
    along_1 = high_along - share_1 * width
    gap_0 = low_gap + share_0 * (high_gap - low_gap)
    gap_1 = high_gap + share_1 * (low_gap - high_gap)
    whole_low = VERTEX_OF_B + feature(edge_a, end_b - first_b)
    whole_high = VERTEX_OF_B + feature(edge_a, edge_b)
    cut_low = VERTEX_OF_A + feature(edge_a, edge_b)
    cut_high = VERTEX_OF_A + feature(end_a - first_a, edge_b)
    low_feature = cut_low if share_0 > 0.0 else whole_low
    high_feature = cut_high if share_1 > 0.0 else whole_high
    middle_0 = 0.5 * (gap_0 + radius_a - radius_b)
    middle_1 = 0.5 * (gap_1 + radius_a - radius_b)
    return (
        2,
        normal_x,
        normal_y,
        base_x - along_0 * normal_y + middle_0 * normal_x,
        base_y + along_0 * normal_x + middle_0 * normal_y,
        gap_0 - radius_a - radius_b,
        low_feature,
        base_x - along_1 * normal_y + middle_1 * normal_x,
        base_y + along_1 * normal_x + middle_1 * normal_y,
        gap_1 - radius_a - radius_b,
        high_feature,
    )


@inner
def corner_manifold(
    vertices, first_a, count_a, radius_a, first_b, count_b, radius_b, dx, dy, reach
):
    """The manifold between the closest two vertices of two cores, if closer than `reach` (m)."""
    distance = FAR
    corner_a = first_a
    corner_b = first_b
    for row in range(first_a, first_a + count_a):
        to_b, nearest = nearest_corner(vertices, row, first_b, count_b, dx, dy)
        if to_b < distance:
            distance = to_b
            corner_a = row
            corner_b = nearest
    if distance > reach:
        return no_manifold()
    corner_x = vertices[corner_a, 0]
    corner_y = vertices[corner_a, 1]
    normal_x = 0.0
    normal_y = 1.0
    if distance > COINCIDENT:
        normal_x = (vertices[corner_b, 0] + dx - corner_x) / distance
        normal_y = (vertices[corner_b, 1] + dy - corner_y) / distance
    which = TWO_VERTICES + feature(corner_a - first_a, corner_b - first_b)
    return one_point(normal_x, normal_y, corner_x, corner_y, distance, radius_a, radius_b, which)


@inner
def collide_edge_circle(vertices, first_a, radius_a, first_b, radius_b, dx, dy, limit):
    """The manifold of an edge of a chain, A, and a part of one vertex; see `edge_end`."""
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
        kind, other_x, other_y = edge_end(vertices, tail, side, normal_x, normal_y)
        if kind == FLUSH:
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
                if kind == HILL:
                    whose = owner(away_x, away_y, side, normal_x, normal_y, other_x, other_y)
                    if whose != OURS:
                        return no_manifold()
                return one_point(
                    away_x, away_y, corner_x, corner_y, distance, radius_a, radius_b, ROUND
                )
    foot_x = x - height * normal_x
    foot_y = y - height * normal_y
    return one_point(normal_x, normal_y, foot_x, foot_y, height, radius_a, radius_b, ROUND)


@inner
def collide_edge_polygon(vertices, first_a, radius_a, first_b, count_b, radius_b, dx, dy, limit):
    """The manifold of an edge of a chain, A, and a part of two or more vertices; see `edge_end`."""
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

    # Perhaps they are nearest corner to corner.
    side = HEAD if is_head else TAIL
    corner = head if is_head else tail
    distance, nearest = nearest_corner(vertices, corner, first_b, count_b, dx, dy)
    kind, other_x, other_y = edge_end(vertices, tail, side, normal_x, normal_y)
    if kind == FLUSH or distance <= COINCIDENT:
        return manifold
    x = (vertices[nearest, 0] + dx - vertices[corner, 0]) / distance
    y = (vertices[nearest, 1] + dy - vertices[corner, 1]) / distance
    along = vertices[nearest, 0] * x + vertices[nearest, 1] * y
    is_nearest = lowest(vertices, first_b, count_b, x, y) >= along - SLACK
    if not is_nearest or (x * normal_y - y * normal_x) * side < 0.0:
        return manifold
    whose = OURS
    if kind == HILL:
        whose = owner(x, y, side, normal_x, normal_y, other_x, other_y)
    if whose != OURS or distance > reach:
        return no_manifold()
    which = TWO_VERTICES + feature(corner - first_a, nearest - first_b)
    corner_x = vertices[corner, 0]
    corner_y = vertices[corner, 1]
    return one_point(x, y, corner_x, corner_y, distance, radius_a, radius_b, which)


@inner
def edge_axis(vertices, tail, normal_x, normal_y, first, count, dx, dy, reach):
    """Along which axis an edge of a chain keeps a part of two or more vertices off.

    The part's `count` vertices are displaced by (dx, dy). All axes compete, but a normal that
    the surface does not have takes no part, and a neighbour's normal, if it wins, leaves the
    contact to the neighbour (unless a corner is nearer than any of these axes tells).

    Returns (OWN_NORMAL, FACE_OF_B, NEIGHBOURS or NO_AXIS; the gap of the cores along it, m; the
    row of the part's edge that faces the chain's; whether they are nearest at the head).
    """
    head = tail + 1
    tail_x = vertices[tail, 0] - dx
    tail_y = vertices[tail, 1] - dy
    head_x = vertices[head, 0] - dx
    head_y = vertices[head, 1] - dy
    own = lowest(vertices, first, count, normal_x, normal_y)
    own -= tail_x * normal_x + tail_y * normal_y
    if own > reach:
        return NO_AXIS, own, first, False

    tail_kind, before_x, before_y = edge_end(vertices, tail, TAIL, normal_x, normal_y)
    head_kind, after_x, after_y = edge_end(vertices, tail, HEAD, normal_x, normal_y)
    center_x, center_y = middle(vertices, first, count)
    is_above = (center_x - tail_x) * normal_x + (center_y - tail_y) * normal_y >= 0.0
    is_in_front = is_above
    rival = -FAR
    is_rival_head = False
    if tail_kind == HILL:
        gap = lowest(vertices, first, count, before_x, before_y)
        rival = gap - (tail_x * before_x + tail_y * before_y)
        if (center_x - tail_x) * before_x + (center_y - tail_y) * before_y >= 0.0:
            is_in_front = True
    if head_kind == HILL:
        gap = lowest(vertices, first, count, after_x, after_y)
        gap -= head_x * after_x + head_y * after_y
        if gap > rival:
            rival = gap
            is_rival_head = True
        if (center_x - head_x) * after_x + (center_y - head_y) * after_y >= 0.0:
            is_in_front = True
    if rival > reach or not is_in_front:
        return NO_AXIS, rival, first, False

    best = -FAR
    face = first
    for row in range(first, first + count):
        x = -vertices[row, 2]
        y = -vertices[row, 3]
        gap = vertices[row, 0] * x + vertices[row, 1] * y
        gap -= max(tail_x * x + tail_y * y, head_x * x + head_y * y)
        if gap > reach:
            return NO_AXIS, gap, first, False
        is_head = x * normal_y > y * normal_x
        kind = head_kind if is_head else tail_kind
        whose = OURS
        if kind == FLUSH:
            whose = NOBODYS
        elif kind == HILL:
            other_x = after_x if is_head else before_x
            other_y = after_y if is_head else before_y
            side = HEAD if is_head else TAIL
            whose = owner(x, y, side, normal_x, normal_y, other_x, other_y)
        if whose == OURS and gap > best:
            best = gap
            face = row
        elif whose == THEIRS and gap > rival:
            rival = gap
            is_rival_head = is_head

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


@inner
def nearest_corner(vertices, corner, first, count, dx, dy):
    """Of `count` vertices displaced by (dx, dy) the nearest to one: (distance in m, its row)."""
    x = vertices[corner, 0] - dx
    y = vertices[corner, 1] - dy
    least = FAR
    nearest = first
    for row in range(first, first + count):
        away_x = vertices[row, 0] - x
        away_y = vertices[row, 1] - y
        square = away_x * away_x + away_y * away_y
        if square < least:
            least = square
            nearest = row
    return math.sqrt(least), nearest


@inner
def edge_end(vertices, tail, side, normal_x, normal_y):
    """What an edge of a chain ends at: (OPEN, HILL or FLUSH, the neighbour's normal).

    The edge belongs to a surface that goes on at its ends, solid to the left of the walk from
    its first vertex (row `tail`) to its second; the vertices before and after are in the rows
    around. Normals of contacts are only what that surface has: the edge's own one and, at a
    hill, those up to half way to the neighbour's (the neighbour has the other half; the middle
    belongs to the edge before the hill). Where the chain is open the end vertex is a corner from
    all around. A core whose centre is behind the surface touches nothing.

    Both edges at a vertex reckon with the same numbers in the same way, so they agree.
    """
    start = tail + 1 if side == HEAD else tail - 1
    end = start + 1
    if vertices[start, 0] == vertices[end, 0] and vertices[start, 1] == vertices[end, 1]:
        return OPEN, 0.0, 0.0
    x, y = left_normal(vertices, start, end)
    turn = side * (normal_x * y - normal_y * x)
    folds_back = x * normal_x + y * normal_y < 0.0 and turn < SLACK
    if turn < 0.0 or folds_back:
        return HILL, x, y
    return FLUSH, x, y


@inner
def left_normal(vertices, start, end):
    """The unit normal on the left of the way between two vertices that differ."""
    x = vertices[end, 0] - vertices[start, 0]
    y = vertices[end, 1] - vertices[start, 1]
    length = math.sqrt(x * x + y * y)
    return -y / length, x / length


@inner
def owner(x, y, side, normal_x, normal_y, other_x, other_y):
    """Whose a direction at a hill is: OURS, THEIRS, or NOBODYS where no normal there is like it.

    It must lean towards that end of the edge. (other_x, other_y) is the neighbour's normal.
    """
    if side * (other_x * y - other_y * x) < -SLACK:
        return NOBODYS
    own = x * normal_x + y * normal_y
    other = x * other_x + y * other_y
    if own > other or (own == other and side == HEAD):
        return OURS
    return THEIRS


@inner
def middle(vertices, first, count):
    """The mean of a part's vertices, a point inside its core, m."""
    x = 0.0
    y = 0.0
    for row in range(first, first + count):
        x += vertices[row, 0]
        y += vertices[row, 1]
    return x / count, y / count


@inlined
def feature(index_a, index_b):
    """A number for two features that meet, to which VERTEX_OF_A or its like is added.

    Indices wrap at 16384, where two points might be taken for one another: impulses would start
    from a worse guess.
    """
    return ((index_a & 0x3FFF) << 14) | (index_b & 0x3FFF)


@inner
def other_feature(which):
    """The number of the same two features with A and B exchanged."""
    swapped = feature(which & 0x3FFF, (which >> 14) & 0x3FFF)
    if which >= TWO_VERTICES:
        return swapped + TWO_VERTICES
    return swapped + (VERTEX_OF_A if which >= VERTEX_OF_B else VERTEX_OF_B)


@inner
def no_manifold():
    """A manifold without points."""
    return (0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0)


@inner
def one_point(normal_x, normal_y, x, y, gap, radius_a, radius_b, which):
    """A manifold with one point, from the point (x, y) on A's core and the cores' gap (m)."""
    half = 0.5 * (gap + radius_a - radius_b)
    return (
        1,
        normal_x,
        normal_y,
        x + half * normal_x,
        y + half * normal_y,
        gap - radius_a - radius_b,
        which,
        0.0,
        0.0,
        0.0,
        0,
    )


@inlined
def is_within(manifold, bound):
    """Whether a manifold has a point with a separation of `bound` (m) or less."""
    count = manifold[0]
    return (count > 0 and manifold[5] <= bound) or (count > 1 and manifold[9] <= bound)


@inlined
def seen_from_other(manifold, dx, dy):
    """The manifold of (B, A) as that of (A, B); (dx, dy) leads from A to B."""
    if manifold[0] == 0:
        return no_manifold()
    is_two = manifold[0] > 1
    return (
        manifold[0],
        -manifold[1],
        -manifold[2],
        manifold[3] + dx,
        manifold[4] + dy,
        manifold[5],
        other_feature(manifold[6]),
        manifold[7] + dx if is_two else 0.0,
        manifold[8] + dy if is_two else 0.0,
        manifold[9],
        other_feature(manifold[10]) if is_two else 0,
    )
