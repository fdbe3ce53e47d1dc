"""The lamp's light ends on what there is, and the laser is reflected as by mirrors."""

from collections.abc import Callable
from math import hypot
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Transform, World
from games.menu.show import Show
from games.rays import CANNON, HEIGHT, REFLECTIONS, WIDTH, Rays


@pytest.fixture
def rays(show: Callable[..., Show]) -> Rays:
    running = show("rays")
    for _ in range(60):
        running.step()
    demo: Any = running.demo
    return demo


def test_light_ends_on_bodies_and_never_outside_the_room(rays: Rays) -> None:
    assert (rays.light["entity"] != 0).all()
    assert np.abs(rays.light["x"]).max() <= 0.5 * WIDTH + 1e-9
    assert rays.light["y"].min() >= -1e-9
    assert rays.light["y"].max() <= HEIGHT + 1e-9
    assert len(rays.seen()) > 5
    walls = min(rays.world.entities())
    for hit in rays.light[::40]:
        if hit["entity"] != walls:
            covering = rays.world.bodies_at(
                hit["x"] - 1e-6 * hit["normal_x"], hit["y"] - 1e-6 * hit["normal_y"]
            )
            assert hit["entity"] in covering


def test_the_laser_turns_at_each_mirror_by_the_same_angle(rays: Rays) -> None:
    assert len(rays.laser) == REFLECTIONS
    places = [CANNON, *((hit.x, hit.y) for hit in rays.laser)]
    ways = np.diff(np.array(places), axis=0)
    ways /= np.hypot(*ways.T)[:, None]
    for before, after, hit in zip(ways, ways[1:], rays.laser, strict=False):
        normal = np.array([hit.normal_x, hit.normal_y])
        assert before @ normal == pytest.approx(-(after @ normal), abs=1e-9)
        assert before @ normal < 0.0


def test_the_mouse_carries_the_lamp(rays: Rays) -> None:
    before = rays.lamp
    assert rays.on_press(3.0, 4.0)
    rays.on_step(1 / 60)
    assert rays.lamp == (3.0, 4.0)
    near = np.hypot(rays.light["x"] - 3.0, rays.light["y"] - 4.0)
    assert near.min() < 4.5
    rays.on_drag(5.0, 6.0)
    rays.on_release(5.0, 6.0)
    rays.on_step(1 / 60)
    assert hypot(rays.lamp[0] - before[0], rays.lamp[1] - before[1]) < 1.0


@pytest.mark.parametrize("count", [0, 10_001, 2.5, "many"])
def test_a_count_that_makes_no_sense_is_refused(count: Any) -> None:
    with World(name=f"rays in a test, {count}") as world:
        with pytest.raises(ValueError, match="count = "):
            Rays(world, count)
        world.close()


def test_few_rays_do_as_well() -> None:
    with World(name="few rays in a test") as world:
        demo = Rays(world, 4)
        demo.fill()
        assert len(demo.light) == 4
        assert esper.component_for_entity(min(world.entities()), Transform).x == 0.0
        world.close()
