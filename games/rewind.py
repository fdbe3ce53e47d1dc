"""Rewind: throw balls at a tower of crates that crack, and hold Backspace: time runs backwards.

A snapshot is taken after every step. Going back is restoring one after the other, the newest
first: poses, speeds, crates that broke, balls that did not exist yet, and each crate's own `Crack`.
"""

from collections import deque
from dataclasses import dataclass
from math import hypot
from typing import Any, ClassVar

import esper

from ecs_physics import Color, Mass, Material, Shape, Snapshot, Transform, Velocity, World
from games.menu import Demo, demo

KEPT = 600  # snapshots, of the last ten seconds
HAND = (-14.0, 3.0)  # m, where balls come from
SPEED = 24.0  # m/s, of a throw
TOUGHNESS = 8.0  # N s, that a crate bears in one step before it cracks
CRACKS = 3  # after which it is gone
LOOKS = ("#56B4E9", "#CC79A7", "#D55E00")  # of a crate, by its cracks
CRATE, BALL = Shape.box(1, 1), Shape.circle(0.5)
WOOD, RUBBER = Material(friction=0.7), Material(friction=0.4, restitution=0.3)
BLUE, GREY = (86, 180, 233), (90, 98, 110)


@dataclass
class Crack:
    """How often a crate has cracked."""

    times: int = 0


@demo("rewind", "Rewind", "Break a tower with balls, and hold a key: time runs backwards")
class Rewind(Demo):
    """`back` is the step from which time runs backwards by itself, for a film; 0 for never."""

    FILM: ClassVar = {"back": 90}
    LOOK = (-1.0, 5.0, 32.0)
    KEYS = (("left drag", "throw a ball there"), ("Backspace", "hold to go back in time"))

    def __init__(self, world: World, back: int = 0) -> None:
        super().__init__(world)
        if not isinstance(back, int) or back < 0:
            raise ValueError(f"back = {back!r}: give a step as a whole number, 0 for never")
        self.back = back
        world.register(Crack)
        self.past: deque[Snapshot] = deque(maxlen=KEPT)
        self.is_going_back = False

    def fill(self) -> None:
        """Build the tower and throw the first ball."""
        esper.create_entity(Transform(0, -0.5), Shape.box(60, 1), WOOD)
        for row in range(9):
            for column in range(4):
                esper.create_entity(
                    *(Transform(column + 1.0, row + 0.5), Velocity(), CRATE, Mass(), WOOD),
                    *(Crack(), Color(LOOKS[0])),
                )
        self.is_going_back = False
        self.throw(1.0, 4.5)
        self.past.clear()
        self.past.append(self.world.snapshot())

    def throw(self, x: float, y: float) -> None:
        """Throw a ball towards (x, y), m."""
        dx, dy = x - HAND[0], y - HAND[1]
        far = max(hypot(dx, dy), 1e-9)
        velocity = Velocity(SPEED * dx / far, SPEED * dy / far)
        looks = BALL, Mass(density=5), RUBBER, Color("#F0E442")
        esper.create_entity(Transform(*HAND), velocity, *looks)

    def on_step(self, dt: float) -> None:
        """Crack what was hit and keep the moment; or forget this step, and the moment before it."""
        if self.is_going_back or 0 < self.back <= self.world.steps:
            self.back, self.is_going_back = 0, True
            if len(self.past) > 1:
                self.past.pop()
            self.world.restore(self.past[-1])
            return
        self.crack()
        self.past.append(self.world.snapshot())

    def crack(self) -> None:
        """Let crates crack that bore too much in this step."""
        contacts = self.world.contacts
        hard = contacts[contacts["normal_impulse"].sum(axis=1) > TOUGHNESS]
        hit = {*hard["entity_a"].tolist(), *hard["entity_b"].tolist()}
        for crate in sorted(hit):
            crack = esper.try_component(crate, Crack)
            if crack is None:
                continue
            crack.times += 1
            if crack.times < CRACKS:
                esper.add_component(crate, Color(LOOKS[crack.times]))
            else:
                esper.delete_entity(crate)

    # -- keys and mouse -------------------------------------------------------------------

    def on_key(self, symbol: int) -> None:
        """Begin to go back."""
        from arcade import key

        if symbol == key.BACKSPACE:
            self.is_going_back = True

    def on_key_release(self, symbol: int) -> None:
        """Go on from there."""
        from arcade import key

        if symbol == key.BACKSPACE:
            self.is_going_back = False

    def on_press(self, x: float, y: float) -> bool:
        """Throw a ball, unless time runs backwards."""
        if not self.is_going_back:
            self.throw(x, y)
        return True

    # -- what is seen ---------------------------------------------------------------------

    def draw(self, lines: Any) -> None:
        """Draw how much of the past there is, as a bar in the ground."""
        length = 16.0 * (len(self.past) - 1) / KEPT
        lines.add((-9.0, -0.5), (7.0, -0.5), GREY, 6)
        lines.add((-9.0, -0.5), (length - 9.0, -0.5), BLUE, 6)

    def words(self) -> str:
        """The time, and which way it runs."""
        if self.is_going_back:
            return f"<<  {self.world.time:.1f} s"
        kept = (len(self.past) - 1) * (self.world.time / max(self.world.steps, 1))
        return f"{self.world.time:.1f} s    hold Backspace: back up to {kept:.1f} s"

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        whole = [crack.times for _, crack in esper.get_component(Crack)]
        return {"crates": len(whole), "cracked": sum(times > 0 for times in whole)}
