"""Bodies of one part each, and the contacts that the narrow phase makes of their pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ecs_physics.kernels.box_manifolds import FIELDS, write_box
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.lanes import LANES
from ecs_physics.kernels.manifold_lanes import NAMES, copy_bodies, write_part
from ecs_physics.kernels.narrow_phase import ACTIVE, AFAR, LISTS, ROWS_AT_ONCE, collide_pairs
from ecs_physics.kernels.two_threads import CHUNKS, collide_pairs_on_two
from ecs_physics.tables import BODY, BOX, CIRCLE, CONTACT, DYNAMIC, OTHER, PART, VELOCITY
from tests.kernels.naive_manifold import NaivePart, is_box, rows_of

DT = 1.0 / 60.0


@dataclass
class Scene:
    """Bodies of one part each, and the contact rows of some pairs of them."""

    bodies: Any
    velocities: Any
    parts: Any
    vertices: Any
    lane_parts: Any
    motions: Any
    surfaces: Any
    names: Any
    batches: Any
    contacts: Any
    active: Any
    afar: Any
    counts: Any

    def sweep(self, reach: float) -> None:
        """Let each part touch what is within `reach` (m) of its body's extent."""
        for axis in ("x", "y"):
            size = self.bodies["extent"] + reach
            self.parts[f"swept_lower_{axis}"] = self.bodies[axis] - size
            self.parts[f"swept_upper_{axis}"] = self.bodies[axis] + size

    def write_lanes(self, dt: float) -> None:
        """What placing the bodies does with those that are boxes or circles."""
        parts = self.parts.view(np.recarray)
        for row in np.flatnonzero(self.parts["form"]).tolist():
            speed, body = self.velocities[row], self.bodies[row]
            way = dt * (abs(speed["x"]) + abs(speed["y"]) + abs(speed["omega"]) * body["extent"])
            if self.parts[row]["form"] == BOX:
                write_box(row, self.vertices, parts[row], float(way), self.lane_parts)
            else:
                write_part(row, self.vertices, parts[row], self.lane_parts)
        copy_bodies(len(self.bodies), self.bodies, self.velocities, self.motions, self.surfaces)

    def step(self, dt: float = DT) -> list[int]:
        self.sweep(100.0)
        return self.collide(dt)

    def collide(
        self, dt: float = DT, kernel: Any = collide_pairs, rows: int | None = None
    ) -> list[int]:
        self.write_lanes(dt)
        count = len(self.contacts) if rows is None else rows
        kernel(
            CHUNKS if kernel is collide_pairs_on_two else 0,
            0,
            count,
            dt,
            self.bodies,
            self.velocities,
            self.parts,
            self.vertices,
            self.lane_parts,
            self.motions,
            self.surfaces,
            self.names,
            self.batches,
            self.contacts,
            np.full((LISTS * CHUNKS, ROWS_AT_ONCE), 99, np.int32),
            self.active,
            self.afar,
            self.counts,
        )
        return self.active[: self.counts[0, ACTIVE]].tolist()

    @property
    def acting_afar(self) -> list[int]:
        """Rows that act across a gap, of the last step."""
        return self.afar[: self.counts[0, AFAR]].tolist()


def scene(
    bodies: Sequence[tuple[NaivePart, float, float]], pairs: Sequence[tuple[int, int]] = ((0, 1),)
) -> Scene:
    """Bodies as (part, x, y), at rest."""
    warm_up()
    made = Scene(
        np.zeros(len(bodies), BODY),
        np.zeros(len(bodies), VELOCITY),
        np.zeros(len(bodies), PART),
        np.zeros((0, 4)),
        np.zeros((len(bodies), 8), np.float32),
        np.zeros((len(bodies), 8), np.float32),
        np.zeros((len(bodies), 8), np.float32),
        np.zeros((2 * CHUNKS, NAMES, LANES), np.int32),
        np.zeros((2 * CHUNKS, FIELDS, LANES), np.float32),
        np.zeros(len(pairs), CONTACT),
        np.full(len(pairs), -1, np.int32),
        np.full(len(pairs), -1, np.int32),
        np.zeros((CHUNKS, 2), np.int64),
    )
    for row, (part, x, y) in enumerate(bodies):
        rows, first = rows_of(part)
        made.parts[row]["body"] = row
        made.parts[row]["first_vertex"] = len(made.vertices) + first
        made.parts[row]["count"] = len(part.vertices)
        made.parts[row]["radius"] = part.radius
        made.parts[row]["one_sided"] = part.before is not None
        form = CIRCLE if len(part.vertices) == 1 else BOX if is_box(part) else OTHER
        made.parts[row]["form"] = form
        made.vertices = np.vstack([made.vertices, rows])
        made.bodies[row]["kind"] = DYNAMIC
        made.bodies[row]["x"] = x
        made.bodies[row]["y"] = y
        made.bodies[row]["extent"] = np.hypot(*part.vertices.T).max() + part.radius
    for row, (a, b) in enumerate(pairs):
        made.contacts[row]["part_a"] = made.contacts[row]["body_a"] = a
        made.contacts[row]["part_b"] = made.contacts[row]["body_b"] = b
    return made
