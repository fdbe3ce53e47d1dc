"""The benchmarks build the same scenes in both engines, and say what they measured in JSON."""

import json
import math
from pathlib import Path

import esper
import numpy as np
import pytest

from benchmarks import __main__ as command_line
from benchmarks import bars, compare, ours, peers
from benchmarks.scenes import (
    DT,
    FRICTION,
    GRAVITY,
    SCENES,
    Box,
    Circle,
    Frame,
    Ray,
    Scene,
    median_of_timed,
    pyramid,
)
from ecs_physics import Mass, Transform

COUNTS = {
    "pyramid_55": 55,
    "pyramid_820": 820,
    "pyramid_5050": 5050,
    "circles_1000": 1000,
    "circles_5000": 5000,
    "frame_5000": 5050,
    "spawn_5000": 5050,
    "small_10": 10,
    "rays": 5000,
    "sleeping": 5000,
    "snapshot": 5000,
    "joint_grid": 10_000,
    "ragdolls": 1_100,
    "tumbler": 2_026,
}
LITTLE = Scene(
    fixed=(Box(0.0, -0.5, 40.0, 1.0),),
    bodies=(*pyramid(3), Circle(5.0, 0.5, 0.5)),
    reads_poses=True,
    spawned=(Box(8.0, 0.5, 1.0, 1.0), Box(10.0, 0.5, 1.0, 1.0)),
)


def sizes(body: Box | Circle | Frame) -> tuple[float, float]:
    if isinstance(body, Frame):
        return body.width / 2 + body.thickness, body.width / 2 + body.thickness
    if isinstance(body, Circle):
        return body.radius, body.radius
    return body.width / 2, body.height / 2


def reached(scene: Scene) -> np.ndarray:
    """Rows of lower x, lower y, upper x, upper y of all bodies at the beginning."""
    return np.array(
        [
            (b.x - sizes(b)[0], b.y - sizes(b)[1], b.x + sizes(b)[0], b.y + sizes(b)[1])
            for b in scene.bodies
        ]
    )


@pytest.fixture
def esper_world(request):
    name = f"test_benchmarks.{request.node.name}"
    before = esper.current_world
    esper.switch_world(name)
    yield
    esper.switch_world(before)
    esper.delete_world(name)


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_a_scene_has_its_bodies_above_the_floor_and_no_two_in_one_place(name, count):
    scene = SCENES[name]()
    assert len(scene.bodies) == count
    assert len({body[:2] for body in scene.bodies}) == count
    if scene.fixed:
        assert reached(scene)[:, 1].min() >= 0.0
        assert scene.fixed[0].y + scene.fixed[0].height / 2 == 0.0
    assert SCENES[name]() == scene


def test_a_net_has_19_800_hinges_and_hangs_still_at_its_top():
    scene = SCENES["joint_grid"]()
    assert len(scene.hinges) == 19_800
    assert {scene.bodies[k].y for k in scene.still} == {0.0}
    assert len(set(scene.groups)) == 1


def test_a_tumblers_boxes_are_inside_and_apart():
    frame, *boxes = SCENES["tumbler"]().bodies
    assert max(max(abs(b.x), abs(b.y)) + b.width / 2 for b in boxes) < frame.width / 2
    assert len({(b.x, b.y) for b in boxes}) == len(boxes) == 2025


def test_ragdolls_are_made_of_eleven_hinged_parts():
    scene = SCENES["ragdolls"]()
    assert len(scene.hinges) == 1000
    assert all(scene.groups[h.a] == scene.groups[h.b] for h in scene.hinges)


def test_all_scenes_are_counted():
    assert COUNTS.keys() == SCENES.keys()


def test_a_pyramid_touches_beside_and_above():
    boxes = pyramid(4)
    rows = {y: sorted(box.x for box in boxes if box.y == y) for y in (0.5, 1.5, 2.5, 3.5)}
    assert rows == {
        0.5: [-1.5, -0.5, 0.5, 1.5],
        1.5: [-1.0, 0.0, 1.0],
        2.5: [-0.5, 0.5],
        3.5: [0.0],
    }


