"""World: an esper world that is a simulation."""

import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.changes import WorldChanges
from ecs_physics.component_values import Kept
from ecs_physics.components import ROW_COMPONENTS, RowComponent, point, positive
from ecs_physics.contact_rules import WorldContactRules
from ecs_physics.contact_table import ContactTable
from ecs_physics.events import Events
from ecs_physics.islands import Islands
from ecs_physics.joint_queries import WorldJoints
from ecs_physics.joint_table import JointTable
from ecs_physics.kernels.bodies import clear_forces
from ecs_physics.kernels.compile import can_run_threads, warm_up
from ecs_physics.queries import WorldQueries
from ecs_physics.sensor_table import SensorTable
from ecs_physics.sleep import WorldSleep
from ecs_physics.snapshots import WorldSnapshots
from ecs_physics.stages import SUBSTEP_STAGES, Stage, run_in_turn
from ecs_physics.store import Store
from ecs_physics.systems.collision_detection import CollisionDetection
from ecs_physics.systems.contact_resolution import ContactResolution
from ecs_physics.systems.contact_rules import ContactRules
from ecs_physics.systems.continuous_collision import ContinuousCollision
from ecs_physics.systems.events import EventTelling
from ecs_physics.systems.gravity import Gravity
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.joints import Joints
from ecs_physics.systems.kinematic_ramps import KinematicRamps
from ecs_physics.systems.kinematic_targets import KinematicTargets
from ecs_physics.systems.placement import Placement
from ecs_physics.systems.render import RenderSystem
from ecs_physics.systems.sensors import SensorDetection, SensorStart
from ecs_physics.systems.sleeping import Sleeping
from ecs_physics.systems.substeps import Substeps
from ecs_physics.touching import Touching

_MOST_SUBSTEPS: Final = 1000
_serial = itertools.count(1)


