"""Where two parts of two or more vertices touch: polygons, capsules and segments.

The method: separating axes over the normals of both cores, then the edge of one that faces the
other is clipped to the width of the edge of the axis (D. Gregorius, "Robust contact creation for
physics simulations", GDC 2015). Cores that are apart corner to corner have one point between
these corners.

What the arguments are: part_pairs.py.
"""

from ecs_physics.kernels.compile import Reals, at, inlined, inner
from ecs_physics.kernels.manifold import (
    EXACT,
    FLUSH,
    TOLERANCE,
    TWO_VERTICES,
    VERTEX_OF_A,
    VERTEX_OF_B,
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
    best_face,
    facing_edge,
    nearest_corner,
    next_vertex,
)


@inner
def collide_polygons(
    vertices: Reals,
    first_a: int,
    count_a: int,
    radius_a: float,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of two parts with two or more vertices each.

    Where both have an equally good axis, it is A's.
    """
    reach = limit + radius_a + radius_b
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
    is_flipped: bool,
    vertices: Reals,
    first_a: int,
    count_a: int,
    edge_a: int,
    radius_a: float,
    first_b: int,
    count_b: int,
    edge_b: int,
    radius_b: float,
    dx: float,
    dy: float,
) -> Manifold:
    """The manifold over the chosen edge of A, or of B where `is_flipped`; normal from A to B."""
    first = first_b if is_flipped else first_a
    count = count_b if is_flipped else count_a
    edge = edge_b if is_flipped else edge_a
    radius = radius_b if is_flipped else radius_a
    other_first = first_a if is_flipped else first_b
    other_count = count_a if is_flipped else count_b
    other_radius = radius_a if is_flipped else radius_b
    normal_x = vertices[at(edge), 2]
    normal_y = vertices[at(edge), 3]
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
    is_settled: bool,
    bound: float,
    reach: float,
    vertices: Reals,
    first_a: int,
    count_a: int,
    edge_a: int,
    radius_a: float,
    first_b: int,
    count_b: int,
    edge_b: int,
    radius_b: float,
    dx: float,
    dy: float,
) -> Manifold:
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
def clipped_manifold(
    vertices: Reals,
    first_a: int,
    start_a: int,
    end_a: int,
    radius_a: float,
    first_b: int,
    start_b: int,
    end_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    normal_x: float,
    normal_y: float,
) -> Manifold:
    """The points of B's edge that lie over A's edge, as a manifold along A's normal.

    Both edges run from the row `start` to the row `end`, counter-clockwise around their part, so
    B's runs against A's.
    """
    base_x = vertices[at(start_a), 0]
    base_y = vertices[at(start_a), 1]
    length = (vertices[at(end_a), 1] - base_y) * normal_x - (
        vertices[at(end_a), 0] - base_x
    ) * normal_y
    start_x = vertices[at(start_b), 0] + dx - base_x
    start_y = vertices[at(start_b), 1] + dy - base_y
    end_x = vertices[at(end_b), 0] + dx - base_x
    end_y = vertices[at(end_b), 1] + dy - base_y
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
    low_feature = cut_low if -low_along > FLUSH else whole_low
    high_feature = cut_high if high_along - length > FLUSH else whole_high
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
    vertices: Reals,
    first_a: int,
    count_a: int,
    radius_a: float,
    first_b: int,
    count_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    reach: float,
) -> Manifold:
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
    corner_x = vertices[at(corner_a), 0]
    corner_y = vertices[at(corner_a), 1]
    normal_x = 0.0
    normal_y = 1.0
    if distance > COINCIDENT:
        normal_x = (vertices[at(corner_b), 0] + dx - corner_x) / distance
        normal_y = (vertices[at(corner_b), 1] + dy - corner_y) / distance
    which = TWO_VERTICES + feature(corner_a - first_a, corner_b - first_b)
    return one_point(normal_x, normal_y, corner_x, corner_y, distance, radius_a, radius_b, which)
