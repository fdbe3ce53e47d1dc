"""A system of one's own, written three ways that give the same bits: wind grows with height."""

from typing import Any

import esper
import numba
import numpy as np

from ecs_physics import Mass, Shape, Stage, Transform, Velocity, World
from games.menu import Demo, demo

SHEAR = 0.7  # 1/s^2: the wind pushes with 0.7 m/s^2 at a height of 1 m, with 7 m/s^2 at 10 m


def blow_in_a_loop(dt: float) -> None:
    """One body after the other: the clearest."""
    for _, (velocity, place) in esper.get_components(Velocity, Transform):
        velocity.x += SHEAR * place.y * dt


def blow_on_columns(v: Any, place: Any, dt: float) -> None:
    """The shortest; `entity` is 0 in rows without a Velocity, as the floor's."""
    np.add(v["x"], SHEAR * place["y"] * dt, out=v["x"], where=v["entity"] != 0)


@numba.njit
def blow_compiled(v: Any, place: Any, dt: float) -> None:
    """A loop that Numba compiles at the first call: fast, however long the formula."""
    for row in range(len(v)):
        if v[row].entity != 0:
            v[row].x += SHEAR * place[row].y * dt


@demo("custom_system", "Wind", "A system of one's own, three ways: wind fells the tall towers")
class Wind(Demo, esper.Processor):
    """Towers of one to twelve crates in the wind. `way` is loop, columns or kernel."""

    LOOK = (24, 9, 64)

    def __init__(self, world: World, way: str = "columns") -> None:
        super().__init__(world)
        if way not in ("loop", "columns", "kernel"):
            raise ValueError(f"way = {way!r}: give loop, columns or kernel")
        self.way = way
        world.add_system(self, Stage.BEFORE_STEP)

    def process(self, dt: float) -> None:
        """Blow: esper calls this once a step."""
        if self.way == "loop":
            blow_in_a_loop(dt)
        else:
            blow = blow_on_columns if self.way == "columns" else blow_compiled
            blow(self.world.columns(Velocity), self.world.columns(Transform), dt)

    def fill(self) -> None:
        """Build the towers."""
        esper.create_entity(Transform(20, -1), Shape.box(160, 2))
        for x in range(12):
            for y in range(x + 1):
                esper.create_entity(Transform(3 * x, y + 0.5), Velocity(), Shape.box(1, 1), Mass())
