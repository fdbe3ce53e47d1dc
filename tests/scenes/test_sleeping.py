"""Islands fall asleep when all their bodies rest, wake as one, and go on as if they never slept."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import esper
import numpy as np
import pytest

from ecs_physics import (
    Color,
    Disabled,
    Filter,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Mixing,
    Shape,
    SleepThreshold,
    Spring,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.constants import SLEEP_SPEED, SLEEP_TIME
from ecs_physics.systems import Gravity, SeparatingAxisDetection, Springs, contact_resolution
from tests.scenes.scenery import DT, G, body, floor, motion, new_world, place, run, steps

BOX = Shape.box(1, 1)
BALL = Shape.circle(0.5)


def sleepy_world(gravity: tuple[float, float] = (0.0, -G)) -> World:
    return new_world(gravity, sleep=True)


def pile(count: int, x: float = 0.0) -> list[int]:
    """Boxes on top of each other, from a floor at height 0."""
    return [body(BOX, x, k + 0.5) for k in range(count)]


def speed(entity: int) -> float:
    """m/s, of the fastest point of a box or ball about 1 m wide."""
    velocity = motion(entity)
    return math.hypot(velocity.x, velocity.y) + abs(velocity.omega) * math.hypot(0.5, 0.5)


def sleepers(world: World, bodies: list[int]) -> list[int]:
    return [entity for entity in bodies if world.is_asleep(entity)]


def until_asleep(world: World, bodies: list[int], seconds: float = 5.0) -> float:
    """Step until all bodies sleep; returns after how long (s)."""
    for step in steps(world, seconds):
        if len(sleepers(world, bodies)) == len(bodies):
            return (step + 1) * DT
    raise AssertionError(f"awake: {set(bodies) - set(sleepers(world, bodies))}")


# -- falling asleep ---------------------------------------------------------------------------


def test_a_pile_of_ten_sleeps_soon_after_it_has_come_to_rest_and_not_before():
    world = sleepy_world()
    floor()
    boxes = [body(BOX, 0.02 * (-1) ** k, 1.05 * k + 0.55) for k in range(10)]
    at_rest = 0.0
    asleep = None
    for step in steps(world, 20.0):
        now = (step + 1) * DT
        if sleepers(world, boxes):
            assert len(sleepers(world, boxes)) == 10
            asleep = now
            break
        if max(map(speed, boxes)) >= SLEEP_SPEED:
            at_rest = now
    assert asleep is not None
    assert SLEEP_TIME - 1e-9 <= asleep - at_rest <= 2.0
    assert all(speed(box) == 0.0 for box in boxes)


def test_nothing_differs_until_bodies_sleep():
    hashes: dict[bool, list[str]] = {}
    for sleep in (False, True):
        world = new_world(sleep=sleep)
        floor()
        for k in range(12):
            body(BALL if k % 3 else BOX, 0.7 * (k % 4), 1.0 + 1.2 * k, angle=0.1 * k)
        hashes[sleep] = []
        for _ in steps(world, 6.0):
            if sleep and len(world.sleeping.fell_asleep):
                break
            hashes[sleep].append(world.hash())
    same = len(hashes[True])
    assert 60 < same < 360
    assert hashes[False][:same] == hashes[True]


def test_runs_with_sleep_have_equal_hashes_also_on_two_threads():
    def end(threads: int) -> str:
        world = sleepy_world()
        world.threads = threads
        floor(400.0)
        stacks = [pile(3, 2.5 * k) for k in range(6)]
        boxes = list(chain(*stacks))
        run(world, 1.0)
        assert len(sleepers(world, boxes)) == 18
        body(BALL, -4.0, 1.5, Velocity(9, 0), Mass(density=10))
        run(world, 2.0)
        assert 0 < len(sleepers(world, boxes)) < 18
        return world.hash()

    assert end(1) == end(1) == end(2)


def test_a_body_at_the_top_of_its_throw_does_not_sleep():
    world = sleepy_world()
    ball = body(BALL, 0, 0, Velocity(0, 5))
    for _ in steps(world, 5.0):
        assert not world.is_asleep(ball)


@pytest.mark.parametrize("swing", [0.3, 2.0])
def test_a_swinging_pendulum_never_sleeps(swing):
    world = sleepy_world()
    world.add_system(Springs(world), Stage.FORCES)
    bob = body(Shape.circle(0.1), swing, -math.sqrt(9 - swing**2), Mass(mass=1))
    esper.create_entity(Spring(bob, anchor_b=(0, 0), stiffness=300, rest_length=3))
    for _ in steps(world, 30.0):
        assert not world.is_asleep(bob)


def test_what_hangs_still_sleeps_and_falls_when_its_spring_goes():
    world = sleepy_world()
    world.add_system(Springs(world), Stage.FORCES)
    first, second = (body(BALL, 0, y, Mass(mass=1)) for y in (-2, -4))
    hanging = {"stiffness": 300, "rest_length": 2, "damping": 10}
    upper = esper.create_entity(Spring(first, anchor_b=(0, 0), **hanging))
    esper.create_entity(Spring(second, first, **hanging))
    until_asleep(world, [first, second], 60.0)
    height = place(second).y
    run(world, 1.0)
    assert place(second).y == height
    esper.delete_entity(upper)
    run(world, 0.5)
    assert not sleepers(world, [first, second])
    fallen = height - place(second).y
    assert fallen == pytest.approx(G * 0.25 / 2, rel=0.15)  # the springs still swing


def test_a_spring_wakes_only_whom_it_holds_and_a_restore_nobody() -> None:
    world = new_world(gravity=(0.0, 0.0), sleep=True)
    world.add_system(Springs(world), Stage.FORCES)
    weights = [body(Shape.circle(0.3), 2.0 * k, 0.0) for k in range(4)]

    def hang(weight: int, k: int) -> int:
        return esper.create_entity(
            Spring(weight, anchor_b=(2.0 * k, 1.0), stiffness=10, rest_length=1)
        )

    for k in range(3):
        hang(weights[k], k)
    for _ in range(200):
        world.step(DT)
    assert all(world.is_asleep(each) for each in weights)
    moment = world.snapshot()
    hung = hang(weights[3], 3)
    world.step(DT)
    assert [world.is_asleep(each) for each in weights] == [True, True, True, False]
    esper.delete_entity(hung)
    world.step(DT)
    world.restore(moment)
    for _ in range(3):
        world.step(DT)
        assert all(world.is_asleep(each) for each in weights)
    springs = [spring for _, spring in esper.get_component(Spring)]
    springs[1].stiffness = 20.0
    world.step(DT)
    assert [world.is_asleep(each) for each in weights] == [True, False, True, True]


def test_a_body_sleeps_on_a_still_kinematic_body_and_not_on_one_that_moves():
    world = sleepy_world()
    lift = esper.create_entity(Transform(0, 0), Velocity(0, 0.02), Shape.box(4, 1))
    rider = body(BOX, 0, 1.0)
    run(world, 3.0)
    assert not world.is_asleep(rider)
    motion(lift).y = 0.0
    until_asleep(world, [rider], 1.5)
    motion(lift).y = 0.02
    height = place(rider).y
    run(world, 2.0)
    assert not world.is_asleep(rider)
    assert place(rider).y - height == pytest.approx(0.04, abs=0.004)


def test_a_body_on_a_running_surface_does_not_sleep():
    world = sleepy_world()
    floor(50.0, 0.0, 0.0, Material(surface_speed=0.03))
    box = body(BOX, 0, 0.5)
    run(world, 2.0)
    assert not world.is_asleep(box)


def test_thresholds_of_the_world_and_of_one_body():
    world = sleepy_world()
    floor()
    world.sleep_time = 1.0
    usual, eager, sleepless = (
        body(BOX, 3.0 * k, 0.5, *more)
        for k, more in enumerate(((), (SleepThreshold(time=0.25),), (SleepThreshold(speed=0),)))
    )
    assert until_asleep(world, [eager]) == pytest.approx(0.25, abs=0.12)
    assert not world.is_asleep(usual)
    assert until_asleep(world, [usual]) == pytest.approx(0.75, abs=0.12)
    run(world, 3.0)
    assert not world.is_asleep(sleepless)
    world.wake(usual)
    world.sleep_speed = 0.0
    run(world, 3.0)
    assert not world.is_asleep(usual)


def test_a_world_without_sleep_and_one_that_loses_it():
    world = new_world(sleep=False)
    floor()
    box = body(BOX, 0, 0.5)
    run(world, 2.0)
    assert not world.is_asleep(box)
    with pytest.raises(ValueError, match="sleep"):
        world.put_to_sleep(box)
    world.sleep = True
    until_asleep(world, [box])
    world.sleep = False
    run(world, 2.0)
    assert not world.is_asleep(box)


def test_nothing_sleeps_under_a_detection_that_does_not_wake():
    from ecs_physics.systems import CollisionDetection

    world = sleepy_world()
    floor()
    box = body(BOX, 0, 0.5)
    until_asleep(world, [box])
    world.remove_system(CollisionDetection)
    world.add_system(SeparatingAxisDetection(world), Stage.COLLISION_DETECTION)
    run(world, 2.0)
    assert not world.is_asleep(box)
    world.put_to_sleep(box)
    run(world, 0.1)
    assert not world.is_asleep(box)


# -- waking -----------------------------------------------------------------------------------


@dataclass
class Scene:
    """Two boxes on each other and one far away, all asleep."""

    world: World
    ground: int
    lift: int
    lower: int
    upper: int
    far: int


@pytest.fixture
def scene() -> Scene:
    world = sleepy_world()
    ground = floor(10.0)
    floor(10.0, 50.0)
    lift = esper.create_entity(Transform(1.3, 0.5), Velocity(), BOX)
    lower, upper, far = body(BOX, 0, 0.5), body(BOX, 0.2, 1.5), body(BOX, 50, 0.5)
    made = Scene(world, ground, lift, lower, upper, far)
    until_asleep(world, [lower, upper, far], 10.0)
    run(world, 0.1)
    return made


def write(kind: type, field: str, value: object) -> Callable[[Scene], None]:
    return lambda scene: setattr(esper.component_for_entity(scene.upper, kind), field, value)


def give(who: str, component: object) -> Callable[[Scene], None]:
    return lambda scene: esper.add_component(getattr(scene, who), component)


def take(who: str, kind: type) -> Callable[[Scene], None]:
    return lambda scene: esper.remove_component(getattr(scene, who), kind)


def write_column(kind: type, field: str, value: float) -> Callable[[Scene], None]:
    def act(scene: Scene) -> None:
        row = scene.world.store.row_of(scene.upper)
        scene.world.columns(kind)[field][row] = value

    return act


def move(who: str, x: float, y: float) -> Callable[[Scene], None]:
    def act(scene: Scene) -> None:
        place(getattr(scene, who)).x += x
        place(getattr(scene, who)).y += y

    return act


CAUSES: dict[str, Callable[[Scene], object]] = {
    "Transform": write(Transform, "x", 0.51),
    "Velocity": write(Velocity, "x", 0.1),
    "Mass": write(Mass, "mass", 3.0),
    "Mass.density": write(Mass, "density", 3.0),
    "Mass.center": write(Mass, "center", (0.1, 0.0)),
    "a Transform column": write_column(Transform, "y", 1.6),
    "a Velocity column": write_column(Velocity, "omega", 0.1),
    "a Mass column": write_column(Mass, "mass", 3.0),
    "a Force column": write_column(Force, "x", 0.1),
    "a new Force": give("upper", Force(0.1, 0.0)),
    "a new Shape": give("upper", Shape.box(1.1, 1.0)),
    "a new Material": give("upper", Material(friction=0.0)),
    "a new Filter": give("upper", Filter(mask=2)),
    "a new SleepThreshold": give("upper", SleepThreshold(speed=0.0)),
    "a new GravityScale": give("upper", GravityScale(0.5)),
    "new LockedAxes": give("upper", LockedAxes(angle=True)),
    "ground deleted": lambda scene: esper.delete_entity(scene.ground),
    "ground disabled": give("ground", Disabled()),
    "ground reshaped": give("ground", Shape.box(9.0, 1.0)),
    "ground filtered": give("ground", Filter(mask=2)),
    "ground teleported": move("ground", 0.0, -1.0),
    "ground made kinematic": give("ground", Velocity()),
    "neighbour deleted": lambda scene: esper.delete_entity(scene.lower),
    "neighbour disabled": give("lower", Disabled()),
    "neighbour made static": take("lower", Velocity),
    "neighbour reshaped": give("lower", Shape.box(1.0, 0.9)),
    "kinematic body comes": lambda scene: setattr(motion(scene.lift), "x", -3.0),
    "kinematic body put there": move("lift", -0.35, 0.0),
    "wall put there": lambda scene: esper.create_entity(Transform(-0.9, 0.5), BOX),
    "something falls on it": lambda scene: body(BOX, 0.5, 2.01, Velocity(0, -1)),
    "woken": lambda scene: scene.world.wake(scene.upper),
    "woken by its neighbour": lambda scene: scene.world.wake(scene.lower),
    "a spring on it": lambda scene: (
        scene.world.add_system(Springs(scene.world), Stage.FORCES),
        esper.create_entity(Spring(scene.upper, anchor_b=(0, 9), stiffness=1, rest_length=1)),
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_wakes_the_whole_island_and_no_other(scene, cause):
    CAUSES[cause](scene)
    for _ in steps(scene.world, 0.1):
        pass
    alive = [e for e in (scene.lower, scene.upper) if e in scene.world.entities()]
    assert not sleepers(scene.world, alive)
    assert scene.world.is_asleep(scene.far) or cause == "a spring on it"  # a new system wakes all


@pytest.mark.parametrize(
    "change", ["gravity", "a system gone", "a system more", "a filter", "a rule", "a mixing"]
)
def test_what_concerns_everybody_wakes_everybody(scene, change):
    world = scene.world
    if change == "gravity":
        world.gravity = (0.0, -1.6)
    elif change == "a system gone":
        world.remove_system(Gravity)
    elif change == "a filter":
        world.contact_filter = lambda a, b: False
    elif change == "a rule":
        world.pre_solve = lambda contact: None
    elif change == "a mixing":
        world.mixing = Mixing(friction="minimum")
    else:
        world.add_system(Springs(world), Stage.FORCES)
    world.step(DT)
    assert not sleepers(world, [scene.lower, scene.upper, scene.far])


def test_reading_and_writing_nothing_new_wakes_nobody(scene):
    world = scene.world
    before = world.hash()
    for _ in range(20):
        world.columns(Transform)["x"] += 0.0
        world.columns(Force)["x"] += 0.0
        for _, (transform, velocity) in esper.get_components(Transform, Velocity):
            velocity.x = 0.0
            transform.y = transform.y
        world.step(DT)
        assert len(sleepers(world, [scene.lower, scene.upper, scene.far])) == 3
        assert world.store.step_rows == 0
    assert world.hash() == before
    esper.add_component(scene.upper, "a label of the user's", str)
    body(BALL, 100, 100)
    run(world, 1.0)
    assert len(sleepers(world, [scene.lower, scene.upper, scene.far])) == 3


@pytest.mark.parametrize("push", [0.0, 0.5])
def test_wind_from_a_system_wakes_where_it_is_not_zero(scene, push):
    world = scene.world
    row = world.store.row_of(scene.upper)

    class Wind(esper.Processor):
        def process(self, dt: float) -> None:
            world.columns(Force)["x"][row] += push

    world.add_system(Wind(), Stage.FORCES)
    run(world, 2.0)
    world.wake(scene.upper)
    run(world, 0.1)
    assert world.is_asleep(scene.far)
    until_asleep(world, [scene.lower], 2.0) if push == 0.0 else run(world, 2.0)
    assert len(sleepers(world, [scene.lower, scene.upper])) == (2 if push == 0.0 else 0)


def test_impacts_on_a_sleeping_pile_are_those_on_one_that_never_slept():
    def hit(sleep: bool) -> np.ndarray:
        world = new_world(sleep=sleep)
        floor()
        boxes = pile(10)
        run(world, 0.85)  # a pile that stands longer leans a little more
        assert len(sleepers(world, boxes)) == (10 if sleep else 0)
        ball = body(BALL, -1.3, 4.5, Velocity(15, 0), Mass(density=4))
        run(world, 0.1)
        assert not sleepers(world, boxes)
        return np.array([(motion(e).x, motion(e).y, motion(e).omega) for e in (*boxes, ball)])

    slept, never = hit(True), hit(False)
    fastest = np.abs(never).max()
    assert fastest > 5.0
    np.testing.assert_allclose(slept, never, atol=0.01 * fastest)


def test_what_is_woken_by_a_touch_rests_on_as_before():
    """Its weight must come in the same step: else its contacts' impulses would lift it."""
    world = sleepy_world()
    floor()
    boxes = pile(10)
    until_asleep(world, boxes)
    heights = [place(box).y for box in boxes]
    body(BOX, 1.0, 0.5)  # beside the lowest one, just in touch
    highest = 0.0
    for _ in steps(world, 0.4):
        highest = max(highest, *(abs(motion(box).y) for box in boxes))
    assert not sleepers(world, boxes)
    assert highest < 0.02  # g dt would be .16
    assert [place(box).y for box in boxes] == pytest.approx(heights, abs=1e-3)


