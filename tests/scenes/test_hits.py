"""Hits: how fast, where and how hard two bodies meet."""

import math
from typing import Any

import esper
import pytest

from ecs_physics import Mass, Material, Shape, Transform, Velocity, World
from ecs_physics.events import HIT, Hit
from tests.scenes.scenery import DT, G, body, floor, new_world, place, run, steps


def material(restitution: float, friction: float = 0.0) -> Material:
    return Material(friction=friction, restitution=restitution)


def hits_of(world: World, seconds: float) -> list[Hit]:
    """All hits within a time, as the arrays say."""
    return [Hit(*each) for _ in steps(world, seconds) for each in world.events.hits.tolist()]


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("height", [0.3, 1.0, 1.7, 8.0])
def test_a_falling_ball_hits_with_the_speed_and_momentum_of_its_fall(
    height: float, restitution: float
) -> None:
    world = new_world()
    ground = floor()
    ball = body(Shape.circle(0.5), 2.0, 0.5 + height, Mass(mass=3.0), material(restitution))
    speed = math.sqrt(2 * G * height)
    (hit,) = hits_of(world, speed / G + 2 * DT)
    assert (hit.entity_a, hit.entity_b) == (ground, ball)
    assert hit.speed == pytest.approx(speed, rel=0.01)
    momentum = 3.0 * speed * (1 + restitution)
    assert hit.impulse == pytest.approx(momentum, rel=0.01, abs=3.0 * G * DT)
    assert (hit.normal_x, hit.normal_y) == (0.0, 1.0)
    assert (hit.x, hit.y) == (pytest.approx(2.0), pytest.approx(0.0, abs=2e-3))


@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_a_box_that_lands_flat_makes_one_hit_with_the_impulses_of_both_corners(
    restitution: float,
) -> None:
    world = new_world()
    floor()
    body(Shape.box(1, 1), 0.0, 1.5, Mass(mass=2.0), material(restitution))
    speed = math.sqrt(2 * G)
    (hit,) = hits_of(world, speed / G + 2 * DT)
    assert hit.speed == pytest.approx(speed, rel=0.01)
    # Without a bounce, what a hit in the last substep leaves is stopped in the next step.
    assert hit.impulse == pytest.approx(2.0 * speed * (1 + restitution), rel=0.15)


@pytest.mark.parametrize("speed", [2.0, 30.0, 300.0])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_two_balls_hit_with_their_relative_speed(speed: float, restitution: float) -> None:
    world = new_world((0.0, 0.0))
    balls = [
        body(Shape.circle(0.5), x, 0, Velocity(v, 0), Mass(mass=m), material(restitution))
        for x, v, m in ((-1.0, 0.75 * speed, 1.0), (1.0, -0.25 * speed, 4.0))
    ]
    (hit,) = hits_of(world, 1.0)
    assert [hit.entity_a, hit.entity_b] == balls
    assert hit.speed == pytest.approx(speed, rel=1e-6)
    assert hit.impulse == pytest.approx((1 + restitution) * 0.8 * speed, rel=0.01)
    assert hit.normal_x == pytest.approx(1.0)


def test_only_the_speed_along_the_normal_counts() -> None:
    world = new_world((0.0, 0.0))
    floor(400.0)
    body(Shape.circle(0.5), 0.0, 0.6, Velocity(40.0, -3.0), material(0.0))
    (hit,) = hits_of(world, 1.0)
    assert hit.speed == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize(("limit", "hits"), [(1.0, 1), (1.9, 1), (2.1, 0)])
def test_what_meets_slower_than_the_limit_is_no_hit(limit: float, hits: int) -> None:
    world = new_world((0.0, 0.0))
    world.events.hit_speed = limit
    floor()
    body(Shape.circle(0.5), 0.0, 1.0, Velocity(0.0, -2.0))
    assert len(hits_of(world, 1.0)) == hits


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, "fast"])
def test_a_bad_limit_is_refused(value: Any) -> None:
    world = new_world()
    with pytest.raises(ValueError, match=r"Events\.hit_speed"):
        world.events.hit_speed = value
    assert world.events.hit_speed == 1.0


def test_what_rests_or_rolls_does_not_hit() -> None:
    world = new_world()
    floor()
    for k in range(5):
        body(Shape.box(1, 1), 0, 0.5 + k)
    body(Shape.circle(0.5), 3.0, 0.5, Velocity(3.0, 0.0, -6.0))
    assert hits_of(world, 5.0) == []


def test_a_tower_that_falls_over_hits_the_floor_that_it_stood_on() -> None:
    world = new_world()
    floor(100.0, 0.0, 0.0, material(0.0, friction=2.0))
    length, width = 4.0, 0.02
    lean = 0.02
    x, y = length / 2 * math.sin(lean), length / 2 * math.cos(lean) + width * math.sin(lean)
    tower = body(Shape.box(width, length), x, y, material(0.0, friction=2.0), angle=-lean)
    hits = hits_of(world, 4.0)
    assert abs(place(tower).angle) == pytest.approx(math.pi / 2, abs=0.02)
    hardest = max(hits, key=lambda hit: hit.speed)
    # A rod about its foot: w^2 L^2 / 6 = g L (cos(lean) - 0) / 2, and the tip has w L.
    assert hardest.speed == pytest.approx(math.sqrt(3 * G * length * math.cos(lean)), rel=0.05)
    assert hardest.x == pytest.approx(length, rel=0.05)


def test_a_ball_on_the_joint_of_two_edges_makes_one_hit() -> None:
    world = new_world()
    esper.create_entity(Transform(), Shape.chain([(-5, 1), (0, 0), (5, 1)]), material(0.0))
    body(Shape.circle(0.5), 0.0, 2.5, Mass(mass=1.0), material(0.0))
    hits = hits_of(world, 1.0)
    cosine = 5.0 / math.sqrt(26.0)
    drop = 2.5 - 0.5 / cosine  # it is caught where it touches both edges
    speed = math.sqrt(2 * G * drop)
    assert len(hits) == 1
    assert hits[0].speed == pytest.approx(speed * cosine, rel=0.01)
    assert hits[0].impulse == pytest.approx(speed / cosine, rel=0.06)


def test_handlers_are_told_of_hits() -> None:
    world = new_world()
    floor()
    body(Shape.circle(0.5), 0.0, 2.0, material(1.0))
    told: list[Hit] = []
    keep = told.append

    def note(hit: Hit) -> None:
        keep(hit)

    esper.set_handler(HIT, note)
    shown = hits_of(world, 3.0)
    assert told == shown
    assert len(told) == 3
    esper.remove_handler(HIT, note)


def test_a_bounce_within_one_step_is_a_hit() -> None:
    world = new_world((0.0, 0.0))
    floor()
    body(Shape.circle(0.1), 0.0, 2.0, Velocity(0.0, -150.0), material(1.0))
    (hit,) = hits_of(world, 1.0)
    assert hit.speed == pytest.approx(150.0)
    run(world, DT)
