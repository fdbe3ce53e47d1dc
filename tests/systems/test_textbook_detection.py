"""The textbook detections in worlds: ground of all kinds, many impacts, and taking turns."""

import math
from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Material, Shape, Stage, Transform, Velocity, World
from ecs_physics.measures import max_penetration, momentum
from ecs_physics.polygons import random_simple
from ecs_physics.systems.collision_detection import CollisionDetection
from ecs_physics.systems.contact_resolution import ContactResolution
from ecs_physics.systems.elastic import ElasticResolution
from ecs_physics.systems.floor_detection import FloorDetection
from ecs_physics.systems.impulse_penalty import ImpulsePenaltyResolution
from ecs_physics.systems.separating_axis import SeparatingAxisDetection
from ecs_physics.systems.vertex_edge import VertexEdgeDetection

DETECTIONS = [FloorDetection, SeparatingAxisDetection, VertexEdgeDetection]
L_SHAPE = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
GROUND = {
    "chain": Shape.chain([(-10, 0), (-1, 0), (10, 0)]),
    "segment": Shape.segment((-10, 0), (10, 0)),
    "box": Shape.compound([(Shape.box(20, 4), 0, -2)]),
    "polygon": Shape.polygon([(-10, 0), (-10, -3), (0, -1), (10, -3), (10, 0)]),
}


def quiet_world(detection: Any, resolution: Any = None) -> World:
    world = World(gravity=(0, 0), substeps=1)
    world.remove_system(CollisionDetection)
    world.remove_system(ContactResolution)
    world.add_system(detection(world), Stage.COLLISION_DETECTION)
    if resolution is not None:
        world.add_system(resolution(world), Stage.CONTACT_RESOLUTION)
    return world


@pytest.mark.parametrize("ground", GROUND)
@pytest.mark.parametrize("detection", DETECTIONS)
def test_a_corner_in_the_ground(detection: type, ground: str) -> None:
    world = quiet_world(detection)
    floor = esper.create_entity(Transform(2, 1), GROUND[ground])
    depth = 0.01
    box = esper.create_entity(
        Transform(3, 1 + math.sqrt(0.5) - depth, math.pi / 4), Velocity(), Shape.box(1, 1), Mass()
    )
    world.step(1e-9)
    (impact,) = world.contacts
    assert (impact["entity_a"], impact["entity_b"]) == (floor, box)
    assert (impact["normal_x"], impact["normal_y"]) == pytest.approx((0, 1), abs=1e-12)
    assert impact["separation"][0] == pytest.approx(-depth)
    assert (impact["x"][0], impact["y"][0]) == pytest.approx((3, 1 - depth))


def test_the_floor_is_solid_at_any_depth_and_ends_at_its_ends() -> None:
    world = quiet_world(FloorDetection)
    esper.create_entity(Transform(), Shape.chain([(-10, 0), (10, 0)]))
    for x, y in ((0, -50), (9.8, -5), (40, -5)):
        esper.create_entity(Transform(x, y), Velocity(), Shape.box(1, 1), Mass())
    world.step(1e-9)
    depths = [(each["entity_b"], -each["separation"][0]) for each in world.contacts]
    assert depths == [(2, 50.5), (2, 49.5), (2, 49.5), (2, 50.5), (3, 5.5), (3, 4.5)]


def test_floor_vertices_come_clockwise_from_the_first_whatever_the_winding() -> None:
    corners = [(-1, -0.5), (-1, 0.5), (1, 0.5), (1, -0.5)]
    for shape in (
        Shape.box(2, 1),
        Shape.polygon(corners),
        Shape.polygon([*corners[:1], *corners[:0:-1]]),
    ):
        world = quiet_world(FloorDetection)
        esper.create_entity(Transform(), Shape.segment((-10, 1), (10, 1)))
        esper.create_entity(Transform(), Shape.chain([(-10, 1), (10, 1)]))
        esper.create_entity(Transform(), Velocity(), shape, Mass())
        world.step(1e-9)
        chain = [each for each in world.contacts if each["entity_a"] == 2]
        found = [(each["x"][0], each["y"][0]) for each in chain]
        assert found == corners
        world.reset()
        world.close()


