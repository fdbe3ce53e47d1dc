"""SensorTable: what overlaps each sensor, and what began and ended to do so in the last step."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_NONE: Final[NDArray[np.int64]] = np.zeros(0, np.int64)
_LOW: Final = 0xFFFFFFFF
_STATE: Final = ("keys", "begun", "ended", "crossed")


class SensorTable:
    """Pairs of a sensor and a visitor, by entity.

    `keys` are the pairs that overlap as of the end of the last step, `begun` and `ended` those
    that began and ended to do so in that step, and `crossed` those that did both within it: one
    number a pair, the sensor's entity shifted left by 32 plus the visitor's; ascending.
    """

    def __init__(self) -> None:
        self.keys = _NONE
        self.begun = _NONE
        self.ended = _NONE
        self.crossed = _NONE

    def note(self, overlapping: NDArray[np.int64], crossed: NDArray[np.int64]) -> None:
        """Take over what a step has found, each pair any number of times and in any order."""
        keys = np.unique(overlapping) if len(overlapping) else _NONE
        if not len(crossed) and np.array_equal(keys, self.keys):
            self.begun = self.ended = self.crossed = _NONE
            return
        self.begun = np.setdiff1d(keys, self.keys, assume_unique=True)
        self.ended = np.setdiff1d(self.keys, keys, assume_unique=True)
        self.crossed = np.setdiff1d(crossed, np.concatenate([keys, self.keys]))
        self.keys = keys

    def visitors(self, sensor: int) -> list[int]:
        """The entities that overlap a sensor, ascending."""
        first, last = np.searchsorted(self.keys, [sensor << 32, (sensor + 1) << 32])
        visitors: list[int] = (self.keys[first:last] & _LOW).tolist()
        return visitors

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, for a snapshot."""
        return {name: getattr(self, name) for name in _STATE}

    def take_state(self, state: dict[str, Any]) -> None:
        """Be as `state` says."""
        for name in _STATE:
            setattr(self, name, np.array(state[name], np.int64))


def columns(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sensors and the visitors of pairs."""
    return keys >> 32, keys & _LOW
