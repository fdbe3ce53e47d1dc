"""What the graphics card is told about a shape, once: rounded boxes, strokes and triangles.

All is relative to the middle of the shape's bounding box, in the shape's axes, so that float32
is fine enough even for a shape whose own coordinates are 100 km from its origin.
"""

from dataclasses import dataclass
from math import ceil, cos, pi, sin
from typing import Any, Final

import numpy as np
from mapbox_earcut import triangulate_float64
from numpy.typing import NDArray

from ecs_physics.shapes import Part, Shape

FILLED: Final = 0
"""A rounded box, filled and outlined."""
WHEEL: Final = 1
"""The same with a radius line, so that a circle's turning is seen."""
THIN: Final = 2
"""The same, never thinner than a line: segments and capsules."""
STROKE: Final = 3
"""An edge of a polygon."""
ONE_SIDED: Final = 4
"""An edge of a chain: a line, and the depth below it shaded."""
ONE_SIDED_VALLEY: Final = 5
"""The same where the next edge turns up: the shade goes around the corner."""
POINT: Final = 6
"""A dot of a size in pixels: a body without a shape."""
UNDER: Final = 16
"""Added to the kind of a compound's piece: its outline, drawn below all insides of the body."""
OVER: Final = 32
"""Added to the kind of a compound's piece: its inside alone, so that no line crosses it."""

ARC_STEP: Final = pi / 24.0
"""rad. Corners of rounded polygons are drawn as straight pieces of at most this turn."""

INSTANCE: Final = np.dtype(
    [
        ("place", "f4", 4),  # x, y of its centre, m; cosine and sine of its axis
        ("size", "f4", 4),  # half width, half height, rounding, m; kind as above
        ("row", "f4"),  # of the body
    ]
)
CORNER: Final = np.dtype(
    [
        ("place", "f4", 2),  # m
        ("solid", "f4"),  # 1 where an outline lies below, which must not shine through
        ("row", "f4"),
    ]
)

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Drawing:
    """A shape's INSTANCEs and the CORNERs of its triangles (all with row 0), around `center`.

    `under` is drawn first, then the triangles, then `instances`. `center` (2,) and `half` (2,)
    are the shape's bounding box in its own coordinates, m.
    """

    under: np.ndarray[Any, Any]
    instances: np.ndarray[Any, Any]
    corners: np.ndarray[Any, Any]
    center: Reals
    half: Reals


def drawing_of(shape: Shape | None) -> Drawing:
    """Return what to draw for `shape`; for None, a point mass, a dot."""
    if shape is None:
        pieces, triangles = np.array([(0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, POINT)]), np.zeros((0, 2))
    else:
        pieces, triangles = _pieces(shape)
    reach = _reach(pieces)
    lower = (pieces[:, 0:2] - reach).min(axis=0)
    upper = (pieces[:, 0:2] + reach).max(axis=0)
    center = 0.5 * (lower + upper)
    corners = np.zeros(len(triangles), CORNER)
    corners["place"] = triangles - center
    corners["solid"] = shape is not None and shape.kind == "compound"
    is_under = (pieces[:, 7] >= UNDER) & (pieces[:, 7] < OVER)
    under, over = (_instances(pieces[each], center) for each in (is_under, ~is_under))
    return Drawing(under, over, corners, center, 0.5 * (upper - lower))


def _instances(pieces: Reals, center: Reals) -> np.ndarray[Any, Any]:
    instances = np.zeros(len(pieces), INSTANCE)
    instances["place"][:, 0:2] = pieces[:, 0:2] - center
    instances["place"][:, 2:4] = pieces[:, 2:4]
    instances["size"] = pieces[:, 4:8]
    return instances


def _reach(pieces: Reals) -> Reals:
    """Half the size of each piece's bounding box, (n, 2)."""
    turn = np.abs(pieces[:, 2:4])
    half = pieces[:, 4:6]
    x = turn[:, 0] * half[:, 0] + turn[:, 1] * half[:, 1] + pieces[:, 6]
    y = turn[:, 1] * half[:, 0] + turn[:, 0] * half[:, 1] + pieces[:, 6]
    return np.stack((x, y), axis=1)


def _pieces(shape: Shape) -> tuple[Reals, Reals]:
    """Rows (x, y, cos, sin, half width, half height, rounding, kind), and triangle corners."""
    if shape.kind == "compound":
        return _compound(shape)
    if shape.kind == "polygon":
        return _polygon(shape)
    return np.array([_piece(part) for part in shape.parts], np.float64), np.zeros((0, 2))


