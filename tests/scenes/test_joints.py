"""Joints: right values from mechanics, and the rules of how they come and go."""

import copy
import math
import random
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_physics import (
    Damping,
    Disabled,
    DistanceJoint,
    Filter,
    Force,
    GearJoint,
    Mass,
    Material,
    MotorJoint,
    Name,
    PrismaticJoint,
    PulleyJoint,
    RatchetJoint,
    RevoluteJoint,
    RopeJoint,
    Shape,
    Snapshot,
    Stage,
    TargetJoint,
    Transform,
    Velocity,
    WeldJoint,
    WheelJoint,
    World,
)
from ecs_physics.constants import JOINT_CYCLES_PER_SUBSTEP
from tests.scenes.scenery import (
    DT,
    G,
    H,
    body,
    floor,
    joint_of_each_kind,
    motion,
    new_world,
    place,
    run,
    steps,
)

BOB = Shape.circle(0.1)
LENGTH = 3.0
INFINITY = math.inf


def join(joint: object, *more: object) -> int:
    """An entity of its own for a joint."""
    return esper.create_entity(joint, *more)


# ---------------------------------------------------------------------------------------------
# Pendulums
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [DistanceJoint, RevoluteJoint])
@pytest.mark.parametrize("degrees", [30.0, 90.0])
def test_a_pendulum_keeps_its_swing(kind: type, degrees: float) -> None:
    world = new_world()
    first = math.radians(degrees)
    bob = body(BOB, LENGTH * math.sin(first), -LENGTH * math.cos(first), angle=first)
    join(kind(bob, None, anchor_a=(0.0, LENGTH if kind is RevoluteJoint else 0.0)))
    run(world, 55.0)
    last = 0.0
    for _ in steps(world, 5.0):
        last = max(last, abs(math.atan2(place(bob).x, -place(bob).y)))
    assert first - last < 0.005 * first
    assert math.hypot(place(bob).x, place(bob).y) == pytest.approx(LENGTH, abs=0.001)


@pytest.mark.parametrize("kind", ["rods", "arms"])
@pytest.mark.parametrize("start", range(20))
def test_a_double_pendulum_keeps_its_energy(kind: str, start: int) -> None:
    world = new_world()
    rng = random.Random(start)
    bobs, x, y = [], 0.0, 0.0
    for _ in range(2):
        angle = rng.uniform(-3.0, 3.0)
        x, y = x + LENGTH * math.sin(angle), y - LENGTH * math.cos(angle)
        bobs.append(body(BOB, x, y, angle=angle))
    arm = (0.0, LENGTH if kind == "arms" else 0.0)
    for bob, before in zip(bobs, (None, bobs[0]), strict=True):
        joint = RevoluteJoint if kind == "arms" else DistanceJoint
        join(joint(bob, before, anchor_a=arm))
    mass = BOB.mass_properties(1.0)

    def energy() -> float:
        """J above the lowest state."""
        total = 0.0
        for bob, lowest in zip(bobs, (-LENGTH, -2.0 * LENGTH), strict=True):
            v = motion(bob)
            total += 0.5 * mass.mass * (v.x**2 + v.y**2) + 0.5 * mass.inertia * v.omega**2
            total += mass.mass * G * (place(bob).y - lowest)
        return total

    first = energy()
    run(world, 60.0)
    assert energy() == pytest.approx(first, rel=0.03)
    world.close()


# ---------------------------------------------------------------------------------------------
# Limits, motors, forces
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("kind", ["bar", "bob"])
def test_revolute_limits_hold_against_ten_times_the_weights_moment(kind: str, sign: float) -> None:
    world = new_world()
    shape, arm = (Shape.box(3.0, 0.2), 1.5) if kind == "bar" else (BOB, LENGTH)
    bob = body(shape, arm, 0.0, Mass(mass=2.0), force := Force())
    lower, upper = math.radians(-45.0), math.radians(90.0)
    join(RevoluteJoint(bob, None, anchor_a=(-arm, 0.0), lower=lower, upper=upper))
    for _ in range(600):
        push = sign * 10.0 * 2.0 * G
        if kind == "bar":
            force.torque = push * arm
        else:  # at the bob, across the arm
            angle = place(bob).angle
            force.x, force.y = -push * math.sin(angle), push * math.cos(angle)
        world.step(DT)
        assert lower - math.radians(2.0) < place(bob).angle < upper + math.radians(2.0)
    stop = upper if sign > 0.0 else lower
    assert place(bob).angle == pytest.approx(stop, abs=math.radians(2.0))
    assert abs(motion(bob).omega) < 1e-3


