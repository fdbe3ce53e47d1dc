"""Rope, cloth and soft body: point masses and springs, under an integrator of your choice.

Stiff springs ask much of an integrator: at 1/60 s the explicit ones throw the cloth apart within a
second, and implicit Euler, which solves for the speeds after the step, lets it hang.
"""

from __future__ import annotations

from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics import (
    Color,
    Force,
    LockedAxes,
    Mass,
    Material,
    Shape,
    Spring,
    Stage,
    Transform,
    Velocity,
    World,
)
from ecs_physics.measures import kinetic_energy, potential_energy
from ecs_physics.systems import INTEGRATORS, Integrator, Springs, use_integrator
from games.menu import Lab, demo

if TYPE_CHECKING:
    from ecs_physics.view import LineBatch, Panel
    from games.menu.window import DemoView

TOO_FAST: Final = 1000.0
"""m/s. What is faster has blown up: it is stopped there, while all its numbers are finite."""

BANDS: Final = (
    (-np.inf, 0.02, (86, 180, 233)),
    (0.02, 0.06, (240, 228, 66)),
    (0.06, 0.15, (230, 159, 0)),
    (0.15, np.inf, (255, 77, 109)),
)
"""Least and most stretch, a ratio of the rest length, and the colour of such springs."""

DIAGONAL: Final = 2.0**0.5
"""Of a square's side."""
SHEAR: Final = 0.3
"""Stiffness of the cloth's diagonals, a ratio of that along its threads. More: a board."""
REACH: Final = 0.3
"""m, from a particle, where the mouse still takes it."""
HAND_DAMPING: Final = 0.3
"""N s/m, of the spring by which the mouse pulls."""
GAP: Final = 0.25
"""m, between the particles of the cloth."""
DRAG: Final = 0.01
"""N s/m, of the air on a particle of the cloth."""
GUST_TIME: Final = 3.0
"""s, from a gust to the next one from the same side."""


