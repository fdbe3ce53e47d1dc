"""A panel's controls by mouse and by keyboard, through the events that a window sends."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import arcade
import esper
import numpy as np
import pytest
from arcade import key

from ecs_physics import Mass, Shape, Transform, Velocity, World
from ecs_physics.view import DARK, Panel, SimulationView
from ecs_physics.view.binding import Limits
from ecs_physics.view.controls import Control
from ecs_physics.view.line_editor import LineEditor
from tests.resizing import resize

Show = Callable[..., Any]

LEFT, RIGHT = arcade.MOUSE_BUTTON_LEFT, arcade.MOUSE_BUTTON_RIGHT


@dataclass
class Settings:
    """What the panels of these tests change."""

    restitution: float = 0.5
    stiffness: float = 100.0
    count: int = 4
    on: bool = True
    method: str = "b"
    force: tuple[float, float] = (0.0, -9.81)
    calls: list[str] = field(default_factory=list)
    _mass: float = 1.0

    @property
    def mass(self) -> float:
        return self._mass

    @mass.setter
    def mass(self, value: float) -> None:
        if value <= 0.0:
            raise ValueError(f"mass = {value!r}: give a finite number of kg above 0")
        self._mass = value


@dataclass
class Hands:
    """A view with an open panel in a window, and hands for it."""

    stage: Any
    panel: Panel

    def frame(self, count: int = 1) -> None:
        self.stage.frame(count)

    def point(self, control: Control, x: float = 0.5) -> tuple[int, int]:
        """A pixel on the control, at `x` of its width, in its first line's lower half."""
        left, bottom, width, height = control.box
        top = bottom + height
        return round(left + x * width), round(top - min(height, 30) + 8 + self.panel._lift)

    def press(self, x: float, y: float, button: int = LEFT) -> None:
        self.stage.send("on_mouse_motion", x, y, 0, 0)
        self.stage.send("on_mouse_press", x, y, button, 0)

    def drag(self, x: float, y: float, button: int = LEFT) -> None:
        self.stage.send("on_mouse_drag", x, y, 1, 0, button, 0)

    def release(self, x: float, y: float, button: int = LEFT) -> None:
        self.stage.send("on_mouse_release", x, y, button, 0)

    def click(self, x: float, y: float) -> None:
        self.press(x, y)
        self.release(x, y)

    def click_on(self, control: Control, x: float = 0.5) -> None:
        self.click(*self.point(control, x))
        self.frame()

    def key(self, symbol: int, modifiers: int = 0) -> None:
        """Press a key as pyglet reports it: as a key, and as a motion where it is one."""
        self.stage.send("on_key_press", symbol, modifiers)
        motions = {
            key.HOME: key.MOTION_BEGINNING_OF_LINE,
            key.END: key.MOTION_END_OF_LINE,
            **{each: each for each in (key.LEFT, key.RIGHT, key.UP, key.DOWN, key.BACKSPACE)},
            **{each: each for each in (key.DELETE, key.PAGEUP, key.PAGEDOWN)},
        }
        if symbol in motions:
            select = modifiers & key.MOD_SHIFT
            self.stage.send(
                "on_text_motion_select" if select else "on_text_motion", motions[symbol]
            )
        self.stage.send("on_key_release", symbol, modifiers)
        self.frame()

    def type(self, text: str) -> None:
        for each in text:
            self.stage.send("on_key_press", ord(each.lower()), 0)
            self.stage.send("on_text", each)
        self.frame()

    def tab_to(self, control: Control) -> None:
        for _ in range(50):
            self.key(key.TAB)
            if self.panel.focused is control:
                return
        raise AssertionError("Tab never came to the control")


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def hands(show: Show, world: World, window: arcade.Window) -> Callable[..., Hands]:
    def make(panel: Panel, size: tuple[int, int] | None = None, **given: Any) -> Hands:
        if size is None:
            panel.folded = False  # the window of these tests is small
        else:
            resize(window, size)
        stage = show(world, **given)
        stage.view.add_panel(panel)
        made = Hands(stage, panel)
        made.frame()
        return made

    return make


# -- sliders --------------------------------------------------------------------------------


