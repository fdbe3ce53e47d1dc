"""A camera in metres: what part of the world a window shows, and how it moves there."""

from math import exp, isfinite
from typing import Final

import arcade
import numpy as np
from numpy.typing import ArrayLike

EASE_TIME: Final = 0.09
"""s. In which the camera covers 63% of the way to its target. Longer: it lags; 0: it jumps."""
MIN_ZOOM: Final = 1e-3
"""px/m."""
MAX_ZOOM: Final = 1e5
"""px/m."""
SNAP: Final = 1e-3
"""px. Nearer to its target than this the camera is there."""


class Camera:
    """Shows the world around (x, y) at `zoom` pixels a metre in the middle of a window.

    Positions are float64, so that a world may be 100 km wide: what is drawn gets the camera's
    position subtracted before it becomes float32. Only pan() moves at once, as the scene then
    hangs on the mouse; all else sets a target, which update() eases to. The centre and the
    metres a pixel ease at one rate, so that a point which both views show at the same pixel
    stays there all the way: that is how zoom_at() keeps the world under the cursor.
    """

    def __init__(self, window: arcade.Window, x: float = 0.0, y: float = 0.0, zoom: float = 40.0):
        self.x = self.target_x = x
        self.y = self.target_y = y
        self.pixel = self.target_pixel = 1.0 / zoom
        self._window = window
        self._arcade_camera = arcade.Camera2D(window=window)
        self.width = self.height = 1
        self.pixel_ratio = 1.0
        self.match_window()

    @property
    def zoom(self) -> float:
        """px/m, now; `pixel` is its inverse, m."""
        return 1.0 / self.pixel

    @property
    def moving(self) -> bool:
        """Whether the camera is still on its way to its target."""
        here = (self.x, self.y, self.pixel)
        return here != (self.target_x, self.target_y, self.target_pixel)

    @property
    def lower(self) -> tuple[float, float]:
        """The lower left corner of what is seen, m."""
        return self.to_world(0.0, 0.0)

    @property
    def upper(self) -> tuple[float, float]:
        """The upper right corner of what is seen, m."""
        return self.to_world(self.width, self.height)

    def match_window(self) -> None:
        """Take the window's size; call it whenever that changes."""
        self.width, self.height = self._window.get_size()
        self.pixel_ratio = self._window.get_pixel_ratio()
        self._arcade_camera.match_window()

    def to_world(self, pixel_x: float, pixel_y: float) -> tuple[float, float]:
        """The point of the world, m, under a point of the window, px from its lower left."""
        return (
            self.x + (pixel_x - 0.5 * self.width) * self.pixel,
            self.y + (pixel_y - 0.5 * self.height) * self.pixel,
        )

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """The point of the window, px from its lower left, that shows a point of the world."""
        return (
            0.5 * self.width + (x - self.x) / self.pixel,
            0.5 * self.height + (y - self.y) / self.pixel,
        )

    def move_to(self, x: float, y: float, zoom: float | None = None) -> None:
        """Ease to a new centre, m, and zoom, px/m (as it is where left out).

        Raises:
            ValueError: for a value that is not finite or a zoom that is not above 0.
        """
        for name, value in (("x", x), ("y", y), ("zoom", 1.0 if zoom is None else zoom)):
            if not isfinite(value) or (name == "zoom" and value <= 0.0):
                raise ValueError(f"camera {name} = {value!r}: give a finite number, zoom above 0")
        self.target_x = x
        self.target_y = y
        if zoom is not None:
            self.target_pixel = 1.0 / min(max(zoom, MIN_ZOOM), MAX_ZOOM)

    def snap(self) -> None:
        """Be at the target at once: for a scene's first picture."""
        self.x, self.y, self.pixel = self.target_x, self.target_y, self.target_pixel

    def pan(self, pixels_x: float, pixels_y: float) -> None:
        """Move the scene with the mouse, by so many pixels, at once."""
        self.x -= pixels_x * self.pixel
        self.y -= pixels_y * self.pixel
        self.target_x -= pixels_x * self.target_pixel
        self.target_y -= pixels_y * self.target_pixel

    def zoom_at(self, pixel_x: float, pixel_y: float, factor: float) -> None:
        """Ease to `factor` times the target's zoom; what is under the pixel stays under it."""
        x, y = self.to_world(pixel_x, pixel_y)
        zoom = min(max(factor / self.target_pixel, MIN_ZOOM), MAX_ZOOM)
        self.target_pixel = 1.0 / zoom
        self.target_x = x - (pixel_x - 0.5 * self.width) * self.target_pixel
        self.target_y = y - (pixel_y - 0.5 * self.height) * self.target_pixel

    def fit(self, lower: ArrayLike, upper: ArrayLike, margin: float = 60.0) -> None:
        """Ease to where the box from `lower` to `upper`, m, fills the window but `margin` px."""
        low = np.asarray(lower, np.float64)
        high = np.asarray(upper, np.float64)
        size = np.maximum(high - low, 1e-3)
        room_x = max(self.width - 2.0 * margin, 0.5 * self.width)
        room_y = max(self.height - 2.0 * margin, 0.5 * self.height)
        center = 0.5 * (low + high)
        zoom = min(room_x / float(size[0]), room_y / float(size[1]))
        self.move_to(float(center[0]), float(center[1]), zoom)

    def update(self, elapsed: float) -> None:
        """Come nearer to the target, `elapsed` s after the last time."""
        if not self.moving:
            return
        rest = exp(-max(elapsed, 0.0) / EASE_TIME)
        offset_x = (self.x - self.target_x) * rest
        offset_y = (self.y - self.target_y) * rest
        offset_pixel = (self.pixel - self.target_pixel) * rest
        left = max(abs(offset_x), abs(offset_y), abs(offset_pixel) * max(self.width, self.height))
        if left < SNAP * self.target_pixel:
            self.snap()
            return
        self.x = self.target_x + offset_x
        self.y = self.target_y + offset_y
        self.pixel = self.target_pixel + offset_pixel

    def arcade_camera(self) -> arcade.Camera2D:
        """An arcade camera at the same place, for arcade's own drawing functions, in metres.

        It is float32: far from the origin (beyond some 10 km) draw with a LineBatch instead.
        """
        self._arcade_camera.position = (self.x, self.y)
        self._arcade_camera.zoom = self.zoom
        return self._arcade_camera
