"""The demos in a real window: each opens from the menu, draws, and leads back to it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import esper
import numpy as np
import pytest

from games.knockdown import SLING, Knockdown
from games.menu.catalogue import catalogue, find
from games.menu.show import Show

if TYPE_CHECKING:
    import arcade

    from games.menu.window import DemoView, Player

NAMES = [entry.name for entry in catalogue()]


@pytest.fixture
def player(window: "arcade.Window") -> "Iterator[Player]":
    """The menu, shown."""
    from games.menu.window import Player

    player = Player(catalogue(), window)
    player.open_menu()
    yield player
    window.hide_view()
    player.close()


def pixels(window: "arcade.Window") -> np.ndarray:
    """What was drawn, (height, width, 3)."""
    width, height = window.get_framebuffer_size()
    data = window.ctx.screen.read(viewport=(0, 0, width, height), components=3)
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)[::-1]


def demo_view(window: "arcade.Window") -> "DemoView":
    from games.menu.window import DemoView

    view = window.current_view
    assert isinstance(view, DemoView)
    return view


@pytest.mark.parametrize("name", NAMES)
def test_each_demo_opens_draws_and_leads_back(
    player: "Player", window: "arcade.Window", name: str
) -> None:
    from arcade import key

    worlds = sorted(esper.list_worlds())
    player.menu.pick(NAMES.index(name))
    window.dispatch_event("on_key_press", key.ENTER, 0)
    view = demo_view(window)
    assert window.caption == view.title == find(name, catalogue()).title
    for _ in range(5):
        window.dispatch_event("on_update", 1 / 60)
        window.dispatch_event("on_draw")
    steps_a_frame = getattr(view.stepping, "steps_a_frame", 1)
    assert view.world.time == pytest.approx(5 * steps_a_frame * view.stepping.dt)
    middle = pixels(window)[60:-40].reshape(-1, 3)
    assert len(np.unique(middle, axis=0)) > 8  # bodies, not the grid alone
    window.dispatch_event("on_key_press", key.R, 0)
    assert view.world.time == 0.0
    window.dispatch_event("on_key_press", key.ESCAPE, 0)
    assert window.current_view is player.menu
    assert player.menu.picked == NAMES.index(name)
    assert view.world.closed
    assert sorted(esper.list_worlds()) == worlds
    window.dispatch_event("on_draw")


def test_a_demo_opens_twice(player: "Player", window: "arcade.Window") -> None:
    for _ in range(2):
        player.open(find("seesaw", player.menu.entries), {"gravity": [0, -1]})
        assert demo_view(window).world.gravity == (0.0, -1.0)
        window.dispatch_event("on_draw")
        player.open_menu()


def test_settings_survive_a_restart(player: "Player", window: "arcade.Window") -> None:
    player.open(find("seesaw", player.menu.entries), {"gravity": [0, -1], "substeps": 7})
    view = demo_view(window)
    view.restart()
    assert (view.world.gravity, view.world.substeps) == ((0.0, -1.0), 7)


def test_the_mouse_throws_a_ball(player: "Player", window: "arcade.Window") -> None:
    import arcade

    player.open(find("knockdown", player.menu.entries))
    view = demo_view(window)
    window.dispatch_event("on_draw")
    left = arcade.MOUSE_BUTTON_LEFT
    start = view.camera.to_screen(*SLING)
    end = view.camera.to_screen(SLING[0] - 3.0, SLING[1] - 0.5)
    still = pixels(window)
    window.dispatch_event("on_mouse_press", *start, left, 0)
    moved = (end[0] - start[0], end[1] - start[1])
    window.dispatch_event("on_mouse_drag", *end, *moved, left, 0)
    window.dispatch_event("on_draw")
    assert (pixels(window) != still).any()  # the band and the dots
    game = view.demo
    assert isinstance(game, Knockdown)
    assert game.pull == pytest.approx((-3.0, -0.5))
    window.dispatch_event("on_mouse_release", *end, left, 0)
    assert game.thrown == 1
    for _ in range(30):
        window.dispatch_event("on_update", 1 / 60)
    window.dispatch_event("on_draw")


def test_keys_of_a_demo_replace_those_of_the_view(
    player: "Player", window: "arcade.Window"
) -> None:
    player.open(find("knockdown", player.menu.entries))
    keys = demo_view(window).head_up.keys
    assert [what for key, what in keys if key == "left drag"] == ["pull back, let go to throw"]
    assert ("Esc", "menu") in keys


def test_a_demo_says_where_to_look(player: "Player", window: "arcade.Window") -> None:
    player.open(find("custom_system", player.menu.entries))
    view = demo_view(window)
    assert pytest.approx((view.camera.x, view.camera.y, 800 / view.camera.zoom)) == view.demo.LOOK


def test_the_camera_goes_on_to_a_level_that_looks_elsewhere(
    show: Callable[..., Show], window: "arcade.Window"
) -> None:
    from ecs_physics.levels import read
    from games.menu.window import DemoView

    running = show("knockdown")
    view = DemoView(running, window=window)
    window.show_view(view)
    assert not view.camera.moving
    running.demo.level = read("pyramid")
    view.on_update(1 / 60)
    assert view.camera.target_x == -4.0
    window.hide_view()
