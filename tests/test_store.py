"""The bridge between components and columns: plain esper calls, in any order, at any time."""

import copy
import gc
import math
import random
import re
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Shape,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.components import ROW_COMPONENTS, RowComponent
from ecs_physics.store import Store
from ecs_physics.tables import DYNAMIC, KINEMATIC, STATIC

DT = 1.0 / 60.0
BOX = Shape.box(1, 1)


def make(x: float = 0.0, *more: Any) -> int:
    """A dynamic unit box."""
    return esper.create_entity(Transform(x, 0), Velocity(), BOX, Mass(), *more)


def get(entity: int, kind: type) -> Any:
    return esper.component_for_entity(entity, kind)


def kind_of(world: World, entity: int) -> int:
    world.entities()
    return int(world.store.bodies[world.store.row_of(entity)]["kind"])


# What a body is


@pytest.mark.parametrize(
    ("components", "kind"),
    [
        ((Transform, Shape), STATIC),
        ((Transform, Shape, Mass), STATIC),
        ((Transform, Shape, Velocity), KINEMATIC),
        ((Transform, Shape, Velocity, Mass), DYNAMIC),
        ((Transform, Velocity, Mass), DYNAMIC),
        ((Transform, Velocity), None),
        ((Shape, Velocity, Mass), None),
        ((Transform,), None),
        ((Shape,), None),
        ((), None),
    ],
    ids=lambda value: "+".join(c.__name__ for c in value) if isinstance(value, tuple) else value,
)
def test_a_body_is_what_its_components_make_it(components: tuple, kind: int | None) -> None:
    world = World()
    make_one = {Shape: lambda: BOX, Mass: lambda: Mass(mass=2.0)}
    entity = esper.create_entity(*(make_one.get(each, each)() for each in components))
    if kind is None:
        assert world.entities() == []
    else:
        assert kind_of(world, entity) == kind
    world.step(DT)


def test_a_body_changes_its_kind_as_components_come_and_go() -> None:
    world = World()
    entity = esper.create_entity(Transform(0, 5))
    assert world.entities() == []
    esper.add_component(entity, BOX)
    assert kind_of(world, entity) == STATIC
    esper.add_component(entity, Velocity(0, 1))
    assert kind_of(world, entity) == KINEMATIC
    world.step(DT)
    assert get(entity, Velocity).y == 1.0
    esper.add_component(entity, Mass())
    assert kind_of(world, entity) == DYNAMIC
    world.step(DT)
    assert get(entity, Velocity).y == pytest.approx(1.0 - 9.81 * DT)
    esper.remove_component(entity, Velocity)
    assert kind_of(world, entity) == STATIC
    esper.remove_component(entity, Shape)
    assert world.entities() == []
    world.step(DT)


# Rows and views


def test_columns_are_aligned_and_name_their_entities() -> None:
    world = World()
    dynamic = make(1.0)
    static = esper.create_entity(Transform(2, 0), BOX)
    point = esper.create_entity(Transform(3, 0), Velocity(), Mass(mass=1), Damping(0.5))
    columns = {kind: world.columns(kind) for kind in ROW_COMPONENTS}
    assert len({len(each) for each in columns.values()}) == 1
    assert columns[Transform]["entity"].tolist() == [dynamic, static, point]
    assert columns[Transform]["x"].tolist() == [1.0, 2.0, 3.0]
    assert columns[Velocity]["entity"].tolist() == [dynamic, 0, point]
    assert columns[Mass]["entity"].tolist() == [dynamic, 0, point]
    assert columns[Damping]["entity"].tolist() == [0, 0, point]
    assert columns[GravityScale]["factor"].tolist() == [1.0, 1.0, 1.0]


def test_what_has_no_columns_is_refused_with_what_has() -> None:
    world = World()
    for wrong in (Material, Shape, "Transform", Transform()):
        with pytest.raises(ValueError, match="these have columns: Transform, Velocity, Mass"):
            world.columns(wrong)