def test_circles_begin_apart_within_the_walls():
    scene = SCENES["circles_1000"]()
    places = np.array([(circle.x, circle.y) for circle in scene.bodies])
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert distances.min() >= 1.0
    assert len({round(circle.y, 9) for circle in scene.bodies}) == math.ceil(1000 / 54)
    _floor, left, right = scene.fixed
    assert (left.x + left.width / 2, right.x - right.width / 2) == (-30.0, 30.0)
    assert reached(scene)[:, 0].min() > -30.0
    assert reached(scene)[:, 2].max() < 30.0
    highest = reached(SCENES["circles_5000"]())[:, 3].max()
    assert left.y + left.height / 2 > highest


def test_only_the_spawning_scene_spawns_and_only_frames_read_poses():
    assert {name: len(SCENES[name]().spawned) for name in SCENES if SCENES[name]().spawned} == {
        "spawn_5000": 10
    }
    assert {name for name in SCENES if SCENES[name]().reads_poses} == {"frame_5000", "spawn_5000"}


def test_rays_are_up_to_70_m_long_and_begin_above_the_floor():
    rays = np.array(SCENES["rays"]().rays)
    assert rays.shape == (10000, 4)
    lengths = np.hypot(rays[:, 2] - rays[:, 0], rays[:, 3] - rays[:, 1])
    assert 65.0 < lengths.max() <= 70.0
    assert rays[:, 1].min() > 0.0
    assert {name for name in SCENES if SCENES[name]().rays} == {"rays"}


@pytest.mark.usefixtures("esper_world")
def test_both_engines_cast_all_rays_in_a_timed_step():
    pymunk = pytest.importorskip("pymunk")
    from benchmarks import pymunk_peer

    scene = Scene(LITTLE.fixed, LITTLE.bodies, rays=(Ray(-9.0, 0.5, 9.0, 0.5), Ray(0, 9, 0, 8)))
    world = ours.build(scene)
    space = pymunk_peer.build(scene, None)
    assert len(ours.timed_steps(world, scene, 2)) == len(pymunk_peer.timed_steps(space, scene, 2))
    met = space.segment_query_first((-9, 0.5), (9, 0.5), 0.0, pymunk.ShapeFilter())
    hit = world.ray((-9, 0.5), (9, 0.5))
    assert hit is not None
    assert (hit.x, hit.y) == pytest.approx(tuple(met.point), abs=1e-4)
    world.close()


@pytest.mark.usefixtures("esper_world")
def test_ours_is_built_as_described():
    world = ours.build(LITTLE)
    fixed, *bodies = world.entities()
    assert len(bodies) == len(LITTLE.bodies)
    for entity, body in zip([fixed, *bodies], [*LITTLE.fixed, *LITTLE.bodies], strict=True):
        transform = esper.component_for_entity(entity, Transform)
        assert (transform.x, transform.y) == body[:2]
    masses = [esper.component_for_entity(entity, Mass).mass for entity in bodies]
    assert masses == pytest.approx([1.0] * 6 + [math.pi / 4])
    assert not esper.has_component(fixed, Mass)
    assert (world.gravity, world.substeps) == (GRAVITY, 4)
    assert ours.MATERIAL.friction == FRICTION
    world.close()


@pytest.mark.usefixtures("esper_world")
def test_ours_saves_between_steps():
    world = ours.build(LITTLE)
    times = ours.timed_saves(world, 3)
    assert len(times) == 3
    assert min(times) > 0.0
    assert world.steps == 3
    assert [name for name in SCENES if SCENES[name]().saves] == ["snapshot"]
    world.close()


@pytest.mark.usefixtures("esper_world")
def test_ours_creates_and_deletes_as_described():
    world = ours.build(LITTLE)
    before = world.entities()
    assert len(ours.timed_steps(world, LITTLE, 3)) == 3
    after = world.entities()
    assert after[: len(before)] == before
    assert len(after) == len(before) + len(LITTLE.spawned)
    world.close()


