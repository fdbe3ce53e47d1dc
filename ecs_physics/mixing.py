"""Mixing: how the friction and the restitution of two surfaces become those of their contact."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ecs_physics.kernels.mixing import AVERAGE, GEOMETRIC_MEAN, MAXIMUM, MINIMUM, PRODUCT

RULES: Final = {
    "geometric mean": GEOMETRIC_MEAN,
    "average": AVERAGE,
    "minimum": MINIMUM,
    "maximum": MAXIMUM,
    "product": PRODUCT,
}

MixingRule = str | Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Mixing:
    """The rules of a world for its contacts.

    Args:
        friction: "geometric mean", "average", "minimum", "maximum", "product", or a function of
            the two bodies' values, plain or compiled, whose answer is 0 or more and does not
            depend on their order.
        restitution: the same.

    Raises:
        ValueError: for another name, or what cannot be called.
    """

    friction: MixingRule = "geometric mean"
    restitution: MixingRule = "maximum"

    def __post_init__(self) -> None:
        _check(self.friction, "friction")
        _check(self.restitution, "restitution")


def _check(rule: Any, field: str) -> None:
    is_function = callable(rule) and not isinstance(rule, type)
    if not is_function and not (isinstance(rule, str) and rule in RULES):
        names = ", ".join(map(repr, RULES))
        raise ValueError(f"Mixing.{field} = {rule!r}: give one of {names}, or a function (a, b)")
