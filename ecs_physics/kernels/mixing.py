"""Rules by name for the friction and the restitution of two surfaces."""

import math
from typing import Final

from numba import types

from ecs_physics.kernels.compile import Integers32, Table, inner, integer, integers32, kernel, table
from ecs_physics.tables import BODY, CONTACT

AS_FOUND: Final = 0
"""Leaves what the narrow phase has written."""
GEOMETRIC_MEAN: Final = 1
AVERAGE: Final = 2
MINIMUM: Final = 3
MAXIMUM: Final = 4
PRODUCT: Final = 5


@kernel(types.void(integer, integer, integer, integers32, table(BODY), table(CONTACT)))
def mix_by_name(
    friction: int,
    restitution: int,
    count: int,
    active: Integers32,
    bodies: Table,
    contacts: Table,
) -> None:
    """Mix what two bodies are like in `count` contacts, by two of the rules above."""
    for k in range(count):
        contact = contacts[active[k]]
        a = bodies[contact.body_a]
        b = bodies[contact.body_b]
        if friction != AS_FOUND:
            contact.friction = mixed(friction, a.friction, b.friction)
        if restitution != AS_FOUND:
            contact.restitution = mixed(restitution, a.restitution, b.restitution)


@inner
def mixed(rule: int, a: float, b: float) -> float:
    """One number for two."""
    if rule == GEOMETRIC_MEAN:
        return math.sqrt(a * b)
    if rule == AVERAGE:
        return 0.5 * (a + b)
    if rule == MINIMUM:
        return min(a, b)
    if rule == MAXIMUM:
        return max(a, b)
    return a * b
