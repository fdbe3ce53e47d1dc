"""A list of demos to choose from, by keyboard or mouse."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar

import arcade
from arcade import key
from pyglet.graphics import Batch

from ecs_physics.view.look import (
    BODY_COLORS,
    FONT,
    MARGIN,
    NUMBER_SIZE,
    TEXT_SIZE,
    Rgb,
    Theme,
    points,
    switch_theme,
    theme,
)

CARD_HEIGHT: Final = 60
"""px."""
GAP: Final = 10
"""px, between cards."""
WIDEST: Final = 900
"""px. Of the list; wider windows keep it in their middle."""
TWO_COLUMNS: Final = 720
"""px. From this width on the list has two columns."""
HEADER: Final = 92
"""px, from the top to the first card."""
FOOTER: Final = 44
"""px, from the last card to the bottom."""
TITLE_SIZE: Final = 26
"""px."""

Box = tuple[float, float, float, float]


class Entry(Protocol):
    """What a menu shows of a demo."""

    @property
    def title(self) -> str:
        """A few words."""
        ...

    @property
    def description(self) -> str:
        """One line."""
        ...


AnyEntry = TypeVar("AnyEntry", bound=Entry)


class MenuView(arcade.View, Generic[AnyEntry]):
    """Lists demos; arrow keys and Enter, or a click, open one; Esc closes the window.

    Args:
        entries: what to list, each with `title` and `description`.
        open_entry: called with the entry that was chosen.
        title: above the list, and of the window.
        window: to show it in; the current one where left out.
    """

    def __init__(
        self,
        entries: Sequence[AnyEntry],
        open_entry: Callable[[AnyEntry], object],
        title: str = "ecs_physics",
        window: arcade.Window | None = None,
    ) -> None:
        if not entries:
            raise ValueError("entries is empty: give a menu at least one entry")
        super().__init__(window)
        self.entries = list(entries)
        self.title = title
        self.picked = 0
        self._open = open_entry
        self._first_line = 0
        self._laid_out_for: tuple[int, int, Theme, int] | None = None
        self._batch = Batch()
        self._texts: list[arcade.Text] = []
        self._boxes: dict[int, Box] = {}

    # -- choosing ---------------------------------------------------------------------------

    def pick(self, number: int) -> None:
        """Mark entry `number` (kept within the list), and scroll it into view."""
        self.picked = min(max(number, 0), len(self.entries) - 1)
        line = self.picked // self._columns()
        lines = self._lines_shown()
        self._first_line = min(max(self._first_line, line - lines + 1), line)

    def entry_at(self, x: float, y: float) -> int | None:
        """The number of the entry whose card covers the pixel."""
        self._lay_out_if_needed()
        for number, (left, bottom, width, height) in self._boxes.items():
            if left <= x < left + width and bottom <= y < bottom + height:
                return number
        return None

    def open_picked(self) -> None:
        """Open the marked entry."""
        self._open(self.entries[self.picked])

    # -- what arcade calls ------------------------------------------------------------------

    def on_show_view(self) -> None:
        """Take the window over."""
        self.window.set_caption(self.title)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Move the mark, or open."""
        columns = self._columns()
        steps = {key.UP: -columns, key.DOWN: columns, key.LEFT: -1, key.RIGHT: 1}
        if symbol in steps:
            moved = self.picked + steps[symbol]
            if 0 <= moved < len(self.entries):
                self.pick(moved)
        elif symbol == key.HOME:
            self.pick(0)
        elif symbol == key.END:
            self.pick(len(self.entries) - 1)
        elif symbol in (key.ENTER, key.NUM_ENTER, key.SPACE):
            self.open_picked()
        elif symbol == key.T:
            switch_theme()
        elif symbol == key.ESCAPE:
            self.window.close()

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        """Mark what the mouse points at."""
        number = self.entry_at(x, y)
        if number is not None:
            self.picked = number

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Open what is clicked."""
        number = self.entry_at(x, y)
        if button == arcade.MOUSE_BUTTON_LEFT and number is not None:
            self.picked = number
            self.open_picked()

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Scroll a list that is longer than the window."""
        last = self._lines() - self._lines_shown()
        self._first_line = min(max(self._first_line - round(scroll_y), 0), max(last, 0))

    def on_draw(self) -> None:
        """Draw the list."""
        self._lay_out_if_needed()
        look = theme()
        self.window.default_camera.use()
        self.window.clear(color=look.background)
        for number, (left, bottom, width, height) in self._boxes.items():
            picked = number == self.picked
            color = look.panel_picked if picked else look.panel
            arcade.draw_lbwh_rectangle_filled(left, bottom, width, height, color)
            stripe = BODY_COLORS[number % len(BODY_COLORS)]
            arcade.draw_lbwh_rectangle_filled(left, bottom, 8 if picked else 4, height, stripe)
            if picked:
                arcade.draw_lbwh_rectangle_outline(left, bottom, width, height, stripe, 1.5)
        self._batch.draw()

    # -- inside -----------------------------------------------------------------------------

    def _columns(self) -> int:
        return 2 if self.window.width >= TWO_COLUMNS and len(self.entries) > 4 else 1

    def _lines(self) -> int:
        return -(-len(self.entries) // self._columns())

    def _lines_shown(self) -> int:
        room = self.window.height - HEADER - FOOTER + GAP
        return max(1, int(room // (CARD_HEIGHT + GAP)))

    def _lay_out_if_needed(self) -> None:
        width, height = self.window.get_size()
        here = (width, height, theme(), self._first_line)
        if here != self._laid_out_for:
            self._laid_out_for = here
            self._lay_out(width, height, theme())

    def _lay_out(self, width: int, height: int, look: Theme) -> None:
        self._batch = Batch()
        self._texts = []
        self._boxes = {}
        columns = self._columns()
        list_width = min(width - 2 * MARGIN, WIDEST)
        left = 0.5 * (width - list_width)
        card_width = (list_width - GAP * (columns - 1)) / columns
        self._text(self.title, left, height - 50, look.text, TITLE_SIZE, bold=True)
        shown = range(
            self._first_line * columns,
            min((self._first_line + self._lines_shown()) * columns, len(self.entries)),
        )
        for place, number in enumerate(shown):
            line, column = divmod(place, columns)
            x = left + column * (card_width + GAP)
            y = height - HEADER - (line + 1) * (CARD_HEIGHT + GAP) + GAP
            self._boxes[number] = (x, y, card_width, CARD_HEIGHT)
            entry = self.entries[number]
            room = card_width - 36
            self._text(entry.title, x + 20, y + 35, look.text, TEXT_SIZE, bold=True, room=room)
            self._text(entry.description, x + 20, y + 14, look.faint_text, 13, room=room)
        hidden = len(self.entries) - len(shown)
        words = "arrows and Enter, or the mouse   \N{MIDDLE DOT}   T light or dark   "
        words += "\N{MIDDLE DOT}   Esc closes"
        if hidden:
            words = f"{hidden} more: scroll   \N{MIDDLE DOT}   {words}"
        self._text(words, left, 16, look.faint_text, NUMBER_SIZE, room=list_width)

    def _text(
        self,
        words: str,
        x: float,
        y: float,
        color: Rgb,
        size: float,
        *,
        bold: bool = False,
        room: float | None = None,
    ) -> None:
        text = arcade.Text(
            words,
            round(x),
            round(y),
            color,
            points(size),
            font_name=FONT,
            bold=bold,
            batch=self._batch,
        )
        while room is not None and text.content_width > room and len(text.text) > 2:
            keep = int(len(text.text) * room / text.content_width) - 2
            text.text = text.text[: max(keep, 1)].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
        self._texts.append(text)
