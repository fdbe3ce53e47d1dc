"""What a body that wakes in the middle of a step is owed: the forces that it slept through."""

from ecs_physics.kernels.bodies import clear_forces
from ecs_physics.stages import Stage, run
from ecs_physics.systems.phases import ForcesOnAwake
from ecs_physics.systems.simulation import Simulation


def give_missed_forces(simulation: Simulation, dt: float) -> None:
    """Let the systems that leave sleeping bodies alone push those that have woken since.

    Without its weight, say, a body would be lifted by the impulses that its contacts remember. What
    other systems have given it in this step stays.
    """
    late = simulation.sleeping.take_late()
    if not len(late):
        return
    store = simulation.store
    store.step_rows = store.rows  # nothing was awake until now, perhaps
    given = store.forces[: store.rows].copy()
    clear_forces(store.rows, store.forces)
    for system in simulation.systems(Stage.FORCES):
        if isinstance(system, ForcesOnAwake):
            run(system, Stage.FORCES, dt)
    missed = store.forces[late]
    store.forces[: len(given)] = given
    for field in ("x", "y", "torque"):
        store.forces[field][late] += missed[field]
