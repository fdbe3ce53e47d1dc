"""Whether everything that a world keeps about its bodies fits together."""

from typing import Any

import esper
import numpy as np

from ecs_physics import Shape, World
from ecs_physics.components import ROW_COMPONENTS, Mass, RowComponent
from ecs_physics.joint_row import Joint
from ecs_physics.kernels.pair_filter import may_meet
from ecs_physics.kernels.pair_hash import EMPTY
from ecs_physics.part_pool import prepare
from ecs_physics.tables import DYNAMIC, FREE, KINEMATIC, SLEEPING, STATIC
from ecs_physics.traits import Disabled, Traits


def check(world: World) -> None:
    """Assert that rows, parts, vertices, free lists, contacts and hash slots are consistent."""
    world.entities()
    check_rows(world)
    check_parts(world)
    check_contacts(world)
    check_joints(world)
    check_numbers(world)


def check_rows(world: World) -> None:
    """Every entity that is to be a body has one row, and its components look into it."""
    store = world.store
    bodies: Any = store.bodies
    held = {entity: store.components_of(entity) for entity in esper.get_entities()}
    kinds = {entity: kind_of(components) for entity, components in held.items()}
    wanted = sorted(entity for entity, kind in kinds.items() if kind != FREE)
    assert store.entities() == wanted
    rows = [store.row_of(entity) for entity in wanted]
    free = store._free
    assert sorted([*rows, *free]) == list(range(store.rows)), "a row is lost, or in use twice"
    assert not store._held
    for entity, row in zip(wanted, rows, strict=True):
        components = held[entity]
        assert bodies["entity"][row] == entity
        kind = int(bodies["kind"][row])
        assert (DYNAMIC if kind == SLEEPING else kind) == kinds[entity]
        assert store.shapes[row] is components.get(Shape)
        assert store._traits[row] == Traits.of(components)
        for component_type, table in store.tables.items():
            component = components.get(component_type)
            assert table.bound[row] is component
            assert table.rows["entity"][row] == (0 if component is None else entity)
            if component is not None:
                assert component._columns is table.views
                assert component._row == row
                assert component._owner.entity == entity
        mass = components.get(Mass)
        if mass is not None:
            given = [mass.is_inertia_given, mass.is_center_given]
            assert store.given[row].tolist() == given
    for row in free:
        assert bodies[row] == np.zeros(1, bodies.dtype)[0]
        assert store.shapes[row] is None
        for table in store.tables.values():
            assert table.bound[row] is None
            assert table.rows["entity"][row] == 0
    for entity, components in held.items():
        if kinds[entity] == FREE:
            alone = [c for c in components.values() if isinstance(c, RowComponent)]
            tables = [table.views for table in store.tables.values()]
            assert not any(c._columns is views for c in alone for views in tables)
    check_queries(held)
    traits = [Traits.of(components) for e, components in held.items() if kinds[e] != FREE]
    assert store.sensors == sum(each.sensor is not None for each in traits)
    assert store.one_ways == sum(each.one_way is not None for each in traits)
    assert store.kinematics == np.count_nonzero(store.bodies["kind"] == KINEMATIC)


def kind_of(components: dict[type, Any]) -> int:
    """What the README says that an entity is."""
    names = {kind.__name__ for kind in components}
    if "Transform" not in names or Disabled in components:
        return FREE
    is_moved = {"Velocity", "Mass"} <= names
    if Shape not in components:
        return DYNAMIC if is_moved and components[Mass].density is None else FREE
    if "Velocity" not in names:
        return STATIC
    return DYNAMIC if is_moved else KINEMATIC


def check_queries(held: dict[int, dict[type, Any]]) -> None:
    """What esper's queries read is what its entities have."""
    sets: dict[type, set[int]] = {}
    for entity, components in held.items():
        for kind in components:
            sets.setdefault(kind, set()).add(entity)
    assert esper._components == sets


