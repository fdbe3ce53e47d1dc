"""Area, centroid and second moment of flat regions: exact formulas, no sampling.

All lengths are in metres. The second moment is the integral of the squared distance from the
centroid over the region, in m^4: times a density (kg/m^2) it is the moment of inertia about the
centre of mass. Coordinates are first taken relative to the middle of the vertices' bounding
box, and the second moment relative to the centroid, so that a small region far from the origin
loses no digits.
"""

import math
from typing import Any

from ecs_physics.kernels.compile import inner, kernel, real, reals2


@inner
def _middle(vertices: Any) -> Any:
    """The middle (x, y) of the bounding box of `vertices`."""
    lower_x = upper_x = vertices[0, 0]
    lower_y = upper_y = vertices[0, 1]
    for i in range(1, vertices.shape[0]):
        lower_x = min(lower_x, vertices[i, 0])
        upper_x = max(upper_x, vertices[i, 0])
        lower_y = min(lower_y, vertices[i, 1])
        upper_y = max(upper_y, vertices[i, 1])
    return 0.5 * lower_x + 0.5 * upper_x, 0.5 * lower_y + 0.5 * upper_y


@inner
def _polygon_moments(vertices: Any, x: float, y: float) -> Any:
    """Signed area and its first moments (m^3) about the point (x, y)."""
    count = vertices.shape[0]
    area = moment_x = moment_y = 0.0
    ax, ay = vertices[count - 1, 0] - x, vertices[count - 1, 1] - y
    for i in range(count):
        bx, by = vertices[i, 0] - x, vertices[i, 1] - y
        triangle = 0.5 * (ax * by - ay * bx)
        area += triangle
        moment_x += triangle * (ax + bx) / 3.0
        moment_y += triangle * (ay + by) / 3.0
        ax, ay = bx, by
    return area, moment_x, moment_y


@inner
def _polygon_second_moment(vertices: Any, x: float, y: float, dx: float, dy: float) -> Any:
    """Signed second moment (m^4) about the point (x + dx, y + dy)."""
    count = vertices.shape[0]
    second_moment = 0.0
    ax, ay = vertices[count - 1, 0] - x - dx, vertices[count - 1, 1] - y - dy
    for i in range(count):
        bx, by = vertices[i, 0] - x - dx, vertices[i, 1] - y - dy
        squares = (ax * ax + ay * ay) + (ax * bx + ay * by) + (bx * bx + by * by)
        second_moment += (ax * by - ay * bx) / 12.0 * squares
        ax, ay = bx, by
    return second_moment


@inner
def _edge(vertices: Any, i: int) -> Any:
    """Length and outward unit normal (x, y) of the edge from vertex `i` to the next one."""
    j = i + 1 if i + 1 < vertices.shape[0] else 0
    along_x = vertices[j, 0] - vertices[i, 0]
    along_y = vertices[j, 1] - vertices[i, 1]
    length = math.sqrt(along_x * along_x + along_y * along_y)
    return length, along_y / length, -along_x / length


@kernel((reals2,))
def polygon_mass(vertices: Any) -> Any:
    """Area, centroid and second moment of any simple polygon.

    The sum over the triangles (O, Pi, Pi+1) of ci/2, ci/6 (Pi + Pi+1) and
    ci/12 (Pi.Pi + Pi.Pi+1 + Pi+1.Pi+1), with ci = Pi x Pi+1: Green's theorem for a polygon
    (Steger 1996, "On the calculation of arbitrary moments of polygons"). The triangles are
    signed, so a concave outline and a centroid outside of it are handled.

    Args:
        vertices: (n, 2) corners in order, n >= 3, in either winding, m; writable and
            C-contiguous. Repeated and collinear corners do no harm.

    Returns:
        Area (m^2, never negative), centroid x and y (m), second moment about the centroid
        (m^4). A polygon without area gives 0, the middle of its bounding box, and 0.
    """
    x, y = _middle(vertices)
    area, moment_x, moment_y = _polygon_moments(vertices, x, y)
    if area == 0.0:
        return 0.0, x, y, 0.0
    dx, dy = moment_x / area, moment_y / area
    second_moment = _polygon_second_moment(vertices, x, y, dx, dy)
    if area < 0.0:
        area, second_moment = -area, -second_moment
    return area, x + dx, y + dy, second_moment