def test_views_survive_growth() -> None:
    world = World(gravity=(0, 0))
    first = make(7.0)
    velocity, transform = get(first, Velocity), get(first, Transform)
    world.step(DT)
    old = world.columns(Transform)
    for k in range(1000):
        make(10.0 + 2 * k)
    assert len(world.columns(Transform)) == 1001
    assert not np.shares_memory(old, world.columns(Transform))
    transform.x = 8.0
    velocity.y = 3.0
    row = world.store.row_of(first)
    assert world.columns(Transform)["x"][row] == 8.0
    world.columns(Velocity)["y"][row] = 6.0
    assert velocity.y == 6.0
    world.step(0.5)
    assert (transform.x, transform.y) == (8.0, 3.0)


def test_a_row_keeps_its_number_while_others_go() -> None:
    world = World()
    entities = [make(2.0 * k) for k in range(20)]
    world.entities()
    rows = {each: world.store.row_of(each) for each in entities}
    for each in entities[::2]:
        esper.delete_entity(each, immediate=True)
    replacements = [make(100.0 + k) for k in range(10)]
    transforms = world.columns(Transform)
    for each in entities[1::2]:
        assert world.store.row_of(each) == rows[each]
        assert transforms["entity"][rows[each]] == each
        assert transforms["x"][rows[each]] == get(each, Transform).x
    assert {world.store.row_of(each) for each in replacements} == {rows[e] for e in entities[::2]}


def test_a_free_row_shows_defaults_and_no_entity() -> None:
    world = World()
    gone, stays = make(1.0, Force(1, 2, 3), GravityScale(0.5), LockedAxes(x=True)), make(2.0)
    world.entities()
    esper.delete_entity(gone, immediate=True)
    for kind in ROW_COMPONENTS:
        row = world.columns(kind)[0]
        assert row["entity"] == 0
        defaults = np.array([(0, *kind.DEFAULTS)], kind.TABLE)[0]
        assert repr(row) == repr(defaults)
    assert world.entities() == [stays]


def test_a_removed_component_keeps_its_last_values_and_is_alone() -> None:
    world = World()
    entity = make()
    other = make(50.0)
    for _ in range(3):
        world.step(DT)
    mass, velocity, transform = get(entity, Mass), get(entity, Velocity), get(entity, Transform)
    last = [repr(each) for each in (mass, velocity, transform)]
    mass_in_kg = mass.mass
    esper.delete_entity(entity, immediate=True)
    assert [repr(each) for each in (mass, velocity, transform)] == last
    assert mass.mass == mass_in_kg
    velocity.x = 99.0
    transform.y = 99.0
    world.step(DT)
    assert (velocity.x, transform.y) == (99.0, 99.0)
    assert get(other, Velocity).x == 0.0
    esper.create_entity(transform, velocity, BOX, mass)  # and can begin anew
    assert world.columns(Velocity)["x"].max() == 99.0


def test_components_of_entities_deleted_before_they_were_seen_keep_their_values() -> None:
    world = World()
    bound = make(5.0)
    world.entities()
    transform = Transform(3, 4)
    entity = esper.create_entity(transform, BOX)
    esper.delete_entity(entity, immediate=True)
    assert (transform.x, transform.y) == (3.0, 4.0)
    assert get(bound, Transform).x == 5.0
    world.step(DT)


# Both ways of writing

WRITES = [
    (Transform, {"x": 3.0, "y": -1.0, "angle": 0.5}),
    (Velocity, {"x": 3.0, "y": -1.0, "omega": 0.5}),
    (Force, {"x": 3.0, "y": -1.0, "torque": 0.5}),
    (GravityScale, {"factor": -2.0}),
    (Damping, {"linear": 3.0, "angular": 4.0}),
    (LockedAxes, {"x": True, "angle": True}),
    (Mass, {"mass": 5.0, "inertia": 2.0}),
]


@pytest.mark.parametrize("bound_first", [True, False])
@pytest.mark.parametrize(("kind", "values"), WRITES, ids=[k.__name__ for k, _ in WRITES])
def test_writing_columns_and_writing_properties_are_equal_in_effect(
    kind: type, values: dict, bound_first: bool
) -> None:
    hashes = []
    for by_columns in (False, True):
        world = World(name=f"writing {kind.__name__} {bound_first} {by_columns}")
        esper.create_entity(Transform(0, -1), Shape.box(50, 1))
        others = {each: each() for each in ROW_COMPONENTS} | {Velocity: Velocity(1, 2, 3)}
        entity = esper.create_entity(Shape.box(2, 1), *others.values())
        if bound_first:
            world.step(DT)
        for field, value in values.items():
            if by_columns:
                world.columns(kind)[field][1] = value
            else:
                setattr(others[kind], field, value)
        for field, value in values.items():
            assert getattr(get(entity, kind), field) == value
        for _ in range(30):
            world.step(DT)
        hashes.append(world.hash())
    assert hashes[0] == hashes[1]


