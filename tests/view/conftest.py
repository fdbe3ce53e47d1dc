"""Fixtures for tests in a window."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import arcade
import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_physics import World
from ecs_physics.view import SimulationView
from ecs_physics.view.record import picture


@dataclass
class Stage:
    """A view in the window, and hands and eyes for it."""

    window: arcade.Window
    view: SimulationView

    def frame(self, count: int = 1, elapsed: float = 1.0 / 60.0) -> None:
        """Let `count` frames pass, and draw the last one."""
        for _ in range(count):
            self.send("on_update", elapsed)
        self.send("on_draw")

    def send(self, event: str, *arguments: Any) -> None:
        """Send an event as the window would."""
        self.window.dispatch_event(event, *arguments)

    def press_key(self, symbol: int) -> None:
        self.send("on_key_press", symbol, 0)
        self.send("on_key_release", symbol, 0)

    def pixels(self) -> NDArray[np.int64]:
        """The picture as (height, width, 3), row 0 at the bottom."""
        self.send("on_draw")
        return np.asarray(picture(self.window), np.int64)[::-1]

    def color_at(self, x: float, y: float) -> tuple[int, int, int]:
        """The colour of the pixel that shows a point of the world."""
        column, row = self.view.camera.to_screen(x, y)
        red, green, blue = self.pixels()[int(row), int(column)]
        return int(red), int(green), int(blue)

    def pixel_of(self, x: float, y: float) -> tuple[int, int]:
        column, row = self.view.camera.to_screen(x, y)
        return round(column), round(row)

    def look_at(self, x: float, y: float, zoom: float) -> None:
        self.view.camera.move_to(x, y, zoom)
        self.view.camera.snap()


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.close()


@pytest.fixture
def show(window: arcade.Window) -> Callable[..., Stage]:
    """Show a world in the window: show(world, ...) takes what SimulationView takes."""

    def show_view(world: World, kind: type[SimulationView] = SimulationView, **given: Any) -> Stage:
        view = kind(world, window=window, **given)
        window.show_view(view)
        return Stage(window, view)

    return show_view
