"""What the scenes are built from."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import esper

from ecs_physics import (
    DistanceJoint,
    GearJoint,
    Mass,
    Material,
    MotorJoint,
    PrismaticJoint,
    PulleyJoint,
    RatchetJoint,
    RevoluteJoint,
    RopeJoint,
    Shape,
    TargetJoint,
    Transform,
    Velocity,
    WeldJoint,
    WheelJoint,
    World,
)

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


def joint_of_each_kind(x: float, y: float) -> list[int]:
    """Joints of all kinds, each between two bodies of its own or one and the world, in a row."""
    shapes = itertools.cycle((Shape.circle(0.2), Shape.box(0.5, 0.3)))
    places = itertools.count()

    def two() -> tuple[int, int]:
        at = x + 1.5 * next(places)
        return body(next(shapes), at, y), body(next(shapes), at + 0.7, y, angle=0.3)

    def one() -> tuple[int, None]:
        return body(next(shapes), x + 1.5 * next(places), y), None

    hub, post = (x + 1.5 * 4, y + 0.5), (x + 1.5 * 7, y + 0.2)
    joints = (
        DistanceJoint(*two()),
        DistanceJoint(*two(), hertz=2.0, damping_ratio=0.2, lower=0.5, upper=1.0),
        RopeJoint(*two(), length=0.9, anchor_a=(0.1, 0.0)),
        RevoluteJoint(*two(), anchor_b=(-0.7, 0.0), lower=-1.0, upper=0.2, break_force=1e6),
        RevoluteJoint(*one(), anchor_b=hub, motor_speed=3.0, max_motor_torque=0.5),
        RevoluteJoint(*two(), anchor_b=(-0.7, 0.0), hertz=3.0, damping_ratio=0.1),
        PrismaticJoint(*two(), axis=(1.0, 0.5), anchor_b=(-0.7, 0.0), lower=-0.3, upper=0.4),
        PrismaticJoint(
            *one(), axis=(0.0, 1.0), anchor_b=post, motor_speed=0.5, max_motor_force=9.0, hertz=1.0
        ),
        WeldJoint(*two(), anchor_b=(-0.7, 0.0)),
        WeldJoint(*two(), anchor_b=(-0.7, 0.0), hertz=5.0, angular_hertz=4.0),
        WheelJoint(*two(), anchor_b=(-0.7, 0.0), motor_speed=-4.0, max_motor_torque=1.0, upper=0.1),
        TargetJoint(one()[0], (x + 10.0, y + 1.0), max_force=5.0),
        GearJoint(*two(), ratio=-2.0),
        RatchetJoint(*two(), step=0.2),
        PulleyJoint(*two(), ground_a=(x, y + 3.0), ground_b=(x + 30.0, y + 3.0), ratio=1.5),
        MotorJoint(*two(), velocity=(0.5, 0.0), omega=1.0, max_force=20.0, max_torque=2.0),
        MotorJoint(*one(), hertz=2.0, angular_hertz=2.0, anchor_b=(x + 20.0, y), max_force=30.0),
    )
    return [esper.create_entity(joint) for joint in joints]


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
