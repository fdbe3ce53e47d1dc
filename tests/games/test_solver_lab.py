"""The solver lab: what each method does to one scene, as inequalities with their reasons."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import esper
import pytest

from ecs_physics import Transform
from games.menu.headless import run
from games.menu.show import Show
from games.solver_lab import LANE, SCENES, STIFFNESS, SolverLab

if TYPE_CHECKING:
    import arcade

NAME = "solver_lab"
P = "production"
G = 9.81


def lanes_after(show: Callable[..., Show], seconds: float, **settings: Any) -> list[dict[str, Any]]:
    running = show(NAME, **settings)
    answer = run(running, round(seconds / running.dt))
    json.dumps(answer, allow_nan=False)
    figures: list[dict[str, Any]] = answer["choices"]
    return figures


def by_integration(figures: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["integration"]: each for each in figures}


def test_all_lanes_start_alike(show: Callable[..., Show]) -> None:
    for scene in SCENES:
        with show(NAME, scene=scene, lanes=4) as running:
            lab = running.demo
            assert isinstance(lab, SolverLab)
            assert len({lane.world.hash() for lane in lab.lanes}) == 1
            assert len({lane.start_energy for lane in lab.lanes}) == 1


def test_equal_choices_give_equal_bits(show: Callable[..., Show]) -> None:
    running = show(NAME, choices=[[P, P, P], [P, P, P]])
    for _ in range(120):
        running.step()
    lab = running.demo
    assert isinstance(lab, SolverLab)
    assert lab.lanes[0].world.hash() == lab.lanes[1].world.hash()
    assert lab.lanes[0].world.time == lab.lanes[1].world.time


def test_of_a_stack_only_the_production_solver_makes_a_rest(show: Callable[..., Show]) -> None:
    ours, elastic, penalty, _ = lanes_after(show, 8.0, lanes=4)
    # It allows an overlap of a few mm, so that contacts last, and takes all speed away.
    assert ours["deepest_of_last_steps"] < 5e-3
    assert ours["mean_speed_of_last_steps"] < 1e-3
    # Pushed fully out, boxes part and fall again, for ever: faster than g h, a step's fall.
    assert elastic["mean_speed_of_last_steps"] > G / 240.0
    assert elastic["mean_speed_of_last_steps"] > 100.0 * ours["mean_speed_of_last_steps"]
    # A penalty force holds four boxes of 1 kg only where its spring is 4 m g / k shorter.
    assert penalty["penetration"] == pytest.approx(4.0 * G / STIFFNESS, rel=1e-3)
    assert penalty["penetration"] > 10.0 * ours["penetration"]


def test_on_a_slope_what_has_no_friction_slides(show: Callable[..., Show]) -> None:
    ours, elastic, _ = lanes_after(show, 4.0, scene="slope")
    lost = ours["energy_at_start"] - ours["energy"]
    # tan 0.3 < 0.5: friction holds; what height is lost is that of the first hair's breadth.
    assert 0.0 <= lost < 0.05
    assert ours["mean_speed_of_last_steps"] < 1e-3
    # Without friction both fall to the foot of the slope: half a metre and a metre.
    assert elastic["energy"] < elastic["energy_at_start"] - 0.5 * G


def test_explicit_euler_gains_energy_and_implicit_loses_it(show: Callable[..., Show]) -> None:
    lanes = by_integration(lanes_after(show, 10.0, scene="pendulum", lanes=4))
    change = {name: each["energy"] / each["energy_at_start"] for name, each in lanes.items()}
    # A spring's swing grows by 1 + (h w)^2 / 2 in a step explicitly and shrinks so implicitly.
    assert change["Explicit Euler"] > 1.5
    assert change["Implicit Euler"] < 0.95
    # Symplectic: a swing of the order h w = 1/24 about the right energy, and no drift.
    assert change["Symplectic Euler"] == pytest.approx(1.0, abs=0.02)
    assert change["Runge-Kutta 4"] == pytest.approx(1.0, abs=1e-4)


def test_bouncing_balls_rise_higher_with_explicit_euler(show: Callable[..., Show]) -> None:
    ours, symplectic, explicit = lanes_after(show, 10.0, scene="balls")
    # It moves by the old speed: in a fall of n steps that is g h^2 n / 2 too little, so that the
    # ball is too fast for its height, and there is no end to it.
    assert explicit["energy"] > 1.03 * explicit["energy_at_start"]
    for each in (ours, symplectic):
        assert 0.95 * each["energy_at_start"] < each["energy"] < 1.01 * each["energy_at_start"]


def test_a_lane_that_blows_up_stops_and_the_others_go_on(show: Callable[..., Show]) -> None:
    choices = [[P, P, P], [P, P, "Explicit Euler"]]
    running = show(NAME, scene="pendulum", choices=choices, dt=0.15)
    answer = run(running, 200)
    first, second = answer["choices"]
    assert first["blown_up_at"] is None
    assert second["blown_up_at"] is not None
    assert second["kinetic"] == 0.0
    json.dumps(answer, allow_nan=False)


def test_it_leaves_nothing_in_esper(show: Callable[..., Show]) -> None:
    before = sorted(esper.list_worlds())
    with show(NAME, lanes=4):
        assert len(esper.list_worlds()) == len(before) + 4
    assert sorted(esper.list_worlds()) == before
    with pytest.raises(ValueError, match="scene"):
        show(NAME, scene="moon")
    assert sorted(esper.list_worlds()) == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scene": 3}, "stack"),
        ({"lanes": 1}, "lanes"),
        ({"lanes": True}, "lanes"),
        ({"choices": [[P, P, P]]}, "choices"),
        ({"choices": [[P, P], [P, P]]}, "choices"),
        ({"choices": [[P, P, P], [P, "glue", P]]}, "resolution = 'glue'"),
        ({"choices": [[P, P, P], [P, P, P]], "lanes": 3}, "one of both"),
    ],
)
def test_bad_values_are_refused_by_name(
    show: Callable[..., Show], settings: dict[str, Any], words: str
) -> None:
    before = sorted(esper.list_worlds())
    with pytest.raises(ValueError, match=words):
        show(NAME, **settings)
    assert sorted(esper.list_worlds()) == before


def test_lanes_are_seen_pulled_and_changed(
    show: Callable[..., Show], window: "arcade.Window"
) -> None:
    import arcade

    from games.menu.window import DemoView

    view = DemoView(show(NAME), window=window)
    window.show_view(view)
    lab = view.demo
    assert isinstance(lab, SolverLab)
    for _ in range(10):
        window.dispatch_event("on_update", 1 / 60)
    window.dispatch_event("on_draw")
    start = view.camera.to_screen(LANE, 3.5)  # the uppermost box of lane B
    end = view.camera.to_screen(LANE + 1.0, 4.0)
    window.dispatch_event("on_mouse_press", *start, arcade.MOUSE_BUTTON_LEFT, 0)
    window.dispatch_event("on_mouse_drag", *end, 9, 9, arcade.MOUSE_BUTTON_LEFT, 0)
    for _ in range(30):
        window.dispatch_event("on_update", 1 / 60)
    window.dispatch_event("on_draw")
    window.dispatch_event("on_mouse_release", *end, arcade.MOUSE_BUTTON_LEFT, 0)
    tops = [max(lane.world.columns(Transform)["x"][3:]) for lane in lab.lanes]
    assert tops[1] > tops[0] + 0.3
    assert [len(plot) for plot in lab.plots] == [40, 40, 40]
    with view.world:
        lab.lanes[2].resolution = "elastic"
    assert [lane.world.time for lane in lab.lanes] == [0.0, 0.0, 0.0]
    with view.world:
        lab.scene = "pendulum"
    for _ in range(10):
        window.dispatch_event("on_update", 1 / 60)
    view.fit()
    window.dispatch_event("on_draw")
    assert view.camera.target_x > 0.0  # all lanes are in sight, not the first alone
    window.hide_view()