def test_a_hand_wakes_what_it_grabs_and_keeps_it_awake():
    from ecs_physics.systems.drag import Drag

    world = sleepy_world()
    drag = Drag(world)
    world.add_system(drag, Stage.FORCES)
    floor()
    box = body(BOX, 0, 0.5)
    until_asleep(world, [box])
    drag.grab(box, 0.0, 0.5)
    for _ in steps(world, 2.0):
        assert not world.is_asleep(box)
    drag.move(0.0, 3.0)
    run(world, 2.0)
    assert place(box).y > 2.5
    drag.release()


# -- by hand ----------------------------------------------------------------------------------


def test_islands_are_put_to_sleep_and_woken_as_one():
    world = sleepy_world()
    floor(100.0)
    chains = [[body(BOX, 10 * k + i, 0.5) for i in range(5)] for k in range(3)]
    boxes = list(chain(*chains))
    world.step(DT)
    motion(chains[1][0]).y = 3.0
    world.put_to_sleep(chains[1][2])
    assert sleepers(world, boxes) == chains[1]
    assert motion(chains[1][0]).y == 0.0
    world.step(DT)
    assert sleepers(world, boxes) == chains[1]
    assert world.sleeping.fell_asleep.tolist() == chains[1]
    world.put_to_sleep(chains[0][0])
    world.wake(chains[1][4])
    assert sleepers(world, boxes) == chains[0]
    world.step(DT)
    assert world.sleeping.fell_asleep.tolist() == chains[0]
    assert world.sleeping.woke.tolist() == chains[1]
    assert world.events.sleep["entity"].tolist() == chains[0]
    assert world.events.wake["entity"].tolist() == chains[1]
    world.step(DT)
    assert len(world.sleeping.woke) == len(world.sleeping.fell_asleep) == 0


