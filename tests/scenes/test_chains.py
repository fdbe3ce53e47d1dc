"""Ground made of a chain: nothing snags at its inner vertices, and one side is open."""

import math

import esper
import numpy as np
import pytest

from ecs_physics import Material, Shape, Transform, Velocity
from tests.scenes.scenery import body, motion, new_world, place, run, steps

SLIPPERY = Material(friction=0.0)
PHASES = 40
CAPSULE = Shape.capsule((-0.5, 0), (0.5, 0), 0.3)
SLIDERS = {
    "box": (Shape.box(1, 1), 0.0, 0.5),
    "circle": (Shape.circle(0.5), 0.0, 0.5),
    "lying capsule": (CAPSULE, 0.0, 0.3),
    "standing capsule": (CAPSULE, math.pi / 2, 0.8),
}


@pytest.mark.parametrize("speed", [5.0, 8.0, 15.0])
@pytest.mark.parametrize("slider", SLIDERS)
def test_nothing_snags_on_flat_ground(slider: str, speed: float) -> None:
    shape, angle, height = SLIDERS[slider]
    world = new_world()
    track = Shape.chain([(x, 0.0) for x in range(-5, 37)])
    sliders = []
    for phase in range(PHASES):  # one track above the other
        y = 10.0 * phase
        esper.create_entity(Transform(0.0, y), track, SLIPPERY)
        start = phase / PHASES
        sliders.append(body(shape, start, y + height, Velocity(speed, 0.0), SLIPPERY, angle=angle))
    rows = slice(1, 2 * PHASES, 2)
    for _ in steps(world, 30.0 / speed):
        velocities = world.columns(Velocity)[rows]
        assert velocities["entity"].tolist() == sliders
        assert velocities["x"].min() > 0.999 * speed
        assert velocities["x"].max() < 1.001 * speed
        assert np.abs(velocities["y"]).max() < 0.1
    assert min(place(each).x for each in sliders) > 29.9


def test_a_disc_on_rolling_ground_keeps_its_energy() -> None:
    """Over hills without friction: v^2 / 2 + g y stays, whatever edge it is on."""
    world = new_world()
    hills = [(0.25 * k, 0.4 * math.sin(0.25 * k * 0.5)) for k in range(-40, 200)]
    esper.create_entity(Transform(), Shape.chain(hills), SLIPPERY)
    disc = body(Shape.circle(0.5), 0.0, 0.52, Velocity(6.0, 1.1), SLIPPERY)
    run(world, 0.2)

    def energy() -> float:
        return 0.5 * (motion(disc).x ** 2 + motion(disc).y ** 2) + 9.81 * place(disc).y

    first = energy()
    run(world, 4.0)
    assert place(disc).x > 20.0
    assert energy() == pytest.approx(first, rel=0.05)


def test_a_chain_is_solid_from_its_left_side_only() -> None:
    world = new_world()
    esper.create_entity(Transform(), Shape.chain([(-5, 0), (0, 0), (5, 0)]))
    above = body(Shape.circle(0.5), -2.0, 2.0)
    below = body(Shape.circle(0.5), 2.0, -2.0, Velocity(0.0, 9.0))
    for _ in steps(world, 0.5):
        pass
    assert place(below).y > 0.5, "it passes from below"
    run(world, 3.0)
    assert place(above).y == pytest.approx(0.5, abs=0.01)
    assert place(below).y == pytest.approx(0.5, abs=0.01)


def test_a_closed_counter_clockwise_chain_keeps_bodies_inside() -> None:
    world = new_world()
    ring = [(5 * math.cos(a), 5 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 24, False)]
    esper.create_entity(Transform(), Shape.chain(ring, closed=True))
    balls = [body(Shape.circle(0.4), x, y) for x in (-2, 0, 2) for y in (-2, 0, 2)]
    run(world, 10.0)
    assert max(math.hypot(place(b).x, place(b).y) for b in balls) < 4.7


def test_a_chain_at_a_slant_supports_a_box_at_its_convex_vertex() -> None:
    world = new_world()
    esper.create_entity(Transform(), Shape.chain([(-6, -3), (0, 0), (6, -3)]), SLIPPERY)
    box = body(Shape.box(1, 1), 1.0, 1.5, SLIPPERY)
    run(world, 1.0)
    assert place(box).x > 1.5, "it slides down on its side"
    assert place(box).angle == pytest.approx(-math.atan(0.5), abs=0.02)
