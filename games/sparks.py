"""Sparks: balls fall through pegs; what hits flashes, and sensors count what reaches each bin.

Events come in two ways, both shown here: handlers of esper are called for each one, and arrays
hold all of the last step at once.
"""

from math import sqrt
from typing import Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics import Color, Mass, Material, Sensor, Shape, Transform, Velocity, World
from ecs_physics.events import SENSOR_BEGIN, SensorBegin
from games.menu import Demo, demo

PEGS = Material(friction=0.1, restitution=0.6)
ROWS, GAP = 7, 2.0  # rows of pegs, m between two of a row
RADIUS = 0.3  # m, of a ball
BINS = ("#4cc9f0", "#80ed99", "#ffd166", "#80ed99", "#4cc9f0")
WIDTH = 4.0  # m, of a bin
EVERY = 0.35  # s from a ball to the next
LIFE = 0.35  # s that a flash lasts
YELLOW = (255, 214, 102)


@demo(
    "sparks", "Sparks", "Events: flashes where balls hit, as hard as they hit; sensors that count"
)
class Sparks(Demo):
    """The rules. `balls` fall in all."""

    LOOK = (0.0, 8.0, 36.0)

    def __init__(self, world: World, balls: int = 60) -> None:
        super().__init__(world)
        if not isinstance(balls, int) or balls < 1:
            raise ValueError(f"balls = {balls!r}: give a whole number from 1 on")
        self.balls = balls
        esper.set_handler(SENSOR_BEGIN, self.count)  # weak: lives as long as this demo

    def fill(self) -> None:
        """Build pegs and bins."""
        for row in range(ROWS):
            for k in range(row % 2, 10):
                x = GAP * (k - 4.5 - (row % 2) / 2)
                esper.create_entity(Transform(x, 5.0 + 1.5 * row), Shape.circle(0.2), PEGS)
        self.counts = {self.make_bin(k): 0 for k in range(len(BINS))}
        for x in (-10.4, 10.4):
            esper.create_entity(Transform(x, 8.0), Shape.box(0.4, 16.0), PEGS)
        self.dropped, self.since_ball = 0, EVERY
        self.flashes: list[tuple[NDArray[Any], float]] = []

    def make_bin(self, k: int) -> int:
        """Build the wall to the right of a bin, and the sensor in it."""
        x = WIDTH * (k - 2)
        if k < len(BINS) - 1:
            wall = Shape.capsule((0.0, 0.0), (0.0, 2.5), 0.15)
            esper.create_entity(Transform(x + WIDTH / 2, 0.0), wall, PEGS)
        shape = Shape.box(WIDTH - 0.6, 1.0)
        return esper.create_entity(Transform(x, 0.5), shape, Sensor(), Color(BINS[k]))

    def count(self, event: SensorBegin) -> None:
        """Handle a ball that has come into a bin: count it, and let it go."""
        self.counts[event.sensor] += 1
        esper.delete_entity(event.visitor)

    def on_step(self, dt: float) -> None:
        """Keep the hits for a while, and drop the next ball."""
        self.flashes = [(hits, age + dt) for hits, age in self.flashes if age + dt < LIFE]
        if len(self.world.events.hits):
            self.flashes.append((self.world.events.hits, 0.0))
        self.since_ball += dt
        if self.dropped < self.balls and self.since_ball >= EVERY:
            self.drop()

    def drop(self) -> None:
        """Let a ball fall, each from another place."""
        x = 6.0 * (self.dropped * 0.618034 % 1.0 - 0.5)
        looks = Shape.circle(RADIUS), PEGS, Color("#e8eef4")
        esper.create_entity(Transform(x, 15.6), Velocity(0.0, -2.0), Mass(density=2.0), *looks)
        self.dropped, self.since_ball = self.dropped + 1, 0.0

    def draw(self, lines: Any) -> None:
        """Draw the flashes: rays across the normal, longer for a greater impulse."""
        for hits, age in self.flashes:
            left = 1.0 - age / LIFE
            color = (*YELLOW, round(255 * left))
            for hit in hits:
                size = min(0.5 * sqrt(hit["impulse"]), 1.5)
                place = np.array([hit["x"], hit["y"]])
                normal = np.array([hit["normal_x"], hit["normal_y"]])
                along = np.array([-normal[1], normal[0]])
                rays = np.array([along + t * normal for t in (-0.6, -0.2, 0.2, 0.6)])
                rays = np.concatenate([rays, rays - 2 * along]) * size
                lines.add(
                    place + (0.4 - 0.2 * left) * rays, place + (1 - left / 2) * rays, color, 2
                )
                lines.add_dots(place, color, 14.0 * size * left)

    def words(self) -> str:
        """What each bin has got."""
        got = "    ".join(str(count) for count in self.counts.values())
        return f"balls {self.dropped} of {self.balls}    in the bins: {got}"

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        return {"dropped": self.dropped, "bins": list(self.counts.values())}