@pytest.mark.parametrize(
    ("ground", "body", "wanted"),
    [
        (  # a room: everything outside of it is solid
            Shape.chain([(0, 0), (4, 0), (4, 3), (0, 3)], closed=True),
            (Transform(3.55, 2), Shape.box(1, 1)),
            {(-1, 0, -0.05)},
        ),
        (  # a valley: below its lowest point either side is nearest
            Shape.chain([(-5, 5), (0, 0), (5, 5)]),
            (Transform(0, 0.45), Shape.box(0.1, 1)),
            {(1, 1, -0.1 / math.sqrt(2)), (-1, 1, -0.1 / math.sqrt(2))},
        ),
        (  # a hill: nothing is below both sides at once
            Shape.chain([(-5, -5), (0, 0), (5, -5)]),
            (Transform(1, -1.1), Shape.box(0.2, 0.2)),
            {(1, 1, -0.3 / math.sqrt(2)), (1, 1, -0.1 / math.sqrt(2))},
        ),
    ],
)
def test_chains_are_solid_behind_their_nearest_edge(ground: Shape, body: Any, wanted: Any) -> None:
    world = quiet_world(FloorDetection)
    esper.create_entity(Transform(), ground)
    esper.create_entity(*body, Velocity(), Mass())
    world.step(1e-9)
    found = {
        (
            round(float(each["normal_x"])),
            round(float(each["normal_y"])),
            round(float(each["separation"][0]), 9),
        )
        for each in world.contacts
    }
    assert found == {(x, y, round(separation, 9)) for x, y, separation in wanted}


@pytest.mark.parametrize("detection", DETECTIONS)
def test_concave_ground_has_room_in_its_notch(detection: type) -> None:
    world = quiet_world(detection)
    esper.create_entity(Transform(), Shape.polygon(L_SHAPE))
    free = esper.create_entity(Transform(2, 1.6), Velocity(), Shape.box(0.4, 0.4), Mass())
    world.step(1e-9)
    assert len(world.contacts) == 0
    esper.component_for_entity(free, Transform).y = 1.19
    world.step(1e-9)
    assert {(round(c["normal_x"]), round(c["normal_y"])) for c in world.contacts} == {(0, 1)}
    assert world.contacts["separation"][0][0] == pytest.approx(-0.01)


def test_separating_axis_is_exact_for_round_shapes() -> None:
    cases = [
        (Shape.circle(1), (0, 0), Shape.circle(2), (2.5, 0), (1, 0), 0.5, (0.5, 0)),
        (Shape.circle(1), (0, 0), Shape.circle(2), (0, 0), (0, 1), 3.0, (0, -2)),
        (Shape.box(2, 2), (0, 0), Shape.circle(1), (0.3, 1.8), (0, 1), 0.2, (0.3, 0.8)),
        (Shape.box(2, 2), (0, 0), Shape.circle(1), (1.3, 1.4), (0.6, 0.8), 0.5, (0.7, 0.6)),
        (Shape.box(2, 2, 0.1), (0, 0), Shape.circle(1), (1.3, 1.4), (0.6, 0.8), 0.6, (0.7, 0.6)),
        (
            Shape.capsule((-1, 0), (1, 0), 0.5),
            (0, 0),
            Shape.capsule((-1, 0), (1, 0), 0.5),
            (1, 0.9),
            (0, 1),
            0.1,
            (0.5, 0.5),
        ),
    ]
    for a, at_a, b, at_b, normal, overlap, where in cases:
        world = quiet_world(SeparatingAxisDetection)
        for shape, at in ((a, at_a), (b, at_b)):
            esper.create_entity(Transform(*at), Velocity(), shape, Mass())
        world.step(1e-9)
        (impact,) = world.contacts
        assert (impact["normal_x"], impact["normal_y"]) == pytest.approx(normal, abs=1e-9)
        assert -impact["separation"][0] == pytest.approx(overlap)
        assert (impact["x"][0], impact["y"][0]) == pytest.approx(where, abs=1e-9)
        world.reset()
        world.close()


@pytest.mark.parametrize("detection", DETECTIONS)
def test_more_impacts_than_the_table_has_rows(detection: type) -> None:
    world = quiet_world(detection)
    esper.create_entity(Transform(), Shape.box(1000, 2))
    for i in range(150):
        esper.create_entity(Transform(3 * i - 225, 1.6, 0.7), Velocity(), Shape.box(1, 1), Mass())
    world.step(1e-9)
    assert len(world.contacts) == 150
    assert len(set(world.contacts["entity_b"])) == 150


@pytest.mark.parametrize("detection", DETECTIONS)
def test_detections_take_turns_with_the_production_one(detection: type) -> None:
    """A pile that stands is found again after some steps of a textbook method."""
    world = World()
    esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    poses = [Transform(0, 0.5 + i) for i in range(4)]
    for pose in poses:
        esper.create_entity(pose, Velocity(), Shape.box(1, 1), Mass())
    esper.create_entity(Transform(5, 30), Velocity(), Shape.circle(0.5), Mass())
    for _ in range(30):
        world.step(1 / 60)
    count = len(world.contacts)
    production = world.systems(Stage.COLLISION_DETECTION)[0]
    world.remove_system(production)
    textbook = detection(world)
    world.add_system(textbook, Stage.COLLISION_DETECTION)
    gone = esper.create_entity(Transform(8, 0.45), Velocity(), Shape.box(1, 1), Mass())
    for _ in range(3):
        world.step(1 / 240)
    esper.delete_entity(gone, immediate=True)
    assert gone not in world.contacts["entity_b"]
    world.remove_system(textbook)
    world.add_system(production, Stage.COLLISION_DETECTION)
    for _ in range(120):
        world.step(1 / 60)
    assert (count, len(world.contacts)) == (4, 5)  # the ball has landed
    assert [pose.y for pose in poses] == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=0.02)


