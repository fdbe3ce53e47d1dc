"""How whatever keeps state from step to step gives it to a snapshot, and takes it back."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

_ALIGNMENT: Final = 64

State = Mapping[str, NDArray[Any] | float]
"""Numbers and arrays by name: names and dtypes are the same at all times, lengths may differ."""


class Keeper(Protocol):
    """Something that a snapshot is taken of: a part of the world, or a system.

    What it does from then on must follow from its state alone.
    """

    def state(self) -> State:
        """All that counts, as views of what is in use: whoever wants to keep it makes copies."""

    def take_state(self, state: State) -> None:
        """Become what `state` says, whatever came since; arrays are copied, never kept."""


def is_keeper(thing: Any) -> bool:
    """Whether it is a Keeper; `isinstance` takes long for a protocol."""
    kind = type(thing)
    return hasattr(kind, "state") and hasattr(kind, "take_state")


def copied(states: Mapping[str, State]) -> dict[str, State]:
    """Copies of all arrays, in one piece of memory.

    In one piece, since the system takes back memory that is freed in many, and finding new pages
    for the next copy takes far longer than copying.
    """
    arrays = [each for state in states.values() for each in state.values() if _is_array(each)]
    memory = np.empty(sum(_room(array(each)) for each in arrays), np.uint8)
    copies: dict[str, State] = {}
    at = 0
    for name, state in states.items():
        copies[name] = copy = dict(state)
        for field, value in state.items():
            if isinstance(value, np.ndarray):
                mine = memory[at : at + value.nbytes].view(value.dtype).reshape(value.shape)
                fill(mine, value)
                copy[field] = mine
                at += _room(value)
    return copies


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _room(values: NDArray[Any]) -> int:
    """Bytes for an array, such that the next one is aligned."""
    return -(-values.nbytes // _ALIGNMENT) * _ALIGNMENT


def fill(mine: NDArray[Any], values: NDArray[Any] | float) -> None:
    """Copy `values` over the first rows of an array of the same dtype.

    NumPy copies records field by field, which takes 25 times as long as their bytes.
    """
    given = array(values)
    if mine.dtype.names is None:
        mine[: len(given)] = given
    else:
        given_bytes = given.view(np.uint8)
        mine.view(np.uint8)[: len(given_bytes)] = given_bytes


def array(value: NDArray[Any] | float) -> NDArray[Any]:
    """A value of a state that is an array."""
    assert isinstance(value, np.ndarray)
    return value
