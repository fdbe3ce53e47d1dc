"""Founding system 1, against its reference: boxes on a floor by impulses and penalty forces."""

from typing import Any

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Shape, Stage, Transform, Velocity, World
from ecs_physics.measures import angular_momentum, kinetic_energy, momentum
from ecs_physics.systems.floor_detection import FloorDetection
from ecs_physics.systems.impulse_penalty import ImpulsePenaltyResolution
from ecs_physics.systems.integration import Integration
from ecs_physics.systems.integrators import use_integrator
from ecs_physics.systems.vertex_edge import VertexEdgeDetection
from tests.founding.founding import reference, with_systems

CASES = reference("rigid_body_collision")
SETTINGS = ("stiffness", "restitution", "friction", "use_impulses", "use_penalty_force")
FLOORS = {
    "chain": (Transform, Shape.chain([(-1000, 0), (1000, 0)])),
    "segment": (Transform, Shape.segment((-1000, 0), (1000, 0))),
    "box": (lambda: Transform(0, -50), Shape.box(2000, 100)),
}


def lab(params: dict[str, Any], floor: str = "chain") -> tuple[World, list[int]]:
    """The five boxes above the floor."""
    start, box = params["initial"], params["box"]
    world = World(gravity=(0, params["gravity"]), substeps=1, sleep=False)
    settings = {each: params[each] for each in SETTINGS}
    with_systems(world, FloorDetection(world), ImpulsePenaltyResolution(world, **settings))
    place, shape = FLOORS[floor]
    esper.create_entity(place(), shape)
    boxes = [
        esper.create_entity(
            Transform(x, start["y"], angle),
            Velocity(start["vx"], start["vy"], start["omega"]),
            Shape.box(box["length"], box["width"]),
            Mass(mass=box["mass"]),
        )
        for x, angle in zip(start["x"], start["angles"], strict=True)
    ]
    return world, boxes


def states(boxes: list[int]) -> list[list[float]]:
    """x, y, angle, vx, vy, omega of each box."""
    found = []
    for box in boxes:
        pose = esper.component_for_entity(box, Transform)
        motion = esper.component_for_entity(box, Velocity)
        found.append([pose.x, pose.y, pose.angle, motion.x, motion.y, motion.omega])
    return found


def check(case: dict[str, Any], world: World, boxes: list[int], last: int) -> None:
    for sample in case["samples"]:
        if sample["step"] > last:
            break
        while world.steps < sample["step"]:
            world.step(case["params"]["dt"])
        pairs = zip(states(boxes), sample["bodies"], strict=True)
        for got, wanted in pairs:
            if wanted is not None:  # left out where the motion is chaotic
                assert got == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_sample_of_the_reference_agrees(case: dict[str, Any]) -> None:
    world, boxes = lab(case["params"])
    check(case, world, boxes, 10_000)


@pytest.mark.parametrize("floor", ["segment", "box"])
def test_a_segment_and_a_box_are_the_same_floor(floor: str) -> None:
    world, boxes = lab(CASES[0]["params"], floor)
    check(CASES[0], world, boxes, 600)


def test_the_symplectic_integrator_by_name_gives_the_same() -> None:
    case = CASES[0]
    world, boxes = lab(case["params"])
    use_integrator(world, "Symplectic Euler")
    assert not any(isinstance(each, Integration) for each in world.systems(Stage.INTEGRATION))
    check(case, world, boxes, 600)


def test_settings_are_live_and_bad_ones_are_refused() -> None:
    world, _ = lab(CASES[0]["params"])
    resolution = world.systems(Stage.CONTACT_RESOLUTION)[0]
    resolution.restitution = 0.0
    with pytest.raises(ValueError, match=r"restitution = 1.5"):
        resolution.restitution = 1.5
    with pytest.raises(ValueError, match=r"stiffness = -1"):
        resolution.stiffness = -1
    with pytest.raises(ValueError, match="use_impulses = 1"):
        resolution.use_impulses = 1
    assert resolution.restitution == 0.0


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_two_dynamic_bodies_share_the_impulse(friction: float) -> None:
    """A corner hits a resting box off its centre: momentum and angular momentum stay."""
    world = World(gravity=(0, 0), substeps=1, sleep=False)
    resolution = ImpulsePenaltyResolution(
        world, stiffness=0, restitution=1, friction=friction, use_penalty_force=False
    )
    with_systems(world, VertexEdgeDetection(world), resolution)
    esper.create_entity(
        Transform(0.3, 1.15, np.pi / 4), Velocity(1, -2, 0.5), Shape.box(1, 1), Mass()
    )
    resting = esper.create_entity(Transform(), Velocity(), Shape.box(4, 1), Mass())
    before = (*momentum(world), angular_momentum(world))
    energy = kinetic_energy(world)
    for _ in range(10):
        world.step(0.01)
    assert (*momentum(world), angular_momentum(world)) == pytest.approx(before, abs=1e-12)
    assert esper.component_for_entity(resting, Velocity).y < -0.1
    if friction == 0.0:
        assert kinetic_energy(world) == pytest.approx(energy, rel=1e-12)
