"""Any two parts: which function knows where they touch.

Everything happens on the cores of parts (part_cores.py); radii are taken off at the end.
"""

from ecs_physics.kernels.chain_edge import collide_edge_circle, collide_edge_polygon
from ecs_physics.kernels.circle_manifold import collide_circles, collide_polygon_circle
from ecs_physics.kernels.compile import Reals, inner
from ecs_physics.kernels.manifold import Manifold, no_manifold, seen_from_other
from ecs_physics.kernels.polygon_manifold import collide_polygons


@inner
def collide_parts(
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
    limit: float,
) -> Manifold:
    """The manifold of any two parts whose gap is at most `limit` (m), else an empty one.

    Args:
        vertices: (V, 4), m, see part_cores.py.
        first_a: row of the first vertex of A.
        count_a: number of its vertices.
        radius_a: m, its rounding.
        one_sided_a: whether it is an edge of a chain. Two of these never touch.
        first_b: the same of B, and so on.
        count_b: number.
        radius_b: m.
        one_sided_b: flag.
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
