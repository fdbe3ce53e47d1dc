"""Lines and dots of a width in pixels at places in metres, drawn in one call."""

from typing import Any, Final

import arcade
import numpy as np
from numpy.typing import ArrayLike

from ecs_physics.view.camera import Camera
from ecs_physics.view.gpu import GrowingBuffer, unit_quad

LINE: Final = np.dtype(
    [
        ("start", "f4", 2),  # m, from the camera
        ("end", "f4", 2),
        ("width", "f4"),  # px
        ("color", "u1", 4),
    ]
)

VERTEX_SHADER: Final = """#version 330
uniform vec2 scale;    // clip units a metre
uniform float pixel;   // m
in vec2 in_corner;
in vec4 in_ends;
in float in_width;
in vec4 in_color;
out vec2 v_place;      // px along and across the line
flat out float v_length;
flat out float v_half;
flat out vec4 v_color;
void main() {
    vec2 start = in_ends.xy, along = in_ends.zw - in_ends.xy;
    float len = length(along);
    vec2 axis = len > 0.0 ? along / len : vec2(1.0, 0.0);
    v_length = len / pixel;
    v_half = 0.5 * in_width;
    v_color = in_color;
    float reach = v_half + 1.0;
    v_place = vec2(0.5 * v_length + in_corner.x * (0.5 * v_length + reach), in_corner.y * reach);
    vec2 at = start + pixel * (axis * v_place.x + vec2(-axis.y, axis.x) * v_place.y);
    gl_Position = vec4(at * scale, 0.0, 1.0);
}"""

FRAGMENT_SHADER: Final = """#version 330
in vec2 v_place;
flat in float v_length;
flat in float v_half;
flat in vec4 v_color;
uniform float ratio;   // pixels of the screen a pixel of the window
out vec4 color;
void main() {
    float outside = max(max(-v_place.x, v_place.x - v_length), 0.0);
    float distance = (length(vec2(outside, v_place.y)) - v_half) * ratio;
    color = vec4(v_color.rgb, v_color.a * clamp(0.5 - distance, 0.0, 1.0));
}"""


class LineBatch:
    """Collects lines and dots with round ends, then draws them all in one call.

    Places are float64 metres; the camera's position is subtracted before they become float32.
    """

    def __init__(self, context: arcade.ArcadeContext) -> None:
        self._context = context
        self._program = context.program(
            vertex_shader=VERTEX_SHADER, fragment_shader=FRAGMENT_SHADER
        )
        self._buffer = GrowingBuffer(
            context,
            LINE,
            "4f 1f 4f1",
            ["in_ends", "in_width", "in_color"],
            corners=unit_quad(context),
        )
        self._starts: list[np.ndarray[Any, Any]] = []
        self._ends: list[np.ndarray[Any, Any]] = []
        self._styles: list[tuple[int, float, tuple[int, ...]]] = []

    def add(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        color: tuple[int, ...],
        width: float = 1.0,
    ) -> None:
        """Add lines from `starts` to `ends`, each (n, 2) or one (x, y), m; `width` in px.

        `color` is (red, green, blue) or (red, green, blue, alpha), 0 to 255.
        """
        first = np.asarray(starts, np.float64).reshape(-1, 2)
        last = np.asarray(ends, np.float64).reshape(-1, 2)
        if len(first) != len(last):
            raise ValueError(f"{len(first)} starts and {len(last)} ends: give as many of each")
        if len(first) == 0:
            return
        self._starts.append(first)
        self._ends.append(last)
        self._styles.append((len(first), width, color if len(color) == 4 else (*color, 255)))

    def add_dots(self, places: ArrayLike, color: tuple[int, ...], diameter: float = 6.0) -> None:
        """Add dots at `places`, (n, 2) or one (x, y), m; `diameter` in px."""
        self.add(places, places, color, diameter)

    def draw(self, camera: Camera) -> None:
        """Draw what was added since the last draw(), and forget it."""
        if not self._starts:
            return
        here = (camera.x, camera.y)
        counts = [count for count, _, _ in self._styles]
        lines = np.empty(sum(counts), LINE)
        lines["start"] = np.concatenate(self._starts) - here
        lines["end"] = np.concatenate(self._ends) - here
        lines["width"] = np.repeat([width for _, width, _ in self._styles], counts)
        lines["color"] = np.repeat([color for _, _, color in self._styles], counts, axis=0)
        self._starts.clear()
        self._ends.clear()
        self._styles.clear()
        self._buffer.write(lines)
        self.draw_again(camera)

    def draw_again(self, camera: Camera) -> None:
        """Draw once more what the last draw() drew, for a camera that has not moved since."""
        zoom = 2.0 * camera.zoom
        self._program["scale"] = (zoom / camera.width, zoom / camera.height)
        self._program["pixel"] = camera.pixel
        self._program["ratio"] = camera.pixel_ratio
        with self._context.enabled(self._context.BLEND):
            self._buffer.render(self._program)
