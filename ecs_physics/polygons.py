"""Polygons as arrays of corners: making them, measuring them, and pushing them apart.

A polygon is an (n, 2) float64 array of corners in order, in metres. What is made here is
counter-clockwise with its centroid at the origin, ready for `Shape.polygon`; what is measured may
have either winding and lie anywhere.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.components import number, positive
from ecs_physics.kernels.polygon_mass import polygon_mass
from ecs_physics.shapes import Shape

__all__ = [
    "area",
    "centered",
    "centroid",
    "general",
    "inertia",
    "inertia_rectangle",
    "inertia_regular",
    "minimum_push_vector",
    "random_simple",
    "rectangle",
    "regular",
    "square",
    "triangle",
]

Polygon = NDArray[np.float64]

MOST_CORNERS: Final = 10_000
"""Corners that a generated polygon may have."""


def rectangle(width: float, height: float) -> Polygon:
    """A rectangle, from its lower left corner on.

    Args:
        width: m, along x.
        height: m, along y.

    Returns:
        (4, 2) m, counter-clockwise about the origin.

    Raises:
        ValueError: naming the side that is not above 0.
    """
    x, y = 0.5 * positive(width, "width"), 0.5 * positive(height, "height")
    return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])


def square(side: float) -> Polygon:
    """A square, from its lower left corner on.

    Args:
        side: m.

    Returns:
        (4, 2) m, counter-clockwise about the origin.

    Raises:
        ValueError: for a side that is not above 0.
    """
    return rectangle(positive(side, "side"), side)


def triangle(a: float, b: float, angle: float) -> Polygon:
    """A triangle, given two sides and the angle between them.

    Args:
        a: m, the side along x.
        b: m, the other side, from the same corner.
        angle: rad between them, above 0 and below pi.

    Returns:
        (3, 2) m, counter-clockwise from the corner between the sides, centroid at the origin.

    Raises:
        ValueError: naming the value that is out of range.
    """
    a, b = positive(a, "a"), positive(b, "b")
    if not 0.0 < number(angle, "angle") < math.pi:
        raise ValueError(f"angle = {angle!r}: give radians above 0 and below pi")
    return centered([(0.0, 0.0), (a, 0.0), (b * math.cos(angle), b * math.sin(angle))])


def regular(count: int, side: float) -> Polygon:
    """A regular polygon that stands on a side; corners are side / (2 sin(pi / n)) from the middle.

    Args:
        count: sides n, at least 3.
        side: m.

    Returns:
        (n, 2) m, counter-clockwise about the origin, from the left end of the lowest side on.

    Raises:
        ValueError: naming the value that is out of range.
    """
    count = _corner_count(count)
    radius = 0.5 * positive(side, "side") / math.sin(math.pi / count)
    angles = 2.0 * math.pi / count * (np.arange(count) - 0.5) - 0.5 * math.pi
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def general(vertices: Iterable[Sequence[float]]) -> Polygon:
    """Any simple polygon, checked: its corners counter-clockwise, where they were given.

    Args:
        vertices: (x, y) of the corners in order, in either winding, m; the first stays the first.

    Returns:
        (n, 2) m, counter-clockwise.

    Raises:
        ValueError: naming what is no finite point, fewer than three different corners, edges that
            cross or touch, or an outline without area.
    """
    corners = _checked(vertices)
    x, y = (corners - corners[0]).T
    doubled = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return corners if doubled > 0.0 else np.concatenate([corners[:1], corners[:0:-1]])


def centered(vertices: Iterable[Sequence[float]]) -> Polygon:
    """The same polygon, counter-clockwise, moved so that its centroid is the origin.

    Args:
        vertices: (x, y) of the corners in order, in either winding, m.

    Returns:
        (n, 2) m.

    Raises:
        ValueError: as `general` does.
    """
    corners = general(vertices)
    return corners - np.array(centroid(corners))


def random_simple(
    seed: int, count: int | None = None, radius: float = 1.0, roughness: float = 0.5
) -> Polygon:
    """A random simple polygon, concave as a rule; the same for the same arguments.

    It is star-shaped: corners at ascending angles, each in a sector of its own, at random distances
    from one point, so that its outline cannot cross itself.

    Args:
        seed: of NumPy's default random generator, at least 0.
        count: corners, at least 3; None draws 3 to 10.
        radius: m, of the circle that all corners lie in before the centroid is moved to the origin.
        roughness: how far corners are drawn towards the middle: 0 keeps them on the circle, at
            most 0.95.

    Returns:
        (n, 2) m, counter-clockwise, centroid at the origin.

    Raises:
        ValueError: naming the value that is out of range.
    """
    is_whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not is_whole or seed < 0:
        raise ValueError(f"seed = {seed!r}: give a whole number of at least 0")
    if not 0.0 <= number(roughness, "roughness") <= 0.95:
        raise ValueError(f"roughness = {roughness!r}: give a number from 0 to 0.95")
    radius = positive(radius, "radius")
    random = np.random.default_rng(seed)
    drawn = int(random.integers(3, 11))
    count = drawn if count is None else _corner_count(count)
    angles = 2.0 * math.pi / count * (np.arange(count) + random.uniform(-0.2, 0.2, count))
    away = radius * (1.0 - roughness * random.random(count))
    return centered(away[:, np.newaxis] * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def area(vertices: Iterable[Sequence[float]]) -> float:
    """Area of a simple polygon, |sum of Pi x Pi+1| / 2, in m^2.

    Args:
        vertices: (x, y) of the corners in order, in either winding, m.

    Raises:
        ValueError: as `general` does.
    """
    return float(polygon_mass(_checked(vertices))[0])


def centroid(vertices: Iterable[Sequence[float]]) -> tuple[float, float]:
    """Centroid of a simple polygon: that of its triangles (O, Pi, Pi+1), signed, in m.

    Args:
        vertices: (x, y) of the corners in order, in either winding, m.

    Raises:
        ValueError: as `general` does.
    """
    _, x, y, _ = polygon_mass(_checked(vertices))
    return float(x), float(y)


def inertia(vertices: Iterable[Sequence[float]], mass: float) -> float:
    """Moment of inertia of a simple polygon of even density about its centroid C, in kg m^2.

    The sum over the triangles (C, Pi, Pi+1), of signed mass mi, of
    mi/2 (|PiPi+1|^2/3 + CPi.PiPi+1 + |CPi|^2): founding system 3. It is worked out by Green's
    theorem (kernels/polygon_mass.py), which adds up the same triangles.

    Args:
        vertices: (x, y) of the corners in order, in either winding, m.
        mass: kg.

    Raises:
        ValueError: as `general` does, and for a mass that is not above 0.
    """
    covered, _, _, second_moment = polygon_mass(_checked(vertices))
    return positive(mass, "mass") * float(second_moment / covered)


def inertia_rectangle(mass: float, width: float, height: float) -> float:
    """Moment of inertia of a rectangle about its centre, m (w^2 + h^2) / 12, in kg m^2.

    Args:
        mass: kg.
        width: m.
        height: m.

    Raises:
        ValueError: naming the value that is not above 0.
    """
    width, height = positive(width, "width"), positive(height, "height")
    return positive(mass, "mass") * (width * width + height * height) / 12.0


def inertia_regular(mass: float, count: int, side: float) -> float:
    """Moment of inertia of a regular polygon about its centre, in kg m^2.

    m l^2 / 24 (1 + 3 cot^2(pi / n)): founding system 3.

    Args:
        mass: kg.
        count: sides n, at least 3.
        side: m, length l of each.

    Raises:
        ValueError: naming the value that is out of range.
    """
    cotangent = 1.0 / math.tan(math.pi / _corner_count(count))
    side = positive(side, "side")
    return positive(mass, "mass") * side * side / 24.0 * (1.0 + 3.0 * cotangent * cotangent)


def minimum_push_vector(
    a: Iterable[Sequence[float]], b: Iterable[Sequence[float]]
) -> NDArray[np.float64]:
    """The shortest push of convex polygon A that parts it from convex polygon B.

    By the separating-axis method [Ericson 2005, "Real-time collision detection", 5.2.1]: of the
    edge normals of both, the one along which they overlap least, times that overlap, pointing
    from B to A.

    Args:
        a: (x, y) of the corners of A in order, in either winding, m.
        b: the same of B, in the same coordinates.

    Returns:
        (2,) m; (0, 0) where they do not overlap.

    Raises:
        ValueError: as `general` does, and for a concave polygon.
    """
    from ecs_physics.kernels.compile import warm_up
    from ecs_physics.kernels.separating_axis import push_vector

    corners_a, corners_b = _convex(a, "a"), _convex(b, "b")
    warm_up()
    push = np.zeros(2)
    push_vector(corners_a, corners_b, push)
    return push


def _checked(vertices: Any) -> Polygon:
    """The corners as an array of their own, after Shape has checked them."""
    given = vertices.tolist() if isinstance(vertices, np.ndarray) else vertices
    return np.array(Shape.polygon(given).parameters[0])


def _convex(vertices: Any, name: str) -> Polygon:
    shape = Shape.polygon(vertices.tolist() if isinstance(vertices, np.ndarray) else vertices)
    if len(shape.parts) > 1:
        raise ValueError(
            f"{name} = {shape.parameters[0]!r} is concave: give a convex polygon, or cut it into "
            "convex ones (Shape.polygon(...).parts)"
        )
    return np.array(shape.parts[0].vertices)


def _corner_count(value: Any) -> int:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not 3 <= value <= MOST_CORNERS:
        raise ValueError(f"count = {value!r}: give a whole number from 3 to {MOST_CORNERS}")
    return int(value)