def test_a_slider_by_mouse(hands: Any, settings: Settings) -> None:
    panel = Panel()
    slider = panel.slider(settings, "restitution", 0, 1)
    hand = hands(panel)
    left, bottom, width, height = slider.track()
    y = bottom + 0.5 * height
    hand.press(left + 0.25 * width, y)
    assert settings.restitution == pytest.approx(0.25, abs=0.006)
    hand.drag(left + 0.8 * width, y + 200)  # the mouse may leave it
    assert settings.restitution == pytest.approx(0.8, abs=0.006)
    assert settings.restitution * 200 == pytest.approx(round(settings.restitution * 200))
    hand.drag(left + 5 * width, y)
    assert settings.restitution == 1.0
    hand.release(left + 5 * width, y)
    hand.drag(left, y)
    assert settings.restitution == 1.0
    assert panel.focused is None  # the arrows still belong to the game


def test_a_slider_by_keyboard(hands: Any, settings: Settings) -> None:
    panel = Panel()
    slider = panel.slider(settings, "restitution", -1, 1, step=0.1)
    hand = hands(panel)
    hand.tab_to(slider)
    for symbol, value in (
        (key.RIGHT, 0.6),
        (key.UP, 0.7),
        (key.LEFT, 0.6),
        (key.DOWN, 0.5),
        (key.PAGEDOWN, -0.5),
        (key.HOME, -1.0),
        (key.LEFT, -1.0),
        (key.END, 1.0),
    ):
        hand.key(symbol)
        assert settings.restitution == pytest.approx(value, abs=1e-12)


def test_a_whole_number_stays_whole(hands: Any, world: World) -> None:
    panel = Panel()
    slider = panel.slider(world, "substeps", 1, 20)
    hand = hands(panel)
    hand.tab_to(slider)
    hand.key(key.RIGHT)
    assert world.substeps == 5
    assert type(world.substeps) is int


def test_a_logarithmic_slider(hands: Any, settings: Settings) -> None:
    panel = Panel()
    slider = panel.slider(settings, "stiffness", 1, 1e4, logarithmic=True)
    hand = hands(panel)
    assert slider.fraction() == pytest.approx(0.5)
    left, bottom, width, _ = slider.track()
    hand.click(round(left + 0.75 * width), bottom)
    assert settings.stiffness == pytest.approx(1000.0, rel=0.05)
    hand.tab_to(slider)
    hand.key(key.END)
    assert settings.stiffness == 1e4


def test_a_slider_shows_what_is_changed_elsewhere(hands: Any, settings: Settings) -> None:
    panel = Panel()
    slider = panel.slider(settings, "restitution", 0, 1)
    hand = hands(panel)
    settings.restitution = 0.75
    hand.frame(10)
    assert slider.fraction() == 0.75
    x, y = slider.track()[:2]
    pixels = hand.stage.pixels()
    row, column = round(y) + 2, round(x + 0.75 * slider.track()[2])
    assert tuple(pixels[row, column]) == DARK.accent
    assert tuple(pixels[row, column + 30]) == DARK.axis


@pytest.mark.parametrize(
    "given", [{"low": 1, "high": 0}, {"low": 0, "high": math.inf}, {"step": -1}, {"step": math.nan}]
)
def test_refused_sliders(settings: Settings, given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="give"):
        Panel().slider(settings, "restitution", **{"low": 0, "high": 1, **given})
    with pytest.raises(ValueError, match="above 0"):
        Panel().slider(settings, "stiffness", 0, 10, logarithmic=True)


def test_an_attribute_that_is_not_there(settings: Settings) -> None:
    with pytest.raises(AttributeError, match="Settings has no 'bounce'"):
        Panel().slider(settings, "bounce", 0, 1)
    with pytest.raises(AttributeError, match="dict has no 'bounce'"):
        Panel().check({}, "bounce")


# -- number fields --------------------------------------------------------------------------