def test_only_dynamic_bodies_are_put_to_sleep_and_only_between_steps():
    world = sleepy_world()
    ground = floor()
    box = body(BOX, 0, 0.5)
    with pytest.raises(ValueError, match="no dynamic body"):
        world.put_to_sleep(ground)
    for call in (world.is_asleep, world.wake, world.put_to_sleep):
        with pytest.raises(ValueError, match="is no body"):
            call(999)

    class Sandman(esper.Processor):
        def process(self, dt: float) -> None:
            world.put_to_sleep(box)

    world.add_system(Sandman(), Stage.AFTER_STEP)
    with pytest.raises(ValueError, match="between steps"):
        world.step(DT)
    for value in (0, "yes", None):
        with pytest.raises(ValueError, match=r"World\.sleep"):
            world.sleep = value
    with pytest.raises(ValueError, match=r"World\.sleep_speed"):
        world.sleep_speed = -1.0
    with pytest.raises(ValueError, match=r"World\.sleep_time"):
        world.sleep_time = 0.0


# -- a sleeping world -------------------------------------------------------------------------


def test_contacts_of_sleeping_bodies_are_still_shown(scene):
    contacts = scene.world.contacts
    pairs = {(int(c["entity_a"]), int(c["entity_b"])) for c in contacts}
    assert {(scene.ground, scene.lower), (scene.lower, scene.upper)} <= pairs
    under = contacts[(contacts["entity_a"] == scene.ground)]
    assert under["normal_impulse"].sum() == pytest.approx(2 * G * DT, rel=0.02)
    assert scene.world.contact_table.active_count == 0
    esper.delete_entity(scene.upper, immediate=True)
    assert len(scene.world.contacts) == len(contacts) - 1


