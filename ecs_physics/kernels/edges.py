"""Edges of outlines: what crosses one, lies behind it or along it.

An edge leads from a to b; points are in the world (m). Which of its sides is solid, the kind of its
outline tells: see outlines.py.
"""

import math

from ecs_physics.kernels.compile import inner
from ecs_physics.kernels.outlines import CHAIN, SEGMENT

PARALLEL_SINE = 1e-3
"""rad. Edges that differ less in direction are parallel. Larger: tilted boxes rest on a middle that
does not carry them. Smaller: a resting box is handled corner by corner."""

PARALLEL_GAP = 0.03
"""m. Parallel edges are seen as such up to this distance. Larger: deep overlaps count as resting
contacts. Smaller: fast boxes that land flat are handled as two corners."""


@inner
def _left(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> bool:
    """Whether (x, y) is to the left of the line from a to b."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0


@inner
def crosses(
    px: float, py: float, qx: float, qy: float, ax: float, ay: float, bx: float, by: float
) -> bool:
    """Whether the segments p-q and a-b cross; an end on the other's line counts to its right."""
    if _left(ax, ay, bx, by, px, py) == _left(ax, ay, bx, by, qx, qy):
        return False
    return _left(px, py, qx, qy, ax, ay) != _left(px, py, qx, qy, bx, by)


@inner
def edge_normal(
    x: float, y: float, ax: float, ay: float, bx: float, by: float, kind: int
) -> tuple[float, float, float]:
    """Unit normal of the edge a-b, off its solid side, and how far (x, y) is behind it (m)."""
    along_x = bx - ax
    along_y = by - ay
    length = math.sqrt(along_x * along_x + along_y * along_y)
    normal_x = along_y / length
    normal_y = -along_x / length
    depth = -((x - ax) * normal_x + (y - ay) * normal_y)
    if kind == CHAIN or (kind == SEGMENT and depth < 0.0):
        return -normal_x, -normal_y, -depth
    return normal_x, normal_y, depth


@inner
def is_along(
    x: float, y: float, far_x: float, far_y: float, normal_x: float, normal_y: float, depth: float
) -> bool:
    """Whether the segment from (x, y), `depth` m behind an edge with this normal, lies along it."""
    along_x = far_x - x
    along_y = far_y - y
    length = math.sqrt(along_x * along_x + along_y * along_y)
    rise = abs(along_x * normal_x + along_y * normal_y)
    return depth < PARALLEL_GAP and rise < PARALLEL_SINE * length


@inner
def faces(
    x: float,
    y: float,
    far_x: float,
    far_y: float,
    sign: float,
    kind: int,
    normal_x: float,
    normal_y: float,
) -> bool:
    """Whether the outward normal of my own edge, at (x, y), points against the other's.

    `sign` is 1.0 where my edge leads from there to the far end, and -1.0 where it leads back.
    """
    if kind == SEGMENT:
        return True
    if kind == CHAIN:
        sign = -sign
    own_x = sign * (far_y - y)
    own_y = -sign * (far_x - x)
    return own_x * normal_x + own_y * normal_y < 0.0


@inner
def shared_middle(
    x: float,
    y: float,
    far_x: float,
    far_y: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    kind: int,
) -> tuple[float, float, float, float, float]:
    """Middle of what my edge, from (x, y), shares with the edge a-b.

    Returns the point (m), the unit normal of a-b, and how far the point is behind it (m).
    """
    normal_x, normal_y, depth = edge_normal(x, y, ax, ay, bx, by, kind)
    along_x = normal_y
    along_y = -normal_x
    mine = (x - ax) * along_x + (y - ay) * along_y
    mine_far = (far_x - ax) * along_x + (far_y - ay) * along_y
    edge = (bx - ax) * along_x + (by - ay) * along_y
    lower = max(min(mine, mine_far), min(0.0, edge))
    upper = min(max(mine, mine_far), max(0.0, edge))
    middle = 0.5 * (lower + upper)
    share = (middle - mine) / (mine_far - mine)
    middle_x = x + share * (far_x - x)
    middle_y = y + share * (far_y - y)
    depth = -((middle_x - ax) * normal_x + (middle_y - ay) * normal_y)
    return middle_x, middle_y, normal_x, normal_y, depth
