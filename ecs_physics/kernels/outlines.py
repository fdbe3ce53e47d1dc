"""Outlines: the bodies' corners in order, as polygons and lines that need not be convex.

Arrays, all owned by the caller:

- `loops`: OUTLINE, a row for each outline, those of one body side by side.
- `local_points`: (V, 2) m, from the centre of mass in the shape's axes.
- `points_out`: (V, 2) m, in the world.
- `boxes_out`: (bodies, 4) m, around all outlines of a body.
"""

from typing import Final

import numpy as np
from numba import types

from ecs_physics.kernels.body_pairs import NOWHERE
from ecs_physics.kernels.compile import (
    Reals,
    Table,
    integer,
    kernel,
    reals2,
    table,
)
from ecs_physics.tables import BODY

POLYGON: Final = 0
"""A closed outline, counter-clockwise, with an inside."""

CHAIN: Final = 1
"""A line, solid from its left side only; a closed one ends where it begins."""

SEGMENT: Final = 2
"""A line, solid from both sides."""

OUTLINE: Final = np.dtype(
    [
        ("body", "i4"),  # row
        ("first", "i4"),  # row of its first point
        ("count", "i4"),  # points
        ("kind", "i4"),  # POLYGON, CHAIN or SEGMENT
    ],
    align=True,
)


@kernel(types.void(integer, integer, table(OUTLINE), reals2, table(BODY), reals2, reals2))
def place_outlines(
    rows: int,
    loop_count: int,
    loops: Table,
    local_points: Reals,
    bodies: Table,
    points_out: Reals,
    boxes_out: Reals,
) -> None:
    """Put all outlines where their bodies are, and fit the boxes."""
    for row in range(rows):
        boxes_out[row, 0] = boxes_out[row, 1] = NOWHERE
        boxes_out[row, 2] = boxes_out[row, 3] = -NOWHERE
    for at in range(loop_count):
        loop = loops[at]
        row = loop.body
        body = bodies[row]
        for point in range(loop.first, loop.first + loop.count):
            x = body.x + body.cos * local_points[point, 0] - body.sin * local_points[point, 1]
            y = body.y + body.sin * local_points[point, 0] + body.cos * local_points[point, 1]
            points_out[point, 0] = x
            points_out[point, 1] = y
            boxes_out[row, 0] = min(boxes_out[row, 0], x)
            boxes_out[row, 1] = min(boxes_out[row, 1], y)
            boxes_out[row, 2] = max(boxes_out[row, 2], x)
            boxes_out[row, 3] = max(boxes_out[row, 3], y)
