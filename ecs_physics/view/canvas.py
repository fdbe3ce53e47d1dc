"""A sheet of boxes, lines, curves and words in pixels, drawn in two calls until it changes."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import arcade
import numpy as np
import pyglet
from numpy.typing import NDArray
from pyglet.graphics import Batch

from ecs_physics.view.gpu import GrowingBuffer, unit_quad
from ecs_physics.view.look import FONT, TEXT_SIZE, points

Box = tuple[float, float, float, float]
"""Left, bottom, width, height, px."""
Paint = tuple[int, ...]
"""(red, green, blue) or (red, green, blue, alpha), 0 to 255."""

PIECE: Final = np.dtype(
    [
        ("place", "f4", 4),  # x, y of its middle, px; cosine and sine of its axis
        ("size", "f4", 4),  # half width, half height, rounding, width of the edge, px
        ("fill", "u1", 4),
        ("edge", "u1", 4),
    ]
)

VERTEX_SHADER: Final = """#version 330
uniform vec2 scale;    // clip units a pixel
uniform float lift;    // px, that all is moved up
in vec2 in_corner;
in vec4 in_place;
in vec4 in_size;
in vec4 in_fill;
in vec4 in_edge;
out vec2 v_place;      // px, from the middle
flat out vec4 v_size;
flat out vec4 v_fill;
flat out vec4 v_edge;
void main() {
    v_place = in_corner * (in_size.xy + 1.0);
    v_size = in_size;
    v_fill = in_fill;
    v_edge = in_edge;
    vec2 axis = in_place.zw;
    vec2 at = in_place.xy + axis * v_place.x + vec2(-axis.y, axis.x) * v_place.y;
    gl_Position = vec4((at + vec2(0.0, lift)) * scale - 1.0, 0.0, 1.0);
}"""

FRAGMENT_SHADER: Final = """#version 330
in vec2 v_place;
flat in vec4 v_size;
flat in vec4 v_fill;
flat in vec4 v_edge;
uniform float ratio;   // pixels of the screen a pixel of the window
out vec4 color;
void main() {
    vec2 beyond = abs(v_place) - v_size.xy + v_size.z;
    float outside = length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - v_size.z;
    float inside = clamp(0.5 - (outside + v_size.w) * ratio, 0.0, 1.0);
    vec4 paint = v_size.w > 0.0 ? mix(v_edge, v_fill, inside) : v_fill;
    color = vec4(paint.rgb, paint.a * clamp(0.5 - outside * ratio, 0.0, 1.0));
}"""


@lru_cache(maxsize=2048)
def text_width(words: str, size: float = TEXT_SIZE, bold: bool = False) -> float:
    """Width of a line of text, px."""
    font = pyglet.font.load(FONT, points(size), weight="bold" if bold else "normal", dpi=96)
    glyphs, _ = font.get_glyphs(words)
    return float(sum(glyph.advance for glyph in glyphs))


def shortened(words: str, room: float, size: float = TEXT_SIZE, bold: bool = False) -> str:
    """`words`, cut with three dots where they are wider than `room` px."""
    if text_width(words, size, bold) <= room:
        return words
    keep = len(words)
    while keep > 1 and text_width(words[:keep] + "\N{HORIZONTAL ELLIPSIS}", size, bold) > room:
        keep -= 1
    return words[:keep].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def wrapped(words: str, room: float, size: float = TEXT_SIZE) -> list[str]:
    """`words` in lines of at most `room` px; a longer word is cut."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(shortened(word, room, size))
    return lines


def is_in(box: Box, x: float, y: float) -> bool:
    """Whether the box covers a pixel."""
    left, bottom, width, height = box
    return left <= x < left + width and bottom <= y < bottom + height


