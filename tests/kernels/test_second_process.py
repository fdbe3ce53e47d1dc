"""A second process compiles what the first has not begun, and cannot hold it up for ever."""

import subprocess
import sys
from pathlib import Path

import pytest

from ecs_physics.kernels import second_process


def test_each_job_is_begun_once(tmp_path: Path) -> None:
    assert second_process.begin("solver.solve", tmp_path)
    assert not second_process.begin("solver.solve", tmp_path)
    assert second_process.begin("solver.warm_start", tmp_path)


def test_without_the_folder_of_the_two_nothing_is_begun(tmp_path: Path) -> None:
    """The first process has ended: the second one must end too."""
    assert not second_process.begin("solver.solve", tmp_path / "gone")


@pytest.mark.parametrize(
    ("frozen", "executable"),
    [(True, "/opt/game/python"), (False, "/opt/game/game"), (False, ""), (False, None)],
)
def test_a_packed_or_embedding_program_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch, frozen: bool, executable: str | None
) -> None:
    """There sys.executable is the game itself: it must not open a second time to compile."""
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    monkeypatch.setattr(sys, "executable", executable)
    assert not second_process.is_plain_python()
    assert second_process.start("pass") is None


def test_a_second_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_process, "LONGEST_WAIT", 0.1)
    hanging = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    second_process.wait_for(lambda: False, hanging)
    assert hanging.returncode not in (None, 0)


def test_what_is_done_or_given_up_is_not_waited_for() -> None:
    """A job that is done, though the process goes on; and one that its end leaves undone."""
    going_on = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    second_process.wait_for(lambda: True, going_on)
    assert going_on.poll() is None
    second_process.end(going_on)
    assert going_on.returncode is not None
    second_process.wait_for(lambda: False, going_on)
