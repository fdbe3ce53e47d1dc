"""Sensors: what overlaps them at the end of a step, and every begin with its one end."""

import itertools
import json
import math
from collections import Counter
from pathlib import Path

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_physics import (
    Disabled,
    Filter,
    Mass,
    Material,
    OneWay,
    Sensor,
    Shape,
    Transform,
    Velocity,
    World,
)

DT = 1.0 / 60.0
PAIRS = json.loads((Path(__file__).parents[1] / "data" / "shape_queries.json").read_text())["pairs"]
SHAPES = (
    Shape.box(1.0, 0.4),
    Shape.circle(0.5),
    Shape.capsule((-0.5, 0.0), (0.5, 0.0), 0.25),
    Shape.polygon([(-0.5, -0.4), (0.6, -0.3), (0.0, 0.6)]),
    Shape.segment((-0.5, 0.0), (0.5, 0.1)),
    Shape.chain([(-0.5, 0.0), (0.0, 0.1), (0.5, 0.0)]),
)
_serial = itertools.count(1)


def weightless(**settings: int) -> World:
    return World(gravity=(0.0, 0.0), name=f"sensors {next(_serial)}", **settings)


def shape_of(data: dict) -> Shape:
    if data["kind"] == "circle":
        return Shape.circle(data["radius"])
    if data["kind"] == "box":
        return Shape.box(data["width"], data["height"])
    if data["kind"] == "capsule":
        return Shape.capsule(data["p"], data["q"], data["radius"])
    return Shape.polygon(data["vertices"], data.get("radius", 0.0))


