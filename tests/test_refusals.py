"""Every door of a World refuses what is no entity, function or number of its kind, and says why."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import esper
import numba
import numpy as np
import pytest

from ecs_physics import (
    DistanceJoint,
    GearJoint,
    Mass,
    Mixing,
    PrismaticJoint,
    PulleyJoint,
    RevoluteJoint,
    Shape,
    Stage,
    Transform,
    Velocity,
    WheelJoint,
    World,
)


@pytest.fixture
def world() -> Iterator[World]:
    with World(name="refusals") as world:
        for x in range(2):
            esper.create_entity(Transform(3.0 * x, 0), Velocity(), Shape.box(1, 1), Mass())
        world.step()
        before = world.hash()
        yield world
        assert world.hash() == before, "a refusal changes nothing"
        world.step()
        world.close()


DOORS: dict[str, Callable[[World, Any], Any]] = {
    "clone": lambda world, entity: world.clone(entity),
    "clone_group": lambda world, entity: world.clone_group([1, entity]),
    "closest_points": lambda world, entity: world.closest_points(1, entity),
    "disable": lambda world, entity: world.disable(entity),
    "distance": lambda world, entity: world.distance(entity, 1),
    "drop_through": lambda world, entity: world.drop_through(entity),
    "enable": lambda world, entity: world.enable(entity),
    "is_asleep": lambda world, entity: world.is_asleep(entity),
    "joint_force": lambda world, entity: world.joint_force(entity),
    "move_to": lambda world, entity: world.move_to(entity, 0, 0, time=1),
    "overlaps": lambda world, entity: world.overlaps(entity),
    "put_to_sleep": lambda world, entity: world.put_to_sleep(entity),
    "ray": lambda world, entity: world.ray((0, 9), (1, 9), ignore=[entity]),
    "teleport": lambda world, entity: world.teleport(entity, 0, 0),
    "wake": lambda world, entity: world.wake(entity),
}


@pytest.mark.parametrize("wrong", [None, True, 1.0, "crate", [1], 2**70], ids=repr)
@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_entity_is_refused_with_its_value(world: World, door: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"give|no body|no entity|has no") as caught:
        DOORS[door](world, wrong)
    assert repr(wrong) in str(caught.value)


def test_a_group_of_clones_is_several_entities(world: World) -> None:
    for wrong in (1, "crate"):
        with pytest.raises(ValueError, match=r"clone_group\(.*\): give entities"):
            world.clone_group(wrong)  # type: ignore[arg-type]
    assert world.entities() == [1, 2]


@pytest.mark.parametrize("joint", [DistanceJoint, PrismaticJoint, RevoluteJoint, WheelJoint])
def test_a_limit_that_nothing_can_keep_is_refused(joint: Any) -> None:
    with pytest.raises(ValueError, match="lower = inf"):
        joint(1, 2, lower=math.inf)
    with pytest.raises(ValueError, match="upper = -inf"):
        joint(1, 2, upper=-math.inf)
    with pytest.raises(ValueError, match="lower = None"):
        joint(1, 2, lower=None, upper=1.0)
    assert joint(1, 2, lower=-math.inf, upper=math.inf).upper == math.inf


def test_gears_and_pulleys_need_two_bodies() -> None:
    with pytest.raises(ValueError, match=r"GearJoint.body_b = None"):
        GearJoint(1, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"PulleyJoint.body_b = None"):
        PulleyJoint(1, None, ground_a=(0, 1), ground_b=(1, 1))  # type: ignore[arg-type]


def test_the_class_of_a_joint_is_no_joint(world: World) -> None:
    with pytest.raises(ValueError, match="was given the class RevoluteJoint: give an instance"):
        esper.create_entity(Transform(9, 9), RevoluteJoint)  # type: ignore[arg-type]


def test_complex_numbers_are_no_rays(world: World) -> None:
    with pytest.raises(ValueError, match=r"ends = .*give an array"):
        world.rays([(0, 0)], np.ones((1, 2), complex))


def test_register_takes_functions(world: World) -> None:
    class Health:
        points = 3

    with pytest.raises(ValueError, match=r"register\(from_state=4\): give a function"):
        world.register(Health, lambda health: health.points, 4)  # type: ignore[arg-type]


def test_events_are_noted_by_their_names_and_fields(world: World) -> None:
    with pytest.raises(ValueError, match=r"note\('bang'\): give one of 'contact_begin'"):
        world.events.note("bang", np.array([1]))
    for columns in ((), (np.array([1]),), (np.array([1]), np.array([1, 2]))):
        with pytest.raises(ValueError, match="a column for each of sensor, visitor"):
            world.events.note("sensor_begin", *columns)


@pytest.mark.parametrize("stage", [Stage.BEFORE_STEP, Stage.SUBSTEP, Stage.AFTER_STEP])
def test_a_world_is_not_closed_inside_its_step(stage: Stage) -> None:
    class Closing(esper.Processor):
        def process(self, dt: float) -> None:
            world.close()

    with World(name="closing") as world:
        esper.create_entity(Transform(), Velocity(), Shape.circle(1), Mass())
        closing = Closing()
        world.add_system(closing, stage)
        for step in (world.step, lambda: esper.process(1 / 60)):
            with pytest.raises(ValueError, match=r"close\(\) inside a step"):
                step()
        world.remove_system(closing)
        world.step()
        world.close()


def test_a_compiled_rule_for_a_field_that_contacts_lack_is_refused(world: World) -> None:
    @numba.njit
    def grip(contact: Any) -> None:
        contact.grip = 1.0

    with pytest.raises(ValueError, match=r"World.pre_solve = grip: Numba cannot compile it"):
        world.pre_solve = grip


def test_a_mixing_rule_answers_with_a_number() -> None:
    with World(name="mixing") as world:
        esper.create_entity(Transform(), Shape.box(9, 1))
        esper.create_entity(Transform(0, 1), Velocity(), Shape.box(1, 1), Mass())
        world.mixing = Mixing(friction=lambda a, b: None)  # type: ignore[arg-type, return-value]
        with pytest.raises(ValueError, match=r"World.mixing.friction answered None: give a number"):
            world.step()
        world.mixing = Mixing()
        world.step()
        world.close()
