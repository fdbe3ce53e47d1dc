"""Substeps: the heart of the step, n times with h = dt / n."""

import esper

from ecs_physics.kernels.bodies import clear_forces, find_bad_force, write_poses
from ecs_physics.stages import Stage, run
from ecs_physics.systems.phases import Integrator, Resolution
from ecs_physics.systems.placement import refuse_force
from ecs_physics.systems.simulation import Simulation


class Substeps(esper.Processor):
    """Runs the systems of CONTACT_RESOLUTION, SUBSTEP and INTEGRATION in turn.

    Reads as the method does: velocities, solve, positions, relax.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def process(self, dt: float) -> None:
        """Run the substeps of a step of `dt` seconds."""
        simulation = self.simulation
        store = simulation.store
        if simulation.sleeping.is_calm and self._has_own_systems_only():
            return
        bad_row = find_bad_force(store.step_rows, store.forces)
        if bad_row >= 0:
            refuse_force(store, bad_row)
        h = dt / simulation.substeps
        resolutions = simulation.systems(Stage.CONTACT_RESOLUTION)
        inside = simulation.systems(Stage.SUBSTEP)
        integrations = simulation.systems(Stage.INTEGRATION)
        phased = [each for each in resolutions if isinstance(each, Resolution)]
        for system in integrations:
            if isinstance(system, Integrator):
                run(system, Stage.INTEGRATION, dt, h, phase="begin")
        for resolution in phased:
            run(resolution, Stage.CONTACT_RESOLUTION, dt, h, phase="begin")
        is_done = (
            not inside
            and len(resolutions) == len(phased) == 1
            and phased[0].run_all(integrations, simulation.substeps, h)
        )
        for _ in range(0 if is_done else simulation.substeps):
            if inside:
                write_poses(store.step_rows, store.bodies, store.transforms)
                for system in inside:
                    run(system, Stage.SUBSTEP, h)
            for system in integrations:
                if isinstance(system, Integrator):
                    run(system, Stage.INTEGRATION, h, phase="velocities")
            for system in resolutions:
                run(system, Stage.CONTACT_RESOLUTION, h)
            for system in integrations:
                run(system, Stage.INTEGRATION, h)
            for resolution in phased:
                run(resolution, Stage.CONTACT_RESOLUTION, h, phase="relax")
        for resolution in phased:
            run(resolution, Stage.CONTACT_RESOLUTION, phase="end")
        write_poses(store.step_rows, store.bodies, store.transforms)
        simulation.touching.renew(store, simulation.contact_table, simulation.events, h)
        clear_forces(store.step_rows, store.forces)

    def _has_own_systems_only(self) -> bool:
        """Whether no system of a user, which may do anything, takes part in the substeps."""
        simulation = self.simulation
        return not simulation.systems(Stage.SUBSTEP) and all(
            isinstance(each, (Resolution, Integrator))
            for stage in (Stage.CONTACT_RESOLUTION, Stage.INTEGRATION)
            for each in simulation.systems(stage)
        )
