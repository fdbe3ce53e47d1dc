"""Eight steps a frame: the clock of the labs."""

from collections.abc import Callable
from typing import Final

from ecs_physics.view import FixedStep

MOST: Final = 1000
"""Steps a frame. More: the window no longer answers."""


class StepsAFrame(FixedStep):
    """Makes so many steps each frame, however long a frame and a step are.

    A step that is refused with a ValueError is the last one until restart(): `problem` says why.
    So does whoever writes to `problem`.
    """

    def __init__(self, dt: float, steps_a_frame: int = 8) -> None:
        super().__init__(dt)
        self.steps_a_frame = steps_a_frame
        self.problem = ""
        self._single_steps = 0

    @property
    def steps_a_frame(self) -> int:
        """A whole number from 1 to MOST."""
        return self._steps_a_frame

    @steps_a_frame.setter
    def steps_a_frame(self, value: int) -> None:
        if not isinstance(value, int) or not 1 <= value <= MOST:
            raise ValueError(f"steps_a_frame = {value!r}: give a whole number from 1 to {MOST}")
        self._steps_a_frame = value

    @property
    def alpha(self) -> float:
        """1: the last step is what is drawn."""
        return 1.0

    def single_step(self) -> None:
        """Make one step in the next advance(), even while paused."""
        self._single_steps += 1

    def restart(self) -> None:
        """Forget steps asked for, and the problem."""
        super().restart()
        self._single_steps = 0
        self.problem = ""

    def advance(self, elapsed: float, step: Callable[[float], object]) -> int:
        """Call `step(dt)` as often as a frame asks for; return how often it was made."""
        due, self._single_steps = self._single_steps, 0
        if not self.paused and elapsed > 0.0:
            due += self.steps_a_frame
        made = 0
        while made < due and not self.problem:
            try:
                step(self.dt)
            except ValueError as error:
                self.problem = str(error)
            else:
                made += 1
        return made
