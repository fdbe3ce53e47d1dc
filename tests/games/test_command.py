"""`python -m games` without a window: the list, headless runs, and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import esper
import pytest

from ecs_physics import World
from ecs_physics.levels import bundled_levels, load
from games.__main__ import main
from games.menu.command import BAD_INPUT

ROOT = Path(__file__).parents[2]


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command prints on standard output, which must be JSON."""
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What standard error says about arguments that are not accepted."""
    try:
        code: Any = main(arguments)
    except SystemExit as exit_:  # argparse's way
        code = exit_.code
    assert code == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return captured.err


# The list


def test_list_names_games_and_levels(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answered(capsys, "--list")
    names = [row["name"] for row in rows]
    games, levels = names[: -len(bundled_levels())], names[-len(bundled_levels()) :]
    assert {"knockdown", "custom_system", "collisions", "spring"} <= set(games)
    assert games == sorted(games, key=lambda name: rows[names.index(name)]["title"])
    assert levels == bundled_levels()
    assert all(list(row) == ["name", "title", "description"] for row in rows)
    assert all(value for row in rows for value in row.values())


def test_list_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert "knockdown" in printed
    assert "Pyramid" in printed


def test_a_broken_level_is_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.menu.catalogue.bundled_levels", lambda: ["seesaw", "missing"])
    assert main(["--list", "--json"]) == 0
    captured = capsys.readouterr()
    assert [row["name"] for row in json.loads(captured.out)][-1] == "seesaw"
    assert "left out of the demos" in captured.err
    assert "missing" in captured.err


# A run without a window


def test_a_run_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, "bounces", "--headless", "--steps", "30")
    assert list(answer) == ["name", "time", "bodies"]
    assert answer["name"] == "bounces"
    assert answer["time"] == pytest.approx(0.5)
    assert all(len(body) == 6 for body in answer["bodies"])


def test_bodies_are_the_dynamic_ones_in_spawn_order(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, "seesaw", "--headless", "--steps", "0")
    with World(name="games, by hand") as world:
        level = load("seesaw", world)
    expected = [[body.x, body.y, body.angle, 0, 0, 0] for body in level.bodies if body.mass]
    assert answer["bodies"] == expected
    assert answer["time"] == 0.0


def test_free_fall_follows_the_gravity_that_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--set", "gravity=[1.5, -2]", "--set", "dt=0.01"]
    answer = answered(capsys, "bounces", "--headless", "--steps", "20", *settings)
    assert answer["time"] == pytest.approx(0.2)
    for body in answer["bodies"]:
        assert body[3:] == pytest.approx([0.3, -0.4, 0.0], abs=1e-12)


def test_dt_is_short_for_setting_it(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["seesaw", "--headless", "--steps", "40"]
    short = answered(capsys, *run, "--dt", "0.02")
    assert short == answered(capsys, *run, "--set", "dt=0.02")
    assert short["time"] == pytest.approx(0.8)


@pytest.mark.parametrize("name", ["knockdown", "custom_system", "seesaw"])
def test_two_runs_are_the_same(capsys: pytest.CaptureFixture[str], name: str) -> None:
    run = [name, "--headless", "--steps", "150", "--set", "substeps=3"]
    assert answered(capsys, *run) == answered(capsys, *run)


def test_a_game_adds_keys(capsys: pytest.CaptureFixture[str]) -> None:
    throws = ["--set", "level=2", "--set", "throws=[[20, 5]]"]
    answer = answered(capsys, "knockdown", "--headless", "--steps", "240", *throws)
    assert list(answer) == ["name", "time", "bodies", "level", "score", "thrown", "won"]
    assert (answer["level"], answer["thrown"]) == (2, 1)
    assert answer["score"] > 0


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pyramid", "--headless", "--steps", "1"]) == 0
    printed = capsys.readouterr().out
    assert "821 dynamic" in printed
    assert "and 801 more" in printed


def test_a_run_leaves_nothing_in_esper(capsys: pytest.CaptureFixture[str]) -> None:
    before = (esper.current_world, sorted(esper.list_worlds()))
    answered(capsys, "seesaw", "--headless", "--steps", "1")
    refused(capsys, "seesaw", "--headless", "--set", "substeps=0")
    assert (esper.current_world, sorted(esper.list_worlds())) == before


# What is refused


def test_an_unknown_demo_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    complaint = refused(capsys, "knokdown", "--headless")
    assert "'knokdown'" in complaint
    assert "did you mean 'knockdown'?" in complaint
    assert "seesaw" in complaint


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("seesaw", "gravity, substeps, threads, dt\n"),
        ("knockdown", "gravity, substeps, threads, dt, level, throws\n"),
        ("custom_system", "gravity, substeps, threads, dt, way\n"),
        (
            "spring",
            "gravity, substeps, threads, dt, stiffness, rest_length, damping, mass, method, "
            "x, y, vx, vy\n",
        ),
    ],
)
def test_an_unknown_setting_lists_the_known_ones(
    capsys: pytest.CaptureFixture[str], name: str, known: str
) -> None:
    complaint = refused(capsys, name, "--headless", "--set", "gravty=3")
    assert "'gravty'" in complaint
    assert "did you mean 'gravity'?" in complaint
    assert complaint.endswith(f"there are {known}")


@pytest.mark.parametrize(
    ("name", "setting", "said"),
    [
        ("seesaw", "gravity=9.81", "World.gravity = 9.81"),
        ("seesaw", "gravity=down", "World.gravity = 'down'"),
        ("seesaw", "gravity=[0, NaN]", "World.gravity[1] = nan"),
        ("seesaw", "substeps=1.5", "World.substeps = 1.5"),
        ("seesaw", "threads=0", "World.threads = 0"),
        ("seesaw", "dt=0", "dt = 0"),
        ("seesaw", "dt=Infinity", "dt = inf"),
        ("seesaw", "dt=soon", "dt = 'soon'"),
        ("seesaw", "substeps", "key=value"),
        ("knockdown", "level=4", "from 1 to 3"),
        ("knockdown", "level=one", "from 1 to 3"),
        ("knockdown", "level=1.0", "from 1 to 3"),
        ("knockdown", "throws=5", "[[vx, vy], ...]"),
        ("custom_system", "way=slow", "loop, columns or kernel"),
        ("custom_system", "way=[1]", "loop, columns or kernel"),
    ],
)
def test_a_bad_value_is_refused(
    capsys: pytest.CaptureFixture[str], name: str, setting: str, said: str
) -> None:
    assert said in refused(capsys, name, "--headless", "--set", setting)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--headless"],
        ["--set", "dt=1"],
        ["seesaw", "--steps", "3"],
        ["seesaw", "--json"],
        ["seesaw", "--headless", "--steps", "-1"],
        ["seesaw", "--headless", "--dt", "fast"],
        ["seesaw", "--headless", "--dt", "-1"],
    ],
    ids=" ".join,
)
def test_arguments_that_do_not_go_together(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert refused(capsys, *arguments)


# The whole process


def test_the_process_prints_the_answer_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "games", "seesaw", "--headless", "--steps", "5", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "seesaw"


def test_the_process_lists_without_loading_a_window() -> None:
    code = (
        "import sys; from games.__main__ import main; main(['--list', '--json']); "
        "main(['knockdown', '--headless', '--steps', '1']); "
        "sys.exit('a window was loaded' if {'arcade', 'pyglet'} & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_process_refuses_with_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "games", "nothing"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == BAD_INPUT
    assert done.stdout == ""
    assert "there are " in done.stderr
    assert "knockdown" in done.stderr
