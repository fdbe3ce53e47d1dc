"""The collisions lab: its numbers against the reference, and its window by hand."""

from typing import TYPE_CHECKING, Any

import esper
import numpy as np
import pytest

from ecs_physics import Color, Transform
from games.__main__ import main
from games.menu.headless import dynamic_bodies
from games.menu.lab import PICKED
from tests.games.labs import Bench, ShowLab, on_bench, printed, reference

if TYPE_CHECKING:
    import arcade

CASES = reference("rigid_body_collision")
PARAMETERS = (
    "dt",
    "gravity",
    "stiffness",
    "restitution",
    "friction",
    "use_impulses",
    "use_penalty_force",
)
ANGLES = [0.3, 0.9, 1.5, 2.1, 2.7]


def settings(params: dict[str, Any]) -> dict[str, Any]:
    """What the lab is set, from the params of a case."""
    start = {name: params["initial"][name] for name in ("angles", "vx", "vy", "omega")}
    return {**{name: params[name] for name in PARAMETERS}, **start}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_sample_of_the_reference_agrees(case: dict[str, Any], show: ShowLab) -> None:
    running = show("collisions", **settings(case["params"]))
    for sample in case["samples"]:
        while running.world.steps < sample["step"]:
            running.step()
        assert running.world.time == pytest.approx(sample["time"])
        pairs = zip(dynamic_bodies(running.world), sample["bodies"], strict=True)
        for got, wanted in pairs:
            if wanted is not None:  # left out where the motion is chaotic
                assert got == pytest.approx(wanted, abs=1e-6)


def test_a_run_prints_the_five_boxes(capsys: pytest.CaptureFixture[str]) -> None:
    answer = printed(capsys, "collisions", 400, f"angles={ANGLES}", "friction=0.5")
    assert list(answer) == ["name", "time", "bodies"]
    assert answer["name"] == "collisions"
    assert answer["time"] == pytest.approx(2.0)
    case = next(each for each in CASES if each["name"] == "high_friction")
    sample = next(each for each in case["samples"] if each["step"] == 400)
    for got, wanted in zip(answer["bodies"], sample["bodies"], strict=True):
        assert wanted is None or got == pytest.approx(wanted, abs=1e-6)


def test_gravity_is_y_alone_or_both(capsys: pytest.CaptureFixture[str]) -> None:
    for setting, velocity in (("-2", [0, -0.1]), ("[1, -2]", [0.05, -0.1])):
        answer = printed(capsys, "collisions", 10, f"gravity={setting}")
        assert [body[3:5] for body in answer["bodies"]] == [pytest.approx(velocity)] * 5


