"""Fixed steps out of uneven frames."""

from collections.abc import Callable
from math import isfinite
from typing import Final

MAX_STEPS: Final = 5
"""Steps a frame may catch up with. More: after a stall the scene races; if a step takes longer
than its dt, a frame takes ever longer. Fewer: slow motion on displays that draw seldom."""


class FixedStep:
    """Saves the time that passes and spends it in steps of `dt` s.

    `alpha`, from 0 to 1, is how far the present is between the last two steps: draw there.
    What a frame cannot catch up with in `max_steps` is dropped, so after a stall time stood
    still. While `paused`, single_step() asks for one step.
    """

    def __init__(self, dt: float = 1.0 / 60.0, max_steps: int = MAX_STEPS) -> None:
        if not isinstance(max_steps, int) or max_steps < 1:
            raise ValueError(f"max_steps = {max_steps!r}: give a whole number of at least 1")
        self.max_steps = max_steps
        self.paused = False
        self.dropped = 0.0
        self._saved = 0.0
        self._asked = 0
        self.dt = dt

    @property
    def dt(self) -> float:
        """s. May be changed at any time; how far the present is between two steps stays."""
        return self._dt

    @dt.setter
    def dt(self, value: float) -> None:
        if not isfinite(value) or value <= 0.0:
            raise ValueError(f"dt = {value!r}: give a finite number of seconds above 0")
        alpha = self.alpha if self._saved else 0.0
        self._dt = float(value)
        self._saved = alpha * self._dt

    @property
    def alpha(self) -> float:
        """How far the present is from the last step but one (0) to the last step (1)."""
        return min(self._saved / self._dt, 1.0)

    def single_step(self) -> None:
        """Make one step in the next advance(), even while paused, and show its result."""
        self._asked += 1

    def restart(self) -> None:
        """Forget saved time and steps asked for."""
        self._saved = 0.0
        self._asked = 0
        self.dropped = 0.0

    def advance(self, elapsed: float, step: Callable[[float], object]) -> int:
        """Let `elapsed` s pass: call `step(dt)` as often as is due; return how often.

        An elapsed time that is not a finite number above 0 counts as none.
        """
        asked, self._asked = self._asked, 0
        for _ in range(asked):
            step(self._dt)
        if asked:
            self._saved = self._dt  # so that what was asked for is what is seen
        if self.paused:
            return asked
        if isfinite(elapsed) and elapsed > 0.0:
            self._saved += elapsed
        due = int(self._saved / self._dt * (1.0 + 1e-12))
        made = min(due, self.max_steps)
        if due > made:
            self.dropped += (due - made) * self._dt
        self._saved = max(self._saved - due * self._dt, 0.0)
        for _ in range(made):
            step(self._dt)
        return asked + made
