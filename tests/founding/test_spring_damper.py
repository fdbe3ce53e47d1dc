"""Founding system 2, against its reference: one mass, one spring, four integrators."""

from typing import Any

import esper
import pytest

from ecs_physics import Mass, Stage, Transform, Velocity, World
from ecs_physics.components import Spring
from ecs_physics.measures import kinetic_energy, potential_energy, total_energy
from ecs_physics.systems.integrators import use_integrator
from ecs_physics.systems.springs import Springs
from tests.founding.founding import reference

CASES = reference("spring_damper")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['method']}, {case['name']}")
def test_every_sample_of_the_reference_agrees(case: dict[str, Any]) -> None:
    params = case["params"]
    world = World(gravity=(0, 0), substeps=1, sleep=False)
    use_integrator(world, case["method"])
    world.add_system(Springs(world), Stage.FORCES)
    pose, motion = Transform(params["x"], params["y"]), Velocity(params["vx"], params["vy"])
    particle = esper.create_entity(pose, motion, Mass(mass=params["mass"]))
    given = {name: params[name] for name in ("stiffness", "rest_length", "damping")}
    esper.create_entity(Spring(particle, **given))
    tolerance = 1e-6 if case["name"] == "stiff_coarse" else 1e-9
    for sample in case["samples"]:
        while world.steps < sample["step"]:
            world.step(params["dt"])
        got = {
            "x": pose.x,
            "y": pose.y,
            "vx": motion.x,
            "vy": motion.y,
            "kinetic": kinetic_energy(world),
            "potential": potential_energy(world),
            "total": total_energy(world),
        }
        wanted = {name: sample[name] for name in got}
        assert got == pytest.approx(wanted, rel=tolerance, abs=0.0)
