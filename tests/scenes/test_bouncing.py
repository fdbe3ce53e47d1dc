"""Restitution: how high things rise again, and that e = 1 goes on for ever."""

import math

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Material, Shape, Transform, Velocity, World
from ecs_physics.constants import RESTITUTION_THRESHOLD
from tests.scenes.scenery import DT, G, body, floor, motion, new_world, place, run, steps

HEIGHTS = np.linspace(1.5, 2.5, 20)
BALL = Shape.circle(0.5)
CRATE = Shape.box(1, 1)
CAPSULE = Shape.capsule((0, -0.25), (0, 0.25), 0.25)


def first_rebounds(world: World, bodies: list[int], seconds: float) -> np.ndarray:
    """The highest y that each body reaches between its first and its second hit."""
    hits = np.zeros(len(bodies), int)
    tops = np.full(len(bodies), -np.inf)
    was_falling = np.zeros(len(bodies), bool)
    for _ in steps(world, seconds):
        for k, entity in enumerate(bodies):
            is_falling = motion(entity).y < 0.0
            hits[k] += was_falling[k] and not is_falling
            was_falling[k] = is_falling
            if hits[k] == 1:
                tops[k] = max(tops[k], place(entity).y)
    assert hits.min() >= 1
    return tops


@pytest.mark.parametrize("shape", [BALL, CRATE, CAPSULE], ids=["ball", "crate", "capsule"])
@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.8])
def test_rebound_height_is_the_square_of_restitution(shape: Shape, restitution: float) -> None:
    world = new_world()
    material = Material(restitution=restitution)
    floor(200.0, 0.0, 0.0, material)
    bodies = [body(shape, 3.0 * k, 0.5 + height, material) for k, height in enumerate(HEIGHTS)]
    fall = math.sqrt(2 * HEIGHTS.max() / G)
    tops = first_rebounds(world, bodies, fall * (1.0 + restitution) + 0.1)
    ratios = (tops - 0.5) / (restitution**2 * HEIGHTS)
    assert ratios.min() > 0.95
    assert ratios.max() < 1.05


@pytest.mark.parametrize("shape", [BALL, CRATE], ids=["ball", "crate"])
def test_full_restitution_keeps_its_height_over_a_hundred_bounces(shape: Shape) -> None:
    world = new_world()
    floor()
    entity = body(shape, 0.0, 2.5, Material(restitution=1.0))
    tops = [2.5]
    top = 0.0
    for _ in steps(world, 200.0):
        falls = motion(entity).y < 0.0
        top = max(top, place(entity).y)
        if not falls and place(entity).y < 1.0 and top > 1.5:
            tops.append(top)
            top = 0.0
        if len(tops) > 101:
            break
    rises = (np.array(tops[2:]) - 0.5) / 2.0
    assert len(rises) == 100
    assert rises.min() > 0.98
    assert rises.max() < 1.02
    assert place(entity).angle == pytest.approx(0.0, abs=1e-3)
    assert place(entity).x == pytest.approx(0.0, abs=1e-2)


def test_the_bouncier_of_two_materials_counts() -> None:
    world = new_world()
    floor(20.0, 0.0, 0.0, Material(restitution=0.2))
    entity = body(BALL, 0.0, 2.5, Material(restitution=0.8))
    (top,) = first_rebounds(world, [entity], 1.3)
    assert (top - 0.5) / 2.0 == pytest.approx(0.64, rel=0.05)


def test_without_restitution_nothing_bounces() -> None:
    world = new_world()
    floor()
    bodies = [body(shape, 3.0 * k, 2.5) for k, shape in enumerate((BALL, CRATE, CAPSULE))]
    for _ in steps(world, 2.0):
        assert max(motion(each).y for each in bodies) < 0.1
    assert [place(each).y for each in bodies] == pytest.approx([0.5] * 3, abs=0.01)


def test_hits_below_the_threshold_do_not_bounce() -> None:
    world = new_world()
    floor()
    height = 0.25 * RESTITUTION_THRESHOLD**2 / (2 * G)
    entity = body(BALL, 0.0, 0.5 + height, Material(restitution=1.0))
    run(world, 1.0)
    for _ in steps(world, 1.0):
        assert abs(motion(entity).y) < 1e-3


