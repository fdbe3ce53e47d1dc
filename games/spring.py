"""A mass on a spring: how six integrators keep, lose or invent energy."""

from __future__ import annotations

from math import hypot, pi
from typing import TYPE_CHECKING, Any

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics import Color, LockedAxes, Mass, Shape, Spring, Stage, Transform, Velocity, World
from ecs_physics.measures import kinetic_energy, potential_energy
from ecs_physics.systems import (
    INTEGRATORS,
    CollisionDetection,
    ContactResolution,
    Springs,
    use_integrator,
)
from games.menu import Lab, demo

if TYPE_CHECKING:
    from ecs_physics.view import LineBatch, Panel, Plot
    from games.menu.window import DemoView

RADIUS = 0.3  # m, of the disc that stands for the particle
REACH = 8.0  # px, beside it, in which a click still takes it
FOLLOW = 15.0  # 1/s: how fast it follows the mouse; slower, and it flies on slower
TEETH = 11  # of the zig-zag
TOOTH = 0.25  # m, half its height


def of_spring(name: str) -> Any:
    """An attribute of the lab that is one of its spring, and refuses what the spring refuses."""

    def write(lab: SpringLab, value: float) -> None:
        setattr(lab.spring, name, value)
        lab.values[name] = getattr(lab.spring, name)

    return property(lambda lab: lab.values[name], write)