def test_a_number_by_mouse_and_typing(hands: Any, settings: Settings) -> None:
    panel = Panel()
    number = panel.number(settings, "mass", unit="kg")
    hand = hands(panel)
    hand.click_on(number, 0.8)
    assert panel.focused is number
    hand.type("-")
    hand.key(key.BACKSPACE)
    hand.type("2.75")
    assert settings.mass == 1.0  # not before it is taken
    hand.key(key.ENTER)
    assert settings.mass == 2.75
    assert panel.focused is None


@pytest.mark.parametrize("leave", ["tab", "click beside", "another control"])
def test_leaving_a_field_takes_the_number(hands: Any, settings: Settings, leave: str) -> None:
    panel = Panel()
    number = panel.number(settings, "mass")
    check = panel.check(settings, "on")
    hand = hands(panel)
    hand.tab_to(number)
    hand.type("3")
    if leave == "tab":
        hand.key(key.TAB)
        assert panel.focused is check
    elif leave == "click beside":
        hand.click(300, 400)
        assert panel.focused is None
    else:
        hand.click_on(check)
        assert settings.on is False
    assert settings.mass == 3.0


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("abc", "'abc' is no number: give a number"),
        ("", "empty: give a number"),
        ("nan", "nan: give a finite number"),
        ("1e999", "1e999: give a finite number"),
        ("50", "50: give -10 to 10"),
        ("1,5", "'1,5' is no number: write 1.5"),
        ("-2", "mass = -2.0: give a finite number of kg above 0"),  # its owner's own words
    ],
)
def test_a_bad_number_is_marked_and_refused(
    hands: Any, settings: Settings, world: World, typed: str, reason: str
) -> None:
    panel = Panel()
    number = panel.number(settings, "mass", low=-10, high=10)
    panel.check(settings, "on")
    hand = hands(panel)
    hand.tab_to(number)
    hand.type(typed) if typed else hand.key(key.BACKSPACE)
    hand.key(key.ENTER)
    assert (number.reason, settings.mass) == (reason, 1.0)
    assert panel.focused is number  # so that it can be mended
    hand.key(key.TAB)
    steps = world.steps
    hand.frame(20)
    assert world.steps == steps + 20
    assert (number.reason, number.shown) == (reason, typed)
    left, bottom, width, height = number.field()
    pixels = hand.stage.pixels()
    border = pixels[round(bottom + 0.5 * height), round(left + width) - 1]
    assert np.abs(border - np.array(DARK.contact)).max() < 60
    below = pixels[round(number.box[1]) : round(bottom) - 2, round(number.box[0]) : round(left)]
    assert (np.abs(below - np.array(DARK.contact)).max(axis=2) < 40).sum() > 10
    hand.click_on(number, 0.8)
    hand.type("4")
    hand.key(key.ENTER)
    assert (number.reason, settings.mass) == ("", 4.0)


def test_escape_leaves_the_field_and_the_number(hands: Any, settings: Settings) -> None:
    escaped: list[bool] = []
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel, on_escape=lambda: escaped.append(True))
    hand.tab_to(number)
    hand.type("-7")
    hand.key(key.ENTER)
    assert number.reason
    hand.key(key.ESCAPE)
    assert (panel.focused, number.reason, number.shown) == (None, "", "1")
    assert escaped == []
    hand.key(key.ESCAPE)
    assert escaped == [True]


def test_keys_typed_into_a_field_do_not_reach_the_scene(hands: Any, settings: Settings) -> None:
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel)
    view = hand.stage.view
    hand.tab_to(number)
    hand.type("dpt .r?")
    assert (view.debug, view.stepping.paused, panel.folded) == (False, False, False)
    assert not view.head_up.all_keys
    assert number.editor.text == "dpt .r?"
    hand.key(key.ESCAPE)
    hand.key(key.D)
    hand.key(key.SPACE)
    assert (view.debug, view.stepping.paused) == (True, True)


def test_arrows_step_a_number(hands: Any, settings: Settings) -> None:
    panel = Panel()
    mass = panel.number(settings, "mass", step=0.25)
    count = panel.number(settings, "count", low=1, high=5)
    hand = hands(panel)
    hand.tab_to(mass)
    for symbol, value in ((key.UP, 1.25), (key.DOWN, 1.0)):
        hand.key(symbol)
        assert settings.mass == value
    hand.tab_to(count)
    for _ in range(3):
        hand.key(key.UP)
    assert settings.count == 5
    hand.type("2.5")
    hand.key(key.ENTER)
    assert (count.reason, settings.count) == ("2.5: give a whole number", 5)