@pytest.mark.parametrize(
    ("restitution", "mass_a", "mass_b"), [(1.0, 1.0, 1.0), (1.0, 1.0, 3.0), (0.5, 2.0, 1.0)]
)
@pytest.mark.parametrize("shape", [BALL, CRATE], ids=["ball", "crate"])
def test_two_free_bodies_part_as_newton_says(
    shape: Shape, restitution: float, mass_a: float, mass_b: float
) -> None:
    for phase in np.linspace(0.0, 0.05, 7):
        world = new_world(gravity=(0.0, 0.0))
        bouncy = Material(restitution=restitution)
        a = body(shape, -1.0 - phase, 0.0, Velocity(3.0, 0.0), Mass(mass=mass_a), bouncy)
        b = body(shape, 1.0, 0.0, Velocity(-1.0, 0.0), Mass(mass=mass_b), bouncy)
        run(world, 1.0)
        common = (3.0 * mass_a - 1.0 * mass_b) / (mass_a + mass_b)
        parting = restitution * 4.0
        assert motion(b).x - motion(a).x == pytest.approx(parting, rel=1e-5)
        assert motion(a).x == pytest.approx(common - parting * mass_b / (mass_a + mass_b), abs=1e-4)
        assert abs(motion(a).omega) < 1e-4
        assert abs(motion(a).y) < 1e-4


@pytest.mark.parametrize("rise", [-1.5, 2.0])
def test_a_moving_platform_throws_by_its_own_speed(rise: float) -> None:
    """Off a platform at speed u a ball at -v leaves at u + e (u + v)."""
    world = new_world(gravity=(0.0, 0.0))
    esper.create_entity(Transform(0.0, -1.0), Velocity(0.0, rise), Shape.box(5, 1))
    ball = body(BALL, 0.0, 3.0, Velocity(0.0, -4.0), Material(restitution=0.75))
    run(world, 3.0)
    assert motion(ball).y == pytest.approx(rise + 0.75 * (rise + 4.0), rel=1e-4)


@pytest.mark.parametrize("radius", [0.1, 0.5])
@pytest.mark.parametrize("speed", [4.0, 20.0])
def test_a_bouncing_ball_takes_spin_from_friction(radius: float, speed: float) -> None:
    """A sliding bounce gives mu times the normal impulse, at the ball's surface."""
    slippery, e = 0.05, 0.5
    impulse = (1.0 + e) * speed  # N s for each kg
    for phase in np.linspace(0.001, 0.97 * speed * DT, 8):
        world = new_world(gravity=(0.0, 0.0))
        material = Material(friction=slippery, restitution=e)
        floor(100.0, 0.0, 0.0, material)
        ball = body(
            Shape.circle(radius), 0.0, 1.0 + radius + phase, Velocity(speed, -speed), material
        )
        run(world, 0.5)
        assert motion(ball).y == pytest.approx(e * speed, rel=1e-4)
        assert motion(ball).x == pytest.approx(speed - slippery * impulse, rel=1e-4)
        spin = -slippery * impulse * radius / (0.5 * radius**2)
        assert motion(ball).omega == pytest.approx(spin, rel=0.02)


