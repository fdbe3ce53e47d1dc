"""Friction and rolling: what creeps, what slides, what rolls and how far."""

import math

import esper
import pytest

from ecs_physics import Mass, Material, Shape, Transform, Velocity
from tests.scenes.scenery import G, Slope, body, floor, motion, new_world, place, run, steps

ONE_DEGREE = math.radians(1.0)


@pytest.mark.parametrize("friction", [0.2, 0.6, 0.9])
@pytest.mark.parametrize("mass", [0.05, 1.0, 500.0])
def test_a_box_one_degree_below_the_friction_angle_does_not_creep(
    friction: float, mass: float
) -> None:
    slope = Slope(math.atan(friction) - ONE_DEGREE)
    material = Material(friction=friction)
    world = new_world()
    slope.build(material)
    box = slope.put(Shape.box(1, 1), 0.5, Mass(mass=mass), material)
    run(world, 1.0)  # it settles
    x, y = place(box).x, place(box).y
    run(world, 60.0)
    assert math.hypot(place(box).x - x, place(box).y - y) < 0.002


@pytest.mark.parametrize("degrees", [1.0, 5.0, 10.0])
@pytest.mark.parametrize("friction", [0.0, 0.3, 0.6])
def test_a_box_above_the_friction_angle_slides_as_coulomb_says(
    friction: float, degrees: float
) -> None:
    slope = Slope(math.atan(friction) + math.radians(degrees))
    material = Material(friction=friction)
    world = new_world()
    slope.build(material)
    box = slope.put(Shape.box(2, 1), 0.5, material)
    run(world, 1.0)
    before = slope.speed(box)
    run(world, 2.0)
    acceleration = (slope.speed(box) - before) / 2.0
    assert acceleration == pytest.approx(G * (slope.sin - friction * slope.cos), rel=0.002)
    assert place(box).angle == pytest.approx(-slope.angle, abs=1e-3)


@pytest.mark.parametrize(
    ("shape", "radius"),
    [(Shape.circle(0.5), 0.5), (Shape.circle(0.1), 0.1), (Shape.circle(2.0), 2.0)],
)
@pytest.mark.parametrize("degrees", [5.0, 20.0, 30.0])
def test_a_disc_rolls_with_two_thirds(shape: Shape, radius: float, degrees: float) -> None:
    slope = Slope(math.radians(degrees))
    world = new_world()
    slope.build(Material(friction=0.9))
    disc = slope.put(shape, radius, Material(friction=0.9))
    run(world, 1.0)
    before = slope.speed(disc)
    run(world, 2.0)
    acceleration = (slope.speed(disc) - before) / 2.0
    assert acceleration == pytest.approx(2.0 / 3.0 * G * slope.sin, rel=0.005)
    assert motion(disc).omega == pytest.approx(-slope.speed(disc) / radius, rel=0.005)


def test_a_disc_slips_where_friction_cannot_turn_it() -> None:
    """Rolling needs tan(angle) <= 3 mu; beyond, a = g (sin - mu cos) and alpha = 2 mu g cos / r."""
    friction = 0.1
    slope = Slope(math.radians(35.0))
    world = new_world()
    slope.build(Material(friction=friction))
    disc = slope.put(Shape.circle(0.5), 0.5, Material(friction=friction))
    run(world, 1.0)
    speed, omega = slope.speed(disc), motion(disc).omega
    run(world, 1.0)
    assert slope.speed(disc) - speed == pytest.approx(
        G * (slope.sin - friction * slope.cos), rel=0.002
    )
    assert motion(disc).omega - omega == pytest.approx(
        -2.0 * friction * G * slope.cos / 0.5, rel=0.005
    )


def test_friction_of_a_pair_is_the_geometric_mean() -> None:
    """A box at v stops after v^2 / (2 mu g)."""
    world = new_world()
    floor(200.0, 0.0, 0.0, Material(friction=0.2))
    box = body(Shape.box(2, 0.5), 0.0, 0.25, Velocity(5.0, 0.0), Material(friction=0.8))
    run(world, 3.0)
    assert motion(box).x == pytest.approx(0.0, abs=1e-4)
    assert place(box).x == pytest.approx(25.0 / (2.0 * math.sqrt(0.16) * G), rel=0.01)


def test_no_friction_on_either_side_is_none() -> None:
    world = new_world()
    floor(200.0, 0.0, 0.0, Material(friction=0.9))
    box = body(Shape.box(1, 1), 0.0, 0.5, Velocity(5.0, 0.0), Material(friction=0.0))
    run(world, 3.0)
    assert motion(box).x == pytest.approx(5.0, rel=1e-6)


@pytest.mark.parametrize("radius", [0.25, 0.5])
@pytest.mark.parametrize("resistance", [0.02, 0.1])
def test_rolling_resistance_stops_a_disc_in_the_closed_form_distance(
    radius: float, resistance: float
) -> None:
    """The torque c r N opposes: a = c g / (1 + I / (m r^2)) = c g 2/3, so v^2 / (2 a)."""
    speed = 2.0
    world = new_world()
    floor(400.0)
    disc = body(
        Shape.circle(radius),
        0.0,
        radius,
        Velocity(speed, 0.0, -speed / radius),
        Material(rolling_resistance=resistance),
    )
    acceleration = resistance * G * 2.0 / 3.0
    run(world, speed / acceleration + 1.0)
    assert motion(disc).x == pytest.approx(0.0, abs=1e-4)
    assert place(disc).x == pytest.approx(speed**2 / (2.0 * acceleration), rel=0.02)


