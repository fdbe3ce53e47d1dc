"""JointTable: the joints of a world, their constraints as the solver reads them, their impulses."""

import math
from typing import Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.contact_table import ContactTable
from ecs_physics.joint_row import Joint
from ecs_physics.joints import KINDS
from ecs_physics.kernels.blocks import COLORS, LANES
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.direct_calls import direct
from ecs_physics.kernels.joint_bounds import bound_speeds
from ecs_physics.kernels.joint_lists import (
    DISTANCE,
    GEAR,
    IMPULSES,
    JOINT,
    MOST_ROWS,
    PIN,
    PULLEY,
    RATCHET,
    ROPE,
    ROW,
    color_pairs,
    deal_lanes,
    list_all_rows,
    list_pins,
    load_impulses,
    renew_activity,
    save_impulses,
)
from ecs_physics.kernels.joint_pin_lanes import PIN_FIELDS, add_pin_forces, fill_pins, frame_pins
from ecs_physics.kernels.joint_row_fields import ROW_FIELDS
from ecs_physics.kernels.joint_row_lanes import add_row_forces, fill_rows, frame_rows
from ecs_physics.state import State, array, fill
from ecs_physics.store import Store
from ecs_physics.tables import DYNAMIC
from ecs_physics.traits import Disabled

_FIRST_CAPACITY: Final = 16

BREAK: Final = np.dtype([("entity", "i8"), ("force", "f8"), ("torque", "f8")])
"""A joint that broke: its entity, and the force (N) and torque (N m) that it had to bear."""

_NONE_BROKEN: Final = np.zeros(0, BREAK)


JOINTS: Final = np.dtype(
    [
        ("entity", "i8"),
        ("body_a", "i8"),
        ("body_b", "i8"),  # 0: the world
        ("ax", "f8"),  # m, the anchor on A in the world
        ("ay", "f8"),
        ("bx", "f8"),  # m, that on B
        ("by", "f8"),
        ("force_x", "f8"),  # N, on A, the mean over the last step
        ("force_y", "f8"),
        ("torque", "f8"),  # N m, on A about its anchor
    ]
)
"""What `World.joints` shows of the joints that do not rest."""


class Lanes:
    """Constraints of one kind, coloured and dealt to lanes.

    `table` holds them in the order of the lanes, eight a block; `rows` (blocks, 2, 8) are the
    solver's bodies, `lanes` (blocks, fields, 8) what it computes with. `starts` is the first block
    of each colour, `count` the number of blocks. `is_soft` says so of each block (pins alone).
    """

    def __init__(self, dtype: np.dtype[Any], fields: int) -> None:
        self.dtype = dtype
        self.fields = fields
        self.starts = np.zeros(COLORS + 1, np.int32)
        self.count = 0
        self.table: NDArray[Any] = np.zeros(0, dtype)
        self._taken = np.zeros(COLORS, np.int32)
        self._make_blocks(1)

    def clear(self) -> None:
        """Hold nothing."""
        self.starts[:] = 0
        self.count = 0

    def deal(self, given: NDArray[Any], bodies: NDArray[Any], used: NDArray[Any]) -> None:
        """Colour these constraints and put them into lanes. `used` is scratch, one a body."""
        pairs = np.zeros((len(given), 2), np.int32)
        for side, name in enumerate(("row_a", "row_b")):
            rows = given[name]
            moves = (rows >= 0) & (bodies["kind"][rows] == DYNAMIC)
            pairs[:, side] = np.where(moves, rows, -1)
        colors = np.zeros(len(given), np.int32)
        places = np.zeros(len(given), np.int32)
        self.count = int(color_pairs(len(given), pairs, used, colors, self.starts))
        deal_lanes(len(given), colors, self.starts, self._taken, places)
        if self.count > len(self.lanes):
            self._make_blocks(self.count)
        self.table["joint"] = -1
        self.table[places] = given

    def _make_blocks(self, least: int) -> None:
        capacity = 1 << (least - 1).bit_length()
        self.table = np.zeros(capacity * LANES, self.dtype)
        self.rows: NDArray[np.int32] = np.zeros((capacity, 2, LANES), np.int32)
        self.lanes: NDArray[np.float32] = np.zeros((capacity, self.fields, LANES), np.float32)
        self.is_soft: NDArray[np.uint8] = np.zeros(capacity, np.uint8)


