"""The bundled levels show what their descriptions say."""

from collections.abc import Callable
from itertools import count

import esper
import numpy as np
import pytest

from ecs_physics.components import Transform, Velocity
from ecs_physics.levels import Level, bundled_levels, load
from ecs_physics.world import World

Probe = Callable[[str], tuple[float, float]]
_numbers = count()


def watch(name: str, steps: int, look: Callable[[Level, Probe], None]) -> None:
    """Run a level; `look` is called after each step with the place of a named body at hand."""
    with World(name=f"scene {next(_numbers)}") as world:
        level = load(name, world)

        def place(body: str) -> tuple[float, float]:
            transform = esper.component_for_entity(level.entities[body], Transform)
            return transform.x, transform.y

        for _ in range(steps):
            world.step(1 / 60)
            look(level, place)
        world.close()


def test_bounces_rise_with_the_restitution() -> None:
    heights = {name: [] for name in (f"ball {i / 10:g}" for i in range(11))}

    def look(level: Level, place: Probe) -> None:
        for name, seen in heights.items():
            seen.append(place(name)[1] - 0.5)

    watch("bounces", 100, look)
    for i, seen in enumerate(heights.values()):
        hit = int(np.argmin(seen[:60]))
        rebound = max(seen[hit:])
        assert rebound == pytest.approx((i / 10) ** 2 * 3.5, rel=0.05, abs=0.03)


def test_boxes_slide_below_the_friction_of_the_slope() -> None:
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}

    def look(level: Level, place: Probe) -> None:
        for name in level.entities:
            starts.setdefault(name, place(name)[0])
            ends[name] = place(name)[0]

    watch("slopes", 90, look)
    moved = {name: ends[name] - starts[name] for name in starts}
    t, along, across, g = 89 / 60, 0.28, 0.96, 9.81
    for name, friction in (("slippery box", 0.0), ("box .1", 0.1), ("box .2", 0.2)):
        expected = 0.5 * g * (along - friction * across) * t * t * across
        assert moved[name] == pytest.approx(expected, rel=0.03)
    assert 0.0 < moved["box .28"] < 0.3
    assert moved["disc"] == pytest.approx(0.5 * g * along * t * t * across * 2 / 3, rel=0.03)
    assert 0.1 < moved["soft disc"] < 0.8 * moved["disc"]
    for name in ("box .3", "box .6", "floor"):
        assert abs(moved[name]) < 1e-3


def test_nothing_snags_on_the_tiles() -> None:
    """Until they meet the wall, which stops them, the three keep their speed."""
    last: dict[str, tuple[float, float]] = {}

    def look(level: Level, place: Probe) -> None:
        for name in ("box", "disc", "capsule"):
            x, y = place(name)
            if name in last and x < 14.0 - {"box": 0.0, "disc": 1.2, "capsule": 2.4}[name]:
                assert x - last[name][0] == pytest.approx(8 / 60, rel=0.01)
                assert y == pytest.approx(10.5, abs=0.02)
            assert x < 17.52
            last[name] = x, y
        last["sledge"], last["tumbler"] = place("sledge"), place("tumbler")

    watch("tiles", 330, look)
    assert last["sledge"][0] > 15.0
    assert last["tumbler"][1] < -3.0


def test_the_weight_throws_the_crates() -> None:
    highest = dict.fromkeys(("crate 1", "crate 2", "crate 3"), 0.0)

    def look(level: Level, place: Probe) -> None:
        for name in highest:
            highest[name] = max(highest[name], place(name)[1])

    watch("seesaw", 150, look)
    assert min(highest.values()) > 5.0


def test_the_dominoes_send_the_ball_down() -> None:
    balls: list[float] = []
    watch("dominoes", 600, lambda level, place: balls.append(place("ball")[0]))
    assert balls[240] == pytest.approx(balls[0], abs=0.02), "it waits for the last domino"
    assert max(balls) > 16.0


def test_the_pile_comes_to_rest_in_the_box() -> None:
    with World(name=f"scene {next(_numbers)}") as world:
        load("mixed_pile", world)
        for _ in range(600):
            world.step(1 / 60)
        places, velocities = world.columns(Transform)[1:], world.columns(Velocity)[1:]
        assert np.abs(places["x"]).max() < 8.0
        assert places["y"].min() > 0.0
        assert places["y"].max() < 10.0
        assert np.hypot(velocities["x"], velocities["y"]).mean() < 0.05
        world.close()


def test_the_pyramid_stands_and_the_ball_waits() -> None:
    tops: list[tuple[float, float]] = []
    balls: list[float] = []

    def look(level: Level, place: Probe) -> None:
        transform = esper.component_for_entity(level.created[-1], Transform)
        tops.append((transform.x, transform.y))
        balls.append(place("ball")[0])

    watch("pyramid", 120, look)
    assert tops[-1] == pytest.approx((0.0, 39.5), abs=0.2)
    assert balls[-1] == pytest.approx(-36.0, abs=1e-3)


