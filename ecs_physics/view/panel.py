"""A panel of controls beside a world, each bound to an attribute."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import arcade
from arcade import key

from ecs_physics.view.binding import Binding, ComponentBinding, Limits
from ecs_physics.view.canvas import Box, Canvas, is_in, shortened, text_width
from ecs_physics.view.controls import (
    Button,
    Check,
    Choice,
    Control,
    Dial,
    Heading,
    Label,
    LabelLine,
    Readout,
    Slider,
)
from ecs_physics.view.look import Theme, theme
from ecs_physics.view.number_field import NumberField

REFRESH_TIME: Final = 0.1
"""s. How often values that change elsewhere are read: laying out their digits is slow."""
INSET: Final = 14
"""px. Between the panel's border and its controls."""
GAP: Final = 6
"""px. Between rows, and between controls in a row."""
HEADER: Final = 38
"""px. Height of the title, and of the tab that is left of a folded panel."""
TITLE_SIZE: Final = 16
"""px."""
BUTTONS_A_ROW: Final = 3
"""Buttons made one after the other share a row, so many at most."""

AnyControl = TypeVar("AnyControl", bound=Control)

_ARROWS = (
    key.LEFT,
    key.RIGHT,
    key.UP,
    key.DOWN,
    key.HOME,
    key.END,
    key.PAGEUP,
    key.PAGEDOWN,
)


