"""Where boxes touch, eight pairs at once: most bodies are boxes.

The method is that of polygon_manifold.py: separating axes, then the edge that faces the best of
them is clipped. Of a box its middle, one axis and two half widths tell all, so what is a search
among edges there is a choice between two numbers here. Where corners decide, or two edges are
about equally good, the answer is left to polygon_manifold.py. A name stands for eight pairs
(lanes.py).

The edges of a box are numbered counter-clockwise, as its vertices are. The edge 0 has the axis for
its normal; the edge 1 the cross axis, which is a right angle further.
"""

from typing import Final

import numpy as np

from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.compile import (
    Integers32,
    Reals,
    Reals32,
    Record,
    at,
    inlined,
    inner,
)
from ecs_physics.kernels.lane_rows import gather_rows
from ecs_physics.kernels.lanes import Lanes, load, maximum, minimum, splat, store, where_positive
from ecs_physics.kernels.manifold import (
    EXACT,
    FLUSH,
    TOLERANCE,
    VERTEX_OF_A,
    VERTEX_OF_B,
    Manifold,
    feature,
    other_feature,
)
from ecs_physics.kernels.manifold_lanes import (
    AXIS_X,
    AXIS_Y,
    HALF_0,
    HALF_1,
    MIDDLE_X,
    MIDDLE_Y,
    PART_A,
    PART_B,
    RADIUS,
    WAY,
    Pair,
)

# Fields of a batch: the way from the centre of mass of A's body to that of B's, ...
APART_X: Final = 0
APART_Y: Final = 1
# ... and what is found.
ANSWER: Final = 2
NORMAL_X: Final = 3  # from A to B
NORMAL_Y: Final = 4
POINT_0: Final = 5  # from the centre of mass of A's body; see manifold.py
POINT_1: Final = 8
X: Final = 0
Y: Final = 1
SEPARATION: Final = 2
IS_OF_B: Final = 11  # 1 where the normal is that of an edge of B, else 0
EDGE: Final = 12  # the number of that edge, ...
FACING: Final = 13  # ... that of the edge of the other box which faces it, ...
IS_CUT_0: Final = 14  # ... and 1 where a point is not an end of it but of the other
IS_CUT_1: Final = 15
FIELDS: Final = 16

# Answers.
UNCLEAR: Final = -1.0
NO_POINTS: Final = 0.0
TWO_POINTS: Final = 1.0

_SPECULATIVE_DISTANCE = np.float32(SPECULATIVE_DISTANCE)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_TWO = np.float32(2.0)
_NARROW = np.float32(1e-9)
_TOLERANCE = np.float32(TOLERANCE)
_EXACT = np.float32(EXACT)
_FLUSH = np.float32(FLUSH)
_UNCLEAR = np.float32(UNCLEAR)
_NO_POINTS = np.float32(NO_POINTS)
_TWO_POINTS = np.float32(TWO_POINTS)


@inlined
def write_box(row: int, vertices: Reals, part: Record, way: float, parts_out: Reals32) -> None:
    """Write a part that is a box into its row; `way` (m) as above.

    From its third vertex to the first it is the whole width along the axis, and the other one
    back along the cross axis.
    """
    first = at(part.first_vertex)
    third = at(part.first_vertex + 2)
    axis_x = vertices[first, 2]
    axis_y = vertices[first, 3]
    half_x = 0.5 * (vertices[first, 0] - vertices[third, 0])
    half_y = 0.5 * (vertices[first, 1] - vertices[third, 1])
    parts_out[row, MIDDLE_X] = np.float32(vertices[first, 0] - half_x)
    parts_out[row, MIDDLE_Y] = np.float32(vertices[first, 1] - half_y)
    parts_out[row, AXIS_X] = np.float32(axis_x)
    parts_out[row, AXIS_Y] = np.float32(axis_y)
    parts_out[row, HALF_0] = np.float32(half_x * axis_x + half_y * axis_y)
    parts_out[row, HALF_1] = np.float32(half_x * axis_y - half_y * axis_x)
    parts_out[row, RADIUS] = np.float32(part.radius)
    parts_out[row, WAY] = np.float32(way)