def check_parts(world: World) -> None:
    """The parts of the bodies, and the free ones, are all parts; no vertex belongs to two."""
    store, pool = world.store, world.store.pool
    parts: Any = pool.parts
    used: list[int] = []
    spans: list[tuple[int, int]] = []
    for entity in store.entities():
        row = store.row_of(entity)
        shape = store.shapes[row]
        body: Any = store.bodies[row]
        prepared = () if shape is None else prepare(shape, body["center_x"], body["center_y"]).parts
        at = int(body["first_part"])
        for each in prepared:
            part: Any = parts[at]
            assert part["body"] == row
            assert (part["count"], part["one_sided"]) == (each.count, each.one_sided)
            start = int(part["first_vertex"]) - bool(each.one_sided)
            local = pool.local_vertices[start : start + len(each.vertices)]
            own = slice(1, 3) if each.one_sided else slice(None)  # about a chain's are its seams'
            np.testing.assert_allclose(local[own], each.vertices[own], atol=1e-9)
            spans.append((start, len(each.vertices)))
            if not each.one_sided and part["seams"] > 1:
                spans.append((int(part["first_edge"]), 4 * (int(part["seams"]) - 1)))
            used.append(at)
            at = int(part["next"])
        assert at == -1
    assert sorted([*used, *pool._free_rows]) == list(range(pool.rows))
    assert (parts["body"][pool._free_rows] == -1).all()
    assert (parts["body"][pool.rows :] == -1).all()
    assert not pool._held
    spans += [(start, size) for size, starts in pool._free_vertices.items() for start in starts]
    ends = 0
    for start, size in sorted(spans):
        assert start == ends, "vertices are lost, or in use twice"
        ends = start + size
    assert ends == pool._vertex_rows


def check_joints(world: World) -> None:
    """Each joint of an entity has a row of its own, and looks into it."""
    table = world.joint_table
    found: dict[int, Joint] = {}
    for entity in esper.get_entities():
        for joint in esper.components_for_entity(entity):
            if isinstance(joint, Joint) and joint._table is not None:
                assert joint._table is table
                assert table.rows["entity"][joint._row] == entity
                assert joint._row not in found
                found[joint._row] = joint
    pending = {row for row, each in enumerate(table._joints) if each is not None} - found.keys()
    unseen = {row for rows in table._rows_of.values() for row in rows} - found.keys()
    assert pending <= unseen
    assert all(int(table.rows["entity"][row]) in world.store.joint_changes for row in unseen)
    assert sorted([*found, *unseen, *table._free]) == list(range(table.count))
    assert np.isfinite(table.forces).all()
    assert np.isfinite(table.impulses).all()


def check_contacts(world: World) -> None:
    """Each contact is of two parts that may meet, known to the hash table once."""
    store, contacts = world.store, world.contact_table
    parts: Any = store.parts
    rows: Any = contacts.rows[: contacts.count]
    gone = store.pool.removed
    keys = contacts._keys
    in_use = np.flatnonzero(keys != EMPTY)
    assert len(in_use) == contacts.count
    found = {int(keys[slot]): int(contacts._places[slot]) for slot in in_use}
    assert len(found) == contacts.count
    for row, contact in enumerate(rows):
        a, b = int(contact["part_a"]), int(contact["part_b"])
        assert a < b
        assert found[a << 32 | b] == row
        if gone[a] or gone[b]:
            continue  # dropped at the next step
        for part, side in ((a, "a"), (b, "b")):
            body = int(contact[f"body_{side}"])
            assert parts["body"][part] == body
            assert store.bodies["entity"][body] == contact[f"entity_{side}"]
        assert contact["body_a"] != contact["body_b"]
    check_no_pair_is_missing(world, found)
    active = contacts.active[: contacts.active_count]
    assert len(set(active.tolist())) == len(active)
    assert (active < contacts.count).all()


def check_no_pair_is_missing(world: World, found: dict[int, int]) -> None:
    """All parts whose fat boxes overlapped in the last search, and whose bodies may meet."""
    store, contacts = world.store, world.contact_table
    boxes, parts = contacts._searched[: store.part_rows], store.parts[: store.part_rows]
    is_settled = (parts["body"] >= 0) & ~parts["moved"] & ~store.pool.removed[: len(parts)]
    rows = np.flatnonzero(is_settled[: len(boxes)])
    lower, upper = boxes[rows, :2], boxes[rows, 2:]
    near = ((lower[:, None] <= upper) & (lower <= upper[:, None])).all(axis=2)
    for a, b in np.argwhere(np.triu(near, 1)).tolist():
        first, second = int(rows[a]), int(rows[b])
        bodies = int(parts["body"][first]), int(parts["body"][second])
        if bodies[0] != bodies[1] and may_meet(
            *bodies, store.bodies, store.traits, contacts.excluded
        ):
            assert first << 32 | second in found, "a pair was not found"


def check_numbers(world: World) -> None:
    """No NaN, no infinity."""
    for kind in ROW_COMPONENTS:
        table = world.columns(kind)
        for name in table.dtype.names[1:]:
            if name != "density":
                assert np.isfinite(table[name][table["entity"] != 0]).all(), (kind, name)
    contacts = world.contacts
    for name in ("x", "y", "normal_impulse", "tangent_impulse", "separation"):
        assert np.isfinite(contacts[name]).all(), name
