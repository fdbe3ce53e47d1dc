"""Five boxes on a floor by impulses and penalty forces, as in a textbook's first chapter."""

from __future__ import annotations

from math import pi
from random import Random
from typing import TYPE_CHECKING, Any

import esper

from ecs_physics import Color, Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.systems import (
    CollisionDetection,
    ContactResolution,
    FloorDetection,
    ImpulsePenaltyResolution,
)
from games.menu import Lab, demo

if TYPE_CHECKING:
    from ecs_physics.view import LineBatch, Panel

PLACES = (-5.0, -2.0, 1.0, 4.0, 7.0)  # m, x of the boxes
HEIGHT = 5.0  # m, y of all
COLORS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7")
X_AXIS, Y_AXIS = (235, 70, 70), (70, 200, 90)


@demo("collisions", "Collisions", "Five boxes on a floor: impulses against penalty forces, live")
class Collisions(Lab):
    """The boxes and the two systems that make them bounce.

    The production detection and resolution are taken out: each vertex below the floor is a
    contact of its own, and gets an impulse, a penalty force, or both.

    Args:
        world: an empty one.
        dt: s, of a step.
        gravity: m/s^2: y alone, or [x, y].
        stiffness: N/m, of the penalty force.
        restitution: from 0 to 1.
        friction: at least 0.
        use_impulses: whether there are impulses.
        use_penalty_force: whether there are penalty forces.
        angles: rad, of the five boxes at the start; random ones, others on each restart, where
            left out.
        vx: m/s, of all boxes at the start.
        vy: m/s.
        omega: rad/s.
        seed: of the random angles.
    """

    LOOK = (1.0, 3.4, 19.0)
    KEYS = (("left drag", "drag a box"),)

    def __init__(
        self,
        world: World,
        dt: float = 0.005,
        gravity: Any = -9.81,
        stiffness: float = 100.0,
        restitution: float = 0.5,
        friction: float = 0.02,
        use_impulses: bool = True,
        use_penalty_force: bool = True,
        angles: Any = None,
        vx: float = 0.0,
        vy: float = 0.0,
        omega: float = 0.0,
        seed: int = 1,
    ) -> None:
        super().__init__(world)
        self.dt = dt
        self.angles = None if angles is None else five_numbers(angles)
        self.motion = (vx, vy, omega)
        if not isinstance(seed, int):
            raise ValueError(f"seed = {seed!r}: give a whole number")
        self.random = Random(seed)
        world.substeps = 1
        in_both: Any = gravity if isinstance(gravity, (list, tuple)) else (0.0, gravity)
        world.gravity = in_both
        world.remove_system(CollisionDetection)
        world.remove_system(ContactResolution)
        world.add_system(FloorDetection(world), Stage.COLLISION_DETECTION)
        self.resolution = ImpulsePenaltyResolution(
            world,
            stiffness=stiffness,
            restitution=restitution,
            friction=friction,
            use_impulses=use_impulses,
            use_penalty_force=use_penalty_force,
        )
        world.add_system(self.resolution, Stage.CONTACT_RESOLUTION)

    def fill(self) -> None:
        """Let the boxes hang in the air."""
        esper.create_entity(Transform(), Shape.chain([(-1000, 0), (1000, 0)]))
        angles = self.angles or [pi * self.random.random() for _ in PLACES]
        for x, angle, color in zip(PLACES, angles, COLORS, strict=True):
            place, motion = Transform(x, HEIGHT, angle), Velocity(*self.motion)
            esper.create_entity(place, motion, Shape.box(2, 1), Mass(mass=1.0), Color(color))

    # -- in a window ----------------------------------------------------------------------

    @property
    def gravity(self) -> float:
        """m/s^2, its y; x stays what it is."""
        return self.world.gravity[1]

    @gravity.setter
    def gravity(self, value: float) -> None:
        self.world.gravity = (self.world.gravity[0], value)

    def add_controls(self, panel: Panel) -> None:
        """Add what founding system 1 lets you change."""
        rules = self.resolution
        panel.slider(self, "gravity", -20, 20, step=0.01, unit="m/s\N{SUPERSCRIPT TWO}")
        panel.check(rules, "use_impulses")
        panel.slider(rules, "restitution", 0, 1, step=0.01)
        panel.slider(rules, "friction", 0, 2, step=0.01)
        panel.check(rules, "use_penalty_force")
        panel.number(rules, "stiffness", label="penalty stiffness", unit="N/m", low=0, high=1e6)

    def draw(self, lines: LineBatch) -> None:
        """Draw the axes, 1 m long, and let the box that is dragged be red."""
        for (x, y), color in (((1.0, 0.0), X_AXIS), ((0.0, 1.0), Y_AXIS)):
            lines.add((0, 0), (x, y), color, 3)
            back = [
                (0.82 * x + 0.1 * y, 0.82 * y + 0.1 * x),
                (0.82 * x - 0.1 * y, 0.82 * y - 0.1 * x),
            ]
            lines.add([(x, y), (x, y)], back, color, 3)
        if self.view is not None:
            self.mark(self.view.drag.entity)


def five_numbers(values: Any) -> list[float]:
    """The angles, or a ValueError that says what would be right."""
    is_list = isinstance(values, (list, tuple)) and len(values) == len(PLACES)
    if not is_list or not all(isinstance(each, (int, float)) for each in values):
        raise ValueError(
            f"angles = {values!r}: give five numbers in rad, such as [0.3, 0.9, 1.5, 2.1, 2.7]"
        )
    return [float(each) for each in values]
