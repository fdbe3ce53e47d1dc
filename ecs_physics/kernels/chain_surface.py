"""The surface of a chain about one of its edges: which normals it has, and whose they are.

The edge belongs to a surface that goes on at its ends, solid to the left of the walk from its
first vertex (row `tail`) to its second; the vertices before and after are in the rows around.
Normals of contacts are only what that surface has: the edge's own one and, at a hill, those up to
half way to the neighbour's (the neighbour has the other half; the middle belongs to the edge
before the hill). Where the chain is open the end vertex is a corner from all around.

Both edges at a vertex reckon with the same numbers in the same way, so they agree.
"""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, inner
from ecs_physics.kernels.part_cores import SLACK

HEAD: Final = 1.0
"""The end of a chain's edge that the walk comes to last, ..."""
TAIL: Final = -1.0
"""... and the one it comes to first."""

OPEN: Final = 0
"""What a chain's edge ends at: nothing, so the vertex is a corner from all around."""
HILL: Final = 1
"""A neighbour that falls away: normals between the two edges' are shared out."""
FLUSH: Final = 2
"""A neighbour straight on or rising: the edge has only its own normal there."""

OURS: Final = 0
"""A direction between two edges at a hill belongs to the edge that asks, ..."""
THEIRS: Final = 1
"""... to its neighbour, ..."""
NOBODYS: Final = 2
"""... or it is not between them."""

End = tuple[int, float, float]
"""What an edge ends at, for the type checker: (OPEN, HILL or FLUSH, the neighbour's normal)."""


@inner
def edge_end(vertices: Reals, tail: int, side: float, normal_x: float, normal_y: float) -> End:
    """What an edge of a chain ends at: (OPEN, HILL or FLUSH, the neighbour's normal)."""
    start = tail + 1 if side == HEAD else tail - 1
    end = start + 1
    if vertices[start, 0] == vertices[end, 0] and vertices[start, 1] == vertices[end, 1]:
        return OPEN, 0.0, 0.0
    x, y = left_normal(vertices, start, end)
    turn = side * (normal_x * y - normal_y * x)
    folds_back = x * normal_x + y * normal_y < 0.0 and turn < SLACK
    if turn < 0.0 or folds_back:
        return HILL, x, y
    return FLUSH, x, y


@inner
def owner(x: float, y: float, side: float, normal_x: float, normal_y: float, end: End) -> int:
    """Whose a direction is: OURS, THEIRS, or NOBODYS where no normal there is like it.

    It must lean towards that `side` of the edge, where the edge ends at `end`.
    """
    kind, other_x, other_y = end
    if kind == OPEN:
        return OURS
    if kind == FLUSH or side * (other_x * y - other_y * x) < -SLACK:
        return NOBODYS
    own = x * normal_x + y * normal_y
    other = x * other_x + y * other_y
    if own > other or (own == other and side == HEAD):
        return OURS
    return THEIRS


@inner
def left_normal(vertices: Reals, start: int, end: int) -> tuple[float, float]:
    """The unit normal on the left of the way between two vertices that differ."""
    x = vertices[end, 0] - vertices[start, 0]
    y = vertices[end, 1] - vertices[start, 1]
    length = math.sqrt(x * x + y * y)
    return -y / length, x / length
