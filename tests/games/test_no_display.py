"""`make play` where no display is: a picture and a film, or at least a table."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from games.__main__ import main

ROOT = Path(__file__).parents[2]

FILM_IN = """
import sys
from pathlib import Path
import games.menu.film
import games.menu.command as command
games.menu.film.OUT = Path(sys.argv.pop(1))
sys.exit(command.main(sys.argv[1:]))
"""


def without_display(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in a process without a display."""
    kept = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":12345"}], ids=["none", "dead"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere a display is certain")
def test_a_picture_and_a_film_are_written(tmp_path: Path, display: dict[str, str]) -> None:
    done = without_display("-c", FILM_IN, str(tmp_path), **display)
    assert done.returncode == 0, done.stderr
    if "runs unseen" in done.stderr:
        assert os.environ.get("REQUIRE_WINDOW") != "1", done.stderr
        pytest.skip(done.stderr)
    assert done.stdout.split() == [str(tmp_path / "demo.png"), str(tmp_path / "demo.gif")]
    with Image.open(tmp_path / "demo.png") as picture:
        assert picture.size == (960, 540)
        assert len(picture.convert("RGB").getcolors(1 << 20) or []) > 20
    with Image.open(tmp_path / "demo.gif") as film:
        assert getattr(film, "n_frames", 1) > 10
        assert film.info["duration"] >= 50


def test_without_a_virtual_screen_it_runs_for_its_table(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere a display is certain")
    done = without_display("-c", FILM_IN, str(tmp_path), "seesaw", PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "apt-get install" in done.stderr
    assert "10 s" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_graphics_libraries_it_runs_for_its_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "arcade", None)  # importing it raises ImportError
    assert main(["custom_system"]) == 0
    captured = capsys.readouterr()
    assert "78 dynamic" in captured.out
    assert "apt-get install" in captured.err
