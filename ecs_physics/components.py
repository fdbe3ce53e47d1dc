"""What a user attaches to an entity.

`Transform`, `Velocity`, `Mass`, `Force`, `GravityScale`, `Damping` and `LockedAxes` are views on
a row of a table: made alone they hold their own values; once their entity is a body of a world
their values live in the row, and reading or writing a property reads or writes the row. Each of
them belongs to one entity. `Material`, `Name` and `Color` are plain values that any number of
entities may share.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from ecs_physics import constants, tables

if TYPE_CHECKING:
    from typing import Protocol

    class Owner(Protocol):
        """Who owns the row of a component: the store, for one entity."""

        def touch(self) -> None:
            """Say that a value needs another look."""

        def settle(self) -> None:
            """Have all values worked out now."""


_INFINITY: Final = math.inf


def number(value: Any, field: str) -> float:
    """Return `value` as a float; ValueError naming `field` unless it is one finite number."""
    if type(value) is float and -_INFINITY < value < _INFINITY:
        return value
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        try:
            converted = float(value)
        except OverflowError:
            converted = _INFINITY
        if math.isfinite(converted):
            return converted
    raise ValueError(f"{field} = {value!r}: give one finite number")


def positive(value: Any, field: str) -> float:
    """Return `value` as a float; ValueError naming `field` unless it is above zero."""
    converted = number(value, field)
    if converted <= 0.0:
        raise ValueError(f"{field} = {value!r}: give a number above 0")
    return converted


def not_negative(value: Any, field: str) -> float:
    """Return `value` as a float; ValueError naming `field` where it is below zero."""
    converted = number(value, field)
    if converted < 0.0:
        raise ValueError(f"{field} = {value!r}: give a number of at least 0")
    return converted


def point(value: Any, field: str) -> tuple[float, float]:
    """Return `value` as (x, y); ValueError naming `field` unless it is two finite numbers."""
    try:
        if isinstance(value, (str, bytes, dict, set, frozenset)):
            raise TypeError(value)  # no two numbers in an order
        x, y = value
    except (TypeError, ValueError):
        raise ValueError(f"{field} = {value!r}: give two numbers (x, y)") from None
    return number(x, f"{field}[0]"), number(y, f"{field}[1]")


def yes_or_no(value: Any, field: str) -> bool:
    """Return `value`; ValueError naming `field` unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{field} = {value!r}: give True or False")
    return bool(value)


def _column(index: int, name: str, check: Callable[[Any, str], Any], doc: str) -> Any:
    """A property that reads and writes one field of the component's row."""

    def read(self: "RowComponent") -> Any:
        return self._columns[index][self._row]

    def write(self: "RowComponent", value: Any) -> None:
        columns = self._columns
        columns[index][self._row] = check(value, name)
        columns.written = True

    return property(read, write, doc=doc)


class Columns(list[Any]):
    """One sequence of values a field, and whether a property has written into one."""

    __slots__ = ("written",)

    written: bool


