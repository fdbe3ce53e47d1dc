"""The same world gives the same bits: again, from a cold cache, and without the compiler."""

import json
import os
import subprocess
import sys
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_physics import Mass, Material, Shape, Stage, Transform, Velocity, World
from ecs_physics.systems.contact_resolution import ContactResolution
from tests.scenes.scenery import DT, body, floor, joint_of_each_kind, new_world

ROOT = Path(__file__).parents[2]
ADVICE = (
    "the same scene gave other bits: look for sets, unordered threads, float contraction, or "
    "memory that is read before it is written"
)


def mixed_scene() -> World:
    """Every shape, restitution, rolling, a running chain and a kinematic bar: small but rich."""
    world = new_world()
    hills = [(x, 0.3 * abs(x)) for x in range(-6, 7, 2)]
    esper.create_entity(Transform(0, -1), Shape.chain(hills), Material(surface_speed=0.5))
    esper.create_entity(Transform(2, 3), Velocity(0, 0, 1.0), Shape.segment((-1, 0), (1, 0), 0.05))
    shapes = [
        Shape.circle(0.3),
        Shape.box(0.6, 0.4),
        Shape.capsule((-0.3, 0), (0.3, 0), 0.2),
        Shape.polygon([(0, 0), (0.9, 0), (0.9, 0.3), (0.3, 0.3), (0.3, 0.9), (0, 0.9)]),
        Shape.box(0.5, 0.5, 0.1),
        Shape.compound([(Shape.circle(0.2), -0.3, 0, 0), (Shape.box(0.4, 0.3), 0.2, 0, 0.3)]),
    ]
    for k, shape in enumerate(shapes):
        material = Material(restitution=0.25 * (k % 4), rolling_resistance=0.01 * k)
        velocity = Velocity(1.5 - 0.5 * k, -2.0, 0.5 * k)
        body(shape, 1.1 * k - 2.7, 1.0 + 0.1 * k, velocity, material, angle=0.4 * k)
    joint_of_each_kind(-8.0, 4.0)
    return world


def run_and_show(steps: int) -> str:
    """Run the scene: its hash, and its bodies' numbers in full, as JSON."""
    world = mixed_scene()
    most = 0
    for _ in range(steps):
        world.step(DT)
        most = max(most, len(world.contacts))
    at, moving = world.columns(Transform), world.columns(Velocity)
    numbers = [at[f].tolist() for f in ("x", "y", "angle")]
    numbers += [moving[f].tolist() for f in ("x", "y", "omega")]
    return json.dumps({"hash": world.hash(), "numbers": numbers, "contacts": most})


def run_in_another_process(steps: int, **environment: str) -> tuple[dict, str]:
    """What `run_and_show` says there, and what the process said on standard error."""
    code = f"from tests.scenes.test_determinism import run_and_show; print(run_and_show({steps}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_two_runs_are_equal() -> None:
    first = json.loads(run_and_show(300))
    assert first["contacts"] > 6
    assert json.loads(run_and_show(300))["hash"] == first["hash"], ADVICE


def test_a_big_pile_of_two_runs_is_equal() -> None:
    hashes = []
    for _ in range(2):
        rng = np.random.default_rng(7)
        world = new_world()
        floor(40.0)
        for k in range(200):
            shape = Shape.box(0.5, 0.5) if k % 3 else Shape.circle(0.25)
            x, y = k % 20 - 10 + rng.uniform(0, 0.1), 1 + 0.7 * (k // 20)
            body(shape, x, y, Mass(density=rng.uniform(0.5, 2.0)), Material(restitution=0.3))
        for _step in range(200):
            world.step(DT)
        hashes.append(world.hash())
        world.close()
    assert hashes[0] == hashes[1], ADVICE


def test_cold_and_cached_kernels_give_the_same_bits(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    cold, said = run_in_another_process(120, **environment)
    assert "compiling" in said
    cached, said = run_in_another_process(120, **environment)
    assert said == "", "the second run should load all kernels from the cache, and be silent"
    here = json.loads(run_and_show(120))
    assert cold["hash"] == cached["hash"], ADVICE
    assert cold["hash"] == here["hash"], ADVICE


def test_without_the_compiler_the_values_are_the_same() -> None:
    plain, _ = run_in_another_process(90, NUMBA_DISABLE_JIT="1")
    compiled = json.loads(run_and_show(90))
    assert compiled["contacts"] > 6
    np.testing.assert_allclose(plain["numbers"], compiled["numbers"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("substeps", [1, 3, 8])
def test_any_number_of_substeps_is_deterministic(substeps: int) -> None:
    hashes = set()
    for _ in range(2):
        world = mixed_scene()
        world.substeps = substeps
        for _step in range(60):
            world.step(DT)
        hashes.add(world.hash())
        world.close()
    assert len(hashes) == 1, ADVICE


class Nothing(esper.Processor):
    """A system of a user's; where there is one, the phases of a substep run one by one."""

    def process(self, h: float) -> None:
        """Do nothing."""


@pytest.mark.parametrize("way", ["phase by phase", "one after the other"])
def test_all_ways_through_the_step_give_the_same_bits(way: str) -> None:
    usual = mixed_scene()
    other = mixed_scene()
    if way == "phase by phase":
        other.add_system(Nothing(), Stage.SUBSTEP)
    else:
        other.remove_system(ContactResolution)
        other.add_system(ContactResolution(other, wide=False), Stage.CONTACT_RESOLUTION)
    for world in (usual, other):
        for _step in range(90):
            world.step(DT)
    assert usual.hash() == other.hash(), ADVICE


def test_one_and_two_threads_give_the_same_bits() -> None:
    hashes = []
    for threads in (1, 2):
        world = new_world()
        world.threads = threads
        floor(300.0)
        for k in range(2000):  # enough for both threads to be used
            shape = Shape.box(0.9, 0.9) if k % 5 else Shape.circle(0.45)
            x, y = k % 200 - 100 + 0.04 * (k // 200), 0.5 + k // 200
            body(shape, x, y, Material(restitution=0.2 * (k % 3)))
        for k in range(20):
            joint_of_each_kind(30.0 * k - 280.0, 15.0)
        for _step in range(60):
            world.step(DT)
        assert len(world.contacts) > 2000
        hashes.append(world.hash())
        world.close()
    assert hashes[0] == hashes[1], ADVICE