class JointTable:
    """Rows of JOINT, a row for each joint; `rows[:count]` have been in use.

    `impulses[row]` are those of the last substep, as far as they do not lie in the lanes; `broken`
    lists the joints that broke in the last step. `links` are the rows of the bodies that joints
    tie, -1 for the world, and `driven` those of bodies that a motor is to move; what comes, goes or
    changes stirs its bodies. `is_wild` says that some were too fast after the last step: then their
    speeds are bounded in each substep.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.rows: NDArray[Any] = np.zeros(_FIRST_CAPACITY, JOINT)
        self.impulses = np.zeros((_FIRST_CAPACITY, IMPULSES))
        self.forces = np.zeros((_FIRST_CAPACITY, 3))
        self.count = 0
        self.pins = Lanes(PIN, PIN_FIELDS)
        self.axes = Lanes(ROW, ROW_FIELDS)
        self.broken: NDArray[Any] = _NONE_BROKEN
        self.links: NDArray[np.int32] = np.zeros((0, 2), np.int32)
        self.driven: NDArray[np.int32] = np.zeros(0, np.int32)
        self._active = np.zeros(_FIRST_CAPACITY, np.uint8)
        self._joints: list[Joint | None] = [None] * _FIRST_CAPACITY
        self._rows_of: dict[int, list[int]] = {}
        self._free: list[int] = []
        self._is_listed = True
        self._is_stale = False
        self.is_wild = False
        self._solved: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._is_excluding = True
        self._version = -1
        self._adoptions = -1
        self._any_rests = False
        self._changes = -1
        self._framed_for = (math.nan, 0)
        self._any_is_weak = False
        self._dt = math.nan
        self._are_forces_new = True
        self._made = (np.zeros(0, PIN), np.zeros(0, ROW))

    # -- who is there ---------------------------------------------------------------------

    def adopt(self, contacts: ContactTable) -> None:
        """Bring the rows in step with the joints and bodies that came, went or changed.

        To be called in the esper world, before bodies are placed. A joint of which a body was
        deleted is taken away: its entity is deleted or, where that has other components, loses it.

        Raises:
            ValueError: for a joint between entities that are no bodies.
        """
        store = self._store
        self.broken = _NONE_BROKEN
        while store.joint_changes:
            changed = sorted(store.joint_changes)
            store.joint_changes.clear()
            self._unlist()
            for entity in changed:
                self._sync(entity)
            self._version = -1
            self._find_bodies()
        # A body that rests is none to the store, which does not say when its entity is deleted.
        may_be_gone = self._any_rests and store.adoptions != self._adoptions
        if store.version != self._version or may_be_gone:
            self._find_bodies()
            if store.joint_changes:
                self.adopt(contacts)
                return
        if not self._is_excluding:
            self._exclude(contacts)

    def note(self, row: int) -> None:
        """Have the constraints made anew for the next step: a value of this joint was written."""
        self._is_stale = True
        self._is_excluding = False
        self._touch(row)

    def rows_of(self, entity: int) -> list[int]:
        """The rows of an entity's joints."""
        return self._rows_of.get(entity, [])

    def force_of(self, row: int) -> tuple[float, float, float]:
        """Force (N) and torque (N m) on A, the mean over the last step."""
        self._add_forces()
        x, y, torque = self.forces[row].tolist()
        return x, y, torque

    def shown(self) -> NDArray[Any]:
        """The joints that do not rest, as `World.joints` shows them: a copy."""
        self._add_forces()
        rows = self.rows[: self.count]
        chosen = np.flatnonzero((rows["entity"] != 0) & ~rows["rests"] & (rows["row_a"] >= 0))
        rows = rows[chosen]
        table = np.zeros(len(rows), JOINTS)
        for field in ("entity", "body_a", "body_b"):
            table[field] = rows[field]
        for side in "ab":
            at: Any = self._store.transforms[rows[f"row_{side}"]]
            is_body = rows[f"row_{side}"] >= 0
            x, y = rows[f"anchor_{side}x"], rows[f"anchor_{side}y"]
            cos, sin = np.cos(at["angle"]), np.sin(at["angle"])
            table[f"{side}x"] = np.where(is_body, at["x"] + cos * x - sin * y, x)
            table[f"{side}y"] = np.where(is_body, at["y"] + sin * x + cos * y, y)
        turns_alone = np.isin(rows["type"], (GEAR, RATCHET)) & (rows["row_b"] < 0)
        for axis in "xy":  # the world turns about no place of its own
            table[f"b{axis}"][turns_alone] = table[f"a{axis}"][turns_alone]
        for column, field in enumerate(("force_x", "force_y", "torque")):
            table[field] = self.forces[chosen, column]
        return table

    def _sync(self, entity: int) -> None:
        held: tuple[Any, ...] = ()
        if esper.entity_exists(entity):
            held = esper.components_for_entity(entity)
        current = [each for each in held if isinstance(each, Joint)]
        for row in list(self.rows_of(entity)):
            if not any(each._table is self and each._row == row for each in current):
                self._free_row(entity, row)
        for joint in sorted(current, key=lambda each: each.TYPE):
            if joint._table is not self:
                self._take_row(entity, joint)

    def _take_row(self, entity: int, joint: Joint) -> None:
        joint.check_owner(entity, self)
        if self._free:
            row = self._free.pop()
        else:
            row = self.count
            if row == len(self.rows):
                self._grow()
            self.count += 1
        joint.bind(self, row, entity)
        self.impulses[row] = 0.0
        self.forces[row] = 0.0
        self._joints[row] = joint
        self._rows_of.setdefault(entity, []).append(row)
        self._is_excluding = False

    def _free_row(self, entity: int, row: int) -> None:
        self._touch(row)
        self._joints[row] = None
        self.rows[row] = np.zeros(1, JOINT)[0]
        self._free.append(row)
        self._is_excluding = False
        rows = self._rows_of[entity]
        rows.remove(row)
        if not rows:
            del self._rows_of[entity]

    def _touch(self, row: int) -> None:
        """Let the bodies of a joint not sleep on."""
        for body_row in (int(self.rows["row_a"][row]), int(self.rows["row_b"][row])):
            if body_row >= 0:
                self._store.stirred.add(body_row)

    def _grow(self) -> None:
        more = len(self.rows)
        self.rows = np.concatenate([self.rows, np.zeros(more, JOINT)])
        self.impulses = np.concatenate([self.impulses, np.zeros((more, IMPULSES))])
        self.forces = np.concatenate([self.forces, np.zeros((more, 3))])
        self._active = np.concatenate([self._active, np.zeros(more, np.uint8)])
        self._joints.extend([None] * more)
        for row, joint in enumerate(self._joints):
            if joint is not None:
                joint._record = self.rows[row]

    def _find_bodies(self) -> None:
        """Look up the bodies' rows where they are no longer right."""
        store = self._store
        self._version = store.version
        self._adoptions = store.adoptions
        self._any_rests = False
        if not self.count:
            return
        self._unlist()
        rows = self.rows[: self.count]
        is_right = ~rows["rests"]
        for row_name, name in (("row_a", "body_a"), ("row_b", "body_b")):
            there = store.bodies["entity"][rows[row_name]]
            is_right &= (rows[name] == 0) | ((rows[row_name] >= 0) & (there == rows[name]))
        for row in np.flatnonzero((rows["entity"] != 0) & ~is_right).tolist():
            self._find_bodies_of(row)
        there = (rows["entity"] != 0) & ~rows["rests"]
        self._any_rests = bool(rows["rests"].any())
        self.links = np.stack((rows["row_a"][there], rows["row_b"][there]), axis=1)

    def _find_bodies_of(self, row: int) -> None:
        store = self._store
        joint: Any = self.rows[row]
        entity = int(joint["entity"])
        is_new = joint["row_a"] < 0 and not joint["rests"]
        joint["rests"] = False
        self._is_excluding = False
        for row_name, name in (("row_a", "body_a"), ("row_b", "body_b")):
            body = int(joint[name])
            joint[row_name] = -1
            if body == 0:
                continue
            if not esper.entity_exists(body):
                self._take_away(entity, row)
                return
            try:
                joint[row_name] = store.row_of(body)
            except KeyError:
                joint["rests"] = True
                if is_new and body not in store.changed and not _is_disabled(body):
                    kind = type(self._joints[row]).__name__
                    raise ValueError(
                        f"{kind}.{name} = {body} of entity {entity} is no body: give that entity "
                        "a Transform and a Shape, or Velocity and Mass(mass=...)"
                    ) from None
        self._touch(row)
        if joint["rests"]:
            self.forces[row] = 0.0
        else:
            _see(joint, store)

    def _take_away(self, entity: int, row: int) -> None:
        """Remove a joint from esper, unless it has just gone; the store then tells of it."""
        joint = self._joints[row]
        if joint is None or joint._table is not self:
            return
        if len(esper.components_for_entity(entity)) == 1:
            esper.delete_entity(entity, immediate=True)
        else:
            esper.remove_component(entity, type(joint))

    def _exclude(self, contacts: ContactTable) -> None:
        """Keep the bodies of joints from colliding that do not let them."""
        store = self._store
        rows = self.rows[: self.count]
        chosen = rows[
            (rows["entity"] != 0)
            & ~rows["collide_connected"]
            & (rows["row_a"] >= 0)
            & (rows["row_b"] >= 0)
        ]
        low = np.minimum(chosen["row_a"], chosen["row_b"]).astype(np.int64)
        high = np.maximum(chosen["row_a"], chosen["row_b"]).astype(np.int64)
        keys = np.unique((low << 32) | high)
        changed = np.setxor1d(keys, contacts.excluded, assume_unique=True)
        contacts.excluded = keys
        self._is_excluding = True
        for body in np.unique(np.concatenate([changed >> 32, changed & 0xFFFFFFFF])).tolist():
            first_part = int(store.bodies["first_part"][body])
            if store.bodies["entity"][body] and first_part >= 0:
                store.pool.renew(first_part)

    # -- the solver -----------------------------------------------------------------------

    def prepare(self, dt: float, h: float, masses: NDArray[np.float32], changes: int) -> None:
        """Fill the lanes for a step of `dt` seconds in substeps of `h`.

        `masses` are those of the solver's rows, the last of which is that of what does not move;
        `changes` is another number than the last time where somebody has fallen asleep or woken.
        """
        self._dt = dt
        self.broken = _NONE_BROKEN
        if not self.count:
            return
        warm_up("joints")
        bodies = self._store.bodies
        if self._is_stale:
            self._unlist()
        if not self._is_listed or changes != self._changes:
            self._changes = changes
            if renew_activity(self.count, self.rows, bodies, self._active):
                self._unlist()
            if not self._is_listed:
                self._list()
        nobody = len(masses) - 1
        if (h, nobody) != self._framed_for:
            self._frame(h, nobody)
        pins, axes = self.pins, self.axes
        if pins.count:
            direct(fill_pins)(pins.count, h, pins.table, bodies, masses, pins.rows, pins.lanes)
        if axes.count:
            direct(fill_rows)(
                axes.count, self.rows, axes.table, bodies, masses, axes.rows, axes.lanes
            )

    def finish(self) -> None:
        """After the substeps: forces may be asked for; what bears too much breaks."""
        self._are_forces_new = False
        self.is_wild = self.bound()
        if not self._any_is_weak:
            return
        self._add_forces()
        rows = self.rows[: self.count]
        forces = np.hypot(self.forces[: self.count, 0], self.forces[: self.count, 1])
        torques = np.abs(self.forces[: self.count, 2])
        breaks = (forces > rows["break_force"]) | (torques > rows["break_torque"])
        chosen = np.flatnonzero(breaks & self._solved)
        self.broken = np.zeros(len(chosen), BREAK)
        self.broken["entity"] = rows["entity"][chosen]
        self.broken["force"] = forces[chosen]
        self.broken["torque"] = torques[chosen]
        for row, entity in zip(chosen.tolist(), self.broken["entity"].tolist(), strict=True):
            if esper.entity_exists(entity):
                self._take_away(entity, row)

    def bound(self) -> bool:
        """Slow bodies that are too fast for any joint (joint_bounds.py); whether there were any."""
        store, pins, axes = self._store, self.pins, self.axes
        if not (pins.count or axes.count):
            return False
        found: bool = direct(bound_speeds)(
            store.step_rows,
            pins.count,
            pins.table,
            axes.count,
            axes.table,
            store.bodies,
            store.velocities,
            pins.lanes,
            axes.lanes,
        )
        return found

    def _add_forces(self) -> None:
        if self._are_forces_new or math.isnan(self._dt):
            return
        self.forces[: len(self._solved)][self._solved] = 0.0  # those of sleepers bear on
        pins, axes = self.pins, self.axes
        if not (pins.count or axes.count):
            return
        add_pin_forces(pins.count, self._dt, pins.table, pins.lanes, self.forces)
        add_row_forces(axes.count, self._dt, axes.table, axes.lanes, self.forces)
        self._are_forces_new = True

    def _unlist(self) -> None:
        """Take the impulses out of the lanes, which are to be dealt anew."""
        self._is_stale = False
        if not self._is_listed:
            return
        self._add_forces()
        self._save()
        self.pins.clear()
        self.axes.clear()
        self._is_listed = False

    def _save(self) -> None:
        pins, axes = self.pins, self.axes
        if not (pins.count or axes.count):
            return
        save_impulses(
            pins.count, pins.table, pins.lanes, axes.count, axes.table, axes.lanes, self.impulses
        )

    def _list(self) -> None:
        bodies = self._store.bodies
        if len(self._made[0]) < self.count:
            capacity = len(self.rows)
            self._made = (np.zeros(capacity, PIN), np.zeros(MOST_ROWS * capacity, ROW))
        made_pins, made_rows = self._made
        pin_count = list_pins(self.count, self.rows, self._active, made_pins)
        row_count = list_all_rows(self.count, self.rows, self._active, made_rows)
        used = np.zeros(len(bodies), np.uint32)
        pins, axes = self.pins, self.axes
        pins.deal(made_pins[:pin_count], bodies, used)
        axes.deal(made_rows[:row_count], bodies, used)
        load_impulses(
            pins.count, pins.table, pins.lanes, axes.count, axes.table, axes.lanes, self.impulses
        )
        joints = self.rows[: self.count]
        self._solved = self._active[: self.count] != 0
        weak = (joints["break_force"] < math.inf) | (joints["break_torque"] < math.inf)
        self._any_is_weak = bool((weak & self._solved).any())
        self.driven = _driven(joints[self._solved])
        self._is_listed = True
        self._framed_for = (math.nan, 0)

    def _frame(self, h: float, nobody: int) -> None:
        pins, axes, bodies = self.pins, self.axes, self._store.bodies
        frame_pins(pins.count, h, nobody, pins.table, bodies, pins.rows, pins.is_soft, pins.lanes)
        frame_rows(axes.count, h, nobody, axes.table, bodies, axes.rows, axes.lanes)
        self._framed_for = (h, nobody)

    # -- snapshots ------------------------------------------------------------------------

    def state(self) -> State:
        """All of it, as `take_state` takes it: views of what is in use."""
        self._add_forces()
        self._save()
        return {
            "rows": self.rows[: self.count],
            "impulses": self.impulses[: self.count],
            "forces": self.forces[: self.count],
            "free": np.array(self._free, np.int64),
            "is_wild": int(self.is_wild),
            "unseen": np.array(sorted(self._store.joint_changes), np.int64),
        }

    def take_state(self, state: State) -> None:
        """Become what `state` says, a copy; the joints are those that the entities have now."""
        self.pins.clear()
        self.axes.clear()
        self._is_listed = self._is_stale = False
        self._solved = np.zeros(0, np.bool_)
        self._active[:] = 0
        rows = array(state["rows"])
        for joint in self._joints:
            if joint is not None:
                joint.release()
        self._joints = [None] * len(self._joints)
        while len(self.rows) < len(rows):
            self._grow()
        self.count = len(rows)
        self.rows[:] = np.zeros(1, JOINT)[0]
        fill(self.rows, rows)
        fill(self.impulses, state["impulses"])
        fill(self.forces, state["forces"])
        self._free = array(state["free"]).tolist()
        self.is_wild = bool(state["is_wild"])
        self._store.joint_changes.clear()
        self._store.joint_changes.update(array(state["unseen"]).tolist())
        self._rows_of = {}
        for row, (entity, kind) in enumerate(
            zip(rows["entity"].tolist(), rows["type"].tolist(), strict=True)
        ):
            if entity:
                self._rows_of.setdefault(entity, []).append(row)
                joint = None  # where it went before the snapshot, unseen by any step
                if esper.entity_exists(entity):
                    joint = esper.try_component(entity, KINDS[kind])
                if joint is not None:
                    joint.look_at(self, row)
                    self._joints[row] = joint
        self.broken = self.broken[:0]
        self._are_forces_new = True
        self._is_excluding = True
        self._version = -1


