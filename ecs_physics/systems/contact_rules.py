"""ContactRules: which of the contacts found are solved, and what they are like."""

from typing import Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics.contact_table import ContactTable
from ecs_physics.contact_view import Contact
from ecs_physics.kernels.contact_states import (
    DROPPING,
    REFUSED,
    SOLVED,
    UNASKED,
    UNDECIDED,
)
from ecs_physics.kernels.mixing import AS_FOUND, mix_by_name
from ecs_physics.kernels.one_way import (
    clear_disabled,
    judge_one_way,
    keep_solved,
    list_one_way_rows,
)
from ecs_physics.kernels.user_rules import (
    answering,
    ask_pairs,
    change_contacts,
    changing,
    mix_by_function,
    mixing,
)
from ecs_physics.mixing import RULES, Mixing
from ecs_physics.systems.simulation import Simulation
from ecs_physics.user_functions import UserFunction

_DEFAULT: Final = Mixing()


class ContactRules(esper.Processor):
    """Asks the filter about new pairs, judges one-way bodies, mixes materials, calls pre-solve.

    In this order, and each only where there is something to do.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.filter: UserFunction | None = None
        self.pre_solve: UserFunction | None = None
        self.mixing = Mixing()
        self._mixers: dict[bool, UserFunction] = {}
        self._named = (AS_FOUND, AS_FOUND)
        self._one_way_rows: NDArray[np.int32] = np.zeros(0, np.int32)
        self._one_way_count = 0
        self._listed: tuple[int, int] = (-1, -1)

    # -- what it is given -----------------------------------------------------------------

    def set_filter(self, function: Any) -> None:
        """Take another filter, which is asked about all pairs anew; None takes all."""
        self.filter = _given("World.contact_filter", function, answering)
        contacts = self.simulation.contact_table
        self._wake_all()
        contacts.asks = self.filter is not None
        states = contacts.rows["disabled"][: contacts.count]
        if contacts.asks:
            states[:] = UNASKED
        else:
            asked = states >= REFUSED
            states[asked] = np.where(self._is_one_way()[asked], UNDECIDED, SOLVED)

    def set_pre_solve(self, function: Any) -> None:
        """Take another function to show contacts to; None shows them to nobody."""
        self.pre_solve = _given("World.pre_solve", function, changing)
        self._wake_all()
        clear_disabled(self.simulation.contact_table.count, self.simulation.contact_table.rows)

    def set_mixing(self, rules: Mixing) -> None:
        """Take other rules for materials."""
        mixers = {}
        for is_friction, rule in ((True, rules.friction), (False, rules.restitution)):
            if not isinstance(rule, str):
                field = "friction" if is_friction else "restitution"
                mixers[is_friction] = UserFunction.of(f"World.mixing.{field}", rule, mixing)
        self._named = (
            _number_of(rules.friction, _DEFAULT.friction),
            _number_of(rules.restitution, _DEFAULT.restitution),
        )
        self._mixers = mixers
        self.mixing = rules
        self._wake_all()

    def drop_through(self, entity: int) -> None:
        """Let a body fall through the one-way bodies that it touches now."""
        contacts = self.simulation.contact_table
        rows: Any = contacts.rows[: contacts.count]
        its = (rows["entity_a"] == entity) | (rows["entity_b"] == entity)
        chosen = its & self._is_one_way() & (rows["count"] > 0) & (rows["disabled"] == SOLVED)
        rows["disabled"][chosen] = DROPPING
        store = self.simulation.store
        if store.has_row(entity):
            store.stirred.add(store.row_of(entity))

    def _wake_all(self) -> None:
        """Let everybody meet by other rules than those that he fell asleep with."""
        self.simulation.sleeping.stir_all(self.simulation.store)

    def _is_one_way(self) -> NDArray[np.bool_]:
        contacts = self.simulation.contact_table
        rows: Any = contacts.rows[: contacts.count]
        traits: Any = self.simulation.store.traits["is_one_way"]
        is_one_way: NDArray[np.bool_] = traits[rows["body_a"]] | traits[rows["body_b"]]
        return is_one_way & ~rows["is_sensor"]

    # -- the step -------------------------------------------------------------------------

    def process(self, dt: float) -> None:
        """Go through the contacts that the detection has found."""
        contacts = self.simulation.contact_table
        if self.pre_solve is not None:
            clear_disabled(contacts.count, contacts.rows)
        if self.filter is not None:
            self._ask(self.filter, contacts)
        if self.simulation.store.one_ways:
            self._judge_one_ways(contacts)
        if self.filter is not None or self.simulation.store.one_ways:
            self._keep_solved(contacts)
        if self._named != (AS_FOUND, AS_FOUND):
            mix_by_name(
                *self._named,
                contacts.active_count,
                contacts.active,
                self.simulation.store.bodies,
                contacts.rows,
            )
        for is_friction, mixer in self._mixers.items():
            self._mix(mixer, is_friction, contacts)
        if self.pre_solve is not None:
            self._show(self.pre_solve, contacts)
            self._keep_solved(contacts)

    def _ask(self, asked: UserFunction, contacts: ContactTable) -> None:
        new = np.flatnonzero(contacts.rows["disabled"][: contacts.count] == UNASKED)
        if not len(new):
            return
        traits = self.simulation.store.traits
        if asked.compiled is not None:
            with asked.noting():
                ask_pairs(asked.compiled, len(new), new, traits, contacts.rows)
            return
        states = np.where(self._is_one_way(), UNDECIDED, SOLVED)
        answers: dict[tuple[int, int], bool] = {}
        for row in new.tolist():
            entities = int(contacts.rows["entity_a"][row]), int(contacts.rows["entity_b"][row])
            pair = (min(entities), max(entities))
            if pair not in answers:
                with asked.noting(f", asked about the entities {pair[0]} and {pair[1]}"):
                    answers[pair] = bool(asked.function(*pair))
            contacts.rows["disabled"][row] = states[row] if answers[pair] else REFUSED

    def _judge_one_ways(self, contacts: ContactTable) -> None:
        store = self.simulation.store
        now = (id(contacts), contacts.version)
        if now != self._listed:
            if len(self._one_way_rows) < contacts.count:
                self._one_way_rows = np.zeros(len(contacts.rows), np.int32)
            self._one_way_count = list_one_way_rows(
                contacts.count, store.traits, contacts.rows, self._one_way_rows
            )
            self._listed = now
        judge_one_way(
            self._one_way_count,
            self._one_way_rows,
            store.bodies,
            store.velocities,
            store.traits,
            contacts.rows,
        )

    def _mix(self, mixer: UserFunction, is_friction: bool, contacts: ContactTable) -> None:
        bodies: Any = self.simulation.store.bodies
        rows = contacts.rows
        if mixer.compiled is not None:
            with mixer.noting():
                bad = mix_by_function(
                    mixer.compiled,
                    is_friction,
                    contacts.active_count,
                    contacts.active,
                    bodies,
                    rows,
                )
            if bad >= 0:
                raise _bad_value(mixer, rows[bad])
            return
        field = "friction" if is_friction else "restitution"
        values = bodies[field]
        for row in contacts.active[: contacts.active_count].tolist():
            a, b = values[rows["body_a"][row]], values[rows["body_b"][row]]
            with mixer.noting(f", asked about {a} and {b}"):
                mixed = mixer.function(float(a), float(b))
                if not isinstance(mixed, (int, float, np.number)):
                    raise ValueError(f"{mixer.name} answered {mixed!r}: give a number")
            rows[field][row] = mixed
            if not 0.0 <= mixed < np.inf:
                raise _bad_value(mixer, rows[row])

    def _show(self, shown_to: UserFunction, contacts: ContactTable) -> None:
        active, count = contacts.active, contacts.active_count
        if shown_to.compiled is not None:
            with shown_to.noting():
                bad = change_contacts(shown_to.compiled, count, active, contacts.rows)
            if bad >= 0:
                raise _bad_value(shown_to, contacts.rows[bad])
            return
        bodies = self.simulation.store.bodies
        for row in active[:count].tolist():
            contact = Contact(contacts.rows[row], bodies)
            about = f", shown the entities {contact.entity_a} and {contact.entity_b}"
            with shown_to.noting(about):
                shown_to.function(contact)

    @staticmethod
    def _keep_solved(contacts: ContactTable) -> None:
        contacts.active_count = keep_solved(contacts.active_count, contacts.active, contacts.rows)


def _given(name: str, function: Any, wrap: Any) -> UserFunction | None:
    return None if function is None else UserFunction.of(name, function, wrap)


def _number_of(rule: Any, default: Any) -> int:
    return RULES[rule] if isinstance(rule, str) and rule != default else AS_FOUND


def _bad_value(function: UserFunction, row: Any) -> ValueError:
    return ValueError(
        f"{function.name} has left the contact of the entities {row['entity_a']} and "
        f"{row['entity_b']} with friction {row['friction']}, restitution {row['restitution']}, "
        f"rolling resistance {row['rolling_resistance']} and surface speed "
        f"{row['surface_speed']}: give finite numbers, of 0 or more but for the speed"
    )
