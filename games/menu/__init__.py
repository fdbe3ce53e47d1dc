"""What every demo shares: the list of them, their window, and their runs without one."""

from games.menu.demo import Demo, demo
from games.menu.lab import Lab

__all__ = ["Demo", "Lab", "demo"]
