"""Anything may be created, deleted and changed at any time, between steps and in all stages."""

import math
import random
import re
from collections.abc import Callable
from typing import Any

import esper
import pytest

from ecs_physics import (
    Bullet,
    Color,
    Damping,
    Disabled,
    DistanceJoint,
    Filter,
    Force,
    GearJoint,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    MotorJoint,
    OneWay,
    PrismaticJoint,
    PulleyJoint,
    RatchetJoint,
    RevoluteJoint,
    RopeJoint,
    Sensor,
    Shape,
    SleepThreshold,
    Spring,
    Stage,
    TargetJoint,
    Transform,
    Velocity,
    WeldJoint,
    WheelJoint,
    World,
)
from ecs_physics.joints import JOINTS
from ecs_physics.systems import Springs
from ecs_physics.systems.contact_resolution import ContactResolution
from tests.consistency import check
from tests.scenes.scenery import DT, body, floor, motion, new_world, place

OPERATIONS = 10_000
STEPS = 500
MOST_ENTITIES = 90

SHAPES = (
    Shape.box(1, 1),
    Shape.box(0.4, 1.6, 0.1),
    Shape.circle(0.5, (0.2, 0)),
    Shape.circle(0.3),
    Shape.capsule((-0.5, 0), (0.5, 0.2), 0.2),
    Shape.polygon([(0, 0), (1, 0), (1, 1), (0.5, 0.4), (0, 1)]),
    Shape.compound([(Shape.box(1, 0.4), 0, 0), (Shape.circle(0.4), 0.6, 0.1, 0.3)]),
)
LINES = (Shape.chain([(-3, 0), (0, -0.2), (3, 0)]), Shape.segment((-1, 0), (1, 0.3)))


