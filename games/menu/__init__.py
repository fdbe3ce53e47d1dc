"""What every demo shares: the list of them, their window, and their runs without one."""

from games.menu.demo import Demo, demo

__all__ = ["Demo", "demo"]
