"""Where bodies touch ground made of tiles, against the distance from the nearest tile."""

import math
from typing import Any

import esper
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ecs_physics import Mass, Shape, Transform, Velocity, World
from tests.kernels import naive_manifold as naive

REACH = 0.02
"""m, within which two shapes at rest have a contact."""

BODIES = {
    "box": (Shape.box(0.8, 0.5), naive.box(0.8, 0.5)),
    "circle": (Shape.circle(0.4), naive.circle(0.4)),
    "capsule": (Shape.capsule((-0.3, 0), (0.3, 0), 0.2), naive.capsule(0.6, 0.2)),
    "rounded box": (Shape.box(0.8, 0.5, 0.1), naive.box(0.8, 0.5, 0.1)),
}
Cells = list[tuple[int, int]]
cells = st.lists(
    st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=2, max_size=12, unique=True
)
angles = st.floats(-math.pi, math.pi)


def distance(shape: naive.NaivePart, x: float, y: float, angle: float, tiles: Cells) -> float:
    tile, turned = naive.box(1, 1), shape.turned(angle)
    return min(naive.gap(tile, turned, (x - cx, y - cy)) for cx, cy in tiles)


def contacts(name: str, x: float, y: float, angle: float, tiles: Cells, *, first: bool) -> Any:
    """What a step finds between a body at rest and tiles; the body may be created first."""
    with World(gravity=(0.0, 0.0), name=f"{name} {id(tiles)} {first} {x} {y}") as world:
        if first:
            place_body(name, x, y, angle)
        for cx, cy in tiles:
            esper.create_entity(Transform(cx, cy), Shape.box(1, 1))
        if not first:
            place_body(name, x, y, angle)
        world.step(1 / 60)
        found = world.contacts
        world.close()
    return found


def place_body(name: str, x: float, y: float, angle: float) -> None:
    esper.create_entity(Transform(x, y, angle), Velocity(), BODIES[name][0], Mass())


def separations(found: Any) -> list[float]:
    return sorted(s for row in found for s in row["separation"][: row["count"]])


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(BODIES)), cells, angles, angles, st.floats(0.001, 0.9 * REACH))
def test_the_nearest_contact_is_as_far_as_the_nearest_tile(
    name: str, tiles: Cells, angle: float, side: float, gap: float
) -> None:
    """Whatever body comes from whatever side, and whichever of the two was there first."""
    shape = BODIES[name][1]
    low, high = 0.0, 8.0  # m, from the middle: outside of all tiles at `high`
    for _ in range(40):
        middle = 0.5 * (low + high)
        place = middle * math.cos(side), middle * math.sin(side)
        low, high = (low, middle) if distance(shape, *place, angle, tiles) > gap else (middle, high)
    place = high * math.cos(side), high * math.sin(side)
    assume(abs(distance(shape, *place, angle, tiles) - gap) < 1e-6)
    found = contacts(name, *place, angle, tiles, first=False)
    assert len(found) > 0
    nearest = min(separations(found))
    assert math.isclose(nearest, gap, abs_tol=2e-4)
    other = contacts(name, *place, angle, tiles, first=True)
    np.testing.assert_allclose(separations(other), separations(found), atol=2e-4)
