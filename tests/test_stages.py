"""The order of a step, and the systems in it."""

from typing import Any

import esper
import pytest

from ecs_physics import Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.systems.gravity import Gravity

DT = 1.0 / 60.0
ORDER = [
    "BEFORE_STEP",
    "FORCES",
    "COLLISION_DETECTION",
    "CONTACT_RULES",
    "CONTACT_RESOLUTION",
    "SUBSTEP",
    "INTEGRATION",
    "AFTER_STEP",
    "RENDER",
]
ONCE_A_SUBSTEP = {Stage.CONTACT_RESOLUTION, Stage.SUBSTEP, Stage.INTEGRATION}


class Noting(esper.Processor):
    """Writes its name and dt into a list."""

    def __init__(self, notes: list, name: Any) -> None:
        self.notes = notes
        self.name = name

    def process(self, dt: float) -> None:
        self.notes.append((self.name, dt))


class Calling(esper.Processor):
    """Calls a function."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def process(self, dt: float) -> None:
        self.function()


def test_the_stages_stand_in_the_order_of_the_step() -> None:
    assert [stage.name for stage in Stage] == ORDER
    values = [stage.value for stage in Stage]
    assert values == sorted(values, reverse=True)


def test_the_step_runs_them_in_order_with_dt_or_h() -> None:
    world = World(substeps=3)
    notes: list = []
    for stage in reversed(Stage):
        world.add_system(Noting(notes, stage), stage)
    world.step(0.3)
    inside = [Stage.SUBSTEP, Stage.CONTACT_RESOLUTION, Stage.INTEGRATION]
    assert [stage for stage, _ in notes] == [
        Stage.BEFORE_STEP,
        Stage.FORCES,
        Stage.COLLISION_DETECTION,
        Stage.CONTACT_RULES,
        *inside * 3,
        Stage.AFTER_STEP,
        Stage.RENDER,
    ]
    for stage, dt in notes:
        assert dt == pytest.approx(0.1 if stage in ONCE_A_SUBSTEP else 0.3)


def test_systems_of_a_stage_run_in_the_order_in_which_they_came() -> None:
    world = World()
    notes: list = []
    systems = [Noting(notes, k) for k in range(5)]
    for system in systems:
        world.add_system(system, Stage.AFTER_STEP)
    world.remove_system(systems[2])
    world.add_system(systems[2], Stage.AFTER_STEP)
    world.step(DT)
    assert [name for name, _ in notes] == [0, 1, 3, 4, 2]
    assert world.systems(Stage.AFTER_STEP)[-1] is systems[2]


def test_a_plain_esper_processor_runs_between_stages_by_its_priority() -> None:
    world = World()
    notes: list = []
    for stage in Stage:
        if stage not in ONCE_A_SUBSTEP:
            world.add_system(Noting(notes, stage.name), stage)
    esper.add_processor(Noting(notes, "mine"), priority=650)
    esper.process(DT)
    names = [name for name, _ in notes]
    assert names.index("FORCES") < names.index("mine") < names.index("COLLISION_DETECTION")


def test_any_object_with_a_process_method_is_a_system() -> None:
    class Plain:
        seen = 0.0

        def process(self, dt: float) -> None:
            self.seen = dt

    world = World()
    plain = Plain()
    world.add_system(plain, Stage.BEFORE_STEP)
    world.step(DT)
    assert plain.seen == DT


@pytest.mark.parametrize("wrong", [Noting, None, 3, object()])
def test_what_cannot_process_is_refused(wrong: Any) -> None:
    world = World()
    with pytest.raises(ValueError, match=r"give an instance with a process\(dt\) method"):
        world.add_system(wrong, Stage.AFTER_STEP)


@pytest.mark.parametrize("wrong", ["AFTER_STEP", 300, None])
def test_what_is_no_stage_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"give a Stage, such as Stage\.FORCES"):
        World().add_system(Noting([], 0), wrong)


def test_a_system_is_part_of_a_world_once() -> None:
    world = World()
    system = Noting([], 0)
    world.add_system(system, Stage.AFTER_STEP)
    with pytest.raises(ValueError, match="is part of this world already"):
        world.add_system(system, Stage.FORCES)


def test_systems_go_by_themselves_or_by_class() -> None:
    world = World()
    notes: list = []
    first, second, third = (Noting(notes, k) for k in range(3))
    for each in (first, second, third):
        world.add_system(each, Stage.AFTER_STEP)
    world.remove_system(second)
    world.step(DT)
    assert [name for name, _ in notes] == [0, 2]
    world.remove_system(Noting)
    world.step(DT)
    assert len(notes) == 2
    with pytest.raises(ValueError, match=r"no such system; there are .*Gravity.*Integration"):
        world.remove_system(Noting)


def test_own_systems_can_go_and_come_back() -> None:
    world = World()
    ball = esper.create_entity(Transform(), Velocity(), Shape.circle(0.5), Mass())
    world.remove_system(Gravity)
    world.step(DT)
    assert esper.component_for_entity(ball, Velocity).y == 0.0
    world.add_system(Gravity(world), Stage.FORCES)
    world.step(DT)
    assert esper.component_for_entity(ball, Velocity).y == pytest.approx(-9.81 * DT)


# Changes while a step runs


@pytest.mark.parametrize("stage", list(Stage), ids=lambda stage: stage.name)
def test_a_system_added_during_a_step_runs_from_the_next_one(stage: Stage) -> None:
    world = World()
    notes: list = []
    newcomer = Noting(notes, "new")
    added: list[int] = []

    def add() -> None:
        if not added:
            added.append(1)
            world.add_system(newcomer, Stage.RENDER)
            world.add_system(Noting(notes, "inside"), Stage.INTEGRATION)

    world.add_system(Calling(add), stage)
    world.step(DT)
    assert notes == []
    world.step(DT)
    assert [name for name, _ in notes] == ["inside"] * 4 + ["new"]


@pytest.mark.parametrize("stage", list(Stage), ids=lambda stage: stage.name)
def test_a_system_removed_during_a_step_finishes_it(stage: Stage) -> None:
    world = World()
    notes: list = []
    goes = Noting(notes, "goes")
    remover = Calling(lambda: goes in world.systems(Stage.RENDER) and world.remove_system(goes))
    world.add_system(remover, stage)
    world.add_system(goes, Stage.RENDER)
    world.step(DT)
    assert len(notes) == 1
    world.step(DT)
    assert len(notes) == 1


def test_a_system_may_remove_itself() -> None:
    world = World()
    once = Calling(lambda: world.remove_system(once))
    notes: list = []
    world.add_system(once, Stage.BEFORE_STEP)
    world.add_system(Noting(notes, "after"), Stage.BEFORE_STEP)
    world.step(DT)
    world.step(DT)
    assert len(notes) == 2
    assert once not in world.systems(Stage.BEFORE_STEP)


def test_a_system_added_twice_during_a_step_is_refused_as_between_steps() -> None:
    world = World()
    notes: list = []
    newcomer = Noting(notes, "new")
    refused: list[str] = []

    def add_twice() -> None:
        if newcomer in world.systems(Stage.AFTER_STEP):
            return
        world.add_system(newcomer, Stage.AFTER_STEP)
        try:
            world.add_system(newcomer, Stage.AFTER_STEP)
        except ValueError as error:
            refused.append(str(error))

    world.add_system(Calling(add_twice), Stage.BEFORE_STEP)
    world.step(DT)
    world.step(DT)
    assert len(notes) == 1
    assert len(refused) == 1


def test_a_system_may_change_its_stage_from_inside() -> None:
    world = World()
    moved: list[int] = []

    def move() -> None:
        if not moved:
            moved.append(1)
            world.remove_system(mover)
            world.add_system(mover, Stage.AFTER_STEP)

    mover = Calling(move)
    world.add_system(mover, Stage.BEFORE_STEP)
    world.step(DT)
    assert world.systems(Stage.AFTER_STEP)[-1] is mover
    assert world.systems(Stage.BEFORE_STEP) == ()


# Exceptions


def failing(times: int = 1) -> Calling:
    """A system that raises in its first calls."""
    left = [times]

    def fail() -> None:
        if left[0]:
            left[0] -= 1
            raise ZeroDivisionError("by zero")

    return Calling(fail)


@pytest.mark.parametrize("by_esper", [False, True], ids=["step", "process"])
@pytest.mark.parametrize("stage", list(Stage), ids=lambda stage: stage.name)
def test_an_exception_carries_a_note_and_the_next_step_is_as_ever(
    stage: Stage, by_esper: bool
) -> None:
    world = World()
    ball = esper.create_entity(Transform(), Velocity(), Shape.circle(0.5), Mass())
    velocity = esper.component_for_entity(ball, Velocity)
    world.add_system(failing(), stage)
    advance = esper.process if by_esper else world.step
    with pytest.raises(ZeroDivisionError, match="by zero") as caught:
        advance(DT)
    assert caught.value.__notes__ == [f"raised by the system Calling in Stage.{stage.name}"]
    assert world.time == 0.0
    before = velocity.y  # what the step had done by then stays
    for _ in range(3):
        advance(DT)
    assert velocity.y - before == pytest.approx(-9.81 * 3 * DT)
    assert world.time == pytest.approx(3 * DT)


@pytest.mark.parametrize("stage", list(Stage), ids=lambda stage: stage.name)
def test_a_body_whose_first_step_failed_still_lands(stage: Stage) -> None:
    """Its pairs were not searched in that step: they must be in the next one."""
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    ball = esper.create_entity(Transform(0, 0.5), Velocity(), Shape.circle(0.5), Mass())
    world.add_system(failing(), stage)
    with pytest.raises(ZeroDivisionError):
        world.step(DT)
    for _ in range(60):
        world.step(DT)
        assert esper.component_for_entity(ball, Transform).y > 0.49


def test_changes_made_before_an_exception_are_not_lost() -> None:
    world = World()
    notes: list = []
    added: list[int] = []

    def add_and_fail() -> None:
        if not added:
            added.append(1)
            world.add_system(Noting(notes, "new"), Stage.AFTER_STEP)
            raise RuntimeError

    world.add_system(Calling(add_and_fail), Stage.FORCES)
    with pytest.raises(RuntimeError):
        world.step(DT)
    world.step(DT)
    assert len(notes) == 1


def test_the_esper_world_is_switched_back_after_an_exception(esper_world: str) -> None:
    world = World(name="failing world")
    world.add_system(failing(), Stage.SUBSTEP)
    esper.switch_world(esper_world)
    with pytest.raises(ZeroDivisionError):
        world.step(DT)
    assert esper.current_world == esper_world


def test_a_foreign_processor_that_raises_leaves_the_world_usable() -> None:
    world = World()
    esper.add_processor(failing(), priority=650)
    with pytest.raises(ZeroDivisionError):
        world.step(DT)
    world.reset()
    world.step(DT)
    assert world.steps == 1
