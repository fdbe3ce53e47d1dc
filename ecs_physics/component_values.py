"""Components by value: how those that can change are copied into a snapshot, and back."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from ecs_physics.components import (
    ROW_COMPONENTS,
    Color,
    Mass,
    Material,
    Name,
    RowComponent,
    Spring,
)
from ecs_physics.joints import JOINTS
from ecs_physics.shapes import Shape
from ecs_physics.traits import TRAIT_COMPONENTS, Disabled

VALUE_COMPONENTS: Final[tuple[type[Any], ...]] = (
    Shape,
    Material,
    Name,
    Color,
    *TRAIT_COMPONENTS,
    Disabled,
)
"""Components that never change: a snapshot keeps the object itself."""

_SCALARS: Final = (bool, int, float, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Kept:
    """How components of one type that can change are kept by value.

    Args:
        kind: the type.
        to_state: from a component to a copy of its values.
        from_state: gives a component such values; must leave them as they are.
    """

    kind: type[Any]
    to_state: Callable[[Any], Any]
    from_state: Callable[[Any, Any], None]

    def blank(self) -> Any:
        """A new component, to be given its values."""
        return object.__new__(self.kind)


def attributes(component: Any) -> dict[str, Any]:
    """A copy of all attributes of an object, be they in __dict__ or in __slots__."""
    return {name: _copied(getattr(component, name)) for name in _attribute_names(component)}


def set_attributes(component: Any, values: dict[str, Any]) -> None:
    """Give an object, even a frozen one, a copy of these attributes and no others."""
    for name in list(_attribute_names(component)):
        if name not in values:
            object.__delattr__(component, name)
    for name, value in values.items():
        object.__setattr__(component, name, _copied(value))


def _attribute_names(component: Any) -> Iterator[str]:
    yield from getattr(component, "__dict__", ())
    for each in type(component).__mro__:
        slots = each.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            name = f"_{each.__name__.lstrip('_')}{slot}" if _is_private(slot) else slot
            if name not in {"__dict__", "__weakref__"} and hasattr(component, name):
                yield name


def _is_private(slot: str) -> bool:
    return slot.startswith("__") and not slot.endswith("__")


def _copied(value: Any) -> Any:
    return value if type(value) in _SCALARS else copy.deepcopy(value)


def blank_row_component(kind: type[RowComponent]) -> RowComponent:
    """A component with columns, alone and with default values, which may be unfinished."""
    component = kind.__new__(kind)
    component._hold(*kind.DEFAULTS)
    if isinstance(component, Mass):
        component._given_inertia = component._given_center = False
    return component


def row_component_state(component: RowComponent) -> tuple[Any, ...]:
    """The values of a component that is alone."""
    values = tuple(component._values())
    if isinstance(component, Mass):
        return (*values, component.is_inertia_given, component.is_center_given)
    return values


def take_row_component_state(component: RowComponent, state: tuple[Any, ...]) -> None:
    """Give a component that is alone its values."""
    owner = component._owner
    if isinstance(component, Mass):
        component._given_inertia, component._given_center = state[-2:]
        state = state[:-2]
    component._hold(*state)
    component._owner = owner


OWN_KEPT: Final[tuple[Kept, ...]] = (
    Kept(Spring, Spring._state, Spring._take_state),
    *(Kept(kind, kind._state, kind._take_state) for kind in JOINTS),
)
"""Components of this package that can change and have no columns."""

LINKS: Final[tuple[type[Any], ...]] = (Spring, *JOINTS)
"""Components that hold two bodies, `body_a` and `body_b`; `between` copies one to other bodies."""

OWN_TYPES: Final[tuple[type[Any], ...]] = (
    *ROW_COMPONENTS,
    *VALUE_COMPONENTS,
    *(each.kind for each in OWN_KEPT),
)
"""Every component of this package."""


def type_name(kind: type[Any]) -> str:
    """What a type is called in a snapshot."""
    return f"{kind.__module__}.{kind.__qualname__}"
