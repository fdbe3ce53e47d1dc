"""Which children of a tree's node a moving point or box enters, and which a resting box meets."""

import math
from typing import Final

from ecs_physics.kernels.compile import Reals, inlined

STEEPEST: Final = 1e300
"""1 / 0, so that 0 times it is 0."""

ROUNDING: Final = 1.0 + 1e-14
"""A way through a corner of a box must not miss it for rounding errors."""


@inlined
def per_way(dx: float, dy: float) -> tuple[float, float]:
    """1 / dx and 1 / dy, as `children_entered` wants them."""
    return 1.0 / dx if dx != 0.0 else STEEPEST, 1.0 / dy if dy != 0.0 else STEEPEST


@inlined
def children_entered(
    node: int,
    x: float,
    y: float,
    per_x: float,
    per_y: float,
    half_x: float,
    half_y: float,
    most: float,
    bounds: Reals,
) -> tuple[float, float]:
    """The fraction of its way at which a box meets each child's box, infinite beyond `most`.

    Its middle starts at (x, y) (m), its size is twice (`half_x`, `half_y`): a ray is as wide as
    counts for touching, so that it may run along a box's side.
    """
    near_x = 0 if per_x >= 0.0 else 2
    near_y = 1 if per_y >= 0.0 else 3
    far_x = 2 - near_x
    far_y = 4 - near_y
    start_x = x + half_x if per_x >= 0.0 else x - half_x
    start_y = y + half_y if per_y >= 0.0 else y - half_y
    end_x = x - half_x if per_x >= 0.0 else x + half_x
    end_y = y - half_y if per_y >= 0.0 else y + half_y
    enter_x = (bounds[node, near_x] - start_x) * per_x
    enter_y = (bounds[node, near_y] - start_y) * per_y
    leave_x = (bounds[node, far_x] - end_x) * per_x
    leave_y = (bounds[node, far_y] - end_y) * per_y
    enter = max(enter_x, enter_y, 0.0)
    first = enter if enter <= min(leave_x * ROUNDING, leave_y * ROUNDING, most) else math.inf
    enter_x = (bounds[node, near_x + 4] - start_x) * per_x
    enter_y = (bounds[node, near_y + 4] - start_y) * per_y
    leave_x = (bounds[node, far_x + 4] - end_x) * per_x
    leave_y = (bounds[node, far_y + 4] - end_y) * per_y
    enter = max(enter_x, enter_y, 0.0)
    second = enter if enter <= min(leave_x * ROUNDING, leave_y * ROUNDING, most) else math.inf
    return first, second


@inlined
def meets_child(
    node: int,
    side: int,
    lower_x: float,
    lower_y: float,
    upper_x: float,
    upper_y: float,
    bounds: Reals,
) -> bool:
    """Whether a box (m) overlaps or touches the box of a child."""
    at = 4 * side
    is_beside = bounds[node, at] > upper_x or bounds[node, at + 2] < lower_x
    return not (is_beside or bounds[node, at + 1] > upper_y or bounds[node, at + 3] < lower_y)
