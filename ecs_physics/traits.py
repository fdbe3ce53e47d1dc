"""Components that say how a body takes part: whom it meets, and whether it may pass or rest.

All are plain values that any number of entities may share.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ecs_physics import constants
from ecs_physics.components import not_negative, number, positive

ALL_BITS: Final = 2**64 - 1
"""A mask that meets every category."""

_MOST_GROUPS: Final = 2**31 - 1


def _bits(value: Any, name: str) -> int:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not -(2**63) <= int(value) <= ALL_BITS:
        raise ValueError(f"{name} = {value!r}: give 64 bits, a whole number from 0 to 2**64 - 1")
    return int(value) & ALL_BITS


@dataclass(frozen=True, slots=True)
class Filter:
    """Whom a body meets: A and B do where each one's mask holds a category of the other's.

    Args:
        category: 64 bits, the categories of this body.
        mask: 64 bits, the categories that it meets; -1 is all of them.
        group: bodies of one group other than 0 always meet where it is positive, and never where
            it is negative, whatever their masks say.

    Raises:
        ValueError: for what is no whole number of that size.
    """

    category: int = 1
    mask: int = ALL_BITS
    group: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "category", _bits(self.category, "Filter.category"))
        object.__setattr__(self, "mask", _bits(self.mask, "Filter.mask"))
        is_whole = isinstance(self.group, (int, np.integer)) and not isinstance(self.group, bool)
        if not is_whole or abs(self.group) > _MOST_GROUPS:
            raise ValueError(
                f"Filter.group = {self.group!r}: give a whole number of at most {_MOST_GROUPS}"
            )
        object.__setattr__(self, "group", int(self.group))


@dataclass(frozen=True, slots=True)
class Sensor:
    """Makes a body notice what overlaps it, instead of touching it."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """Lets a body not pass through other dynamic bodies, at any speed.

    Through static and kinematic ones no body passes, with or without it.
    """


@dataclass(frozen=True, slots=True)
class OneWay:
    """Makes a body stop others from one side only, as a platform that one jumps up through.

    Args:
        x: of the direction, in the shape's axes, in which the stopping side faces: (0, 1) is the
            top. Its length does not matter.
        y: of the same.

    Raises:
        ValueError: for a direction without a length.
    """

    x: float = 0.0
    y: float = 1.0

    def __post_init__(self) -> None:
        x, y = number(self.x, "OneWay.x"), number(self.y, "OneWay.y")
        length = math.hypot(x, y)
        if length == 0.0:
            raise ValueError("OneWay(x=0, y=0) has no direction: (0, 1) stops from above")
        object.__setattr__(self, "x", x / length)
        object.__setattr__(self, "y", y / length)


@dataclass(frozen=True, slots=True)
class SleepThreshold:
    """When a body counts as resting; one island sleeps when all of its bodies do.

    Args:
        speed: m/s, below which it must be, the speed of its outermost point as it turns included.
            0: it never sleeps.
        time: s, for which it must be so.

    Raises:
        ValueError: for a speed below 0, or a time that is not above 0.
    """

    speed: float = constants.SLEEP_SPEED
    time: float = constants.SLEEP_TIME

    def __post_init__(self) -> None:
        object.__setattr__(self, "speed", not_negative(self.speed, "SleepThreshold.speed"))
        object.__setattr__(self, "time", positive(self.time, "SleepThreshold.time"))


@dataclass(frozen=True, slots=True)
class Disabled:
    """Takes a body out of the simulation as long as its entity has this; its values stay."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits of one body, as its row of TRAITS is made from them."""

    filter: Filter = field(default_factory=Filter)
    sensor: Sensor | None = None
    bullet: Bullet | None = None
    one_way: OneWay | None = None
    sleep: SleepThreshold | None = None

    @classmethod
    def of(cls, components: dict[type[Any], Any]) -> "Traits":
        """Those among an entity's components."""
        if _KINDS.isdisjoint(components):
            return NO_TRAITS
        return cls(
            components.get(Filter, _DEFAULT_FILTER),
            components.get(Sensor),
            components.get(Bullet),
            components.get(OneWay),
            components.get(SleepThreshold),
        )

    def row(self, entity: int) -> tuple[Any, ...]:
        """The row of TRAITS."""
        side = (0.0, 0.0) if self.one_way is None else (self.one_way.x, self.one_way.y)
        rest = (math.nan, math.nan) if self.sleep is None else (self.sleep.speed, self.sleep.time)
        return (
            entity,
            self.filter.category,
            self.filter.mask,
            self.filter.group,
            self.sensor is not None,
            self.bullet is not None,
            self.one_way is not None,
            *side,
            *rest,
        )

    def meets_as(self, other: "Traits") -> bool:
        """Whether both have the same contacts."""
        return (
            self.filter == other.filter
            and self.sensor == other.sensor
            and self.one_way == other.one_way
        )


_DEFAULT_FILTER: Final = Filter()
NO_TRAITS: Final = Traits(_DEFAULT_FILTER)
TRAIT_COMPONENTS: Final = (Filter, Sensor, Bullet, OneWay, SleepThreshold)
_KINDS: Final = frozenset(TRAIT_COMPONENTS)
