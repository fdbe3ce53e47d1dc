"""Filters, mixing and pre-solve, by plain and by compiled functions."""

import itertools
import math
from typing import Any

import esper
import numba
import pytest

from ecs_physics import (
    Contact,
    Filter,
    Mass,
    Material,
    Mixing,
    Sensor,
    Shape,
    Transform,
    Velocity,
    World,
)

DT = 1.0 / 60.0
G = 9.81
_serial = itertools.count(1)
_ways = pytest.mark.parametrize("compile_it", [lambda f: f, numba.njit], ids=["plain", "compiled"])


def world_with_floor(*more: Any) -> tuple[World, int]:
    world = World(gravity=(0.0, -G), name=f"rules {next(_serial)}")
    return world, esper.create_entity(Transform(0.0, -0.5), Shape.box(100.0, 1.0), *more)


def box(x: float, y: float = 0.5, *more: Any, speed: float = 0.0) -> int:
    return esper.create_entity(
        Transform(x, y), Velocity(speed, 0.0), Shape.box(1.0, 1.0), Mass(), *more
    )


def place(entity: int) -> Transform:
    return esper.component_for_entity(entity, Transform)


# -- filters ------------------------------------------------------------------------------


@_ways
def test_whom_the_filter_refuses_falls_through(compile_it: Any) -> None:
    world, floor = world_with_floor()
    kept, refused = box(0.0), box(3.0)

    def filter_(a: int, b: int) -> bool:
        return b != refused

    world.contact_filter = compile_it(filter_)
    for _ in range(30):
        world.step(DT)
    assert abs(place(kept).y - 0.5) < 1e-3
    assert place(refused).y < -0.5
    assert {(row["entity_a"], row["entity_b"]) for row in world.contacts} == {(floor, kept)}


def test_it_is_asked_once_a_pair_and_the_older_entity_comes_first() -> None:
    world, floor = world_with_floor()
    boxes = [box(0.0, 0.5 + k) for k in range(4)]
    apart = box(50.0)
    stranger = box(0.0, 0.5, Filter(group=-1))
    esper.add_component(boxes[0], Filter(group=-1))
    asked: list[tuple[int, int]] = []

    def note(a: int, b: int) -> bool:
        asked.append((a, b))
        return True

    world.contact_filter = note
    for _ in range(40):
        world.step(DT)
    assert all(a < b for a, b in asked)
    assert len(asked) == len(set(asked))
    assert {(floor, boxes[0]), (boxes[0], boxes[1]), (floor, apart)} <= set(asked)
    assert (boxes[0], stranger) not in asked


@_ways
def test_setting_a_filter_asks_about_what_touches_already(compile_it: Any) -> None:
    world, _ = world_with_floor()
    lower, upper = box(0.0), box(0.0, 1.5)
    gate = esper.create_entity(Transform(0.0, 1.5), Shape.box(0.2, 0.2), Sensor())
    world.step(DT)
    assert world.overlaps(gate) == [upper]
    world.contact_filter = compile_it(lambda a, b: a != lower and b != gate)
    for _ in range(60):
        world.step(DT)
    assert world.overlaps(gate) == []
    assert place(upper).y < 0.51  # through the lower one, on the floor
    world.contact_filter = None
    place(upper).y = 2.0
    for _ in range(60):
        world.step(DT)
    assert place(upper).y > 1.45


def test_an_error_in_a_filter_names_it_and_the_world_goes_on() -> None:
    world, floor = world_with_floor()
    one = box(0.0)

    def broken(a: int, b: int) -> bool:
        raise RuntimeError("no opinion")

    world.contact_filter = broken
    for _ in range(2):  # still unasked
        with pytest.raises(RuntimeError, match="no opinion") as caught:
            world.step(DT)
        notes = " ".join(caught.value.__notes__)
        assert f"World.contact_filter, asked about the entities {floor} and {one}" in notes
    world.contact_filter = None
    for _ in range(20):
        world.step(DT)
    assert abs(place(one).y - 0.5) < 1e-3