def test_a_number_changed_elsewhere(hands: Any, settings: Settings) -> None:
    panel = Panel()
    number = panel.number(settings, "mass")
    panel.check(settings, "on")
    hand = hands(panel)
    hand.tab_to(number)
    hand.type("x")
    hand.key(key.TAB)
    assert number.reason
    settings.mass = 6.0
    hand.frame(10)
    assert (number.shown, number.reason) == ("6", "")
    hand.tab_to(number)
    hand.type("7")
    settings.mass = 8.0
    hand.frame(10)
    assert number.editor.text == "7"  # nobody's typing is disturbed


def test_a_number_that_was_not_touched_keeps_all_its_digits(hands: Any, settings: Settings) -> None:
    settings.mass = 1.0 / 3.0
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel)
    hand.tab_to(number)
    hand.key(key.ENTER)
    assert settings.mass == 1.0 / 3.0


def test_a_vector(hands: Any, world: World) -> None:
    panel = Panel()
    x, y = panel.vector(world, "gravity", unit="m/s\N{SUPERSCRIPT TWO}", low=-50, high=50)
    hand = hands(panel)
    hand.click_on(x)
    hand.type("2")
    hand.key(key.TAB)
    assert panel.focused is y
    hand.type("-3.5")
    hand.key(key.ENTER)
    assert world.gravity == (2.0, -3.5)
    hand.click_on(y)
    hand.type("inf")
    hand.key(key.ENTER)
    assert y.reason
    assert world.gravity == (2.0, -3.5)


def test_the_mouse_places_the_caret(hands: Any, settings: Settings) -> None:
    settings.mass = 123.0
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel)
    hand.click_on(number, 0.8)
    assert number.editor.selected == "123"
    left, bottom, _, _ = number.field()
    hand.click(left + 9, bottom + 10)
    assert number.editor.selection == (0, 0)
    hand.type("4")
    hand.key(key.ENTER)
    assert settings.mass == 4123.0


def test_the_clipboard(hands: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[str] = []
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel)
    monkeypatch.setattr(hand.stage.window, "set_clipboard_text", held.append)
    monkeypatch.setattr(hand.stage.window, "get_clipboard_text", lambda: " 2.5\n")
    hand.tab_to(number)
    hand.key(key.A, key.MOD_ACCEL)
    hand.key(key.C, key.MOD_ACCEL)
    hand.key(key.X, key.MOD_ACCEL)
    assert (held, number.editor.text) == (["1", "1"], "")
    hand.key(key.V, key.MOD_ACCEL)
    hand.key(key.ENTER)
    assert settings.mass == 2.5


def test_line_editor() -> None:
    editor = LineEditor()
    editor.start("9.81")
    editor.insert("-1\n2")
    assert (editor.text, editor.caret) == ("-12", 3)
    editor.move(key.MOTION_LEFT, select=True)
    editor.move(key.MOTION_LEFT, select=True)
    assert editor.selected == "12"
    editor.move(key.MOTION_LEFT)
    assert editor.selection == (1, 1)
    editor.move(key.MOTION_DELETE)
    assert editor.text == "-2"
    editor.move(key.MOTION_END_OF_LINE)
    editor.move(key.MOTION_BACKSPACE)
    editor.move(key.MOTION_BACKSPACE)
    editor.move(key.MOTION_BACKSPACE)
    assert editor.text == ""
    assert not editor.move(key.MOTION_UP)
    editor.insert("1" * 1000)
    assert len(editor.text) == 40


def test_limits() -> None:
    assert Limits().read(" \N{MINUS SIGN}1e-3 ") == -1e-3
    assert Limits(low=0.0).words() == "at least 0"
    assert Limits(high=2.0).words() == "at most 2"
    assert Limits(0, 10, whole=True).kept(7.6) == 8
    with pytest.raises(ValueError, match="finite"):
        Limits(low=math.nan)


# -- the others -----------------------------------------------------------------------------