def test_a_motor_reaches_its_speed_under_its_greatest_torque_and_no_more() -> None:
    world = new_world(gravity=(0.0, 0.0))
    wheel = body(Shape.circle(0.5), 0.0, 0.0, Mass(mass=2.0))  # inertia .25
    joint = RevoluteJoint(wheel, None, motor_speed=5.0, max_motor_torque=1.0)
    entity = join(joint)
    for step in steps(world, 2.0):
        expected = min(5.0, (step + 1) * DT * 1.0 / 0.25)
        assert motion(wheel).omega == pytest.approx(expected, abs=1e-4)
        if expected < 5.0:
            assert world.joint_force(entity)[2] == pytest.approx(1.0, rel=1e-3)
    assert world.joint_force(entity)[2] == pytest.approx(0.0, abs=1e-3)
    joint.motor_speed = 0.0  # a brake
    run(world, 2.0)
    assert motion(wheel).omega == pytest.approx(0.0, abs=1e-4)


def test_the_force_of_a_hanging_body_is_its_weight() -> None:
    world = new_world()
    for k, joint in enumerate(
        (
            RevoluteJoint(body(BOB, 0.0, 0.0, Mass(mass=2.0)), None, anchor_a=(0.0, 1.0)),
            DistanceJoint(body(BOB, 9.0, 0.0, Mass(mass=2.0)), None, anchor_b=(9.0, 1.0)),
            RopeJoint(body(BOB, 12.0, 0.0, Mass(mass=2.0)), None, anchor_b=(12.0, 1.0)),
            WeldJoint(body(BOB, 15.0, 0.0, Mass(mass=2.0)), None, anchor_b=(15.0, 0.0)),
        )
    ):
        if k == 0:
            joint.anchor_b = (0.0, 1.0)
        entity = join(joint)
        run(world, 4.0)
        x, y, torque = world.joint_force(entity)
        assert (x, torque) == (pytest.approx(0.0, abs=0.01), pytest.approx(0.0, abs=0.01))
        assert y == pytest.approx(2.0 * G, rel=1e-3)
        assert joint.force == (x, y, torque)


def test_a_weld_carries_a_beams_moment() -> None:
    world = new_world()
    beam = body(Shape.box(2.0, 0.2), 1.0, 0.0, Mass(mass=3.0))
    entity = join(WeldJoint(beam, None, anchor_a=(-1.0, 0.0)))
    run(world, 3.0)
    x, y, torque = world.joint_force(entity)
    assert (x, y) == (pytest.approx(0.0, abs=0.05), pytest.approx(3.0 * G, rel=1e-3))
    assert torque == pytest.approx(3.0 * G * 1.0, rel=0.01)
    assert abs(place(beam).angle) < math.radians(0.5)


# ---------------------------------------------------------------------------------------------
# Chains, bridges, cars
# ---------------------------------------------------------------------------------------------


def hang_chain(links: int, ratio: float) -> int:
    """A chain of 1 m links of 1 kg from the origin, with a ball of `ratio` kg: the ball."""
    before = None
    for k in range(links):
        link = body(Shape.box(0.2, 1.0), 0.0, -k - 0.5, Mass(mass=1.0))
        end = (0.0, -0.5) if before else (0.0, 0.0)
        join(RevoluteJoint(link, before, anchor_a=(0.0, 0.5), anchor_b=end))
        before = link
    ball = body(Shape.circle(1.0), 0.0, -float(links), Mass(mass=ratio))
    join(RevoluteJoint(ball, before, anchor_b=(0.0, -0.5)))
    return ball


@pytest.mark.parametrize(
    ("links", "ratio", "substeps", "most"),
    [(30, 50.0, 4, 0.02), (30, 50.0, 16, 0.005), (100, 100.0, 4, 0.04)],
)
def test_a_chain_holds_a_heavy_ball(links: int, ratio: float, substeps: int, most: float) -> None:
    world = new_world()
    world.substeps = substeps
    ball = hang_chain(links, ratio)
    for _ in steps(world, 20.0):
        assert -place(ball).y / links - 1.0 < most


def test_a_chain_at_rest_is_stretched_as_the_springs_of_its_pins_say() -> None:
    """Each pin gives way by load / (m w^2), with m of its two bodies together."""
    world = new_world()
    ball = hang_chain(100, 100.0)
    for entity, _ in esper.get_component(Mass):
        esper.add_component(entity, Damping(2.0, 0.0))
    run(world, 15.0)
    stiffness = (2.0 * math.pi * JOINT_CYCLES_PER_SUBSTEP / H) ** 2  # N/m for 1 kg
    masses = [1.0] + [0.5] * 99 + [100.0 / 101.0]
    loads = [G * (200.0 - k) for k in range(101)]
    stretch = sum(load / (m * stiffness) for load, m in zip(loads, masses, strict=True))
    assert -place(ball).y - 100.0 == pytest.approx(stretch, rel=0.02)
    assert abs(motion(ball).y) < 0.001


