"""A demo without a window: so many steps, then where everything is."""

from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from ecs_physics import Mass, Transform, Velocity, World
from games.menu.show import Show

ROWS: Final = 20
"""Bodies that a table shows; JSON has them all."""


def run(show: Show, steps: int) -> dict[str, Any]:
    """Make `steps` steps, with a bar on standard error where somebody looks, and tell the end."""
    console = Console(stderr=True)
    watched = console.is_terminal
    for _ in track(range(steps), "steps", console=console, transient=True, disable=not watched):
        show.step()
    with show.world:
        return {
            "name": show.entry.name,
            "time": show.world.time,
            "bodies": dynamic_bodies(show.world),
            **show.demo.answer(),
        }


def dynamic_bodies(world: World) -> list[list[float]]:
    """[x, y, angle, vx, vy, omega] of each dynamic body (m, rad, m/s, rad/s), as spawned."""
    poses, velocities = world.columns(Transform), world.columns(Velocity)
    rows = np.flatnonzero((velocities["entity"] != 0) & (world.columns(Mass)["entity"] != 0))
    rows = rows[np.argsort(poses["entity"][rows], kind="stable")]
    fields = [poses[name] for name in ("x", "y", "angle")]
    fields += [velocities[name] for name in ("x", "y", "omega")]
    values: list[list[float]] = np.stack([field[rows] for field in fields], axis=1).tolist()
    return values


def print_table(answer: dict[str, Any]) -> None:
    """Print an answer for people."""
    console = Console()
    head = Table.grid(padding=(0, 2))
    head.add_column(style="bold")
    head.add_column()
    for key, value in answer.items():
        if key == "time":
            head.add_row(key, f"{value:.6g} s")
        elif key == "bodies":
            head.add_row(key, f"{len(value)} dynamic")
        else:
            head.add_row(key, Text(str(value)))
    console.print(head)
    bodies = answer["bodies"]
    if not bodies:
        return
    table = Table(box=None, pad_edge=False)
    for name in ("body", "x, m", "y, m", "angle, rad", "vx, m/s", "vy, m/s", "omega, rad/s"):
        table.add_column(name, justify="right")
    for number, body in enumerate(bodies[:ROWS], start=1):
        table.add_row(str(number), *(f"{value:.3f}" for value in body))
    console.print(table)
    if len(bodies) > ROWS:
        console.print(f"... and {len(bodies) - ROWS} more: --json has all")
