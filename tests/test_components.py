"""Components alone: values with names, checked at the door, and copied as values."""

import copy
import dataclasses
import math

import esper
import numpy as np
import pytest

from ecs_physics import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Name,
    Shape,
    Transform,
    Velocity,
    World,
)
from ecs_physics.components import ROW_COMPONENTS

NOT_FINITE = [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400]
NOT_NUMBERS = ["1", None, (1, 2), [1], True, 1j, np.array([1.0, 2.0])]
NUMBER_FIELDS = [
    (Transform, "x"),
    (Transform, "y"),
    (Transform, "angle"),
    (Velocity, "x"),
    (Velocity, "y"),
    (Velocity, "omega"),
    (Force, "x"),
    (Force, "y"),
    (Force, "torque"),
    (GravityScale, "factor"),
    (Damping, "linear"),
    (Damping, "angular"),
]
number_fields = pytest.mark.parametrize(
    ("kind", "field"), NUMBER_FIELDS, ids=[f"{k.__name__}.{f}" for k, f in NUMBER_FIELDS]
)


@number_fields
def test_a_lone_component_holds_its_own_values(kind: type, field: str) -> None:
    one, other = kind(**{field: 2}), kind()
    assert getattr(one, field) == 2.0
    assert type(getattr(one, field)) is float
    setattr(one, field, np.float32(0.5))
    assert getattr(one, field) == 0.5
    assert getattr(other, field) == (1.0 if kind is GravityScale else 0.0)


@number_fields
@pytest.mark.parametrize("value", NOT_FINITE + NOT_NUMBERS, ids=lambda v: repr(v)[:12])
def test_what_is_no_finite_number_is_refused_by_name(kind: type, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.{field} = .*: give one finite number"):
        kind(**{field: value})
    component = kind(**{field: 0.25})
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.{field} = "):
        setattr(component, field, value)
    assert getattr(component, field) == 0.25, "a refused value changes nothing"


@number_fields
def test_the_same_is_refused_once_it_is_bound(kind: type, field: str) -> None:
    World()
    component = kind(**{field: 0.25})
    others = [c for c in (Transform(), Velocity(), Mass()) if type(c) is not kind]
    esper.create_entity(component, Shape.box(1, 1), *others)
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.{field} = nan"):
        setattr(component, field, math.nan)
    assert getattr(component, field) == 0.25


@pytest.mark.parametrize("field", ["linear", "angular"])
def test_negative_damping_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=rf"Damping\.{field} = -1: give a number of at least 0"):
        Damping(**{field: -1})


@pytest.mark.parametrize("field", ["x", "y", "angle"])
@pytest.mark.parametrize("value", [1, 0, "x", None, math.nan])
def test_locks_are_true_or_false(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"LockedAxes\.{field} = .*: give True or False"):
        LockedAxes(**{field: value})
    assert getattr(LockedAxes(**{field: np.True_}), field) is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"density": 0}, r"Mass\.density = 0: give a number above 0"),
        ({"density": -2.0}, r"Mass\.density = -2\.0"),
        ({"density": math.nan}, r"Mass\.density = nan"),
        ({"mass": 0}, r"Mass\.mass = 0"),
        ({"mass": math.inf}, r"Mass\.mass = inf"),
        ({"mass": "2"}, r"Mass\.mass = '2'"),
        ({"mass": 1, "inertia": 0}, r"Mass\.inertia = 0"),
        ({"mass": 1, "center": (0, math.nan)}, r"Mass\.center\[1\] = nan"),
        ({"mass": 1, "center": 3}, r"Mass\.center = 3: give two numbers"),
        ({"mass": 1, "density": 1}, r"density=1, mass=1.*give one of them"),
        ({"inertia": 1}, r"inertia=1.*without mass"),
    ],
)
def test_masses_that_cannot_be_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Mass(**arguments)


def test_a_mass_from_density_is_known_once_there_is_a_body() -> None:
    mass = Mass(density=2.0)
    assert mass.density == 2.0
    for field in ("mass", "inertia", "center"):
        with pytest.raises(ValueError, match=rf"Mass\.{field} follows from the shape"):
            getattr(mass, field)
    World()
    esper.create_entity(Transform(), Velocity(), Shape.box(2, 1), mass)
    assert mass.mass == pytest.approx(4.0)
    assert mass.inertia == pytest.approx(4.0 * (4 + 1) / 12)
    assert mass.center == (0.0, 0.0)


