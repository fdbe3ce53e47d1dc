"""Fixtures for all rooms: an esper world for each test, and one window for all tests."""

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import esper
import pytest

if TYPE_CHECKING:
    import arcade

_serial = itertools.count(1)

WINDOW_SIZE = (800, 600)


@pytest.fixture(autouse=True)
def esper_world() -> Iterator[str]:
    """A new esper world, current during the test; worlds that the test made go with it."""
    before = set(esper.list_worlds())
    name = f"test {next(_serial)}"
    esper.switch_world(name)
    yield name
    esper.switch_world("default")
    for each in set(esper.list_worlds()) - before - {"default"}:
        esper.delete_world(each)


@pytest.fixture(scope="session")
def session_window() -> Iterator["arcade.Window"]:
    """The one window; on a virtual screen where there is no display."""
    from ecs_physics.view.screen import NoScreenError, open_window

    try:
        window = open_window(*WINDOW_SIZE, "tests")
    except NoScreenError as error:
        if os.environ.get("REQUIRE_WINDOW") == "1":
            pytest.fail(f"REQUIRE_WINDOW=1, but {error}")
        pytest.skip(str(error))
    window.dispatch_events()
    window._enable_event_queue = False  # as pyglet.app.run() does: events arrive at once
    yield window
    window.close()


@pytest.fixture
def window(session_window: "arcade.Window") -> Iterator["arcade.Window"]:
    """The window, as new: its size, its camera, no view, the dark theme."""
    import arcade

    from ecs_physics.view.look import use_theme
    from tests.resizing import resize

    window = session_window
    use_theme("dark")
    window.switch_to()
    arcade.set_window(window)
    window.hide_view()
    if window.get_size() != WINDOW_SIZE:
        resize(window, WINDOW_SIZE)
    window.ctx.reset()
    window.default_camera.use()
    window.clear()
    yield window
    window.hide_view()
    window.flip()
