"""Founding system 3, against its reference: detection by two methods, elastic resolution."""

from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Shape, Transform, Velocity, World
from ecs_physics.kernels.impacts_out import PARALLEL, VERTEX_EDGE, VERTEX_VERTEX, kind_of
from ecs_physics.polygons import minimum_push_vector
from ecs_physics.systems.elastic import ElasticResolution
from ecs_physics.systems.separating_axis import SeparatingAxisDetection
from ecs_physics.systems.textbook_detection import TextbookDetection
from ecs_physics.systems.vertex_edge import VertexEdgeDetection
from tests.founding.founding import placed, reference, with_systems

REFERENCE = reference("polygon_collisions")
DETECTION = REFERENCE["detection"]
KINDS = {"vertex_edge": VERTEX_EDGE, "parallel": PARALLEL, "vertex_vertex": VERTEX_VERTEX}


def impacts(case: dict[str, Any], detection: type[TextbookDetection]) -> Any:
    """The impacts that a method finds between the two polygons, and their kinds."""
    world = World(gravity=(0, 0), substeps=1, sleep=False)
    with_systems(world, detection(world))
    for name in ("a", "b"):
        body = case[name]
        esper.create_entity(
            Transform(*body["position"], body["angle"]),
            Velocity(),
            Shape.polygon(body["vertices"]),
            Mass(),
        )
    world.step(1e-9)
    contacts = world.contact_table
    rows = contacts.rows[contacts.active[: contacts.active_count]]
    return world.contacts, [int(kind_of(row["feature_0"])) for row in rows]


@pytest.mark.parametrize("case", DETECTION, ids=lambda case: case["name"])
def test_vertex_edge_method(case: dict[str, Any]) -> None:
    contacts, kinds = impacts(case, VertexEdgeDetection)
    if case["kind"] == "none":
        assert len(contacts) == 0
        return
    assert kinds == [KINDS[case["kind"]]]
    impact = contacts[0]
    normal = [-impact["normal_x"], -impact["normal_y"]]  # ours is from A to B
    if case["kind"] == "vertex_vertex":
        assert (impact["x"][0], impact["y"][0]) == pytest.approx((0.4, 0.45), abs=1e-9)
        depths = {(1, 0): 0.1, (0, 1): 0.05}
        assert -impact["separation"][0] == pytest.approx(
            depths[tuple(round(each) for each in normal)], abs=1e-9
        )
        return
    assert normal == pytest.approx(case["normal"], abs=1e-9)
    assert -impact["separation"][0] == pytest.approx(case["depth"], abs=1e-9)
    if "impact" in case:
        assert (impact["x"][0], impact["y"][0]) == pytest.approx(case["impact"], abs=1e-9)
    else:
        assert impact["x"][0] == pytest.approx(case["impact_x"], abs=1e-9)


@pytest.mark.parametrize(
    "case", [each for each in DETECTION if "sat_mpv" in each], ids=lambda case: case["name"]
)
def test_separating_axis_method(case: dict[str, Any]) -> None:
    corners = [placed(case[n]["vertices"], case[n]["position"], case[n]["angle"]) for n in "ab"]
    assert minimum_push_vector(*corners) == pytest.approx(case["sat_mpv"], abs=1e-9)
    contacts, _ = impacts(case, SeparatingAxisDetection)
    assert len(contacts) == 1
    impact = contacts[0]
    push = impact["separation"][0] * np.array([impact["normal_x"], impact["normal_y"]])
    assert push == pytest.approx(case["sat_mpv"], abs=1e-9)
    if "impact" in case:
        assert (impact["x"][0], impact["y"][0]) == pytest.approx(case["impact"], abs=1e-9)
    if "impact_x" in case:
        assert impact["x"][0] == pytest.approx(case["impact_x"], abs=1e-9)


@pytest.mark.parametrize(
    "case", [e for e in DETECTION if e["kind"] == "none"], ids=lambda case: case["name"]
)
def test_separating_axis_method_says_no(case: dict[str, Any]) -> None:
    contacts, _ = impacts(case, SeparatingAxisDetection)
    assert len(contacts) == 0


class Given(TextbookDetection):
    """Reports one impact that was told beforehand."""

    def __init__(self, world: World, point: Any, normal: Any) -> None:
        super().__init__(world)
        self.point, self.normal = point, normal

    def find(self, store: Any, first_row: int, rows: Any) -> int:
        contact = rows[first_row]
        contact["body_a"], contact["body_b"], contact["count"] = 0, 1, 1
        contact["normal_x"], contact["normal_y"] = -self.normal[0], -self.normal[1]
        for body, side in ((0, "a"), (1, "b")):
            contact[f"anchor_{side}x_0"] = self.point[0] - store.bodies["x"][body]
            contact[f"anchor_{side}y_0"] = self.point[1] - store.bodies["y"][body]
        contact["separation_0"] = -1e-300
        return 1


@pytest.mark.parametrize("case", REFERENCE["resolution"], ids=lambda case: case["name"])
def test_elastic_resolution(case: dict[str, Any]) -> None:
    world = World(gravity=(0, 0), substeps=1, sleep=False)
    with_systems(
        world,
        Given(world, case["point"], case["normal"]),
        ElasticResolution(world, elasticity=case["elasticity"]),
    )
    velocities = {}
    for name in ("a", "b"):
        body = case[name]
        velocities[name] = Velocity(*body["velocity"], body["omega"])
        parts = [Transform(*body["position"]), velocities[name], Shape.box(1, 1)]
        if body["mass"] is not None:
            parts.append(Mass(mass=body["mass"], inertia=body["inertia"]))
        esper.create_entity(*parts)
    world.step(1e-9)
    for name, velocity in velocities.items():
        got = [velocity.x, velocity.y, velocity.omega]
        assert got == pytest.approx(case["after"][name], abs=1e-9)
    impulse = world.contacts["normal_impulse"][0][0]
    assert impulse == pytest.approx(case["impulse"], abs=1e-9)
