"""What the scenes are built from."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import esper

from ecs_physics import Mass, Material, Shape, Transform, Velocity, World

DT = 1.0 / 60.0
"""s, the step of all scenes."""

SUBSTEPS = 4

H = DT / SUBSTEPS
"""s, the substep of all scenes."""

G = 9.81
"""m/s^2."""

_serial = itertools.count(1)


def new_world(gravity: tuple[float, float] = (0.0, -G), *, sleep: bool = False) -> World:
    """A world of its own, made current."""
    name = f"scene {next(_serial)}"
    return World(gravity=gravity, substeps=SUBSTEPS, name=name, sleep=sleep)


def floor(width: float = 100.0, x: float = 0.0, y: float = 0.0, *more: Any) -> int:
    """A static box whose top is at height y."""
    return esper.create_entity(Transform(x, y - 0.5), Shape.box(width, 1.0), *more)


def body(shape: Shape, x: float, y: float, *more: Any, angle: float = 0.0) -> int:
    """A dynamic body; a Velocity, a Mass and whatever else may follow."""
    components = {Velocity: Velocity(), Mass: Mass()} | {type(each): each for each in more}
    return esper.create_entity(Transform(x, y, angle), shape, *components.values())


def place(entity: int) -> Transform:
    """Where it is."""
    return esper.component_for_entity(entity, Transform)


def motion(entity: int) -> Velocity:
    """How it moves."""
    return esper.component_for_entity(entity, Velocity)


def run(world: World, seconds: float) -> None:
    """Let time pass."""
    for _ in steps(world, seconds):
        pass


def steps(world: World, seconds: float) -> Iterator[int]:
    """Let time pass, and look after each step."""
    for step in range(round(seconds / DT)):
        world.step(DT)
        yield step


def deepest(world: World) -> float:
    """m, the deepest overlap of all contacts, as found in the last step."""
    contacts = world.contacts
    return max((-float(contacts["separation"].min()) for _ in contacts[:1]), default=0.0)


@dataclass(frozen=True)
class Slope:
    """A long straight slope that goes down to the right, through the origin."""

    angle: float

    @property
    def cos(self) -> float:
        return math.cos(self.angle)

    @property
    def sin(self) -> float:
        return math.sin(self.angle)

    def build(self, material: Material) -> int:
        """The ground itself: 400 m long, 2 m thick."""
        x, y = -self.sin, -self.cos
        return esper.create_entity(Transform(x, y, -self.angle), Shape.box(400, 2), material)

    def put(self, shape: Shape, height: float, *more: Any) -> int:
        """A body at rest, its origin `height` above the slope."""
        x, y = height * self.sin, height * self.cos
        return body(shape, x, y, *more, angle=-self.angle)

    def speed(self, entity: int) -> float:
        """m/s, downhill."""
        velocity = motion(entity)
        return velocity.x * self.cos - velocity.y * self.sin