@inner
def collide_boxes(number: int, parts: Reals32, names: Integers32, batch: Reals32) -> None:
    """Find the manifolds of eight pairs of boxes.

    Args:
        number: which batch.
        parts: (P, 8), of those that are boxes; see manifold_lanes.py.
        names: (batches, NAMES, 8), rows of parts and bodies.
        batch: (batches, FIELDS, 8), the way from A to B in, manifolds out.
    """
    a = gather_rows(parts, names, number, PART_A)
    b = gather_rows(parts, names, number, PART_B)
    axis_a, half_a, radius_a = (a[AXIS_X], a[AXIS_Y]), (a[HALF_0], a[HALF_1]), a[RADIUS]
    axis_b, half_b, radius_b = (b[AXIS_X], b[AXIS_Y]), (b[HALF_0], b[HALF_1]), b[RADIUS]
    apart = (
        load(batch, number, APART_X) + (b[MIDDLE_X] - a[MIDDLE_X]),
        load(batch, number, APART_Y) + (b[MIDDLE_Y] - a[MIDDLE_Y]),
    )
    back = (-apart[0], -apart[1])
    turned = (absolute(dot(axis_a, axis_b)), absolute(cross(axis_a, axis_b)))
    gap_a, normal_a, wide_a, number_a = best_face(apart, axis_a, half_a, half_b, turned)
    gap_b, normal_b, wide_b, number_b = best_face(back, axis_b, half_b, half_a, turned)
    # From here on the box whose edge it is comes first, A or B.
    of_b = gap_b - (gap_a + splat(_TOLERANCE))
    sign = where_positive(of_b, splat(-_ONE), splat(_ONE))
    normal = chosen(of_b, normal_b, normal_a)
    wide = chosen(of_b, wide_b, wide_a)
    other_wide, tilt, facing = facing_edge(
        normal, chosen(of_b, axis_a, axis_b), chosen(of_b, half_a, half_b)
    )
    radius, other_radius = chosen(of_b, (radius_b, radius_a), (radius_a, radius_b))
    beside, along, gaps, are_cut = clipped(
        normal, wide, chosen(of_b, back, apart), other_wide, tilt
    )
    start = chosen(of_b, apart, (splat(_ZERO), splat(_ZERO)))
    origin = (a[MIDDLE_X] + start[0], a[MIDDLE_Y] + start[1])
    heights = (wide[0] + splat(_HALF) * (radius - other_radius), radius + other_radius)
    for point in range(2):
        place = POINT_0 if point == 0 else POINT_1
        store_point(place, number, origin, normal, heights, along[point], gaps[point], batch)
    store(batch, number, NORMAL_X, sign * normal[0])
    store(batch, number, NORMAL_Y, sign * normal[1])
    store(batch, number, IS_OF_B, where_positive(of_b, splat(_ONE), splat(_ZERO)))
    store(batch, number, EDGE, where_positive(of_b, number_b, number_a))
    store(batch, number, FACING, facing)
    store(batch, number, IS_CUT_0, are_cut[0])
    store(batch, number, IS_CUT_1, are_cut[1])
    gap = maximum(gap_a, gap_b)
    missed = minimum(gaps[0], gaps[1]) - (gap + splat(_EXACT))
    answer = where_positive(maximum(beside, missed), splat(_UNCLEAR), splat(_TWO_POINTS))
    limit = splat(_SPECULATIVE_DISTANCE) + (a[WAY] + b[WAY])
    too_far = gap - (limit + heights[1])
    store(batch, number, ANSWER, where_positive(too_far, splat(_NO_POINTS), answer))


@inlined
def store_point(
    start: int,
    number: int,
    origin: Pair,
    normal: Pair,
    heights: Pair,
    along: Lanes,
    gap: Lanes,
    batch_out: Reals32,
) -> None:
    """Write the places and separations of points.

    `origin` is the middle of the box whose edge has this normal; from there a point is `along` the
    edge, and the gap between the cores there is `gap`. `heights` are how far above the origin the
    point would be without a gap, and the sum of the radii.
    """
    height = heights[0] + splat(_HALF) * gap
    store(batch_out, number, start + X, origin[0] + (height * normal[0] - along * normal[1]))
    store(batch_out, number, start + Y, origin[1] + (height * normal[1] + along * normal[0]))
    store(batch_out, number, start + SEPARATION, gap - heights[1])


@inlined
def dot(a: Pair, b: Pair) -> Lanes:
    """How long `b` is along the unit vector `a`."""
    return a[0] * b[0] + a[1] * b[1]


@inlined
def cross(a: Pair, b: Pair) -> Lanes:
    """How long `b` is along what is a right angle further than the unit vector `a`."""
    return a[0] * b[1] - a[1] * b[0]


@inlined
def absolute(a: Lanes) -> Lanes:
    """Without its sign."""
    return maximum(a, -a)


@inlined
def chosen(test: Lanes, a: Pair, b: Pair) -> Pair:
    """`a` where `test` is positive, else `b`."""
    return where_positive(test, a[0], b[0]), where_positive(test, a[1], b[1])


@inlined
def best_face(
    apart: Pair, axis: Pair, half: Pair, other_half: Pair, turned: Pair
) -> tuple[Lanes, Pair, Pair, Lanes]:
    """The edge of a box whose line keeps another box farthest off.

    Of two opposite edges it can only be the one on the other's side. `turned` are cosine and sine
    of the angle between the boxes, without signs. Returns the gap along the normal; the normal; how
    far the edge is from the middle, and half of its length; its number.
    """
    along = dot(axis, apart)
    across = cross(axis, apart)
    gap_0 = absolute(along) - (half[0] + (other_half[0] * turned[0] + other_half[1] * turned[1]))
    gap_1 = absolute(across) - (half[1] + (other_half[0] * turned[1] + other_half[1] * turned[0]))
    is_1 = where_positive(gap_1 - gap_0, splat(_ONE), splat(_ZERO))
    normal, wide, number = face(is_1, along, across, axis, half)
    return maximum(gap_0, gap_1), normal, wide, number