def test_a_check_box(hands: Any, settings: Settings) -> None:
    panel = Panel()
    check = panel.check(settings, "on", label="use impulses")
    hand = hands(panel)
    hand.click_on(check)  # on its words too
    assert settings.on is False
    hand.tab_to(check)
    hand.key(key.SPACE)
    assert settings.on is True
    assert not hand.stage.view.stepping.paused
    hand.key(key.ENTER)
    assert settings.on is False
    settings.on = True
    hand.frame(10)
    assert check.value is True


def test_a_button(hands: Any, settings: Settings) -> None:
    panel = Panel()
    first = panel.button("Restart", lambda: settings.calls.append("restart"))
    second = panel.button(
        lambda: f"called {len(settings.calls)}", lambda: settings.calls.append("x")
    )
    hand = hands(panel)
    assert first.box[1] == second.box[1]  # side by side
    hand.click_on(first)
    assert settings.calls == ["restart"]
    hand.press(*hand.point(first))
    hand.release(10, 10)  # dragged off it
    assert settings.calls == ["restart"]
    hand.tab_to(second)
    hand.key(key.SPACE)
    hand.key(key.ENTER)
    assert settings.calls == ["restart", "x", "x"]
    assert second.words == "called 3"


def test_a_click_leaves_the_keyboard_to_the_scene(hands: Any, settings: Settings) -> None:
    panel = Panel()
    button = panel.button("Go", lambda: settings.calls.append("go"))
    hand = hands(panel)
    hand.click_on(button)
    hand.key(key.SPACE)
    assert settings.calls == ["go"]
    assert hand.stage.view.stepping.paused


def test_a_callback_sees_the_world_of_the_view(hands: Any, world: World) -> None:
    seen: list[str] = []
    panel = Panel()
    button = panel.button("Go", lambda: seen.append(esper.current_world))
    hand = hands(panel)
    esper.switch_world("default")
    hand.click_on(button)
    assert seen == [world.name]


def test_a_choice_by_mouse(hands: Any, settings: Settings) -> None:
    panel = Panel()
    choice = panel.choice(settings, "method", ["a", "b", "c"])
    below = panel.check(settings, "on")
    hand = hands(panel)
    hand.click_on(choice, 0.8)
    assert choice.open
    left, bottom, width, height = choice._list
    assert bottom + height <= choice.box[1] + choice.box[3]
    hand.click(left + 0.5 * width, bottom + 12)
    assert (settings.method, choice.open, settings.on) == ("c", False, True)
    assert below.value
    hand.frame()
    hand.click_on(choice, 0.8)
    hand.click(300, 400)
    assert (settings.method, choice.open) == ("c", False)


def test_a_choice_by_keyboard(hands: Any, settings: Settings) -> None:
    panel = Panel()
    choice = panel.choice(settings, "method", [("first", "a"), ("second", "b"), ("third", "c")])
    hand = hands(panel)
    hand.tab_to(choice)
    hand.key(key.DOWN)
    assert settings.method == "c"
    hand.key(key.DOWN)
    assert settings.method == "c"
    hand.key(key.ENTER)
    hand.key(key.UP)
    assert (choice.open, settings.method) == (True, "c")
    hand.key(key.R)  # no command to the scene while the list is open
    hand.key(key.SPACE)
    assert (choice.open, settings.method, choice.shown) == (False, "b", "second")
    hand.key(key.ENTER)
    hand.key(key.HOME)
    hand.key(key.ESCAPE)
    assert (choice.open, settings.method, panel.focused) == (False, "b", choice)
    settings.method = "unheard of"
    hand.frame(10)
    assert choice.shown == "unheard of"


def test_a_long_list_scrolls(hands: Any, settings: Settings) -> None:
    panel = Panel()
    choice = panel.choice(settings, "count", list(range(100)))
    hand = hands(panel, (1280, 500))
    hand.tab_to(choice)
    hand.key(key.ENTER)
    left, bottom, width, height = choice._list
    assert bottom >= 0
    assert bottom + height <= 500
    hand.key(key.END)
    hand.key(key.ENTER)
    assert settings.count == 99
    hand.key(key.ENTER)
    hand.stage.send("on_mouse_scroll", left + 5, bottom + 20, 0, 200)
    hand.frame()
    hand.click(left + 0.5 * width, bottom + height - 12)
    assert settings.count == 0