def test_joints_leave_nothing_faster_than_their_bounds_and_free_bodies_alone() -> None:
    world = new_world((0.0, 0.0))
    free = body(BOB, 0.0, 100.0, Velocity(9e3, 0.0, 5e4))
    tied = [body(BOB, 0.0, 10.0 * k, Velocity(9e3, 0.0, 5e4)) for k in range(3)]
    join(RopeJoint(tied[0], None, length=1e6))
    join(WeldJoint(tied[1], tied[2]))
    moment = world.snapshot()
    run(world, 0.2)
    digest = world.hash()
    assert (motion(free).x, motion(free).omega) == (9e3, 5e4)
    for each in tied:
        assert max(abs(motion(each).x), abs(motion(each).y)) <= 1000.0
        assert abs(motion(each).omega) <= 10_000.0
    world.restore(moment)
    run(world, 0.1)
    later = world.snapshot()
    run(world, 0.1)
    assert world.hash() == digest
    world.restore(later)
    run(world, 0.1)
    assert world.hash() == digest


def test_chains_of_limited_sliders_stay_calm() -> None:
    world = new_world()
    for chain in range(10):
        before = None
        for k in range(10):
            slider = body(Shape.box(0.5, 0.5), 8.0 * chain + 0.6 * k, 0.0)
            start = (0.6, 0.0) if before else (8.0 * chain, 0.0)
            axis = (math.cos(chain), math.sin(chain))
            join(PrismaticJoint(slider, before, axis=axis, lower=-0.5, upper=0.5, anchor_b=start))
            before = slider
    for _ in range(10_000):
        world.step(DT)
        velocities = world.columns(Velocity)
        assert np.hypot(velocities["x"], velocities["y"]).max() < 20.0


def build_car(x: float, y: float, speed: float, torque: float) -> tuple[int, list[WheelJoint]]:
    """A car of some 20 kg with two driven wheels."""
    car = body(Shape.box(2.0, 0.5), x, y, Mass(density=10.0))
    joints = []
    for side in (-0.7, 0.7):
        rubber = (Mass(density=10.0), Material(friction=0.8))
        wheel = body(Shape.circle(0.4), x + side, y - 0.45, *rubber)
        joint = WheelJoint(
            wheel,
            car,
            anchor_b=(side, -0.45),
            lower=-0.25,
            upper=0.25,
            motor_speed=speed,
            max_motor_torque=torque,
        )
        join(joint)
        joints.append(joint)
    return car, joints


def test_a_bridge_carries_a_car() -> None:
    world = new_world()
    before = None
    for k in range(30):
        plank = body(Shape.box(1.0, 0.25), k + 0.5, 0.0, Mass(density=20.0))
        end = (0.5, 0.0) if before else (0.0, 0.0)
        join(RevoluteJoint(plank, before, anchor_a=(-0.5, 0.0), anchor_b=end))
        before = plank
    join(RevoluteJoint(before, None, anchor_a=(0.5, 0.0), anchor_b=(30.0, 0.0)))
    floor(20.0, -10.0, 0.125)
    floor(20.0, 40.0, 0.125)
    car, _ = build_car(-5.0, 1.2, -6.0, 60.0)
    lowest = 0.0
    for _ in steps(world, 20.0):
        lowest = min(lowest, place(car).y)
    assert place(car).x > 31.0
    assert lowest > -3.0
    assert place(before).x == pytest.approx(29.5, abs=0.05)


def test_a_car_climbs_30_degrees_and_stands_on_its_brakes() -> None:
    world = new_world()
    rubber = Material(friction=0.8)
    floor(40.0, -20.0, 0.0, rubber)
    angle = math.radians(30.0)
    x, y = 30.0 * math.cos(angle), 30.0 * math.sin(angle)
    at = Transform(x + 0.5 * math.sin(angle), y - 0.5 * math.cos(angle), angle)
    esper.create_entity(at, Shape.box(60.0, 1.0), rubber)
    car, wheels = build_car(-5.0, 1.0, -12.0, 80.0)
    run(world, 8.0)
    assert place(car).x > 10.0
    for joint in wheels:
        joint.motor_speed, joint.max_motor_torque = 0.0, 500.0
    run(world, 3.0)
    stopped = place(car).x
    run(world, 10.0)
    assert place(car).x == pytest.approx(stopped, abs=0.01)


# ---------------------------------------------------------------------------------------------
# The other kinds
# ---------------------------------------------------------------------------------------------


def test_a_rope_only_pulls() -> None:
    world = new_world()
    ball = body(BOB, 0.5, 0.0)
    join(RopeJoint(ball, None, length=2.0))
    run(world, 0.3)
    assert place(ball).y == pytest.approx(-0.5 * G * 0.3**2, rel=0.05)  # falls as if free
    run(world, 30.0)
    assert math.hypot(place(ball).x, place(ball).y) == pytest.approx(2.0, abs=0.005)


def test_a_distance_spring_swings_at_its_frequency() -> None:
    world = new_world(gravity=(0.0, 0.0))
    ball = body(BOB, 1.2, 0.0)
    join(DistanceJoint(ball, None, length=1.0, hertz=1.0, damping_ratio=0.0))
    crossings, before = [], 1.2
    for step in steps(world, 5.0):
        if (before - 1.0) * (place(ball).x - 1.0) < 0.0:
            crossings.append(step * DT)
        before = place(ball).x
    assert np.diff(crossings).mean() == pytest.approx(0.5, abs=0.02)