def test_a_new_filter_outlives_a_reset() -> None:
    world, _ = world_with_floor()
    world.contact_filter = lambda a, b: False
    world.reset()
    with world:
        esper.create_entity(Transform(0.0, -0.5), Shape.box(10.0, 1.0))
        one = box(0.0)
        for _ in range(30):
            world.step(DT)
        assert place(one).y < -0.5


@pytest.mark.parametrize("name", ["contact_filter", "pre_solve"])
@pytest.mark.parametrize("bad", [3, "average", World])
def test_what_is_no_function_is_refused(name: str, bad: Any) -> None:
    world, _ = world_with_floor()
    with pytest.raises(ValueError, match=f"World.{name} = "):
        setattr(world, name, bad)
    world.step(DT)


def test_a_function_that_numba_cannot_compile_is_refused() -> None:
    if numba.config.DISABLE_JIT:
        return
    world, _ = world_with_floor()

    @numba.njit
    def few(a):
        return True

    with pytest.raises(ValueError, match=r"World\.contact_filter = few: Numba cannot compile"):
        world.contact_filter = few
    assert world.contact_filter is None


# -- pre-solve ----------------------------------------------------------------------------


@_ways
def test_pre_solve_changes_one_contact_for_one_step(compile_it: Any) -> None:
    world, _ = world_with_floor()
    slippery, rough, gone, carried = (box(4.0 * k, speed=3.0) for k in range(4))

    def change(contact: Contact) -> None:
        if slippery in (contact.entity_b, contact.entity_a):
            contact.friction = 0.0
        elif gone in (contact.entity_b, contact.entity_a):
            contact.disabled = True
        elif carried in (contact.entity_b, contact.entity_a):
            is_b = contact.entity_b == carried
            contact.surface_speed = 3.0 * contact.normal_y * (1.0 if is_b else -1.0)

    world.pre_solve = compile_it(change)
    for _ in range(60):
        world.step(DT)
    velocity = {e: esper.component_for_entity(e, Velocity).x for e in (slippery, rough, carried)}
    assert math.isclose(velocity[slippery], 3.0, rel_tol=1e-6)
    assert abs(velocity[rough]) < 1e-3  # friction 0.6 stops 3 m/s in 0.51 s
    assert math.isclose(velocity[carried], 3.0, rel_tol=1e-3)
    assert place(gone).y < -4.0
    world.pre_solve = None
    for _ in range(60):
        world.step(DT)
    assert abs(esper.component_for_entity(slippery, Velocity).x) < 1e-3


def test_what_a_plain_pre_solve_sees() -> None:
    world, floor = world_with_floor(Material(friction=0.9))
    one = box(0.3, 0.5, Material(friction=0.4, restitution=0.25))
    seen: list[Contact] = []
    values: list[Any] = []

    def look(contact: Contact) -> None:
        seen.append(contact)
        values.append((contact.entity_a, contact.entity_b, contact.normal, sorted(contact.points)))
        assert contact.separations == [contact.separation_0, contact.separation_1]
        assert contact.count == 2
        assert math.isclose(contact.friction, 0.6)
        assert contact.restitution == 0.25
        assert contact.rolling_resistance == contact.surface_speed == 0.0
        assert not contact.disabled

    world.pre_solve = look
    world.step(DT)
    world.step(DT)
    assert len(values) == 2
    a, b, normal, points = values[0]
    assert (a, b) == (floor, one)
    assert normal == (0.0, 1.0)
    for (x, y), wanted in zip(points, (-0.2, 0.8), strict=True):
        assert math.isclose(x, wanted, abs_tol=1e-7)
        assert abs(y) < 1e-7


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "much"])
def test_wrong_values_are_refused(value: Any) -> None:
    world, _ = world_with_floor()
    box(0.0)

    def change(contact: Contact) -> None:
        contact.friction = value

    world.pre_solve = change
    with pytest.raises(ValueError, match=r"Contact\.friction") as caught:
        world.step(DT)
    assert "raised by World.pre_solve, shown the entities" in " ".join(caught.value.__notes__)
    world.pre_solve = None
    world.step(DT)


