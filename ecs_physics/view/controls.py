"""The controls of a panel: each shows a value that lives elsewhere and asks it to change."""

from collections.abc import Callable, Sequence
from math import ceil, hypot, isfinite, log, log10
from typing import Any, Final

from pyglet.window import key

from ecs_physics.view.binding import Binding, Bound, Limits
from ecs_physics.view.canvas import Box, Canvas, is_in, shortened, text_width, wrapped
from ecs_physics.view.look import NUMBER_SIZE, TEXT_SIZE, Rgb, theme
from ecs_physics.view.ticks import number_text, round_down

REASON_LINE: Final = 16
"""px. Height of a line that says why a value was refused."""
SLIDER_PLACES: Final = 200
"""Round values that a slider without a step stops at, at least."""
THUMB: Final = 7
"""px. Radius of a slider's thumb."""
OPTION_HEIGHT: Final = 26
"""px, of a line in an open choice."""
DIAL_RADIUS: Final = 44
"""px."""

Label = str | Callable[[], str]


class Control:
    """A row of a panel, or a part of one.

    `box` is where it was laid out. A panel calls press, drag and release with the mouse, text,
    move and key while the control has the keyboard, and refresh several times a second.
    """

    focusable = True
    types_text = False
    """Whether keys are text while it has the keyboard."""
    uses_arrows = False
    """Whether arrows, Page, Home and End mean something to it."""
    base_height = 26.0
    """px, without the lines that say why a value was refused."""

    def __init__(self, label: Label = "", unit: str = "") -> None:
        self.label = label
        self.unit = unit
        self.box: Box = (0.0, 0.0, 0.0, 0.0)
        self.reason = ""

    @property
    def words(self) -> str:
        """The label, as it is now."""
        return self.label if isinstance(self.label, str) else self.label()

    def height(self, width: float) -> float:
        """px, of the control where it is `width` px wide."""
        return self.base_height + REASON_LINE * len(self._reason_lines(width))

    def refresh(self) -> None:
        """Read again what is shown."""

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""

    def press(self, x: float, y: float) -> None:
        """The left button went down on it."""

    def drag(self, x: float, y: float) -> None:
        """The mouse moved after a press, maybe to beside it."""

    def release(self, x: float, y: float) -> None:
        """The left button came up after a press, maybe beside it."""

    def focus(self) -> None:
        """It has the keyboard now."""

    def leave(self) -> None:
        """It has the keyboard no more."""

    def key(self, symbol: int) -> bool:
        """A key went down; whether that meant something to it."""
        return False

    def move(self, motion: int, *, select: bool) -> bool:
        """An arrow or another motion key, repeated while held; whether that meant something."""
        return False

    def text(self, text: str) -> None:
        """Text was typed; only where `types_text`."""

    def _reason_lines(self, width: float) -> list[str]:
        return wrapped(self.reason, width, NUMBER_SIZE)[:4] if self.reason else []

    def _top(self) -> float:
        return self.box[1] + self.box[3]

    def _paint_reason(self, canvas: Canvas) -> None:
        left, _, width, _ = self.box
        y = self._top() - self.base_height - REASON_LINE + 5.0
        for line in self._reason_lines(width):
            canvas.text(line, left, y, theme().contact, NUMBER_SIZE)
            y -= REASON_LINE


class Heading(Control):
    """Words above a group of controls."""

    focusable = False
    base_height = 28.0

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        left, bottom, width, _ = self.box
        words = shortened(self.words, width, TEXT_SIZE, True)
        canvas.text(words, left, bottom + 6, theme().accent, TEXT_SIZE, bold=True)
        used = text_width(words, TEXT_SIZE, True) + 10.0
        canvas.box((left + used, bottom + 10, max(width - used, 0.0), 1), theme().axis)


