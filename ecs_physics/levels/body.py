"""The table of one body in a level file, and those of its components."""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from ecs_physics import components, traits
from ecs_physics.constants import DEFAULT_FRICTION, SLEEP_SPEED, SLEEP_TIME
from ecs_physics.levels.shape_tables import AnyShape
from ecs_physics.levels.table import Bits, Fraction, NotNegative, Pair, Positive, Table
from ecs_physics.shapes import Shape


class ComponentTable(Table):
    """A table whose keys are the arguments of a component."""

    COMPONENT: ClassVar[type[Any]]

    def component(self) -> Any:
        """A new component with the given values."""
        return self.COMPONENT(**self.given())

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        self.component()
        return self


class VelocityTable(ComponentTable):
    """How fast a body moves."""

    COMPONENT = components.Velocity

    x: float = 0.0
    """m/s"""
    y: float = 0.0
    """m/s"""
    omega: float = 0.0
    """rad/s, counter-clockwise"""


class MassTable(ComponentTable):
    """How heavy a body is: by its density (1 where nothing is given), or by its mass."""

    COMPONENT = components.Mass

    density: Positive | None = None
    """kg/m^2"""
    mass: Positive | None = None
    """kg"""
    inertia: Positive | None = None
    """kg m^2 about the centre of mass; follows from the shape where left out"""
    center: Pair | None = None
    """[x, y] of the centre of mass in m; follows from the shape where left out"""


class MaterialTable(ComponentTable):
    """What a body's surface is like."""

    COMPONENT = components.Material

    friction: NotNegative = DEFAULT_FRICTION
    """Coulomb coefficient"""
    restitution: Fraction = 0.0
    """0 does not bounce, 1 keeps its speed"""
    rolling_resistance: NotNegative = 0.0
    """lever arm of the resisting torque / radius"""
    surface_speed: float = 0.0
    """m/s, as of a conveyor belt"""


class ForceTable(ComponentTable):
    """What pushes a body during the first step."""

    COMPONENT = components.Force

    x: float = 0.0
    """N"""
    y: float = 0.0
    """N"""
    torque: float = 0.0
    """N m, counter-clockwise"""


class DampingTable(ComponentTable):
    """How fast motion dies out."""

    COMPONENT = components.Damping

    linear: NotNegative = 0.0
    """1/s"""
    angular: NotNegative = 0.0
    """1/s"""


class LockedAxesTable(ComponentTable):
    """Directions in which a body never moves."""

    COMPONENT = components.LockedAxes

    x: bool = False
    """true or false"""
    y: bool = False
    """true or false"""
    angle: bool = False
    """true or false"""


class FilterTable(ComponentTable):
    """Whom a body meets."""

    COMPONENT = traits.Filter

    category: Bits = 1
    """64 bits, a whole number from 0 to 2**64 - 1: what the body is"""
    mask: Bits = traits.ALL_BITS
    """64 bits: the categories that it meets; -1 is all of them"""
    group: int = 0
    """a whole number: of one group other than 0, those above 0 always meet, those below never"""


class OneWayTable(ComponentTable):
    """From which side a body stops others; (0, 1), its top, where nothing is given."""

    COMPONENT = traits.OneWay

    x: float = 0.0
    """of the direction in which that side faces, in the shape's axes"""
    y: float = 1.0
    """of the same"""


class SleepThresholdTable(ComponentTable):
    """When a body counts as resting."""

    COMPONENT = traits.SleepThreshold

    speed: NotNegative = SLEEP_SPEED
    """m/s; 0: it never sleeps"""
    time: Positive = SLEEP_TIME
    """s"""