class Ledger:
    """Counts begins and ends, and checks what must hold in every step."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.begins: Counter = Counter()
        self.ends: Counter = Counter()

    def step(self, dt: float = DT) -> None:
        self.world.step(dt)
        self.begins.update(map(tuple, self.world.events.sensor_begin.tolist()))
        self.ends.update(map(tuple, self.world.events.sensor_end.tolist()))
        sensors = [each for each, _ in esper.get_component(Sensor)]
        now = {(each, visitor) for each in sensors for visitor in self.world.overlaps(each)}
        assert {p for p in self.begins if self.begins[p] - self.ends[p] == 1} == now
        assert all(self.begins[p] - self.ends[p] in (0, 1) for p in self.begins)
        assert set(self.ends) <= set(self.begins)


def test_overlaps_agree_with_the_reference() -> None:
    world = weightless()
    wanted = {}
    for k, pair in enumerate(PAIRS):
        if abs(pair.get("distance", pair.get("penetration", 1.0))) < 1e-6:
            continue
        (ax, ay, a_angle), (bx, by, b_angle) = pair["pose_a"], pair["pose_b"]
        x, y = 30.0 * (k % 30), 30.0 * (k // 30)
        sensor = esper.create_entity(
            Transform(x + ax, y + ay, a_angle), shape_of(pair["a"]), Sensor()
        )
        other = esper.create_entity(Transform(x + bx, y + by, b_angle), shape_of(pair["b"]))
        wanted[sensor] = [other] if pair["overlap"] else []
    world.step(DT)
    assert {sensor: world.overlaps(sensor) for sensor in wanted} == wanted
    assert sum(map(len, wanted.values())) > 100


@pytest.mark.parametrize("visitor", ["static", "kinematic", "dynamic"])
@pytest.mark.parametrize("sensor", ["static", "kinematic", "dynamic"])
def test_any_body_senses_any_other(sensor: str, visitor: str) -> None:
    world = weightless()
    kinds = {"static": (), "kinematic": (Velocity,), "dynamic": (Velocity, Mass)}
    shapes = itertools.product(SHAPES[:4], SHAPES) if sensor == "dynamic" else [SHAPES[:2]]
    found = {}
    for k, (mine, other) in enumerate(shapes):
        if visitor == "dynamic" and SHAPES.index(other) > 3:
            continue
        parts = [kind() for kind in kinds[sensor]]
        one = esper.create_entity(Transform(5.0 * k, 0.0, 0.3), mine, Sensor(), *parts)
        parts = [kind() for kind in kinds[visitor]]
        found[one] = esper.create_entity(Transform(5.0 * k, 0.05), other, *parts)
    world.step(DT)
    for one, other in found.items():
        assert world.overlaps(one) == [other]
    assert len(world.contacts) == 0


def test_what_it_reads_is_the_end_of_the_step() -> None:
    world = weightless()
    gate = esper.create_entity(Transform(0.0, 0.0), Shape.box(1.0, 1.0), Sensor())
    ball = esper.create_entity(
        Transform(-2.0, 0.0), Velocity(60.0, 0.0), Shape.circle(0.25), Mass()
    )
    inside = []
    for _ in range(5):
        world.step(DT)
        x = esper.component_for_entity(ball, Transform).x
        inside.append((round(x, 6), world.overlaps(gate) == [ball]))
    assert inside == [(-1.0, False), (0.0, True), (1.0, False), (2.0, False), (3.0, False)]


def test_a_hit_that_gives_speed_within_the_step_is_seen() -> None:
    world = weightless()
    resting = esper.create_entity(Transform(0.0, 0.0), Velocity(), Shape.box(0.4, 0.4), Mass())
    gate = esper.create_entity(Transform(0.5, 0.0), Shape.box(0.4, 2.0), Sensor())
    esper.create_entity(
        Transform(-1.0, 0.0), Velocity(60.0, 0.0), Shape.box(0.4, 0.4), Mass(density=100.0)
    )
    for _ in range(2):
        world.step(DT)
        x = esper.component_for_entity(resting, Transform).x
        assert (resting in world.overlaps(gate)) == (0.1 <= x <= 0.9)
    assert x > 0.1


@pytest.mark.parametrize("shape", [Shape.circle(0.2), Shape.box(0.2, 0.2)])
@pytest.mark.parametrize("speed", [60.0, 400.0])
def test_a_fast_body_crosses_a_thin_sensor_once(shape: Shape, speed: float) -> None:
    for phase in range(25):
        world = weightless()
        gate = esper.create_entity(Transform(0.0, 0.0, 0.2), Shape.box(0.02, 4.0), Sensor())
        start = -20.0 - speed * DT * phase / 25.0
        esper.create_entity(Transform(start, 0.1), Velocity(speed, 0.0), shape, Mass())
        ledger = Ledger(world)
        while world.time * speed < 45.0:
            ledger.step()
        assert list(ledger.begins.values()) == list(ledger.ends.values()) == [1]
        assert world.overlaps(gate) == []


def test_a_wall_behind_a_thin_sensor_stops_what_has_crossed_it() -> None:
    for phase in range(25):
        world = weightless()
        gate = esper.create_entity(Transform(0.0, 0.0), Shape.box(0.02, 4.0), Sensor())
        soft = Material(restitution=0.0)
        esper.create_entity(Transform(2.0, 0.0), Shape.box(0.1, 4.0), soft)
        start = -20.0 - 400.0 * DT * phase / 25.0
        ball = Transform(start, 0.1)
        esper.create_entity(ball, Velocity(400.0, 0.0), Shape.circle(0.2), Mass(), soft)
        ledger = Ledger(world)
        for _ in range(30):
            ledger.step()
            assert ball.x < 1.96
        assert ball.x == pytest.approx(1.75, abs=0.02)
        assert list(ledger.begins.values()) == list(ledger.ends.values()) == [1]
        assert world.overlaps(gate) == []


def test_what_passes_beside_a_sensor_does_not_cross_it() -> None:
    world = weightless()
    esper.create_entity(Transform(0.0, 0.0), Shape.box(0.02, 4.0), Sensor())
    for y in (2.21, -2.21):
        esper.create_entity(Transform(-3.0, y), Velocity(400.0, 0.0), Shape.circle(0.2), Mass())
    ledger = Ledger(world)
    for _ in range(3):
        ledger.step()
    assert not ledger.begins


def test_a_sensor_that_sweeps_over_a_body_notices_it() -> None:
    world = weightless()
    blade = esper.create_entity(
        Transform(0.0, 0.0), Velocity(omega=100.0), Shape.box(4.0, 0.02), Sensor()
    )
    esper.create_entity(Transform(0.0, 1.9), Shape.circle(0.05))
    ledger = Ledger(world)
    for _ in range(60):
        ledger.step()
    turned = esper.component_for_entity(blade, Transform).angle
    assert math.isclose(turned, 100.0, rel_tol=1e-9)
    passes = (turned - math.pi / 2.0) // math.pi + 1.0  # each end of the blade, once a half turn
    assert sum(ledger.begins.values()) == passes


def test_every_begin_has_one_end_however_it_comes() -> None:
    for change in ("visitor", "sensor", "filter", "sensing", "shape", "disabled", "moved"):
        world = weightless()
        gate = esper.create_entity(Transform(0.0, 0.0), Shape.box(2.0, 2.0), Sensor())
        guest = esper.create_entity(Transform(0.0, 0.0), Velocity(), Shape.circle(0.5), Mass())
        ledger = Ledger(world)
        ledger.step()
        ledger.step()
        assert ledger.begins == {(gate, guest): 1}
        assert not ledger.ends
        if change == "visitor":
            esper.delete_entity(guest, immediate=True)
        elif change == "sensor":
            esper.delete_entity(gate)
        elif change == "filter":
            esper.add_component(guest, Filter(mask=0))
        elif change == "sensing":
            esper.remove_component(gate, Sensor)
        elif change == "shape":
            esper.remove_component(gate, Shape)
        elif change == "disabled":
            esper.add_component(guest, Disabled())
        else:
            esper.component_for_entity(guest, Transform).x = 10.0
        ledger.step()
        assert ledger.ends == {(gate, guest): 1}, change
        ledger.step()


def test_a_deleted_visitor_is_not_listed() -> None:
    world = weightless()
    gate = esper.create_entity(Transform(0.0, 0.0), Shape.box(2.0, 2.0), Sensor())
    guests = [esper.create_entity(Transform(0.1 * k, 0.0), Shape.circle(0.5)) for k in range(3)]
    world.step(DT)
    esper.delete_entity(guests[1], immediate=True)
    assert world.overlaps(gate) == [guests[0], guests[2]]
    with pytest.raises(ValueError, match="has no Sensor"):
        world.overlaps(guests[0])


def test_a_visitor_of_many_parts_is_one() -> None:
    world = weightless()
    ell = Shape.polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])
    gate = esper.create_entity(Transform(0.0, 0.0), ell, Sensor())
    bar = esper.create_entity(Transform(-4.0, 0.5), Velocity(6.0, 0.0), ell, Mass())
    ledger = Ledger(world)
    for _ in range(90):
        ledger.step()
    assert ledger.begins == {(gate, bar): 1}


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_random_crowds_agree_with_the_poses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, -5.0), name=f"sensors {next(_serial)}")
    radii = {}
    gates = [
        esper.create_entity(
            Transform(*rng.uniform(-3, 3, 2)),
            Velocity(*rng.uniform(-2, 2, 2)),
            Shape.circle(1.0),
            Sensor(),
            *([OneWay()] if k % 2 else []),
        )
        for k in range(3)
    ]
    for _ in range(25):
        radius = float(rng.uniform(0.1, 0.4))
        each = esper.create_entity(
            Transform(*rng.uniform(-4, 4, 2)),
            Velocity(*rng.uniform(-9, 9, 2)),
            Shape.circle(radius),
            Mass(),
            Material(restitution=1.0),
        )
        radii[each] = radius
    ledger = Ledger(world)
    for _ in range(20):
        ledger.step()
        for gate in gates:
            at = esper.component_for_entity(gate, Transform)
            near = []
            for other, radius in radii.items():
                to = esper.component_for_entity(other, Transform)
                gap = math.hypot(to.x - at.x, to.y - at.y) - 1.0 - radius
                if gap <= 0.0:
                    near.append(other)
            assert world.overlaps(gate) == near
