"""A window on a world: it steps, draws, and lets hands in."""

from collections.abc import Callable, Sequence
from math import cos, sin
from time import perf_counter
from typing import Any, Final

import arcade
import numpy as np
from arcade import key
from numpy.typing import NDArray

from ecs_physics.levels import Level, build
from ecs_physics.stages import Stage
from ecs_physics.systems.drag import Drag
from ecs_physics.view.camera import Camera
from ecs_physics.view.debug_layer import DebugLayer
from ecs_physics.view.grid import Grid, step_of
from ecs_physics.view.head_up import HeadUp
from ecs_physics.view.joint_lines import add_joints
from ecs_physics.view.lines import LineBatch
from ecs_physics.view.look import switch_theme, theme
from ecs_physics.view.mouse import Mouse
from ecs_physics.view.panel import Panel
from ecs_physics.view.plot import Plot
from ecs_physics.view.renderer import Renderer
from ecs_physics.view.sidebar import Sidebar, frame
from ecs_physics.view.stepping import FixedStep
from ecs_physics.world import World

DEFAULT_DT: Final = 1.0 / 60.0
"""s, of a step."""
STEP_SMOOTHING: Final = 0.1
"""Weight of the newest step in the shown time of a step."""
FIT_MARGIN: Final = 60.0
"""px. That stay free around what fit() shows."""