class Chaos:
    """Does something random to a world, again and again, the same for the same seed."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.random = random.Random(seed)
        self.operations = 0
        self.does: tuple[Callable[[], object], ...] = (
            self.create,
            self.create,
            self.delete,
            self.add,
            self.add,
            self.remove,
            self.write,
            self.write_columns,
            self.teleport,
            self.switch,
            self.clone,
            self.reshape,
            self.clone_some,
            self.hang,
            self.hang,
            self.change_joint,
            self.weigh,
        )

    def do(self, times: int) -> None:
        for _ in range(times):
            self.random.choice(self.does)()
            self.operations += 1

    def place(self) -> tuple[float, float, float]:
        turn = self.random.uniform(-4, 4)
        return self.random.uniform(-8, 8), self.random.uniform(0, 10), turn

    def entity(self) -> int | None:
        entities = [e for e in esper.get_entities() if esper.entity_exists(e)]
        return self.random.choice(entities) if entities else None

    def component(self) -> Any:
        draw = self.random
        makers: tuple[Callable[[], Any], ...] = (
            lambda: Transform(*self.place()),
            lambda: Velocity(draw.uniform(-9, 9), draw.uniform(-9, 9), draw.uniform(-5, 5)),
            lambda: Mass(density=draw.uniform(0.2, 5)),
            lambda: Mass(mass=draw.uniform(0.2, 5), center=(draw.uniform(-0.2, 0.2), 0)),
            lambda: Mass(mass=2.0, inertia=draw.uniform(0.1, 1)),
            lambda: Material(restitution=draw.random(), friction=draw.random()),
            lambda: Force(draw.uniform(-50, 50), draw.uniform(-50, 50)),
            lambda: GravityScale(draw.uniform(-1, 2)),
            lambda: Damping(draw.random(), draw.random()),
            lambda: LockedAxes(x=draw.random() < 0.5, angle=True),
            lambda: Color("#E69F00"),
            lambda: Filter(category=1 << draw.randrange(3), mask=draw.randrange(8)),
            lambda: Filter(group=draw.randrange(-1, 2)),
            Sensor,
            Bullet,
            OneWay,
            lambda: SleepThreshold(time=0.1),
            Disabled,
            lambda: draw.choice(SHAPES),
        )
        return draw.choice(makers)()

    def create(self) -> None:
        if len(list(esper.get_entities())) > MOST_ENTITIES:
            self.delete()
            return
        parts: list[Any] = [Transform(*self.place())]
        if self.random.random() < 0.85:
            parts += [Velocity(), Mass(mass=1.5)]
        if self.random.random() < 0.9:
            parts.append(self.random.choice(SHAPES if len(parts) == 3 else (*SHAPES, *LINES)))
        if self.random.random() < 0.1:
            parts = [self.component()]
        esper.create_entity(*parts)

    def delete(self) -> None:
        entity = self.entity()
        if entity is not None:
            esper.delete_entity(entity, immediate=self.random.random() < 0.5)

    def add(self) -> None:
        entity, component = self.entity(), self.component()
        if entity is None:
            return
        try:
            esper.add_component(entity, component)
        except ValueError:  # a line has no mass
            assert isinstance(component, Mass)

    def remove(self) -> None:
        entity = self.entity()
        if entity is not None:
            kinds = [type(each) for each in esper.components_for_entity(entity)]
            if kinds:
                esper.remove_component(entity, self.random.choice(kinds))

    def write(self) -> None:
        entity = self.entity()
        transform = None if entity is None else esper.try_component(entity, Transform)
        if transform is not None:
            transform.x, transform.y, _ = self.place()

    def write_columns(self) -> None:
        velocities = self.world.columns(Velocity)
        if len(velocities):
            velocities["x"][self.random.randrange(len(velocities))] = self.random.uniform(-5, 5)

    def teleport(self) -> None:
        entity = self.entity()
        if entity is not None and esper.has_component(entity, Transform):
            self.world.teleport(entity, *self.place())

    def switch(self) -> None:
        entity = self.entity()
        if entity is not None:
            self.random.choice((self.world.disable, self.world.enable, self.world.enable))(entity)

    def clone(self) -> None:
        entity = self.entity()
        if entity is not None and len(list(esper.get_entities())) <= MOST_ENTITIES:
            self.world.clone(entity)

    def clone_some(self) -> None:
        entities = [e for e in esper.get_entities() if esper.entity_exists(e)]
        if 3 < len(entities) <= MOST_ENTITIES:
            self.world.clone_group(self.random.sample(entities, 3))

    def reshape(self) -> None:
        entity = self.entity()
        if entity is not None and esper.has_component(entity, Shape):
            esper.add_component(entity, self.random.choice(SHAPES))

    def hang(self) -> None:
        """A spring or a joint between two bodies, or a body and a point of the world."""
        bodies = self.world.entities()
        if len(bodies) < 2:
            return
        a, b = self.random.sample(bodies, 2)
        b_or_world = b if self.random.random() < 0.7 else None
        makers: tuple[Callable[[], Any], ...] = (
            lambda: Spring(a, b_or_world, stiffness=5, rest_length=1, damping=0.1),
            lambda: RevoluteJoint(a, b_or_world, lower=-1.0, upper=2.0, break_force=500.0),
            lambda: RevoluteJoint(a, b_or_world, motor_speed=3.0, max_motor_torque=9.0),
            lambda: WeldJoint(a, b_or_world, break_torque=200.0),
            lambda: WeldJoint(a, b_or_world, hertz=3.0, angular_hertz=2.0),
            lambda: RopeJoint(a, b_or_world, length=4.0),
            lambda: DistanceJoint(a, b_or_world, collide_connected=True),
            lambda: DistanceJoint(a, b_or_world, hertz=2.0, lower=0.5, upper=3.0),
            lambda: PrismaticJoint(a, b_or_world, axis=(1.0, 0.5), lower=-1.0, upper=1.0),
            lambda: WheelJoint(a, b_or_world, hertz=3.0, motor_speed=-4.0, max_motor_torque=2.0),
            lambda: TargetJoint(a, self.place()[:2], max_force=50.0),
            lambda: GearJoint(a, b, ratio=-2.0),
            lambda: RatchetJoint(a, b_or_world, step=0.3),
            lambda: PulleyJoint(a, b, ground_a=(-5.0, 12.0), ground_b=(5.0, 12.0), ratio=1.5),
            lambda: MotorJoint(a, b_or_world, velocity=(0.5, 0.0), max_force=20.0),
        )
        esper.create_entity(self.random.choice(makers)())

    def change_joint(self) -> None:
        joints = [joint for kind in JOINTS for _, joint in esper.get_component(kind)]
        if not joints:
            return
        joint, draw = self.random.choice(joints), self.random
        changes = {
            "break_force": lambda: draw.choice((1.0, 100.0, math.inf)),
            "collide_connected": lambda: draw.random() < 0.5,
            "anchor_a": lambda: (draw.uniform(-1, 1), draw.uniform(-1, 1)),
            "motor_speed": lambda: draw.choice((0.0, 0.01, 5.0)),
            "length": lambda: draw.uniform(0.1, 5),
            "hertz": lambda: draw.choice((0.5, 1.0, 9.0)),
            "ratio": lambda: draw.uniform(0.5, 2),
            "target": lambda: self.place()[:2],
        }
        name = draw.choice([name for name in changes if name in type(joint).ARGUMENTS])
        setattr(joint, name, changes[name]())

    def weigh(self) -> None:
        entity = self.entity()
        mass = None if entity is None else esper.try_component(entity, Mass)
        if mass is None:
            return
        try:
            self.random.choice((self._make_dense, self._turn_slowly))(mass)
        except ValueError:  # known only once it is a body
            assert mass.density is not None

    def _make_dense(self, mass: Mass) -> None:
        mass.density = self.random.uniform(0.2, 5)

    def _turn_slowly(self, mass: Mass) -> None:
        mass.inertia = self.random.uniform(0.1, 2)


def step(world: World) -> None:
    """One step; a joint whose body was none before it ever held is refused, and taken away."""
    while True:
        try:
            world.step(DT)
        except ValueError as error:
            found = re.match(r"\w+\.body_.* of entity (\d+) is no body", str(error))
            if found is None:
                raise
            esper.delete_entity(int(found[1]), immediate=True)
        else:
            return


class Disturber(esper.Processor):
    """Lets chaos in now and then, from within a stage."""

    def __init__(self, chaos: Chaos) -> None:
        self.chaos = chaos

    def process(self, dt: float) -> None:
        self.chaos.do(self.chaos.random.choice((0, 0, 0, 1, 3)))


def chaotic_run(seed: int, *, stages: tuple[Stage, ...]) -> tuple[list[str], int]:
    """The hash after every 25 steps, and the number of operations."""
    world = new_world(sleep=True)
    world.add_system(Springs(world), Stage.FORCES)
    esper.create_entity(Transform(0, -1), Shape.chain([(-12, 9), (-10, 0), (10, 0), (12, 9)]))
    chaos = Chaos(world, seed)
    for stage in stages:
        world.add_system(Disturber(chaos), stage)
    hashes = []
    for number in range(STEPS):
        chaos.do(OPERATIONS // STEPS // 2)
        step(world)
        if number % 25 == 0:
            hashes.append(world.hash())
        if number % 5 == 0:
            check(world)
    return hashes, chaos.operations


STAGES = {
    "between steps and around substeps": tuple(
        stage for stage in Stage if stage not in {Stage.SUBSTEP, Stage.INTEGRATION}
    ),
    "in every stage": tuple(Stage),
    "between steps": (),
}


@pytest.mark.parametrize("where", STAGES)
def test_ten_thousand_random_changes_do_no_harm(where: str) -> None:
    first, operations = chaotic_run(7, stages=STAGES[where])
    assert operations >= OPERATIONS // 2
    again, _ = chaotic_run(7, stages=STAGES[where])
    assert again == first
    assert len(set(first)) > STEPS // 50


@pytest.mark.parametrize("seed", [5, 28, 43, 97, 100, 117])
@pytest.mark.parametrize("where", list(STAGES)[:2])
def test_random_changes_that_once_led_to_nan(where: str, seed: int) -> None:
    """Joints that contradict each other built up impulses, let loose as one was deleted.

    Or they flung bodies so far in a substep that contacts were followed over kilometres.
    """
    chaotic_run(seed, stages=STAGES[where])


@pytest.mark.parametrize("seed", [3, 7, 23])
def test_a_rewound_chaos_goes_the_same_way(seed: int) -> None:
    world = new_world(sleep=True)
    world.add_system(Springs(world), Stage.FORCES)
    floor(40)
    chaos = Chaos(world, seed)

    def run(steps: int) -> list[str]:
        hashes = []
        for _ in range(steps):
            chaos.do(10)
            step(world)
            hashes.append(world.hash())
        return hashes

    run(30)
    for _ in range(8):
        moment, luck = world.snapshot(), chaos.random.getstate()
        first = run(12)
        world.restore(moment)
        check(world)
        chaos.random.setstate(luck)
        assert run(12) == first
        check(world)


class Nothing(esper.Processor):
    """A system of a user's; where there is one, the phases of a substep run one by one."""

    def process(self, h: float) -> None:
        """Do nothing."""


