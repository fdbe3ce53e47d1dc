"""Substeps: the heart of the step, n times with h = dt / n."""

from typing import Any, Final

import esper

from ecs_physics.kernels.bodies import clear_forces, find_bad_force, write_poses
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.stages import SUBSTEP_STAGES, Stage, run
from ecs_physics.systems.phases import Integrator, Resolution
from ecs_physics.systems.placement import refuse_force
from ecs_physics.systems.simulation import Simulation


class Substeps(esper.Processor):
    """Runs the systems of CONTACT_RESOLUTION, SUBSTEP and INTEGRATION in turn.

    Reads as the method does: velocities, solve, positions, relax.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._team = _Team((), (), ())
        self._find_bad_force = direct(find_bad_force)
        self._write_poses = direct(write_poses)
        self._clear_forces = direct(clear_forces)

    def process(self, dt: float) -> None:
        """Run the substeps of a step of `dt` seconds."""
        simulation = self.simulation
        store = simulation.store
        team = self._renew_team()
        if simulation.sleeping.is_calm and team.are_own:
            return
        bad_row = self._find_bad_force(store.step_rows, store.forces)
        if bad_row >= 0:
            refuse_force(store, bad_row)
        h = dt / simulation.substeps
        for system in team.integrators:
            run(system, Stage.INTEGRATION, dt, h, phase="begin")
        for resolution in team.phased:
            run(resolution, Stage.CONTACT_RESOLUTION, dt, h, phase="begin")
        if not self._run_all(team, h):
            for _ in range(simulation.substeps):
                self._run_one(team, h)
        for resolution in team.phased:
            run(resolution, Stage.CONTACT_RESOLUTION, phase="end")
        self._write_poses(store.step_rows, store.bodies, store.transforms)
        simulation.touching.renew(store, simulation.contact_table, simulation.events, h)
        self._clear_forces(store.step_rows, store.forces)

    def _renew_team(self) -> "_Team":
        resolutions, inside, integrations = map(self.simulation.systems, SUBSTEP_STAGES)
        team = self._team
        if (
            resolutions is not team.resolutions
            or inside is not team.inside
            or integrations is not team.integrations
        ):
            team = self._team = _Team(resolutions, inside, integrations)
        return team

    def _run_all(self, team: "_Team", h: float) -> bool:
        """Run all substeps in one call, if those who take part can do that."""
        if team.inside or not len(team.resolutions) == len(team.phased) == 1:
            return False
        return team.phased[0].run_all(team.integrations, self.simulation.substeps, h)

    def _run_one(self, team: "_Team", h: float) -> None:
        store = self.simulation.store
        if team.inside:
            self._write_poses(store.step_rows, store.bodies, store.transforms)
            for system in team.inside:
                run(system, Stage.SUBSTEP, h)
        for integrator in team.integrators:
            run(integrator, Stage.INTEGRATION, h, phase="velocities")
        for system in team.resolutions:
            run(system, Stage.CONTACT_RESOLUTION, h)
        for system in team.integrations:
            run(system, Stage.INTEGRATION, h)
        for resolution in team.phased:
            run(resolution, Stage.CONTACT_RESOLUTION, h, phase="relax")


class _Team:
    """Who takes part in the substeps, and in which phases of them.

    `are_own` says that no system of a user, which may do anything, is among them.
    """

    def __init__(
        self, resolutions: tuple[Any, ...], inside: tuple[Any, ...], integrations: tuple[Any, ...]
    ) -> None:
        self.resolutions: Final = resolutions
        self.inside: Final = inside
        self.integrations: Final = integrations
        self.phased: Final = [each for each in resolutions if isinstance(each, Resolution)]
        self.integrators: Final = [each for each in integrations if isinstance(each, Integrator)]
        self.are_own: Final = not inside and all(
            isinstance(each, (Resolution, Integrator)) for each in (*resolutions, *integrations)
        )