@pytest.mark.parametrize("detection", [SeparatingAxisDetection, VertexEdgeDetection])
def test_the_production_resolution_takes_textbook_contacts(detection: type) -> None:
    world = World()
    world.remove_system(CollisionDetection)
    world.add_system(detection(world), Stage.COLLISION_DETECTION)
    esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    pose = Transform(0, 0.6)
    esper.create_entity(pose, Velocity(), Shape.box(1, 1), Mass())
    for _ in range(240):
        world.step(1 / 60)
    assert pose.y == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("detection", [CollisionDetection, *DETECTIONS])
def test_impulse_and_penalty_hold_a_box_on_any_ground(detection: type) -> None:
    """The penalty force sinks by its weight over the stiffness of two corners."""
    world = quiet_world(
        detection,
        lambda w: ImpulsePenaltyResolution(w, stiffness=2000, restitution=0, friction=0.5),
    )
    world.gravity = (0, -9.81)
    esper.create_entity(Transform(), Shape.box(20, 2))
    pose = Transform(0, 1.5)
    esper.create_entity(pose, Velocity(), Shape.box(1, 1), Mass(mass=1))
    for _ in range(2000):
        world.step(1 / 500)
    points = 1 if detection in {SeparatingAxisDetection, VertexEdgeDetection} else 2
    assert 1.5 - pose.y == pytest.approx(9.81 / (2000 * points), rel=0.3)


def test_none_takes_each_pairs_material() -> None:
    world = quiet_world(SeparatingAxisDetection, lambda w: ElasticResolution(w, elasticity=None))
    velocities = []
    for x, restitution in ((0, 0.25), (10, 1.0)):
        esper.create_entity(Transform(x, -1), Shape.box(4, 2), Material(restitution=restitution))
        velocities.append(Velocity(0, -2))
        esper.create_entity(Transform(x, 0.49), velocities[-1], Shape.circle(0.5), Mass())
    world.step(1e-6)
    assert [each.y for each in velocities] == pytest.approx([0.5, 2.0])


def test_a_hundred_polygons_fly_in_a_box() -> None:
    """Momentum stays until a wall is hit, all stay inside, the same start gives the same bits."""
    hashes = []
    for _ in range(2):
        world = quiet_world(lambda w: VertexEdgeDetection(w, with_edges=True), ElasticResolution)
        for x, y in ((0, -20), (0, 20), (-20, 0), (20, 0)):
            esper.create_entity(Transform(x, y), Shape.box(20, 20))
        random = np.random.default_rng(7)
        for i in range(100):
            corners = random_simple(i, radius=0.6)
            esper.create_entity(
                Transform(2 * (i % 10) - 9, 2 * (i // 10) - 9, i),
                Velocity(*random.uniform(-2, 2, 2), random.uniform(-1, 1)),
                Shape.polygon(corners.tolist()),
                Mass(),
            )
        kept = momentum(world)
        for _ in range(5):
            world.step(1 / 60)
        assert momentum(world) == pytest.approx(kept, abs=1e-9)
        for _ in range(300):
            world.step(1 / 60)
        table = world.columns(Transform)[4:]
        assert max(np.abs(table["x"]).max(), np.abs(table["y"]).max()) < 10.0
        assert max_penetration(world) < 0.5
        hashes.append(world.hash())
        world.reset()
        world.close()
    assert hashes[0] == hashes[1]


def test_the_textbook_method_misses_an_edge_that_came_in_at_once() -> None:
    for with_edges, wanted in ((False, []), (True, [-0.1, -0.06])):
        world = quiet_world(lambda w, on=with_edges: VertexEdgeDetection(w, with_edges=on))
        esper.create_entity(Transform(), Shape.box(20, 2))
        corners = [(-1, 0.9), (0, 0.8), (1, 0.94), (1, 2), (-1, 2)]
        esper.create_entity(Transform(), Velocity(), Shape.polygon(corners), Mass())
        world.step(1e-9)
        assert world.contacts["separation"][:, 0] == pytest.approx(wanted)
        world.reset()
        world.close()
