"""CollisionDetection in a world: which bodies make contacts, and when."""

import math

import esper
import pytest

from ecs_physics import Mass, Shape, Transform, Velocity, World

DT = 1.0 / 60.0
BOX = Shape.box(1, 1)
NO_GRAVITY = (0.0, 0.0)


def dynamic(x: float, y: float = 0.0, shape: Shape = BOX) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), shape, Mass())


def kinematic(x: float, y: float = 0.0, shape: Shape = BOX) -> int:
    return esper.create_entity(Transform(x, y), Velocity(), shape)


def static(x: float, y: float = 0.0, shape: Shape = BOX) -> int:
    return esper.create_entity(Transform(x, y), shape)


def pairs(world: World) -> set[frozenset[int]]:
    contacts = world.contacts
    return {frozenset(map(int, each)) for each in contacts[["entity_a", "entity_b"]].tolist()}


@pytest.mark.parametrize(
    ("first", "second", "touch"),
    [
        (dynamic, dynamic, True),
        (dynamic, kinematic, True),
        (dynamic, static, True),
        (kinematic, kinematic, False),
        (kinematic, static, False),
        (static, static, False),
    ],
)
def test_only_pairs_with_a_dynamic_body_touch(first, second, touch: bool) -> None:
    world = World(gravity=NO_GRAVITY)
    a, b = first(0.0), second(0.9)
    world.step(DT)
    assert pairs(world) == ({frozenset((a, b))} if touch else set())


def test_parts_of_one_body_do_not_touch_each_other() -> None:
    world = World(gravity=NO_GRAVITY)
    dynamic(0, 0, Shape.compound([(BOX, 0, 0), (BOX, 0.5, 0), (Shape.circle(1), 0.2, 0.1)]))
    dynamic(9, 0, Shape.polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]))
    world.step(DT)
    assert len(world.contacts) == 0


def test_a_contact_comes_when_bodies_meet_and_goes_when_they_part() -> None:
    world = World(gravity=NO_GRAVITY)
    a = dynamic(0.0)
    b = dynamic(3.0)
    transform = esper.component_for_entity(b, Transform)
    world.step(DT)
    assert pairs(world) == set()
    transform.x = 1.001
    world.step(DT)
    assert pairs(world) == {frozenset((a, b))}
    transform.x = 40.0
    world.step(DT)
    assert pairs(world) == set()


def test_a_teleported_static_body_is_found_where_it_is() -> None:
    world = World(gravity=NO_GRAVITY)
    a = dynamic(0.0)
    wall = static(50.0)
    world.step(DT)
    esper.component_for_entity(wall, Transform).x = 1.0
    world.step(DT)
    assert pairs(world) == {frozenset((a, wall))}


def test_fast_bodies_are_felt_a_step_ahead() -> None:
    world = World(gravity=NO_GRAVITY)
    bullet = dynamic(0.0, 0.0, Shape.circle(0.05))
    esper.component_for_entity(bullet, Velocity).x = 60.0
    wall = static(1.0 + 0.5 + 0.05 - 0.2)
    world.step(DT)
    (contact,) = world.contacts
    assert contact["separation"][0] == pytest.approx(0.8, abs=1e-6)
    assert pairs(world) == {frozenset((bullet, wall))}
    assert esper.component_for_entity(bullet, Transform).x < 0.81


def test_a_spinning_bar_feels_what_its_end_comes_near() -> None:
    world = World(gravity=NO_GRAVITY)
    bar = esper.create_entity(Transform(), Velocity(0, 0, 20), Shape.box(4, 0.2), Mass(density=9))
    ball = dynamic(1.9, 0.5, Shape.circle(0.1))
    world.step(DT)
    assert pairs(world) == {frozenset((bar, ball))}


@pytest.mark.parametrize("angle", [0.0, 0.4, math.pi / 2, 2.0])
def test_normals_point_from_a_to_b_and_points_lie_between(angle: float) -> None:
    world = World(gravity=NO_GRAVITY)
    x, y = 1.4 * math.cos(angle), 1.4 * math.sin(angle)
    entities = [dynamic(0, 0, Shape.circle(1.0)), dynamic(x, y, Shape.circle(0.5))]
    world.step(DT)
    (contact,) = world.contacts
    sign = 1.0 if contact["entity_a"] == entities[0] else -1.0
    rounding = 1e-7  # circles collide in float32
    assert sign * contact["normal_x"] == pytest.approx(math.cos(angle), abs=rounding)
    assert sign * contact["normal_y"] == pytest.approx(math.sin(angle), abs=rounding)
    assert contact["separation"][0] == pytest.approx(-0.1)
    push_out = 0.01  # m: the points go along with the bodies, which part during the step
    assert contact["x"][0] == pytest.approx(0.95 * math.cos(angle), abs=push_out)
    assert contact["y"][0] == pytest.approx(0.95 * math.sin(angle), abs=push_out)
    assert contact["x"][1] == contact["separation"][1] == 0.0
