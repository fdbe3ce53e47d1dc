"""The same system three times: the same bits three times."""

from collections.abc import Callable
from pathlib import Path

import esper
import numpy as np
import pytest

import games.custom_system as example
from ecs_physics import GravityScale, Mass, Shape, Transform, Velocity, World
from games.custom_system import SHEAR, Wind
from games.menu.headless import dynamic_bodies
from games.menu.show import Show

WAYS = ("loop", "columns", "kernel")


def test_three_ways_give_the_same(show: Callable[..., Show]) -> None:
    ends = []
    for way in WAYS:
        with show("custom_system", way=way) as running:
            for _ in range(200):
                running.step()
            ends.append(np.array(dynamic_bodies(running.world)))
    assert np.abs(ends[0] - ends[1]).max() <= 1e-12
    assert np.abs(ends[0] - ends[2]).max() <= 1e-12
    assert np.abs(ends[0][:, 3]).max() > 0.5


@pytest.mark.parametrize("way", WAYS)
def test_the_wind_grows_with_height(way: str) -> None:
    with World(name=f"wind in a test, {way}") as world:
        Wind(world, way)
        bodies = [
            esper.create_entity(
                Transform(3 * i, y), Velocity(), Shape.circle(0.5), Mass(), GravityScale(0)
            )
            for i, y in enumerate((0.0, 1.0, 4.0))
        ]
        wall = esper.create_entity(Transform(40, 8), Shape.box(1, 1))
        for _ in range(10):
            world.step(0.01)
        speeds = [esper.component_for_entity(body, Velocity).x for body in bodies]
        assert speeds == pytest.approx([0.0, SHEAR * 0.1, 4 * SHEAR * 0.1])
        assert esper.component_for_entity(wall, Transform).x == 40.0


def test_low_towers_stand_and_tall_ones_fall(show: Callable[..., Show]) -> None:
    running = show("custom_system")
    for _ in range(240):
        running.step()
    bodies = np.array(dynamic_bodies(running.world))
    tops = np.cumsum(range(1, 13)) - 1  # the uppermost crate of each tower
    heights = bodies[tops, 1]
    assert heights[:4] == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=0.05)
    assert (heights[4:] < 4.0).all()


def test_it_is_short() -> None:
    assert len(Path(example.__file__).read_text("utf-8").splitlines()) <= 60