def test_without_rolling_resistance_a_disc_rolls_on() -> None:
    world = new_world()
    floor(400.0)
    disc = body(Shape.circle(0.5), 0.0, 0.5, Velocity(2.0, 0.0, -4.0))
    run(world, 10.0)
    assert motion(disc).x == pytest.approx(2.0, rel=1e-3)


def test_rolling_resistance_holds_a_disc_on_a_gentle_slope() -> None:
    """It rolls only where sin > c cos."""
    slope = Slope(math.atan(0.1))
    for resistance, stays in ((0.12, True), (0.08, False)):
        world = new_world()
        slope.build(Material(friction=0.9))
        disc = slope.put(Shape.circle(0.5), 0.5, Material(rolling_resistance=resistance))
        run(world, 5.0)
        assert (abs(slope.speed(disc)) < 1e-3) is stays


@pytest.mark.parametrize("speed", [2.0, -1.0])
@pytest.mark.parametrize("shape", [Shape.box(1, 1), Shape.capsule((-0.5, 0), (0.5, 0), 0.5)])
def test_a_running_surface_carries_to_the_right(shape: Shape, speed: float) -> None:
    world = new_world()
    floor(100.0, 0.0, 0.0, Material(surface_speed=speed))
    crate = body(shape, 0.0, 0.5)
    run(world, 3.0)
    assert motion(crate).x == pytest.approx(speed, rel=1e-4)
    # and it got there by friction: v^2 / (2 mu g) behind the belt
    behind = speed * abs(speed) / (2.0 * 0.6 * G)
    assert place(crate).x == pytest.approx(3.0 * speed - behind, rel=0.01)


def test_a_running_surface_carries_whichever_body_was_made_first() -> None:
    world = new_world()
    crate = body(Shape.box(1, 1), 0.0, 0.5)
    floor(100.0, 0.0, 0.0, Material(surface_speed=2.0))
    run(world, 2.0)
    assert motion(crate).x == pytest.approx(2.0, rel=1e-4)


def test_a_crawler_drives_by_its_own_running_surface() -> None:
    """Positive is clockwise around the body: on its underside to -x, so it drives to +x."""
    world = new_world()
    floor()
    tank = body(Shape.box(2, 1), 0.0, 0.5, Material(surface_speed=1.5))
    run(world, 2.0)
    assert motion(tank).x == pytest.approx(1.5, rel=1e-3)


def test_at_a_hundred_kilometres_a_frictionless_box_still_slides() -> None:
    far = 100_000.0
    slippery = Material(friction=0.0)
    world = new_world()
    floor(50.0, far, 0.0, slippery)
    box = body(Shape.box(1, 1), far, 0.5, Velocity(0.1, 0.0), slippery)
    run(world, 10.0)
    assert place(box).x - far == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("rider", [Shape.box(1, 1), Shape.circle(0.5)], ids=["box", "disc"])
def test_a_kinematic_platform_carries_its_rider(rider: Shape) -> None:
    world = new_world()
    lift = esper.create_entity(Transform(0.0, -0.25), Velocity(1.0, 0.5), Shape.box(4, 0.5))
    material = Material(rolling_resistance=0.2)
    passenger = body(rider, 0.0, 0.5, Velocity(1.0, 0.5), material)
    run(world, 4.0)
    assert place(passenger).x - place(lift).x == pytest.approx(0.0, abs=0.01)
    assert place(passenger).y - place(lift).y == pytest.approx(0.75, abs=0.01)
    assert motion(passenger).x == pytest.approx(1.0, abs=1e-3)
    assert motion(passenger).y == pytest.approx(0.5, abs=1e-3)


def test_a_rider_at_rest_is_taken_along_by_friction() -> None:
    world = new_world()
    esper.create_entity(Transform(0.0, -0.25), Velocity(1.0, 0.0), Shape.box(40, 0.5))
    passenger = body(Shape.box(1, 1), 0.0, 0.5)
    run(world, 2.0)
    assert motion(passenger).x == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("length", [20.0, 250.0, 20_000.0])
def test_what_slides_far_out_on_a_long_ramp_is_not_shaken(length: float) -> None:
    world = new_world()
    cos, sin = math.cos(0.5), math.sin(0.5)
    along = 0.4 * length
    smooth = Material(friction=0.0)
    esper.create_entity(Transform(0, 0, 0.5), Shape.box(length, 1), smooth)
    x, y = along * cos - sin, along * sin + cos
    box = body(Shape.box(1, 1), x, y, smooth, angle=0.5)
    heights = []
    for step in steps(world, 2.0):
        if step >= 30:
            heights.append(place(box).y * cos - place(box).x * sin)
            assert abs(motion(box).omega) < 2e-5
    assert max(heights) - min(heights) < 5e-6
    assert math.hypot(motion(box).x, motion(box).y) == pytest.approx(G * sin * 2.0, rel=1e-4)
