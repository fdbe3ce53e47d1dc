"""Knockdown: pull a ball back, aim, let go, until nothing is left on the platform.

A ball that waits is kinematic: it hangs in the air. It flies once it is given a Mass. The mouse
and the tests throw by the same three methods: on_press, on_drag, on_release.
"""

from math import hypot
from pathlib import Path
from typing import Any, ClassVar

import esper

from ecs_physics import Color, Mass, Material, Shape, Transform, Velocity, World
from ecs_physics.levels import load
from games.menu import Demo, demo

LEVELS = sorted(Path(__file__).parents[1].glob("assets/levels/knockdown/*.toml"))
SLING = (-13.0, 4.0)  # m, where a ball waits
RADIUS = 0.55  # m
DENSITY = 6.0  # kg/m^2, of a ball; crates have 1
POWER = 7.0  # m/s of speed for each m that the ball is pulled back
LONGEST_PULL = 3.5  # m
BALLS = 5  # a level
RELOAD = 0.8  # s from a throw to the next ball
LAST_WAIT = 5.0  # s after the last throw in which things may still fall
ORANGE, GREY = (230, 159, 0), (154, 165, 177)


@demo("knockdown", "Knockdown", "Throw balls until nothing is left on the platform: three levels")
class Knockdown(Demo):
    """The rules. `level` is 1, 2 or 3; `throws` is a list of [vx, vy] in m/s, one a ball."""

    FILM: ClassVar = {"throws": [[20.0, 4.5], [21.0, 5.5], [19.0, 6.0]]}
    KEYS = (("left drag", "pull back, let go to throw"),)

    def __init__(self, world: World, level: int = 1, throws: Any = ()) -> None:
        super().__init__(world)
        if not isinstance(level, int) or not 1 <= level <= len(LEVELS):
            raise ValueError(f"level = {level!r}: give a whole number from 1 to {len(LEVELS)}")
        try:
            self.throws = [(float(x), float(y)) for x, y in throws]
        except (TypeError, ValueError):
            raise ValueError(f"throws = {throws!r}: give [[vx, vy], ...] in m/s") from None
        self.number = level

    def fill(self) -> None:
        """Begin the level."""
        self.level = load(LEVELS[self.number - 1], self.world)
        self.edge = esper.component_for_entity(self.level.entities["platform"], Transform).y
        self.standing = [e for e in self.level.created if esper.has_component(e, Mass)]
        self.total = len(self.standing)
        self.thrown, self.since_throw = 0, RELOAD
        self.pull: tuple[float, float] | None = None
        self.take_ball()

    # -- rules ----------------------------------------------------------------------------

    @property
    def won(self) -> bool:
        """Whether nothing is left on the platform."""
        return not self.standing

    @property
    def lost(self) -> bool:
        """Whether something is, though the last ball was thrown a while ago."""
        return not self.won and self.thrown == BALLS and self.since_throw > LAST_WAIT

    def take_ball(self) -> None:
        """Let the next ball hang in the sling."""
        looks = Shape.circle(RADIUS), Material(friction=0.5, restitution=0.2), Color("#D55E00")
        self.ball: int | None = esper.create_entity(Transform(*SLING), Velocity(), *looks)

    def throw(self, vx: float, vy: float) -> None:
        """Let the waiting ball fly at (vx, vy), m/s."""
        if self.ball is None:
            raise ValueError("no ball is waiting: see `ball`")
        esper.add_component(self.ball, Velocity(vx, vy))
        esper.add_component(self.ball, Mass(density=DENSITY))
        self.ball, self.pull, self.since_throw = None, None, 0.0
        self.thrown += 1

    def on_step(self, dt: float) -> None:
        """Score what has left the platform, and reload."""
        height = {e: esper.component_for_entity(e, Transform).y for e in self.standing}
        self.standing = [e for e in self.standing if height[e] > self.edge]
        self.since_throw += dt
        if self.ball is None and self.thrown < BALLS and self.since_throw > RELOAD:
            self.take_ball()
        if self.ball is not None and self.thrown < len(self.throws) and self.since_throw > 1.2:
            self.throw(*self.throws[self.thrown])

    # -- the mouse ------------------------------------------------------------------------

    def on_press(self, x: float, y: float) -> bool:
        """Begin to pull; after the end of a level, go on to the next, or try again."""
        if self.won or self.lost:
            self.number = self.number % len(LEVELS) + 1 if self.won else self.number
            self.world.reset()
            self.fill()
        else:
            self.on_drag(x, y)
        return True  # no other hand moves anything here

    def on_drag(self, x: float, y: float) -> None:
        """Pull the ball towards (x, y), m, as far as the sling reaches."""
        if self.ball is not None:
            dx, dy = x - SLING[0], y - SLING[1]
            reach = min(1.0, LONGEST_PULL / max(hypot(dx, dy), 1e-9))
            self.pull = (dx * reach, dy * reach)
            place = esper.component_for_entity(self.ball, Transform)
            place.x, place.y = SLING[0] + self.pull[0], SLING[1] + self.pull[1]

    def on_release(self, x: float, y: float) -> None:
        """Let go."""
        if self.pull is not None:
            self.throw(-POWER * self.pull[0], -POWER * self.pull[1])

    # -- what is seen ---------------------------------------------------------------------

    def draw(self, lines: Any) -> None:
        """Draw the sling, the balls that are left, and how the pulled one would fly."""
        (x, y), left = SLING, BALLS - self.thrown - (self.ball is not None)
        lines.add([(x, 0), (x, y - 2)], [(x, y - 2), (x - 0.6, y - 0.8)], GREY, 5)
        lines.add((x, y - 2), (x + 0.6, y - 0.8), GREY, 5)
        lines.add_dots([(x - 1.5 - 1.2 * i, 0.4) for i in range(left)], GREY, 14)
        if self.pull is not None:
            (dx, dy), gravity = self.pull, self.world.gravity
            lines.add((x + dx, y + dy), SLING, ORANGE, 4)
            for t in (0.08 * i for i in range(1, 16)):
                at_x = x + dx - POWER * dx * t + 0.5 * gravity[0] * t * t
                at_y = y + dy - POWER * dy * t + 0.5 * gravity[1] * t * t
                lines.add_dots((at_x, at_y), ORANGE, 8 - 4 * t)

    def words(self) -> str:
        """The score, and what to do."""
        if self.won:
            return f"Level {self.number} won: balls thrown {self.thrown}. Click for the next"
        if self.lost:
            return f"{len(self.standing)} left on the platform. Click to try again"
        score = f"down {self.total - len(self.standing)} of {self.total}"
        return f"Level {self.number} of {len(LEVELS)}    {score}    balls {BALLS - self.thrown}"

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        down = self.total - len(self.standing)
        return {"level": self.number, "score": down, "thrown": self.thrown, "won": self.won}
