"""Nothing tunnels, and nothing is stopped by what it does not touch."""

import itertools
import math

import esper
import numpy as np
import pytest

from ecs_physics import Force, Mass, Material, Shape, Transform, Velocity, World
from ecs_physics.systems.continuous_collision import ContinuousCollision
from ecs_physics.traits import Bullet
from tests.scenes.scenery import body, motion, place

DT = 1.0 / 60.0
PHASES = 100
_serial = itertools.count(1)

DEAD = Material(restitution=0.0)
LIVELY = Material(restitution=0.9, friction=0.3)
ELASTIC = Material(restitution=1.0, friction=0.0)


def space(**settings):
    """A world without weight."""
    return World(name=f"fast {next(_serial)}", **({"gravity": (0.0, 0.0)} | settings))


def shots(shape, material, speed, dt, *, angle=0.0, spin=0.0, phases=PHASES, apart=3.0):
    """Bodies that fly to the right at the wall x = 0 in lanes of their own, each a little later."""
    bodies = []
    for k in range(phases):
        x = -2.0 - speed * dt * k / phases
        flight = Velocity(speed, 0.0, spin)
        bodies.append(body(shape, x, apart * k, material, flight, angle=angle + 0.1 * k))
    return bodies


def wall(thickness, material, *, height):
    """Static, its middle at x = 0."""
    return esper.create_entity(Transform(0.0, 0.0), Shape.box(thickness, height), material)


def farthest(world, bodies, steps, dt=DT):
    """m, the largest x that a body has had; all stay finite."""
    most = -math.inf
    for _ in range(steps):
        world.step(dt)
        most = max(most, *(place(each).x for each in bodies))
        assert all(math.isfinite(place(each).x + place(each).y) for each in bodies)
    return most


