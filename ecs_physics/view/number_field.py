"""A field that a number is typed into."""

from math import floor, log10
from typing import Final

from pyglet.window import key

from ecs_physics.view.binding import Bound, Limits
from ecs_physics.view.canvas import Box, Canvas, shortened, text_width
from ecs_physics.view.controls import Control, Label
from ecs_physics.view.line_editor import LineEditor
from ecs_physics.view.look import NUMBER_SIZE, theme

INSET: Final = 8
"""px. Between a field's border and what is in it."""


class NumberField(Control):
    """A number to type: Enter, Tab or a click elsewhere takes it, Esc leaves it as it was.

    What is no number, or is refused, stays in the field, marked in red with the reason; the value
    keeps what it was. Up and Down change it by a step.

    Args:
        bound: what it changes.
        limits: which numbers are taken.
        label: its name, left of the field.
        unit: written at the field's right end.
        step: of Up and Down; about a tenth of the value where left out.
        prefix: written at the field's left end.
    """

    types_text = True
    base_height = 32.0

    def __init__(
        self,
        bound: Bound,
        limits: Limits,
        label: Label = "",
        unit: str = "",
        step: float | None = None,
        prefix: str = "",
    ) -> None:
        super().__init__(label, unit)
        self._bound = bound
        self._limits = limits
        self._step = step
        self._prefix = prefix
        self._first = 0
        self.editor = LineEditor()
        self.editing = False
        self.value: float = bound.get()
        self.shown = _written(self.value)

    def refresh(self) -> None:
        """Read again what is shown, unless somebody is typing."""
        value = self._bound.get()
        if value == self.value or (value != value and self.value != self.value):
            return
        self.value = value
        if not self.editing:
            self.reason = ""
            self.shown = _written(value)

    def field(self) -> Box:
        """The box that is typed into."""
        left, _, width, _ = self.box
        room = width if not self.words else 0.46 * width
        return (left + width - room, self._top() - 28, room, 26.0)

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        left, bottom, width, height = self.field()
        base = bottom + 8
        if self.words:
            room = self.box[2] - width - 8
            canvas.text(shortened(self.words, room), self.box[0], base, look.text)
        edge = look.faint_text if hovered else look.axis
        edge = look.accent if self.editing else edge
        edge = look.contact if self.reason else edge
        border = 1.6 if self.reason or self.editing else 1.0
        canvas.box((left, bottom, width, height), look.background, edge, 4, border=border)
        end = left + width - INSET
        canvas.text(self.unit, end, base, look.faint_text, NUMBER_SIZE, anchor="right")
        canvas.text(self._prefix, left + INSET, base, look.faint_text, NUMBER_SIZE)
        start, room = self._text_place()
        if self.editing:
            self._paint_typed(canvas, start, bottom, room)
        else:
            ink = look.contact if self.reason else look.text
            canvas.text(shortened(self.shown, room, NUMBER_SIZE), start, base, ink, NUMBER_SIZE)
        self._paint_reason(canvas)

    def _text_place(self) -> tuple[float, float]:
        """Where the number begins, and how much room it has, px."""
        left, _, width, _ = self.field()
        prefix = text_width(self._prefix, NUMBER_SIZE) + 6.0 if self._prefix else 0.0
        unit = text_width(self.unit, NUMBER_SIZE) + 6.0 if self.unit else 0.0
        return left + INSET + prefix, width - 2 * INSET - prefix - unit

    def _paint_typed(self, canvas: Canvas, start: float, bottom: float, room: float) -> None:
        look, editor = theme(), self.editor
        self._first = min(self._first, editor.caret)
        while text_width(editor.text[self._first : editor.caret], NUMBER_SIZE) > room:
            self._first += 1
        seen = editor.text[self._first :]
        while text_width(seen, NUMBER_SIZE) > room:
            seen = seen[:-1]
        low, high = (min(max(each - self._first, 0), len(seen)) for each in editor.selection)
        if low < high:
            left = start + text_width(seen[:low], NUMBER_SIZE)
            width = text_width(seen[low:high], NUMBER_SIZE)
            canvas.box((left, bottom + 4, width, 18), (*look.accent, 90), rounding=2)
        caret = start + text_width(seen[: editor.caret - self._first], NUMBER_SIZE)
        canvas.box((round(caret), bottom + 5, 1.5, 16), look.text)
        canvas.text(seen, start, bottom + 8, look.text, NUMBER_SIZE)

    # -- the mouse --------------------------------------------------------------------------

    def press(self, x: float, y: float) -> None:
        """Put the caret where the mouse is; the first click has selected everything."""
        self.editor.put(self._place_at(x))

    def drag(self, x: float, y: float) -> None:
        """Select from where the mouse went down."""
        self.editor.put(self._place_at(x), select=True)

    def _place_at(self, x: float) -> int:
        start, _ = self._text_place()
        seen = self.editor.text[self._first :]
        edges = [start + text_width(seen[:end], NUMBER_SIZE) for end in range(len(seen) + 1)]
        nearest = min(range(len(edges)), key=lambda place: abs(edges[place] - x))
        return self._first + nearest

    # -- the keyboard -----------------------------------------------------------------------

    def focus(self) -> None:
        """Begin to type; what was refused may be mended."""
        if not self.editing:
            self.editing = True
            self._first = 0
            self.editor.start(self.shown)

    def leave(self) -> None:
        """Take what was typed."""
        if self.editing:
            self.take()
            self.editing = False

    def cancel(self) -> None:
        """Forget what was typed."""
        self.editing = False
        self.reason = ""
        self.value = self._bound.get()
        self.shown = _written(self.value)

    def take(self) -> bool:
        """Change the value to what was typed; or mark it, and say why not."""
        self.shown = self.editor.text
        if not self.reason and self.shown == _written(self.value):
            return True
        try:
            number = self._limits.read(self.shown)
        except ValueError as error:
            self.reason = str(error)
            return False
        return self._change(number)

    def key(self, symbol: int) -> bool:
        """Enter takes the number."""
        if symbol not in (key.ENTER, key.NUM_ENTER):
            return False
        self.take()
        self.editor.start(self.shown)
        return True

    def move(self, motion: int, *, select: bool) -> bool:
        """Move the caret, or change the number by a step."""
        if motion in (key.MOTION_UP, key.MOTION_DOWN):
            if self.take():
                step = self._step or _tenth(self.value, self._limits)
                number = self.value + (step if motion == key.MOTION_UP else -step)
                self._change(self._limits.kept(round(number, 12)))
            self.editor.start(self.shown)
            return True
        before = self.editor.text
        moved = self.editor.move(motion, select=select)
        if self.editor.text != before:
            self.reason = ""
        return moved

    def text(self, text: str) -> None:
        """Type."""
        self.editor.insert(text)
        self.reason = ""

    def _change(self, number: float) -> bool:
        self.reason = self._bound.set(number)
        if not self.reason:
            self.value = self._bound.get()
            self.shown = _written(self.value)
        return not self.reason


def _written(value: float) -> str:
    """The number, so that reading it gives it again where ten digits are enough for that."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.10g}"


def _tenth(value: float, limits: Limits) -> float:
    """A round number near a tenth of `value`."""
    step = float(10.0 ** floor(log10(abs(value)) - 1.0 + 1e-9)) if value else 0.1
    return max(step, 1.0) if limits.whole else step