@inlined
def face(
    is_1: Lanes, along: Lanes, across: Lanes, axis: Pair, half: Pair
) -> tuple[Pair, Pair, Lanes]:
    """The edge 0 or 2 of a box, or where `is_1` is 1 the edge 1 or 3, as `best_face` returns it.

    Of the two the one on the side to which `along`, or `across`, points. The factors are 0 or 1
    with a sign, so that products and sums with them are exact.
    """
    one = splat(_ONE)
    is_0 = one - is_1
    side_0 = where_positive(-along, -is_0, is_0)
    side_1 = where_positive(-across, -is_1, is_1)
    normal = (side_0 * axis[0] - side_1 * axis[1], side_0 * axis[1] + side_1 * axis[0])
    wide = (is_0 * half[0] + is_1 * half[1], is_0 * half[1] + is_1 * half[0])
    return normal, wide, (is_0 - side_0) + (splat(_TWO) * is_1 - side_1)


@inlined
def facing_edge(normal: Pair, axis: Pair, half: Pair) -> tuple[Pair, Pair, Lanes]:
    """The edge of a box whose normal is most opposed to `normal`.

    Returns how far it is from the middle, and half of its length; its own normal along `normal`
    and a right angle further; its number.
    """
    along = -dot(axis, normal)
    across = -cross(axis, normal)
    is_1 = where_positive(absolute(across) - absolute(along), splat(_ONE), splat(_ZERO))
    own, wide, number = face(is_1, along, across, axis, half)
    return wide, (dot(normal, own), cross(normal, own)), number


@inlined
def clipped(
    normal: Pair, wide: Pair, apart: Pair, other_wide: Pair, tilt: Pair
) -> tuple[Lanes, Pair, Pair, Pair]:
    """What of the facing edge lies over the edge with this normal.

    Both are counter-clockwise around their boxes, so they run against each other: the facing one
    begins at its high end, seen along the other. `apart` leads from the middle of the one box to
    that of the other. Returns a number that is positive where they are beside each other; and of
    the low and the high end how far along the edge they are from its middle, their gaps, and 1
    where they were cut off.
    """
    across = cross(normal, apart) + other_wide[0] * tilt[1]
    above = (dot(normal, apart) - wide[0]) + other_wide[0] * tilt[0]
    reach = -(other_wide[1] * tilt[0])
    rise = other_wide[1] * tilt[1]
    low = across - reach
    high = across + reach
    per_width = splat(_ONE) / maximum(reach + reach, splat(_NARROW))
    zero = splat(_ZERO)
    one = splat(_ONE)
    beyond_0 = -wide[1] - low
    beyond_1 = high - wide[1]
    cut_0 = minimum(maximum(beyond_0 * per_width, zero), one)
    cut_1 = minimum(maximum(beyond_1 * per_width, zero), one)
    are_cut = (
        where_positive(beyond_0 - splat(_FLUSH), one, zero),
        where_positive(beyond_1 - splat(_FLUSH), one, zero),
    )
    beside = maximum(-wide[1] - high, low - wide[1])
    places = (low + cut_0 * (reach + reach), high - cut_1 * (reach + reach))
    gaps = ((above - rise) + cut_0 * (rise + rise), (above + rise) - cut_1 * (rise + rise))
    return beside, places, gaps, are_cut


@inlined
def manifold_of(number: int, lane: int, batch: Reals32) -> Manifold:
    """The manifold with two points that was found for the pair in a lane."""
    is_of_b = batch[number, IS_OF_B, lane] > _ZERO
    edge = np.int64(batch[number, EDGE, lane])
    facing = np.int64(batch[number, FACING, lane])
    low = VERTEX_OF_B + feature(edge, (facing + 1) % 4)
    if batch[number, IS_CUT_0, lane] > _ZERO:
        low = VERTEX_OF_A + feature(edge, facing)
    high = VERTEX_OF_B + feature(edge, facing)
    if batch[number, IS_CUT_1, lane] > _ZERO:
        high = VERTEX_OF_A + feature((edge + 1) % 4, facing)
    return (
        2,
        np.float64(batch[number, NORMAL_X, lane]),
        np.float64(batch[number, NORMAL_Y, lane]),
        np.float64(batch[number, POINT_0 + X, lane]),
        np.float64(batch[number, POINT_0 + Y, lane]),
        np.float64(batch[number, POINT_0 + SEPARATION, lane]),
        other_feature(low) if is_of_b else low,
        np.float64(batch[number, POINT_1 + X, lane]),
        np.float64(batch[number, POINT_1 + Y, lane]),
        np.float64(batch[number, POINT_1 + SEPARATION, lane]),
        other_feature(high) if is_of_b else high,
    )
