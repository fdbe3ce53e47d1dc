"""ContactResolution: the production solver, soft contacts in coloured blocks of eight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_physics.constants import CONTACT_CYCLES_PER_SUBSTEP
from ecs_physics.kernels.barrier import SIZE
from ecs_physics.kernels.blocks import COLORS, FIELDS, LANES
from ecs_physics.kernels.compile import JIT_OFF, warm_up
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.fill_blocks import SIDES
from ecs_physics.kernels.impacts import HIT, hit, rebound
from ecs_physics.kernels.joint_pins_wide import solve_pins_wide, warm_start_pins_wide
from ecs_physics.kernels.joint_row_lanes import refresh_rows
from ecs_physics.kernels.joint_rows_wide import solve_rows_wide, warm_start_rows_wide
from ecs_physics.kernels.prepare_contacts import prepare_contacts
from ecs_physics.kernels.soft_step import soft_step
from ecs_physics.kernels.soft_step_with_joints import soft_step_with_joints
from ecs_physics.kernels.solver_bodies import (
    MOTION_ROWS,
    follow_motion,
    give_velocities,
    take_velocities,
)
from ecs_physics.kernels.store_impulses import store_impulses
from ecs_physics.kernels.two_threads import FEWEST_ROWS_FOR_THREADS, soft_step_on_two
from ecs_physics.kernels.wide_contact import solve_contacts_wide, warm_start_wide
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.phases import Resolution
from ecs_physics.systems.simulation import Simulation


class ContactResolution(Resolution):
    """Soft step: warm start and solve, then relax; restitution played inside the substep.

    `wide` chooses the kernels: eight contacts at a time, or their plain twins, which lead to the
    same bits. By default the plain ones only run where there is no JIT.
    """

    def __init__(self, simulation: Simulation, *, wide: bool = not JIT_OFF) -> None:
        self.simulation = simulation
        self.wide = wide
        self._kernels = _Kernels.wide() if wide else _Kernels.plain()
        self._prepare_contacts = direct(prepare_contacts)
        self._soft_step = direct(soft_step)
        self._store_impulses = direct(store_impulses)
        self._block_count = 0
        self._bouncy_count = 0
        self._in_order = False
        self._made_for: tuple[Any, ...] = ()
        self._starts = np.zeros(COLORS + 1, np.int32)
        self._shared = np.zeros(SIZE, np.int64)
        self._lanes_taken = np.zeros((2, COLORS), np.int32)
        self._make_body_rows(64)
        self._make_contact_rows(64)
        self._make_blocks(64)

    def begin(self, dt: float, h: float) -> None:
        """Colour this step's contacts, fill the blocks, note where the bodies are."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        self._in_order = False
        if len(self._copies) <= len(store.bodies):
            self._make_body_rows(len(store.bodies))
        if len(self._colors) < contacts.active_count:
            self._make_contact_rows(len(contacts.active))
        made_for = (store, store.version, contacts.drops)
        are_same = made_for == self._made_for
        self._made_for = made_for
        self._bouncy_count = self._prepare(h, are_same)
        if self._bouncy_count < 0:
            self._make_blocks(int(self._starts[COLORS]))
            self._bouncy_count = self._prepare(h, False)
        self._kept_count = contacts.active_count
        self._block_count = int(self._starts[COLORS])
        changes = self.simulation.sleeping.changes
        self.simulation.joint_table.prepare(dt, h, self._masses, changes)

    def _prepare(self, h: float, are_same: bool) -> int:
        store = self.simulation.store
        contacts = self.simulation.contact_table
        bouncy_count: int = self._prepare_contacts(
            store.step_rows,
            contacts.active_count,
            contacts.active,
            self._kept_count,
            are_same,
            h,
            CONTACT_CYCLES_PER_SUBSTEP / h,
            store.bodies,
            store.pool.lane_parts,
            contacts.rows,
            self._used,
            self._kept,
            self._colors,
            self._starts,
            self._lanes_taken,
            self._lanes,
            self._bouncy,
            self._rows,
            self._blocks,
            self._poses,
            self._copies,
            self._masses,
        )
        return bouncy_count

    def process(self, h: float) -> None:
        """Bounce what meets in this substep, then warm start and solve."""
        store = self.simulation.store
        if self._bouncy_count:
            hit(
                self._bouncy_count,
                h,
                self._bouncy,
                store.bodies,
                store.parts,
                store.forces,
                self.simulation.contact_table.rows,
                store.velocities,
                self._motions,
                self._copies,
                self._hits,
            )
        if self._has_work():
            self._take()
            self._warm_start()
            self._in_order = not self._in_order
            self._solve(True, self._in_order, h)
            self._give()
            if self.simulation.joint_table.is_wild:
                self.simulation.joint_table.bound()

    def relax(self, h: float) -> None:
        """Solve without pushing out, at the new positions; bounced bodies take off."""
        if not self._has_work():
            return
        store = self.simulation.store
        follow_motion(
            store.step_rows,
            store.bodies,
            store.velocities,
            self._poses,
            self._motions,
            self._copies,
        )
        if self._bouncy_count:
            rebound(
                self._bouncy_count,
                self._bouncy,
                store.bodies,
                store.parts,
                self.simulation.contact_table.rows,
                store.velocities,
                self._motions,
                self._copies,
                self._hits,
            )
        axes = self.simulation.joint_table.axes
        if axes.count:
            refresh_rows(
                0, axes.count, axes.table, store.bodies, self._copies, axes.rows, axes.lanes
            )
        self._solve(False, not self._in_order, h)
        self._give()

    def run_all(self, integrations: Sequence[Any], substeps: int, h: float) -> bool:
        """All substeps in one kernel call, where the integration is the production one too."""
        if not self.wide or [type(each) for each in integrations] != [Integration]:
            return False
        if self.simulation.joint_table.is_wild:
            return False
        store = self.simulation.store
        if self.simulation.threads > 1 and store.step_rows >= FEWEST_ROWS_FOR_THREADS:
            self._run_on_two(substeps, h)
            return True
        joints = self._joint_arrays()
        step = direct(soft_step_with_joints) if joints else self._soft_step
        step(
            substeps,
            h,
            store.step_rows,
            store.forces,
            store.dampings,
            store.parts,
            store.bodies,
            store.velocities,
            self._bouncy_count,
            self._bouncy,
            self.simulation.contact_table.rows,
            self._hits,
            self._block_count,
            self._rows,
            self._blocks,
            *joints,
            self._motions,
            self._copies,
        )
        return True

    def _run_on_two(self, substeps: int, h: float) -> None:
        store = self.simulation.store
        soft_step_on_two(
            substeps,
            h,
            store.step_rows,
            store.forces,
            store.dampings,
            store.parts,
            store.bodies,
            store.velocities,
            self._bouncy_count,
            self._bouncy,
            self.simulation.contact_table.rows,
            self._hits,
            self._starts,
            self._rows,
            self._blocks,
            *self._joint_arrays(even_none=True),
            self._motions,
            self._copies,
            self._shared,
        )

    def end(self) -> None:
        """Store the impulses: the next step starts from them, and the contact table shows them."""
        contacts = self.simulation.contact_table
        self._store_impulses(
            self._block_count, self._lanes, self._rows, self._blocks, contacts.rows
        )
        self.simulation.joint_table.finish()
        broken = self.simulation.joint_table.broken
        if len(broken):
            self.simulation.events.note_joint_break(
                broken["entity"], broken["force"], broken["torque"]
            )

    def _has_work(self) -> bool:
        joints = self.simulation.joint_table
        return self._block_count > 0 or joints.pins.count > 0 or joints.axes.count > 0

    def _joint_arrays(self, *, even_none: bool = False) -> tuple[Any, ...]:
        pins, axes = self.simulation.joint_table.pins, self.simulation.joint_table.axes
        if not (pins.count or axes.count or even_none):
            return ()
        return (
            pins.starts,
            pins.rows,
            pins.is_soft,
            pins.lanes,
            axes.starts,
            axes.rows,
            axes.lanes,
            axes.table,
        )

    def _take(self) -> None:
        store = self.simulation.store
        take_velocities(
            store.step_rows, store.bodies, store.velocities, self._motions, self._copies
        )

    def _give(self) -> None:
        store = self.simulation.store
        give_velocities(
            store.step_rows, store.bodies, self._motions, self._copies, store.velocities
        )

    def _warm_start(self) -> None:
        kernels = self._kernels
        pins, axes = self.simulation.joint_table.pins, self.simulation.joint_table.axes
        if axes.count:
            kernels.warm_start_rows(0, axes.count, self._copies, axes.rows, axes.lanes)
        if pins.count:
            kernels.warm_start_pins(0, pins.count, self._copies, pins.rows, pins.lanes)
        kernels.warm_start(0, self._block_count, self._copies, self._rows, self._blocks)

    def _solve(self, use_bias: bool, in_order: bool, h: float) -> None:
        kernels = self._kernels
        pins, axes = self.simulation.joint_table.pins, self.simulation.joint_table.axes
        if axes.count:
            kernels.solve_rows(
                0, axes.count, use_bias, 1.0 / h, self._copies, axes.rows, axes.lanes
            )
        if pins.count:
            kernels.solve_pins(
                0,
                pins.count,
                use_bias,
                h,
                self._copies,
                pins.rows,
                pins.is_soft,
                pins.lanes,
            )
        kernels.solve_contacts(
            0,
            self._block_count,
            use_bias,
            in_order,
            1.0 / h,
            self._copies,
            self._rows,
            self._blocks,
        )

    def _make_body_rows(self, capacity: int) -> None:
        self._copies: NDArray[np.float32] = np.zeros((capacity + 1, 8), np.float32)
        self._masses: NDArray[np.float32] = np.zeros((capacity + 1, 8), np.float32)
        self._poses: NDArray[np.float64] = np.zeros((capacity, 3))
        self._motions: NDArray[np.float64] = np.zeros((MOTION_ROWS * capacity, 4))
        self._used: NDArray[Any] = np.zeros(capacity, np.uint32)

    def _make_contact_rows(self, capacity: int) -> None:
        self._colors: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._kept: NDArray[np.int32] = np.zeros((capacity, 4), np.int32)
        self._kept_count = -1
        self._bouncy: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self._hits: NDArray[Any] = np.zeros(capacity, HIT)

    def _make_blocks(self, least: int) -> None:
        capacity = 1 << (least - 1).bit_length()
        self._kept_count = -1
        self._lanes: NDArray[np.int32] = np.zeros((capacity, LANES), np.int32)
        self._rows: NDArray[np.int32] = np.zeros((capacity, SIDES, LANES), np.int32)
        self._blocks: NDArray[np.float32] = np.zeros((capacity, FIELDS, LANES), np.float32)


@dataclass(frozen=True)
class _Kernels:
    """What warm starts and solves. Plain twins are compiled only where somebody wants them."""

    warm_start: Any
    solve_contacts: Any
    warm_start_rows: Any
    solve_rows: Any
    warm_start_pins: Any
    solve_pins: Any

    @classmethod
    def wide(cls) -> "_Kernels":
        """Eight at a time."""
        return cls(
            warm_start_wide,
            solve_contacts_wide,
            warm_start_rows_wide,
            solve_rows_wide,
            warm_start_pins_wide,
            solve_pins_wide,
        )

    @classmethod
    def plain(cls) -> "_Kernels":
        """One after the other."""
        from ecs_physics.kernels.joint_pins import solve_pins, warm_start_pins
        from ecs_physics.kernels.joint_rows import solve_rows, warm_start_rows
        from ecs_physics.kernels.soft_contact import solve_contacts, warm_start

        warm_up()
        return cls(
            warm_start, solve_contacts, warm_start_rows, solve_rows, warm_start_pins, solve_pins
        )