def test_random_angles_are_the_same_in_each_run_and_others_after_a_restart(
    show: ShowLab,
) -> None:
    starts = []
    for _ in range(2):
        with show("collisions") as running:
            starts.append(np.array(dynamic_bodies(running.world))[:, 2])
            running.start()
            starts.append(np.array(dynamic_bodies(running.world))[:, 2])
    assert (starts[0] == starts[2]).all()
    assert (starts[1] == starts[3]).all()
    assert (starts[0] != starts[1]).all()
    assert all(((angles >= 0) & (angles < np.pi)).all() for angles in starts)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("restitution=2", "restitution = 2"),
        ("friction=-1", "friction = -1"),
        ("stiffness=NaN", "stiffness = nan"),
        ("use_impulses=1", "use_impulses = 1: give True or False"),
        ("gravity=down", "gravity[1] = 'down'"),
        ("gravity=[1]", "gravity = [1]"),
        ("angles=[1, 2]", "angles = [1, 2]: give five numbers"),
        ("angles=5", "give five numbers"),
        ("angles=[1, 2, 3, 4, NaN]", "nan"),
        ("vx=fast", "'fast'"),
        ("seed=[1]", "seed = [1]"),
        ("dt=0", "dt = 0"),
    ],
)
def test_a_bad_value_is_refused(
    capsys: pytest.CaptureFixture[str], setting: str, said: str
) -> None:
    assert main(["collisions", "--headless", "--set", setting]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_true_and_false_may_be_written_as_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    run = ("collisions", 300, f"angles={ANGLES}")
    assert printed(capsys, *run, "use_impulses=False") == printed(
        capsys, *run, "use_impulses=false"
    )


# In a window


@pytest.fixture
def bench(window: "arcade.Window", show: ShowLab) -> Bench:
    return on_bench(window, show("collisions", angles=ANGLES))


def test_eight_steps_a_frame(bench: Bench) -> None:
    bench.frame(3)
    assert bench.view.world.steps == 24
    assert bench.view.world.time == pytest.approx(0.12)
    bench.view.stepping.steps_a_frame = 2  # type: ignore[attr-defined]
    bench.frame()
    assert bench.view.world.steps == 26


def test_the_window_shows_the_reference(bench: Bench) -> None:
    bench.frame(25)
    case = next(each for each in CASES if each["name"] == "page_defaults")
    sample = next(each for each in case["samples"] if each["step"] == 200)
    pairs = zip(dynamic_bodies(bench.view.world), sample["bodies"], strict=True)
    assert all(wanted is None or got == pytest.approx(wanted, abs=1e-6) for got, wanted in pairs)


def test_pause_step_and_restart(bench: Bench) -> None:
    from arcade import key

    bench.frame(2)
    bench.click("Pause")
    bench.frame(3)
    assert bench.view.world.steps == 16
    bench.click("Step")
    bench.frame(3)
    assert bench.view.world.steps == 17
    bench.click("Go on")
    bench.frame()
    assert bench.view.world.steps == 25
    bench.click("Restart")
    assert bench.view.world.steps == 0
    assert [body[1] for body in dynamic_bodies(bench.view.world)] == [5.0] * 5
    bench.frame()
    bench.key(key.R)
    assert bench.view.world.steps == 0


def test_the_panel_changes_everything(bench: Bench) -> None:
    rules = bench.lab.resolution
    bench.type("time step", "0.002")
    bench.type("penalty stiffness", "250")
    bench.click("use impulses", 0.04)
    bench.click("use penalty force", 0.04)
    bench.click("restitution", 0.9)
    bench.click("friction", 0.5)
    bench.click("gravity", 0.75)
    assert bench.view.stepping.dt == 0.002
    assert rules.stiffness == 250.0
    assert (rules.use_impulses, rules.use_penalty_force) == (False, False)
    assert rules.restitution == pytest.approx(0.9, abs=0.1)
    assert rules.friction == pytest.approx(1.0, abs=0.2)
    assert bench.view.world.gravity[0] == 0.0
    assert bench.view.world.gravity[1] == pytest.approx(10.0, abs=2.0)
    bench.frame()
    assert bench.view.world.time == pytest.approx(0.016)
    assert all(body[4] > 0.0 for body in dynamic_bodies(bench.view.world))
    bench.view.restart()
    assert (rules.stiffness, bench.view.stepping.dt) == (250.0, 0.002)
    assert bench.view.world.gravity[1] > 5.0


def test_a_bad_number_is_marked_and_the_simulation_goes_on(bench: Bench) -> None:
    for words, text in (("penalty stiffness", "-5"), ("time step", "0"), ("time step", "soon")):
        bench.type(words, text)
        assert bench.control(words).reason
    assert bench.lab.resolution.stiffness == 100.0
    assert bench.view.stepping.dt == 0.005
    bench.frame(2)
    assert bench.view.world.steps == 16


def test_a_dragged_box_follows_and_is_red(bench: Bench) -> None:
    with bench.view.world:
        box = bench.view.world.entities()[2]
        colors = [esper.component_for_entity(box, Color)]
        bench.press(-2.0, 5.0)
        bench.drag(-1.0, 7.0)
        bench.frame(40)
        bench.frame()  # the picture of the frame of the press is drawn before it turns red
        colors.append(esper.component_for_entity(box, Color))
        place = esper.component_for_entity(box, Transform)
        assert (place.x, place.y) == pytest.approx((-1.0, 7.0), abs=0.1)
        red = bench.view.camera.to_screen(place.x + 0.3, place.y + 0.2)
        pixel = bench.window.ctx.screen.read(
            viewport=(round(red[0]), round(red[1]), 1, 1), components=3
        )
        assert pixel[0] > 2 * max(pixel[1], pixel[2])
        bench.release(-1.0, 7.0)
        bench.frame()
        colors.append(esper.component_for_entity(box, Color))
        bench.frame(20)
        assert place.y < 6.0
    assert colors[1] == PICKED
    assert colors[0] == colors[2] != PICKED


def test_a_restart_in_the_middle_of_a_drag(bench: Bench) -> None:
    bench.press(-2.0, 5.0)
    bench.frame(3)
    bench.view.restart()
    bench.frame(2)
    with bench.view.world:
        colors = [color for _, color in esper.get_component(Color)]
    assert PICKED not in colors
    bench.release(-2.0, 5.0)


def test_the_wheel_zooms(bench: Bench) -> None:
    before = bench.view.camera.target_pixel
    bench.window.dispatch_event("on_mouse_scroll", 300, 300, 0, 1)
    assert bench.view.camera.target_pixel < before


def test_axes_and_floor_are_drawn(bench: Bench) -> None:
    def pixel(x: float, y: float) -> tuple[int, ...]:
        column, row = bench.view.camera.to_screen(x, y)
        viewport = (round(column), round(row), 1, 1)
        return tuple(bench.window.ctx.screen.read(viewport=viewport, components=3))

    red, green, _ = pixel(0.5, 0.0)
    assert red > 2 * green
    red, green, _ = pixel(0.0, 0.5)
    assert green > 2 * red
    assert sum(pixel(-6.5, 0.0)) > sum(pixel(-6.5, 0.45)) + 100


def test_what_flies_away_stops_with_a_message(bench: Bench) -> None:
    bench.lab.resolution.stiffness = 1e6
    bench.view.stepping.dt = 0.5
    bench.frame(60)
    assert "Blown up" in bench.lab.words()
    stopped = bench.view.world.steps
    bench.frame(5)
    assert bench.view.world.steps == stopped
    bench.lab.resolution.stiffness = 100.0
    bench.view.stepping.dt = 0.005
    bench.view.restart()
    bench.frame(5)
    assert bench.lab.words() == ""
    assert bench.view.world.steps == 40