class Readout(Control):
    """A value that is shown and cannot be changed here.

    Args:
        label: its name.
        value: called several times a second; a number or words.
        unit: written behind it.
        step: a number shows the decimals of.
    """

    focusable = False
    base_height = 16.0

    def __init__(
        self, label: Label, value: Callable[[], Any], unit: str = "", step: float | None = None
    ) -> None:
        super().__init__(label, unit)
        self._value = value
        self._step = step
        self.shown = ""

    def refresh(self) -> None:
        """Read again what is shown."""
        value = self._value()
        if isinstance(value, (str, int)) or value is None:
            self.shown = str(value)
        elif self._step is not None and isfinite(value):
            self.shown = number_text(round(value / self._step) * self._step, self._step)
        else:
            self.shown = f"{value:.4g}"

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        _paint_line(canvas, self.box, self._top() - 12, self, self.shown, theme().faint_text)


class LabelLine(Control):
    """The name and the unit of what the next row changes."""

    focusable = False
    base_height = 18.0

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        _paint_line(canvas, self.box, self._top() - 15, self, "", theme().text)


class Slider(Control):
    """A number that a thumb on a track changes: drag it, or arrows, Page and Home or End."""

    uses_arrows = True
    base_height = 40.0

    def __init__(
        self,
        bound: Bound,
        low: float,
        high: float,
        step: float | None = None,
        label: Label = "",
        unit: str = "",
        *,
        logarithmic: bool = False,
    ) -> None:
        super().__init__(label, unit)
        whole = isinstance(bound.get(), int)
        self._limits = Limits(low, high, whole)
        if logarithmic and low <= 0.0:
            raise ValueError(f"low = {low!r} of a logarithmic slider: give a number above 0")
        if step is not None and not (isfinite(step) and step > 0.0):
            raise ValueError(f"step = {step!r}: give a finite number above 0")
        self._bound = bound
        self._low, self._high = float(low), float(high)
        self._step = step or round_down((high - low) / SLIDER_PLACES)
        if whole and step is None:
            self._step = max(1.0, self._step)
        self._logarithmic = logarithmic
        self.value: float = 0.0
        self.refresh()

    def refresh(self) -> None:
        """Read again what is shown."""
        value = self._bound.get()
        if value != self.value and value == value:
            self.reason = ""
        self.value = value

    def fraction(self) -> float:
        """Where the thumb is, from 0 to 1."""
        value = min(max(self.value, self._low), self._high)
        if value != value:
            return 0.0
        if self._logarithmic:
            return log(value / self._low) / log(self._high / self._low)
        return (value - self._low) / (self._high - self._low)

    def track(self) -> Box:
        """The way of the thumb's centre."""
        left, _, width, _ = self.box
        return (left + THUMB, self._top() - 31, width - 2 * THUMB, 4.0)

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        _paint_line(canvas, self.box, self._top() - 15, self, self._shown(), look.text)
        left, bottom, width, height = self.track()
        canvas.box((left - 2, bottom, width + 4, height), look.axis, rounding=2)
        thumb = left + self.fraction() * width
        start = left + width * self._low / (self._low - self._high) if self._low < 0.0 else left
        start = min(start, left + width)
        filled = (min(start, thumb), bottom, abs(thumb - start), height)
        canvas.box(filled, look.accent, rounding=2)
        radius = THUMB + 1.0 if hovered or focused else THUMB
        edge = look.contact if self.reason else look.panel
        canvas.dot(thumb, bottom + 0.5 * height, radius, look.accent, edge)
        self._paint_reason(canvas)

    def press(self, x: float, y: float) -> None:
        """Move the thumb to the mouse."""
        self.drag(x, y)

    def drag(self, x: float, y: float) -> None:
        """Move the thumb with the mouse."""
        left, _, width, _ = self.track()
        part = min(max((x - left) / max(width, 1.0), 0.0), 1.0)
        if self._logarithmic:
            self._change(self._low * (self._high / self._low) ** part)
        else:
            self._change(self._low + part * (self._high - self._low))

    def move(self, motion: int, *, select: bool) -> bool:
        """Move the thumb by a step, by ten, or to an end."""
        steps = {
            key.MOTION_LEFT: -1,
            key.MOTION_DOWN: -1,
            key.MOTION_RIGHT: 1,
            key.MOTION_UP: 1,
            key.MOTION_PREVIOUS_PAGE: 10,
            key.MOTION_NEXT_PAGE: -10,
        }
        if motion in steps:
            self._change(self._stepped(steps[motion]))
        elif motion in (key.MOTION_BEGINNING_OF_LINE, key.MOTION_BEGINNING_OF_FILE):
            self._change(self._low)
        elif motion in (key.MOTION_END_OF_LINE, key.MOTION_END_OF_FILE):
            self._change(self._high)
        else:
            return False
        return True

    def _stepped(self, steps: int) -> float:
        if self._logarithmic:
            value = min(max(self.value, self._low), self._high)
            return value * float((self._high / self._low) ** (steps / 100.0))
        return self.value + steps * self._step

    def _change(self, value: float) -> None:
        if self._logarithmic:
            value = float(f"{value:.2e}")  # three digits
        else:
            value = self._low + round((value - self._low) / self._step) * self._step
            value = round(value, 12)
        self.reason = self._bound.set(self._limits.kept(value))
        self.value = self._bound.get()

    def _shown(self) -> str:
        return f"{self.value:.4g}" if self._logarithmic else number_text(self.value, self._step)