def test_a_given_mass_gets_its_inertia_from_the_shape_unless_that_is_given_too() -> None:
    World()
    plain, heavy_rim = Mass(mass=6.0), Mass(mass=6.0, inertia=9.0, center=(0.25, 0.0))
    for mass in (plain, heavy_rim):
        esper.create_entity(Transform(), Velocity(), Shape.box(2, 2), mass)
    assert plain.density is None
    assert plain.mass == 6.0
    assert plain.inertia == pytest.approx(6.0 * 8 / 12)
    assert (heavy_rim.inertia, heavy_rim.center) == (9.0, (0.25, 0.0))


def test_writing_a_mass_scales_the_inertia_along() -> None:
    World()
    mass = Mass(density=3.0)
    esper.create_entity(Transform(), Velocity(), Shape.box(2, 2), mass)
    mass.mass = 6.0
    assert mass.density is None
    assert mass.inertia == pytest.approx(6.0 * 8 / 12)
    mass.density = 0.5
    assert (mass.mass, mass.density) == (pytest.approx(2.0), 0.5)
    mass.inertia = 1.0
    mass.mass = 4.0
    assert mass.inertia == 1.0, "a given inertia stays"


@pytest.mark.parametrize("kind", ROW_COMPONENTS, ids=lambda kind: kind.__name__)
def test_a_copy_is_alone_and_has_the_same_values(kind: type) -> None:
    World()
    component = kind()
    others = [c for c in (Transform(), Velocity(), Mass()) if type(c) is not kind]
    esper.create_entity(component, Shape.box(2, 1), *others)
    for duplicate in (copy.copy(component), copy.deepcopy(component)):
        assert type(duplicate) is kind
        assert repr(duplicate) == repr(component)
        esper.create_entity(duplicate, Shape.box(2, 1), *(copy.copy(each) for each in others))


def test_representations_say_how_to_make_it_again() -> None:
    assert repr(Velocity(1, 2.5)) == "Velocity(x=1.0, y=2.5, omega=0.0)"
    assert repr(Mass()) == "Mass(density=1.0)"
    assert repr(Mass(mass=2, inertia=3, center=(0, 1))) == (
        "Mass(mass=2.0, inertia=3.0, center=(0.0, 1.0))"
    )
    for component in (Transform(1, 2, 3), Damping(1, 2), LockedAxes(angle=True), GravityScale(2)):
        assert repr(eval(repr(component))) == repr(component)


@pytest.mark.parametrize("value", [Material(), Name("a"), Color("#102030")], ids=repr)
def test_values_are_frozen_equal_and_may_be_shared(value: object) -> None:
    assert copy.copy(value) == value
    assert hash(copy.copy(value)) == hash(value)
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, 1)
    World()
    for _ in range(2):
        esper.create_entity(Transform(), Shape.box(1, 1), value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"friction": -0.1}, r"Material\.friction = -0\.1"),
        ({"friction": math.nan}, r"Material\.friction = nan"),
        ({"restitution": -0.1}, r"Material\.restitution = -0\.1"),
        ({"restitution": 1.1}, r"Material\.restitution = 1\.1: give a number from 0 to 1"),
        ({"rolling_resistance": "x"}, r"Material\.rolling_resistance = 'x'"),
        ({"surface_speed": math.inf}, r"Material\.surface_speed = inf"),
    ],
)
def test_materials_that_cannot_be_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Material(**arguments)


@pytest.mark.parametrize("value", ["", None, 3])
def test_names_are_texts(value: object) -> None:
    with pytest.raises(ValueError, match=r"Name\.value"):
        Name(value)


@pytest.mark.parametrize("value", ["red", "#12345", "#12345g", "102030", None, 3])
def test_colours_are_hexadecimal(value: object) -> None:
    with pytest.raises(ValueError, match=r"Color\.value"):
        Color(value)


@pytest.mark.parametrize("kind", [*ROW_COMPONENTS, Name, Color, Material])
def test_a_misspelt_attribute_is_an_error(kind: type) -> None:
    component = kind(value="#000000") if kind in {Name, Color} else kind()
    with pytest.raises((AttributeError, TypeError, dataclasses.FrozenInstanceError)):
        component.postion = 3.0
