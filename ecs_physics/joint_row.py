"""A joint as a row of JOINT, whose fields are its properties, checked when they are written."""

import inspect
import math
from collections.abc import Callable
from typing import Any, ClassVar, Final, Self

import numpy as np

from ecs_physics.components import entity_id, not_negative, number, point, yes_or_no
from ecs_physics.kernels.joint_lists import JOINT

_DEFAULTS: Final[dict[str, Any]] = {
    "axis_x": 1.0,
    "length": math.nan,
    "angle": math.nan,
    "lower": -math.inf,
    "upper": math.inf,
    "damping_ratio": 1.0,
    "angular_damping_ratio": 1.0,
    "ratio": 1.0,
    "step": 1.0,
    "click": math.nan,
    "break_force": math.inf,
    "break_torque": math.inf,
    "row_a": -1,
    "row_b": -1,
}
_PLACE: Final = {"entity", "row_a", "row_b", "rests", "body_a", "body_b"}
"""Fields that say where a joint is; the others say what it is like."""


# -- checks: each returns a value as the row holds it, or raises ValueError that names it ------


def most(value: Any, name: str) -> float:
    """A number of at least 0, or infinity."""
    return math.inf if _is(value, math.inf) else not_negative(value, name)


def seen(value: Any, name: str) -> float:
    """A number; None is what the joint finds when it first sees its bodies."""
    return math.nan if value is None else number(value, name)


def seen_length(value: Any, name: str) -> float:
    """A number of at least 0; None as for `seen`."""
    return math.nan if value is None else not_negative(value, name)


def factor(value: Any, name: str) -> float:
    """A number other than 0."""
    converted = number(value, name)
    if converted == 0.0:
        raise ValueError(f"{name} = {value!r}: give a number other than 0")
    return converted


def direction(value: Any, name: str) -> tuple[float, float]:
    """The unit vector along (x, y)."""
    x, y = point(value, name)
    length = math.hypot(x, y)
    if length == 0.0:
        raise ValueError(f"{name} = {value!r} has no direction")
    return x / length, y / length


def _is(value: Any, infinity: float) -> bool:
    return isinstance(value, (float, np.floating)) and bool(value == infinity)


# -- properties --------------------------------------------------------------------------------


class Value:
    """A property of a joint that is one field of its row.

    Args:
        check: takes a value and what to call it, and returns it as the row holds it.
        doc: what the property is.
        field: of JOINT; left out where it is called as the property is.
    """

    name: str

    def __init__(self, check: Callable[[Any, str], Any], doc: str, field: str = "") -> None:
        self.check = check
        self.field = field
        self.__doc__ = doc

    def __set_name__(self, kind: type, name: str) -> None:
        self.name = name
        self.field = self.field or name

    def __get__(self, joint: "Joint | None", kind: Any = None) -> Any:
        if joint is None:
            return self
        value = joint._record[self.field].item()
        return None if value != value else value

    def __set__(self, joint: "Joint", value: Any) -> None:
        joint._write({self.field: self.check(value, self.name_in(joint))})

    def name_in(self, joint: "Joint") -> str:
        """What errors call it."""
        return f"{type(joint).__name__}.{self.name}"


class Pair(Value):
    """A property (x, y) that is two fields; `field` is what their names have in common."""

    def __get__(self, joint: "Joint | None", kind: Any = None) -> Any:
        if joint is None:
            return self
        return joint._record[f"{self.field}x"].item(), joint._record[f"{self.field}y"].item()

    def __set__(self, joint: "Joint", value: Any) -> None:
        x, y = self.check(value, self.name_in(joint))
        joint._write({f"{self.field}x": x, f"{self.field}y": y})


class Limit(Value):
    """One of two limits, `lower` and `upper`; the infinity on its side is none."""

    def __set__(self, joint: "Joint", value: Any) -> None:
        none = -math.inf if self.field == "lower" else math.inf
        limit = none if _is(value, none) else self.check(value, self.name_in(joint))
        limits = {end: joint._record[end].item() for end in ("lower", "upper")}
        limits[self.field] = limit
        if limits["lower"] > limits["upper"]:
            raise ValueError(
                f"{self.name_in(joint)} = {value!r}: the lower limit {limits['lower']} "
                f"would be above the upper one, {limits['upper']}; write the other one first"
            )
        joint._write({self.field: limit})


