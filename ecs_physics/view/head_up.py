"""The words on a window: numbers on top, keys at the bottom, nothing in the middle."""

from collections.abc import Sequence
from typing import Final

import arcade
from pyglet.graphics import Batch

from ecs_physics.view.look import (
    FONT,
    LINE_HEIGHT,
    MARGIN,
    NUMBER_SIZE,
    TEXT_SIZE,
    Rgb,
    Theme,
    points,
    theme,
)

REFRESH_TIME: Final = 0.25
"""s. Between changes of the numbers: reading them takes as long, and laying text out is slow."""
STRIP: Final = 30
"""px. Height of the line of numbers, and of the line of keys."""

NUMBERS: Final = (
    ("time", 118),
    ("step", 112),
    ("bodies", 104),
    ("contacts", 118),
    ("frames", 112),
    ("grid", 104),
)
"""Names of the numbers, and how much room each has, px."""

Key = tuple[str, str]


class HeadUp:
    """The head-up line top left, the colour key below it, and the keys bottom left.

    Args:
        window: to draw on.
        keys: (key, what it does) each; the first few show in one line, all after toggle_keys().
    """

    def __init__(self, window: arcade.Window, keys: Sequence[Key]) -> None:
        self._window = window
        self._keys = list(keys)
        self._values = dict.fromkeys((name for name, _ in NUMBERS), "")
        self._message = ""
        self._colors: list[tuple[str, Rgb]] = []
        self._all_keys = False
        self._age = 0.0
        self._laid_out_for: tuple[int, int, Theme] | None = None
        self._batch = Batch()
        self._texts: list[arcade.Text] = []
        self._numbers: dict[str, arcade.Text] = {}
        self._message_text: arcade.Text | None = None
        self._box = (0, 0)

    @property
    def all_keys(self) -> bool:
        """Whether all keys are listed."""
        return self._all_keys

    @property
    def keys(self) -> list[Key]:
        """(key, what it does) of each key."""
        return list(self._keys)

    def toggle_keys(self) -> None:
        """List all keys, or only the line of them again."""
        self._all_keys = not self._all_keys
        self._laid_out_for = None

    def set_keys(self, keys: Sequence[Key]) -> None:
        """List other keys."""
        self._keys = list(keys)
        self._laid_out_for = None

    def set_message(self, message: str) -> None:
        """Show a word at the right end of the head-up line, such as "paused"; "" for none."""
        if message != self._message:
            self._message = message
            if self._message_text is not None:
                self._message_text.text = message

    def set_color_key(self, colors: Sequence[tuple[str, Rgb]]) -> None:
        """Say below the head-up line what colours mean; an empty list for none."""
        if list(colors) != self._colors:
            self._colors = list(colors)
            self._laid_out_for = None

    def is_due(self, elapsed: float) -> bool:
        """Whether new numbers may be shown, `elapsed` s after it was last asked."""
        self._age += elapsed
        return self._age >= REFRESH_TIME

    def show(
        self, *, time: float, step_ms: float, bodies: int, contacts: int, fps: float, grid: float
    ) -> None:
        """Show new numbers: s, ms, counts, frames a second, and the grid's step in m.

        A time of a step, or frames a second, of 0 are not known yet.
        """
        self._age = 0.0
        self._values = {
            "time": f"{time:.1f} s",
            "step": f"{step_ms:.2f} ms" if step_ms else "-",
            "bodies": f"{bodies}",
            "contacts": f"{contacts}",
            "frames": f"{fps:.0f} /s" if fps else "-",
            "grid": f"{grid:g} m" if grid < 1000.0 else f"{grid / 1000.0:g} km",
        }
        for name, text in self._numbers.items():
            if text.text != self._values[name]:
                text.text = self._values[name]

    def draw(self) -> None:
        """Draw everything, in the window's pixels."""
        here = (*self._window.get_size(), theme())
        if here != self._laid_out_for:
            self._lay_out(*here)
            self._laid_out_for = here
        width, height, look = here
        strip = (*look.background, 200)
        arcade.draw_lbwh_rectangle_filled(0, height - STRIP, width, STRIP, strip)
        arcade.draw_lbwh_rectangle_filled(0, 0, *self._box, strip)
        self._batch.draw()

    def _lay_out(self, width: int, height: int, look: Theme) -> None:
        self._batch = Batch()
        self._texts = []
        self._numbers = {}
        x, y = float(MARGIN), height - STRIP + 10.0
        end = width - 90.0
        for name, room in NUMBERS:
            if x + room > end:
                break
            label = self._text(name, x, y, look.faint_text, NUMBER_SIZE)
            number_x = x + label.content_width + 5.0
            self._numbers[name] = self._text(
                self._values[name], number_x, y, look.text, NUMBER_SIZE
            )
            x += room
        self._message_text = self._text(
            self._message, width - MARGIN, y, look.accent, TEXT_SIZE, anchor="right"
        )
        y -= LINE_HEIGHT + 8.0
        for words, color in self._colors:
            self._text(f"\N{BLACK SQUARE} {words}", MARGIN, y, color, NUMBER_SIZE)
            y -= LINE_HEIGHT
        if self._all_keys:
            self._lay_out_all_keys(look)
        else:
            self._lay_out_key_line(width, look)

    def _lay_out_all_keys(self, look: Theme) -> None:
        y, widest = 10.0, 0.0
        for key, what in reversed(self._keys):
            self._text(key, MARGIN, y, look.accent, NUMBER_SIZE)
            words = self._text(what, MARGIN + 96.0, y, look.text, NUMBER_SIZE)
            widest = max(widest, words.content_width)
            y += LINE_HEIGHT
        self._box = (round(MARGIN + 96.0 + widest + MARGIN), round(y))

    def _lay_out_key_line(self, width: int, look: Theme) -> None:
        x, y = float(MARGIN), 10.0
        for key, what in [("?", "all keys"), *(each for each in self._keys if each[0] != "?")]:
            key_text = self._text(key, x, y, look.accent, NUMBER_SIZE)
            words_x = x + key_text.content_width + 5.0
            words = self._text(what, words_x, y, look.faint_text, NUMBER_SIZE)
            end = words_x + words.content_width
            if end > width - MARGIN:
                for text in (key_text, words):
                    text.text = ""
                break
            x = end + 16.0
        self._box = (width, STRIP)

    def _text(
        self, words: str, x: float, y: float, color: Rgb, size: float, anchor: str = "left"
    ) -> arcade.Text:
        text = arcade.Text(
            words,
            round(x),
            round(y),
            color,
            points(size),
            font_name=FONT,
            anchor_x=anchor,
            batch=self._batch,
        )
        self._texts.append(text)
        return text
