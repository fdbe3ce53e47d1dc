"""Where a circle touches a circle, polygon, capsule or segment: in one point at most.

What the arguments are: part_pairs.py.
"""

import math

from ecs_physics.kernels.compile import Reals, at, inner
from ecs_physics.kernels.manifold import ROUND, Manifold, no_manifold, one_point
from ecs_physics.kernels.part_cores import COINCIDENT, FAR, SLACK, next_vertex


@inner
def collide_circles(
    vertices: Reals,
    first_a: int,
    radius_a: float,
    first_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of two parts of one vertex. Concentric ones are parted upwards."""
    ax = vertices[at(first_a), 0]
    ay = vertices[at(first_a), 1]
    x = vertices[at(first_b), 0] + dx - ax
    y = vertices[at(first_b), 1] + dy - ay
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
def collide_polygon_circle(
    vertices: Reals,
    first_a: int,
    count_a: int,
    radius_a: float,
    first_b: int,
    radius_b: float,
    dx: float,
    dy: float,
    limit: float,
) -> Manifold:
    """The manifold of a part with two or more vertices, A, and one with a single vertex."""
    x = vertices[at(first_b), 0] + dx
    y = vertices[at(first_b), 1] + dy
    reach = limit + radius_a + radius_b
    separation = -FAR
    start = first_a
    for row in range(first_a, first_a + count_a):
        height = (x - vertices[at(row), 0]) * vertices[at(row), 2]
        height += (y - vertices[at(row), 1]) * vertices[at(row), 3]
        if height > separation:
            separation = height
            start = row
    if separation > reach:
        return no_manifold()
    end = next_vertex(start, first_a, count_a)
    normal_x = vertices[at(start), 2]
    normal_y = vertices[at(start), 3]
    corner = -1
    if (y - vertices[at(start), 1]) * normal_x < (x - vertices[at(start), 0]) * normal_y:
        corner = start
    elif (y - vertices[at(end), 1]) * normal_x > (x - vertices[at(end), 0]) * normal_y:
        corner = end
    if corner >= 0 and separation > -SLACK:
        corner_x = vertices[at(corner), 0]
        corner_y = vertices[at(corner), 1]
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