def test_a_spring_stays_between_its_limits() -> None:
    world = new_world()
    ball = body(BOB, 0.0, -1.0)
    join(DistanceJoint(ball, None, length=1.0, hertz=0.3, lower=0.8, upper=1.5))
    run(world, 10.0)
    assert place(ball).y == pytest.approx(-1.5, abs=0.005)


def test_a_slider_moves_along_its_axis_alone() -> None:
    world = new_world()
    box = body(Shape.box(1.0, 0.5), 0.0, 0.0)
    angle = math.radians(-30.0)
    join(PrismaticJoint(box, None, axis=(math.cos(angle), math.sin(angle)), upper=4.0))
    for step in steps(world, 1.0):
        along = place(box).x * math.cos(angle) + place(box).y * math.sin(angle)
        across = -place(box).x * math.sin(angle) + place(box).y * math.cos(angle)
        time = (step + 1) * DT
        assert along == pytest.approx(0.25 * G * time**2, abs=0.03)  # g sin 30 t^2 / 2
        assert across == pytest.approx(0.0, abs=0.002)
        assert place(box).angle == pytest.approx(0.0, abs=0.002)
    run(world, 3.0)
    assert math.hypot(place(box).x, place(box).y) == pytest.approx(4.0, abs=0.01)


def test_a_sliders_motor_lifts_what_its_force_can_carry() -> None:
    world = new_world()
    lift = body(Shape.box(1.0, 1.0), 0.0, 0.0, Mass(mass=10.0))
    joint = PrismaticJoint(lift, None, axis=(0.0, 1.0), motor_speed=0.5, max_motor_force=120.0)
    join(joint)
    run(world, 2.0)
    assert motion(lift).y == pytest.approx(0.5, abs=1e-3)
    joint.max_motor_force = 90.0
    run(world, 1.0)
    assert motion(lift).y == pytest.approx(0.5 - (10.0 * G - 90.0) / 10.0, abs=0.01)


def test_a_target_pulls_to_its_place_with_no_more_than_its_force() -> None:
    world = new_world()
    box = body(Shape.box(1.0, 1.0), 0.0, 0.0, Mass(mass=2.0))
    joint = TargetJoint(box, (3.0, 1.0), max_force=100.0)
    entity = join(joint)
    for _ in steps(world, 4.0):
        assert math.hypot(*world.joint_force(entity)[:2]) < 100.1
    expected = 1.0 - G / (2.0 * math.pi * 5.0) ** 2  # it hangs on a spring
    assert place(box).x == pytest.approx(3.0, abs=0.01)
    assert place(box).y == pytest.approx(expected, abs=0.005)
    joint.target = (-2.0, 0.0)
    run(world, 4.0)
    assert place(box).x == pytest.approx(-2.0, abs=0.01)
    joint.max_force = 1.0
    run(world, 1.0)
    assert motion(box).y < -5.0


def test_gears_turn_together() -> None:
    world = new_world(gravity=(0.0, 0.0))
    small, big = body(Shape.circle(0.5), 0.0, 0.0), body(Shape.circle(1.0), 1.5, 0.0)
    join(RevoluteJoint(small, None, motor_speed=4.0, max_motor_torque=100.0))
    join(RevoluteJoint(big, None, anchor_b=(1.5, 0.0)))
    join(GearJoint(small, big, ratio=-2.0))
    run(world, 5.0)
    assert place(small).angle == pytest.approx(20.0, abs=0.2)
    assert place(big).angle == pytest.approx(-0.5 * place(small).angle, abs=0.002)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_ratchet_turns_one_way(sign: float) -> None:
    world = new_world(gravity=(0.0, 0.0))
    wheel = body(Shape.circle(0.5), 0.0, 0.0, Velocity(0.0, 0.0, 2.0 * sign))
    join(RevoluteJoint(wheel, None))
    join(RatchetJoint(wheel, None, step=0.5 * sign))
    run(world, 1.0)
    assert place(wheel).angle == pytest.approx(2.0 * sign, abs=0.05)
    motion(wheel).omega = -3.0 * sign
    run(world, 1.0)
    tooth = 0.5 * math.floor(sign * place(wheel).angle / 0.5 + 0.02) * sign
    assert place(wheel).angle == pytest.approx(tooth, abs=0.01)
    assert sign * place(wheel).angle > 1.4
    assert motion(wheel).omega == pytest.approx(0.0, abs=1e-3)