class TestWalls:
    @pytest.mark.parametrize(("angle", "spin"), [(0.0, 0.0), (0.3, 5.0), (0.78, 60.0), (0.1, -300)])
    @pytest.mark.parametrize("material", [DEAD, LIVELY], ids=["dead", "lively"])
    def test_a_box_at_200_metres_a_second_never_gets_behind(self, material, angle, spin):
        world = space()
        wall(0.1, material, height=1e5)
        boxes = shots(Shape.box(0.2, 0.2), material, 200.0, DT, angle=angle, spin=spin)
        assert farthest(world, boxes, 12) < 0.0

    @pytest.mark.parametrize("substeps", [1, 4, 16])
    @pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 144])
    def test_whatever_the_step(self, substeps, dt):
        world = space(substeps=substeps)
        wall(0.1, DEAD, height=1e5)
        boxes = shots(Shape.box(0.2, 0.2), DEAD, 200.0, dt, spin=10.0, phases=30)
        assert farthest(world, boxes, 8, dt) < 0.0

    @pytest.mark.parametrize("speed", [1e3, 1e4, 1e5])
    def test_whatever_the_speed(self, speed):
        world = space()
        wall(0.01, DEAD, height=1e3 * speed)
        boxes = shots(Shape.box(0.02, 0.02), DEAD, speed, DT, spin=50.0, phases=40)
        assert farthest(world, boxes, 10) < 0.0

    @pytest.mark.parametrize(
        "line",
        [
            Shape.segment((0, -1e5), (0, 1e5)),
            Shape.segment((0, -1e5), (0, 1e5), 0.01),
            Shape.chain([(0, -1e5), (0, 1e5)]),
        ],
        ids=["segment", "rounded", "chain"],
    )
    @pytest.mark.parametrize("shape", [Shape.box(0.2, 0.2), Shape.circle(0.1)], ids=["box", "ball"])
    def test_lines_stop_too(self, line, shape):
        world = space()
        esper.create_entity(Transform(0.0, 0.0), line, DEAD)
        assert farthest(world, shots(shape, DEAD, 200.0, DT, phases=40), 10) < 0.0

    def test_a_chain_lets_through_what_comes_from_behind(self):
        world = space()
        esper.create_entity(Transform(), Shape.chain([(0, 1e3), (0, -1e3)]), DEAD)
        balls = shots(Shape.circle(0.1), DEAD, 200.0, DT, phases=20)
        for _ in range(8):
            world.step(DT)
        for ball in balls:
            assert place(ball).x > 15.0
            assert motion(ball).x == 200.0

    @pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 144])
    @pytest.mark.parametrize("substeps", [1, 4, 16])
    def test_an_elastic_ball_comes_back_as_fast(self, substeps, dt):
        world = space(substeps=substeps)
        wall(0.2, ELASTIC, height=1e5)
        balls = shots(Shape.circle(0.2), ELASTIC, 400.0, dt)
        assert farthest(world, balls, 8, dt) < 0.0
        for ball in balls:
            assert motion(ball).x == pytest.approx(-400.0, rel=0.01)

    def test_a_ball_bounces_off_the_wall_it_meets_not_off_its_nearest_corner(self):
        """Aslant, the nearest point of the wall is its end until just before the hit."""
        for k in range(40):
            world = space()
            esper.create_entity(Transform(0.0, 0.0), Shape.box(0.2, 4.0), ELASTIC)
            way = 5.0 + 8.0 * k / 40
            ball = body(Shape.circle(0.1), -way, 1.0 - way, ELASTIC, Velocity(200.0, 200.0))
            for _ in range(6):
                world.step(DT)
            assert motion(ball).x == pytest.approx(-200.0, rel=1e-6)
            assert motion(ball).y == pytest.approx(200.0, rel=1e-6)

    def test_at_a_grazing_angle(self):
        for k in range(40):
            world = World(name=f"grazing {k}")
            esper.create_entity(Transform(0, 0), Shape.box(400, 0.05), DEAD)
            angle = math.radians(0.2 + 0.25 * k)
            fast = Velocity(150 * math.cos(angle), -150 * math.sin(angle), 5.0 * (k % 7))
            box = body(Shape.box(0.2, 0.2), -100, 0.3 + 0.01 * k, fast, LIVELY, angle=k)
            for _ in range(60):
                world.step(DT)
                assert place(box).y > 0.0

    def test_into_the_corner_between_two_walls(self):
        for k in range(40):
            world = space()
            for angle in (0.0, math.radians(60)):
                esper.create_entity(Transform(0, 0, angle), Shape.box(0.1, 40), LIVELY)
            way = math.radians(112 + 2 * (k % 9))
            far = 4.0 + k / 12
            aim = Velocity(-200.0 * math.cos(way), -200.0 * math.sin(way))
            at = far * math.cos(way), far * math.sin(way)
            box = body(Shape.box(0.2, 0.2), *at, aim, LIVELY, angle=k)
            for _ in range(6):
                world.step(DT)
                x, y = place(box).x, place(box).y
                assert x < 0.0
                assert y * math.cos(math.radians(150)) < x * math.sin(math.radians(150))

    def test_a_thin_plank_stays_on_a_thin_floor(self):
        for k in range(30):
            world = World(name=f"plank {k}")
            esper.create_entity(Transform(0, 0), Shape.box(40, 0.02))
            fall = Velocity(0.0, -50.0, 3 * math.cos(k))
            plank = body(Shape.box(2, 0.02), 0, 2 + 0.03 * k, fall, angle=0.5 * math.sin(k))
            for _ in range(30):
                world.step(DT)
                assert place(plank).y > 0.0

    def test_what_a_force_or_a_blow_speeds_up_within_the_step_stops_too(self):
        world = space()
        wall(0.1, DEAD, height=100.0)
        box = body(Shape.box(0.2, 0.2), -1.0, 0.0, Force(), DEAD)
        esper.component_for_entity(box, Force).x = (
            300.0 / DT * esper.component_for_entity(box, Mass).mass
        )
        world.step(DT)
        assert -0.2 < place(box).x < 0.0
        for k in range(20):
            world = space()
            wall(0.05, DEAD, height=100.0)
            box = body(Shape.box(0.2, 0.2), -0.5 - 0.02 * k, 0.0, DEAD)
            hammer = body(
                Shape.box(1, 1), -4.0 - k / 12, 0, Mass(density=1e3), Velocity(100, 0), DEAD
            )
            assert farthest(world, [box, hammer], 15) < 0.0

    def test_what_overlaps_to_begin_with_is_not_caught_by_it(self):
        world = space()
        wall(1.0, DEAD, height=10.0)
        inside = body(Shape.box(0.2, 0.2), 0.35, 0.0, Velocity(100.0, 0.0), DEAD)
        for _ in range(3):
            world.step(DT)
        assert place(inside).x == pytest.approx(0.35 + 3 * 100 * DT, rel=0.1)


