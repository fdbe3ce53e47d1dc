"""The faint metre grid behind the scene; its step changes with zoom."""

from math import floor, log10
from typing import Final

import arcade
import numpy as np

from ecs_physics.view.camera import Camera
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import theme

FINEST: Final = 10.0
"""px. Lines nearer together than this are not drawn."""
CLEAR: Final = 60.0
"""px. Lines this far apart are drawn in full strength; in between they fade in."""
NAMED: Final = 20.0
"""px. The grid's step is that of the finest lines at least this far apart."""


def step_of(camera: Camera) -> float:
    """The grid's step, m: the smallest power of ten that is at least NAMED px."""
    step = float(10.0 ** floor(log10(NAMED * camera.pixel)))
    while step < NAMED * camera.pixel:
        step *= 10.0
    return step


class Grid:
    """The grid, finer lines that fade in, coarser ones, and the world's axes.

    It is laid out anew only when the camera has moved.
    """

    def __init__(self, context: arcade.ArcadeContext) -> None:
        self._lines = LineBatch(context)
        self._drawn_for: tuple[object, ...] = ()

    def draw(self, camera: Camera) -> None:
        """Draw the grid behind all else."""
        look = theme()
        here = (camera.x, camera.y, camera.pixel, camera.width, camera.height, look)
        if here == self._drawn_for:
            self._lines.draw_again(camera)
            return
        self._drawn_for = here
        named = step_of(camera)
        for step in (0.1 * named, named, 10.0 * named):
            apart = step / camera.pixel
            strength = min(max((apart - FINEST) / (CLEAR - FINEST), 0.0), 1.0)
            if strength > 0.0:
                _add_grid(self._lines, camera, step, (*look.grid, round(255.0 * strength)))
        low, high = camera.lower, camera.upper
        if low[0] <= 0.0 <= high[0]:
            self._lines.add((0.0, low[1]), (0.0, high[1]), look.axis)
        if low[1] <= 0.0 <= high[1]:
            self._lines.add((low[0], 0.0), (high[0], 0.0), look.axis)
        self._lines.draw(camera)


def _add_grid(
    lines: LineBatch, camera: Camera, step: float, color: tuple[int, int, int, int]
) -> None:
    (left, bottom), (right, top) = camera.lower, camera.upper
    x = np.arange(np.floor(left / step), np.ceil(right / step) + 1.0) * step
    y = np.arange(np.floor(bottom / step), np.ceil(top / step) + 1.0) * step
    lines.add(
        np.stack((x, np.full_like(x, bottom)), axis=1),
        np.stack((x, np.full_like(x, top)), axis=1),
        color,
    )
    lines.add(
        np.stack((np.full_like(y, left), y), axis=1),
        np.stack((np.full_like(y, right), y), axis=1),
        color,
    )