@pytest.mark.parametrize("seed", [2, 4, 5, 7])
def test_all_ways_through_the_step_lead_to_the_same_chaos(seed: int) -> None:
    def run(way: str) -> list[str]:
        world = new_world(sleep=True)
        if way == "one after the other":
            world.remove_system(ContactResolution)
            world.add_system(ContactResolution(world, wide=False), Stage.CONTACT_RESOLUTION)
        elif way == "phase by phase":
            world.add_system(Nothing(), Stage.SUBSTEP)
        world.add_system(Springs(world), Stage.FORCES)
        floor(40)
        chaos, hashes = Chaos(world, seed), []
        for _ in range(60):
            chaos.do(10)
            step(world)
            hashes.append(world.hash())
        return hashes

    usual = run("all at once")
    assert run("one after the other") == usual
    assert run("phase by phase") == usual


def test_a_stacked_pair_survives_any_switching() -> None:
    world = new_world(sleep=True)
    floor(20)
    pair = [body(Shape.box(1, 1), 0, 0.5), body(Shape.box(1, 1), 0, 1.5)]
    for turn in range(100):
        entity = pair[turn % 2]
        if turn % 3 == 0:
            if esper.has_component(entity, Velocity):
                esper.remove_component(entity, Velocity)
            else:
                esper.add_component(entity, Velocity())
        if turn % 5 == 0:
            (world.enable if esper.has_component(entity, Disabled) else world.disable)(entity)
        if turn % 7 == 0:
            if esper.has_component(entity, Mass):
                esper.remove_component(entity, Mass)
            else:
                esper.add_component(entity, Mass())
        world.step(DT)
        check(world)
        for each in pair:
            assert math.hypot(place(each).x, place(each).y) < 3.0


def test_what_rests_on_a_body_that_is_disabled_falls() -> None:
    world = new_world(sleep=True)
    floor(20)
    lower, upper = body(Shape.box(1, 1), 0, 0.5), body(Shape.box(1, 1), 0, 1.5)
    for _ in range(60):
        world.step(DT)
    world.disable(lower)
    for _ in range(60):
        world.step(DT)
    assert place(upper).y == pytest.approx(0.5, abs=0.02)
    assert motion(lower).y == pytest.approx(0.0, abs=1e-3)
    check(world)
