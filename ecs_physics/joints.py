"""Joints: what holds, drives or limits two bodies. Give each to an entity of its own.

`esper.create_entity(RevoluteJoint(wheel, car, anchor_b=(1, -0.5)))`. All of them measure the motion
of A as B sees it; where B is left out, it is the world. Anchors are points in the coordinates of
the bodies' shapes, those of a world in its own. Values are properties; a new one counts from the
next step on. A joint whose body is deleted goes as well, one whose body is disabled rests.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Final, Self

import numpy as np

from ecs_physics.components import entity_id, not_negative, number, point, positive, yes_or_no
from ecs_physics.kernels import joint_lists
from ecs_physics.kernels.joint_lists import JOINT

_COMMON: Final = ("anchor_a", "anchor_b", "break_force", "break_torque", "collide_connected")
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


def _bound(value: Any, field: str, none: float) -> float:
    """A number, or the infinity that says that there is no such limit."""
    if isinstance(value, (float, np.floating)) and value == none:
        return none
    return number(value, field)


def _most(value: Any, field: str) -> float:
    """A number of at least 0, or infinity."""
    if isinstance(value, (float, np.floating)) and value == math.inf:
        return math.inf
    return not_negative(value, field)


def _seen(value: Any, field: str) -> float:
    """A number; None is what the joint finds when it first sees its bodies."""
    return math.nan if value is None else number(value, field)


def _seen_length(value: Any, field: str) -> float:
    return math.nan if value is None else not_negative(value, field)


def _factor(value: Any, field: str) -> float:
    factor = number(value, field)
    if factor == 0.0:
        raise ValueError(f"{field} = {value!r}: give a number other than 0")
    return factor


def _value(field: str, name: str, check: Callable[[Any, str], Any], doc: str) -> Any:
    """A property that is one field of the joint's row."""

    def read(self: "Joint") -> Any:
        value = self._record[field].item()
        return None if value != value else value

    def write(self: "Joint", value: Any) -> None:
        self._write({field: check(value, f"{type(self).__name__}.{name}")})

    return property(read, write, doc=doc)


def _pair(fields: tuple[str, str], name: str, doc: str) -> Any:
    """A property that is two fields of the joint's row."""

    def read(self: "Joint") -> Any:
        return self._record[fields[0]].item(), self._record[fields[1]].item()

    def write(self: "Joint", value: Any) -> None:
        self._write(dict(zip(fields, point(value, f"{type(self).__name__}.{name}"), strict=True)))

    return property(read, write, doc=doc)


