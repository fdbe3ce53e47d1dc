"""The spring lab: its numbers against the reference, and its window by hand."""

from math import cos, sqrt
from typing import TYPE_CHECKING, Any

import esper
import numpy as np
import pytest

from ecs_physics import Color, Mass
from games.__main__ import main
from games.menu.lab import PICKED
from games.spring import RADIUS, TOOTH, zig_zag
from tests.games.labs import Bench, ShowLab, on_bench, printed, reference

if TYPE_CHECKING:
    import arcade

CASES = reference("spring_damper")
FIGURES = ("x", "y", "vx", "vy", "kinetic", "potential", "total")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['method']}, {case['name']}")
def test_every_sample_of_the_reference_agrees(case: dict[str, Any], show: ShowLab) -> None:
    running = show("spring", method=case["method"], **case["params"])
    tolerance = 1e-6 if case["name"] == "stiff_coarse" else 1e-9
    for sample in case["samples"]:
        while running.world.steps < sample["step"]:
            running.step()
        with running.world:
            got = running.demo.answer()
        assert running.world.time == pytest.approx(sample["time"])
        wanted = {name: sample[name] for name in FIGURES}
        assert got == pytest.approx(wanted, rel=tolerance, abs=0.0)


def test_a_run_prints_state_and_energies(capsys: pytest.CaptureFixture[str]) -> None:
    answer = printed(capsys, "spring", 100, "method=Runge-Kutta 2", "damping=0.3")
    case = next(
        each for each in CASES if (each["method"], each["name"]) == ("Runge-Kutta 2", "damped")
    )
    sample = next(each for each in case["samples"] if each["step"] == 100)
    assert set(answer) == {"name", "time", "bodies", *FIGURES}
    assert {name: answer[name] for name in FIGURES} == pytest.approx(
        {name: sample[name] for name in FIGURES}, rel=1e-9, abs=0.0
    )
    assert answer["time"] == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["Runge-Kutta 4", "Velocity Verlet"])
