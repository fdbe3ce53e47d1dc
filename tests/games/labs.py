"""What the tests of the labs share: a lab in the window, and hands for it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.__main__ import main
from games.menu.show import Show

if TYPE_CHECKING:
    import arcade
    import pytest

    from ecs_physics.view.controls import Control
    from games.menu.window import DemoView

DATA = Path(__file__).parents[1] / "data"


def reference(name: str) -> Any:
    """The content of a reference file."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def printed(capsys: "pytest.CaptureFixture[str]", name: str, steps: int, *settings: str) -> Any:
    """What a headless run prints."""
    pairs = [word for setting in settings for word in ("--set", setting)]
    assert main([name, "--headless", "--steps", str(steps), *pairs, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@dataclass
class Bench:
    """A lab in the window."""

    window: "arcade.Window"
    view: "DemoView"
    lab: Any

    def frame(self, count: int = 1) -> None:
        """Let `count` frames pass, and draw the last one."""
        for _ in range(count):
            self.window.dispatch_event("on_update", 1 / 60)
        self.window.dispatch_event("on_draw")

    def key(self, symbol: int) -> None:
        self.window.dispatch_event("on_key_press", symbol, 0)
        self.window.dispatch_event("on_key_release", symbol, 0)

    def press(self, x: float, y: float) -> None:
        """Press the left button at a place of the world, m."""
        self.window.dispatch_event("on_mouse_press", *self.view.camera.to_screen(x, y), 1, 0)

    def drag(self, x: float, y: float) -> None:
        at = self.view.camera.to_screen(x, y)
        self.window.dispatch_event("on_mouse_drag", *at, 1, 0, 1, 0)

    def release(self, x: float, y: float) -> None:
        self.window.dispatch_event("on_mouse_release", *self.view.camera.to_screen(x, y), 1, 0)

    def control(self, words: str) -> "Control":
        """The control with that label."""
        assert self.view.panel is not None
        found = [each for each in self.view.panel.controls if each.words == words]
        assert len(found) == 1, words
        return found[0]

    def show_control(self, words: str) -> "Control":
        """The same, with the panel unfolded and scrolled to it."""
        panel = self.view.panel
        assert panel is not None
        panel.folded = False
        self.frame(0)
        control = self.control(words)
        panel.set_focus(control)
        panel.set_focus(None)
        self.frame(0)
        return control

    def click(self, words: str, part: float = 0.5) -> None:
        """Click a control, at a part of its width."""
        control = self.show_control(words)
        assert self.view.panel is not None
        left, bottom, width, height = control.box
        x = round(left + part * width)
        y = round(bottom + height - min(height, 30) + 8 + self.view.panel._lift)
        self.window.dispatch_event("on_mouse_press", x, y, 1, 0)
        self.window.dispatch_event("on_mouse_release", x, y, 1, 0)
        self.frame(0)

    def type(self, words: str, text: str) -> None:
        """Type a number into a field, and press Enter."""
        from arcade import key

        self.click(words, 0.7)
        self.window.dispatch_event("on_key_press", key.A, key.MOD_ACCEL)
        for each in text:
            self.window.dispatch_event("on_text", each)
        self.key(key.ENTER)
        self.frame(0)


def on_bench(window: "arcade.Window", running: Show) -> Bench:
    """Show a lab in the window."""
    from games.menu.window import DemoView

    view = DemoView(running, window=window)
    window.show_view(view)
    bench = Bench(window, view, running.demo)
    bench.frame(0)
    return bench


ShowLab = Callable[..., Show]
