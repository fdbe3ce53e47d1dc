"""Which two bodies may make a contact at all."""

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.compile import Integers, Record, Table, inlined, inner
from ecs_physics.tables import DYNAMIC, SLEEPING


@inner
def may_meet(first: int, second: int, bodies: Table, traits: Table, excluded: Integers) -> bool:
    """Whether the bodies in two rows may touch, or one of them, a sensor, may notice the other.

    Something must be able to move the two apart, or one be a sensor; sensors do not notice each
    other. `excluded` holds what `pair_key` gives for pairs that a joint keeps from colliding,
    ascending.
    """
    a = traits[first]
    b = traits[second]
    if a.is_sensor or b.is_sensor:
        if a.is_sensor and b.is_sensor:
            return False
    elif not can_be_pushed(bodies[first]) and not can_be_pushed(bodies[second]):
        return False
    return passes_filter(a, b) and not is_among(pair_key(first, second), excluded)


@inlined
def can_be_pushed(body: Record) -> bool:
    """Whether a body is dynamic, awake or not."""
    return body.kind == DYNAMIC or body.kind == SLEEPING


@inlined
def passes_filter(a: Record, b: Record) -> bool:
    """Whether the Filters of two bodies let them meet."""
    if a.group == b.group and a.group != 0:
        return bool(a.group > 0)
    zero = np.uint64(0)
    return bool((a.category & b.mask) != zero and (b.category & a.mask) != zero)


@inlined
def pair_key(first: int, second: int) -> np.int64:
    """One number for two rows, whichever comes first."""
    low = np.int64(min(first, second))
    high = np.int64(max(first, second))
    return (low << 32) | high


@inlined
def is_among(key: np.int64, ascending: NDArray[np.int64]) -> bool:
    """Whether a sorted array holds a number."""
    low = 0
    high = ascending.shape[0]
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < key:
            low = middle + 1
        else:
            high = middle
    return bool(low < ascending.shape[0] and ascending[low] == key)