def test_wrong_values_of_a_compiled_one_are_refused() -> None:
    world, floor = world_with_floor()
    one = box(0.0)

    @numba.njit
    def change(contact):
        contact.restitution = math.nan

    world.pre_solve = change
    match = "Contact.restitution" if numba.config.DISABLE_JIT else f"entities {floor} and {one}"
    with pytest.raises(ValueError, match=match):
        world.step(DT)


def test_a_compiled_and_a_plain_function_lead_to_the_same_bits() -> None:
    def change(contact: Contact) -> None:
        if contact.normal_y > 0.9 and contact.entity_a % 2 == 0:
            contact.friction = 0.1
        if contact.separation_0 < -0.001:
            contact.restitution = 0.3

    hashes = set()
    for given in (change, numba.njit(change)):
        world, _ = world_with_floor()
        for k in range(12):
            box(0.3 * (k % 3), 0.6 + 1.1 * k, speed=0.5 * (k % 5))
        world.pre_solve = given
        for _ in range(90):
            world.step(DT)
        hashes.add(world.hash())
    assert len(hashes) == 1


# -- mixing -------------------------------------------------------------------------------

RULES = {
    "geometric mean": lambda a, b: math.sqrt(a * b),
    "average": lambda a, b: 0.5 * (a + b),
    "minimum": min,
    "maximum": max,
    "product": lambda a, b: a * b,
}


@pytest.mark.parametrize("friction", RULES)
@pytest.mark.parametrize("restitution", RULES)
def test_rules_by_name(friction: str, restitution: str) -> None:
    world, _ = world_with_floor(Material(friction=0.9, restitution=0.3))
    box(0.0, 0.5, Material(friction=0.4, restitution=0.7))
    seen: list[tuple[float, float]] = []
    world.pre_solve = lambda contact: seen.append((contact.friction, contact.restitution))
    world.mixing = Mixing(friction, restitution)
    world.step(DT)
    wanted = (RULES[friction](0.9, 0.4), RULES[restitution](0.3, 0.7))
    assert seen == [pytest.approx(wanted, rel=1e-14)]
    world.mixing = Mixing()
    world.step(DT)
    assert seen[1] == pytest.approx((0.6, 0.7), rel=1e-14)


@_ways
def test_a_rule_of_ones_own(compile_it: Any) -> None:
    world, _ = world_with_floor(Material(friction=0.9))
    one = box(0.0, 0.5, Material(friction=0.1), speed=4.0)
    world.mixing = Mixing(friction=compile_it(lambda a, b: 0.2 * (a + b)))
    for _ in range(30):
        world.step(DT)
    assert math.isclose(
        esper.component_for_entity(one, Velocity).x, 4.0 - 0.2 * G * 0.5, rel_tol=2e-3
    )


@_ways
def test_a_wrong_answer_is_refused(compile_it: Any) -> None:
    world, floor = world_with_floor()
    one = box(0.0)
    world.mixing = Mixing(restitution=compile_it(lambda a, b: -1.0))
    with pytest.raises(ValueError, match=f"mixing.restitution .* {floor} and {one}"):
        world.step(DT)
    world.mixing = Mixing()
    world.step(DT)


@pytest.mark.parametrize("bad", ["sum", 1.0, None, max.__class__])
def test_rules_that_there_are_not(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"Mixing\.friction = "):
        Mixing(friction=bad)
    world, _ = world_with_floor()
    with pytest.raises(ValueError, match=r"World\.mixing = "):
        world.mixing = bad