def _piece(part: Part) -> tuple[float, ...]:
    vertices = part.vertices
    if len(vertices) == 1:
        return (*vertices[0], 1.0, 0.0, 0.0, 0.0, part.radius, WHEEL)
    if part.one_sided:  # strokes have their outside on the right, a chain on its left
        return _between(vertices[1], vertices[0], 0.0, _chain_kind(part))
    if len(vertices) == 2:
        return _between(vertices[0], vertices[1], part.radius, THIN)
    x_axis, y_axis = vertices[1] - vertices[0], vertices[2] - vertices[1]
    width, height = float(np.hypot(*x_axis)), float(np.hypot(*y_axis))
    x, y = 0.5 * (vertices[0] + vertices[2])
    turn = x_axis / width
    return (x, y, turn[0], turn[1], 0.5 * width, 0.5 * height, part.radius, FILLED)


def _chain_kind(part: Part) -> int:
    (start_x, start_y), (end_x, end_y) = part.vertices
    after_x, after_y = (end_x, end_y) if part.after is None else part.after
    turn = (end_x - start_x) * (after_y - end_y) - (end_y - start_y) * (after_x - end_x)
    return ONE_SIDED_VALLEY if turn > 0.0 else ONE_SIDED


def _between(start: Reals, end: Reals, radius: float, kind: int) -> tuple[float, ...]:
    along = end - start
    length = float(np.hypot(*along))
    cosine, sine = along / length if length > 0.0 else (1.0, 0.0)
    x, y = 0.5 * (start + end)
    return (x, y, cosine, sine, 0.5 * length, 0.0, radius, kind)


def _polygon(shape: Shape) -> tuple[Reals, Reals]:
    vertices, radius = shape.parameters
    loop = rounded(counter_clockwise(np.array(vertices, np.float64)), radius)
    ends = np.roll(loop, -1, axis=0)
    strokes = [_between(a, b, 0.0, STROKE) for a, b in zip(loop, ends, strict=True)]
    indices = triangulate_float64(
        np.ascontiguousarray(loop - loop[0]), np.array([len(loop)], np.uint32)
    )
    return np.array(strokes, np.float64), loop[indices]


def _compound(shape: Shape) -> tuple[Reals, Reals]:
    all_pieces, all_triangles = [], []
    for child, x, y, angle in shape.parameters[0]:
        pieces, triangles = _pieces(child)
        cosine, sine = cos(angle), sin(angle)
        turn = np.array([[cosine, sine], [-sine, cosine]])
        pieces[:, 0:2] = pieces[:, 0:2] @ turn + (x, y)
        pieces[:, 2:4] = pieces[:, 2:4] @ turn
        all_pieces.append(pieces)
        all_triangles.append(triangles @ turn + (x, y))
    return _layered(np.concatenate(all_pieces)), np.concatenate(all_triangles)


def _layered(pieces: Reals) -> Reals:
    """A compound's pieces in two layers, so that only the outline around all of them is seen."""
    kinds = pieces[:, 7]
    pieces[kinds == WHEEL, 7] = FILLED  # a compound's turning is seen without a radius line
    chain = (kinds == ONE_SIDED) | (kinds == ONE_SIDED_VALLEY)
    under, over = pieces[~chain].copy(), pieces[~chain & (kinds != STROKE)].copy()
    under[:, 7] += UNDER
    over[:, 7] += OVER
    return np.concatenate((under, over, pieces[chain]))


def counter_clockwise(vertices: Reals) -> Reals:
    """The polygon walked counter-clockwise, without repeated vertices."""
    step = vertices - np.roll(vertices, 1, axis=0)
    vertices = vertices[(step != 0.0).any(axis=1)]
    x, y = (vertices - vertices[0]).T
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return vertices if area >= 0.0 else vertices[::-1]


def rounded(vertices: Reals, radius: float) -> Reals:
    """The outline of a convex counter-clockwise polygon grown by `radius`, m: arcs at corners."""
    if radius <= 0.0:
        return vertices
    along = np.roll(vertices, -1, axis=0) - vertices
    along /= np.hypot(along[:, 0], along[:, 1])[:, np.newaxis]
    normals = np.stack((along[:, 1], -along[:, 0]), axis=1)
    outline: list[tuple[float, float]] = []
    for vertex, before, after in zip(vertices, np.roll(normals, 1, axis=0), normals, strict=True):
        turn = float(np.arctan2(before[0] * after[1] - before[1] * after[0], float(before @ after)))
        first = float(np.arctan2(before[1], before[0]))
        steps = max(1, ceil(turn / ARC_STEP))
        for step in range(steps + 1):
            angle = first + turn * step / steps
            outline.append(
                (float(vertex[0]) + radius * cos(angle), float(vertex[1]) + radius * sin(angle))
            )
    return np.array(outline)
