"""TrialStates: the forces of any set of force systems at states that a body is not in (yet)."""

import numpy as np
from numpy.typing import NDArray

from ecs_physics.kernels.bodies import clear_forces
from ecs_physics.kernels.states import (
    accelerations,
    read_forces,
    read_state,
    write_forces,
    write_state,
)
from ecs_physics.stages import Stage, run
from ecs_physics.systems.placement import Placement
from ecs_physics.systems.simulation import Simulation

Rows = NDArray[np.float64]
"""(rows of the tables, 3): x, y and angle of each body, or their rates, or force and torque."""


class TrialStates:
    """Writes states into the tables, and lets the systems of Stage.FORCES say what they do there.

    What is in Force beside the work of those systems, because a user put it there before the step
    or a contact resolution since, stands for the whole step and is a constant part of all forces.
    The columns of Transform and Velocity and BODY show the state tried; boxes and contacts do not
    follow. `start` to `finish` leaves all tables as they were.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._constant: Rows = np.zeros((0, 3))
        self._standing: Rows = np.zeros((0, 3))
        self._poses: Rows = np.zeros((0, 3))
        self._motions: Rows = np.zeros((0, 3))

    def begin(self, dt: float) -> None:
        """Find the constant part, at the beginning of a step of `dt` seconds."""
        store = self.simulation.store
        self._standing = self._read_forces()
        clear_forces(store.step_rows, store.forces)
        self._run_systems(dt)
        self._constant = self._standing - self._read_forces()
        write_forces(store.step_rows, self._standing, store.forces)

    def start(self) -> tuple[Rows, Rows]:
        """The state at the beginning of a substep: poses and velocities."""
        store = self.simulation.store
        standing = self._read_forces()
        self._constant += standing - self._standing
        self._standing = standing
        self._transforms = store.transforms[: store.step_rows].copy()
        self._poses = np.empty((store.step_rows, 3))
        self._motions = np.empty((store.step_rows, 3))
        read_state(store.step_rows, store.bodies, store.velocities, self._poses, self._motions)
        return self._poses, self._motions

    def forces(self, poses: Rows, motions: Rows, h: float) -> Rows:
        """Forces (N) and torques (N m) at a state, for systems that ask over `h` seconds."""
        store = self.simulation.store
        write_state(
            store.step_rows, poses, motions, store.bodies, store.velocities, store.transforms
        )
        write_forces(store.step_rows, self._constant, store.forces)
        self._run_systems(h)
        return self._read_forces()

    def accelerations(
        self, poses: Rows, motions: Rows, h: float, *, with_damping: bool = True
    ) -> Rows:
        """Force by mass and torque by inertia at a state, less Damping times velocity."""
        store = self.simulation.store
        forces = self.forces(poses, motions, h)
        rates = np.empty((store.step_rows, 3))
        accelerations(
            store.step_rows, with_damping, forces, motions, store.bodies, store.dampings, rates
        )
        return rates

    def finish(self) -> None:
        """Put all tables back to where they were at `start`."""
        store = self.simulation.store
        rows = len(self._poses)
        write_state(
            rows, self._poses, self._motions, store.bodies, store.velocities, store.transforms
        )
        store.transforms[:rows] = self._transforms
        write_forces(rows, self._standing, store.forces)

    def _run_systems(self, h: float) -> None:
        for system in self.simulation.systems(Stage.FORCES):
            if not isinstance(system, Placement):
                run(system, Stage.FORCES, h)

    def _read_forces(self) -> Rows:
        store = self.simulation.store
        forces: Rows = np.empty((store.step_rows, 3))
        read_forces(store.step_rows, store.forces, forces)
        return forces
