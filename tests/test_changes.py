"""Clones, jumps, and bodies that are switched off and on."""

from dataclasses import dataclass, field

import esper
import numpy as np
import pytest

from ecs_physics import (
    Damping,
    Disabled,
    Filter,
    Mass,
    Material,
    Name,
    RevoluteJoint,
    Shape,
    Spring,
    Stage,
    Velocity,
    WeldJoint,
)
from ecs_physics.systems import Springs
from tests.consistency import check
from tests.scenes.scenery import DT, body, floor, motion, new_world, place

BOX = Shape.box(1, 1)


@dataclass
class Bag:
    things: list[str] = field(default_factory=list)


# Clones


def test_a_clone_moves_as_the_original_would() -> None:
    world = new_world()
    extras = (Material(restitution=0.5), Damping(0.1, 0.2), Name("a"), Mass(mass=3))
    first = body(BOX, 0, 5, Velocity(1, 2, 3), *extras)
    for _ in range(10):
        world.step(DT)
    second = world.clone(first)
    kinds = {type(each) for each in esper.components_for_entity(first)}
    assert {type(each) for each in esper.components_for_entity(second)} == kinds
    assert place(second) is not place(first)
    for shared in (Shape, Material, Name):
        mine, other = (esper.component_for_entity(e, shared) for e in (first, second))
        assert mine is other
    world.teleport(second, place(first).x + 50, place(first).y)
    for _ in range(10):
        world.step(DT)
    assert place(second).x - 50 == pytest.approx(place(first).x, abs=1e-12)
    assert (place(second).y, place(second).angle) == (place(first).y, place(first).angle)
    assert esper.component_for_entity(second, Mass).mass == 3.0
    check(world)


def test_the_springs_of_a_body_are_cloned_with_it() -> None:
    world = new_world()
    a, b = body(BOX, 0, 0), body(BOX, 5, 0)
    esper.create_entity(Spring(a, b, stiffness=7, rest_length=2, anchor_a=(0.1, 0)))
    esper.create_entity(Spring(b, stiffness=1, rest_length=1))
    clone = world.clone(a)
    found = [(s.body_a, s.body_b, s.stiffness) for _, s in esper.get_component(Spring)]
    assert sorted(found, key=str) == sorted([(a, b, 7.0), (b, None, 1.0), (clone, b, 7.0)], key=str)


def test_a_group_keeps_its_springs_to_itself() -> None:
    world = new_world()
    a, b, other = (body(BOX, 3 * k, 0) for k in range(3))
    inner = esper.create_entity(Spring(a, b, stiffness=7, rest_length=2))
    outer = esper.create_entity(Spring(other, b, stiffness=1, rest_length=1), Name("outer"))
    clones = world.clone_group([a, b, inner])
    assert clones.keys() == {a, b, inner, outer}
    spring = esper.component_for_entity(clones[inner], Spring)
    assert (spring.body_a, spring.body_b) == (clones[a], clones[b])
    spring = esper.component_for_entity(clones[outer], Spring)
    assert (spring.body_a, spring.body_b) == (other, clones[b])
    assert esper.component_for_entity(clones[outer], Name) == Name("outer")


def test_a_pendulum_and_its_clone_swing_alike() -> None:
    world = new_world()
    bob = body(Shape.circle(0.2), 2, 0)
    hinge = esper.create_entity(RevoluteJoint(bob, anchor_a=(-2, 0), anchor_b=(0, 0)))
    for _ in range(20):
        world.step(DT)
    clones = world.clone_group([bob, hinge])
    assert clones.keys() == {bob, hinge}
    assert esper.component_for_entity(clones[hinge], RevoluteJoint).body_a == clones[bob]
    esper.add_component(clones[bob], Filter(group=-1))
    esper.add_component(bob, Filter(group=-1))
    world.step(DT)
    for _ in range(60):
        world.step(DT)
    mine, other = place(bob), place(clones[bob])
    assert np.hypot(mine.x, mine.y) == pytest.approx(2.0, abs=1e-2)
    assert (other.x, other.y) == pytest.approx((mine.x, mine.y), abs=2e-2)
    check(world)


def test_a_joint_of_a_cloned_body_holds_on_to_the_same_other() -> None:
    world = new_world((0, 0))
    post, door = body(BOX, 0, 0), body(BOX, 1, 0)
    joint = esper.create_entity(WeldJoint(door, post))
    world.step(DT)
    clones = world.clone_group([door])
    found = esper.component_for_entity(clones[joint], WeldJoint)
    assert (found.body_a, found.body_b) == (clones[door], post)
    world.step(DT)
    check(world)