class Check(Control):
    """A value that is on or off: click it, or Space or Enter."""

    def __init__(self, bound: Bound, label: Label = "") -> None:
        super().__init__(label)
        self._bound = bound
        self.refresh()

    def refresh(self) -> None:
        """Read again what is shown."""
        self.value = bool(self._bound.get())

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        left, _, width, _ = self.box
        bottom = self._top() - 22
        edge = look.contact if self.reason else look.faint_text if hovered else look.axis
        square = (left, bottom, 18.0, 18.0)
        canvas.box(square, look.accent if self.value else look.background, edge, 4)
        if self.value:
            hook = [(left + 4, bottom + 9), (left + 8, bottom + 5), (left + 14, bottom + 13)]
            canvas.line(hook, look.panel, 2.2)
        words = shortened(self.words, width - 28)
        canvas.text(words, left + 28, bottom + 4, look.text)
        self._paint_reason(canvas)

    def press(self, x: float, y: float) -> None:
        """Change it."""
        self.reason = self._bound.set(not self.value)
        self.refresh()

    def key(self, symbol: int) -> bool:
        """Change it on Space or Enter."""
        if symbol in (key.SPACE, key.ENTER, key.NUM_ENTER):
            self.press(0.0, 0.0)
            return True
        return False


class Button(Control):
    """Does something: click it, or Space or Enter."""

    base_height = 30.0

    def __init__(self, label: Label, pressed: Callable[[], object]) -> None:
        super().__init__(label)
        self._pressed = pressed
        self._down = False

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        left, bottom, width, _ = self.box
        fill = look.accent if self._down else look.axis if hovered else look.panel_picked
        ink = look.panel if self._down else look.text
        canvas.box(self.box, fill, look.axis, 5)
        words = shortened(self.words, width - 12)
        canvas.text(words, left + 0.5 * width, bottom + 10, ink, anchor="center")

    def press(self, x: float, y: float) -> None:
        """Wait for the button to come up."""
        self._down = True

    def drag(self, x: float, y: float) -> None:
        """Let go where the mouse leaves it."""
        self._down = is_in(self.box, x, y)

    def release(self, x: float, y: float) -> None:
        """Do it, where the mouse is still on it."""
        self._down = False
        if is_in(self.box, x, y):
            self._pressed()

    def key(self, symbol: int) -> bool:
        """Do it on Space or Enter."""
        if symbol in (key.SPACE, key.ENTER, key.NUM_ENTER):
            self._pressed()
            return True
        return False