def test_each_colour_lies_on_its_own_shelf() -> None:
    ends: dict[str, tuple[float, float]] = {}

    def look(level: Level, place: Probe) -> None:
        ends.update({name: place(name) for name in level.entities})

    watch("filters", 300, look)
    for color, top in (("blue", 6.15), ("orange", 4.15), ("green", 2.15)):
        for kind in ("ball", "box"):
            assert ends[f"{color} {kind}"][1] == pytest.approx(top + 0.5, abs=2e-3)
    for number in (1, 2, 3):
        assert ends[f"ghost {number}"][1] == pytest.approx(0.7, abs=2e-3)


def test_jumpers_stand_on_what_they_have_passed() -> None:
    ends: dict[str, tuple[float, float]] = {}

    def look(level: Level, place: Probe) -> None:
        ends.update({name: place(name) for name in level.entities})

    watch("one_way", 400, look)
    for name, height in (("short jumper", 0.4), ("jumper", 2.4), ("high jumper", 4.4)):
        assert ends[name][1] == pytest.approx(height, abs=2e-3)
    assert ends["from the left"][0] > 8.0  # behind the leaning one
    assert ends["from above"][0] > 8.0  # slid down its top


def test_belts_carry_every_box_through_both_frames() -> None:
    speeds: dict[int, float] = {}
    noticed: dict[str, set[int]] = {"upper frame": set(), "lower frame": set()}
    with World(name=f"scene {next(_numbers)}") as world:
        level = load("conveyors", world)
        boxes = level.created[-5:]
        for step in range(600):
            world.step(1 / 60)
            for name, seen in noticed.items():
                seen.update(world.overlaps(level.entities[name]))
            if step == 120:
                speeds = {box: esper.component_for_entity(box, Velocity).x for box in boxes}
        world.close()
    assert noticed["upper frame"] == set(boxes)
    assert len(noticed["lower frame"]) >= 4
    assert list(speeds.values())[:3] == pytest.approx([2.0] * 3, rel=1e-3)


def test_the_ball_wakes_one_house_of_the_sleeping_city_after_the_other() -> None:
    with World(name=f"scene {next(_numbers)}") as world:
        level = load("sleeping_city", world)
        houses = np.split(np.array(level.created[4:]), [6, 27, 35])
        asleep = []
        for _ in range(600):
            world.step(1 / 60)
            asleep.append([all(map(world.is_asleep, house.tolist())) for house in houses])
            assert not world.is_asleep(level.entities["watchman"])
        nights = np.array(asleep)
        assert nights[120].all()
        woken = [int(np.argmin(night[120:])) for night in nights.T]
        assert 0 < woken[0] < woken[1]
        assert nights[120:, 2:].all(), "where the ball does not come, nobody wakes"
        world.close()


@pytest.mark.parametrize("name", [*bundled_levels()])
def test_nobody_falls_asleep_in_the_air_or_while_he_moves(name: str) -> None:
    with World(name=f"scene {next(_numbers)}") as world:
        load(name, world)
        for _ in range(30 if name == "pyramid" else 3600):
            before = world.columns(Velocity).copy()
            world.step(1 / 60)
            if not len(world.sleeping.fell_asleep):
                continue
            contacts = world.contacts
            held = set(contacts["entity_a"].tolist()) | set(contacts["entity_b"].tolist())
            held |= set(world.joints["body_a"].tolist()) | set(world.joints["body_b"].tolist())
            assert set(world.sleeping.fell_asleep.tolist()) <= held
            rows = [world.store.row_of(int(entity)) for entity in world.sleeping.fell_asleep]
            speeds = np.hypot(before["x"][rows], before["y"][rows])
            assert speeds.max() < 0.06
        world.close()


def test_the_car_gets_over_the_hill() -> None:
    seen: list[tuple[float, float]] = []
    watch("car", 900, lambda level, place: seen.append(place("car")))
    assert max(y for _, y in seen) > 6.0
    assert seen[-1][0] > 36.0
    assert 0.3 < seen[-1][1] < 1.2


def test_the_bridge_carries_its_car() -> None:
    seen: list[tuple[float, float]] = []
    watch("bridge", 840, lambda level, place: seen.append(place("car")))
    assert seen[-1][0] > 31.0
    assert min(y for _, y in seen) > -2.0


def test_the_machines_run_and_their_shelf_breaks() -> None:
    pistons: list[float] = []
    joints: list[int] = []

    def look(level: Level, place: Probe) -> None:
        pistons.append(place("piston")[1])
        joints.append(sum(map(esper.entity_exists, level.joint_entities)))

    watch("machines", 300, look)
    assert max(pistons) - min(pistons) == pytest.approx(1.6, abs=0.1)  # twice the crank's .8 m
    assert joints[-1] == joints[0] - 1
