"""Platforms: a box to steer over lifts, shuttles, belts and one-way ledges, collecting coins."""

from __future__ import annotations

from math import cos, pi, radians, sin
from typing import Any, ClassVar

import esper

from ecs_physics import (
    Color,
    Contact,
    LockedAxes,
    Mass,
    Material,
    OneWay,
    Sensor,
    Shape,
    SleepThreshold,
    Transform,
    Velocity,
    World,
)
from games.menu import Demo, demo

WALK = 4.0  # m/s, on what it stands on
JUMP = 7.6  # m/s, upwards: 2.9 m high
AIR = 12.0  # m/s^2, by which it can be steered in the air
BRAKING = 1.2  # m, from where it walks the slower the nearer it is
REACH = 1.0  # m, above or below which the mouse means to jump or to drop
GROUND = 0.7  # cosine: how much a slope may lean that it stands on
COINS = ((-9.0, 6.0), (-5.0, 4.8), (1.2, 5.4), (7.5, 4.4), (10.0, 0.6), (0.0, 3.9))
BLUE, ORANGE, GOLD = "#56B4E9", "#E69F00", "#F0E442"


@demo("platforms", "Platforms", "Steer a box over lifts, shuttles and ledges; collect the coins")
class Platforms(Demo):
    """The mouse says where to go. `route` plays by itself: [[time, x, y], ...], [time] lets go."""

    FILM: ClassVar = {
        "route": [
            *([0.2, 0, 4], [2.6, -9, 2.7], [3.6, -9, 0.6], [6.2], [8.6, -9, 7], [9.1, -3.2, 4.6]),
            *([15.3, -1.3, 7], [15.5, -1.3, 5], [16.9], [19.3, 7.5, 4.4]),
            *([22.0, 10, 3.4], [23.0, 10, 0.6], [24]),
        ]
    }
    LOOK = (0.0, 3.6, 27.0)
    KEYS = (("hold left button", "walk there; higher up: jump; lower: drop through a ledge"),)

    def __init__(self, world: World, route: Any = ()) -> None:
        super().__init__(world)
        try:
            self.route = [[float(number) for number in each] for each in route]
            if any(len(each) not in (1, 3) for each in self.route):
                raise ValueError
        except (TypeError, ValueError):
            raise ValueError(f"route = {route!r}: give [[time, x, y], ...], s and m") from None

    def fill(self) -> None:
        """Build the place, and send what moves on its way."""
        self.pointer: tuple[float, float] | None = None
        self.waiting = list(self.route)
        self.is_standing = False
        walls = [(-12.0, 9.0), (-12.0, 0.0), (12.0, 0.0), (12.0, 9.0)]
        esper.create_entity(Transform(), Shape.chain(walls))
        belt = Material(friction=0.9, surface_speed=2.0)
        esper.create_entity(Transform(6.0, 0.25), Shape.box(5.0, 0.5), belt)
        for x, y, width in ((-5.3, 3.85, 5.0), (-1.0, 1.45, 3.0), (0.0, 2.85, 2.0)):
            esper.create_entity(Transform(x, y), Shape.box(width, 0.3), OneWay(), Color(ORANGE))
        self.lift, self.shuttle, self.rocker = (
            esper.create_entity(Transform(*self.path(k, 0.0)), Velocity(), Shape.box(width, 0.3))
            for k, width in enumerate((2.4, 2.6, 4.0))
        )
        esper.add_component(self.lift, OneWay())  # comes down over whoever stands below
        self.coins = [
            esper.create_entity(Transform(x, y), Shape.circle(0.25), Sensor(), Color(GOLD))
            for x, y in COINS
        ]
        self.hero = esper.create_entity(
            Transform(-3.0, 0.6),
            Velocity(),
            Shape.box(0.5, 1.0, 0.1),
            Mass(),
            LockedAxes(angle=True),
            Material(friction=0.9),
            SleepThreshold(speed=0.0),  # the mouse may come any moment
            Color(BLUE),
        )
        self.world.pre_solve = self.see
        self.send_on(self.dt or 1.0 / 60.0)

    # -- what moves -----------------------------------------------------------------------

    @staticmethod
    def path(which: int, time: float) -> tuple[float, float, float]:
        """x, y and angle of the lift, the shuttle or the rocker."""
        if which == 0:
            return -9.0, 1.92 - 2.08 * cos(2.0 * pi * time / 6.0), 0.0
        if which == 1:
            return 1.2 + 2.6 * sin(2.0 * pi * time / 6.0), 4.2, 0.0
        return 7.5, 3.2, radians(15.0) * sin(2.0 * pi * time / 5.0)

    def send_on(self, dt: float) -> None:
        """Say where the platforms are to be after the next step."""
        for which, entity in enumerate((self.lift, self.shuttle, self.rocker)):
            self.world.move_to(entity, *self.path(which, self.world.time + dt), time=dt)

    # -- the hero -------------------------------------------------------------------------

    def see(self, contact: Contact) -> None:
        """Walk: a surface under the hero's feet runs, whatever it is and however it moves."""
        is_b = contact.entity_b == self.hero
        if not is_b and contact.entity_a != self.hero:
            return
        if (contact.normal_y if is_b else -contact.normal_y) < GROUND:
            contact.friction = 0.0  # else it would hang on walls that it presses against
        else:
            self.is_standing = True
            contact.surface_speed += WALK * self.way

    @property
    def way(self) -> float:
        """Which way the hero walks: from -1, left, to 1, right; slower where it is nearly there."""
        if self.pointer is None:
            return 0.0
        away = self.pointer[0] - esper.component_for_entity(self.hero, Transform).x
        return max(-1.0, min(away / BRAKING, 1.0))

    def on_step(self, dt: float) -> None:
        """Collect coins; jump, drop, or be steered in the air; send the platforms on."""
        while self.waiting and self.waiting[0][0] <= self.world.time:
            _, *point = self.waiting.pop(0)
            self.pointer = (point[0], point[1]) if point else None
        for coin in [each for each in self.coins if self.hero in self.world.overlaps(each)]:
            self.coins.remove(coin)
            esper.delete_entity(coin)
        velocity = esper.component_for_entity(self.hero, Velocity)
        if self.pointer is not None:
            height = self.pointer[1] - esper.component_for_entity(self.hero, Transform).y
            if not self.is_standing:
                wanted, most = WALK * self.way, AIR * dt
                velocity.x += max(-most, min(wanted - velocity.x, most))
            elif height > REACH:
                velocity.y = JUMP
            elif height < -REACH:
                self.world.drop_through(self.hero)
        self.is_standing = False
        self.send_on(dt)

    # -- the mouse, and what is seen ------------------------------------------------------

    def on_press(self, x: float, y: float) -> bool:
        """Go there."""
        self.pointer = (x, y)
        return True

    def on_drag(self, x: float, y: float) -> None:
        """Go there instead."""
        self.pointer = (x, y)

    def on_release(self, x: float, y: float) -> None:
        """Stand still."""
        self.pointer = None

    def words(self) -> str:
        """How many coins there still are."""
        found = len(COINS) - len(self.coins)
        return "All coins found" if not self.coins else f"coins {found} of {len(COINS)}"

    def answer(self) -> dict[str, Any]:
        """The same for a run without a window."""
        return {"coins": len(COINS) - len(self.coins)}
