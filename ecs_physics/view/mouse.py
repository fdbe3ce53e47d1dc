"""The mouse in a simulation: the left button pulls a body, the others move the camera."""

from typing import Final

import arcade
import numpy as np

from ecs_physics.systems.drag import Drag
from ecs_physics.tables import DYNAMIC, SLEEPING
from ecs_physics.view.camera import Camera
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import theme
from ecs_physics.world import World

REACH: Final = 6.0
"""px. How far beside a body a click still takes it: thin and small ones are hard to hit."""
ZOOM_STEP: Final = 1.2
"""Factor of one notch of the wheel."""

_AROUND: Final = (
    (0, 0),
    (1, 0),
    (0, 1),
    (-1, 0),
    (0, -1),
    (0.7, 0.7),
    (-0.7, 0.7),
    (-0.7, -0.7),
    (0.7, -0.7),
)


class Mouse:
    """Follows the buttons from press to release, wherever that happens.

    While a button is down its events are taken on top of the window's stack of handlers: a
    panel that swallows the mouse would swallow the release as well, and the body would hang on
    the mouse for ever.
    """

    def __init__(self, window: arcade.Window, world: World, camera: Camera, drag: Drag) -> None:
        self._window = window
        self._world = world
        self._camera = camera
        self._drag = drag
        self._button: int | None = None
        self._pixel = (0.0, 0.0)

    @property
    def button(self) -> int | None:
        """The button that is being followed."""
        return self._button

    def press(self, x: float, y: float, button: int) -> None:
        """Begin to pull the body under the pixel, or to move the camera."""
        if self._button is not None:
            return
        self._pixel = (x, y)
        if button == arcade.MOUSE_BUTTON_LEFT and not self._grab(x, y):
            return
        self._button = button
        self._window.push_handlers(self)

    def let_go(self) -> None:
        """Release whatever is held."""
        self._drag.release()
        if self._button is not None:
            self._button = None
            self._window.remove_handlers(self)

    def scroll(self, x: float, y: float, notches: float) -> None:
        """Zoom at the pixel."""
        self._camera.zoom_at(x, y, ZOOM_STEP**notches)

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        """Pull or pan; the window calls it while a button is down."""
        self._pixel = (x, y)
        if self._button != arcade.MOUSE_BUTTON_LEFT:
            self._camera.pan(dx, dy)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Let go; the window calls it, also when the mouse is outside of it."""
        if button == self._button:
            self.let_go()

    def on_deactivate(self) -> None:
        """Let go where another window comes to the front."""
        self.let_go()

    def update(self) -> None:
        """Pull to where the mouse is now, in a world that moves below it."""
        if self._drag.entity is not None:
            self._drag.move(*self._camera.to_world(*self._pixel))

    def picked_row(self) -> int | None:
        """The row of the body that is pulled."""
        entity = self._drag.entity
        return None if entity is None else self._world.store.row_of(entity)

    def add_line(self, lines: LineBatch, held_at: tuple[float, float]) -> None:
        """Add the thin line from the grabbed point, where it is drawn, to the mouse."""
        mouse = self._camera.to_world(*self._pixel)
        lines.add(held_at, mouse, (*theme().picked, 200), 1.2)
        lines.add_dots([held_at, mouse], theme().picked, 5.0)

    def _grab(self, x: float, y: float) -> bool:
        point = self._camera.to_world(x, y)
        entity = self._body_near(point)
        if entity is None:
            return False
        self._drag.grab(entity, *point)
        return True

    def _body_near(self, point: tuple[float, float]) -> int | None:
        """The dynamic body under the point, or the first one a little beside it."""
        store = self._world.store
        reach = REACH * self._camera.pixel
        for across, up in _AROUND:
            place = (point[0] + reach * across, point[1] + reach * up)
            for entity in self._world.bodies_at(*place, reach):
                if store.bodies["kind"][store.row_of(entity)] in (DYNAMIC, SLEEPING):
                    return entity
        poses = store.transforms[: store.rows]
        far = np.hypot(poses["x"] - point[0], poses["y"] - point[1])
        far[~np.isin(store.bodies["kind"][: store.rows], (DYNAMIC, SLEEPING))] = np.inf
        if len(far) and far.min() < reach:  # smaller than the gaps between those places
            return int(store.bodies["entity"][far.argmin()])
        return None