class World(WorldChanges, WorldContactRules, WorldJoints, WorldQueries, WorldSleep, WorldSnapshots):
    """A simulation of the bodies in one esper world.

    Args:
        gravity: (x, y), m/s^2.
        substeps: substeps a step, 1 to 1000; more makes contacts stiffer and costs in proportion.
        threads: threads that kernels may use, 1 or 2; the results are the same bits.
        sleep: whether islands of resting bodies fall asleep, and cost nothing until they wake.
        name: of a new esper world to make, and to make current; None takes the current one.

    Raises:
        ValueError: for a bad argument, or where the esper world has a World already.

    `esper.process(dt)` in its esper world is one step, and so is `step(dt)` from anywhere.
    """

    def __init__(
        self,
        gravity: tuple[float, float] = (0.0, -9.81),
        substeps: int = 4,
        threads: int = 1,
        name: str | None = None,
        *,
        sleep: bool = True,
    ) -> None:
        super().__init__()
        self.gravity = gravity
        self.substeps = substeps
        self.threads = threads
        if name is not None and (not isinstance(name, str) or not name):
            raise ValueError(f"World name = {name!r}: give a text, or None for esper's current one")
        warm_up()
        before = esper.current_world
        if name is not None:
            esper.switch_world(name)
        self.name: str = esper.current_world
        self.store = Store()
        try:
            if Store.is_attached():
                raise ValueError(
                    f"the esper world {self.name!r} has a World already: close() that one, or "
                    'give this one a name of its own, World(name="...")'
                )
            self.store.attach()
        except ValueError:
            esper.switch_world(before)
            raise
        self.contact_table = ContactTable()
        self.events = Events()
        self.sensor_table = SensorTable()
        self.touching = Touching()
        self.sleeping = Islands(self._find_links, self._find_driven)
        self.sleep = sleep
        self.joint_table = JointTable(self.store)
        self.time = 0.0
        self.steps = 0
        self.closed = False
        self._is_inside = False
        self._kept: dict[type[Any], Kept] = {}
        self._systems: dict[Stage, tuple[Any, ...]] = dict.fromkeys(Stage, ())
        self._running: dict[Stage, tuple[Any, ...]] | None = None
        self._outer_worlds: list[str] = []
        self._processors = _StageProcessor.for_stages(self)
        self.render = RenderSystem(self)
        self._add_own_systems()

    # -- settings -------------------------------------------------------------------------

    @property
    def gravity(self) -> tuple[float, float]:
        """(x, y), m/s^2."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: tuple[float, float]) -> None:
        self._gravity = point(value, "World.gravity")

    @property
    def substeps(self) -> int:
        """Substeps a step."""
        return self._substeps

    @substeps.setter
    def substeps(self, value: int) -> None:
        self._substeps = _whole(value, "World.substeps", _MOST_SUBSTEPS)

    @property
    def threads(self) -> int:
        """Threads that kernels may use; 1 where Numba was told, or has found, to use only one."""
        return self._threads

    @threads.setter
    def threads(self, value: int) -> None:
        threads = _whole(value, "World.threads", 2)
        if threads > 1:
            warm_up(parallel=True)
        self._threads = threads if can_run_threads() else 1

    # -- stepping -------------------------------------------------------------------------

    def step(self, dt: float = 1.0 / 60.0) -> None:
        """Advance by `dt` seconds.

        Raises:
            ValueError: where dt is not above zero, or a column holds NaN or infinity.
            Exception: whatever a system raises, with a note that names it and its stage.
        """
        self._must_be_open()
        positive(dt, "dt")
        if self._is_inside:
            raise ValueError("step() inside a step: a system is already part of one")
        outside = esper.current_world
        if outside != self.name:
            esper.switch_world(self.name)
        self._is_inside = True
        try:
            esper.process(dt)
        finally:
            self._is_inside = False
            self._stop_step()
            if outside != self.name:
                esper.switch_world(outside)

    def add_system(self, system: esper.Processor, stage: Stage) -> None:
        """Let `system.process(dt)` run in `stage`, after the systems that are there.

        In CONTACT_RESOLUTION, SUBSTEP and INTEGRATION it gets the substep h instead. Added while
        a step runs, it runs from the next step on.

        Raises:
            ValueError: for something without a process method, or that is in the list already.
        """
        self._must_be_open()
        if isinstance(system, type) or not callable(getattr(system, "process", None)):
            raise ValueError(
                f"add_system({system!r}): give an instance with a process(dt) method, "
                "such as one of a subclass of esper.Processor"
            )
        if not isinstance(stage, Stage):
            raise ValueError(f"add_system(stage={stage!r}): give a Stage, such as Stage.FORCES")
        if any(system is each for systems in self._systems.values() for each in systems):
            raise ValueError(f"add_system({system!r}): it is part of this world already")
        self._systems = self._systems | {stage: (*self._systems[stage], system)}
        self.sleeping.stir_all(self.store)

    def remove_system(self, system: esper.Processor | type[Any]) -> None:
        """Take a system out of the step, given itself or its class (then all of that class).

        Raises:
            ValueError: where there is no such system.
        """
        self._must_be_open()
        known = [each for systems in self._systems.values() for each in systems]
        chosen = [each for each in known if each is system or type(each) is system]
        if not chosen and self._running is not None:
            leaving = [each for systems in self._running.values() for each in systems]
            if any(each is system or type(each) is system for each in leaving):
                return  # removed in this step already: it finishes the step
        if not chosen:
            names = ", ".join(sorted({type(each).__name__ for each in known}))
            raise ValueError(f"remove_system({system!r}): no such system; there are {names}")
        self._systems = {
            stage: tuple(each for each in systems if not any(each is gone for gone in chosen))
            for stage, systems in self._systems.items()
        }
        self.sleeping.stir_all(self.store)

    def systems(self, stage: Stage) -> tuple[Any, ...]:
        """The systems of a stage, in the order in which they run; in a step, those at its start."""
        return (self._systems if self._running is None else self._running)[stage]

    def _all_systems(self) -> list[tuple[Stage, Any]]:
        return [(stage, each) for stage, systems in self._systems.items() for each in systems]

    def reset(self) -> None:
        """Delete all entities of the esper world and set the time to zero.

        Systems and settings stay. What is then built again gives the same bits as in a new world.

        Raises:
            ValueError: inside a step.
        """
        self._must_be_open()
        if self._is_inside:
            raise ValueError("reset() inside a step: call it between steps")
        with self._current():
            esper.clear_database()
            self.store.adopt()
            self.store.detach()
            self.store = Store()
            self.store.attach()
        self.contact_table = ContactTable()
        self.contact_table.asks = self.contact_rules.filter is not None
        self.events = Events()
        self.sensor_table = SensorTable()
        self.touching = Touching()
        self.kinematic_targets.forget()
        self.kinematic_ramps = KinematicRamps(self)
        self.sleeping.forget()
        self.joint_table = JointTable(self.store)
        self.time = 0.0
        self.steps = 0

    def close(self) -> None:
        """Take all that is the World's own out of the esper world.

        Entities and other processors stay, and components keep their last values; a World made in
        the same esper world later finds those entities there.

        Raises:
            ValueError: inside a step.
        """
        if self.closed:
            return
        if self._is_inside:
            raise ValueError("close() inside a step: call it between steps")
        with self._current():
            for processor in self._processors:
                if processor in esper._processors:
                    esper._processors.remove(processor)
            if isinstance(esper._processors_dict.get(_StageProcessor), _StageProcessor):
                del esper._processors_dict[_StageProcessor]
            self.store.adopt()
            self.store.detach()
        self.closed = True

    def __enter__(self) -> Self:
        self._must_be_open()
        self._outer_worlds.append(esper.current_world)
        esper.switch_world(self.name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        esper.switch_world(self._outer_worlds.pop())

    # -- reading --------------------------------------------------------------------------

    def columns(self, component: type[RowComponent]) -> NDArray[Any]:
        """The values of a component, a row for each body: a view to read and to write.

        Rows of all components are aligned; `entity` is 0 in rows that have no such component.
        Good until the next step, or until entities are created or deleted.

        Raises:
            ValueError: for something that has no columns.
        """
        self._must_be_open()
        if component not in self.store.tables:
            names = ", ".join(each.__name__ for each in ROW_COMPONENTS)
            raise ValueError(f"columns({component!r}): these have columns: {names}")
        self.store.adopt()
        self.store.note_written(component)  # for all we know
        return self.store.tables[component].rows[: self.store.rows]

    @property
    def contacts(self) -> NDArray[Any]:
        """What touches, or nearly does, as of the last step: a structured array (a copy).

        Fields: entity_a, entity_b; count (points: 1 or 2); normal_x, normal_y (from A to B); and
        for each of two points x, y (m), separation (m, negative = overlap), normal_impulse and
        tangent_impulse (N s, over the whole step).
        """
        self._must_be_open()
        self.store.adopt()
        return self.contact_table.shown(self.store)

    def entities(self) -> list[int]:
        """The entities that are bodies, by id, which is the order in which they were created."""
        self._must_be_open()
        self.store.adopt()
        return self.store.entities()

    def hash(self) -> str:
        """A digest of the bits of all poses and velocities, in the order of the entities.

        Equal digests: equal simulations, to the last bit.
        """
        self._must_be_open()
        self.store.adopt()
        digest = hashlib.sha256()
        rows = [self.store.row_of(entity) for entity in self.store.entities()]
        for table, fields in (
            (self.store.transforms, ("x", "y", "angle")),
            (self.store.velocities, ("x", "y", "omega")),
        ):
            for field in fields:
                digest.update(np.ascontiguousarray(table[field][rows], "<f8").tobytes())
        return digest.hexdigest()

    # -- inside ---------------------------------------------------------------------------

    def _add_own_systems(self) -> None:
        sensor_start = SensorStart(self)
        self.contact_rules = ContactRules(self)
        self.kinematic_targets = KinematicTargets(self)
        self.kinematic_ramps = KinematicRamps(self)
        for system, stage in (
            (Joints(self), Stage.FORCES),
            (self.kinematic_targets, Stage.FORCES),
            (Placement(self), Stage.FORCES),
            (Gravity(self), Stage.FORCES),
            (CollisionDetection(self), Stage.COLLISION_DETECTION),
            (self.contact_rules, Stage.CONTACT_RULES),
            (sensor_start, Stage.CONTACT_RULES),
            (ContactResolution(self), Stage.CONTACT_RESOLUTION),
            (Integration(self), Stage.INTEGRATION),
            (ContinuousCollision(self), Stage.AFTER_STEP),
            (Sleeping(self), Stage.AFTER_STEP),
            (SensorDetection(self, sensor_start), Stage.AFTER_STEP),
            (EventTelling(self), Stage.AFTER_STEP),
            (self.render, Stage.RENDER),
        ):
            self._systems[stage] = (*self._systems[stage], system)

    def _begin_step(self, dt: float) -> None:
        positive(dt, "dt")
        self._stop_step()  # of a step that some other processor of this esper world has broken off
        self._running = self._systems  # a change makes another dict

    def _end_step(self, dt: float) -> None:
        self.time += dt
        self.steps += 1
        self._running = None
        self.store.let_go()

    def _stop_step(self) -> None:
        """Leave a step, be it finished or not: forces are of one step only."""
        if self._running is not None:
            clear_forces(self.store.rows, self.store.forces)
            self._running = None
            self.store.let_go()

    @contextmanager
    def _current(self) -> Iterator[None]:
        before = esper.current_world
        if before == self.name:
            yield
            return
        esper.switch_world(self.name)
        try:
            yield
        finally:
            esper.switch_world(before)

    def _must_be_open(self) -> None:
        if self.closed:
            raise ValueError(f"the World of esper world {self.name!r} is closed: make a new one")


class _StageProcessor(esper.Processor):
    """What esper runs for one stage: its systems, in order."""

    def __init__(self, world: World, stage: Stage, *, is_first: bool, is_last: bool) -> None:
        self.world = world
        self.stage = stage
        self.is_first = is_first
        self.is_last = is_last
        self.substeps = Substeps(world) if stage is Stage.CONTACT_RESOLUTION else None

    @classmethod
    def for_stages(cls, world: World) -> "list[_StageProcessor]":
        """Make the processors of all stages, and give them to the current esper world."""
        stages = [s for s in Stage if s is Stage.CONTACT_RESOLUTION or s not in SUBSTEP_STAGES]
        processors = [
            cls(world, stage, is_first=stage is stages[0], is_last=stage is stages[-1])
            for stage in stages
        ]
        for processor in processors:
            esper.add_processor(processor, priority=processor.stage.value)
        return processors

    def process(self, dt: float) -> None:
        world = self.world
        if self.is_first:
            world._begin_step(dt)
        outside = world._is_inside
        world._is_inside = True
        try:
            if self.substeps is not None:
                self._run_substeps(self.substeps, dt)
            elif systems := world.systems(self.stage):
                run_in_turn(systems, self.stage, dt)
        except BaseException:
            world._stop_step()
            raise
        finally:
            world._is_inside = outside
        if self.is_last:
            world._end_step(dt)

    def _run_substeps(self, substeps: Substeps, dt: float) -> None:
        ramps = self.world.kinematic_ramps
        ramps.begin(dt)
        try:
            substeps.process(dt)
        finally:
            ramps.end()


def _whole(value: Any, field: str, most: int) -> int:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not 1 <= value <= most:
        raise ValueError(f"{field} = {value!r}: give a whole number from 1 to {most}")
    return int(value)