@demo("spring", "Spring", "A mass on a spring by six integrators: who keeps the energy?")
class SpringLab(Lab):
    """One particle, one spring to the origin, one integrator.

    In a hand the particle is kinematic: its kinetic energy does not count, and it is dynamic
    again, with the velocity that the hand gave it, once it is let go.

    Args:
        world: an empty one.
        dt: s, of a step.
        stiffness: N/m.
        rest_length: m.
        damping: N s/m, along the spring.
        mass: kg.
        method: name of an integrator.
        x: m, where the particle starts.
        y: m.
        vx: m/s, how it starts.
        vy: m/s.
    """

    LOOK = (0.0, 0.0, 17.0)
    KEYS = (("left drag", "drag the mass"),)

    stiffness = of_spring("stiffness")
    rest_length = of_spring("rest_length")
    damping = of_spring("damping")

    def __init__(
        self,
        world: World,
        dt: float = 0.01,
        stiffness: float = 5.0,
        rest_length: float = 4.0,
        damping: float = 0.0,
        mass: float = 0.5,
        method: str = "Symplectic Euler",
        x: float = 6.0,
        y: float = 0.0,
        vx: float = 0.0,
        vy: float = 0.0,
    ) -> None:
        super().__init__(world)
        self.dt = dt
        self.values: dict[str, Any] = {
            "stiffness": stiffness,
            "rest_length": rest_length,
            "damping": damping,
        }
        self.kilograms = mass
        self.begin_at, self.begin_with = (x, y), (vx, vy)
        self.plot: Plot | None = None
        world.substeps = 1
        world.gravity = (0.0, 0.0)
        world.remove_system(CollisionDetection)
        world.remove_system(ContactResolution)
        world.add_system(Springs(world), Stage.FORCES)
        self.method = method

    def fill(self) -> None:
        """Hang the particle on the spring."""
        self.place, self.motion = Transform(*self.begin_at), Velocity(*self.begin_with)
        looks = Shape.circle(RADIUS), Color("#56B4E9"), LockedAxes(angle=True)
        self.particle = esper.create_entity(
            self.place, self.motion, Mass(mass=self.kilograms), *looks
        )
        self.spring = Spring(self.particle, **self.values)
        esper.create_entity(self.spring)
        self.hand: tuple[float, float] | None = None

    @property
    def method(self) -> str:
        """Name of the integrator."""
        return self._method

    @method.setter
    def method(self, value: str) -> None:
        use_integrator(self.world, str(value))
        self._method = value

    @property
    def mass(self) -> float:
        """kg, of the particle."""
        return self.kilograms

    @mass.setter
    def mass(self, value: float) -> None:
        changed = Mass(mass=value)
        if self.hand is None:
            esper.add_component(self.particle, changed)
        self.kilograms = value

    def energies(self) -> tuple[float, float, float]:
        """Kinetic, potential and total, in J; infinite where they are too large."""
        with np.errstate(over="ignore", invalid="ignore"):
            kinetic, potential = kinetic_energy(self.world), potential_energy(self.world)
        return kinetic, potential, kinetic + potential

    def answer(self) -> dict[str, Any]:
        """State and energies of the particle."""
        place, motion = self.place, self.motion
        state = {"x": place.x, "y": place.y, "vx": motion.x, "vy": motion.y}
        return {
            **state,
            **dict(zip(("kinetic", "potential", "total"), self.energies(), strict=True)),
        }

    # -- in a window ----------------------------------------------------------------------

    def dress(self, view: DemoView) -> None:
        """Add the panel and the plot."""
        from ecs_physics.view import Plot

        super().dress(view)
        self.plot = view.add_plot(Plot("Energy", ["kinetic", "potential", "total"], unit="J"))

    def add_controls(self, panel: Panel) -> None:
        """Add what founding system 2 lets you change."""
        panel.choice(self, "method", list(INTEGRATORS), label="integrator")
        panel.slider(self, "rest_length", 0, 8, step=0.05, unit="m")
        panel.slider(self, "damping", 0, 2, step=0.01, unit="N s/m")
        panel.number(self, "stiffness", unit="N/m", low=0, high=1e6)
        panel.number(self, "mass", unit="kg", low=1e-3, high=1e6)

    def on_step(self, dt: float) -> None:
        """Plot, and let the particle follow the hand."""
        super().on_step(dt)
        if self.plot is not None:
            self.plot.push(self.world.time, self.energies())
        if self.hand is not None:
            rate = min(FOLLOW, 1.0 / dt)
            self.motion.x = rate * (self.hand[0] - self.place.x)
            self.motion.y = rate * (self.hand[1] - self.place.y)

    def on_press(self, x: float, y: float) -> bool:
        """Take the particle: in a hand it is kinematic."""
        reach = RADIUS + (REACH * self.view.camera.pixel if self.view is not None else 0.0)
        if hypot(x - self.place.x, y - self.place.y) > reach:
            return False
        esper.remove_component(self.particle, Mass)
        self.motion.x = self.motion.y = 0.0
        self.hand = (x, y)
        return True

    def on_drag(self, x: float, y: float) -> None:
        """Lead it to (x, y)."""
        if self.hand is not None:
            self.hand = (x, y)
            if self.view is not None and self.clock.paused:
                self.place.x, self.place.y = x, y

    def on_release(self, x: float, y: float) -> None:
        """Let it fly."""
        if self.hand is not None:
            self.hand = None
            esper.add_component(self.particle, Mass(mass=self.kilograms))

    def draw(self, lines: LineBatch) -> None:
        """Draw the spring, its anchor, and a mark at its rest length."""
        from ecs_physics.view import theme

        look = theme()
        x, y = self.place.x, self.place.y
        length = hypot(x, y)
        along = np.array((x / length, y / length) if length > 1e-4 else (1.0, 0.0))
        across = np.array((-along[1], along[0]))
        rest = self.spring.rest_length
        angles = np.linspace(0.0, 2.0 * pi, 97)
        ring = rest * np.stack((np.cos(angles), np.sin(angles)), axis=1)
        lines.add(ring[:-1:2], ring[1::2], (*look.accent, 120), 1.5)
        ends = rest * along + np.outer((-0.6, 0.6), across)
        lines.add(ends[0], ends[1], look.accent, 3)
        points = zig_zag(max(length - RADIUS, 0.0), along, across)
        lines.add(points[:-1], points[1:], look.text, 2)
        lines.add_dots((0, 0), look.text, 12)
        if self.view is not None:
            self.mark(None if self.hand is None else self.particle)


def zig_zag(
    length: float, along: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Points of a spring of `length` m from the origin, (n, 2), m, straight at both ends."""
    teeth = np.linspace(0.12, 0.88, 2 * TEETH + 1)
    sides = np.zeros(len(teeth))
    sides[1::4], sides[3::4] = TOOTH, -TOOTH
    places = np.concatenate(([0.0], teeth, [1.0])) * length
    heights = np.concatenate(([0.0], sides, [0.0]))
    points: NDArray[np.float64] = np.outer(places, along) + np.outer(heights, across)
    return points