def test_a_spring_that_another_body_carries_is_cloned_alone() -> None:
    world = new_world()
    a = body(BOX, 0, 0)
    carrier = body(BOX, 3, 0, Spring(a, stiffness=7, rest_length=2))
    clones = world.clone_group([a])
    assert [type(c) for c in esper.components_for_entity(clones[carrier])] == [Spring]
    assert len(world.entities()) == 3


def test_components_of_the_users_own_are_copied() -> None:
    world = new_world()
    entity = body(BOX, 0, 0, Bag(["key"]))
    bag = esper.component_for_entity(entity, Bag)
    shallow = esper.component_for_entity(world.clone(entity), Bag)
    assert shallow is not bag
    assert shallow.things is bag.things
    world.register(Bag)
    deep = esper.component_for_entity(world.clone(entity), Bag)
    assert deep == bag
    assert deep.things is not bag.things


# Jumps


def test_a_jump_is_not_drawn_on_the_way() -> None:
    world = new_world((0, 0))
    entity = body(BOX, 0, 0, Velocity(6, 0))
    world.step(DT)
    world.teleport(entity, 10, 20, 0.5)
    world.step(DT)
    between = world.render.interpolate(0.5)[0]
    np.testing.assert_allclose(between, [10 + 6 * DT, 20, 0.5])
    assert motion(entity).x == 6.0


def test_a_jump_forgets_contacts() -> None:
    world = new_world()
    floor(20)
    entity = body(BOX, 0, 0.5)
    for _ in range(20):
        world.step(DT)
    assert len(world.contacts) == 1
    world.teleport(entity, 0, 0.5)
    assert len(world.contacts) == 0
    world.step(DT)
    assert world.contacts["normal_impulse"].sum() == pytest.approx(9.81 * DT, rel=0.05)
    world.teleport(entity, 3, 5)
    world.step(DT)
    assert len(world.contacts) == 0
    check(world)


def test_a_jump_wakes() -> None:
    world = new_world(sleep=True)
    floor(20)
    entity = body(BOX, 0, 0.5)
    while not world.is_asleep(entity):
        world.step(DT)
    world.teleport(entity, 0, 0.5)
    world.step(DT)
    assert not world.is_asleep(entity)
    assert world.contacts["normal_impulse"].sum() == pytest.approx(9.81 * DT, rel=0.05)
    world.teleport(entity, 0, 9)
    world.step(DT)
    assert motion(entity).y == pytest.approx(-9.81 * DT, abs=1e-3)


def test_a_jump_keeps_the_angle_unless_it_is_given() -> None:
    world = new_world()
    entity = body(BOX, 0, 0, angle=0.3)
    world.teleport(entity, 1, 2)
    assert (place(entity).x, place(entity).y, place(entity).angle) == (1.0, 2.0, 0.3)


def test_jumps_to_nowhere_are_refused() -> None:
    world = new_world()
    entity = body(BOX, 0, 0)
    with pytest.raises(ValueError, match="finite"):
        world.teleport(entity, 1, float("nan"))
    assert place(entity).x == 0.0
    with pytest.raises(ValueError, match="Transform"):
        world.teleport(esper.create_entity(BOX), 1, 2)
    for call in (world.clone, world.disable, world.enable, lambda e: world.teleport(e, 0, 0)):
        with pytest.raises(ValueError, match="no entity 999"):
            call(999)


# Off and on


def test_a_disabled_body_stays_as_it_is_and_goes_on() -> None:
    world = new_world()
    entity = body(BOX, 0, 5, Velocity(1, 0))
    world.step(DT)
    world.disable(entity)
    world.disable(entity)
    held = (place(entity).x, place(entity).y, motion(entity).y)
    for _ in range(10):
        world.step(DT)
    assert world.entities() == []
    assert (place(entity).x, place(entity).y, motion(entity).y) == held
    world.enable(entity)
    world.enable(entity)
    world.step(DT)
    assert motion(entity).y == pytest.approx(held[2] - 9.81 * DT)
    check(world)


def test_a_spring_rests_while_its_body_is_disabled() -> None:
    world = new_world((0, 0))
    world.add_system(Springs(world), Stage.FORCES)
    a, b = body(BOX, 0, 0), body(BOX, 5, 0)
    spring = esper.create_entity(Spring(a, b, stiffness=10, rest_length=1))
    world.step(DT)
    world.disable(b)
    speed = motion(a).x
    assert speed > 0.0
    for _ in range(5):
        world.step(DT)
    assert motion(a).x == speed
    assert esper.entity_exists(spring)
    esper.create_entity(Spring(a, b, stiffness=10, rest_length=1))
    world.step(DT)
    assert motion(a).x == speed
    world.enable(b)
    world.step(DT)
    assert motion(a).x > speed
    esper.add_component(b, Disabled())
    esper.delete_entity(b)
    world.step(DT)
    assert not esper.entity_exists(spring)