def test_poses_are_right_for_drawing(scene):
    world = scene.world
    for wakes in (False, True):
        if wakes:
            motion(scene.far).y = 6.0
            world.step(DT)
        for alpha in (0.0, 0.5, 1.0):
            poses = world.render.interpolate(alpha)
            for entity in (scene.lower, scene.upper):
                row = world.store.row_of(entity)
                assert tuple(poses[row, :2]) == (place(entity).x, place(entity).y)


def test_a_body_that_takes_the_row_of_a_sleeping_one_is_awake(scene):
    world = scene.world
    esper.delete_entity(scene.far, immediate=True)
    new = body(BALL, 50, 5)
    world.step(DT)
    assert not world.is_asleep(new)
    run(world, 0.3)
    assert not world.is_asleep(new)


def test_a_reset_world_begins_anew(scene):
    world = scene.world
    world.reset()
    assert world.sleeping.asleep == 0
    floor()
    box = body(BOX, 0, 0.5)
    assert until_asleep(world, [box]) >= SLEEP_TIME - 1e-9


def test_the_state_of_sleep_can_be_taken_and_given_back(scene):
    islands = scene.world.sleeping
    state = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in islands.state().items()}
    islands.forget()
    islands.take_state(state)
    assert islands.asleep == 3
    scene.world.step(DT)
    assert len(sleepers(scene.world, [scene.lower, scene.upper, scene.far])) == 3
    scene.world.wake(scene.lower)
    assert sleepers(scene.world, [scene.lower, scene.upper, scene.far]) == [scene.far]