class Network(Lab):
    """Base of the three: springs, an integrator by name, and what is seen of both.

    A subclass makes particles and springs in `weave`. `method` is a name of INTEGRATORS,
    `stiffness` in N/m and `damping` in N s/m are those of every spring.
    """

    KEYS = (("left drag", "pull a particle"),)
    SOFTEST = 10.0
    """N/m, the left end of the slider."""
    HAND = 150.0
    """N/m, of the spring by which the mouse pulls a particle; 0 leaves that to the view."""

    def __init__(self, world: World, method: str, stiffness: float, damping: float) -> None:
        super().__init__(world)
        self.springs: list[Spring] = []
        self.blown_up_at: float | None = None
        self._stiffness = _at_least(stiffness, "stiffness", 1.0)
        self._damping = _at_least(damping, "damping", 0.0)
        world.substeps = 1
        world.add_system(Springs(world), Stage.FORCES)
        self.method = method

    # -- what is changed live -------------------------------------------------------------

    @property
    def method(self) -> str:
        """Name of the integrator; a new one gives what has blown up a new start."""
        return self._method

    @method.setter
    def method(self, name: str) -> None:
        if not isinstance(name, str) or name not in INTEGRATORS:
            raise ValueError(f"method = {name!r}: give one of {', '.join(INTEGRATORS)}")
        use_integrator(self.world, name)
        self._method = name
        self._begin_again()

    @property
    def stiffness(self) -> float:
        """N/m, of every spring."""
        return self._stiffness

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self._stiffness = _at_least(value, "stiffness", 1.0)
        for spring, share in zip(self.springs, self._shares, strict=True):
            spring.stiffness = share * self._stiffness
        self._begin_again()

    @property
    def damping(self) -> float:
        """N s/m, of every spring."""
        return self._damping

    @damping.setter
    def damping(self, value: float) -> None:
        self._damping = _at_least(value, "damping", 0.0)
        for spring in self.springs:
            spring.damping = self._damping
        self._begin_again()

    def _begin_again(self) -> None:
        if self.blown_up_at is not None and self.view is not None:
            self.view.restart()

    # -- the network ----------------------------------------------------------------------

    def fill(self) -> None:
        """Weave the network, and let it be moved."""
        self.springs, self.blown_up_at = [], None
        self.hand: Spring | None = None
        self._ends: list[tuple[int, int]] = []
        self._shares: list[float] = []
        use_integrator(self.world, self._method)
        self.weave()
        for spring in self.springs:
            esper.create_entity(spring)
        entities = self.world.columns(Transform)["entity"]
        row_of = {int(entity): row for row, entity in enumerate(entities)}
        pairs = [(row_of[a], row_of[b]) for a, b in self._ends]
        self._rows: NDArray[np.int64] = np.array(pairs, np.int64).reshape(-1, 2)
        inner = [spring.rest_length for spring in self.springs if spring.body_b is not None]
        self._rest: NDArray[np.float64] = np.array(inner)

    def weave(self) -> None:
        """Hook: create the particles and, by `tie`, the springs."""

    def particle(self, x: float, y: float, mass: float, *, pinned: bool = False) -> int:
        """A point mass (kg) at (x, y), m; pinned it stays there. Returns its entity."""
        more = (LockedAxes(x=True, y=True),) if pinned else ()
        looks = Color("#9AA5B1")
        entity: int = esper.create_entity(
            Transform(x, y), Velocity(), Mass(mass=mass), looks, *more
        )
        return entity

    def tie(self, a: int, b: int, rest_length: float, share: float = 1.0) -> None:
        """A spring between two particles, of `share` of the stiffness."""
        stiffness = share * self._stiffness
        spring = Spring(a, b, stiffness=stiffness, rest_length=rest_length, damping=self._damping)
        self.springs.append(spring)
        self._shares.append(share)
        self._ends.append((a, b))

    def sheet(self, grid: list[list[int]], gap: float, share: float = 1.0) -> None:
        """Springs along rows, columns and, with `share`, both diagonals of cells of `gap` m."""
        for j, row in enumerate(grid):
            for i, particle in enumerate(row):
                if i + 1 < len(row):
                    self.tie(particle, row[i + 1], gap)
                if j + 1 < len(grid):
                    self.tie(particle, grid[j + 1][i], gap)
                if i + 1 < len(row) and j + 1 < len(grid):
                    self.tie(particle, grid[j + 1][i + 1], DIAGONAL * gap, share)
                    self.tie(row[i + 1], grid[j + 1][i], DIAGONAL * gap, share)

    def stretches(self) -> NDArray[np.float64]:
        """How much longer each spring is than at rest, a ratio of its rest length."""
        starts, ends = self._places()
        apart = ends - starts
        return np.hypot(apart[:, 0], apart[:, 1]) / self._rest - 1.0

    def _places(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        poses = self.world.columns(Transform)
        places = np.stack([poses["x"], poses["y"]], axis=1)
        return places[self._rows[:, 0]], places[self._rows[:, 1]]

    def on_step(self, dt: float) -> None:
        """Stop what has blown up, and tell the plot."""
        super().on_step(dt)
        if self.blown_up_at is None and is_blown_up(self.world):
            self.blown_up_at = self.world.time
            freeze(self.world)
        if self.view is not None and self.blown_up_at is None:
            kinetic, potential = kinetic_energy(self.world), potential_energy(self.world)
            self.plot.push(self.world.time, (kinetic, potential, kinetic + potential))

    # -- the mouse ------------------------------------------------------------------------

    def on_press(self, x: float, y: float) -> bool:
        """Tie the nearest particle to the mouse: a light one alone could not pull the others."""
        poses = self.world.columns(Transform)
        far = np.hypot(poses["x"] - x, poses["y"] - y)
        far[poses["entity"] == 0] = np.inf
        row = int(far.argmin())
        if not self.HAND or self.blown_up_at is not None or far[row] > REACH:
            return False
        entity = int(poses["entity"][row])
        self.hand = Spring(
            entity, stiffness=self.HAND, rest_length=0.0, anchor_b=(x, y), damping=HAND_DAMPING
        )
        self._hand_entity = esper.create_entity(self.hand)
        return True

    def on_drag(self, x: float, y: float) -> None:
        """Pull it."""
        if self.hand is not None:
            self.hand.anchor_b = (x, y)

    def on_release(self, x: float, y: float) -> None:
        """Let it go."""
        if self.hand is not None:
            esper.delete_entity(self._hand_entity, immediate=True)
            self.hand = None

    # -- what is seen ---------------------------------------------------------------------

    def dress(self, view: DemoView) -> None:
        """Add panel and plot; one step a frame."""
        from ecs_physics.view import Plot

        super().dress(view)
        self.clock.steps_a_frame = 1
        self.plot = view.add_plot(Plot("Energy", ["kinetic", "potential", "total"], unit="J"))

    def add_controls(self, panel: Panel) -> None:
        """Add the integrator, and what the springs are like."""
        panel.choice(self, "method", list(INTEGRATORS))
        panel.slider(self, "stiffness", self.SOFTEST, 1e6, unit="N/m", logarithmic=True)
        panel.slider(self, "damping", 0, 2, step=0.01, unit="N s/m")
        panel.dial(self.world, "gravity", 20, unit="m/s\N{SUPERSCRIPT TWO}")
        panel.readout("springs", lambda: len(self.springs))
        panel.readout("longest stretch", self._longest, unit="%", step=0.1)

    def _longest(self) -> float:
        return 100.0 * float(self.stretches().max())

    def draw(self, lines: LineBatch) -> None:
        """Draw the springs, coloured by their stretch."""
        starts, ends = self._places()
        stretches = self.stretches()
        for low, high, color in BANDS:
            chosen = (stretches >= low) & (stretches < high)
            lines.add(starts[chosen], ends[chosen], (*color, 200), 1.2)
        if self.hand is not None:
            place = esper.component_for_entity(self.hand.body_a, Transform)
            ends = np.array([(place.x, place.y), self.hand.anchor_b])
            lines.add(ends[0], ends[1], (230, 234, 240, 200), 1.2)
            lines.add_dots(ends, (230, 234, 240), 6)

    def words(self) -> str:
        """That it has blown up, and what to do."""
        if self.blown_up_at is None:
            return super().words()
        return f"{self.method} blew up after {self.blown_up_at:.2f} s: choose another, or press R"

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        kinetic, potential = kinetic_energy(self.world), potential_energy(self.world)
        return {
            "method": self.method,
            "springs": len(self.springs),
            "blown_up_at": self.blown_up_at,
            "longest_stretch": float(self.stretches().max()),
            "kinetic": kinetic,
            "potential": potential,
            "total": kinetic + potential,
        }


@demo("rope", "Rope", "A chain of springs swings from a nail under the integrator of your choice")
class Rope(Network):
    """`count` particles in a line, of 20 g each and the last of 1 kg, from a nail at the origin."""

    LOOK = (0, -5.0, 26)

    def __init__(
        self,
        world: World,
        count: int = 60,
        method: str = "Implicit Euler",
        stiffness: float = 5000.0,
        damping: float = 0.5,
    ) -> None:
        self.count = _whole(count, "count", 2, 1000)
        super().__init__(world, method, stiffness, damping)

    def weave(self) -> None:
        """The rope, held level at the start."""
        gap = 9.0 / (self.count - 1)
        line = [
            self.particle(gap * i, 0.0, 1.0 if i == self.count - 1 else 0.02, pinned=i == 0)
            for i in range(self.count)
        ]
        for a, b in pairwise(line):
            self.tie(a, b, gap)

    def draw(self, lines: LineBatch) -> None:
        """Draw the rope, its nail and its weight."""
        super().draw(lines)
        starts, ends = self._places()
        lines.add_dots(starts[0], (230, 234, 240), 9)
        lines.add_dots(ends[-1], (230, 159, 0), 18)


@demo("cloth", "Cloth", "A stiff cloth of 1000 particles in gusts: explicit Euler tears it apart")
class Cloth(Network):
    """`columns` x `rows` particles of 10 g each, pinned at two points of its upper edge.

    `wind` is the speed of the strongest gust, m/s.
    """

    LOOK = (0, -3.4, 16)
    SOFTEST = 1000.0  # softer ones fold up on themselves, and no step is small enough for that

    def __init__(
        self,
        world: World,
        columns: int = 40,
        rows: int = 25,
        method: str = "Implicit Euler",
        stiffness: float = 5000.0,
        damping: float = 0.02,
        wind: float = 6.0,
    ) -> None:
        self.columns = _whole(columns, "columns", 2, 100)
        self.rows = _whole(rows, "rows", 2, 100)
        self.gusts = Gusts(world)
        self.wind = wind
        super().__init__(world, method, stiffness, damping)
        world.add_system(self.gusts, Stage.FORCES)

    @property
    def wind(self) -> float:
        """Speed of the strongest gust, m/s."""
        return self.gusts.speed

    @wind.setter
    def wind(self, value: float) -> None:
        self.gusts.speed = _at_least(value, "wind", 0.0)

    def weave(self) -> None:
        """The cloth, as flat as a table."""
        left = -0.5 * GAP * (self.columns - 1)
        pins = {0, self.columns // 3}
        grid = [
            [
                self.particle(left + GAP * i, -GAP * j, 0.01, pinned=j == 0 and i in pins)
                for i in range(self.columns)
            ]
            for j in range(self.rows)
        ]
        self.sheet(grid, GAP, SHEAR)

    def add_controls(self, panel: Panel) -> None:
        """Add the wind."""
        super().add_controls(panel)
        panel.slider(self, "wind", 0, 10, step=0.5, unit="m/s")


class Gusts(esper.Processor):
    """Wind along x that comes and goes, a system for Stage.FORCES as a user may write one.

    Each body feels DRAG times the speed of the air against it. `speed` is that of a gust, m/s.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.speed = 0.0

    def process(self, dt: float) -> None:
        """Add the forces."""
        if self.speed == 0.0:
            return
        velocities, forces = self.world.columns(Velocity), self.world.columns(Force)
        air = self.speed * sin(2.0 * pi * self.world.time / GUST_TIME)
        forces["x"] += DRAG * (air - velocities["x"])
        forces["y"] -= DRAG * velocities["y"]


@demo("soft_body", "Soft body", "Jelly of springs falls on steps and wobbles")
class SoftBody(Network):
    """A square and a wheel of discs tied by springs; the contacts are the production solver's."""

    LOOK = (0, 3.6, 22)
    HAND = 0.0

    def __init__(
        self,
        world: World,
        size: int = 8,
        method: str = "Implicit Euler",
        stiffness: float = 400.0,
        damping: float = 0.5,
    ) -> None:
        self.size = _whole(size, "size", 2, 20)
        super().__init__(world, method, stiffness, damping)

    def weave(self) -> None:
        """The ground, a square and a wheel."""
        for x, y, width, height in ((0, -1, 60, 2), (-5.5, 0.5, 4, 1), (6, 0.75, 2, 1.5)):
            esper.create_entity(Transform(x, y), Shape.box(width, height))
        self.square(-3.4, 4.0, 3.6)
        self.wheel(4.0, 5.0, 1.8, 16)

    def square(self, x: float, y: float, side: float) -> None:
        """A square lattice whose lower left corner is at (x, y)."""
        gap = side / (self.size - 1)
        color = Color("#009E73")
        grid = [
            [self.disc(x + gap * i, y + gap * j, 0.4 * gap, color) for i in range(self.size)]
            for j in range(self.size)
        ]
        self.sheet(grid, gap)

    def wheel(self, x: float, y: float, radius: float, count: int) -> None:
        """Two rings about a hub at (x, y), with spokes and braces."""
        color = Color("#CC79A7")
        rings = []
        for part in (1.0, 0.6):
            angles = [2.0 * pi * i / count for i in range(count)]
            reach = part * radius
            rings.append(
                [
                    self.disc(
                        x + reach * cos(a), y + reach * sin(a), 0.35 * reach / count * 4, color
                    )
                    for a in angles
                ]
            )
        hub = self.disc(x, y, 0.12 * radius, color)
        outer, inner = rings
        for i in range(count):
            after = (i + 1) % count
            for a, b in (
                (outer[i], outer[after]),
                (inner[i], inner[after]),
                (outer[i], inner[i]),
                (outer[i], inner[after]),
                (inner[i], outer[after]),
                (inner[i], hub),
            ):
                self.tie(a, b, _apart(a, b))

    def disc(self, x: float, y: float, radius: float, color: Color) -> int:
        """A particle that touches things."""
        looks = Shape.circle(radius), Material(friction=0.6), color
        entity: int = esper.create_entity(Transform(x, y), Velocity(), Mass(density=1.0), *looks)
        return entity


# -- what blows up -----------------------------------------------------------------------------


def is_blown_up(world: World) -> bool:
    """Whether a body is faster than TOO_FAST, or its numbers are not finite."""
    velocities = world.columns(Velocity)
    with np.errstate(over="ignore", invalid="ignore"):
        speeds = np.hypot(velocities["x"], velocities["y"])
    return not bool((speeds <= TOO_FAST).all())


def freeze(world: World) -> None:
    """Let nothing move any more: it has no integration until `use_integrator` gives it one."""
    for system in world.systems(Stage.INTEGRATION):
        if isinstance(system, Integrator):
            world.remove_system(system)
    velocities = world.columns(Velocity)
    for name in ("x", "y", "omega"):
        velocities[name] = 0.0
    poses = world.columns(Transform)
    for name in ("x", "y", "angle"):
        np.nan_to_num(poses[name], copy=False, nan=0.0, posinf=0.0, neginf=0.0)


def _apart(a: int, b: int) -> float:
    first, second = (esper.component_for_entity(each, Transform) for each in (a, b))
    return hypot(second.x - first.x, second.y - first.y)


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} = {value!r}: give a whole number from {low} to {high}")
    return value


def _at_least(value: Any, name: str, low: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not low <= value < 1e9:
        raise ValueError(f"{name} = {value!r}: give a number of at least {low:g}")
    return float(value)