class Joint:
    """What all joints have in common.

    `_record` is a row of JOINT: one of its own while the joint is alone, and the table's while it
    is part of a world.
    """

    __slots__ = ("_record", "_row", "_table")

    TYPE: ClassVar[int]
    ARGUMENTS: ClassVar[tuple[str, ...]]
    """The arguments of its constructor but for the bodies, each a property of the same name."""

    _record: Any
    _table: Any
    _row: int

    anchor_a = Pair(point, "The point on A, m.")
    anchor_b = Pair(point, "The point on B or in the world, m.")
    break_force = Value(most, "N, at which the joint breaks.")
    break_torque = Value(most, "N m, at which it breaks.")
    collide_connected = Value(yes_or_no, "Whether A and B touch each other.")

    def __init_subclass__(cls) -> None:
        if "TYPE" in vars(cls):  # else a user's class of joints of one of the kinds
            names = inspect.signature(cls).parameters
            cls.ARGUMENTS = tuple(name for name in names if name not in {"body_a", "body_b"})

    def _hold(self, body_a: int, body_b: int | None, arguments: dict[str, Any]) -> None:
        """Be alone, with the bodies and the values that the constructor was given."""
        self._join(body_a, body_b)
        for name in self.ARGUMENTS:
            setattr(self, name, arguments[name])

    def _join(self, body_a: int, body_b: int | None) -> None:
        """Be alone, between these bodies."""
        name = type(self).__name__
        a = entity_id(body_a, f"{name}.body_a")
        b = 0 if body_b is None else entity_id(body_b, f"{name}.body_b")
        if a == b:
            raise ValueError(f"{name}.body_b = {body_b!r} is body_a too: give two bodies")
        self._be_alone(np.zeros(1, JOINT)[0])
        self._write({**_DEFAULTS, "type": self.TYPE, "body_a": a, "body_b": b})

    def _write(self, fields: dict[str, Any]) -> None:
        """Write values, which count from the next step on."""
        for field, value in fields.items():
            self._record[field] = value
        if self._table is not None:
            self._table.note(self._row)

    def check_owner(self, entity: int, table: Any = None) -> None:
        """Refuse to belong to two entities.

        Raises:
            ValueError: where the joint is another entity's.
        """
        held = int(self._record["entity"])
        is_elsewhere = table is not None and self._table not in (None, table)
        if is_elsewhere or held not in (0, entity):
            raise ValueError(
                f"{self!r} of entity {held} was given to entity {entity} as well: each needs one "
                "of its own (copy.copy(joint) makes one)"
            )

    def claim(self, entity: int) -> None:
        """Belong to an entity, though no step has seen it yet."""
        if self._table is None:
            self._record["entity"] = entity

    def bind(self, table: Any, row: int, entity: int) -> None:
        """Live in a row of a table from now on."""
        self._record["entity"] = entity
        table.rows[row] = self._record
        self.look_at(table, row)

    def look_at(self, table: Any, row: int) -> None:
        """Live in a row of a table that holds its values already."""
        self._table = table
        self._row = row
        self._record = table.rows[row]

    def _be_alone(self, record: Any) -> None:
        """Live in a row of its own from now on."""
        self._table = None
        self._row = -1
        self._record = record

    def _state(self) -> tuple[Any, ...] | None:
        """Its values while it is alone; None in a world, whose table has them."""
        return None if self._table is not None else tuple(self._record.item())

    def _take_state(self, state: tuple[Any, ...] | None) -> None:
        """Take such values; a table has given the others theirs."""
        if state is not None:
            self._be_alone(np.array([state], JOINT)[0])

    def release(self) -> None:
        """Be alone again, with the last values."""
        if self._table is not None:
            self._be_alone(np.array([self._record.item()], JOINT)[0])
            self._write({"row_a": -1, "row_b": -1})
        self._record["entity"] = 0

    @property
    def body_a(self) -> int:
        """Entity of the first body."""
        return int(self._record["body_a"])

    @property
    def body_b(self) -> int | None:
        """Entity of the second body; None where it is the world."""
        return int(self._record["body_b"]) or None

    @property
    def force(self) -> tuple[float, float, float]:
        """x and y (N) and torque (N m) on A, the mean over the last step."""
        if self._table is None:
            return 0.0, 0.0, 0.0
        force: tuple[float, float, float] = self._table.force_of(self._row)
        return force

    def arguments(self) -> dict[str, Any]:
        """What its constructor takes, but for the bodies."""
        return {name: getattr(self, name) for name in self.ARGUMENTS}

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"{type(self).__name__}({self.body_a}, {self.body_b}, {values})"

    def __copy__(self) -> Self:
        """A copy is alone: it belongs to no entity yet."""
        return self.between(self.body_a, self.body_b)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def between(self, body_a: int, body_b: int | None) -> Self:
        """A new joint with the same values between other bodies."""
        copied = type(self).__new__(type(self))
        copied._join(body_a, body_b)
        shared = [field for field in JOINT.names or () if field not in _PLACE]
        copied._write({field: self._record[field] for field in shared})
        return copied