class Choice(Control):
    """One of several values: click for the list, or Up and Down, Space or Enter for the list.

    Args:
        bound: what it changes.
        options: values, or (label, value) pairs.
        label: its name.

    Raises:
        ValueError: for no options.
    """

    uses_arrows = True
    base_height = 32.0

    def __init__(self, bound: Bound, options: Sequence[Any], label: Label = "") -> None:
        super().__init__(label)
        if not options:
            raise ValueError("options is empty: give a choice at least one")
        self._bound = bound
        pairs = [each if isinstance(each, tuple) else (str(each), each) for each in options]
        self.labels = [str(name) for name, _ in pairs]
        self._values = [value for _, value in pairs]
        self.open = False
        self.marked = 0
        self._list: Box = (0.0, 0.0, 0.0, 0.0)
        self._first = 0
        self.refresh()

    def refresh(self) -> None:
        """Read again what is shown."""
        value = self._bound.get()
        self.picked = self._values.index(value) if value in self._values else None
        self.shown = str(value) if self.picked is None else self.labels[self.picked]

    def head(self) -> Box:
        """The box with what is chosen."""
        left, _, width, _ = self.box
        room = width if not self.words else 0.56 * width
        return (left + width - room, self._top() - 28, room, 26.0)

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        left, bottom, width, height = self.head()
        room = self.box[2] - width - 8
        if self.words:
            canvas.text(shortened(self.words, room), self.box[0], bottom + 8, look.text)
        edge = look.contact if self.reason else look.faint_text if hovered else look.axis
        canvas.box((left, bottom, width, height), look.background, edge, 4)
        canvas.text(shortened(self.shown, width - 34), left + 9, bottom + 8, look.text)
        x, y = left + width - 15, bottom + 0.5 * height
        up = 2.5 if self.open else -2.5
        canvas.line([(x - 4.5, y - up), (x, y + up), (x + 4.5, y - up)], look.faint_text, 1.8)
        self._paint_reason(canvas)

    def press(self, x: float, y: float) -> None:
        """Open the list."""
        self._open()

    def leave(self) -> None:
        """Close the list."""
        self.open = False

    def key(self, symbol: int) -> bool:
        """Open the list, take the marked value, or close it."""
        if symbol in (key.SPACE, key.ENTER, key.NUM_ENTER):
            if self.open:
                self.pick(self.marked)
            else:
                self._open()
            return True
        if symbol == key.ESCAPE and self.open:
            self.open = False
            return True
        return False

    def move(self, motion: int, *, select: bool) -> bool:
        """Mark the next value while the list is open, else take it."""
        steps = {key.MOTION_UP: -1, key.MOTION_LEFT: -1, key.MOTION_DOWN: 1, key.MOTION_RIGHT: 1}
        ends = {
            key.MOTION_BEGINNING_OF_LINE: 0,
            key.MOTION_BEGINNING_OF_FILE: 0,
            key.MOTION_END_OF_LINE: len(self.labels) - 1,
            key.MOTION_END_OF_FILE: len(self.labels) - 1,
        }
        if motion in steps:
            now = self.marked if self.open else -1 if self.picked is None else self.picked
            number = min(max(now + steps[motion], 0), len(self.labels) - 1)
        elif motion in ends:
            number = ends[motion]
        else:
            return False
        if self.open:
            self.mark(number)
        elif number != self.picked:
            self.pick(number)
        return True

    def pick(self, number: int) -> None:
        """Take value `number`, and close the list."""
        self.open = False
        self.reason = self._bound.set(self._values[number])
        self.refresh()

    def mark(self, number: int) -> None:
        """Mark value `number` in the open list, and scroll it into view."""
        self.marked = number
        shown = self._lines()
        self._first = min(max(self._first, number - shown + 1), number)

    def place_list(self, lift: float, low: float, high: float) -> None:
        """Lay the open list out below its head, which was scrolled up by `lift` px, or above it.

        It stays between `low` and `high`, px.
        """
        left, bottom, width, height = self.head()
        below, above = bottom + lift - 3 - low, high - (bottom + lift + height + 3)
        tall = OPTION_HEIGHT * len(self.labels) + 8.0
        room = below if tall <= below or below >= above else above
        tall = min(tall, OPTION_HEIGHT * max(int((room - 8) // OPTION_HEIGHT), 1) + 8.0)
        y = bottom + lift - 3 - tall if room == below else bottom + lift + height + 3
        self._list = (left, y, width, tall)

    def option_at(self, x: float, y: float) -> int | None:
        """The number of the value that the open list shows at a pixel."""
        left, bottom, width, height = self._list
        if not is_in((left, bottom + 4, width, height - 8), x, y):
            return None
        return min(
            self._first + int((bottom + height - 4 - y) // OPTION_HEIGHT), len(self.labels) - 1
        )

    def scroll(self, notches: float) -> None:
        """Scroll an open list that is longer than its room."""
        last = len(self.labels) - self._lines()
        self._first = min(max(self._first - round(notches), 0), max(last, 0))

    def paint_list(self, canvas: Canvas) -> None:
        """Paint the open list, on top of everything."""
        look = theme()
        left, bottom, width, height = self._list
        canvas.box((left + 2, bottom - 3, width, height), (0, 0, 0, 90), rounding=6)
        canvas.box(self._list, look.background, look.faint_text, 5)
        y = bottom + height - 4
        for number in range(self._first, min(self._first + self._lines(), len(self.labels))):
            y -= OPTION_HEIGHT
            if number == self.marked:
                canvas.box((left + 4, y, width - 8, OPTION_HEIGHT), look.panel_picked, rounding=3)
            ink = look.accent if number == self.picked else look.text
            canvas.text(shortened(self.labels[number], width - 24), left + 9, y + 8, ink)
        hidden = len(self.labels) - self._lines()
        if hidden > 0:
            tall = (height - 12) * self._lines() / len(self.labels)
            rest = (height - 12 - tall) * (1.0 - self._first / hidden)
            canvas.box((left + width - 7, bottom + 6 + rest, 3, tall), look.axis, rounding=1.5)

    def _open(self) -> None:
        self.open = True
        self._first = 0
        self.marked = self.picked or 0

    def _lines(self) -> int:
        return max(int((self._list[3] - 8) // OPTION_HEIGHT), 1)


class Dial(Control):
    """A vector that an arrow on a round dial turns and scales.

    Drag in the circle; Left and Right turn it by 5 degrees, Up and Down scale it, Home sets 0.

    Args:
        bound: what it changes, an (x, y).
        most: length of the vector at the circle's rim.
        label: its name.
        unit: of the vector.
    """

    uses_arrows = True
    base_height = 2.0 * DIAL_RADIUS + 30.0

    def __init__(self, bound: Binding, most: float, label: Label = "", unit: str = "") -> None:
        super().__init__(label, unit)
        if not (isfinite(most) and most > 0.0):
            raise ValueError(f"most = {most!r} of a dial: give a finite number above 0")
        self._bound = bound
        self._most = float(most)
        self._step = round_down(most / SLIDER_PLACES)
        self.value = (0.0, 0.0)
        self.refresh()

    def refresh(self) -> None:
        """Read again what is shown."""
        x, y = self._bound.get()
        if (x, y) != self.value:
            self.reason = ""
        self.value = (float(x), float(y))

    def center(self) -> tuple[float, float]:
        """The middle of the circle."""
        return self.box[0] + DIAL_RADIUS + 2.0, self._top() - 24.0 - DIAL_RADIUS

    def paint(self, canvas: Canvas, *, focused: bool, hovered: bool) -> None:
        """Paint it into its box."""
        look = theme()
        _paint_line(canvas, self.box, self._top() - 15, self, "", look.text)
        x, y = self.center()
        edge = look.contact if self.reason else look.faint_text if hovered else look.axis
        canvas.dot(x, y, DIAL_RADIUS, look.background, edge)
        for side, up in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            rim, tick = DIAL_RADIUS - 2.0, DIAL_RADIUS - 8.0
            canvas.line(
                [(x + side * tick, y + up * tick), (x + side * rim, y + up * rim)], look.axis
            )
        length = hypot(*self.value)
        if isfinite(length) and length > 0.0:
            reach = DIAL_RADIUS * min(length / self._most, 1.0)
            ax, ay = self.value[0] / length, self.value[1] / length
            tip = (x + reach * ax, y + reach * ay)
            head = min(9.0, 0.6 * reach)
            back = (tip[0] - head * ax, tip[1] - head * ay)
            canvas.line([(x, y), tip], look.accent, 2.5)
            for part in (0.5, -0.5):
                barb = (back[0] - part * head * ay, back[1] + part * head * ax)
                canvas.line([tip, barb], look.accent, 2.5)
        canvas.dot(x, y, 3.0, look.faint_text)
        right = self.box[0] + self.box[2]
        lines = [("x", self.value[0]), ("y", self.value[1]), ("length", length)]
        for line, (name, number) in enumerate(lines):
            base = y + 16.0 - 20.0 * line
            canvas.text(name, x + DIAL_RADIUS + 18, base, look.faint_text, NUMBER_SIZE)
            digits = number_text(round(number, 2 - ceil(log10(self._step))), self._step)
            canvas.text(digits, right, base, look.text, NUMBER_SIZE, anchor="right")
        self._paint_reason(canvas)

    def press(self, x: float, y: float) -> None:
        """Point at the mouse."""
        self.drag(x, y)

    def drag(self, x: float, y: float) -> None:
        """Point at the mouse; near an axis exactly along it."""
        center_x, center_y = self.center()
        dx, dy = x - center_x, y - center_y
        if abs(dx) < 3.0:
            dx = 0.0
        if abs(dy) < 3.0:
            dy = 0.0
        scale = self._most / max(DIAL_RADIUS, hypot(dx, dy))
        self._change(dx * scale, dy * scale)

    def move(self, motion: int, *, select: bool) -> bool:
        """Turn or scale the vector."""
        x, y = self.value
        length = hypot(x, y)
        turns = {key.MOTION_LEFT: 1.0, key.MOTION_RIGHT: -1.0}
        if motion in turns:
            cosine, sine = 0.9961946980917455, 0.08715574274765817 * turns[motion]  # 5 degrees
            self._change(cosine * x - sine * y, sine * x + cosine * y, rounded=False)
        elif motion in (key.MOTION_UP, key.MOTION_DOWN):
            longer = length + (5.0 if motion == key.MOTION_UP else -5.0) * self._step
            longer = min(max(longer, 0.0), self._most)
            unit = (x / length, y / length) if length > 0.0 else (0.0, -1.0)
            self._change(unit[0] * longer, unit[1] * longer, rounded=False)
        elif motion in (key.MOTION_BEGINNING_OF_LINE, key.MOTION_BEGINNING_OF_FILE):
            self._change(0.0, 0.0)
        else:
            return False
        return True

    def _change(self, x: float, y: float, *, rounded: bool = True) -> None:
        if rounded:
            x, y = (round(round(each / self._step) * self._step, 12) for each in (x, y))
        self.reason = self._bound.set((x, y))
        x, y = self._bound.get()
        self.value = (float(x), float(y))


def _paint_line(canvas: Canvas, box: Box, y: float, control: Control, shown: str, ink: Rgb) -> None:
    """A label at the left of the box; a value and its unit at the right."""
    look = theme()
    left, _, width, _ = box
    end = left + width
    if control.unit:
        canvas.text(control.unit, end, y, look.faint_text, NUMBER_SIZE, anchor="right")
        end -= text_width(control.unit, NUMBER_SIZE) + 4.0
    canvas.text(shown, end, y, look.text, NUMBER_SIZE, anchor="right")
    room = end - left - text_width(shown, NUMBER_SIZE) - 8.0
    size = NUMBER_SIZE if isinstance(control, Readout) else TEXT_SIZE
    canvas.text(shortened(control.words, room, size), left, y, ink, size)
