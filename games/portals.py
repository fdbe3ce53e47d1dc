"""Portals: cars that are copied, sent elsewhere, parked by a click, and dropped by a trapdoor.

What changes about a body while the world runs, joints and all: `clone_group`, `teleport`,
`disable` and `enable`, and its kind, which follows from its components.
"""

from typing import Any, ClassVar

import esper

from ecs_physics import (
    Color,
    Filter,
    Mass,
    Material,
    Sensor,
    Shape,
    Transform,
    Velocity,
    WheelJoint,
    World,
)
from games.menu import Demo, demo

START = (-11.0, 5.0)  # m, where cars come out
PARTS = ((0.0, 0.0), (-0.6, -0.4), (0.6, -0.4))  # m, of a car: body and wheels, seen from its body
EVERY = 2.0  # s, after which the trapdoor opens or shuts
TRAPDOOR = ((2.0, -0.15), (6.0, -0.15))  # m, its ends
SPEED = 9.0  # rad/s, of the wheels
TOUGH = Material(friction=0.9)
APART = Filter(group=-1)  # cars do not meet each other
COLORS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00")
GREY, PALE = (90, 98, 110), (232, 238, 244)


@demo("portals", "Portals", "Cars are copied, sent back, dropped by a trapdoor, parked by a click")
class Portals(Demo):
    """`cars` are how many there may be at most."""

    LOOK = (0.0, 1.5, 30.0)
    KEYS: ClassVar = (("left click", "park a car, or let it drive on"),)

    def __init__(self, world: World, cars: int = 5) -> None:
        super().__init__(world)
        if not isinstance(cars, int) or isinstance(cars, bool) or cars < 1:
            raise ValueError(f"cars = {cars!r}: give a whole number from 1 on")
        self.most = cars

    def fill(self) -> None:
        """Build the road, the portals and the first car."""
        for x, y, width, height in (
            *((-6.0, -0.3, 16.0, 0.6), (10.0, -0.3, 8.0, 0.6), (4.0, -4.3, 6.0, 0.6)),
            *((-14.2, 4.0, 0.4, 9.0), (14.2, 4.0, 0.4, 9.0)),
            *((1.7, -2.3, 0.6, 3.4), (6.3, -2.3, 0.6, 3.4)),
        ):
            esper.create_entity(Transform(x, y), Shape.box(width, height), TOUGH)
        self.trapdoor = esper.create_entity(
            Transform(4.0, -0.15), Shape.box(4.0, 0.3), TOUGH, Color(COLORS[4])
        )
        self.is_open = False
        self.copier = self.gate(-4.0, 1.5, 0.4, 3.0, COLORS[2])
        self.exits = (
            self.gate(13.6, 1.5, 0.4, 3.0, COLORS[1]),
            self.gate(4.0, -3.4, 3.6, 0.8, COLORS[1]),
        )
        self.cars: dict[int, list[int]] = {}
        self.copied: set[int] = set()
        self.build_car()

    @staticmethod
    def gate(x: float, y: float, width: float, height: float, color: str) -> int:
        """Build a sensor that cars drive through."""
        return esper.create_entity(
            Transform(x, y), Shape.box(width, height), Sensor(), Color(color)
        )

    def build_car(self) -> None:
        """Build a car of three bodies and two joints."""
        x, y = START
        body = esper.create_entity(
            *(Transform(x, y), Velocity(), Mass(), APART, TOUGH),
            *(Shape.box(1.6, 0.5, 0.1), Color(COLORS[0])),
        )
        self.cars[body] = [body]
        for place in PARTS[1:]:
            wheel = esper.create_entity(
                *(Transform(x + place[0], y + place[1]), Velocity(), Mass(), APART, TOUGH),
                *(Shape.circle(0.35), Color("#9AA5B1")),
            )
            esper.create_entity(
                WheelJoint(wheel, body, anchor_b=place, motor_speed=-SPEED, max_motor_torque=20.0)
            )
            self.cars[body].append(wheel)

    # -- what happens ---------------------------------------------------------------------

    def on_step(self, dt: float) -> None:
        """Work the trapdoor; copy the cars that reach the copier, send back those at an exit."""
        is_open = int(self.world.time / EVERY) % 2 == 1
        if is_open != self.is_open:
            self.is_open = is_open
            (self.world.disable if is_open else self.world.enable)(self.trapdoor)
        for body in self.world.overlaps(self.copier):
            if body in self.cars and body not in self.copied and len(self.cars) < self.most:
                self.copied.add(body)
                self.send(self.copy(body))
        for gate in self.exits:
            for body in self.world.overlaps(gate):
                if body in self.cars:
                    self.send(body)

    def copy(self, body: int) -> int:
        """Copy a car with its wheels and joints, in another colour; returns its body."""
        copies = self.world.clone_group(self.cars[body])
        copied = copies[body]
        esper.add_component(copied, Color(COLORS[len(self.cars) % len(COLORS)]))
        self.cars[copied] = [copies[part] for part in self.cars[body]]
        return copied

    def send(self, body: int) -> None:
        """Send a car to the start, upright and at rest."""
        for part, (side, down) in zip(self.cars[body], PARTS, strict=True):
            self.world.teleport(part, START[0] + side, START[1] + down, angle=0.0)
            velocity = esper.try_component(part, Velocity)
            if velocity is not None:  # None where the car is parked
                velocity.x = velocity.y = velocity.omega = 0.0

    def on_press(self, x: float, y: float) -> bool:
        """Park a car, or let it go: without Velocity and Mass its body is static."""
        for body in self.world.bodies_at(x, y, tolerance=0.2):
            if body in self.cars:
                if esper.has_component(body, Mass):
                    esper.remove_component(body, Mass)
                    esper.remove_component(body, Velocity)
                else:
                    esper.add_component(body, Velocity())
                    esper.add_component(body, Mass())
                return True
        return False

    # -- what is seen ---------------------------------------------------------------------

    def draw(self, lines: Any) -> None:
        """Draw where the trapdoor is when it is not there, and where cars come out."""
        if self.is_open:
            lines.add(*TRAPDOOR, GREY, 2)
        lines.add_dots([START], PALE, 8.0)

    def words(self) -> str:
        """How many cars there are, and how the trapdoor is."""
        state = "open" if self.is_open else "shut"
        return f"cars {len(self.cars)} of {self.most}    trapdoor {state}"

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        return {"cars": len(self.cars), "open": self.is_open}
