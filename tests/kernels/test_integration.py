"""Symplectic Euler against NumPy and against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.gravity import add_gravity
from ecs_physics.kernels.integration import integrate_positions, integrate_velocities
from ecs_physics.tables import DYNAMIC, GRAVITY_SCALE, KINEMATIC
from tests.kernels.tables import random_bodies

warm_up()

ROWS = 10
few = settings(max_examples=25, deadline=None)


@few
@given(seed=st.integers(0, 10_000), h=st.floats(1e-4, 0.1))
def test_velocities_take_forces_and_damping(seed: int, h: float) -> None:
    tables = random_bodies(seed, ROWS)
    bodies, forces, dampings = tables["bodies"], tables["forces"], tables["dampings"]
    before, after = tables["velocities"].copy(), tables["velocities"]
    integrate_velocities(ROWS, h, forces, dampings, bodies, after)
    moves, is_led = bodies["kind"] == DYNAMIC, bodies["kind"] == KINEMATIC
    for speed, force, inverse, damping in (
        ("x", "x", "inverse_mass_x", "linear"),
        ("y", "y", "inverse_mass_y", "linear"),
        ("omega", "torque", "inverse_inertia", "angular"),
    ):
        kicked = before[speed] + h * forces[force] * bodies[inverse]
        damped = kicked / (1.0 + h * dampings[damping])
        led = before[speed] + h * forces[force]  # an acceleration there: see kinematic_ramps.py
        others = np.where(is_led, led, before[speed])
        np.testing.assert_allclose(after[speed], np.where(moves, damped, others), rtol=1e-14)


@few
@given(seed=st.integers(0, 10_000), h=st.floats(1e-4, 0.1))
def test_positions_take_velocities(seed: int, h: float) -> None:
    tables = random_bodies(seed, ROWS)
    before, after = tables["bodies"].copy(), tables["bodies"]
    integrate_positions(ROWS, h, tables["velocities"], after)
    moves = (after["kind"] == DYNAMIC) | (after["kind"] == KINEMATIC)
    for place, speed in (("x", "x"), ("y", "y"), ("angle", "omega")):
        moved = before[place] + h * tables["velocities"][speed]
        np.testing.assert_array_equal(after[place], np.where(moves, moved, before[place]))


def test_rows_beyond_those_in_use_are_left_alone() -> None:
    tables = random_bodies(2, ROWS)
    tables["bodies"]["kind"] = DYNAMIC
    before = {name: table.copy() for name, table in tables.items()}
    integrate_velocities(
        6, 0.01, tables["forces"], tables["dampings"], tables["bodies"], tables["velocities"]
    )
    integrate_positions(6, 0.01, tables["velocities"], tables["bodies"])
    for name in ("velocities", "bodies"):
        assert tables[name][6:].tolist() == before[name][6:].tolist()
        assert tables[name][:6].tolist() != before[name][:6].tolist()


def test_a_spring_neither_gains_nor_loses_energy() -> None:
    """Symplectic: the energy of a spring swings within h omega / 2, and comes back for ever."""
    tables = random_bodies(0, 1)
    bodies, velocities, forces = tables["bodies"], tables["velocities"], tables["forces"]
    bodies["kind"] = DYNAMIC
    bodies["inverse_mass_x"] = 1.0
    bodies["x"], velocities["x"] = 1.0, 0.0
    for field in ("linear", "angular"):
        tables["dampings"][field] = 0.0
    h, omega = 1.0 / 240.0, 2.0 * math.pi
    energies = []
    for _ in range(240 * 50):
        forces["x"] = -(omega**2) * bodies["x"]
        integrate_velocities(1, h, forces, tables["dampings"], bodies, velocities)
        integrate_positions(1, h, velocities, bodies)
        energies.append(float((omega * bodies["x"][0]) ** 2 + velocities["x"][0] ** 2))
    assert max(energies) / omega**2 < 1.0 + h * omega
    assert min(energies) / omega**2 > 1.0 - h * omega
    assert np.mean(energies[-240:]) == pytest.approx(np.mean(energies[:240]), rel=1e-3)


@few
@given(seed=st.integers(0, 10_000), x=st.floats(-20, 20), y=st.floats(-20, 20))
def test_gravity_is_added_to_the_forces_of_dynamic_bodies(seed: int, x: float, y: float) -> None:
    tables = random_bodies(seed, ROWS)
    scales = np.zeros(ROWS, GRAVITY_SCALE)
    scales["factor"] = np.random.default_rng(seed).uniform(-2, 2, ROWS)
    before = tables["forces"].copy()
    add_gravity(ROWS, x, y, scales, tables["masses"], tables["bodies"], tables["forces"])
    weight = np.where(
        tables["bodies"]["kind"] == DYNAMIC, tables["masses"]["mass"] * scales["factor"], 0.0
    )
    np.testing.assert_allclose(tables["forces"]["x"], before["x"] + weight * x, rtol=1e-14)
    np.testing.assert_allclose(tables["forces"]["y"], before["y"] + weight * y, rtol=1e-14)
    np.testing.assert_array_equal(tables["forces"]["torque"], before["torque"])