def test_a_crate_on_its_corner_turns_as_an_impulse_there_makes_it() -> None:
    """Frictionless corner hit: J = (1 + e) v / (1/m + r^2/I), with r the arm along the floor."""
    world = new_world(gravity=(0.0, 0.0))
    slippery = Material(friction=0.0, restitution=0.6)
    floor(100.0, 0.0, 0.0, slippery)
    angle = 0.3
    crate = body(CRATE, 0.0, 3.0, Velocity(0.0, -5.0), slippery, angle=angle)
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(cos * x - sin * y, sin * x + cos * y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    arm, _ = min(corners, key=lambda corner: corner[1])
    impulse = 1.6 * 5.0 / (1.0 + arm * arm / (1.0 / 6.0))
    for _ in steps(world, 2.0):
        if motion(crate).omega != 0.0:
            break
    assert motion(crate).y == pytest.approx(-5.0 + impulse, abs=0.01 * impulse)
    assert motion(crate).omega == pytest.approx(arm * impulse * 6.0, rel=0.01)


def test_bodies_thrown_at_a_wall_leave_mirrored_whatever_the_phase() -> None:
    world = new_world(gravity=(0.0, 0.0))
    slippery = Material(friction=0.0, restitution=1.0)
    floor(400.0, 0.0, 0.0, slippery)
    balls = [
        body(BALL, 3.0 * k - 60, 2.0 + 0.01 * k, Velocity(2.0, -7.0), slippery) for k in range(40)
    ]
    run(world, 0.5)
    for ball in balls:
        assert motion(ball).x == pytest.approx(2.0, rel=1e-6)
        assert motion(ball).y == pytest.approx(7.0, rel=1e-5)
    # and they are where the mirrored path leads
    for k, ball in enumerate(balls):
        fall = 1.5 + 0.01 * k
        assert place(ball).y == pytest.approx(0.5 + 7.0 * 0.5 - fall, abs=1e-3)
    assert world.time == pytest.approx(30 * DT)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("spin", [0.0, 20.0, -100.0, 200.0, -900.0])
def test_a_spinning_disc_without_friction_bounces_as_if_it_did_not_spin(
    spin: float, restitution: float
) -> None:
    """A force through the centre turns nothing, whenever in a step the hit comes."""
    slippery = Material(friction=0.0, restitution=restitution)
    for phase in np.linspace(0.003, 0.331, 23):
        world = new_world(gravity=(0.0, 0.0))
        floor(100.0, 0.0, 0.0, slippery)
        disc = body(Shape.circle(0.3), 0.0, 1.3 + phase, Velocity(3.0, -20.0, spin), slippery)
        run(world, 0.3)
        assert motion(disc).x == pytest.approx(3.0, rel=1e-4)
        assert motion(disc).y == pytest.approx(20.0 * restitution, abs=0.05)
        assert motion(disc).omega == pytest.approx(spin, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize(
    "shape",
    [Shape.box(0.3, 0.1), Shape.box(0.15, 0.15), Shape.capsule((-0.2, 0), (0.2, 0), 0.05)],
    ids=["rod", "box", "capsule"],
)
def test_what_spins_fast_comes_off_a_floor_without_more_energy(
    shape: Shape, friction: float
) -> None:
    """By 100 to 600 rad/s: up to 2.5 rad in a substep, in which it may hit with any corner."""
    for seed in range(15):
        random = np.random.default_rng(seed)
        world = new_world(gravity=(0.0, 0.0))
        material = Material(friction=friction, restitution=0.8)
        floor(100.0, 0.0, 0.0, material)
        spin = float(random.choice([-1, 1]) * random.uniform(100, 600))
        fall = Velocity(float(random.uniform(-20, 20)), float(-random.uniform(1, 100)), spin)
        start = (0.0, float(random.uniform(1, 2)))
        mass = Mass(mass=1.0, inertia=0.01)
        thrown = body(shape, *start, fall, material, mass, angle=float(random.uniform(0, 6)))

        def energy(thrown: int = thrown) -> float:
            v = motion(thrown)
            return 0.5 * (v.x**2 + v.y**2 + 0.01 * v.omega**2)

        before = first = energy()
        for _ in range(150):
            world.step(DT)
            assert energy() <= before * (1.0 + 1e-6)
            before = energy()
        assert motion(thrown).y > 0.0, "it came off"
        assert before < 0.95 * first


@pytest.mark.parametrize("shape", [BALL, CRATE], ids=["ball", "crate"])
def test_a_flat_landing_on_a_chain_bounces_as_on_one_floor(shape: Shape) -> None:
    """Whatever edges of the chain it spans."""
    world = new_world()
    material = Material(restitution=0.8)
    bodies = []
    for k in range(21):
        edges = [(x, 0.0) for x in range(-5, 6)]
        esper.create_entity(Transform(30.0 * k, 0.0), Shape.chain(edges), material)
        bodies.append(body(shape, 30.0 * k + 0.05 * k - 0.5, 2.5, material))
    tops = first_rebounds(world, bodies, 1.25)
    ratios = (tops - 0.5) / (0.8**2 * 2.0)
    assert ratios.min() > 0.95
    assert ratios.max() < 1.05
    assert max(abs(motion(each).omega) for each in bodies) < 0.05
    assert max(abs(motion(each).x) for each in bodies) < 0.05


def test_bouncy_things_come_to_rest() -> None:
    world = new_world()
    floor(200.0)
    stack = [body(CRATE, 0.0, 0.5 + 1.2 * k, Material(restitution=0.3)) for k in range(4)]
    others = [
        body(shape, 3.0 * k + 5.0, 1.5, Material(restitution=0.8), angle=0.1 * k)
        for k, shape in enumerate((BALL, CRATE, CAPSULE) * 3)
    ]
    run(world, 20.0)
    for each in stack + others:
        assert abs(motion(each).y) < 1e-3
    assert [place(each).y for each in stack] == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=0.02)