class TestContainers:
    @pytest.mark.parametrize("speed", [50.0, 500.0])
    @pytest.mark.parametrize(
        "shape", [Shape.box(0.15, 0.15), Shape.circle(0.05)], ids=["box", "ball"]
    )
    def test_nothing_gets_out_of_a_thin_box(self, shape, speed):
        for k in range(12):
            world = space()
            for x, y, width, height in sides(1.0, 0.05):
                esper.create_entity(Transform(x, y), Shape.box(width, height), LIVELY)
            inside = [
                body(
                    shape,
                    -0.25 + 0.25 * i,
                    0.1 * math.sin(k + i),
                    Velocity(speed * math.cos(k + i), speed * math.sin(k + i), 10.0 * i),
                    LIVELY,
                )
                for i in range(3)
            ]
            for _ in range(30):
                world.step(DT)
                for each in inside:
                    assert max(abs(place(each).x), abs(place(each).y)) < 0.5

    def test_nor_out_of_one_that_is_shaken(self):
        for k in range(12):
            world = World(name=f"shaken {k}")
            walls = [(Shape.box(width, height), x, y) for x, y, width, height in sides(1.0, 0.05)]
            shaker = esper.create_entity(Transform(0, 0), Velocity(), Shape.compound(walls), LIVELY)
            inside = [
                body(Shape.box(0.15, 0.15), 0.2 * i - 0.2, 0.1 * math.sin(k + i), LIVELY, angle=k)
                for i in range(3)
            ]
            for step in range(40):
                motion(shaker).x = 50.0 * math.cos(k) * (1 if step // 3 % 2 else -1)
                motion(shaker).y = 50.0 * math.sin(k) * (1 if step // 5 % 2 else -1)
                world.step(DT)
                for each in inside:
                    assert abs(place(each).x - place(shaker).x) < 0.5
                    assert abs(place(each).y - place(shaker).y) < 0.5


def sides(size, thickness):
    """(x, y, width, height) of four walls around a square."""
    half, long = size / 2, size + thickness
    yield from ((0.0, s, long, thickness) for s in (-half, half))
    yield from ((s, 0.0, thickness, size) for s in (-half, half))


class TestMovingObstacles:
    @pytest.mark.parametrize("spin", [5.0, 20.0])
    @pytest.mark.parametrize("is_kinematic", [True, False], ids=["kinematic", "dynamic"])
    def test_a_bullet_does_not_pass_a_spinning_bar(self, is_kinematic, spin):
        """It is behind the bar only if it went round its end."""
        for k in range(200):
            world = space()
            at_hit = math.pi / 2 + 0.6 * math.sin(1.7 * k)
            x = -3.0 - 200.0 * DT * k / 200
            angle = at_hit + spin * x / 200.0
            parts = [Transform(0, 0, angle), Velocity(0, 0, spin), Shape.box(4, 0.05), DEAD]
            bar = esper.create_entity(*parts, *([] if is_kinematic else [Mass(density=500.0)]))
            bullet = body(
                Shape.circle(0.05), x, 1.2, Velocity(200, 0), Mass(density=0.1), DEAD, Bullet()
            )
            along, side = in_frame(bar, bullet)
            for _ in range(6):
                before = along, side
                world.step(DT)
                along, side = in_frame(bar, bullet)
                went_round = max(abs(along), abs(before[0])) > 2.0
                assert went_round or side > 0.0, f"phase {k}"

    def test_two_bullets_do_not_pass_each_other(self):
        for k in range(40):
            world = space()
            one = body(Shape.circle(0.05), -3 - k / 12, 0, Velocity(300, 0), DEAD, Bullet())
            other = body(Shape.box(0.1, 0.1), 3 + k / 20, 0, Velocity(-200, 0), DEAD, Bullet())
            for _ in range(6):
                world.step(DT)
                assert place(one).x < place(other).x

    def test_a_kinematic_wall_takes_along_what_it_meets(self):
        for k in range(30):
            world = space()
            front = esper.create_entity(
                Transform(-3.0 - k / 18, 0.0), Velocity(100, 0), Shape.box(0.1, 40), DEAD
            )
            box = body(Shape.box(0.3, 0.3), 0.0, 0.3 * math.sin(k), DEAD, angle=k)
            for _ in range(10):
                world.step(DT)
                assert place(box).x > place(front).x

    def test_a_spinning_rod_stays_on_its_side_of_a_wall(self):
        for k in range(30):
            world = space()
            wall(0.1, ELASTIC, height=20.0)
            spin = Velocity(1.0 + k % 5, 0.0, 100.0)
            rod = body(Shape.box(2.0, 0.05), -0.3 - 0.02 * k, 0, spin, ELASTIC, angle=1.5 + 0.1 * k)
            assert farthest(world, [rod], 60) < 0.0


def in_frame(bar, bullet):
    """(along, to the left of) the bar: where the bullet is, m."""
    angle = place(bar).angle
    x, y = place(bullet).x - place(bar).x, place(bullet).y - place(bar).y
    return (
        math.cos(angle) * x + math.sin(angle) * y,
        math.cos(angle) * y - math.sin(angle) * x,
    )


class TestGhosts:
    @pytest.mark.parametrize("gap", [0.1, 0.03, 0.01])
    @pytest.mark.parametrize("speed", [20.0, 100.0, 400.0])
    @pytest.mark.parametrize(
        ("shape", "half"),
        [(Shape.circle(0.2), 0.2), (Shape.box(0.4, 0.4), 0.2)],
        ids=["ball", "box"],
    )
    def test_what_flies_past_a_corner_is_not_felt(self, shape, half, speed, gap):
        world = space()
        esper.create_entity(Transform(0.0, -2.0), Shape.box(0.1, 4.0), DEAD)
        for phase in range(0, PHASES, 5):
            passing = body(
                shape, -3.0 - speed * DT * phase / PHASES, half + gap, Velocity(speed, 0.0), DEAD
            )
            for _ in range(max(8, round(8.0 / speed / DT))):
                world.step(DT)
            assert (motion(passing).x, motion(passing).y) == (speed, 0.0)
            esper.delete_entity(passing)

    def test_two_that_cross_each_others_way_miss(self):
        for k in range(40):
            world = space()
            one = body(Shape.circle(0.1), -5.0 - k / 12, 0.0, Velocity(200.0, 0.0))
            other = body(Shape.circle(0.1), 0.0, -5.5 - k / 12, Velocity(0.0, 200.0))
            for _ in range(6):
                world.step(DT)
            assert motion(one).x == 200.0
            assert motion(other).y == 200.0

    def test_what_slides_fast_loses_no_way(self):
        world = World(name="sliding")
        smooth = Material(friction=0.0, restitution=0.0)
        esper.create_entity(Transform(0, -0.5), Shape.box(1e4, 1.0), smooth)
        box = body(Shape.box(0.2, 0.2), 0.0, 0.1, Velocity(100.0, 0.0), smooth)
        ball = body(Shape.circle(0.1), 1.0, 0.1, Velocity(100.0, 0.0), smooth)
        for _ in range(120):
            world.step(DT)
        assert place(box).x == pytest.approx(200.0, rel=1e-9)
        assert place(ball).x == pytest.approx(201.0, rel=1e-9)


def mayhem(name, *, threads=1):
    """A heap of fast things among thin walls."""
    world = World(name=name, threads=threads)
    for x, y, width, height in sides(20.0, 0.05):
        esper.create_entity(Transform(x, y), Shape.box(width, height), LIVELY)
    bar = Shape.box(6, 0.05)
    esper.create_entity(Transform(0, 0), Velocity(0, 0, 20.0), bar, LIVELY)
    random = np.random.default_rng(5)
    for k in range(150):
        at = random.uniform(-9, 9, 2)
        fast = Velocity(*random.uniform(-60, 60, 2), float(random.uniform(-20, 20)))
        shape = Shape.circle(0.1) if k % 2 else Shape.box(0.3, 0.1)
        body(shape, float(at[0]), float(at[1]), fast, LIVELY, *([Bullet()] if k % 3 else []))
    return world


def test_equal_bits_with_one_and_with_two_threads():
    hashes = []
    for threads in (1, 2):
        world = mayhem(f"mayhem {threads}", threads=threads)
        for _ in range(40):
            world.step(DT)
        hashes.append(world.hash())
        x = world.columns(Transform)
        moving = world.columns(Mass)["entity"] != 0
        assert np.abs(x["x"][moving]).max() < 10.0
        assert np.abs(x["y"][moving]).max() < 10.0
        world.close()
    assert hashes[0] == hashes[1]


def test_transforms_and_pictures_show_where_it_stopped():
    world = space(substeps=1)
    wall(0.1, DEAD, height=100.0)
    box = body(Shape.box(0.2, 0.2), -1.0, 0.0, Force(), DEAD)
    mass = esper.component_for_entity(box, Mass).mass
    esper.component_for_entity(box, Force).x = 300.0 / DT * mass
    world.step(DT)
    row = world.store.row_of(box)
    assert place(box).x == pytest.approx(-0.15, abs=0.01)
    assert motion(box).x == pytest.approx(300.0), "the next contact takes the speed"
    assert world.render.current[row, 0] == place(box).x == world.store.bodies["x"][row]
    world.step(DT)
    assert place(box).x == pytest.approx(-0.15, abs=0.01)
    assert abs(motion(box).x) < 30.0


def test_without_the_system_it_gets_through():
    world = space()
    world.remove_system(ContinuousCollision)
    wall(0.1, DEAD, height=100.0)
    box = body(Shape.box(0.2, 0.2), -1.0, 0.0, Force(), DEAD)
    mass = esper.component_for_entity(box, Mass).mass
    esper.component_for_entity(box, Force).x = 300.0 / DT * mass
    world.step(DT)
    assert place(box).x > 0.0