def test_the_other_integrators_follow_the_closed_form(
    capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """On a line the spring is a harmonic oscillator about its rest length."""
    answer = printed(capsys, "spring", 200, f"method={method}", "dt=0.002")
    assert answer["x"] == pytest.approx(4.0 + 2.0 * cos(sqrt(5.0 / 0.5) * 0.4), abs=1e-4)
    assert answer["total"] == pytest.approx(10.0, rel=1e-3)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("method=Euler", "integrator 'Euler': give one of 'Explicit Euler'"),
        ("method=3", "integrator '3'"),
        ("method=[1]", "integrator '[1]'"),
        ("stiffness=-1", "stiffness = -1"),
        ("rest_length=long", "rest_length = 'long'"),
        ("damping=NaN", "damping = nan"),
        ("mass=0", "mass = 0"),
        ("x=left", "'left'"),
        ("vy=Infinity", "inf"),
        ("dt=-1", "dt = -1"),
    ],
)
def test_a_bad_value_is_refused(
    capsys: pytest.CaptureFixture[str], setting: str, said: str
) -> None:
    assert main(["spring", "--headless", "--set", setting]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_what_grows_beyond_all_numbers_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["spring", "--headless", "--steps", "500", "--set", "dt=0.5", "--set", "stiffness=1e6"]
    assert main(run) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "inf" in captured.err or "nan" in captured.err
    assert "Traceback" not in captured.err


def test_a_zig_zag_ends_where_it_should() -> None:
    along, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    points = zig_zag(5.0, along, across)
    assert points[0] == pytest.approx([0.0, 0.0])
    assert points[-1] == pytest.approx([3.0, 4.0])
    heights = points @ across
    assert heights.max() == pytest.approx(TOOTH)
    assert heights.min() == pytest.approx(-TOOTH)
    assert (np.diff(points @ along) > 0.0).all()


# In a window


@pytest.fixture
def bench(window: "arcade.Window", show: ShowLab) -> Bench:
    return on_bench(window, show("spring"))


def test_eight_steps_a_frame_and_a_value_each_in_the_plot(bench: Bench) -> None:
    plot = bench.lab.plot
    bench.frame(3)
    assert bench.view.world.steps == len(plot) == 24
    assert plot.times[-1] == pytest.approx(0.24)
    assert plot.values[-1] == pytest.approx(bench.lab.energies())
    assert plot.values[:, 2] == pytest.approx(plot.values[:, 0] + plot.values[:, 1])
    bench.frame(130)
    assert len(plot) == 1000
    bench.click("Restart")
    assert len(plot) == bench.view.world.steps == 0


def test_pause_and_step(bench: Bench) -> None:
    bench.click("Pause")
    bench.frame(3)
    assert bench.view.world.steps == 0
    bench.click("Step")
    bench.frame()
    assert bench.view.world.steps == 1


def test_the_panel_changes_everything_and_a_restart_keeps_it(bench: Bench) -> None:
    from arcade import key

    lab = bench.lab
    bench.type("time step", "0.004")
    bench.type("stiffness", "20")
    bench.type("mass", "2")
    bench.click("rest length", 0.25)
    bench.click("damping", 0.5)
    bench.click("integrator", 0.8)
    bench.key(key.DOWN)
    bench.window.dispatch_event("on_text_motion", key.MOTION_DOWN)
    bench.key(key.ENTER)
    for _ in range(2):
        assert bench.view.stepping.dt == 0.004
        assert (lab.spring.stiffness, lab.stiffness) == (20.0, 20.0)
        assert lab.spring.rest_length == pytest.approx(2.0, abs=0.3)
        assert lab.spring.damping == pytest.approx(1.0, abs=0.2)
        with bench.view.world:
            assert esper.component_for_entity(lab.particle, Mass).mass == 2.0
        assert lab.method == "Runge-Kutta 2"
        bench.frame(2)
        bench.view.restart()


@pytest.mark.parametrize("words", ["stiffness", "mass", "time step"])
def test_a_bad_number_is_marked_and_the_simulation_goes_on(bench: Bench, words: str) -> None:
    bench.type(words, "-1")
    assert bench.control(words).reason
    assert (bench.lab.stiffness, bench.lab.mass) == (5.0, 0.5)
    assert bench.view.stepping.dt == 0.01
    bench.frame(2)
    assert bench.view.world.steps == 16


def test_the_particle_is_dragged_and_flies_on(bench: Bench) -> None:
    lab = bench.lab
    bench.press(6.0, 0.2)
    bench.drag(1.0, 3.0)
    bench.frame(30)
    assert (lab.place.x, lab.place.y) == pytest.approx((1.0, 3.0), abs=1e-3)
    kinetic, potential, _ = lab.energies()
    assert kinetic == 0.0
    assert potential == pytest.approx(2.5 * (sqrt(10.0) - 4.0) ** 2, rel=1e-2)
    with bench.view.world:
        assert esper.component_for_entity(lab.particle, Color) == PICKED
        bench.type("mass", "0.25")  # in the hand too
        bench.release(1.0, 3.0)
        bench.frame()
        assert esper.component_for_entity(lab.particle, Color) != PICKED
        assert esper.component_for_entity(lab.particle, Mass).mass == 0.25
    bench.frame(60)
    _, _, total = lab.energies()
    assert total == pytest.approx(potential, rel=0.05)


def test_while_paused_the_particle_is_put_somewhere_else(bench: Bench) -> None:
    bench.click("Pause")
    bench.press(6.0, 0.0)
    bench.drag(-2.0, 2.0)
    bench.release(-2.0, 2.0)
    bench.frame()
    assert (bench.lab.place.x, bench.lab.place.y) == pytest.approx((-2.0, 2.0), abs=0.02)
    assert (bench.lab.motion.x, bench.lab.motion.y) == (0.0, 0.0)


def test_a_press_beside_it_takes_nothing(bench: Bench) -> None:
    bench.press(6.0, 1.0)
    bench.frame(2)
    assert bench.lab.hand is None
    bench.release(6.0, 1.0)


def test_a_restart_in_the_middle_of_a_drag(bench: Bench) -> None:
    bench.press(6.0, 0.0)
    bench.drag(2.0, 2.0)
    bench.frame(3)
    bench.view.restart()
    bench.drag(1.0, 2.0)
    bench.release(1.0, 2.0)
    assert (bench.lab.place.x, bench.lab.place.y) == (6.0, 0.0)
    bench.frame(2)
    assert bench.lab.energies()[2] == pytest.approx(10.0, rel=0.05)


def test_spring_and_mark_are_drawn(bench: Bench) -> None:
    def brightest(x: float, y: float) -> int:
        column, row = bench.view.camera.to_screen(x, y)
        viewport = (round(column) - 1, round(row) - 1, 3, 3)
        data = bench.window.ctx.screen.read(viewport=viewport, components=3)
        return max(sum(data[i : i + 3]) for i in range(0, len(data), 3))

    empty = brightest(-1.3, 5.5)
    assert brightest(4.0, 0.5) > empty + 150  # the mark
    assert brightest(6.0 - RADIUS - 0.2, 0.0) > empty + 300  # the spring's straight end


def test_a_blown_up_spring_stops_with_a_message(bench: Bench) -> None:
    bench.lab.method = "Explicit Euler"
    with bench.view.world:
        bench.lab.stiffness = 1e6
    bench.frame(30)
    assert "Blown up" in bench.lab.words()
    stopped = bench.view.world.steps
    bench.frame(2)
    assert bench.view.world.steps == stopped
    with bench.view.world:
        bench.lab.stiffness = 5.0
    bench.view.restart()
    bench.frame(2)
    assert bench.lab.words() == ""
    assert bench.view.world.steps == 16


def test_even_the_longest_steps_leave_the_window_alive(
    window: "arcade.Window", show: ShowLab
) -> None:
    from arcade import key

    bench = on_bench(window, show("spring", dt=1e6, stiffness=1e150, method="Runge-Kutta 4"))
    bench.frame(3)
    bench.key(key.F)
    bench.frame(3)
    assert bench.lab.words()
    bench.key(key.R)
    bench.frame(3)