class Canvas:
    """Painted anew between begin() and end(), drawn as often as one likes.

    Boxes and lines are one buffer in the order that they were painted in; words come on top.
    Laying out text is slow, so a text is kept for as long as its part() paints the same words.
    """

    def __init__(self, window: arcade.Window) -> None:
        self._window = window
        context = window.ctx
        self._context = context
        self._program = context.program(
            vertex_shader=VERTEX_SHADER, fragment_shader=FRAGMENT_SHADER
        )
        self._buffer = GrowingBuffer(
            context,
            PIECE,
            "4f 4f 4f1 4f1",
            ["in_place", "in_size", "in_fill", "in_edge"],
            corners=unit_quad(context),
        )
        self._batch = Batch()
        self._texts: dict[Hashable, arcade.Text] = {}
        self._styles: dict[Hashable, tuple[Any, ...]] = {}
        self._painted: set[Hashable] = set()
        self._pieces: list[Any] = []
        self._chunks: list[np.ndarray[Any, Any]] = []
        self._part: Hashable = None
        self._number = 0

    def begin(self) -> None:
        """Begin to paint anew."""
        self._pieces = []
        self._chunks = []
        self._painted = set()
        self.part(None)

    def part(self, name: Hashable) -> None:
        """What is painted next belongs to `name`, so that its words are found again."""
        self._part = name
        self._number = 0

    def box(
        self,
        box: Box,
        fill: Paint,
        edge: Paint | None = None,
        rounding: float = 0.0,
        *,
        border: float = 1.0,
    ) -> None:
        """Paint a rectangle, with round corners and an edge inside of it where asked for."""
        left, bottom, width, height = box
        half = (0.5 * width, 0.5 * height)
        place = (left + half[0], bottom + half[1], 1.0, 0.0)
        size = (*half, min(rounding, *half), border if edge else 0.0)
        self._pieces.append((place, size, _rgba(fill), _rgba(edge or fill)))

    def dot(
        self, x: float, y: float, radius: float, fill: Paint, edge: Paint | None = None
    ) -> None:
        """Paint a disc around (x, y)."""
        self.box((x - radius, y - radius, 2.0 * radius, 2.0 * radius), fill, edge, radius)

    def curves(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        colors: Sequence[Paint],
        width: float = 1.0,
    ) -> None:
        """Paint straight lines from each place to the next, with round joints.

        `x` (n,) is shared by the curves `y` (number of curves, n), each of its own color; the
        last is on top. A place that is not finite leaves a gap.
        """
        step_x, step_y = np.diff(x), np.diff(y)
        length = np.hypot(step_x, step_y)
        inverse = 1.0 / np.maximum(length, 1e-9)
        pieces = np.empty(length.shape, PIECE)
        place, size = pieces["place"], pieces["size"]
        place[..., 0] = 0.5 * (x[:-1] + x[1:])
        place[..., 1] = 0.5 * (y[:, :-1] + y[:, 1:])
        place[..., 2] = step_x * inverse
        place[..., 3] = step_y * inverse
        size[..., 0] = 0.5 * length + 0.5 * width
        size[..., 1:] = (0.5 * width, 0.5 * width, 0.0)
        pieces["fill"] = pieces["edge"] = np.array([_rgba(color) for color in colors])[
            :, np.newaxis
        ]
        gaps = ~np.isfinite(length)
        self._flush()
        self._chunks.append(pieces[~gaps] if gaps.any() else pieces.ravel())

    def line(self, places: list[tuple[float, float]], color: Paint, width: float = 1.0) -> None:
        """Paint straight lines from one of `places` to the next."""
        for (x0, y0), (x1, y1) in pairwise(places):
            length = float(np.hypot(x1 - x0, y1 - y0))
            axis = ((x1 - x0) / length, (y1 - y0) / length) if length else (1.0, 0.0)
            place = (0.5 * (x0 + x1), 0.5 * (y0 + y1), *axis)
            size = (0.5 * (length + width), 0.5 * width, 0.5 * width, 0.0)
            self._pieces.append((place, size, _rgba(color), _rgba(color)))

    def text(
        self,
        words: str,
        x: float,
        y: float,
        color: Paint,
        size: float = TEXT_SIZE,
        *,
        bold: bool = False,
        anchor: str = "left",
    ) -> None:
        """Paint words whose base line begins, has its middle or ends (`anchor`) at (x, y)."""
        name = (self._part, self._number)
        self._number += 1
        if not words:
            return
        if anchor == "center":  # whole pixels, so that letters stay sharp
            x -= 0.5 * text_width(words, size, bold)
            anchor = "left"
        style = (round(x), round(y), words, _rgba(color), size, bold, anchor)
        self._painted.add(name)
        old = self._styles.get(name)
        if old == style:
            return
        self._styles[name] = style
        if old is None or old[4:] != style[4:]:
            self._texts[name] = arcade.Text(
                words,
                style[0],
                style[1],
                style[3],
                points(size),
                font_name=FONT,
                bold=bold,
                anchor_x=anchor,
                batch=self._batch,
            )
            return
        text = self._texts[name]
        if old[2] != words:
            text.text = words
        if old[3] != style[3]:
            text.color = style[3]
        if old[:2] != style[:2]:
            text.position = style[:2]

    def end(self) -> None:
        """Send what was painted to the graphics card, and drop words that are gone."""
        self._flush()
        empty = np.zeros(0, PIECE)
        self._buffer.write(np.concatenate(self._chunks) if self._chunks else empty)
        for name in self._texts.keys() - self._painted:
            del self._texts[name]
            del self._styles[name]

    def draw(
        self,
        lift: float = 0.0,
        clip: Box | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Draw what was painted.

        Args:
            lift: px, that all is moved up.
            clip: draw nothing outside of it.
            size: px, of a picture that is drawn into instead of the window; its camera is used.
        """
        width, height = size or self._window.get_size()
        self._program["scale"] = (2.0 / width, 2.0 / height)
        self._program["lift"] = float(lift)
        self._program["ratio"] = 1.0 if size else self._window.get_pixel_ratio()
        target = self._context.active_framebuffer
        if clip is not None:
            left, bottom, clip_width, clip_height = clip
            target.scissor = (round(left), round(bottom), round(clip_width), round(clip_height))
        try:
            with self._context.enabled(self._context.BLEND):
                self._buffer.render(self._program)
            if self._texts:
                self._draw_texts(lift, clip, in_window=size is None)
        finally:
            if clip is not None:
                target.scissor = None

    def _draw_texts(self, lift: float, clip: Box | None, *, in_window: bool) -> None:
        if not in_window or lift == 0.0:
            self._batch.draw()
            return
        width, height = self._window.get_size()
        camera = arcade.Camera2D(window=self._window)
        camera.position = (0.5 * width, 0.5 * height - lift)
        camera.scissor = None if clip is None else arcade.LBWH(*clip)  # it would lift the other
        with camera.activate():
            self._batch.draw()

    def _flush(self) -> None:
        if self._pieces:
            self._chunks.append(np.array(self._pieces, PIECE))
            self._pieces = []


def _rgba(color: Paint) -> tuple[int, int, int, int]:
    red, green, blue, *alpha = color
    return red, green, blue, alpha[0] if alpha else 255
