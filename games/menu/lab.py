"""What the founding labs share: eight steps a frame, a panel, a picked body that turns red."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import esper
import numpy as np

from ecs_physics import Color, Transform, Velocity, World
from games.menu.demo import Demo

if TYPE_CHECKING:
    from ecs_physics.view import Panel
    from games.menu.steps import StepsAFrame
    from games.menu.window import DemoView

FARTHEST: Final = 1e6
"""m. A body in a window that is farther away has been thrown there by a step that is too long."""

PICKED: Final = Color("#E5323B")
"""Of the body that is dragged."""


class Lab(Demo):
    """A textbook system, live: in a window it has a panel with all that can be changed.

    A lab overrides `add_controls`, and its `on_step` calls this one's.
    """

    view: DemoView | None = None
    """The window's view; None in a run without one."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        world.sleep = False  # the textbooks know no sleep: their curves go on

    def dress(self, view: DemoView) -> None:
        """Add the panel, and make eight steps a frame."""
        from ecs_physics.view import Panel
        from games.menu.steps import StepsAFrame

        self.view = view
        self.clock: StepsAFrame = StepsAFrame(view.stepping.dt)
        view.stepping = self.clock
        self._picked: tuple[int, Color] | None = None
        panel = Panel(view.title)
        panel.readout("time", lambda: self.world.time, unit="s", step=0.01)
        panel.readout("a step takes", lambda: view.step_ms, unit="ms", step=0.001)
        if len(self._moving()) > 1:
            panel.readout("moving bodies", lambda: len(self._moving()))
        panel.button("Restart", view.restart)
        panel.button(lambda: "Go on" if self.clock.paused else "Pause", self._pause)
        panel.button("Step", self._step_once)
        panel.number(self.clock, "dt", label="time step", unit="s", low=1e-6, high=0.5)
        self.add_controls(panel)
        panel.number(self.clock, "steps_a_frame", label="steps a frame", low=1, high=100, step=1)
        panel.refresh()
        view.add_panel(panel)

    def add_controls(self, panel: Panel) -> None:
        """Hook: add what can be changed in this lab."""

    def on_step(self, dt: float) -> None:
        """Stop in a window, with a message, where a body has gone to infinity or nearly so."""
        if self.view is None:
            return
        poses = self._moving()
        near = (np.abs(poses["x"]) < FARTHEST) & (np.abs(poses["y"]) < FARTHEST)
        if near.all():
            return
        self.clock.problem = f"Blown up after {self.world.time:.2f} s"
        everything = self.world.columns(Transform)
        for field in ("x", "y", "angle"):  # where it can still be drawn
            numbers = np.nan_to_num(everything[field])
            everything[field] = np.clip(numbers, -FARTHEST, FARTHEST)

    def words(self) -> str:
        """Why it has stopped, if it has."""
        if self.view is None or not self.clock.problem:
            return ""
        return f"{self.clock.problem}. R restarts"

    def mark(self, entity: int | None) -> None:
        """Let the picked body be red, and the one before as it was."""
        before, color = self._picked or (None, None)
        if entity == before:
            return
        if before is not None and color is not None and esper.entity_exists(before):
            esper.add_component(before, color)
        self._picked = None
        if entity is not None:
            self._picked = (entity, esper.component_for_entity(entity, Color))
            esper.add_component(entity, PICKED)

    def _moving(self) -> np.ndarray[Any, Any]:
        """Transforms of the bodies that are not static."""
        poses = self.world.columns(Transform)
        velocities = self.world.columns(Velocity)
        chosen: np.ndarray[Any, Any] = poses[velocities["entity"] != 0]
        return chosen

    def _pause(self) -> None:
        self.clock.paused = not self.clock.paused

    def _step_once(self) -> None:
        self.clock.paused = True
        self.clock.single_step()
