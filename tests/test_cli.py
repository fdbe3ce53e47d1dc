"""The command line: the answer on standard output, all else on standard error."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageSequence

from ecs_physics.cli import BAD_INPUT, NO_SCREEN, main
from ecs_physics.levels import bundled_levels, load
from ecs_physics.world import World

ROOT = Path(__file__).parents[1]
DISC = """
title = "Disc"
[[bodies]]
shape = { kind = "chain", vertices = [[-9, 0], [9, 0]] }
[[bodies]]
shape = { kind = "circle", radius = 1 }
y = 1
dynamic = true
"""


@pytest.fixture
def disc(tmp_path: Path) -> Path:
    """A level with a disc that rests on the ground."""
    path = tmp_path / "disc.toml"
    path.write_text(DISC)
    return path


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The answer of `run ... --json`."""
    assert main(["run", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    answer: dict[str, Any] = json.loads(captured.out)
    return answer


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


def test_run_answers_in_json(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    answer = run_json(capsys, str(disc), "--steps", "30")
    assert list(answer) == [
        "level",
        "bodies",
        "steps",
        "time",
        "ms_per_step",
        "contacts",
        "max_penetration",
        "hash",
    ]
    assert answer["level"] == str(disc)
    assert (answer["bodies"], answer["steps"], answer["contacts"]) == (2, 30, 1)
    assert answer["time"] == pytest.approx(0.5)
    assert answer["ms_per_step"] > 0.0
    assert 0.0 <= answer["max_penetration"] < 0.01


def test_the_hash_is_that_of_the_world(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "seesaw", "--steps", "45", "--dt", "0.02")
    with World(name="cli, by hand") as world:
        load("seesaw", world)
        for _ in range(45):
            world.step(0.02)
        assert answer["hash"] == world.hash()
        assert answer["time"] == world.time
        world.close()


def test_no_steps_at_all(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    answer = run_json(capsys, str(disc), "--steps", "0")
    assert (answer["time"], answer["ms_per_step"], answer["contacts"]) == (0.0, 0.0, 0)


def test_the_step_of_the_level_is_used(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    disc.write_text("[world]\ndt = 0.25\n" + DISC.replace('title = "Disc"', ""))
    assert run_json(capsys, str(disc), "--steps", "2")["time"] == 0.5
    assert run_json(capsys, str(disc), "--steps", "2", "--dt", "0.125")["time"] == 0.25


def test_run_prints_a_table(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    assert main(["run", str(disc), "--steps", "6"]) == 0
    table = capsys.readouterr().out
    assert re.search(r"^bodies +2 *$", table, re.MULTILINE)
    assert re.search(r"^time +0\.1 s *$", table, re.MULTILINE)
    assert re.search(r"^hash +[0-9a-f]{64}$", table, re.MULTILINE)


def test_run_refuses(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    level = str(disc)
    assert "'-1': give a whole number" in refused(capsys, "run", level, "--steps", "-1")
    assert "'1.5': give a whole number" in refused(capsys, "run", level, "--steps", "1.5")
    assert "'nan': give a number above 0" in refused(capsys, "run", level, "--dt", "nan")
    assert "'0': give 1 or more" in refused(capsys, "run", level, "--threads", "0")
    assert "99" in refused(capsys, "run", level, "--threads", "99")
    assert "ending in .png" in refused(capsys, "run", level, "--screenshot", "a.txt")
    assert "ending in .mp4" in refused(capsys, "run", level, "--video", "a.txt")
    assert 'did you mean "pyramid"' in refused(capsys, "run", "pyramd")
    disc.write_text("titel = 1")
    assert refused(capsys, "run", level) == (
        f'{level}: titel: unknown key; did you mean "title"? '
        "Known: title, description, world, view, bodies, groups, joints\n"
    )


def test_a_picture_without_graphics_libraries(
    capsys: pytest.CaptureFixture[str], disc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ecs_physics.view", None)
    monkeypatch.delattr("ecs_physics.view", raising=False)
    assert main(["run", str(disc), "--steps", "1", "--screenshot", "a.png"]) == NO_SCREEN
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "apt-get install" in captured.err


def test_levels_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["levels", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == bundled_levels()
    assert all(row["title"] and row["description"] for row in rows)
    assert main(["levels"]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in bundled_levels())


def test_check(capsys: pytest.CaptureFixture[str], disc: Path, tmp_path: Path) -> None:
    assert main(["check", str(disc), "bounces"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{disc}: good, 2 bodies\nbounces: good, 12 bodies\n"
    assert captured.err == ""
    bad = tmp_path / "bad.toml"
    bad.write_text("[[bodies]]\n")
    assert main(["check", str(bad), str(disc)]) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == f"{disc}: good, 2 bodies\n"
    assert captured.err.startswith(f"{bad}: bodies[0]: no shape")


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert all(command in text for command in ("run", "levels", "check"))


def test_pictures_of_a_run(capsys: pytest.CaptureFixture[str], disc: Path) -> None:
    picture, film = disc.with_name("made") / "end.png", disc.with_name("run.gif")
    pictures = ["--screenshot", str(picture), "--video", str(film)]
    done = program("run", str(disc), "--steps", "20", "--json", *pictures)
    if done.returncode == NO_SCREEN and os.environ.get("REQUIRE_WINDOW") != "1":
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    alone = run_json(capsys, str(disc), "--steps", "20")
    assert json.loads(done.stdout)["hash"] == alone["hash"], "being watched changes nothing"
    with Image.open(picture) as image:
        assert len(image.getcolors(1 << 24) or []) > 20, "something is to be seen"
    with Image.open(film) as frames:
        # Eleven frames of 0.03 s; pillow joins those that are equal.
        assert sum(f.info["duration"] for f in ImageSequence.Iterator(frames)) == 11 * 30


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a program of its own."""
    command = [sys.executable, "-m", "ecs_physics", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_as_a_program(disc: Path) -> None:
    done = program("run", str(disc), "--steps", "3", "--json")
    assert json.loads(done.stdout)["bodies"] == 2
    done = program("run", "nowhere", "--json")
    assert (done.returncode, done.stdout) == (BAD_INPUT, "")
    assert done.stderr.startswith("nowhere: no bundled level of this name; give one of")