def _is_disabled(entity: int) -> bool:
    return esper.has_component(entity, Disabled)


def _driven(joints: NDArray[Any]) -> NDArray[np.int32]:
    """Rows of the bodies that a motor drives: one that is on, and is no brake."""
    is_on = (joints["max_force"] > 0.0) | (joints["max_torque"] > 0.0)
    is_on &= (
        (joints["speed"] != 0.0) | (joints["velocity_x"] != 0.0) | (joints["velocity_y"] != 0.0)
    )
    rows = np.concatenate([joints["row_a"][is_on], joints["row_b"][is_on]])
    return rows[rows >= 0]


def _see(joint: Any, store: Store) -> None:
    """Take from the poses what was left to be found: length and angle."""
    kind = int(joint["type"])
    a: Any = store.transforms[joint["row_a"]]
    b: Any = store.transforms[joint["row_b"]] if joint["row_b"] >= 0 else None
    if math.isnan(joint["angle"]):
        ratio = float(joint["ratio"]) if kind == GEAR else 1.0
        joint["angle"] = a["angle"] - (0.0 if b is None else ratio * b["angle"])
    if math.isnan(joint["length"]) and kind in {DISTANCE, ROPE, PULLEY}:
        ax, ay = _point(a, joint["anchor_ax"], joint["anchor_ay"])
        bx, by = _point(b, joint["anchor_bx"], joint["anchor_by"])
        if kind == PULLEY:
            length = math.hypot(ax - joint["ground_ax"], ay - joint["ground_ay"])
            length += joint["ratio"] * math.hypot(bx - joint["ground_bx"], by - joint["ground_by"])
        else:
            length = math.hypot(ax - bx, ay - by)
        joint["length"] = length


def _point(pose: Any, x: float, y: float) -> tuple[float, float]:
    """A point of a shape in the world."""
    if pose is None:
        return float(x), float(y)
    cos, sin = math.cos(pose["angle"]), math.sin(pose["angle"])
    return float(pose["x"] + cos * x - sin * y), float(pose["y"] + sin * x + cos * y)
