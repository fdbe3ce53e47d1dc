"""Whom a query sees."""

from typing import Final

import numpy as np

from ecs_physics.kernels.compile import Integers, Record, Table, inlined
from ecs_physics.kernels.pair_filter import is_among, passes_filter

SEEKER: Final = np.dtype(
    [
        ("category", "u8"),  # the query's filter, as in TRAITS
        ("mask", "u8"),
        ("group", "i4"),
        ("is_filtered", "?"),  # False: the three above do not count, it sees everything
        ("sees_sensors", "?"),
    ],
    align=True,
)
"""One row: what a query asks for."""


@inlined
def is_seen(leaf: Record, traits: Table, seeker: Record, ignored: Integers) -> bool:
    """Whether a query may find the body of a leaf; `ignored` holds entities, ascending."""
    body = traits[leaf.body]
    if body.is_sensor and not seeker.sees_sensors:
        return False
    if seeker.is_filtered and not passes_filter(seeker, body):
        return False
    return not is_among(leaf.entity, ignored)