def test_the_centre_of_mass_follows_when_its_columns_are_written() -> None:
    heights = []
    for by_columns in (False, True):
        world = World(gravity=(0, 0), name=f"centre by columns {by_columns}")
        entity = make()
        world.step(DT)
        if by_columns:
            world.columns(Mass)["center_x"][0] = 0.5
        else:
            get(entity, Mass).center = (0.5, 0.0)
        get(entity, Velocity).omega = 1.0
        for _ in range(60):
            world.step(DT)
        heights.append(get(entity, Transform).y)
    assert heights[0] == pytest.approx(-0.5 * math.sin(1.0), abs=1e-6)
    assert heights[1] == heights[0]


def test_a_body_without_a_force_component_still_has_a_row_of_forces() -> None:
    world = World(gravity=(0, 0))
    entity = make()
    forces = world.columns(Force)
    assert forces["entity"].tolist() == [0]
    forces["x"][0] = 6.0
    world.step(0.5)
    assert get(entity, Velocity).x == pytest.approx(3.0)
    assert world.columns(Force)["x"].tolist() == [0.0]


def test_a_new_shape_takes_effect_in_the_next_step() -> None:
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(10, 1))
    entity = esper.create_entity(Transform(0, 0.5), Velocity(), Shape.circle(0.5), Mass())
    for _ in range(30):
        world.step(DT)
    esper.add_component(entity, Shape.circle(1.0))
    world.step(DT)
    assert get(entity, Mass).mass == pytest.approx(math.pi)
    assert world.contacts["separation"][0, 0] == pytest.approx(-0.5, abs=0.02)
    get(entity, Transform).y = 3.0
    world.step(DT)
    assert len(world.contacts) == 0


def test_a_shape_of_another_centre_turns_about_that() -> None:
    world = World(gravity=(0, 0))
    entity = make()
    world.step(DT)
    esper.add_component(entity, Shape.polygon([(0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)]))
    get(entity, Velocity).omega = math.pi
    for _ in range(60):
        world.step(DT)
    assert get(entity, Transform).x == pytest.approx(1.0)
    assert get(entity, Transform).y == pytest.approx(0.0, abs=1e-9)


def test_a_new_material_counts_for_contacts_that_exist() -> None:
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(100, 1))
    entity = esper.create_entity(Transform(0, 0.5), Velocity(3, 0), BOX, Mass(), Material(0.0))
    for _ in range(30):
        world.step(DT)
    assert get(entity, Velocity).x == pytest.approx(3.0, rel=1e-6)
    esper.add_component(entity, Material(friction=0.6))
    world.step(DT)
    assert get(entity, Velocity).x == pytest.approx(3.0 - 0.6 * 9.81 * DT, rel=1e-3)
    esper.remove_component(entity, Material)
    for _ in range(60):
        world.step(DT)
    assert get(entity, Velocity).x == pytest.approx(0.0, abs=1e-4)


# What is refused