def test_a_pulley_weighs_its_sides() -> None:
    """Atwood: a = g (m_a - m_b) / (m_a + m_b); with a block and tackle twice the mass balances."""
    world = new_world()
    heavy, light = (body(BOB, x, 0.0, Mass(mass=m)) for x, m in ((0.0, 3.0), (2.0, 1.0)))
    join(PulleyJoint(heavy, light, ground_a=(0.0, 5.0), ground_b=(2.0, 5.0)))
    run(world, 0.5)
    assert motion(heavy).y == pytest.approx(-0.5 * G / 2.0, rel=0.02)
    assert motion(light).y == pytest.approx(0.5 * G / 2.0, rel=0.02)
    one, two = (body(BOB, x, -50.0, Mass(mass=m)) for x, m in ((10.0, 1.0), (12.0, 2.0)))
    join(PulleyJoint(one, two, ground_a=(10.0, -45.0), ground_b=(12.0, -45.0), ratio=2.0))
    run(world, 2.0)
    assert abs(motion(one).y) < 0.05
    assert abs(motion(two).y) < 0.05


def test_a_motor_joint_drives_one_body_past_another() -> None:
    world = new_world(gravity=(0.0, 0.0))
    base, rider = body(Shape.box(4.0, 1.0), 0.0, 0.0), body(Shape.box(1.0, 1.0), 0.0, 2.0)
    join(MotorJoint(rider, base, velocity=(1.0, 0.0), omega=0.0))
    before = 4.0 * motion(base).x + motion(rider).x
    run(world, 1.0)
    omega, angle = motion(base).omega, place(base).angle
    x = motion(rider).x - motion(base).x + omega * (place(rider).y - place(base).y)
    y = motion(rider).y - motion(base).y - omega * (place(rider).x - place(base).x)
    assert math.cos(angle) * x + math.sin(angle) * y == pytest.approx(1.0, abs=0.01)
    assert math.cos(angle) * y - math.sin(angle) * x == pytest.approx(0.0, abs=0.01)
    assert 4.0 * motion(base).x + motion(rider).x == pytest.approx(before, abs=1e-3)
    lone = body(BOB, 20.0, 0.0)
    join(MotorJoint(lone, None, hertz=2.0, anchor_b=(21.0, 3.0), angular_hertz=2.0, angle=1.0))
    run(world, 4.0)
    assert (place(lone).x, place(lone).y) == (
        pytest.approx(21.0, abs=0.01),
        pytest.approx(3.0, abs=0.01),
    )
    assert place(lone).angle == pytest.approx(1.0, abs=0.01)


# ---------------------------------------------------------------------------------------------
# How they come, go and break
# ---------------------------------------------------------------------------------------------


def test_a_joint_breaks_at_its_force_and_is_told_of() -> None:
    world = new_world()
    ball = body(BOB, 0.0, -1.0, Mass(mass=2.0))
    strong = join(DistanceJoint(ball, None, break_force=30.0))
    run(world, 1.0)
    assert esper.entity_exists(strong)
    assert len(world.joint_table.broken) == 0
    pull = Force()
    esper.add_component(ball, pull)
    pull.y = -15.0  # with the weight more than 30 N
    world.step(DT)
    assert world.joint_table.broken["entity"].tolist() == [strong]
    assert world.joint_table.broken["force"][0] > 30.0
    assert world.events.joint_break["joint"].tolist() == [strong]
    assert not esper.entity_exists(strong)
    world.step(DT)
    assert len(world.joint_table.broken) == 0
    run(world, 1.0)
    assert place(ball).y < -3.0


def test_a_joint_goes_with_its_bodies() -> None:
    world = new_world()
    a, b = body(BOB, 0.0, 0.0), body(BOB, 1.0, 0.0)
    alone = join(DistanceJoint(a, b))
    named = join(DistanceJoint(a, b), Name("rod"))
    run(world, 0.1)
    esper.delete_entity(b)
    run(world, 0.1)
    assert not esper.entity_exists(alone)
    assert esper.entity_exists(named)
    assert not esper.has_component(named, DistanceJoint)
    with pytest.raises(ValueError, match="no joint"):
        world.joint_force(named)


def test_a_joint_rests_while_a_body_is_disabled() -> None:
    world = new_world()
    a, b = body(BOB, 0.0, 0.0), body(BOB, 0.0, -1.0)
    join(RevoluteJoint(a, None))
    rod = join(DistanceJoint(b, a))
    run(world, 0.5)
    esper.add_component(b, Disabled())
    run(world, 0.5)
    assert esper.entity_exists(rod)
    assert world.joint_force(rod) == (0.0, 0.0, 0.0)
    esper.remove_component(b, Disabled)
    run(world, 5.0)
    assert place(b).y == pytest.approx(-1.0, abs=0.01)


@pytest.mark.parametrize("immediate", [True, False])
def test_a_joint_that_rests_goes_with_its_body(immediate: bool) -> None:
    """A disabled body is none to the store, which tells no joint that it is deleted."""
    world = new_world()
    a, b = body(BOB, 0.0, 0.0), body(BOB, 0.0, -1.0)
    rod = join(DistanceJoint(b, a))
    esper.add_component(b, Disabled())
    world.step(DT)
    esper.delete_entity(b, immediate=immediate)
    world.step(DT)
    world.step(DT)  # what the step deletes, esper takes out when the next one begins
    assert not esper.entity_exists(rod)