class SimulationView(arcade.View):
    """Shows a world in a window, steps it, and lets the mouse pull bodies.

    Keys: space pauses, '.' steps once, R restarts, D toggles the debug layer, F fits the view,
    T changes the theme, ? lists all keys, Esc leaves. The wheel zooms at the cursor, right or
    middle drag pans, left drag pulls a body. With a panel, P folds it and Tab goes to its
    controls; with plots, G folds them and E writes each to out/ as a picture and a table.

    A game derives from it and overrides the hooks: on_step, on_world_draw, on_screen_draw, and
    on_world_press, on_world_drag, on_world_release for the left button.

    Args:
        world: to show; several views may show one world one after the other. Where somebody
            else steps it, as a film without a clock does, the view just draws its last state.
        restart: fills the world again, called with its esper world current; without it R builds
            `level` again, or does nothing where there is none.
        title: of the window while the view is shown; the level's where left out.
        level: that the world was filled from; says the first view and dt where it has them.
        on_escape: called on Esc, to go back to a menu; without it Esc closes the window.
        dt: s, of a step; the level's, or 1/60, where left out.
        window: to show it in; the current one where left out.
    """

    def __init__(
        self,
        world: World,
        restart: Callable[[], object] | None = None,
        title: str | None = None,
        *,
        level: Level | None = None,
        on_escape: Callable[[], object] | None = None,
        dt: float | None = None,
        window: arcade.Window | None = None,
    ) -> None:
        super().__init__(window)
        self.world = world
        self.level = level
        self.title = title or (level.title if level is not None else "") or "ecs_physics"
        self.restart_world = restart
        self.on_escape = on_escape
        self.camera = Camera(self.window)
        self.stepping = FixedStep(dt or (level and level.world.dt) or DEFAULT_DT)
        self.lines = LineBatch(self.window.ctx)
        self.grid = Grid(self.window.ctx)
        self.renderer = Renderer(self.window.ctx, world)
        self.debug_layer = DebugLayer(world)
        self.debug = False
        self.drag = Drag(world)
        self.mouse = Mouse(self.window, world, self.camera, self.drag)
        self.sidebar = Sidebar(self.window, world)
        self.head_up = HeadUp(self.window, self._keys())
        self.step_ms = 0.0
        self._fps = 0.0
        self._fitted = False
        self._framed: tuple[Any, ...] = ()
        self._game_has_mouse = False
        self._own_steps = 0

    # -- hooks ----------------------------------------------------------------------------

    def on_step(self, dt: float) -> None:
        """Hook: called after each step, with the world's esper world current."""

    def on_world_draw(self) -> None:
        """Hook: draw in metres, over the bodies; `self.lines` takes lines, arcade the rest."""

    def on_screen_draw(self) -> None:
        """Hook: draw in pixels, over everything."""

    def on_world_press(self, x: float, y: float) -> bool:
        """Hook: the left button went down at (x, y), m. True takes it until it is released."""
        return False

    def on_world_drag(self, x: float, y: float) -> None:
        """Hook: the mouse, whose left button on_world_press took, is at (x, y), m."""

    def on_world_release(self, x: float, y: float) -> None:
        """Hook: the left button that on_world_press took came up at (x, y), m."""

    # -- what a game may call ---------------------------------------------------------------

    def restart(self) -> None:
        """Fill the world again, and show its beginning from the same place."""
        if self.restart_world is None and self.level is None:
            return
        self.mouse.let_go()
        with self.world:
            if self.restart_world is not None:
                self.restart_world()
            elif self.level is not None:
                self.world.reset()
                self.level = build(self.level, self.world)
        self.stepping.restart()
        for plot in self.plots:
            plot.clear()

    def fit(self) -> None:
        """Ease to where everything that can move is seen, with the ground near it.

        Panel and plots cover none of it.
        """
        bounds = self.renderer.bounds(self._poses())
        if bounds is not None and np.isfinite(bounds).all():
            self._frame(self.fit, bounds[0], bounds[1], FIT_MARGIN)

    def look_at(self, x: float, y: float, width: float) -> None:
        """Ease to where (x, y) is in the middle and what is seen is `width` m wide.

        Panel and plots cover none of what would be seen without them.
        """
        half = (0.5 * width, 0.5 * width * self.camera.height / self.camera.width)
        lower, upper = (x - half[0], y - half[1]), (x + half[0], y + half[1])
        self._frame(lambda: self.look_at(x, y, width), lower, upper, 0.0)

    def add_panel(self, panel: Panel) -> Panel:
        """Show a panel of controls at the right, from now on; return it.

        Raises:
            ValueError: where there is one already: add controls to `view.panel`.
        """
        if self.panel is not None:
            raise ValueError(
                f"the view has a panel, {self.panel.title!r}: add controls to view.panel"
            )
        self.sidebar.panel = panel
        keys = [*self.head_up.keys, ("P", "fold panel"), ("Tab", "next control")]
        self.head_up.set_keys(keys)
        return panel

    def add_plot(self, plot: Plot) -> Plot:
        """Show a plot at the bottom right, below those that are there; return it."""
        if not self.plots:
            keys = [*self.head_up.keys, ("E", "save plots"), ("G", "fold plots")]
            self.head_up.set_keys(keys)
        self.sidebar.plots.append(plot)
        return plot

    @property
    def panel(self) -> Panel | None:
        """The panel that add_panel() was given."""
        return self.sidebar.panel

    @property
    def plots(self) -> list[Plot]:
        """The plots that add_plot() was given."""
        return self.sidebar.plots

    def add_keys(self, *keys: tuple[str, str]) -> None:
        """List more keys at the bottom left: (key, what it does) each."""
        self.head_up.set_keys([*keys, *self.head_up.keys])

    # -- what arcade calls ------------------------------------------------------------------

    def on_show_view(self) -> None:
        """Take the window over."""
        self.world.add_system(self.drag, Stage.FORCES)
        self.window.push_handlers(self.sidebar)
        self.camera.match_window()
        self.window.set_caption(self.title)
        if not self._fitted:
            if self.level is not None and self.level.view is not None:
                self.look_at(*self.level.view.center, self.level.view.width)
            else:
                self.fit()
            self.camera.snap()
            self._fitted = True
        self.head_up.show(**self._numbers())

    def on_hide_view(self) -> None:
        """Give the window back."""
        self.mouse.let_go()
        self.sidebar.let_go()
        self.window.remove_handlers(self.sidebar)
        if not self.world.closed and self.drag in self.world.systems(Stage.FORCES):
            self.world.remove_system(self.drag)

    def on_resize(self, width: int, height: int) -> None:
        """Go on in a window of another size."""
        self.camera.match_window()

    def on_update(self, delta_time: float) -> None:
        """Make the steps that are due after `delta_time` s."""
        self.sidebar.update(delta_time)
        self._frame_again()
        self.camera.update(delta_time)
        self.mouse.update()
        self.stepping.advance(delta_time, self._step)
        self.renderer.picked = self.mouse.picked_row()
        if delta_time > 0.0:
            self._fps += 0.1 * (1.0 / delta_time - self._fps)
        if self.head_up.is_due(delta_time):
            self.head_up.show(**self._numbers())

    def on_draw(self) -> None:
        """Draw the world between its last two steps."""
        self.window.default_camera.use()
        self.window.clear(color=theme().background)
        self.grid.draw(self.camera)
        if self._was_stepped():
            self.head_up.show(**self._numbers())
        poses = self._poses()
        self.renderer.draw(poses, self.camera)
        add_joints(self.lines, self.world, poses)
        if self.debug:
            self.debug_layer.add(self.lines, self.camera)
        picked = self.mouse.picked_row()
        if picked is not None:
            self.mouse.add_line(self.lines, self._held_at(poses[picked]))
        with self.camera.arcade_camera().activate():
            self.on_world_draw()
        self.window.default_camera.use()
        self.lines.draw(self.camera)
        self.head_up.set_message("paused" if self.stepping.paused else "")
        self.head_up.set_color_key(self.debug_layer.key() if self.debug else [])
        self.head_up.draw()
        self.sidebar.draw()
        self.on_screen_draw()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Do what the key says."""
        if symbol == key.SPACE:
            self.stepping.paused = not self.stepping.paused
        elif symbol == key.PERIOD:
            self.stepping.paused = True
            self.stepping.single_step()
        elif symbol == key.R:
            self.restart()
        elif symbol == key.D:
            self.debug = not self.debug
        elif symbol == key.F:
            self.fit()
        elif symbol == key.T:
            switch_theme()
        elif symbol == key.P and self.panel is not None:
            self.panel.folded = not self.panel.folded
        elif symbol == key.G and self.plots:
            folded = not self.plots[0].folded
            for plot in self.plots:
                plot.folded = folded
        elif symbol == key.E and self.plots:
            for plot in self.plots:
                plot.save_shown(self.window)
        elif symbol == key.ESCAPE:
            (self.on_escape or self.window.close)()

    def on_text(self, text: str) -> None:
        """List all keys on '?', wherever the keyboard has it."""
        if text == "?":
            self.head_up.toggle_keys()

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Give the press to the game, or pull, or pan."""
        if button == arcade.MOUSE_BUTTON_LEFT and self.mouse.button is None:
            with self.world:
                self._game_has_mouse = self.on_world_press(*self.camera.to_world(x, y))
            if self._game_has_mouse:
                return
        self.mouse.press(x, y, button)

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        """Tell the game, if it has the mouse; Mouse follows the rest by itself."""
        if self._game_has_mouse:
            with self.world:
                self.on_world_drag(*self.camera.to_world(x, y))

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Tell the game, if it has the mouse; Mouse follows the rest by itself."""
        if self._game_has_mouse and button == arcade.MOUSE_BUTTON_LEFT:
            self._game_has_mouse = False
            with self.world:
                self.on_world_release(*self.camera.to_world(x, y))

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom at the cursor."""
        self.mouse.scroll(x, y, scroll_y)

    # -- inside -----------------------------------------------------------------------------

    def _step(self, dt: float) -> None:
        started = perf_counter()
        self.world.step(dt)
        self._own_steps = self.world.steps
        taken = 1000.0 * (perf_counter() - started)
        self.step_ms += (taken - self.step_ms) * (STEP_SMOOTHING if self.step_ms else 1.0)
        with self.world:
            self.on_step(dt)

    def _frame(
        self,
        again: Callable[[], object],
        lower: Sequence[float] | NDArray[np.float64],
        upper: Sequence[float] | NDArray[np.float64],
        margin: float,
    ) -> None:
        """Show a box, m, where nothing covers it; `again` does so once that place is another."""
        areas = self.sidebar.areas()
        low, high = ((float(x), float(y)) for x, y in (lower, upper))
        frame(self.camera, low, high, areas, margin)
        self._framed = (again, areas, self._camera_target())

    def _frame_again(self) -> None:
        """Once panel or plots are folded or the window's size changes, until somebody moves."""
        if not self.sidebar.is_used or not self._framed:
            return
        again, areas, target = self._framed
        if areas != self.sidebar.areas() and target == self._camera_target():
            again()

    def _camera_target(self) -> tuple[float, float, float]:
        return self.camera.target_x, self.camera.target_y, self.camera.target_pixel

    def _poses(self) -> NDArray[np.float64]:
        return self.world.render.interpolate(1.0 if self._was_stepped() else self.stepping.alpha)

    def _was_stepped(self) -> bool:
        """Whether somebody else has stepped the world: then its last pose is what is now."""
        return self.world.steps != self._own_steps

    def _held_at(self, pose: NDArray[np.float64]) -> tuple[float, float]:
        anchor_x, anchor_y = self.drag.anchor
        x, y, angle = pose.tolist()
        cosine, sine = cos(angle), sin(angle)
        return x + cosine * anchor_x - sine * anchor_y, y + sine * anchor_x + cosine * anchor_y

    def _numbers(self) -> dict[str, Any]:
        return {
            "time": self.world.time,
            "step_ms": self.step_ms,
            "bodies": len(self.world.entities()),
            "contacts": len(self.world.contacts),
            "fps": self._fps,
            "grid": step_of(self.camera),
        }

    def _keys(self) -> list[tuple[str, str]]:
        keys = [
            ("space", "pause"),
            ("'.'", "one step"),
            ("R", "restart"),
            ("D", "debug"),
            ("F", "fit view"),
            ("left drag", "pull a body"),
            ("wheel", "zoom"),
            ("right drag", "move view"),
            ("T", "light or dark"),
            ("Esc", "menu" if self.on_escape else "close"),
            ("?", "fewer keys"),
        ]
        can_restart = self.restart_world is not None or self.level is not None
        return [each for each in keys if each[0] != "R" or can_restart]
