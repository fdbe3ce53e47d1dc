"""Slow and plain twins of the manifolds: distances by hulls of differences, in NumPy alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.part_pairs import collide_parts

Points = NDArray[np.float64]


@dataclass(frozen=True)
class NaivePart:
    """A rounded convex part: its core's vertices about the body's centre, counter-clockwise."""

    vertices: Points
    radius: float = 0.0
    before: Points | None = None
    after: Points | None = None

    def turned(self, angle: float) -> "NaivePart":
        return NaivePart(turned(self.vertices, angle), self.radius)


@dataclass(frozen=True)
class Manifold:
    count: int
    normal: Points
    points: Points
    separations: Points
    features: tuple[int, ...]

    @property
    def least(self) -> float:
        return float(min(self.separations, default=np.inf))


def turned(points: Any, angle: float) -> Points:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(points, np.float64) @ np.array([[cos, sin], [-sin, cos]])


def box(width: float, height: float, radius: float = 0.0) -> NaivePart:
    x, y = width / 2, height / 2
    return NaivePart(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), radius)


def circle(radius: float) -> NaivePart:
    return NaivePart(np.zeros((1, 2)), radius)


def capsule(length: float, radius: float) -> NaivePart:
    return NaivePart(np.array([(-length / 2, 0.0), (length / 2, 0.0)]), radius)


def chain(points: Any, closed: bool = False) -> list[NaivePart]:
    """The edges of a chain, each with its neighbours."""
    vertices = [np.array(each, np.float64) for each in points]
    count = len(vertices)
    edges = []
    for i in range(count if closed else count - 1):
        before = vertices[i - 1] if closed or i > 0 else vertices[0]
        after = vertices[(i + 2) % count] if closed or i + 2 < count else vertices[-1]
        ends = np.array([vertices[i], vertices[(i + 1) % count]])
        edges.append(NaivePart(ends, 0.0, before, after))
    return edges


def rows_of(part: NaivePart) -> tuple[Points, int]:
    """The part as rows (x, y, normal_x, normal_y), and which of them is its first vertex."""
    corners = part.vertices
    rows = np.zeros((len(corners), 4))
    rows[:, :2] = corners
    if len(corners) > 1:
        along = np.roll(corners, -1, axis=0) - corners
        rows[:, 2:] = np.column_stack([along[:, 1], -along[:, 0]])
        rows[:, 2:] /= np.hypot(along[:, 0], along[:, 1])[:, None]
    if part.before is None or part.after is None:
        return rows, 0
    rows[0, 2:] *= -1
    rows[1, 2:] = 0.0
    return np.vstack([[*part.before, 0, 0], rows, [*part.after, 0, 0]]), 1


def is_box(part: NaivePart) -> bool:
    """Whether it is a rectangle (to within rounding)."""
    rows, _ = rows_of(part)
    if part.before is not None or len(rows) != 4:
        return False
    corners = np.vstack([rows[:, :2], rows[:1, :2]])
    x, y = np.diff(corners, axis=0).T
    return bool(np.abs(x * np.roll(x, 1) + y * np.roll(y, 1)).max() < 1e-14)


def collide(a: NaivePart, b: NaivePart, d: Any, limit: float = 100.0) -> Manifold:
    """What the kernel under test says of two parts."""
    rows_a, first_a = rows_of(a)
    rows_b, first_b = rows_of(b)
    found = collide_parts(
        np.vstack([rows_a, rows_b]),
        first_a,
        len(a.vertices),
        float(a.radius),
        a.before is not None,
        len(rows_a) + first_b,
        len(b.vertices),
        float(b.radius),
        b.before is not None,
        float(d[0]),
        float(d[1]),
        float(limit),
    )
    return as_manifold(found)


def as_manifold(found: Any) -> Manifold:
    """The tuple that kernels return, with its points in arrays."""
    count = found[0]
    fields = [found[3:7], found[7:11]][:count]
    return Manifold(
        count,
        np.array(found[1:3]),
        np.array([each[:2] for each in fields]).reshape(count, 2),
        np.array([each[2] for each in fields]),
        tuple(int(each[3]) for each in fields),
    )


def gap(a: NaivePart, b: NaivePart, d: Any) -> float:
    """The distance of two parts, or minus their least overlap.

    It is where the origin lies in the hull of all differences of their points.
    """
    differences = (b.vertices + np.asarray(d))[:, None, :] - a.vertices[None, :, :]
    return _signed_distance(_hull(differences.reshape(-1, 2))) - a.radius - b.radius


def _hull(points: Points) -> Points:
    """Andrew's monotone chain; counter-clockwise, without repeated or straight corners."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(kept) > 1:
                (x0, y0), (x1, y1) = kept[-2:]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _signed_distance(hull: Points) -> float:
    """Of the origin from a convex outline; negative inside."""
    ends = np.roll(hull, -1, axis=0)
    along = ends - hull
    squares = np.maximum((along**2).sum(axis=1), 1e-300)
    shares = np.clip(-(hull * along).sum(axis=1) / squares, 0.0, 1.0)
    nearest = np.hypot(*(hull + shares[:, None] * along).T).min()
    crosses = along[:, 0] * -hull[:, 1] + along[:, 1] * hull[:, 0]
    is_inside = len(hull) > 2 and bool((crosses > 0).all())
    return float(-nearest if is_inside else nearest)