def test_a_dial_by_mouse(hands: Any, world: World) -> None:
    panel = Panel()
    dial = panel.dial(world, "gravity", 20, unit="m/s\N{SUPERSCRIPT TWO}")
    hand = hands(panel)
    x, y = dial.center()
    hand.press(round(x) + 22, round(y) + 1)
    assert world.gravity == (pytest.approx(10.0, abs=0.5), 0.0)  # exactly along the axis
    hand.drag(round(x) + 1, round(y) + 300)
    assert world.gravity == (0.0, 20.0)
    hand.release(round(x), round(y) + 300)


def test_a_dial_by_keyboard(hands: Any, settings: Settings) -> None:
    panel = Panel()
    dial = panel.dial(settings, "force", 20)
    hand = hands(panel)
    hand.tab_to(dial)
    for _ in range(18):
        hand.key(key.LEFT)
    assert settings.force == pytest.approx((9.81, 0.0), abs=1e-9)
    hand.key(key.UP)
    assert settings.force == pytest.approx((10.31, 0.0), abs=1e-9)
    hand.key(key.HOME)
    assert settings.force == (0.0, 0.0)
    hand.key(key.UP)
    assert settings.force == (0.0, -0.5)


def test_readouts_and_headings(hands: Any, world: World) -> None:
    panel = Panel()
    panel.heading("World")
    time = panel.readout("time", lambda: world.time, unit="s", step=0.1)
    words = panel.readout("name", lambda: "pile")
    hand = hands(panel)
    hand.frame(130)
    assert float(time.shown) == pytest.approx(world.time, abs=0.25)
    assert time.shown.count(".") == 1
    assert words.shown == "pile"
    hand.key(key.TAB)
    assert panel.focused is None


# -- the panel ------------------------------------------------------------------------------


def full(settings: Settings) -> Panel:
    """One of each kind."""
    panel = Panel("All")
    panel.slider(settings, "restitution", 0, 1)
    panel.number(settings, "mass")
    panel.check(settings, "on")
    panel.choice(settings, "method", ["a", "b"])
    panel.vector(settings, "force")
    panel.dial(settings, "force", 20)
    panel.button("Go", lambda: None)
    return panel


def test_tab_goes_round_and_back(hands: Any, settings: Settings) -> None:
    panel = full(settings)
    hand = hands(panel)
    ring = [control for control in panel.controls if control.focusable]
    for control in [*ring, ring[0]]:
        hand.key(key.TAB)
        assert panel.focused is control
    for control in [*reversed(ring), ring[-1]][:4]:
        hand.key(key.TAB, key.MOD_SHIFT)
        assert panel.focused is control
    accent = np.abs(hand.stage.pixels()[:, 500:] - np.array(DARK.accent)).max(axis=2) < 12
    left, bottom, _, height = panel.focused.box
    assert accent[round(bottom) : round(bottom + height), round(left) - 500 - 6 :].any()


def test_a_panel_too_tall_scrolls(hands: Any, settings: Settings) -> None:
    panel = Panel()
    sliders = [panel.slider(settings, "restitution", 0, 1, label=f"{i}") for i in range(30)]
    hand = hands(panel)
    left, bottom, width, height = panel.box
    assert (bottom >= 30, bottom + height <= 570) == (True, True)

    def is_seen(control: Control) -> bool:
        _, low, _, own = control.box
        return bottom <= low + panel._lift and low + own + panel._lift <= bottom + height - 30

    assert is_seen(sliders[0])
    assert not is_seen(sliders[-1])
    hand.key(key.TAB, key.MOD_SHIFT)
    assert panel.focused is sliders[-1]
    assert is_seen(sliders[-1])
    hand.stage.send("on_mouse_scroll", left + 20, bottom + 20, 0, 100)
    hand.frame()
    assert is_seen(sliders[0])
    hand.press(left + width - 5, bottom + 5)  # the scroll bar
    hand.release(left + width - 5, bottom + 5)
    hand.frame()
    assert is_seen(sliders[-1])
    hand.click_on(sliders[-1], 0.9)
    assert settings.restitution == pytest.approx(0.9, abs=0.05)
    above = hand.stage.pixels()[round(bottom + height) + 2 : 598, round(left) : round(left + width)]
    assert (np.abs(above - np.array(DARK.accent)).max(axis=2) > 60).all()  # nothing spills out