class Panel:
    """Controls one below the other; `view.add_panel(panel)` shows them beside a world.

    Each is bound to an attribute: what is changed here changes it at once, and what changes it
    elsewhere is shown here. Of a `dict`, the entry of that name is meant. A value that its owner
    refuses with a ValueError is marked in red with the words of that error.

    Tab and Shift+Tab move the keyboard from control to control, arrows change sliders, choices
    and dials, Space and Enter press buttons and check boxes and open choices, Esc gives the
    keyboard back to the scene. P folds the panel to a tab; it folds by itself in small windows.

        panel = Panel("Collisions")
        panel.slider(world, "substeps", 1, 20, step=1)
        panel.number(settings, "restitution", low=0, high=1)
        panel.check(system, "use_impulses")
        panel.choice(lab, "method", ["explicit Euler", "symplectic Euler"])
        panel.vector(world, "gravity", unit="m/s\N{SUPERSCRIPT TWO}")
        panel.readout("time", lambda: world.time, unit="s", step=0.1)
        panel.button("Restart", view.restart)
        view.add_panel(panel)
    """

    def __init__(self, title: str = "Parameters") -> None:
        self.title = title
        self.rows: list[list[Control]] = []
        self.small_window = False
        self._fold: bool | None = None
        self._focus: Control | None = None
        self._hovered: Control | None = None
        self._pressed: Control | None = None
        self._last: Control | None = None
        self._reveal: Control | None = None
        self._drags_bar = False
        self._lift = 0.0
        self._tall = 0.0
        self._age = 0.0
        self._window: arcade.Window | None = None
        self._canvases: tuple[Canvas, Canvas, Canvas] | None = None
        self._painted_for: tuple[Box, Theme, float] | None = None
        self._room: Box = (0.0, 0.0, 0.0, 0.0)

    # -- what it shows ----------------------------------------------------------------------

    def slider(
        self,
        owner: Any,
        attribute: str,
        low: float,
        high: float,
        *,
        step: float | None = None,
        label: Label | None = None,
        unit: str = "",
        logarithmic: bool = False,
    ) -> Slider:
        """Add a slider from `low` to `high`; without a step it stops at some 200 round values.

        An attribute that holds an int stays whole. `logarithmic` is for what spans several powers
        of ten, such as stiffness.

        Raises:
            AttributeError: where the owner has no such attribute.
            ValueError: for limits or a step that make no slider.
        """
        bound = Binding(owner, attribute)
        words = _label(label, attribute)
        return self._add(Slider(bound, low, high, step, words, unit, logarithmic=logarithmic))

    def number(
        self,
        owner: Any,
        attribute: str,
        *,
        label: Label | None = None,
        unit: str = "",
        low: float | None = None,
        high: float | None = None,
        step: float | None = None,
    ) -> NumberField:
        """Add a field to type a number from `low` to `high` into; Up and Down change it by `step`.

        An attribute that holds an int stays whole.

        Raises:
            AttributeError: where the owner has no such attribute.
            ValueError: for limits that are not finite or leave nothing.
        """
        bound = Binding(owner, attribute)
        limits = Limits(low, high, isinstance(bound.get(), int))
        return self._add(NumberField(bound, limits, _label(label, attribute), unit, step))

    def vector(
        self,
        owner: Any,
        attribute: str,
        *,
        label: Label | None = None,
        unit: str = "",
        low: float | None = None,
        high: float | None = None,
        step: float | None = None,
        names: Sequence[str] = ("x", "y"),
    ) -> list[NumberField]:
        """Add one field for each number of an attribute such as (x, y), side by side.

        Raises:
            AttributeError: where the owner has no such attribute.
            ValueError: for limits that are not finite or leave nothing.
        """
        whole = Binding(owner, attribute)
        self._add(LabelLine(_label(label, attribute), unit))
        limits = Limits(low, high)
        fields = [
            NumberField(ComponentBinding(whole, place), limits, step=step, prefix=name)
            for place, name in enumerate(names)
        ]
        self.rows.append([*fields])
        return fields

    def dial(
        self, owner: Any, attribute: str, most: float, *, label: Label | None = None, unit: str = ""
    ) -> Dial:
        """Add a round dial that turns and scales an (x, y) of a length of at most `most`.

        Raises:
            AttributeError: where the owner has no such attribute.
            ValueError: for a `most` that is not above 0.
        """
        return self._add(Dial(Binding(owner, attribute), most, _label(label, attribute), unit))

    def check(self, owner: Any, attribute: str, *, label: Label | None = None) -> Check:
        """Add a check box for what is on or off.

        Raises:
            AttributeError: where the owner has no such attribute.
        """
        return self._add(Check(Binding(owner, attribute), _label(label, attribute)))

    def choice(
        self, owner: Any, attribute: str, options: Sequence[Any], *, label: Label | None = None
    ) -> Choice:
        """Add a drop-down list of `options`: values, or (label, value) pairs.

        Raises:
            AttributeError: where the owner has no such attribute.
            ValueError: for no options.
        """
        return self._add(Choice(Binding(owner, attribute), options, _label(label, attribute)))

    def button(self, label: Label, pressed: Callable[[], object]) -> Button:
        """Add a button that calls `pressed`; buttons added one after the other share a row.

        Like every label, `label` may be a function that is asked for the words.
        """
        button = Button(label, pressed)
        last = self.rows[-1] if self.rows else []
        if last and len(last) < BUTTONS_A_ROW and isinstance(last[0], Button):
            last.append(button)
            return button
        return self._add(button)

    def heading(self, words: Label) -> Heading:
        """Add a heading above the controls that follow."""
        return self._add(Heading(words))

    def readout(
        self, label: Label, value: Callable[[], Any], *, unit: str = "", step: float | None = None
    ) -> Readout:
        """Add a number or words that are asked for ten times a second; `step` sets decimals."""
        return self._add(Readout(label, value, unit, step))

    @property
    def controls(self) -> list[Control]:
        """All controls, from top to bottom."""
        return [control for row in self.rows for control in row]

    @property
    def focused(self) -> Control | None:
        """The control that has the keyboard."""
        return self._focus

    @property
    def folded(self) -> bool:
        """Whether only a tab is seen. None set: as the window's size asks for."""
        return self.small_window if self._fold is None else self._fold

    @folded.setter
    def folded(self, value: bool | None) -> None:
        self._fold = value
        if self.folded:
            self.set_focus(None)
            self._pressed = None
        self._painted_for = None

    # -- where it is ------------------------------------------------------------------------

    def place(self, right: float, top: float, width: float, most: float) -> Box:
        """Lay out below `top` and left of `right`, at most `width` x `most` px; the box taken."""
        if self.folded:
            width = text_width(self.title, TITLE_SIZE, True) + 2 * INSET + 46
            self._room = (right - width, top - HEADER, width, HEADER)
            return self._room
        inside = width - 2 * INSET
        tall = 0.0
        for row in self.rows:
            part = (inside - GAP * (len(row) - 1)) / len(row)
            tall += max(control.height(part) for control in row) + GAP
        self._tall = tall
        height = min(HEADER + tall + INSET - GAP, most)
        self._room = (right - width, top - height, width, height)
        y = top - HEADER
        for row in self.rows:
            part = (inside - GAP * (len(row) - 1)) / len(row)
            row_height = max(control.height(part) for control in row)
            x = right - width + INSET
            for control in row:
                own = control.height(part)
                control.box = (x, y - own, part, own)
                x += part + GAP
            y -= row_height + GAP
        if self._reveal is not None:
            self._show(self._reveal)
            self._reveal = None
        self._lift = min(max(self._lift, 0.0), self._hidden())
        return self._room

    @property
    def box(self) -> Box:
        """The box that it covers."""
        return self._room

    def covers(self, x: float, y: float) -> bool:
        """Whether it covers a pixel, also with an open list."""
        is_open = isinstance(self._focus, Choice) and self._focus.option_at(x, y) is not None
        return is_in(self._room, x, y) or (is_open and self._open_choice() is not None)

    def _body(self) -> Box:
        left, bottom, width, height = self._room
        return (left, bottom + 2, width, max(height - HEADER, 0.0))

    def _hidden(self) -> float:
        """How much taller the controls are than their room, px."""
        return max(self._tall + INSET - GAP - (self._room[3] - HEADER), 0.0)

    def _bar(self) -> Box:
        """The thumb of the scroll bar."""
        left, bottom, width, height = self._body()
        hidden = self._hidden()
        tall = height * height / (height + hidden)
        y = bottom + (height - tall) * (1.0 - self._lift / hidden) if hidden else bottom
        return (left + width - 8, y, 4.0, tall)

    # -- drawing ----------------------------------------------------------------------------

    def update(self, elapsed: float) -> None:
        """Let `elapsed` s pass: now and then, read what is shown again."""
        self._age += elapsed
        if self._age >= REFRESH_TIME:
            self.refresh()

    def refresh(self) -> None:
        """Read what is shown again, and paint it."""
        self._age = 0.0
        if not self.folded:
            for control in self.controls:
                control.refresh()
        self._painted_for = None

    def draw(self, window: arcade.Window) -> None:
        """Draw it where it was placed, painting it anew only if something has changed."""
        if self._canvases is None or self._window is not window:
            self._window = window
            self._canvases = (Canvas(window), Canvas(window), Canvas(window))
            self._painted_for = None
        frame, body, list_on_top = self._canvases
        now = (self._room, theme(), self._lift)
        if now != self._painted_for:
            self._painted_for = now
            self._paint_frame(frame)
            self._paint_body(body)
            self._paint_list(list_on_top, window)
        frame.draw()
        if not self.folded:
            body.draw(round(self._lift), self._body())
            list_on_top.draw()

    def _paint_frame(self, canvas: Canvas) -> None:
        look = theme()
        left, bottom, width, height = self._room
        canvas.begin()
        canvas.box(self._room, look.panel, look.axis, 8)
        base = bottom + height - 25
        room = width - 2 * INSET - 46
        words = shortened(self.title, room, TITLE_SIZE, True)
        canvas.text(words, left + INSET, base, look.text, TITLE_SIZE, bold=True)
        end = left + width - INSET
        canvas.text("P", end - 22, base, look.faint_text, 12, anchor="right")
        x, y = end - 6, base + 5.5
        if self.folded:
            canvas.line([(x + 3, y - 5), (x - 2, y), (x + 3, y + 5)], look.faint_text, 1.8)
        else:
            canvas.line([(x - 5, y + 2.5), (x, y - 2.5), (x + 5, y + 2.5)], look.faint_text, 1.8)
            if self._hidden():
                canvas.box(self._bar(), look.axis, rounding=2)
        canvas.end()

    def _paint_body(self, canvas: Canvas) -> None:
        canvas.begin()
        if not self.folded:
            for number, control in enumerate(self.controls):
                canvas.part(number)
                focused = control is self._focus
                if focused and not control.types_text:
                    left, bottom, width, height = control.box
                    ring = (left - 5, bottom - 3, width + 10, height + 6)
                    canvas.box(ring, (0, 0, 0, 0), theme().accent, 5, border=1.5)
                control.paint(canvas, focused=focused, hovered=control is self._hovered)
        canvas.end()

    def _paint_list(self, canvas: Canvas, window: arcade.Window) -> None:
        canvas.begin()
        choice = self._open_choice()
        if choice is not None:
            choice.place_list(self._lift, 4.0, window.height - 4.0)
            choice.paint_list(canvas)
        canvas.end()

    # -- the keyboard -----------------------------------------------------------------------

    def set_focus(self, control: Control | None) -> None:
        """Give the keyboard to a control, or back to the scene."""
        self._painted_for = None
        if control is self._focus:
            return
        if self._focus is not None:
            self._last = self._focus
            self._focus.leave()
        self._focus = control
        if control is not None:
            control.focus()
            self._reveal = control

    def key_press(self, symbol: int, modifiers: int) -> bool:
        """A key went down; whether it was for the panel."""
        if self.folded:
            return False
        self._painted_for = None
        if symbol == key.TAB and not modifiers & (key.MOD_CTRL | key.MOD_ALT):
            return self._move_focus(-1 if modifiers & key.MOD_SHIFT else 1)
        control = self._focus
        if control is None:
            return False
        if isinstance(control, NumberField) and modifiers & key.MOD_ACCEL:
            self._edit(control, symbol)
            return True
        self._reveal = control
        if control.key(symbol):
            if isinstance(control, NumberField) and not control.reason:
                self.set_focus(None)
            return True
        if symbol == key.ESCAPE:
            if isinstance(control, NumberField):
                control.cancel()
            self.set_focus(None)
            return True
        if control.types_text or self._open_choice() is not None:
            return True
        return control.uses_arrows and symbol in _ARROWS

    def text(self, text: str) -> bool:
        """Text was typed; whether it was for the panel."""
        control = self._focus
        if control is None:
            return False
        if control.types_text and text.isprintable():
            control.text(text)
            self._painted_for = None
        return control.types_text or text.isspace()

    def text_motion(self, motion: int, *, select: bool = False) -> bool:
        """An arrow or another motion key went down, or is held; whether it was for the panel."""
        control = self._focus
        if control is None:
            return False
        self._painted_for = None
        return control.move(motion, select=select)

    def _move_focus(self, step: int) -> bool:
        ring = [control for control in self.controls if control.focusable]
        if not ring:
            return False
        if self._focus is not None:
            place = ring.index(self._focus) + step
        elif self._last in ring:
            place = ring.index(self._last) + step
        else:
            place = 0 if step > 0 else -1
        self.set_focus(ring[place % len(ring)])
        return True

    def _edit(self, field: NumberField, symbol: int) -> None:
        """Copy, cut, paste, select all."""
        editor, window = field.editor, self._window
        if symbol == key.A:
            editor.select_all()
        elif window is not None and symbol in (key.C, key.X):
            window.set_clipboard_text(editor.selected)
            if symbol == key.X:
                field.text("")
        elif window is not None and symbol == key.V:
            field.text(window.get_clipboard_text().strip())

    def _show(self, control: Control) -> None:
        """Scroll a control into view."""
        _, bottom, _, height = self._body()
        _, low, _, own = control.box
        self._lift = min(max(self._lift, bottom + 6 - low), bottom + height - 6 - low - own)

    def _open_choice(self) -> Choice | None:
        control = self._focus
        return control if isinstance(control, Choice) and control.open else None

    # -- the mouse --------------------------------------------------------------------------

    def press(self, x: float, y: float) -> None:
        """The left button went down on the panel, or beside it."""
        self._painted_for = None
        self._drags_bar = False
        choice = self._open_choice()
        if choice is not None:
            number = choice.option_at(x, y)
            if number is not None:
                choice.pick(number)
            self.set_focus(None)
            return
        if self.folded or y >= self._room[1] + self._room[3] - HEADER:
            self.set_focus(None)
            if is_in(self._room, x, y):
                self.folded = not self.folded
            return
        control = self.control_at(x, y)
        if control is None:
            self.set_focus(None)
            if self._hidden() and x >= self._room[0] + self._room[2] - INSET:
                self._drags_bar = True
                self.drag(x, y)
            return
        self._press_control(control, x, y)

    def _press_control(self, control: Control, x: float, y: float) -> None:
        if control.types_text and control is not self._focus:
            self.set_focus(control)
            return
        if isinstance(control, Choice):
            self.set_focus(control)
        elif not control.types_text:  # a click leaves the keyboard to the scene
            self.set_focus(None)
            self._last = control
        self._pressed = control
        control.press(x, y - self._lift)

    def drag(self, x: float, y: float) -> None:
        """The mouse moved after a press."""
        self._painted_for = None
        if self._drags_bar:
            _, bottom, _, height = self._body()
            tall = self._bar()[3]
            part = (bottom + height - 0.5 * tall - y) / max(height - tall, 1.0)
            self._lift = min(max(part, 0.0), 1.0) * self._hidden()
        elif self._pressed is not None:
            self._pressed.drag(x, y - self._lift)

    def release(self, x: float, y: float) -> None:
        """The left button came up after a press."""
        self._painted_for = None
        self._drags_bar = False
        control, self._pressed = self._pressed, None
        if control is not None:
            control.release(x, y - self._lift)

    def hover(self, x: float, y: float) -> None:
        """The mouse is at a pixel, on the panel or beside it."""
        choice = self._open_choice()
        if choice is not None:
            number = choice.option_at(x, y)
            if number is not None and number != choice.marked:
                choice.marked = number
                self._painted_for = None
        control = self.control_at(x, y) if choice is None else choice
        if control is not self._hovered:
            self._hovered = control
            self._painted_for = None

    def scroll(self, x: float, y: float, notches: float) -> None:
        """The wheel turned on the panel."""
        self._painted_for = None
        choice = self._open_choice()
        if choice is not None:
            choice.scroll(notches)
        else:
            self._lift = min(max(self._lift - 40.0 * notches, 0.0), self._hidden())

    def control_at(self, x: float, y: float) -> Control | None:
        """The control that a pixel shows and that can be used."""
        if self.folded or not is_in(self._body(), x, y):
            return None
        for control in self.controls:
            if control.focusable and is_in(control.box, x, y - self._lift):
                return control
        return None

    # -- inside -----------------------------------------------------------------------------

    def _add(self, control: AnyControl) -> AnyControl:
        self.rows.append([control])
        self._painted_for = None
        return control


def _label(label: Label | None, attribute: str) -> Label:
    return attribute.replace("_", " ") if label is None else label
