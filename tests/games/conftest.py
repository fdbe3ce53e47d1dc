"""Fixtures of the games: a demo by name, started in a world of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from games.menu.catalogue import catalogue, find
from games.menu.show import Show


@pytest.fixture
def show() -> Iterator[Callable[..., Show]]:
    """Call it with a demo's name and its settings; it is closed after the test."""
    with ExitStack() as stack:
        yield lambda name, **settings: stack.enter_context(
            Show(find(name, catalogue()), dict[str, Any](settings))
        )
