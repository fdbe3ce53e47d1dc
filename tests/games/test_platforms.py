"""Platforms: its route plays it, and the mouse can."""

from collections.abc import Callable

import esper
import pytest

from ecs_physics import Transform, Velocity, World
from games.menu.show import Show
from games.platforms import Platforms


def test_the_route_of_its_film_finds_all_coins(show: Callable[..., Show]) -> None:
    with show("platforms", **Platforms.FILM) as running:
        for _ in range(1500):
            running.step()
        assert running.demo.answer() == {"coins": 6}
        assert running.demo.words() == "All coins found"


def test_the_mouse_walks_jumps_and_stops(show: Callable[..., Show]) -> None:
    with show("platforms") as running:
        game = running.demo
        assert isinstance(game, Platforms)
        with running.world:
            hero = esper.component_for_entity(game.hero, Transform)
            running.step()
            assert game.on_press(2.0, 0.6)
            running.step()
            for _ in range(200):
                running.step()
            assert hero.x == pytest.approx(2.0, abs=0.05)
            game.on_drag(-1.0, 0.6)
            for _ in range(200):
                running.step()
            assert hero.x == pytest.approx(-1.0, abs=0.05)
            game.on_drag(-0.5, 9.0)
            running.step()
            game.on_release(-0.5, 9.0)
            for _ in range(120):
                running.step()
            assert hero.y == pytest.approx(2.2, abs=0.01)  # through a ledge and on to it
            game.on_press(-1.0, 0.0)
            running.step()
            game.on_release(-1.0, 0.0)
            for _ in range(60):
                running.step()
            assert hero.y == pytest.approx(0.6, abs=0.01)
            assert esper.component_for_entity(game.hero, Velocity).x == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("route", [3, [[1, 2]], [["a", 1, 2]], "far"])
def test_a_wrong_route_is_refused(route: object) -> None:
    with pytest.raises(ValueError, match="route = "):
        Platforms(World(name=f"route {route}"), route)
