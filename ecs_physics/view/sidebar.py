"""What stands beside a scene: a panel at the right, plots at the bottom right."""

from typing import Final

import arcade

from ecs_physics.view.camera import Camera
from ecs_physics.view.canvas import Box, is_in
from ecs_physics.view.head_up import STRIP
from ecs_physics.view.panel import Panel
from ecs_physics.view.plot import HEADER, Plot
from ecs_physics.world import World

MARGIN: Final = 8
"""px. Around the panel and the plots."""
NARROWEST: Final = 280
"""px. Width of panel and plots in narrow windows."""
WIDEST: Final = 380
"""px. In wide ones."""
SHARE: Final = 0.24
"""Of the window's width, in between."""
PANEL_FITS: Final = (1000, 460)
"""px. In a window narrower or lower than this the panel folds."""
PLOT_FITS: Final = (640, 420)
"""px. In a window narrower or lower than this the plots fold: they would cover its middle."""
TALLEST_PLOT: Final = 220
"""px."""
PLOT_SHARE: Final = 0.6
"""Of the height, that plots take at most together."""


class Sidebar:
    """Lays out a panel and plots, draws them, and takes the mouse and the keys meant for them.

    Its handlers stand above those of the view in the window's stack, so that a key typed into a
    field is no command to the scene. A release is kept from the scene only where the press was.
    """

    def __init__(self, window: arcade.Window, world: World) -> None:
        self.panel: Panel | None = None
        self.plots: list[Plot] = []
        self._window = window
        self._world = world
        self._has_mouse = False

    @property
    def is_used(self) -> bool:
        """Whether there is anything in it."""
        return self.panel is not None or bool(self.plots)

    def areas(self) -> list[Box]:
        """Where the scene is seen whole: boxes that nothing covers, px; the largest ones."""
        width, height = self._window.get_size()
        self._lay_out()
        plots = [plot for plot in self.plots if not plot.folded]
        panel_open = self.panel is not None and not self.panel.folded
        if not plots and not panel_open:
            return [(0.0, 0.0, float(width), float(height))]
        inside = float(height - 2 * STRIP)
        areas = [(0.0, float(STRIP), width - _column(width) - 2.0 * MARGIN, inside)]
        if not panel_open:
            top = max(plot.box[1] + plot.box[3] for plot in plots) + MARGIN
            areas.append((0.0, top, float(width), max(height - STRIP - top, 1.0)))
        return areas

    def update(self, elapsed: float) -> None:
        """Let `elapsed` s pass."""
        if self.panel is not None:
            with self._world:
                self.panel.update(elapsed)

    def draw(self) -> None:
        """Draw everything, in the window's pixels."""
        self._lay_out()
        for plot in self.plots:
            plot.draw(self._window)
        if self.panel is not None:
            with self._world:
                self.panel.draw(self._window)

    def let_go(self) -> None:
        """Forget the mouse and the keyboard, where the view is hidden."""
        self._has_mouse = False
        if self.panel is not None and not self._world.closed:
            with self._world:
                self.panel.set_focus(None)

    def covers(self, x: float, y: float) -> bool:
        """Whether the panel or a plot is at a pixel."""
        on_panel = self.panel is not None and self.panel.covers(x, y)
        return on_panel or any(is_in(plot.box, x, y) for plot in self.plots)

    def _lay_out(self) -> None:
        width, height = self._window.get_size()
        column, right = _column(width), width - MARGIN
        y = float(STRIP + MARGIN)
        top = float(height - STRIP - MARGIN)
        for plot in self.plots:
            plot.small_window = width < PLOT_FITS[0] or height < PLOT_FITS[1]
        each = min(TALLEST_PLOT, PLOT_SHARE * (top - y) / max(len(self.plots), 1) - MARGIN)
        for plot in reversed(self.plots):
            _, bottom, _, tall = plot.place(right, y, column, max(each, 3.0 * HEADER))
            y = bottom + tall + MARGIN
        if self.panel is not None:
            self.panel.small_window = width < PANEL_FITS[0] or height < PANEL_FITS[1]
            with self._world:
                self.panel.place(right, top, column, max(top - y, 120.0))

    # -- what the window calls --------------------------------------------------------------

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        """Take a press on the panel or a plot; elsewhere the keyboard goes back to the scene."""
        self._lay_out()
        with self._world:
            if not self.covers(x, y):
                if self.panel is not None and self.panel.focused is not None:
                    self.panel.set_focus(None)
                return False
            self._has_mouse = True
            if button != arcade.MOUSE_BUTTON_LEFT:
                return True
            if self.panel is not None and self.panel.covers(x, y):
                self.panel.press(x, y)
                return True
            for plot in self.plots:
                if is_in(plot.box, x, y):
                    plot.press(x, y, self._window)
        return True

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> bool:
        """Follow what was pressed here, wherever the mouse goes."""
        if self._has_mouse and self.panel is not None and buttons & arcade.MOUSE_BUTTON_LEFT:
            with self._world:
                self.panel.drag(x, y)
        return self._has_mouse

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        """End what was pressed here; a drag that began in the scene ends there."""
        if not self._has_mouse:
            return False
        self._has_mouse = False
        if self.panel is not None and button == arcade.MOUSE_BUTTON_LEFT:
            with self._world:
                self.panel.release(x, y)
        return True

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> bool:
        """Light up what the mouse is on."""
        if self.panel is not None:
            with self._world:
                self.panel.hover(x, y)
        return self.covers(x, y)

    def on_mouse_leave(self, x: float, y: float) -> None:
        """The mouse is on nothing."""
        if self.panel is not None:
            self.panel.hover(-1.0, -1.0)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        """Scroll the panel; the scene is not zoomed from here."""
        if not self.covers(x, y):
            return False
        if self.panel is not None and self.panel.covers(x, y):
            self.panel.scroll(x, y, scroll_y)
        return True

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        """Take keys meant for a control."""
        if self.panel is None:
            return False
        with self._world:
            return self.panel.key_press(symbol, modifiers)

    def on_text(self, text: str) -> bool:
        """Take text typed into a field."""
        return self.panel is not None and self.panel.text(text)

    def on_text_motion(self, motion: int) -> bool:
        """Take arrows and other motion keys meant for a control."""
        return self._motion(motion, select=False)

    def on_text_motion_select(self, motion: int) -> bool:
        """The same with Shift held."""
        return self._motion(motion, select=True)

    def on_deactivate(self) -> None:
        """Let the mouse go where another window comes to the front."""
        if self._has_mouse and self.panel is not None:
            with self._world:
                self.panel.release(-1.0, -1.0)
        self._has_mouse = False

    def _motion(self, motion: int, *, select: bool) -> bool:
        if self.panel is None:
            return False
        with self._world:
            return self.panel.text_motion(motion, select=select)


def frame(
    camera: Camera,
    lower: tuple[float, float],
    upper: tuple[float, float],
    areas: list[Box],
    margin: float = 0.0,
) -> None:
    """Ease to where the box from `lower` to `upper`, m, is in the middle of a free area.

    Of `areas`, px, the one is taken that shows it largest; `margin` px around it stay free.
    """
    size = [max(high - low, 1e-3) for low, high in zip(lower, upper, strict=True)]

    def zoom_in(area: Box) -> float:
        room = [max(side - 2.0 * margin, 0.5 * side) for side in area[2:]]
        return min(room[0] / size[0], room[1] / size[1])

    left, bottom, width, height = max(areas, key=zoom_in)
    zoom = zoom_in((left, bottom, width, height))
    beside = (left + 0.5 * (width - camera.width), bottom + 0.5 * (height - camera.height))
    camera.move_to(
        0.5 * (lower[0] + upper[0]) - beside[0] / zoom,
        0.5 * (lower[1] + upper[1]) - beside[1] / zoom,
        zoom,
    )


def _column(width: float) -> float:
    return min(max(SHARE * width, NARROWEST), WIDEST)