def test_the_wheel_over_the_panel_does_not_zoom(hands: Any, settings: Settings) -> None:
    panel = full(settings)
    hand = hands(panel)
    zoom = hand.stage.view.camera.target_pixel
    left, bottom, _, _ = panel.box
    hand.stage.send("on_mouse_scroll", left + 30, bottom + 30, 0, 3)
    assert hand.stage.view.camera.target_pixel == zoom


def test_p_and_a_click_fold_the_panel(hands: Any, settings: Settings) -> None:
    panel = full(settings)
    hand = hands(panel)
    open_box = panel.box
    hand.key(key.P)
    assert panel.folded
    assert panel.box[3] < 50
    assert panel.box[0] + panel.box[2] == open_box[0] + open_box[2]
    hand.key(key.TAB)
    assert panel.focused is None
    hand.click(panel.box[0] + 20, panel.box[1] + 10)
    hand.frame()
    assert panel.box == open_box
    hand.click(panel.box[0] + 20, panel.box[1] + panel.box[3] - 10)
    assert panel.folded


def test_it_folds_by_itself_in_a_small_window(hands: Any, settings: Settings) -> None:
    panel = full(settings)
    hand = hands(panel, (800, 600))
    assert panel.folded
    hand.key(key.P)
    assert not panel.folded
    hand.frame()
    assert panel.box[0] > 400  # the middle stays free
    panel.folded = None  # by itself again
    for size, folded in (((1280, 800), False), ((800, 600), True), ((1600, 400), True)):
        resize(hand.stage.window, size)
        hand.frame()
        assert panel.folded is folded
        left, bottom, width, height = panel.box
        assert left + width == size[0] - 8
        assert bottom > 30
        assert bottom + height < size[1] - 30


def test_both_themes(hands: Any, settings: Settings) -> None:
    panel = full(settings)
    hand = hands(panel)
    left, bottom, width, _ = panel.box
    for color in ((0x1E, 0x24, 0x2F), (0xFB, 0xF9, 0xF4)):
        assert tuple(hand.stage.pixels()[round(bottom) + 6, round(left + 0.5 * width)]) == color
        hand.key(key.T)


def test_only_one_panel(hands: Any, settings: Settings) -> None:
    hand = hands(Panel("One"))
    with pytest.raises(ValueError, match=r"'One'.*view\.panel"):
        hand.stage.view.add_panel(Panel("Two"))
    assert hand.stage.view.panel.title == "One"


def test_entries_of_a_dictionary(hands: Any) -> None:
    settings = {"friction": 0.5}
    panel = Panel()
    number = panel.number(settings, "friction", low=0)
    hand = hands(panel)
    hand.tab_to(number)
    hand.type("0.25")
    hand.key(key.ENTER)
    assert settings == {"friction": 0.25}


# -- panel and scene ------------------------------------------------------------------------


def box_in_the_middle(world: World) -> int:
    world.gravity = (0.0, 0.0)
    return esper.create_entity(Transform(), Velocity(), Shape.box(1, 1), Mass())


def test_a_press_on_the_panel_takes_no_body(hands: Any, settings: Settings, world: World) -> None:
    box_in_the_middle(world)
    panel = full(settings)
    hand = hands(panel)
    left, bottom, _, height = panel.box
    x, y = round(left) + 4, round(bottom + 0.5 * height)
    world_x, world_y = hand.stage.view.camera.to_world(x, y)
    hand.stage.look_at(-world_x + hand.stage.view.camera.x, -world_y, hand.stage.view.camera.zoom)
    hand.frame()
    for button in (LEFT, RIGHT):
        before = hand.stage.view.camera.x
        hand.press(x, y, button)
        hand.drag(x - 50, y, button)
        hand.release(x - 50, y, button)
        assert hand.stage.view.drag.entity is None
        assert hand.stage.view.camera.x == before


