"""Lines for the joints that have something to show: ropes, rods, springs, rails and pulleys."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.joints import DistanceJoint, PrismaticJoint, PulleyJoint, RopeJoint, TargetJoint
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import theme
from ecs_physics.world import World

PULLEY: Final = PulleyJoint.TYPE
SHOWN: Final = tuple(
    kind.TYPE for kind in (DistanceJoint, RopeJoint, PrismaticJoint, TargetJoint, PulleyJoint)
)
"""Types whose two anchors may be apart."""

WIDTH: Final = 1.5
"""px."""


def add_joints(lines: LineBatch, world: World, poses: NDArray[np.float64]) -> None:
    """Add the joints of a world, on bodies at `poses` (x, y, angle by row, m and rad)."""
    table = world.joint_table
    rows = table.rows[: table.count]
    takes_part = (rows["entity"] != 0) & ~rows["rests"] & (rows["row_a"] >= 0)
    is_drawn = (rows["row_a"] < len(poses)) & (rows["row_b"] < len(poses))
    rows = rows[np.isin(rows["type"], SHOWN) & takes_part & is_drawn]
    color = theme().ground_top
    direct = rows[rows["type"] != PULLEY]
    lines.add(_anchors(direct, "a", poses), _anchors(direct, "b", poses), color, WIDTH)
    pulleys = rows[rows["type"] == PULLEY]
    grounds = [
        np.stack((pulleys[f"ground_{side}x"], pulleys[f"ground_{side}y"]), axis=1) for side in "ab"
    ]
    lines.add(_anchors(pulleys, "a", poses), grounds[0], color, WIDTH)
    lines.add(grounds[0], grounds[1], color, WIDTH)
    lines.add(grounds[1], _anchors(pulleys, "b", poses), color, WIDTH)


def _anchors(joints: NDArray[Any], side: str, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the anchors of joints are, (n, 2), m; those on the world have no pose."""
    anchors = np.stack((joints[f"anchor_{side}x"], joints[f"anchor_{side}y"]), axis=1)
    on_body = joints[f"row_{side}"] >= 0
    at = poses[joints[f"row_{side}"][on_body]]
    cosine, sine = np.cos(at[:, 2]), np.sin(at[:, 2])
    x, y = anchors[on_body].T
    anchors[on_body] = np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=1) + at[:, :2]
    return anchors
