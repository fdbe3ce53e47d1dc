"""Crossing a sensor within a step, against many looks along the way."""

import itertools
import math

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import Mass, Sensor, Shape, Transform, Velocity, World

DT = 1.0 / 60.0
LOOKS = 400
_serial = itertools.count(1)


def least_gap_of_discs(radius: float, start: np.ndarray, move: np.ndarray) -> float:
    """Of a disc on its way and a unit disc at the origin, exactly."""
    length = float(move @ move)
    share = min(max(-float(start @ move) / length, 0.0), 1.0) if length else 0.0
    return float(np.hypot(*(start + share * move))) - 1.0 - radius


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_a_disc_crosses_a_disc_where_its_way_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, 0.0), name=f"crossing {next(_serial)}")
    radius = float(rng.uniform(0.05, 0.5))
    start, move = rng.uniform(-6.0, 6.0, 2), rng.uniform(-12.0, 12.0, 2)
    esper.create_entity(Transform(0.0, 0.0), Velocity(3.0, 1.0), Shape.circle(1.0), Sensor())
    esper.create_entity(
        Transform(*start.tolist()),
        Velocity(*(move / DT + (3.0, 1.0)).tolist()),
        Shape.circle(radius),
        Mass(),
    )
    world.step(DT)
    least = least_gap_of_discs(radius, start, move)
    if abs(least) > 1e-6:
        assert len(world.events.sensor_begin) == (least < 0.0)
        ends_inside = float(np.hypot(*(start + move))) < 1.0 + radius
        assert len(world.events.sensor_end) == (least < 0.0 and not ends_inside)


@pytest.mark.parametrize("seed", range(60))
def test_a_turning_bar_crosses_a_corner_where_many_looks_say_so(seed: int) -> None:
    """A bar that turns by up to two turns a step and flies on, past a small disc."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, 0.0), name=f"crossing {next(_serial)}")
    at, turn = rng.uniform(-2.5, 2.5, 2), float(rng.uniform(-12.0, 12.0))
    move, angle = rng.uniform(-2.0, 2.0, 2), float(rng.uniform(-3.0, 3.0))
    esper.create_entity(
        Transform(0.0, 0.0, angle),
        Velocity(*(move / DT).tolist(), turn / DT),
        Shape.box(3.0, 0.1),
        Sensor(),
    )
    esper.create_entity(Transform(*at.tolist()), Shape.circle(0.1))
    world.step(DT)
    gaps = []
    for share in np.linspace(0.0, 1.0, 40 * LOOKS):
        x, y = at - share * move
        cos, sin = math.cos(angle + share * turn), math.sin(angle + share * turn)
        along, across = abs(cos * x + sin * y), abs(cos * y - sin * x)
        away = math.hypot(max(along - 1.5, 0.0), max(across - 0.05, 0.0))
        gaps.append(away - 0.1)
    if abs(min(gaps)) > 5e-3:
        assert len(world.events.sensor_begin) == (min(gaps) < 0.0)