def test_a_drag_that_ends_over_the_panel_lets_go(
    hands: Any, settings: Settings, world: World
) -> None:
    box_in_the_middle(world)
    panel = full(settings)
    hand = hands(panel)
    x, y = hand.stage.pixel_of(0.0, 0.0)
    hand.press(x, y)
    assert hand.stage.view.drag.entity is not None
    left, bottom, width, height = panel.box
    over = (left + 0.5 * width, bottom + 0.5 * height)
    before = (settings.restitution, settings.on)
    hand.drag(*over)
    hand.frame()
    assert hand.stage.view.drag.entity is not None
    hand.release(*over)
    assert hand.stage.view.drag.entity is None
    assert (settings.restitution, settings.on) == before


def test_a_game_sees_its_release_over_the_panel(show: Show, world: World, settings: Any) -> None:
    seen: list[str] = []

    class Game(SimulationView):
        def on_world_press(self, x: float, y: float) -> bool:
            seen.append("press")
            return True

        def on_world_release(self, x: float, y: float) -> None:
            seen.append("release")

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            seen.append("key")

    stage = show(world, Game)
    panel = stage.view.add_panel(Panel())
    number = panel.number(settings, "mass")
    panel.folded = False
    stage.frame()
    left, bottom, _, _ = panel.box
    stage.send("on_mouse_press", 100, 300, LEFT, 0)
    stage.send("on_mouse_release", left + 9, bottom + 9, LEFT, 0)
    assert seen == ["press", "release"]
    stage.send("on_mouse_press", left + 9, bottom + 9, LEFT, 0)
    stage.send("on_mouse_release", 100, 300, LEFT, 0)
    panel.set_focus(number)
    stage.send("on_key_press", key.A, 0)
    assert seen == ["press", "release"]


def test_the_camera_leaves_room(hands: Any, settings: Settings, world: World) -> None:
    for x in (-6.0, 6.0):
        esper.create_entity(Transform(x, 0.0), Velocity(), Shape.box(1, 1), Mass())
    world.gravity = (0.0, 0.0)
    panel = full(settings)
    hand = hands(panel, (1280, 800))
    view = hand.stage.view
    view.fit()
    hand.frame(120)
    (low, _), (high, _) = view.camera.to_screen(-6.5, 0.0), view.camera.to_screen(6.5, 0.0)
    assert low == pytest.approx(60.0, abs=1.0)
    assert high == pytest.approx(panel.box[0] - 8 - 60.0, abs=1.0)
    hand.key(key.P)
    hand.frame(120)
    assert view.camera.to_screen(6.5, 0.0)[0] == pytest.approx(1280 - 60, abs=1.0)
    view.camera.pan(10.0, 0.0)
    moved = view.camera.target_x
    hand.key(key.P)
    hand.frame(30)
    assert view.camera.target_x == moved  # what somebody chose to see stays
    view.look_at(0.0, 0.0, 20.0)
    hand.frame(120)
    assert view.camera.to_screen(-10.0, 0.0)[0] >= -1e-6
    assert view.camera.to_screen(10.0, 0.0)[0] <= panel.box[0]


def test_another_window_comes_to_the_front_during_a_drag(hands: Any, settings: Settings) -> None:
    panel = Panel()
    slider = panel.slider(settings, "restitution", 0, 1)
    hand = hands(panel)
    left, bottom, width, _ = slider.track()
    hand.press(left, bottom)
    hand.stage.send("on_deactivate")
    hand.drag(left + width, bottom)
    assert settings.restitution == 0.0


def test_another_view_is_shown(hands: Any, settings: Settings, world: World) -> None:
    panel = Panel()
    number = panel.number(settings, "mass")
    hand = hands(panel)
    hand.tab_to(number)
    hand.type("5")
    window = hand.stage.window
    window.show_view(SimulationView(world, window=window))
    assert settings.mass == 5.0
    assert panel.focused is None
    window.dispatch_event("on_key_press", key.TAB, 0)
    assert panel.focused is None
