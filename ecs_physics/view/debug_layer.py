"""What the simulation knows and a picture hides: contacts, joints, boxes, centres, velocities."""

from math import floor, log10
from typing import Any, Final

import numpy as np

from ecs_physics.joints import PulleyJoint
from ecs_physics.tables import DYNAMIC, FREE, SLEEPING, STATIC
from ecs_physics.view.camera import Camera
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import Rgb, theme
from ecs_physics.world import World

NORMAL_LENGTH: Final = 15.0
"""px. Of the normal at a contact whose impulse is the one that the key names."""
LONGEST_NORMAL: Final = 120.0
"""px."""
TRAVEL_TIME: Final = 0.1
"""s. A velocity's arrow is as long as what the body travels in this time."""
CROSS: Final = 4.0
"""px. From a centre's cross to each of its ends."""
HEAD: Final = 7.0
"""px. Length of an arrow's head."""


class DebugLayer:
    """Adds marks for a world's bodies and contacts to a LineBatch, all at once from arrays."""

    def __init__(self, world: World) -> None:
        self._world = world

    def key(self) -> list[tuple[str, Rgb]]:
        """What each colour means."""
        look = theme()
        return [
            ("contact", look.contact),
            (f"normal, {NORMAL_LENGTH:.0f} px = {self.usual_impulse():g} N s", look.normal),
            ("joint, from centre to centre", look.joint),
            ("bounding box", look.box),
            ("centre of mass", look.center),
            (f"velocity, {TRAVEL_TIME:g} s of travel", look.velocity),
        ]

    def usual_impulse(self) -> float:
        """N s, near the weight of a usual body times 1/60 s: 1, 2 or 5 times a power of ten."""
        kinds = self._world.store.bodies["kind"][: self._world.store.rows]
        dynamic = np.isin(kinds, (DYNAMIC, SLEEPING))
        if not dynamic.any():
            return 1.0
        wanted = float(
            np.median(self._world.store.masses["mass"][: self._world.store.rows][dynamic])
        )
        wanted *= 9.81 / 60.0
        power = float(10.0 ** floor(log10(wanted)))
        return next(f * power for f in (5.0, 2.0, 1.0) if f * power <= wanted * (1.0 + 1e-9))

    def add(self, lines: LineBatch, camera: Camera) -> None:
        """Add the marks for the state after the last step."""
        self._add_boxes(lines)
        self._add_bodies(lines, camera)
        self._add_joints(lines, self._world.joints)
        self._add_contacts(lines, camera, self._world.contacts)

    def _add_boxes(self, lines: LineBatch) -> None:
        parts = self._world.store.parts[: self._world.store.part_rows]
        lower_x, lower_y = parts["lower_x"], parts["lower_y"]
        upper_x, upper_y = parts["upper_x"], parts["upper_y"]
        placed = (parts["body"] >= 0) & ((upper_x > lower_x) | (upper_y > lower_y))
        left, right, low, high = (each[placed] for each in (lower_x, upper_x, lower_y, upper_y))
        corners = [
            np.stack(c, axis=1) for c in ((left, low), (right, low), (right, high), (left, high))
        ]
        color = (*theme().box, 170)
        lines.add(np.concatenate(corners), np.concatenate(corners[1:] + corners[:1]), color, 0.9)

    def _add_bodies(self, lines: LineBatch, camera: Camera) -> None:
        store = self._world.store
        rows = np.flatnonzero(store.bodies["kind"][: store.rows] != FREE)
        if len(rows) == 0:
            return
        look = theme()
        poses, bodies = store.transforms[rows], store.bodies[rows]
        cosine, sine = np.cos(poses["angle"]), np.sin(poses["angle"])
        x = poses["x"] + cosine * bodies["center_x"] - sine * bodies["center_y"]
        y = poses["y"] + sine * bodies["center_x"] + cosine * bodies["center_y"]
        centers = np.stack((x, y), axis=1)
        moving = bodies["kind"] != STATIC
        arm = CROSS * camera.pixel
        for across in ((arm, 0.0), (0.0, arm)):
            lines.add(centers[moving] - across, centers[moving] + across, look.center, 1.2)
        velocities = store.velocities[rows]
        travel = TRAVEL_TIME * np.stack((velocities["x"], velocities["y"]), axis=1)
        fast = moving & (np.hypot(travel[:, 0], travel[:, 1]) > 2.0 * camera.pixel)
        add_arrows(lines, camera, centers[fast], centers[fast] + travel[fast], look.velocity)

    def _add_joints(self, lines: LineBatch, joints: np.ndarray[Any, Any]) -> None:
        """A dot at each anchor, and the way from body to body through both.

        From one anchor of a pulley to the other there is no way but that of its rope.
        """
        store, color = self._world.store, theme().joint
        anchors = [np.stack((joints[f"{side}x"], joints[f"{side}y"]), axis=1) for side in "ab"]
        table = self._world.joint_table.rows
        is_straight = ~np.isin(joints["entity"], table["entity"][table["type"] == PulleyJoint.TYPE])
        lines.add(anchors[0][is_straight], anchors[1][is_straight], color, 1.5)
        for side, anchor in zip("ab", anchors, strict=True):
            has_body = joints[f"body_{side}"] != 0
            rows = [store.row_of(body) for body in joints[f"body_{side}"][has_body].tolist()]
            centers = np.stack((store.bodies["x"][rows], store.bodies["y"][rows]), axis=1)
            lines.add(centers.reshape(-1, 2), anchor[has_body], (*color, 150), 1.0)
            lines.add_dots(anchor, color, 5.0)

    def _add_contacts(
        self, lines: LineBatch, camera: Camera, contacts: np.ndarray[Any, Any]
    ) -> None:
        look = theme()
        pixels = NORMAL_LENGTH / self.usual_impulse()
        for point in (0, 1):
            these = contacts[contacts["count"] > point]
            places = np.stack((these["x"][:, point], these["y"][:, point]), axis=1)
            normals = np.stack((these["normal_x"], these["normal_y"]), axis=1)
            length = np.minimum(these["normal_impulse"][:, point] * pixels, LONGEST_NORMAL)
            lines.add(
                places, places + normals * (length * camera.pixel)[:, np.newaxis], look.normal, 1.5
            )
            lines.add_dots(places, look.contact, 6.0)


def add_arrows(
    lines: LineBatch,
    camera: Camera,
    starts: np.ndarray[Any, Any],
    ends: np.ndarray[Any, Any],
    color: tuple[int, ...],
    width: float = 1.5,
) -> None:
    """Add arrows from `starts` to `ends`, (n, 2) each, m, with heads of a size in pixels."""
    along = ends - starts
    length = np.hypot(along[:, 0], along[:, 1])[:, np.newaxis]
    back = -along / np.maximum(length, 1e-300) * np.minimum(HEAD * camera.pixel, 0.5 * length)
    aside = 0.5 * np.stack((-back[:, 1], back[:, 0]), axis=1)
    lines.add(starts, ends, color, width)
    lines.add(ends, ends + back + aside, color, width)
    lines.add(ends, ends + back - aside, color, width)
