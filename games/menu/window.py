"""The demos in a window: the menu, and each demo's view, from which Esc leads back to it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import arcade

from ecs_physics.view import MenuView, SimulationView, theme
from games.menu.catalogue import Entry
from games.menu.show import Show

WORDS_SIZE: Final = 15.0
"""pt, of a game's words."""
WORDS_BELOW_TOP: Final = 64.0
"""px."""


class DemoView(SimulationView):
    """A running demo in a window: gives it the mouse, and draws what it adds.

    Args:
        show: which one; it stays its owner's, who closes it.
        on_escape: called on Esc.
        window: to show it in; the current one where left out.
    """

    def __init__(
        self,
        show: Show,
        on_escape: Callable[[], object] | None = None,
        window: arcade.Window | None = None,
    ) -> None:
        super().__init__(
            show.world,
            show.start,
            show.entry.title,
            level=show.demo.level,
            on_escape=on_escape,
            dt=show.dt,
            window=window,
        )
        self.demo = show.demo
        self.head_up.set_keys(list((dict(self.demo.KEYS) | self._other_keys()).items()))
        self._shown_before = False
        self._words = arcade.Text(
            "", 0, 0, font_size=WORDS_SIZE, font_name="Liberation Sans", anchor_x="center"
        )
        with self.world:
            self.demo.dress(self)

    def on_show_view(self) -> None:
        """Take the window over, and look where the demo says."""
        super().on_show_view()
        if self.demo.LOOK is not None and not self._shown_before:
            self.look_at(*self.demo.LOOK)
            self.camera.snap()
        self._shown_before = True

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Offer the key to the demo, then do what it does in every view."""
        with self.world:
            self.demo.on_key(symbol)
        super().on_key_press(symbol, modifiers)

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Tell the demo that a key is free again."""
        with self.world:
            self.demo.on_key_release(symbol)

    def on_step(self, dt: float) -> None:
        """Let the demo have its say."""
        self.demo.on_step(dt)

    def on_world_press(self, x: float, y: float) -> bool:
        """Offer the mouse to the demo."""
        return self.demo.on_press(x, y)

    def on_world_drag(self, x: float, y: float) -> None:
        """Tell the demo where the mouse is."""
        self.demo.on_drag(x, y)

    def on_world_release(self, x: float, y: float) -> None:
        """Tell the demo that the mouse is free again."""
        self.demo.on_release(x, y)

    def on_update(self, delta_time: float) -> None:
        """Make the steps that are due, and look at a level that the demo has changed to."""
        super().on_update(delta_time)
        level, before = self.demo.level, self.level
        self.level = level
        if level is None or level.view is None or level is before:
            return
        if before is None or level.view != before.view:
            self.look_at(*level.view.center, level.view.width)

    def on_world_draw(self) -> None:
        """Draw what the demo adds."""
        with self.world:
            self.demo.draw(self.lines)

    def on_screen_draw(self) -> None:
        """Write the demo's words."""
        with self.world:
            words = self.demo.words()
        if words:
            if self._words.text != words:
                self._words.text = words
            self._words.position = (self.window.width // 2, self.window.height - WORDS_BELOW_TOP)
            self._words.color = (*theme().text, 255)
            self._words.draw()

    def _other_keys(self) -> dict[str, str]:
        """The keys that do here what they do everywhere."""
        own = dict(self.demo.KEYS)
        return {key: what for key, what in self.head_up.keys if key not in own}


class Player:
    """The menu in a window, and one demo at a time.

    Args:
        entries: the demos.
        window: to show them in.
    """

    def __init__(self, entries: Sequence[Entry], window: arcade.Window) -> None:
        self.window = window
        self.show: Show | None = None
        self.menu = MenuView(entries, self.open, "Demos", window)

    def open(self, entry: Entry, settings: Mapping[str, Any] | None = None) -> None:
        """Show a demo.

        Raises:
            ValueError: for settings that it refuses.
        """
        self.close()
        self.show = Show(entry, settings or {})
        self.menu.pick(self.menu.entries.index(entry))
        self.window.show_view(DemoView(self.show, self.open_menu, self.window))

    def open_menu(self) -> None:
        """Show the menu, and end the demo."""
        self.window.show_view(self.menu)
        self.close()

    def close(self) -> None:
        """End the demo that is shown, if any."""
        show, self.show = self.show, None
        if show is not None:
            show.close()
