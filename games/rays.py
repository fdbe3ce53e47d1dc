"""Rays: a lamp lights a room, and a laser is reflected in it; all of it is asked anew each step.

`world.rays` gives what hundreds of rays meet in one call; `world.ray` goes along the laser, from
each reflection on. Nothing has to be told that bodies move: queries see them where they are.
"""

from math import cos, pi, sin
from typing import Any, ClassVar

import esper
import numpy as np

from ecs_physics import Color, Mass, RayHit, Shape, Transform, Velocity, World
from games.menu import Demo, demo

WIDTH, HEIGHT = 40.0, 22.0  # m, of the room
REACH = 60.0  # m, farther than any wall
REFLECTIONS = 12  # of the laser
MOST_RAYS = 10_000
CANNON = (-19.0, 20.0)  # m, where the laser stands
WARM, BRIGHT, RED = (255, 214, 120, 46), (255, 232, 170), (255, 77, 109)


@demo("rays", "Rays", "A lamp lights a room with 720 rays, and a laser is reflected in it")
class Rays(Demo):
    """`count` rays of the lamp. It goes around by itself, until the mouse takes it."""

    LOOK = (0, 0.5 * HEIGHT + 0.6, WIDTH + 9)
    FILM: ClassVar = {"count": 1440}
    KEYS = (("left drag", "carry the lamp"),)

    def __init__(self, world: World, count: int = 720) -> None:
        super().__init__(world)
        if not isinstance(count, int) or not 1 <= count <= MOST_RAYS:
            raise ValueError(f"count = {count!r}: give a whole number from 1 to {MOST_RAYS}")
        angles = np.linspace(0.0, 2.0 * pi, count, endpoint=False)
        self.ways = REACH * np.column_stack([np.cos(angles), np.sin(angles)])

    def fill(self) -> None:
        """Build the room, what stands in it and what moves."""
        x = 0.5 * WIDTH
        walls = [(-x, 0), (x, 0), (x, HEIGHT), (-x, HEIGHT)]
        esper.create_entity(Transform(), Shape.chain(walls, closed=True))
        esper.create_entity(Transform(-8, 14), Velocity(0, 0, 0.7), Shape.box(7, 0.6))
        esper.create_entity(Transform(9, 9), Velocity(0, 0, -0.9), Shape.box(0.6, 5, 0.3))
        esper.create_entity(Transform(2, 17), Shape.circle(1.2))
        for row in range(6):
            for column in range(6 - row):
                place = Transform(11 + 1.1 * (column + 0.5 * row), 0.5 + row)
                esper.create_entity(place, Velocity(), Shape.box(1, 1), Mass())
        for k in range(9):
            ball = Shape.circle(0.4 + 0.1 * (k % 4))
            esper.create_entity(Transform(-14 + 2.5 * k, 9 + k % 3), Velocity(3), ball, Mass())
        self.held = False
        self.seconds = 0.0
        self.lamp = (0.0, 0.0)
        esper.create_entity(Transform(*CANNON), Shape.box(0.5, 0.5), Color("#D55E00"))
        self.on_step(0.0)

    def on_step(self, dt: float) -> None:
        """Let the lamp go on, and see what its rays and the laser meet now."""
        self.seconds += dt
        if not self.held:
            turn = 0.5 * self.seconds
            self.lamp = (12 * sin(turn), 12 + 3.5 * sin(2 * turn))
        self.light = self.world.rays(self.lamp, self.lamp + self.ways)
        self.laser = self._reflections(*CANNON, -0.6 + 0.3 * sin(0.4 * self.seconds))

    def _reflections(self, x: float, y: float, angle: float) -> list[RayHit]:
        """What the laser meets from (x, y), m, on; each time it goes on as a mirror says."""
        hits: list[RayHit] = []
        way_x, way_y = cos(angle), sin(angle)
        x, y = x + 0.5 * way_x, y + 0.5 * way_y
        for _ in range(REFLECTIONS):
            hit = self.world.ray((x, y), (x + REACH * way_x, y + REACH * way_y))
            if hit is None:
                break
            hits.append(hit)
            x, y = hit.x, hit.y
            into = way_x * hit.normal_x + way_y * hit.normal_y
            way_x -= 2.0 * into * hit.normal_x
            way_y -= 2.0 * into * hit.normal_y
        return hits

    # -- the mouse ------------------------------------------------------------------------

    def on_press(self, x: float, y: float) -> bool:
        """Take the lamp."""
        self.held = True
        self.on_drag(x, y)
        return True

    def on_drag(self, x: float, y: float) -> None:
        """Carry it to (x, y), m."""
        self.lamp = (x, y)

    def on_release(self, x: float, y: float) -> None:
        """Leave it to itself again."""
        self.held = False

    # -- what is seen ---------------------------------------------------------------------

    def draw(self, lines: Any) -> None:
        """Draw the light, the places that it falls on, and the laser."""
        ends = np.column_stack([self.light["x"], self.light["y"]])
        lines.add(np.tile(self.lamp, (len(ends), 1)), ends, WARM, 2.0)
        lines.add_dots(ends[self.light["entity"] != 0], BRIGHT, 3.0)
        lines.add_dots(self.lamp, BRIGHT, 16.0)
        corners = [CANNON, *((hit.x, hit.y) for hit in self.laser)]
        lines.add(corners[:-1], corners[1:], RED, 2.0)

    def words(self) -> str:
        """How much is lit."""
        return f"{len(self.light)} rays see {len(self.seen())} bodies"

    def seen(self) -> set[int]:
        """The entities that the light falls on."""
        return set(self.light["entity"].tolist()) - {0}

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        return {"seen": len(self.seen()), "reflections": len(self.laser)}