class RowComponent:
    """A component whose values live in a row of a table while its entity is a body.

    `_columns` holds one sequence a field, which `_row` indexes: the table's memory views, which
    the table replaces in place when it grows, or lists of one value while the component is alone.
    """

    __slots__ = ("_columns", "_owner", "_row")

    TABLE: ClassVar[np.dtype[Any]]
    DEFAULTS: ClassVar[tuple[Any, ...]]

    _columns: Columns
    _row: int
    _owner: "Owner | None"

    def _hold(self, *values: Any) -> None:
        self._columns = Columns([[value] for value in values])
        self._row = 0
        self._owner = None

    def _values(self) -> list[Any]:
        row = self._row
        return [column[row] for column in self._columns]

    def _release(self) -> None:
        """Keep the last values, and be alone again."""
        self._hold(*self._values())

    def __repr__(self) -> str:
        names = self.TABLE.names or ()
        fields = zip(names[1:], self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"

    def __copy__(self) -> Self:
        """A copy is alone: rows have one owner."""
        copied = type(self).__new__(type(self))
        copied._hold(*self._values())
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()


class Transform(RowComponent):
    """Where a body is: the origin of its shape's coordinates in the world, and its turn.

    Args:
        x: m.
        y: m, up.
        angle: rad, counter-clockwise.

    Writing a property teleports the body. A body turns about its centre of mass, wherever the
    shape's origin lies.
    """

    __slots__ = ()
    TABLE = tables.TRANSFORM
    DEFAULTS = (0.0, 0.0, 0.0)

    def __init__(self, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> None:
        self._hold(
            number(x, "Transform.x"), number(y, "Transform.y"), number(angle, "Transform.angle")
        )

    x = _column(0, "Transform.x", number, "m.")
    y = _column(1, "Transform.y", number, "m, up.")
    angle = _column(2, "Transform.angle", number, "rad, counter-clockwise.")


class Velocity(RowComponent):
    """How fast a body moves: its centre of mass, and its turning.

    Args:
        x: m/s.
        y: m/s.
        omega: rad/s, counter-clockwise.
    """

    __slots__ = ()
    TABLE = tables.VELOCITY
    DEFAULTS = (0.0, 0.0, 0.0)

    def __init__(self, x: float = 0.0, y: float = 0.0, omega: float = 0.0) -> None:
        self._hold(
            number(x, "Velocity.x"), number(y, "Velocity.y"), number(omega, "Velocity.omega")
        )

    x = _column(0, "Velocity.x", number, "m/s.")
    y = _column(1, "Velocity.y", number, "m/s.")
    omega = _column(2, "Velocity.omega", number, "rad/s, counter-clockwise.")


class Mass(RowComponent):
    """How heavy a body is. A body with a Mass and a Velocity is moved by forces.

    Args:
        density: kg/m^2; mass, inertia and centre then follow from the shape. 1 where neither
            density nor mass is given.
        mass: kg.
        inertia: kg m^2 about the centre of mass; from the shape where left out. Without a shape
            the body is a point mass, which does not turn.
        center: (x, y) of the centre of mass in the shape's coordinates, m; from the shape where
            left out.

    Raises:
        ValueError: for values that are not above zero, or a density together with a mass.
    """

    __slots__ = ("_given_center", "_given_inertia")
    TABLE = tables.MASS
    DEFAULTS = (math.nan, 0.0, 0.0, 0.0, 0.0)

    def __init__(
        self,
        *,
        density: float | None = None,
        mass: float | None = None,
        inertia: float | None = None,
        center: tuple[float, float] | None = None,
    ) -> None:
        if density is not None and mass is not None:
            raise ValueError(
                f"Mass(density={density!r}, mass={mass!r}): give one of them, the other follows"
            )
        if inertia is not None and mass is None:
            raise ValueError(f"Mass(inertia={inertia!r}) without mass: give mass as well")
        if mass is None:
            density = positive(1.0 if density is None else density, "Mass.density")
            kilograms = math.nan
        else:
            density = math.nan
            kilograms = positive(mass, "Mass.mass")
        self._given_inertia = inertia is not None
        self._given_center = center is not None
        x, y = (0.0, 0.0) if center is None else point(center, "Mass.center")
        turning = math.nan if inertia is None else positive(inertia, "Mass.inertia")
        self._hold(density, kilograms, turning, x, y)

    def __copy__(self) -> "Mass":
        copied = super().__copy__()
        copied._given_inertia = self._given_inertia
        copied._given_center = self._given_center
        return copied

    def __repr__(self) -> str:
        density, mass, inertia, x, y = self._values()
        given = [f"density={density!r}"] if density == density else [f"mass={mass!r}"]
        if self._given_inertia:
            given.append(f"inertia={inertia!r}")
        if self._given_center:
            given.append(f"center=({x!r}, {y!r})")
        return f"Mass({', '.join(given)})"

    @property
    def density(self) -> float | None:
        """kg/m^2, or None where the mass was given instead. Writing it makes the mass follow."""
        value: float = self._columns[0][self._row]
        return value if value == value else None

    @density.setter
    def density(self, value: float) -> None:
        density = positive(value, "Mass.density")
        self._given_inertia = False
        for index, each in enumerate((density, math.nan, math.nan)):
            self._columns[index][self._row] = each
        self._touch()

    @property
    def mass(self) -> float:
        """kg. Writing it scales the inertia along, unless the inertia was given."""
        return self._known(1, "mass")

    @mass.setter
    def mass(self, value: float) -> None:
        kilograms = positive(value, "Mass.mass")
        if not self._given_inertia:
            old_mass = self._columns[1][self._row]
            self._columns[2][self._row] *= kilograms / old_mass
        self._columns[1][self._row] = kilograms
        self._columns[0][self._row] = math.nan
        self._touch()

    @property
    def inertia(self) -> float:
        """kg m^2, about the centre of mass; 0 for a point mass."""
        return self._known(2, "inertia")

    @inertia.setter
    def inertia(self, value: float) -> None:
        inertia = positive(value, "Mass.inertia")
        self._columns[1][self._row] = self.mass
        self._columns[0][self._row] = math.nan
        self._columns[2][self._row] = inertia
        self._given_inertia = True
        self._touch()

    @property
    def center(self) -> tuple[float, float]:
        """(x, y) of the centre of mass in the shape's coordinates, m."""
        self._known(1, "center")
        return self._columns[3][self._row], self._columns[4][self._row]

    @center.setter
    def center(self, value: tuple[float, float]) -> None:
        x, y = point(value, "Mass.center")
        self._columns[3][self._row] = x
        self._columns[4][self._row] = y
        self._given_center = True
        self._touch()

    @property
    def is_inertia_given(self) -> bool:
        """Whether the inertia was given, so that it does not follow from the shape."""
        return self._given_inertia

    @property
    def is_center_given(self) -> bool:
        """Whether the centre of mass was given, so that it does not follow from the shape."""
        return self._given_center

    def _touch(self) -> None:
        if self._owner is not None:
            self._owner.touch()

    def _known(self, index: int, name: str) -> float:
        value: float = self._columns[index][self._row]
        if value != value and self._owner is not None:
            self._owner.settle()
            value = self._columns[index][self._row]
        if value != value:
            raise ValueError(
                f"Mass.{name} follows from the shape once the entity is a body of a world: "
                "read it then, or give Mass(mass=..., inertia=...)"
            )
        return value


class Force(RowComponent):
    """What pushes a body during the next step; cleared at its end.

    Args:
        x: N, at the centre of mass.
        y: N.
        torque: N m, counter-clockwise.
    """

    __slots__ = ()
    TABLE = tables.FORCE
    DEFAULTS = (0.0, 0.0, 0.0)

    def __init__(self, x: float = 0.0, y: float = 0.0, torque: float = 0.0) -> None:
        self._hold(number(x, "Force.x"), number(y, "Force.y"), number(torque, "Force.torque"))

    x = _column(0, "Force.x", number, "N, at the centre of mass.")
    y = _column(1, "Force.y", number, "N, at the centre of mass.")
    torque = _column(2, "Force.torque", number, "N m, counter-clockwise.")


class GravityScale(RowComponent):
    """How much of the world's gravity a body feels: 0 floats, -1 rises.

    Args:
        factor: ratio.
    """

    __slots__ = ()
    TABLE = tables.GRAVITY_SCALE
    DEFAULTS = (1.0,)

    def __init__(self, factor: float = 1.0) -> None:
        self._hold(number(factor, "GravityScale.factor"))

    factor = _column(0, "GravityScale.factor", number, "Ratio.")


class Damping(RowComponent):
    """How fast motion dies out by itself: v' = -linear v, omega' = -angular omega.

    Args:
        linear: 1/s, at least 0.
        angular: 1/s, at least 0.
    """

    __slots__ = ()
    TABLE = tables.DAMPING
    DEFAULTS = (0.0, 0.0)

    def __init__(self, linear: float = 0.0, angular: float = 0.0) -> None:
        self._hold(not_negative(linear, "Damping.linear"), not_negative(angular, "Damping.angular"))

    linear = _column(0, "Damping.linear", not_negative, "1/s.")
    angular = _column(1, "Damping.angular", not_negative, "1/s.")


class LockedAxes(RowComponent):
    """Directions in which a dynamic body never moves, whatever pushes it.

    Args:
        x: True to keep its x.
        y: True to keep its y.
        angle: True to keep its angle.
    """

    __slots__ = ()
    TABLE = tables.LOCKED_AXES
    DEFAULTS = (False, False, False)

    def __init__(self, x: bool = False, y: bool = False, angle: bool = False) -> None:
        self._hold(
            yes_or_no(x, "LockedAxes.x"),
            yes_or_no(y, "LockedAxes.y"),
            yes_or_no(angle, "LockedAxes.angle"),
        )

    x = _column(0, "LockedAxes.x", yes_or_no, "True to keep its x.")
    y = _column(1, "LockedAxes.y", yes_or_no, "True to keep its y.")
    angle = _column(2, "LockedAxes.angle", yes_or_no, "True to keep its angle.")


ROW_COMPONENTS: Final[tuple[type[RowComponent], ...]] = (
    Transform,
    Velocity,
    Mass,
    Force,
    GravityScale,
    Damping,
    LockedAxes,
)
"""Every component that has columns."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a body's surface is like.

    Of two bodies in contact count the geometric mean of the frictions, the greater restitution,
    the greater rolling resistance, and the sum of the surface speeds.

    Args:
        friction: Coulomb coefficient, at least 0.
        restitution: Newton's coefficient, 0 (no bounce) to 1 (keeps its speed).
        rolling_resistance: ratio of the lever arm of the resisting torque to the radius, at
            least 0; only round shapes roll.
        surface_speed: m/s at which the surface itself runs, as a conveyor belt's: positive is
            clockwise around the body, so a floor's top carries to +x.
    """

    friction: float = constants.DEFAULT_FRICTION
    restitution: float = 0.0
    rolling_resistance: float = 0.0
    surface_speed: float = 0.0

    def __post_init__(self) -> None:
        for field in ("friction", "restitution", "rolling_resistance"):
            object.__setattr__(self, field, not_negative(getattr(self, field), f"Material.{field}"))
        if self.restitution > 1.0:
            raise ValueError(
                f"Material.restitution = {self.restitution!r}: give a number from 0 to 1"
            )
        object.__setattr__(
            self, "surface_speed", number(self.surface_speed, "Material.surface_speed")
        )


@dataclass(frozen=True, slots=True)
class Name:
    """What a body is called, in level files and messages."""

    value: str

    def __post_init__(self) -> None:
        if not isinstance(self.value, str) or not self.value:
            raise ValueError(f"Name.value = {self.value!r}: give a text of at least one letter")


@dataclass(frozen=True, slots=True)
class Color:
    """What a body is drawn in, as "#RRGGBB"; bodies without one take turns in eight colours."""

    value: str

    def __post_init__(self) -> None:
        is_color = isinstance(self.value, str) and re.fullmatch(r"#[0-9A-Fa-f]{6}", self.value)
        if not is_color:
            raise ValueError(f'Color.value = {self.value!r}: give "#RRGGBB", such as "#E69F00"')


class Spring:
    """A spring and damper between a point on one body and a point on another, or in the world.

    Give it to an entity of its own: `esper.create_entity(Spring(a, b, stiffness=5,
    rest_length=4))`. The system `Springs` (Stage.FORCES) makes it pull; it goes when a body of it
    goes. All values are attributes, and a new one counts from the next step on.

    Args:
        body_a: entity of a body.
        body_b: entity of another body; None fixes the other end in the world.
        anchor_a: (x, y) of the end on A in the coordinates of its shape, m.
        anchor_b: (x, y) of the end on B in the coordinates of its shape, or in the world, m.
        stiffness: N/m, at least 0.
        rest_length: m, at least 0.
        damping: N s/m along the spring, at least 0.

    Raises:
        ValueError: naming the value that is no entity, point or number of that range.
    """

    __slots__ = (
        "_anchor_a",
        "_anchor_b",
        "_body_a",
        "_body_b",
        "_damping",
        "_packed_at",
        "_rest_length",
        "_stiffness",
        "_written",
    )

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        stiffness: float,
        rest_length: float,
        damping: float = 0.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self._written: list[Spring] | None = None
        self._packed_at = -1
        self._body_a = entity_id(body_a, "Spring.body_a")
        self._body_b = None if body_b is None else entity_id(body_b, "Spring.body_b")
        if self._body_a == self._body_b:
            raise ValueError(f"Spring.body_b = {body_b!r} is body_a too: give two bodies")
        self._stiffness = not_negative(stiffness, "Spring.stiffness")
        self._rest_length = not_negative(rest_length, "Spring.rest_length")
        self._damping = not_negative(damping, "Spring.damping")
        self._anchor_a = point(anchor_a, "Spring.anchor_a")
        self._anchor_b = point(anchor_b, "Spring.anchor_b")

    @property
    def body_a(self) -> int:
        """Entity of the body at the first end."""
        return self._body_a

    @property
    def body_b(self) -> int | None:
        """Entity of the body at the other end; None where it is fixed in the world."""
        return self._body_b

    @property
    def anchor_a(self) -> tuple[float, float]:
        """The end on A in its shape's coordinates, m."""
        return self._anchor_a

    @anchor_a.setter
    def anchor_a(self, value: tuple[float, float]) -> None:
        self._anchor_a = point(value, "Spring.anchor_a")
        self._note()

    @property
    def anchor_b(self) -> tuple[float, float]:
        """The end on B in its shape's coordinates, or in the world, m."""
        return self._anchor_b

    @anchor_b.setter
    def anchor_b(self, value: tuple[float, float]) -> None:
        self._anchor_b = point(value, "Spring.anchor_b")
        self._note()

    @property
    def stiffness(self) -> float:
        """N/m."""
        return self._stiffness

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self._stiffness = not_negative(value, "Spring.stiffness")
        self._note()

    @property
    def rest_length(self) -> float:
        """m."""
        return self._rest_length

    @rest_length.setter
    def rest_length(self, value: float) -> None:
        self._rest_length = not_negative(value, "Spring.rest_length")
        self._note()

    @property
    def damping(self) -> float:
        """N s/m, along the spring."""
        return self._damping

    @damping.setter
    def damping(self, value: float) -> None:
        self._damping = not_negative(value, "Spring.damping")
        self._note()

    def __repr__(self) -> str:
        return (
            f"Spring({self._body_a!r}, {self._body_b!r}, stiffness={self._stiffness!r}, "
            f"rest_length={self._rest_length!r}, damping={self._damping!r}, "
            f"anchor_a={self._anchor_a!r}, anchor_b={self._anchor_b!r})"
        )

    def __copy__(self) -> "Spring":
        """A copy is in no system yet."""
        return self.between(self._body_a, self._body_b)

    def between(self, body_a: int, body_b: int | None) -> "Spring":
        """A new spring with the same values between other bodies."""
        return Spring(
            body_a,
            body_b,
            stiffness=self._stiffness,
            rest_length=self._rest_length,
            damping=self._damping,
            anchor_a=self._anchor_a,
            anchor_b=self._anchor_b,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> "Spring":
        return self.__copy__()

    def _state(self) -> tuple[Any, ...]:
        """Its values, for a snapshot."""
        ends = (self._body_a, self._body_b, self._anchor_a, self._anchor_b)
        return (*ends, self._stiffness, self._rest_length, self._damping)

    def _take_state(self, state: tuple[Any, ...]) -> None:
        """Have the values of `state`; made by __new__ alone, be a spring in no system yet."""
        if not hasattr(self, "_written"):
            self._written, self._packed_at = None, -1
        elif self._state() == state:
            return
        self._body_a, self._body_b, self._anchor_a, self._anchor_b, *rest = state
        self._stiffness, self._rest_length, self._damping = rest
        self._note()

    def _note(self) -> None:
        """Let the system that has packed this spring know that a value is new."""
        if self._written is not None:
            self._written.append(self)


def entity_id(value: Any, field: str) -> int:
    """Return `value` as an int; ValueError naming `field` unless esper may have given it."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not 1 <= value < 2**63:
        raise ValueError(f"{field} = {value!r}: give an entity, as esper.create_entity returns it")
    return int(value)