@pytest.mark.parametrize("kind", ROW_COMPONENTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("adopted", [True, False])
def test_a_component_of_two_entities_is_refused_naming_both(kind: type, adopted: bool) -> None:
    world = World()
    component = kind()
    others = [Transform(), Velocity(), Mass()]
    owner = esper.create_entity(component, BOX, *(o for o in others if type(o) is not kind))
    if adopted:
        world.step(DT)
    second = esper.create_entity(Transform(9, 9), BOX)
    with pytest.raises(ValueError, match=rf"entity {owner} was given to entity {second} as well"):
        esper.add_component(second, component)
    with pytest.raises(ValueError, match=rf"entity {owner} was given to entity {second + 1}"):
        esper.create_entity(component, BOX)
    # The world is as it was: queries, bodies and the next step.
    assert [e for e, _ in esper.get_component(kind)].count(second + 1) == 0
    assert world.entities() == [owner, second]
    assert dict(esper.get_component(Transform))[second].x == 9.0
    world.step(DT)
    esper.add_component(second, copy.copy(component))
    world.step(DT)


def test_a_component_of_another_world_is_refused_until_that_is_closed() -> None:
    one = World(name="store one")
    transform = Transform(1, 2)
    esper.create_entity(transform, BOX)
    World(name="store two")
    with pytest.raises(ValueError, match="needs one of its own"):
        esper.create_entity(transform, BOX)
    one.close()
    esper.create_entity(transform, BOX)


def test_entities_that_shared_a_component_before_the_world_are_refused() -> None:
    transform = Transform()
    first, second = esper.create_entity(transform, BOX), esper.create_entity(transform, BOX)
    with pytest.raises(ValueError, match=rf"entity {first} .* entity {second}"):
        World()
    esper.delete_entity(second, immediate=True)
    assert World().entities() == [first]


@pytest.mark.parametrize("wrong", [Transform, Velocity, Shape, Mass, Force, Material])
def test_a_class_in_place_of_an_instance_is_refused(wrong: type) -> None:
    world = World()
    with pytest.raises(ValueError, match=rf"the class {wrong.__name__}: give an instance"):
        esper.create_entity(Transform(), wrong)
    assert list(esper.get_entities()) == []
    assert esper.get_component(Transform) == []
    world.step(DT)


def test_a_stranger_under_the_name_of_a_component_is_refused() -> None:
    world = World()
    entity = make()
    with pytest.raises(ValueError, match="was given as Velocity: give an instance"):
        esper.add_component(entity, "fast", type_alias=Velocity)
    world.step(DT)
    assert get(entity, Velocity).y < 0.0


def test_a_mass_that_the_shape_cannot_give_is_refused() -> None:
    world = World()
    line = Shape.segment((0, 0), (1, 0))
    with pytest.raises(ValueError, match=re.compile("mass|area", re.IGNORECASE)):
        esper.create_entity(Transform(), Velocity(), line, Mass())
    entity = esper.create_entity(Transform(), Velocity(), Mass())
    with pytest.raises(ValueError, match=re.compile("mass|area", re.IGNORECASE)):
        esper.add_component(entity, line)
    assert not esper.has_component(entity, Shape)
    world.step(DT)
    esper.add_component(entity, BOX)
    assert world.entities() == [entity]


def test_adding_to_an_entity_that_is_gone_leaves_the_world_usable() -> None:
    world = World()
    stays, gone = make(), make(5.0)
    esper.delete_entity(gone, immediate=True)
    for late in (Velocity(), Material(), Force()):
        with pytest.raises((KeyError, ValueError), match=str(gone)):
            esper.add_component(gone, late)
    assert [entity for entity, _ in esper.get_component(Velocity)] == [stays]
    assert [entity for entity, _ in esper.get_components(Transform, Velocity)] == [stays]
    assert esper.get_component(Force) == []
    world.step(DT)


# Deleting


def test_ids_deleted_twice_or_unknown_never_break_later_steps() -> None:
    world = World()
    entity, other = make(), make(5.0)
    esper.delete_entity(entity)
    esper.delete_entity(entity)
    esper.delete_entity(12345)
    world.step(DT)
    esper.delete_entity(entity)
    esper.delete_entity(other)
    esper.delete_entity(other, immediate=True)
    world.step(DT)
    world.step(DT)
    assert world.entities() == []
    with pytest.raises(KeyError):
        esper.delete_entity(entity, immediate=True)
    world.step(DT)


def test_deleted_bodies_take_their_contacts_with_them() -> None:
    world = World()
    floor = esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    boxes = [esper.create_entity(Transform(0, k + 0.5), Velocity(), BOX, Mass()) for k in range(3)]
    world.step(DT)
    assert len(world.contacts) == 3
    esper.delete_entity(boxes[1], immediate=True)
    contacts = world.contacts
    assert {(c["entity_a"], c["entity_b"]) for c in contacts} <= {
        (floor, boxes[0]),
        (boxes[0], floor),
    }
    assert len(contacts) == 1
    for _ in range(120):
        world.step(DT)
    assert get(boxes[2], Transform).y == pytest.approx(1.5, abs=0.02), "it falls on the first"


def test_deferred_deletion_is_esper_s() -> None:
    world = World()
    entity = make()
    world.step(DT)
    esper.delete_entity(entity)
    assert not esper.entity_exists(entity)
    assert world.entities() == [entity], "deleted with the next step, as esper has it"
    world.step(DT)
    assert world.entities() == []


def test_clearing_esper_s_database_clears_the_bodies() -> None:
    world = World()
    old = make(3.0)
    transform = get(old, Transform)
    world.step(DT)
    esper.clear_database()
    assert world.entities() == []
    assert len(world.contacts) == 0
    assert transform.x == 3.0
    assert make(8.0) == old, "esper counts from 1 again"
    world.step(DT)
    assert get(old, Transform).x == 8.0


# From inside systems and handlers


class Doing(esper.Processor):
    """Calls a function in every step."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def process(self, dt: float) -> None:
        self.function()


STAGES_OF_USERS = list(Stage)


@pytest.mark.parametrize("stage", STAGES_OF_USERS, ids=lambda stage: stage.name)
@pytest.mark.parametrize("looks", [False, True], ids=["blind", "reads columns"])
def test_systems_of_any_stage_create_change_and_delete(stage: Stage, looks: bool) -> None:
    """A few hundred changes at random from inside: nothing is lost, mixed up or not finite."""
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(200, 1))
    random_number = random.Random(stage.value)
    alive = [make(2.0 * k) for k in range(10)]

    def change() -> None:
        alive.extend(make(random_number.uniform(-50, 50)) for _ in range(3))
        victim = alive.pop(random_number.randrange(len(alive)))
        esper.delete_entity(victim, immediate=random_number.random() < 0.5)
        chosen = random_number.choice(alive)
        esper.add_component(chosen, Shape.circle(random_number.uniform(0.2, 0.6)))
        esper.add_component(random_number.choice(alive), Velocity(0, 1))
        if looks:
            assert np.isfinite(world.columns(Velocity)["y"]).all()
            assert set(world.contacts["entity_a"]) <= set(world.entities())

    world.add_system(Doing(change), stage)
    for _ in range(60):
        world.step(DT)
    esper.process(DT)
    bodies = set(world.entities())
    assert set(alive) <= bodies
    transforms, velocities = world.columns(Transform), world.columns(Velocity)
    for entity in alive:
        row = world.store.row_of(entity)
        assert transforms["entity"][row] == velocities["entity"][row] == entity
        assert transforms["y"][row] == get(entity, Transform).y
        assert math.isfinite(get(entity, Transform).y)
        assert abs(get(entity, Transform).y) < 50.0


def test_a_body_created_before_the_step_is_part_of_it() -> None:
    world = World()
    created = []
    world.add_system(Doing(lambda: created or created.append(make())), Stage.BEFORE_STEP)
    world.step(DT)
    assert get(created[0], Velocity).y == pytest.approx(-9.81 * DT)


def test_a_row_taken_over_inside_a_substep_feels_nothing_of_its_former_owner() -> None:
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    old = esper.create_entity(Transform(0, 0.45), Velocity(0, -20), BOX, Mass())
    world.entities()
    created = []

    def swap() -> None:
        if not created:
            esper.delete_entity(old, immediate=True)
            created.append(esper.create_entity(Transform(0, 50), Velocity(), BOX, Mass()))
            world.entities()

    world.add_system(Doing(swap), Stage.SUBSTEP)
    world.step(DT)
    assert abs(get(created[0], Velocity).y) <= 9.81 * DT + 1e-9
    assert get(created[0], Transform).y == pytest.approx(50.0, abs=0.01)
    world.step(DT)
    assert get(created[0], Transform).y == pytest.approx(50.0, abs=0.02)


def test_many_bodies_made_and_read_inside_a_substep() -> None:
    """More than the arrays of the running step have room for."""
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(9, 1))
    esper.create_entity(Transform(0, 0.5), Velocity(), BOX, Mass())
    made: list[int] = []

    def burst() -> None:
        if not made:
            made.extend(make(12.0 + 2 * k) for k in range(500))
            assert len(world.columns(Velocity)) == 502

    world.add_system(Doing(burst), Stage.SUBSTEP)
    for _ in range(5):
        world.step(DT)
    assert {round(get(each, Transform).x) for each in made} == {12 + 2 * k for k in range(500)}
    assert all(-1.0 < get(each, Velocity).y < 0.0 for each in made)


def test_event_handlers_may_change_the_world() -> None:
    world = World()
    doomed = make(4.0)
    born = []

    def on_boom(entity: int) -> None:
        esper.delete_entity(entity, immediate=True)
        born.append(make(6.0))

    class Bomb(esper.Processor):
        def process(self, dt: float) -> None:
            if not born:
                esper.dispatch_event("boom", doomed)

    esper.set_handler("boom", on_boom)
    world.add_system(Bomb(), Stage.AFTER_STEP)
    world.step(DT)
    assert world.entities() == born
    world.step(DT)
    assert get(born[0], Velocity).y == pytest.approx(-9.81 * DT)


# Any order: against a plain model


def model_of(entities: dict[int, dict[type, Any]]) -> list[int]:
    """Which entities are bodies, from nothing but their components."""
    bodies = []
    for entity, held in entities.items():
        is_point = {Transform, Velocity, Mass} <= set(held) and held[Mass].density is None
        if Transform in held and (Shape in held or is_point):
            bodies.append(entity)
    return sorted(bodies)


@pytest.mark.parametrize("seed", range(8))
def test_any_sequence_of_plain_calls_agrees_with_a_model(seed: int) -> None:
    choose = random.Random(seed)
    world = World()
    model: dict[int, dict[type, Any]] = {}
    dead: set[int] = set()
    makers = {
        Transform: lambda: Transform(choose.uniform(-40, 40), choose.uniform(0, 40)),
        Velocity: lambda: Velocity(choose.uniform(-1, 1), 0.0),
        Shape: lambda: choose.choice([BOX, Shape.circle(0.4), Shape.box(0.5, 2)]),
        Mass: lambda: choose.choice([Mass(), Mass(mass=2.0), Mass(density=3.0)]),
        Force: Force,
        Damping: lambda: Damping(choose.random()),
        Material: lambda: Material(choose.random()),
        Color: lambda: Color("#336699"),
    }
    for _ in range(400):
        action = choose.random()
        alive = [entity for entity in model if entity not in dead]
        if action < 0.3 or not alive:
            kinds = choose.sample(list(makers), choose.randrange(len(makers) + 1))
            held = {kind: makers[kind]() for kind in kinds}
            model[esper.create_entity(*held.values())] = held
        elif action < 0.55:
            entity, kind = choose.choice(alive), choose.choice(list(makers))
            model[entity][kind] = makers[kind]()
            esper.add_component(entity, model[entity][kind])
        elif action < 0.75:
            entity = choose.choice(alive)
            if model[entity]:
                kind = choose.choice(list(model[entity]))
                assert esper.remove_component(entity, kind) is model[entity].pop(kind)
        elif action < 0.85:
            entity = choose.choice(alive)
            immediate = choose.random() < 0.5
            esper.delete_entity(entity, immediate=immediate)
            if immediate:
                del model[entity]
            else:
                dead.add(entity)
        elif action < 0.95:
            world.step(DT)
            for entity in dead:
                model.pop(entity, None)
            dead.clear()
        else:
            assert world.entities() == model_of(model)
    assert world.entities() == model_of(model)
    for entity in world.entities():
        row = world.store.row_of(entity)
        for kind, component in model[entity].items():
            if isinstance(component, RowComponent):
                column = world.columns(kind)[row]
                assert column["entity"] == entity
                assert list(column.tolist())[1:2] == [component._values()[0]] or kind is Mass
    assert {e for e, _ in esper.get_component(Transform)} == {
        e for e, held in model.items() if Transform in held
    }


# What it costs


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entities whose rows were brought in step, in order."""
    seen: list[int] = []
    original = Store._sync_row

    def counted(self: Store, entity: int, *rest: Any) -> None:
        seen.append(entity)
        original(self, entity, *rest)

    monkeypatch.setattr(Store, "_sync_row", counted)
    return seen


def test_the_cost_follows_what_changed(synced: list[int]) -> None:
    world = World()
    entities = [make(2.0 * k) for k in range(500)]
    world.step(DT)
    assert synced == entities
    synced.clear()
    for _ in range(5):
        world.step(DT)
        world.columns(Velocity)
        _ = world.contacts
    assert synced == [], "nothing changed"

    bullet = make(-10.0)
    world.step(DT)
    assert synced == [bullet]
    synced.clear()

    get(entities[7], Velocity).x = 3.0
    get(entities[8], Transform).y = 3.0
    world.columns(Velocity)["y"] += 1.0
    world.step(DT)
    assert synced == [], "written values need no adoption"

    get(entities[9], Mass).mass = 3.0
    esper.add_component(entities[3], Velocity())
    esper.delete_entity(bullet)
    world.step(DT)
    assert synced == [entities[3], entities[9]]


def test_components_that_are_no_business_of_the_simulation_stay_plain(synced: list[int]) -> None:
    class Health:
        points = 3

    world = World()
    entity = make()
    world.step(DT)
    health = Health()
    esper.add_component(entity, health)
    assert esper.component_for_entity(entity, Health) is health
    assert esper.get_components(Health, Transform) == [(entity, (health, get(entity, Transform)))]
    tag = esper.create_entity(health)
    world.step(DT)
    assert world.entities() == [entity]
    assert esper.components_for_entity(tag) == (health,)


def test_queries_stay_cached_over_steps() -> None:
    world = World()
    make()
    world.step(DT)
    query = esper.get_components(Transform, Velocity)
    for _ in range(3):
        world.step(DT)
    assert esper.get_components(Transform, Velocity) is query


def test_a_store_goes_with_its_world() -> None:
    world = World()
    make()
    world.step(DT)
    world.close()
    store = world.store
    del world
    gc.collect()
    holders = [each for each in gc.get_referrers(store) if isinstance(each, World)]
    assert holders == []


# The canary

ADVICE = (
    f"esper {esper.version} keeps its private tables otherwise than store.py expects. Read "
    "esper/__init__.py beside ecs_physics/store.py (_Components, _Entities, _DeadEntities, "
    "attach, forget_in_queries), adapt them, and only then move the pin in pyproject.toml"
)


def test_canary_esper_s_private_tables_are_as_store_expects() -> None:
    assert esper.version.startswith("3.9"), ADVICE
    assert type(esper._entities) is dict, ADVICE
    assert type(esper._dead_entities) is set, ADVICE
    assert type(esper._components) is dict, ADVICE

    entity = esper.create_entity(Transform())
    assert type(esper._entities[entity]) is dict, ADVICE
    assert esper._components == {Transform: {entity}}, ADVICE


def test_canary_every_change_goes_through_the_tables_of_the_store() -> None:
    World()
    calls: list[tuple[str, Any]] = []

    def spy(name: str, table: type) -> None:
        original = getattr(table, name)

        def noted(self: Any, *arguments: Any) -> Any:
            calls.append((name, arguments[0] if arguments else None))
            return original(self, *arguments)

        monkeypatch.setattr(table, name, noted)

    from ecs_physics import store

    with pytest.MonkeyPatch.context() as monkeypatch:
        spy("__setitem__", store._Entities)
        spy("__delitem__", store._Entities)
        spy("clear", store._Entities)
        spy("__setitem__", store._Components)
        spy("pop", store._Components)
        spy("add", store._DeadEntities)
        entity = esper.create_entity(Transform())
        esper.add_component(entity, BOX)
        esper.remove_component(entity, Shape)
        esper.try_remove_component(entity, Shape)
        esper.delete_entity(entity)
        esper.delete_entity(entity, immediate=True)
        esper.clear_database()
    assert calls == [
        ("__setitem__", entity),
        ("__setitem__", Shape),
        ("pop", Shape),
        ("add", entity),
        ("__delitem__", entity),
        ("clear", None),
    ], ADVICE


def test_canary_switching_worlds_keeps_the_tables_of_the_store(esper_world: str) -> None:
    world = World()
    entity = make()
    esper.switch_world("canary elsewhere")
    assert not Store.is_attached(), ADVICE
    assert esper.create_entity(Transform()) == 1
    esper.switch_world(esper_world)
    assert Store.is_attached(), ADVICE
    assert world.entities() == [entity], ADVICE