def _limit(field: str, name: str, doc: str) -> Any:
    """A property that is one of two limits."""
    none = -math.inf if field == "lower" else math.inf

    def read(self: "Joint") -> Any:
        return self._record[field].item()

    def write(self: "Joint", value: Any) -> None:
        limits = {"lower": self._record["lower"].item(), "upper": self._record["upper"].item()}
        limits[field] = _bound(value, f"{type(self).__name__}.{name}", none)
        if limits["lower"] > limits["upper"]:
            raise ValueError(
                f"{type(self).__name__}.{name} = {value!r}: the lower limit {limits['lower']} "
                f"would be above the upper one, {limits['upper']}; write the other one first"
            )
        self._write(limits)

    return property(read, write, doc=doc)


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

    anchor_a = _pair(("anchor_ax", "anchor_ay"), "anchor_a", "The point on A, m.")
    anchor_b = _pair(("anchor_bx", "anchor_by"), "anchor_b", "The point on B or in the world, m.")
    break_force = _value("break_force", "break_force", _most, "N, at which the joint breaks.")
    break_torque = _value("break_torque", "break_torque", _most, "N m, at which it breaks.")
    collide_connected = _value(
        "collide_connected", "collide_connected", yes_or_no, "Whether A and B touch each other."
    )

    def _hold(self, body_a: int, body_b: int | None, values: dict[str, Any]) -> None:
        """Be alone, with these bodies and values."""
        name = type(self).__name__
        a = entity_id(body_a, f"{name}.body_a")
        b = 0 if body_b is None else entity_id(body_b, f"{name}.body_b")
        if a == b:
            raise ValueError(f"{name}.body_b = {body_b!r} is body_a too: give two bodies")
        self._table = None
        self._row = -1
        self._record = np.zeros(1, JOINT)[0]
        for field, value in _DEFAULTS.items():
            self._record[field] = value
        self._record["type"] = self.TYPE
        self._record["body_a"] = a
        self._record["body_b"] = b
        lower, upper = values.pop("lower", None), values.pop("upper", None)
        for argument, value in values.items():
            setattr(self, argument, value)
        if lower is not None and upper is not None:
            self.lower = lower
            self.upper = upper

    lower: Any
    upper: Any

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
        self._table = table
        self._row = row
        self._record = table.rows[row]

    def look_at(self, table: Any, row: int) -> None:
        """Live in a row of a table that holds its values already."""
        self._table = table
        self._row = row
        self._record = table.rows[row]

    def _state(self) -> tuple[Any, ...] | None:
        """Its values while it is alone; None in a world, whose table has them."""
        return None if self._table is not None else tuple(self._record.item())

    def _take_state(self, state: tuple[Any, ...] | None) -> None:
        """Take such values; a table has given the others theirs."""
        if state is not None:
            self._table = None
            self._row = -1
            self._record = np.array([state], JOINT)[0]

    def release(self) -> None:
        """Be alone again, with the last values."""
        if self._table is None:
            self._record["entity"] = 0
            return
        record = np.zeros(1, JOINT)[0]
        for field in JOINT.names or ():
            record[field] = self._record[field]
        record["entity"] = 0
        record["row_a"] = record["row_b"] = -1
        self._record = record
        self._table = None
        self._row = -1

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
        copied._hold(body_a, body_b, {})
        for field in JOINT.names or ():
            if field not in {"entity", "row_a", "row_b", "rests", "body_a", "body_b"}:
                copied._record[field] = self._record[field]
        return copied


class DistanceJoint(Joint):
    """Keeps two points at a distance: a rod, or a spring that may have a shortest and a longest.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        length: m; None: as far as they are apart when the joint first sees them.
        hertz: frequency of the spring; 0: a rigid rod.
        damping_ratio: of the spring: 1 does not swing.
        lower: m, the shortest that the spring may be.
        upper: m, the longest.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.DISTANCE
    ARGUMENTS = ("length", "hertz", "damping_ratio", "lower", "upper", *_COMMON)

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        length: float | None = None,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        lower: float = -math.inf,
        upper: float = math.inf,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    length = _value("length", "length", _seen_length, "m.")
    hertz = _value("hertz", "hertz", not_negative, "Frequency of the spring; 0: a rigid rod.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of the spring.")
    lower = _limit("lower", "lower", "m, the shortest that the spring may be.")
    upper = _limit("upper", "upper", "m, the longest that the spring may be.")


class RopeJoint(Joint):
    """Keeps two points from being farther apart than a length; it only pulls.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        length: m; None: as far as they are apart when the joint first sees them.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.ROPE
    ARGUMENTS = ("length", *_COMMON)

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        length: float | None = None,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    length = _value("length", "length", _seen_length, "m, the longest.")