@pytest.mark.parametrize("order", [(True, False), (False, True)])
def test_a_joint_that_keeps_bodies_apart_wins_in_either_order(order: tuple[bool, bool]) -> None:
    world = new_world(gravity=(0.0, 0.0))
    a, b = body(Shape.box(1.0, 1.0), 0.0, 0.0), body(Shape.box(1.0, 1.0), 0.5, 0.0)
    joints = [join(RopeJoint(a, b, length=9.0, collide_connected=each)) for each in order]
    run(world, 1.0)
    assert place(b).x - place(a).x == pytest.approx(0.5, abs=1e-6)
    esper.delete_entity(joints[order.index(False)])
    run(world, 2.0)
    assert math.hypot(place(b).x - place(a).x, place(b).y - place(a).y) > 0.95


def test_values_count_from_the_next_step_on() -> None:
    world = new_world()
    ball = body(BOB, 0.0, -1.0)
    joint = DistanceJoint(ball, None)
    join(joint)
    run(world, 1.0)
    assert joint.length == pytest.approx(1.0)
    joint.length = 2.0
    run(world, 5.0)
    assert place(ball).y == pytest.approx(-2.0, abs=0.01)
    joint.hertz = 1.0
    run(world, 10.0)
    assert place(ball).y == pytest.approx(-2.0 - G / (2.0 * math.pi) ** 2, abs=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DistanceJoint(0), "DistanceJoint.body_a = 0"),
        (lambda: DistanceJoint(1, 1), "is body_a too"),
        (lambda: DistanceJoint(1, hertz=-1.0), "DistanceJoint.hertz = -1.0"),
        (lambda: RevoluteJoint(1, lower=1.0, upper=0.0), "RevoluteJoint.upper = 0.0"),
        (lambda: PrismaticJoint(1, axis=(0.0, 0.0)), "PrismaticJoint.axis"),
        (lambda: GearJoint(1, 2, ratio=0.0), "GearJoint.ratio = 0.0"),
        (lambda: TargetJoint(1, (math.nan, 0.0)), "TargetJoint.target"),
        (lambda: MotorJoint(1, max_force=-1.0), "MotorJoint.max_force = -1.0"),
        (lambda: WheelJoint(1, collide_connected=1), "WheelJoint.collide_connected = 1"),
    ],
)
def test_bad_values_are_refused_at_the_door(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_a_joint_between_what_are_no_bodies_is_refused() -> None:
    world = new_world()
    ball, name = body(BOB, 0.0, 0.0), esper.create_entity(Name("no body"))
    entity = join(DistanceJoint(ball, name))
    with pytest.raises(ValueError, match=f"DistanceJoint.body_b = {name} of entity {entity}"):
        world.step(DT)


def test_a_joint_belongs_to_one_entity() -> None:
    world = new_world()
    joint = DistanceJoint(body(BOB, 0.0, 0.0))
    join(joint)
    world.step(DT)
    with pytest.raises(ValueError, match="each needs one of its own"):
        join(joint)


def test_a_joint_that_no_step_has_seen_belongs_to_one_entity_too() -> None:
    world = new_world()
    joint = DistanceJoint(body(BOB, 0.0, 0.0))
    first = esper.create_entity(joint)
    with pytest.raises(ValueError, match=f"of entity {first} was given to entity"):
        esper.create_entity(joint)
    world.step(DT)
    esper.remove_component(first, DistanceJoint)
    second = esper.create_entity(joint)
    world.step(DT)
    assert world.joints["entity"].tolist() == [second]


def test_all_kinds_read_back_what_they_were_given() -> None:
    world = new_world()
    for entity in joint_of_each_kind(0.0, 0.0):
        (joint,) = esper.components_for_entity(entity)
        given = joint.arguments()
        again = type(joint)(joint.body_a, joint.body_b, **given) if "target" not in given else None
        if again is not None:
            assert again.arguments() == given
            assert repr(again) == repr(joint)
        assert joint.between(joint.body_a, joint.body_b).arguments() == given
    run(world, 0.5)
    assert np.isfinite(world.columns(Transform)["x"]).all()


def test_a_class_made_of_a_kind_may_take_arguments_of_its_own() -> None:
    class Axle(RevoluteJoint):
        __slots__ = ()

        def __init__(self, car: int, wheel: int) -> None:
            super().__init__(wheel, car, motor_speed=3.0)

    axle = Axle(1, 2)
    assert (axle.body_a, axle.body_b, axle.motor_speed) == (2, 1, 3.0)
    copied = copy.copy(axle)
    assert type(copied) is Axle
    assert copied.arguments() == axle.arguments()
    with pytest.raises(ValueError, match=r"Axle\.motor_speed = 'fast'"):
        axle.motor_speed = "fast"


@pytest.mark.parametrize("way", ["same", "file"])
def test_a_restored_run_with_joints_is_the_same_to_the_last_bit(way: str, tmp_path: Path) -> None:
    world = new_world()
    floor()
    joints = joint_of_each_kind(-12.0, 2.0)
    run(world, 1.0)
    esper.delete_entity(joints[2])
    late = join(DistanceJoint(body(BOB, 0.0, 9.0), None))  # no step has seen it yet
    snapshot = world.snapshot()
    run(world, 1.0)
    digest, forces = world.hash(), [world.joint_force(each) for each in (late, *joints[:2])]
    esper.delete_entity(joints[5])
    join(RopeJoint(body(BOB, 3.0, 9.0), None))
    run(world, 0.5)
    if way == "file":
        snapshot.save(tmp_path / "moment")
        snapshot = Snapshot.load(tmp_path / "moment")
        world = new_world()
    world.restore(snapshot)
    run(world, 1.0)
    assert world.hash() == digest
    assert [world.joint_force(each) for each in (late, *joints[:2])] == forces


@pytest.mark.parametrize("way", ["delete", "remove", "write", "the other body"])
def test_what_hung_on_a_joint_wakes_and_falls(way: str) -> None:
    world = new_world(sleep=True)
    upper, lower = body(BOB, 0.0, -1.0), body(BOB, 0.0, -2.0)
    top, bottom = RopeJoint(upper, None), RopeJoint(lower, upper)
    hook = join(top, Name("hook"))
    join(bottom)
    for _ in steps(world, 30.0):
        if world.is_asleep(upper):
            break
    assert world.is_asleep(upper)
    assert world.is_asleep(lower)
    if way == "delete":
        esper.delete_entity(hook)
    elif way == "remove":
        esper.remove_component(hook, RopeJoint)
    elif way == "write":
        top.length = 50.0
    else:
        esper.delete_entity(upper)
    run(world, 1.0)
    assert place(lower).y == pytest.approx(-2.0 - 0.5 * G, rel=0.02)


def asleep(world: World, entity: int) -> None:
    """Let time pass until a body sleeps."""
    for _ in steps(world, 30.0):
        if world.is_asleep(entity):
            return
    pytest.fail(f"{entity} does not sleep")


@pytest.mark.parametrize("kind", [RevoluteJoint, DistanceJoint, RopeJoint, WeldJoint])
def test_the_force_of_a_sleeping_body_that_hangs_is_still_its_weight(kind: type) -> None:
    world = new_world(sleep=True)
    ball = body(BOB, 0.0, -1.0, Mass(mass=2.0))
    is_point = kind in {RevoluteJoint, WeldJoint}
    joint = join(kind(ball, None, anchor_a=(0.0, 1.0 if is_point else 0.0)))
    restless = body(BOB, 50.0, 0.0)  # the steps go on
    other = join(RevoluteJoint(restless, None, anchor_a=(3.0, 0.0), anchor_b=(47.0, 0.0)))
    asleep(world, ball)
    run(world, 0.5)
    assert world.joint_force(joint)[1] == pytest.approx(2.0 * G, rel=1e-3)
    esper.delete_entity(other)  # all are dealt anew
    run(world, 0.5)
    assert world.joint_force(joint)[1] == pytest.approx(2.0 * G, rel=1e-3)
    assert world.joints["force_y"].tolist() == [pytest.approx(2.0 * G, rel=1e-3)]
    world.wake(ball)
    world.step(DT)
    assert world.joint_force(joint)[1] == pytest.approx(2.0 * G, rel=1e-3)
    assert abs(motion(ball).y) < 1e-3


def test_what_breaks_off_in_its_sleep_wakes_falls_and_is_told_of() -> None:
    world = new_world(sleep=True)
    ball = body(BOB, 0.0, -1.0, Mass(mass=2.0))
    low = body(BOB, 0.0, -2.0, Mass(mass=2.0))
    rope = join(RopeJoint(ball, None, break_force=50.0))
    join(RopeJoint(low, ball))
    asleep(world, ball)
    pull = Force(0.0, -15.0)  # with both weights more than 50 N
    esper.add_component(low, pull)
    told: list[int] = []
    for _ in steps(world, 0.25):
        told += world.events.joint_break["joint"].tolist()
        pull.y = 0.0 if told else -15.0
    assert told == [rope]
    assert not esper.entity_exists(rope)
    run(world, 0.75)
    assert place(low).y == pytest.approx(-2.0 - 0.5 * G, rel=0.1)
    assert place(ball).y - place(low).y <= 1.001


SLOW = {
    "turns": lambda a: RevoluteJoint(a, None, motor_speed=0.01, max_motor_torque=5.0),
    "slides": lambda a: PrismaticJoint(
        a, None, axis=(1.0, 0.0), motor_speed=0.01, max_motor_force=50.0
    ),
    "rolls": lambda a: WheelJoint(a, None, motor_speed=0.01, max_motor_torque=5.0),
    "is led": lambda a: MotorJoint(a, None, velocity=(0.01, 0.0), max_force=50.0),
}


@pytest.mark.parametrize("way", SLOW)
def test_a_slow_motor_does_not_fall_asleep(way: str) -> None:
    world = new_world((0.0, 0.0), sleep=True)
    wheel = body(Shape.circle(0.5), 0.0, 0.0)
    joint = SLOW[way](wheel)
    join(joint)
    still = body(BOB, 5.0, 0.0)
    run(world, 5.0)
    assert world.is_asleep(still)
    assert not world.is_asleep(wheel)
    moved = place(wheel).x + place(wheel).angle
    assert moved == pytest.approx(5.0 * 0.01, rel=0.02)
    if way == "is led":
        joint.velocity = (0.0, 0.0)
    else:
        joint.motor_speed = 0.0  # a brake may rest
    run(world, 2.0)
    assert world.is_asleep(wheel)


def test_a_slow_motor_keeps_awake_what_it_carries_also_after_a_snapshot() -> None:
    world = new_world(sleep=True)
    lift, load = body(Shape.box(2.0, 0.2), 0.0, 0.0), body(Shape.box(0.5, 0.5), 0.0, 0.35)
    axis = {"axis": (0.0, 1.0), "motor_speed": 0.01, "max_motor_force": 1e3}
    join(PrismaticJoint(lift, None, **axis))
    run(world, 3.0)
    moment = world.snapshot()
    run(world, 3.0)
    digest = world.hash()
    world.restore(moment)
    run(world, 3.0)
    assert world.hash() == digest
    assert not world.is_asleep(load)
    assert place(load).y == pytest.approx(0.35 + 6.0 * 0.01, abs=0.003)


def test_a_value_that_is_written_within_a_step_waits_for_the_next() -> None:
    world = new_world()
    ball = body(BOB, 0.0, -1.0, Mass(mass=2.0))
    rope = RopeJoint(ball, None)
    entity = join(rope)

    class Winch(esper.Processor):
        def process(self, dt: float) -> None:
            rope.length = 1.0

    run(world, 1.0)
    world.add_system(Winch(), Stage.SUBSTEP)
    for _ in steps(world, 1.0):
        assert world.joint_force(entity)[1] == pytest.approx(2.0 * G, rel=1e-3)
    assert place(ball).y == pytest.approx(-1.0, abs=1e-3)


def test_a_snapshot_is_taken_right_after_a_joint_has_gone_or_come_anew() -> None:
    world = new_world()
    balls = [body(BOB, 3.0 * k, -1.0) for k in range(3)]
    ropes = [join(RopeJoint(each, None, anchor_b=(3.0 * k, 0.0))) for k, each in enumerate(balls)]
    run(world, 0.5)
    esper.delete_entity(ropes[0], immediate=True)
    esper.add_component(ropes[1], RopeJoint(balls[1], None, length=1.0, anchor_b=(6.0, 0.0)))
    moment = world.snapshot()
    run(world, 0.5)
    digest = world.hash()
    world.restore(moment)
    run(world, 0.5)
    assert world.hash() == digest
    assert place(balls[0]).y == pytest.approx(-1.0 - 0.125 * G, rel=0.05)
    assert world.joint_force(ropes[2])[1] > 0.0


def test_a_clone_hangs_on_joints_of_its_own() -> None:
    world = new_world()
    ball = body(BOB, 0.0, -1.0)
    join(RevoluteJoint(ball, None, anchor_a=(0.0, 1.0), upper=0.5))
    run(world, 0.5)
    clone = world.clone(ball)
    joints = [joint for _, joint in esper.get_component(RevoluteJoint)]
    assert sorted(joint.body_a for joint in joints) == [ball, clone]
    assert joints[0].arguments() == joints[1].arguments()
    esper.add_component(clone, Filter(mask=0))
    run(world, 1.0)
    assert place(clone).y == pytest.approx(-1.0, abs=0.01)


def test_what_is_created_far_from_its_joint_is_not_flung() -> None:
    world = new_world(gravity=(0.0, 0.0))
    balls = [body(BOB, 100.0, 20.0 * k) for k in range(3)]
    join(RevoluteJoint(balls[0], None))
    join(DistanceJoint(balls[1], None, length=1.0, anchor_b=(0.0, 20.0)))
    join(PrismaticJoint(balls[2], None, axis=(0.0, 1.0)))
    for _ in steps(world, 10.0):
        assert max(abs(motion(ball).x) for ball in balls) < 250.0
    for ball, x in zip(balls, (0.0, 1.0, 0.0), strict=True):
        assert place(ball).x == pytest.approx(x, abs=0.01)


def test_many_joints_on_one_body_find_a_place() -> None:
    world = new_world(gravity=(0.0, 0.0))
    hub = body(Shape.circle(2.0), 0.0, 0.0)
    for k in range(40):
        angle = 2.0 * math.pi * k / 40
        x, y = 3.0 * math.cos(angle), 3.0 * math.sin(angle)
        spoke = body(BOB, x, y, Velocity(-y, x), Filter(mask=0))
        join(RevoluteJoint(spoke, hub, anchor_b=(x, y)))
    run(world, 2.0)
    assert motion(hub).omega > 0.3
    velocities: World = world.columns(Velocity)
    assert np.isfinite(velocities["x"]).all()
