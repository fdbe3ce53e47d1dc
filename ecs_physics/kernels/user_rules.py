"""Loops over contacts that call a compiled function of the user's.

A function comes as a pointer with a type (`types.FunctionType`), so these loops are compiled once
and cached whatever the function does; only the function itself is compiled when it is given.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numba
from numba import types

from ecs_physics.kernels.compile import (
    Integers,
    Integers32,
    Table,
    boolean,
    integer,
    integers,
    integers32,
    kernel,
    real,
    table,
)
from ecs_physics.kernels.contact_states import REFUSED, SOLVED, UNDECIDED
from ecs_physics.tables import BODY, CONTACT, TRAITS

_RECORD: Final = numba.from_dtype(CONTACT)
_ANSWER: Final = boolean(integer, integer)
_MIX: Final = real(real, real)
_CHANGE: Final = types.void(_RECORD)
Function = Callable[..., Any]


def answering(function: Function) -> Any:
    """`function(entity_a, entity_b)`, compiled and with a truth for its answer."""
    return numba.njit(_ANSWER)(lambda a, b: bool(function(a, b)))


def mixing(function: Function) -> Any:
    """`function(a, b)` of two numbers, compiled and with a float for its answer."""
    return numba.njit(_MIX)(lambda a, b: float(function(a, b)))


def changing(function: Function) -> Any:
    """`function(contact)` of a row of CONTACT, compiled and without an answer."""

    def change(contact: Any) -> None:
        function(contact)

    return numba.njit(_CHANGE)(change)


@kernel(types.void(types.FunctionType(_ANSWER), integer, integers, table(TRAITS), table(CONTACT)))
def ask_pairs(
    function: Function, count: int, rows: Integers, traits: Table, contacts: Table
) -> None:
    """Ask whether the bodies of `count` contact rows may meet, the older entity first."""
    for k in range(count):
        contact = contacts[rows[k]]
        first = min(contact.entity_a, contact.entity_b)
        second = max(contact.entity_a, contact.entity_b)
        if not function(first, second):
            contact.disabled = REFUSED
        elif traits[contact.body_a].is_one_way or traits[contact.body_b].is_one_way:
            contact.disabled = UNDECIDED
        else:
            contact.disabled = SOLVED


@kernel(
    integer(types.FunctionType(_MIX), boolean, integer, integers32, table(BODY), table(CONTACT))
)
def mix_by_function(
    function: Function,
    is_friction: bool,
    count: int,
    active: Integers32,
    bodies: Table,
    contacts: Table,
) -> int:
    """Mix friction, or else restitution, of `count` contacts.

    Returns the row of the first contact for which the answer was below 0 or no finite number, or
    -1.
    """
    for k in range(count):
        contact = contacts[active[k]]
        a = bodies[contact.body_a]
        b = bodies[contact.body_b]
        if is_friction:
            mixed = function(a.friction, b.friction)
            contact.friction = mixed
        else:
            mixed = function(a.restitution, b.restitution)
            contact.restitution = mixed
        if not (mixed >= 0.0 and mixed < math.inf):
            return int(active[k])
    return -1


@kernel(integer(types.FunctionType(_CHANGE), integer, integers32, table(CONTACT)))
def change_contacts(function: Function, count: int, active: Integers32, contacts: Table) -> int:
    """Let the function change `count` contacts.

    Returns the row of the first contact that it left with a value that is no finite number, or
    one below 0 that may not be, or -1.
    """
    for k in range(count):
        contact = contacts[active[k]]
        function(contact)
        total = contact.friction + contact.restitution + contact.rolling_resistance
        is_right = (
            contact.friction >= 0.0
            and contact.restitution >= 0.0
            and contact.rolling_resistance >= 0.0
            and math.isfinite(total + contact.surface_speed)
        )
        if not is_right:
            return int(active[k])
    return -1