class RevoluteJoint(Joint):
    """Pins a point of A to a point of B, about which they turn: a hinge, an axle.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        angle: rad, the angle of A less that of B that counts as zero for limits and spring.
        lower: rad, the smallest angle of A seen from B.
        upper: rad, the greatest.
        motor_speed: rad/s of A seen from B, counter-clockwise.
        max_motor_torque: N m; 0: no motor. With a speed of 0 it is a brake.
        hertz: frequency of a spring that turns A back to zero; 0: none.
        damping_ratio: of the spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.REVOLUTE
    ARGUMENTS = (
        "angle",
        "lower",
        "upper",
        "motor_speed",
        "max_motor_torque",
        "hertz",
        "damping_ratio",
        *_COMMON,
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        angle: float | None = 0.0,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    angle = _value("angle", "angle", _seen, "rad, of A less that of B: what counts as zero.")
    lower = _limit("lower", "lower", "rad, the smallest angle of A seen from B.")
    upper = _limit("upper", "upper", "rad, the greatest angle of A seen from B.")
    motor_speed = _value("speed", "motor_speed", number, "rad/s of A seen from B.")
    max_motor_torque = _value("max_torque", "max_motor_torque", _most, "N m; 0: no motor.")
    hertz = _value("hertz", "hertz", not_negative, "Frequency of the spring; 0: none.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of the spring.")


class PrismaticJoint(Joint):
    """Lets a point of A slide along a straight line through a point of B, without turning.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        axis: (x, y) of the line in the axes of B's shape, or of the world; any length.
        angle: rad, the angle of A less that of B; None: as it is when the joint first sees them.
        lower: m, the farthest back that A may slide from B's point.
        upper: m, the farthest on.
        motor_speed: m/s of A seen from B, along the axis.
        max_motor_force: N; 0: no motor. With a speed of 0 it is a brake.
        hertz: frequency of a spring that pulls A to B's point; 0: none.
        damping_ratio: of the spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.PRISMATIC
    ARGUMENTS = (
        "axis",
        "angle",
        "lower",
        "upper",
        "motor_speed",
        "max_motor_force",
        "hertz",
        "damping_ratio",
        *_COMMON,
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        axis: tuple[float, float] = (1.0, 0.0),
        angle: float | None = None,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_force: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    angle = _value("angle", "angle", _seen, "rad, of A less that of B.")
    lower = _limit("lower", "lower", "m, the farthest back that A may slide.")
    upper = _limit("upper", "upper", "m, the farthest on that A may slide.")
    motor_speed = _value("speed", "motor_speed", number, "m/s of A seen from B.")
    max_motor_force = _value("max_force", "max_motor_force", _most, "N; 0: no motor.")
    hertz = _value("hertz", "hertz", not_negative, "Frequency of the spring; 0: none.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of the spring.")

    @property
    def axis(self) -> tuple[float, float]:
        """(x, y) of the line in B's axes, or the world's; its length is 1."""
        return _axis(self)

    @axis.setter
    def axis(self, value: tuple[float, float]) -> None:
        _set_axis(self, value)


class WeldJoint(Joint):
    """Makes two bodies one, or nearly: springs may hold them instead.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        angle: rad, the angle of A less that of B; None: as it is when the joint first sees them.
        hertz: frequency of the spring between the two points; 0: rigid.
        damping_ratio: of that spring.
        angular_hertz: frequency of the spring that holds the angle; 0: rigid.
        angular_damping_ratio: of that spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.WELD
    ARGUMENTS = (
        "angle",
        "hertz",
        "damping_ratio",
        "angular_hertz",
        "angular_damping_ratio",
        *_COMMON,
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        angle: float | None = None,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    angle = _value("angle", "angle", _seen, "rad, of A less that of B.")
    hertz = _value("hertz", "hertz", not_negative, "Of the spring between the points; 0: rigid.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of that spring.")
    angular_hertz = _value(
        "angular_hertz", "angular_hertz", not_negative, "Of the spring of the angle; 0: rigid."
    )
    angular_damping_ratio = _value(
        "angular_damping_ratio", "angular_damping_ratio", not_negative, "Of that spring."
    )


class WheelJoint(Joint):
    """Hangs a wheel A on a car B: it turns freely, and moves along an axis against a spring.

    Args:
        body_a: entity of the wheel.
        body_b: entity of the car; None is the world.
        axis: (x, y) along which the wheel moves, in the axes of B's shape; any length.
        hertz: frequency of the suspension; 0: none.
        damping_ratio: of the suspension.
        lower: m, the farthest back that the wheel may move from B's point.
        upper: m, the farthest on.
        motor_speed: rad/s of A seen from B, counter-clockwise: below 0 drives to +x.
        max_motor_torque: N m; 0: no motor. With a speed of 0 it is a brake.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.WHEEL
    ARGUMENTS = (
        "axis",
        "hertz",
        "damping_ratio",
        "lower",
        "upper",
        "motor_speed",
        "max_motor_torque",
        *_COMMON,
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        axis: tuple[float, float] = (0.0, 1.0),
        hertz: float = 4.0,
        damping_ratio: float = 0.7,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    hertz = _value("hertz", "hertz", not_negative, "Frequency of the suspension; 0: none.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of the suspension.")
    lower = _limit("lower", "lower", "m, the farthest back that the wheel may move.")
    upper = _limit("upper", "upper", "m, the farthest on that the wheel may move.")
    motor_speed = _value("speed", "motor_speed", number, "rad/s of A seen from B.")
    max_motor_torque = _value("max_torque", "max_motor_torque", _most, "N m; 0: no motor.")

    @property
    def axis(self) -> tuple[float, float]:
        """(x, y) along which the wheel moves, in B's axes; its length is 1."""
        return _axis(self)

    @axis.setter
    def axis(self, value: tuple[float, float]) -> None:
        _set_axis(self, value)


class TargetJoint(Joint):
    """Pulls a point of a body to a place in the world, as a mouse that has caught it.

    Args:
        body_a: entity of a body.
        target: (x, y), m.
        anchor_a: (x, y) of the point on A, m.
        hertz: frequency of the pull.
        damping_ratio: of the pull.
        max_force: N.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.TARGET
    ARGUMENTS = (
        "target",
        "anchor_a",
        "hertz",
        "damping_ratio",
        "max_force",
        "break_force",
        "break_torque",
    )

    def __init__(
        self,
        body_a: int,
        target: tuple[float, float],
        *,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        hertz: float = 5.0,
        damping_ratio: float = 1.0,
        max_force: float = math.inf,
        break_force: float = math.inf,
        break_torque: float = math.inf,
    ) -> None:
        self._hold(body_a, None, _given(locals()))

    target = _pair(("anchor_bx", "anchor_by"), "target", "(x, y) in the world, m.")
    hertz = _value("hertz", "hertz", positive, "Frequency of the pull.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of the pull.")
    max_force = _value("max_force", "max_force", _most, "N.")

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"TargetJoint({self.body_a}, {values})"


class GearJoint(Joint):
    """Makes A turn as B does, `ratio` times as fast; meshing gears have a ratio below 0.

    Args:
        body_a: entity of a body.
        body_b: entity of another one.
        ratio: angle of A by that of B, not 0.
        phase: rad, angle of A less ratio times that of B; None: as it is when the joint first
            sees them.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.GEAR
    ARGUMENTS = ("ratio", "phase", "break_force", "break_torque", "collide_connected")

    def __init__(
        self,
        body_a: int,
        body_b: int,
        *,
        ratio: float = 1.0,
        phase: float | None = None,
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, entity_id(body_b, "GearJoint.body_b"), _given(locals()))

    ratio = _value("ratio", "ratio", _factor, "Angle of A by that of B.")
    phase = _value("angle", "phase", _seen, "rad, angle of A less ratio times that of B.")


class RatchetJoint(Joint):
    """Lets A turn one way only, seen from B; it falls into the teeth that it passes.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        step: rad from tooth to tooth; above 0 it turns counter-clockwise, below 0 clockwise.
        phase: rad, angle of A less that of B at a tooth.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.RATCHET
    ARGUMENTS = ("step", "phase", "break_force", "break_torque", "collide_connected")

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        step: float = math.pi / 8.0,
        phase: float | None = 0.0,
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    step = _value("step", "step", _factor, "rad from tooth to tooth.")
    phase = _value("angle", "phase", _seen, "rad, angle of A less that of B at a tooth.")


class PulleyJoint(Joint):
    """A rope from A up to a place in the world, over to another and down to B; it only pulls.

    Args:
        body_a: entity of a body.
        body_b: entity of another one.
        ground_a: (x, y) in the world above A, m.
        ground_b: (x, y) in the world above B, m.
        ratio: how much of the rope's length counts on B's side, above 0: 2 is a block and tackle.
        length: m, of A's side and ratio times B's; None: as it is when the joint first sees them.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.PULLEY
    ARGUMENTS = ("ground_a", "ground_b", "ratio", "length", *_COMMON)

    def __init__(
        self,
        body_a: int,
        body_b: int,
        *,
        ground_a: tuple[float, float],
        ground_b: tuple[float, float],
        ratio: float = 1.0,
        length: float | None = None,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, entity_id(body_b, "PulleyJoint.body_b"), _given(locals()))

    ground_a = _pair(("ground_ax", "ground_ay"), "ground_a", "(x, y) in the world, m.")
    ground_b = _pair(("ground_bx", "ground_by"), "ground_b", "(x, y) in the world, m.")
    ratio = _value("ratio", "ratio", positive, "How much of the rope's length counts on B's side.")
    length = _value("length", "length", _seen_length, "m, of A's side and ratio times B's.")


class MotorJoint(Joint):
    """Drives A, as B sees it, at a velocity, or to a place, with limited force and torque.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        velocity: (x, y) of A in B's axes, m/s.
        omega: rad/s of A seen from B.
        hertz: frequency of a spring that pulls A's anchor to B's; 0: the velocity alone counts.
        damping_ratio: of that spring.
        angle: rad, the angle of A less that of B that the next spring turns to; None: as it is.
        angular_hertz: frequency of a spring that turns A; 0: omega alone counts.
        angular_damping_ratio: of that spring.
        max_force: N.
        max_torque: N m.
        anchor_a: (x, y) of the point on A that is pushed, m.
        anchor_b: (x, y) of the place in B's coordinates, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.MOTOR
    ARGUMENTS = (
        "velocity",
        "omega",
        "hertz",
        "damping_ratio",
        "angle",
        "angular_hertz",
        "angular_damping_ratio",
        "max_force",
        "max_torque",
        *_COMMON,
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        velocity: tuple[float, float] = (0.0, 0.0),
        omega: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        angle: float | None = None,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        max_force: float = math.inf,
        max_torque: float = math.inf,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, body_b, _given(locals()))

    velocity = _pair(("velocity_x", "velocity_y"), "velocity", "(x, y) of A in B's axes, m/s.")
    omega = _value("speed", "omega", number, "rad/s of A seen from B.")
    hertz = _value("hertz", "hertz", not_negative, "Of the spring to the place; 0: none.")
    damping_ratio = _value("damping_ratio", "damping_ratio", not_negative, "Of that spring.")
    angle = _value("angle", "angle", _seen, "rad, of A less that of B, that the spring turns to.")
    angular_hertz = _value("angular_hertz", "angular_hertz", not_negative, "Of that spring.")
    angular_damping_ratio = _value(
        "angular_damping_ratio", "angular_damping_ratio", not_negative, "Of that spring."
    )
    max_force = _value("max_force", "max_force", _most, "N.")
    max_torque = _value("max_torque", "max_torque", _most, "N m.")


JOINTS: Final[tuple[type[Joint], ...]] = (
    DistanceJoint,
    RopeJoint,
    RevoluteJoint,
    PrismaticJoint,
    WeldJoint,
    WheelJoint,
    TargetJoint,
    GearJoint,
    RatchetJoint,
    PulleyJoint,
    MotorJoint,
)
"""Every kind of joint."""


KINDS: Final = {kind.TYPE: kind for kind in JOINTS}
"""The kinds of joints by JOINT["type"]."""


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor that are properties."""
    return {k: v for k, v in arguments.items() if k not in {"self", "body_a", "body_b"}}


def _axis(joint: Joint) -> tuple[float, float]:
    return joint._record["axis_x"].item(), joint._record["axis_y"].item()


def _set_axis(joint: Joint, value: tuple[float, float]) -> None:
    x, y = point(value, f"{type(joint).__name__}.axis")
    length = math.hypot(x, y)
    if length == 0.0:
        raise ValueError(f"{type(joint).__name__}.axis = {value!r} has no direction")
    joint._write({"axis_x": x / length, "axis_y": y / length})