def test_a_snapshot_keeps_who_sleeps_and_how_long_others_have_rested(scene):
    world = scene.world
    late = body(BOX, 60, 0.6)
    run(world, 0.4)
    moment = world.snapshot()
    ends = []
    for _ in range(2):
        run(world, 0.3)
        asleep = [step for step in steps(world, 1.0) if world.is_asleep(late)]
        motion(scene.lower).x = 1.0
        run(world, 0.5)
        ends.append((world.hash(), asleep))
        world.restore(moment)
        assert len(sleepers(world, [scene.lower, scene.upper, scene.far])) == 3
    assert ends[0] == ends[1]


def test_values_that_are_equal_to_those_there_are_change_nothing():
    """Not even where they are other objects, as those that come from a file are."""

    def run_of(renew) -> tuple[str, bool]:
        world = sleepy_world()
        esper.create_entity(Transform(0, -1), Shape.box(20, 2))
        resting = body(Shape.box(1, 1), 3, 0.5, Material(friction=0.5), Color("#E69F00"))
        falling = body(Shape.box(1, 1), -3, 4.0, Material(friction=0.5), Color("#E69F00"))
        for _ in range(150):
            for entity in (resting, falling):
                for value in renew():
                    esper.add_component(entity, value)
            world.step(DT)
        slept, bits = world.is_asleep(resting), world.hash()
        world.close()
        return bits, slept

    equal = run_of(lambda: (Shape.box(1, 1), Material(friction=0.5), Color("#E69F00")))
    assert equal == run_of(tuple)
    assert equal[1]
    assert run_of(lambda: (Shape.box(1, 1), Material(friction=0.4)))[0] != equal[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_velocity_written_late_in_a_step_moves_a_sleeper_from_the_next_one_on(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(contact_resolution, "FEWEST_ROWS_FOR_THREADS", 1)
    world = sleepy_world()
    world.threads = threads
    floor()
    crate = body(BOX, 0.0, 0.5)
    body(BOX, 5.0, 9000.0)  # falls all the time, so that steps are taken

    class Push(esper.Processor):
        speed = 0.0

        def process(self, dt: float) -> None:
            if self.speed:
                motion(crate).x = self.speed

    push = Push()
    world.add_system(push, Stage.CONTACT_RULES)
    until_asleep(world, [crate])
    before = place(crate).x
    push.speed = 3.0
    world.step(DT)
    push.speed = 0.0
    assert place(crate).x == before
    assert world.store.bodies["x"][1] == before, "nor does the solver hold it to be elsewhere"
    world.step(DT)
    assert before < place(crate).x <= before + 3.0 * DT
