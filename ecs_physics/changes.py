"""WorldChanges: the part of World that copies, moves and switches bodies."""

import copy
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import esper

from ecs_physics.component_values import LINKS, VALUE_COMPONENTS, Kept
from ecs_physics.components import Transform, entity_id, number
from ecs_physics.store import Store, UnknownEntityError
from ecs_physics.traits import Disabled


class WorldChanges:
    """Clones, jumps, and bodies that are out of the simulation for a while."""

    store: Store
    _kept: dict[type[Any], Kept]

    def clone(self, entity: int) -> int:
        """Create an entity with copies of all components of `entity`, and return it.

        Joints and springs that hold the body are cloned too, each as an entity of its own: the
        clone hangs on the same other bodies. Values that never change, such as a Shape, are
        shared; components of your own are copied as snapshots copy them where they are registered,
        else by `copy.copy`.

        Raises:
            ValueError: where there is no such entity.
        """
        return self.clone_group([entity])[entity]

    def clone_group(self, entities: Iterable[int]) -> dict[int, int]:
        """Clone several entities at once; joints between them then join their clones.

        Returns:
            The clone of each entity, those of joints that hold a body of the group included.

        Raises:
            ValueError: where there is no such entity.
        """
        self._must_be_open()
        with self._current():
            if isinstance(entities, str) or not isinstance(entities, Iterable):
                raise ValueError(f"clone_group({entities!r}): give entities, such as [car, wheel]")
            group = list(entities)
            for entity in group:
                _must_exist(entity)
            group = list(dict.fromkeys(group))
            holders = self._holders(set(group))
            clones = {entity: esper.create_entity() for entity in (*group, *sorted(holders))}
            for entity, clone in clones.items():
                links_alone = entity in holders and esper.has_component(entity, Transform)
                for kind, component in self.store.components_of(entity).items():
                    if not links_alone or kind in LINKS:
                        copied = self._copy_of(kind, component, clones)
                        esper.add_component(clone, copied, type_alias=kind)
            return clones

    def teleport(self, entity: int, x: float, y: float, angle: float | None = None) -> None:
        """Put a body somewhere else, in m and rad; its velocity stays, and its angle where None.

        It is not drawn on the way there. Its contacts begin anew, without the impulses that they
        had; it wakes.

        Raises:
            ValueError: where the entity has no Transform, or a number is not finite.
        """
        self._must_be_open()
        with self._current():
            _must_exist(entity)
            transform = esper.try_component(entity, Transform)
            if transform is None:
                raise ValueError(f"teleport({entity!r}): it has no Transform, so it is nowhere")
            place = number(x, "x"), number(y, "y")
            turn = transform.angle if angle is None else number(angle, "angle")
            transform.x, transform.y = place
            transform.angle = turn
            self.store.renew_contacts(entity)

    def disable(self, entity: int) -> None:
        """Take a body out of the simulation, with its contacts, until `enable`.

        The same as giving it a `Disabled`. Its components keep their values, and joints and
        springs that hold it rest. Nothing happens where it is disabled already.

        Raises:
            ValueError: where there is no such entity.
        """
        self._must_be_open()
        with self._current():
            _must_exist(entity)
            if not esper.has_component(entity, Disabled):
                esper.add_component(entity, Disabled())

    def enable(self, entity: int) -> None:
        """Let a disabled body take part again; nothing happens where it does.

        Raises:
            ValueError: where there is no such entity.
        """
        self._must_be_open()
        with self._current():
            _must_exist(entity)
            if esper.has_component(entity, Disabled):
                esper.remove_component(entity, Disabled)

    def _holders(self, group: set[int]) -> set[int]:
        """Entities outside of a group with a joint or spring that holds a body of it."""
        return {
            entity
            for kind in LINKS
            for entity, link in esper.get_component(kind)
            if entity not in group and (link.body_a in group or link.body_b in group)
        }

    def _copy_of(self, kind: type[Any], component: Any, clones: dict[int, int]) -> Any:
        if kind in LINKS:
            a, b = component.body_a, component.body_b
            return component.between(clones.get(a, a), b if b is None else clones.get(b, b))
        if type(component) in VALUE_COMPONENTS:
            return component
        kept = self._kept.get(kind)
        if kept is None:
            return copy.copy(component)
        copied = kept.blank()
        kept.from_state(copied, kept.to_state(component))
        return copied

    def _must_be_open(self) -> None:
        raise NotImplementedError

    def _current(self) -> AbstractContextManager[Any]:
        raise NotImplementedError


def _must_exist(entity: int) -> None:
    entity_id(entity, "entity")
    if not esper.entity_exists(entity):
        raise UnknownEntityError(entity)
