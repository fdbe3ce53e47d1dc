"""What a manifold is: where two parts touch, as kernels tell each other.

A is the part at the origin, B is displaced by (dx, dy), the way from the centre of mass of A's
body to that of B's. A manifold is the tuple

    (count, normal_x, normal_y,
     x_0, y_0, separation_0, feature_0,
     x_1, y_1, separation_1, feature_1)

with `count` points (0, 1 or 2), the unit normal from A to B, and of each point the place from the
centre of mass of A's body, midway between the two surfaces (m), the gap along the normal (m,
negative where they overlap) and the number of the features that meet there, which is the same as
long as the same features touch, whichever part is called A first. Fields beyond `count` are 0.

Over all points the smallest gap is the distance of the two parts, or minus the shortest way out
of each other, to within `TOLERANCE`. The other point may be farther than the limit asked for.
"""

from typing import Final

from ecs_physics.constants import LINEAR_SLOP
from ecs_physics.kernels.compile import inlined, inner

Manifold = tuple[int, float, float, float, float, float, int, float, float, float, int]
"""That tuple, for the type checker."""

TOLERANCE: Final = 0.02 * LINEAR_SLOP
"""m. How much better another axis must be before a preferred one gives way. Smaller: the normal
of two nearly parallel edges jumps between steps. Larger: distances and depths become wrong by
as much."""

EXACT: Final = 0.1 * TOLERANCE
"""m. A clipped edge may miss the distance by this much before corners are looked at. Smaller:
edges that are nearly parallel lose their second point. Larger: distances become wrong."""

FLUSH: Final = 1e-5
"""m. An edge that ends this near to where the other one does is not cut off: the point is its own
end. Smaller: by rounding alone, points of boxes that lie exactly on each other are other ones in
each step, without a warm start. Larger: nothing is gained."""

VERTEX_OF_A: Final = 0
"""What meets in a point: a vertex of A and an edge of B, ..."""
VERTEX_OF_B: Final = 1 << 28
"""... a vertex of B and an edge of A, ..."""
TWO_VERTICES: Final = 2 << 28
"""... or two vertices."""

ROUND: Final = TWO_VERTICES
"""The feature number of any point of a circle: it keeps its impulses as it rolls on."""


@inner
def no_manifold() -> Manifold:
    """A manifold without points."""
    return (0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0)


@inner
def one_point(
    normal_x: float,
    normal_y: float,
    x: float,
    y: float,
    gap: float,
    radius_a: float,
    radius_b: float,
    which: int,
) -> Manifold:
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
def is_within(manifold: Manifold, bound: float) -> bool:
    """Whether a manifold has a point with a separation of `bound` (m) or less."""
    count = manifold[0]
    return (count > 0 and manifold[5] <= bound) or (count > 1 and manifold[9] <= bound)


@inlined
def seen_from_other(manifold: Manifold, dx: float, dy: float) -> Manifold:
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


@inlined
def feature(index_a: int, index_b: int) -> int:
    """A number for two features that meet, to which VERTEX_OF_A or its like is added.

    Indices wrap at 16384, where two points might be taken for one another: impulses would start
    from a worse guess.
    """
    return ((index_a & 0x3FFF) << 14) | (index_b & 0x3FFF)


@inner
def other_feature(which: int) -> int:
    """The number of the same two features with A and B exchanged."""
    swapped = feature(which & 0x3FFF, (which >> 14) & 0x3FFF)
    if which >= TWO_VERTICES:
        return swapped + TWO_VERTICES
    return swapped + (VERTEX_OF_A if which >= VERTEX_OF_B else VERTEX_OF_B)