class Body(Table):
    """One body.

    What it is follows from its tables: a shape alone is static, with a velocity kinematic, with a
    mass dynamic; a mass without a shape is a point mass.
    """

    name: Annotated[str, Field(min_length=1)] | None = None
    """a text that no other body has"""
    color: Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$")] | None = None
    """"#RRGGBB", such as "#E69F00\""""
    shape: AnyShape | None = None
    """a table with a kind, such as { kind = "box", width = 1, height = 1 }"""
    x: float = 0.0
    """m, of the shape's origin"""
    y: float = 0.0
    """m, up"""
    angle: float = 0.0
    """rad, counter-clockwise"""
    velocity: VelocityTable | None = None
    """{ x = ..., y = ..., omega = ... } in m/s and rad/s"""
    mass: MassTable | None = None
    """{ density = ... } in kg/m^2, or { mass = ... } in kg"""
    material: MaterialTable | None = None
    """{ friction = ..., restitution = ... }"""
    force: ForceTable | None = None
    """{ x = ..., y = ..., torque = ... } in N and N m"""
    gravity_scale: float | None = None
    """ratio: 0 floats, -1 rises"""
    damping: DampingTable | None = None
    """{ linear = ..., angular = ... } in 1/s"""
    locked_axes: LockedAxesTable | None = None
    """{ x = true, y = true, angle = true }, or some of them"""
    filter: FilterTable | None = None
    """{ category = ..., mask = ..., group = ... }, whole numbers"""
    one_way: OneWayTable | None = None
    """{ x = ..., y = ... }, where the side faces that stops others; {} is the top"""
    sleep_threshold: SleepThresholdTable | None = None
    """{ speed = ..., time = ... } in m/s and s"""
    sensor: bool = False
    """true or false: notices others instead of touching them"""
    bullet: bool = False
    """true or false: passes through nothing that moves, however fast it is"""
    disabled: bool = False
    """true or false: takes no part yet"""

    @classmethod
    def known_keys(cls) -> list[str]:
        """The fields, and the short form of a mass."""
        return [*super().known_keys(), "dynamic"]

    @model_validator(mode="before")
    @classmethod
    def _dynamic_is_a_mass(cls, data: Any) -> Any:
        """`dynamic = true` is short for a mass of density 1."""
        if not isinstance(data, dict) or "dynamic" not in data:
            return data
        rest = dict(data)
        dynamic = rest.pop("dynamic")
        if dynamic is not True:
            raise ValueError(
                f"dynamic = {dynamic!r}: write dynamic = true, or leave it out for a body that "
                "nothing pushes"
            )
        if "mass" in rest:
            raise ValueError(
                "both dynamic and mass: leave dynamic out, a body with a mass is dynamic"
            )
        return rest | {"mass": {}}

    @model_serializer(mode="wrap")
    def _mass_of_density_1_is_dynamic(
        self, serialize: SerializerFunctionWrapHandler
    ) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        if self.mass is not None and not self.mass.given():
            data["dynamic"] = True
            del data["mass"]
        return data

    @model_validator(mode="after")
    def _is_something(self) -> Self:
        if self.shape is None and (self.mass is None or self.mass.mass is None):
            raise ValueError(
                "no shape: give one, or mass = { mass = ... } for a point that forces move and "
                "nothing touches"
            )
        if self.shape is not None and self.mass is not None:
            self._mass_follows_from_shape(self.shape.shape, self.mass)
        return self

    @staticmethod
    def _mass_follows_from_shape(shape: Shape, mass: MassTable) -> None:
        if mass.inertia is not None and mass.center is not None:
            return
        try:
            shape.mass_properties(1.0 if mass.density is None else mass.density)
        except ValueError as error:
            raise ValueError(f"the mass cannot follow from the shape: {error}") from error

    def components(self) -> list[Any]:
        """New components for one entity, those that cannot be shared made anew each time."""
        parts: list[Any] = [components.Transform(self.x, self.y, self.angle)]
        if self.velocity is not None:
            parts.append(self.velocity.component())
        elif self.mass is not None:
            parts.append(components.Velocity())
        if self.shape is not None:
            parts.append(self.shape.shape)
        tables: tuple[ComponentTable | None, ...] = (
            *(self.mass, self.material, self.force, self.damping, self.locked_axes),
            *(self.filter, self.one_way, self.sleep_threshold),
        )
        parts.extend(table.component() for table in tables if table is not None)
        flags = {traits.Sensor: self.sensor, traits.Bullet: self.bullet}
        flags[traits.Disabled] = self.disabled
        parts.extend(kind() for kind, is_set in flags.items() if is_set)
        if self.gravity_scale is not None:
            parts.append(components.GravityScale(self.gravity_scale))
        if self.name is not None:
            parts.append(components.Name(self.name))
        if self.color is not None:
            parts.append(components.Color(self.color))
        return parts