def test_pymunk_is_built_as_described():
    """The pymunk that arcade brings is another version, but it is built in the same way."""
    pytest.importorskip("pymunk")
    from benchmarks import pymunk_peer

    for cell in (None, 1.2):
        space = pymunk_peer.build(LITTLE, cell)
        assert len(space.bodies) == len(LITTLE.bodies)
        assert sorted(tuple(body.position) for body in space.bodies) == sorted(
            body[:2] for body in LITTLE.bodies
        )
        masses = sorted(body.mass for body in space.bodies)
        assert masses == pytest.approx([math.pi / 4] + [1.0] * 6)
        assert {shape.friction for shape in space.shapes} == {FRICTION}
        assert (tuple(space.gravity), space.iterations) == (GRAVITY, 10)
        space.step(DT)
        floor = space.static_body.shapes.copy().pop().bb
        assert (floor.left, floor.bottom, floor.right, floor.top) == (-20.0, -1.0, 20.0, 0.0)
        assert len(pymunk_peer.timed_steps(space, LITTLE, 3)) == 3
        assert len(space.bodies) == len(LITTLE.bodies) + len(LITTLE.spawned)
        assert len(pymunk_peer.timed_saves(space, 2)) == 2


def test_the_median_leaves_the_first_four_steps_out():
    assert median_of_timed([100, 100, 100, 100, 3, 1, 2]) == 2
    assert median_of_timed([100, 100, 100, 100, 1, 2]) == 1.5
    assert median_of_timed([100, 7]) == 7


def fake_runs(monkeypatch, times: dict[str, list[float]]) -> None:
    """Let every module that would be run answer the next of its times."""

    def run(module, *_arguments, **_how):
        return {"bodies": 55, "ms": times[module].pop(0)}

    monkeypatch.setattr(compare, "run_module", run)


def test_the_quickest_round_of_each_engine_counts(monkeypatch):
    fake_runs(
        monkeypatch,
        {"benchmarks.ours": [0.5, 0.4], "benchmarks.pymunk_peer": [2.0, 1.2, 1.0, 3.0]},
    )
    row = compare.compared("pyramid_55", 200, 2, Path("python"))
    assert row == compare.Row("pyramid_55", 55, 0.4, 1.0, 2.5)


def test_json_has_one_object_a_scene(monkeypatch, capsys):
    fake_runs(monkeypatch, {"benchmarks.ours": [0.5, 0.25]})
    given = ["--scenes", "pyramid_55,small_10", "--peers", "none", "--rounds", "1", "--json"]
    assert command_line.main(given) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"scene": name, "bodies": 55, "ours_ms": ms, "pymunk_ms": None, "ratio": None}
        for name, ms in (("pyramid_55", 0.5), ("small_10", 0.25))
    ]


def test_a_missing_peer_is_said_and_ours_is_measured_all_the_same(monkeypatch, capsys):
    def cannot_be_made():
        raise peers.PeerError("pymunk could not be installed: no network")

    monkeypatch.setattr(command_line, "pymunk_python", cannot_be_made)
    fake_runs(monkeypatch, {"benchmarks.ours": [0.5]})
    assert command_line.main(["--scenes", "pyramid_55", "--rounds", "1", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)[0]["ours_ms"] == 0.5
    assert "no network" in said.err


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--scenes", "pyramid_55,heap"], "heap: choose from pyramid_55, pyramid_820"),
        (["--peers", "box2d"], "box2d: choose from pymunk, none"),
        (["--steps", "0"], "'0': give a whole number from 1"),
    ],
)
def test_a_wrong_argument_is_named_with_the_right_ones(given, complaint, capsys):
    with pytest.raises(SystemExit, match="2"):
        command_line.main(given)
    assert complaint in capsys.readouterr().err


def test_a_bar_is_met_from_its_own_side():
    assert bars.Bar("faster", 4.5, "x", 4.5, at_least=True).met
    assert not bars.Bar("faster", 4.4, "x", 4.5, at_least=True).met
    assert bars.Bar("smaller", 250.0, "MB", 250.0).met
    assert not bars.Bar("smaller", 251.0, "MB", 250.0).met
    assert bars.Bar("unseen", None, "ms", 1.0).met is None


@pytest.mark.usefixtures("esper_world")
def test_one_scene_runs_in_a_process_of_its_own():
    answer = compare.run_module("benchmarks.ours", "small_10", "6")
    assert answer["bodies"] == 10
    assert answer["ms"] > 0.0