@kernel((reals2, real))
def rounded_polygon_mass(vertices: Any, radius: float) -> Any:
    """Area, centroid and second moment of all points within `radius` of a convex polygon.

    The region is cut into the polygon, a rectangle (length L, depth r) on each edge, and at
    each vertex a sector of a disc between the normals m and n of its two edges. Of a sector
    with apex at the origin and angle t: area t r^2/2, first moment r^3/3 (n - m) turned
    clockwise by a right angle, second moment t r^4/4; all angles together make 2 pi, so the
    area is A + P r + pi r^2 (Steiner's formula).

    Args:
        vertices: (n, 2) corners of a convex polygon counter-clockwise, m; 1 for a disc, 2
            (different ones) for a capsule; writable and C-contiguous, no corner repeated.
        radius: m, at least 0.

    Returns:
        Area (m^2), centroid x and y (m), second moment about the centroid (m^4). A region
        without area gives 0, the middle of its bounding box, and 0.
    """
    count = vertices.shape[0]
    x, y = _middle(vertices)
    disc = math.pi * radius * radius
    if count == 1:
        return disc, x, y, 0.5 * disc * radius * radius
    polygon, polygon_x, polygon_y = _polygon_moments(vertices, x, y)
    rectangles = rectangles_x = rectangles_y = 0.0
    sectors_x = sectors_y = 0.0
    _, before_x, before_y = _edge(vertices, count - 1)
    for i in range(count):
        length, normal_x, normal_y = _edge(vertices, i)
        j = i + 1 if i + 1 < count else 0
        rectangle = length * radius
        rectangles += rectangle
        rectangles_x += rectangle * (
            0.5 * ((vertices[i, 0] - x) + (vertices[j, 0] - x) + normal_x * radius)
        )
        rectangles_y += rectangle * (
            0.5 * ((vertices[i, 1] - y) + (vertices[j, 1] - y) + normal_y * radius)
        )
        cross = before_x * normal_y - before_y * normal_x
        angle = abs(math.atan2(cross, before_x * normal_x + before_y * normal_y))
        sector = 0.5 * angle * radius * radius
        cube = radius * radius * radius / 3.0
        sectors_x += sector * (vertices[i, 0] - x) + cube * (normal_y - before_y)
        sectors_y += sector * (vertices[i, 1] - y) - cube * (normal_x - before_x)
        before_x, before_y = normal_x, normal_y
    area = polygon + rectangles + disc
    if area <= 0.0:
        return 0.0, x, y, 0.0
    dx = (polygon_x + rectangles_x + sectors_x) / area
    dy = (polygon_y + rectangles_y + sectors_y) / area
    second_moment = _polygon_second_moment(vertices, x, y, dx, dy)
    return area, x + dx, y + dy, second_moment + _rounding_moment(vertices, radius, x + dx, y + dy)


@inner
def _rounding_moment(vertices: Any, radius: float, x: float, y: float) -> Any:
    """Second moment (m^4) about (x, y) of the rectangles and sectors around a polygon."""
    count = vertices.shape[0]
    square = radius * radius
    total = 0.0
    _, before_x, before_y = _edge(vertices, count - 1)
    for i in range(count):
        length, normal_x, normal_y = _edge(vertices, i)
        apex_x, apex_y = vertices[i, 0] - x, vertices[i, 1] - y
        middle_x = apex_x + 0.5 * (radius * normal_x - length * normal_y)
        middle_y = apex_y + 0.5 * (radius * normal_y + length * normal_x)
        from_middle = (length * length + square) / 12.0
        total += length * radius * (from_middle + middle_x * middle_x + middle_y * middle_y)
        cross = before_x * normal_y - before_y * normal_x
        angle = abs(math.atan2(cross, before_x * normal_x + before_y * normal_y))
        toward = apex_x * (normal_y - before_y) - apex_y * (normal_x - before_x)
        total += 0.25 * angle * square * square + 2.0 / 3.0 * square * radius * toward
        total += 0.5 * angle * square * (apex_x * apex_x + apex_y * apex_y)
        before_x, before_y = normal_x, normal_y
    return total
