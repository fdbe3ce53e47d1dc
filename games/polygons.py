"""Polygons that fly in a closed box, by textbook methods or the production solver.

The textbook methods are founding system 3: a detection that gives impact points, and a frictionless
impulse with elasticity that also pushes overlap out. They show its flaw too: give it gravity, and
what has fallen never comes to rest, as it does with the production solver.
"""

from __future__ import annotations

from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any, ClassVar, Final

import esper
import numpy as np

from ecs_physics import Color, Force, Mass, Material, Shape, Stage, Transform, Velocity, World
from ecs_physics import polygons as make
from ecs_physics.measures import kinetic_energy, max_penetration, momentum, potential_energy
from ecs_physics.systems import (
    CollisionDetection,
    ContactResolution,
    ElasticResolution,
    SeparatingAxisDetection,
    VertexEdgeDetection,
)
from games.menu import Lab, demo

if TYPE_CHECKING:
    from ecs_physics.view import LineBatch, Panel
    from games.menu.window import DemoView

METHODS: Final = {
    "vertex-edge": (VertexEdgeDetection, ElasticResolution),
    "separating axis": (SeparatingAxisDetection, ElasticResolution),
    "production solver": (CollisionDetection, ContactResolution),
}
"""Detection and resolution, by name."""

WIDTH, HEIGHT = 32.0, 20.0  # m, of the box inside
WALL = 2.0  # m, thickness of its walls
SPACING = 2.4  # m, between the places where polygons begin
MOST_POLYGONS = 104  # that there is room for at the start, beside the ship
MOST_ADDED = 300  # that may fly in the end
STEPS_A_FRAME = 4  # in a window
SPEED = 4.0  # m/s, most at the start along x and along y
SPIN = 1.5  # rad/s, most at the start
THRUST = 14.0  # m/s^2, of the ship's engine
TURN_SPEED = 3.5  # rad/s, of the ship while an arrow key is held
TURN_RATE = 8.0  # 1/s, how fast the ship takes that speed
MEMORY = 0.25  # s in which a shown impact fades
AXIS = 0.5  # m, length of a drawn body axis
RED, GREEN, ORANGE, PINK = (255, 77, 109), (124, 242, 156), (230, 159, 0), (255, 179, 193)

SHIP: Final = make.centered([(1.1, 0.0), (-0.8, 0.8), (-0.35, 0.0), (-0.8, -0.8)])
L_SHAPE: Final = make.centered([(0, 0), (1.6, 0), (1.6, 0.6), (0.6, 0.6), (0.6, 1.6), (0, 1.6)])
STAR: Final = make.general(
    [
        ((1.0, 0.45)[i % 2] * cos(pi * i / 5), (1.0, 0.45)[i % 2] * sin(pi * i / 5))
        for i in range(10)
    ]
)


@demo(
    "polygons", "Polygons", "Any polygons fly in a box: textbook collisions, a ship, live gravity"
)
class Polygons(Lab):
    """`count` polygons and a ship; `method` is a key of METHODS.

    `restitution` is a ratio from 0 to 1, `friction` a coefficient that only the production solver
    knows, `seed` chooses shapes and speeds. The keys are asked for once a step by `steer`.
    """

    dt = 1.0 / 240.0
    LOOK = (0, 0, WIDTH + 2 * WALL + 4)
    FILM: ClassVar = {"gravity": [0, -5], "restitution": 0.9}
    KEYS = (("arrows", "fly the ship"), ("N", "one polygon more"))

    def __init__(
        self,
        world: World,
        count: int = 60,
        method: str = "vertex-edge",
        restitution: float = 1.0,
        friction: float = 0.0,
        seed: int = 1,
    ) -> None:
        super().__init__(world)
        self.count = _whole(count, "count", 0, MOST_POLYGONS)
        self.seed = _whole(seed, "seed", 0, 2**31)
        self.show_impacts = True
        self.show_axes = False
        self.helm = (0.0, 0.0)  # turn and thrust, each -1 to 1
        self._is_flown = False
        self._impacts: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._friction = _ratio(friction, "friction", 10.0)
        self._restitution = _ratio(restitution, "restitution")
        self._systems: list[Any] = [
            each
            for stage in (Stage.COLLISION_DETECTION, Stage.CONTACT_RESOLUTION)
            for each in world.systems(stage)
        ]
        self.method = method
        world.gravity = (0.0, 0.0)
        world.add_system(Pilot(self), Stage.BEFORE_STEP)

    # -- what is changed live -------------------------------------------------------------

    @property
    def method(self) -> str:
        """How collisions are found and resolved: a key of METHODS."""
        return self._method

    @method.setter
    def method(self, name: str) -> None:
        if not isinstance(name, str) or name not in METHODS:
            raise ValueError(f"method = {name!r}: give one of {', '.join(METHODS)}")
        for each in self._systems:
            self.world.remove_system(each)
        detection, resolution = (kind(self.world) for kind in METHODS[name])
        self.world.add_system(detection, Stage.COLLISION_DETECTION)
        self.world.add_system(resolution, Stage.CONTACT_RESOLUTION)
        self._systems = [detection, resolution]
        self._method = name
        self._set_elasticity()

    @property
    def restitution(self) -> float:
        """Ratio of the speeds after and before a bounce."""
        return self._restitution

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._restitution = _ratio(value, "restitution")
        self._set_elasticity()
        self._set_materials()

    @property
    def friction(self) -> float:
        """Coulomb coefficient; the textbook methods have none."""
        return self._friction

    @friction.setter
    def friction(self, value: float) -> None:
        self._friction = _ratio(value, "friction", 10.0)
        self._set_materials()

    def _set_elasticity(self) -> None:
        for each in self._systems:
            if isinstance(each, ElasticResolution):
                each.elasticity = self._restitution

    def _set_materials(self) -> None:
        for entity in self.world.entities():
            esper.add_component(entity, self._material())

    def _material(self) -> Material:
        return Material(friction=self._friction, restitution=self._restitution)

    # -- what flies -----------------------------------------------------------------------

    def fill(self) -> None:
        """Build the box, the ship in the middle, and the polygons around it."""
        self._random = np.random.default_rng(self.seed)
        self._impacts = []
        self._is_flown = False
        self.sent_back = 0
        x, y = 0.5 * (WIDTH + WALL), 0.5 * (HEIGHT + WALL)
        long = WIDTH + 2 * WALL
        for place, size in (
            ((0, -y), (long, WALL)),
            ((0, y), (long, WALL)),
            ((-x, 0), (WALL, HEIGHT)),
            ((x, 0), (WALL, HEIGHT)),
        ):
            esper.create_entity(Transform(*place), Shape.box(*size), self._material())
        self.flying: list[int] = []
        self.ship = self._launch(SHIP, 0.0, 0.0, Velocity(), 0.5 * pi, Color("#E6EAF0"))
        places = _places()
        self._random.shuffle(places)
        for number, (place_x, place_y) in enumerate(places[: self.count]):
            self._launch(self._polygon(number), place_x, place_y, self._velocity(), number)

    def _launch(
        self, corners: Any, x: float, y: float, velocity: Velocity, angle: float, *more: Any
    ) -> int:
        shape = Shape.polygon(corners.tolist())
        pose = Transform(x, y, angle)
        entity: int = esper.create_entity(pose, velocity, shape, Mass(), self._material(), *more)
        self.flying.append(entity)
        return entity

    def _polygon(self, number: int) -> Any:
        """A polygon of the generators in turn, of a random size."""
        random = self._random.uniform
        makers = (
            lambda: make.rectangle(random(0.8, 1.9), random(0.5, 0.9)),
            lambda: make.square(random(0.8, 1.3)),
            lambda: make.triangle(random(1.1, 1.7), random(1.1, 1.7), random(0.8, 2.0)),
            lambda: make.regular(int(self._random.integers(5, 9)), random(0.5, 0.75)),
            lambda: random(0.65, 0.95) * L_SHAPE,
            lambda: random(0.75, 1.05) * STAR,
            lambda: make.random_simple(int(self._random.integers(2**31)), radius=1.05),
        )
        return makers[number % len(makers)]()

    def _velocity(self) -> Velocity:
        x, y = self._random.uniform(-SPEED, SPEED, 2)
        return Velocity(x, y, self._random.uniform(-SPIN, SPIN))

    def add_random(self) -> None:
        """Let one more random simple polygon fly in, where there is room."""
        if len(self.flying) >= MOST_ADDED:
            return
        poses = self.world.columns(Transform)
        there = poses[np.isin(poses["entity"], self.flying)]
        tries = self._random.uniform(-0.5, 0.5, (24, 2)) * (WIDTH - 3.0, HEIGHT - 3.0)
        gaps = np.hypot(*(tries[:, i, None] - there[name] for i, name in enumerate("xy")))
        x, y = tries[gaps.min(axis=1).argmax()]
        corners = make.random_simple(int(self._random.integers(2**31)), radius=1.05)
        self._launch(corners, float(x), float(y), self._velocity(), 0.0)

    def steer(self) -> None:
        """Let the keys, or `helm`, fly the ship: forces for the step that begins."""
        turn, thrust = self._keys() or self.helm
        self._is_flown = self._is_flown or turn != 0.0 or thrust != 0.0
        self.thrust = thrust
        if not self._is_flown:
            return
        pose = esper.component_for_entity(self.ship, Transform)
        velocity = esper.component_for_entity(self.ship, Velocity)
        mass = esper.component_for_entity(self.ship, Mass)
        push = mass.mass * THRUST * thrust
        torque = mass.inertia * TURN_RATE * (TURN_SPEED * turn - velocity.omega)
        force = Force(push * cos(pose.angle), push * sin(pose.angle), torque)
        esper.add_component(self.ship, force)

    def _keys(self) -> tuple[float, float] | None:
        """Turn and thrust that the arrow keys ask for; None where none is held."""
        if self.view is None or self.view.window.keyboard is None:
            return None
        from arcade import key

        held = self.view.window.keyboard
        turn = float(held[key.LEFT]) - float(held[key.RIGHT])
        thrust = float(held[key.UP]) - float(held[key.DOWN])
        return (turn, thrust) if turn or thrust else None

    def on_step(self, dt: float) -> None:
        """Keep all in the box, remember the impacts that are shown, and tell the plot."""
        super().on_step(dt)
        self._send_back()
        if self.view is None:
            return
        if self.show_impacts:
            self._remember_impacts()
        if self.world.steps % STEPS_A_FRAME == 0:
            kinetic, potential = kinetic_energy(self.world), potential_energy(self.world)
            self.plot.push(self.world.time, (kinetic, potential, kinetic + potential))

    def _send_back(self) -> None:
        """Mirror what has got into a wall by its middle: detections miss deep overlaps.

        Vertex-edge does so by its nature: where an edge lands flat but for a hundredth of a rad,
        both its ends are behind the wall after one step, and neither has both segments crossing.
        """
        poses, velocities = self.world.columns(Transform), self.world.columns(Velocity)
        for name, most in (("x", 0.5 * WIDTH), ("y", 0.5 * HEIGHT)):
            flies = velocities["entity"] != 0
            for row in np.flatnonzero(flies & (np.abs(poses[name]) > most)):
                side = 1.0 if poses[name][row] > 0.0 else -1.0
                poses[name][row] = side * most
                velocities[name][row] = -side * abs(velocities[name][row])
                self.sent_back += 1

    # -- what is seen ---------------------------------------------------------------------

    def dress(self, view: DemoView) -> None:
        """Add panel and plot."""
        from ecs_physics.view import Plot

        super().dress(view)
        self.clock.steps_a_frame = STEPS_A_FRAME
        self.plot = view.add_plot(Plot("Energy", ["kinetic", "potential", "total"], unit="J"))

    def add_controls(self, panel: Panel) -> None:
        """Add what founding system 3 lets you change."""
        panel.choice(self, "method", list(METHODS))
        panel.slider(self, "restitution", 0, 1, step=0.01)
        panel.dial(self.world, "gravity", 20, unit="m/s\N{SUPERSCRIPT TWO}")
        panel.button("Random polygon", self.add_random)
        panel.check(self, "show_impacts", label="impact points and normals")
        panel.check(self, "show_axes", label="axes of the bodies")
        panel.number(self, "friction", low=0, high=10, step=0.1, label="friction (production)")
        panel.readout("deepest overlap", lambda: max_penetration(self.world), unit="m", step=1e-4)
        panel.readout("momentum", lambda: hypot(*momentum(self.world)), unit="N s", step=0.1)
        panel.readout("sent back from a wall", lambda: self.sent_back)

    def on_key(self, symbol: int) -> None:
        """Let the key N add a polygon."""
        from arcade import key

        if symbol == key.N:
            self.add_random()

    def _remember_impacts(self) -> None:
        contacts = self.world.contacts
        now = self.world.time
        self._impacts = [each for each in self._impacts if now - each[0] < MEMORY]
        for point in (0, 1):
            these = contacts[(contacts["count"] > point) & (contacts["separation"][:, point] < 0.0)]
            if len(these):
                places = np.stack([these["x"][:, point], these["y"][:, point]], axis=1)
                normals = np.stack([these["normal_x"], these["normal_y"]], axis=1)
                self._impacts.append((now, places, normals))

    def draw(self, lines: LineBatch) -> None:
        """Draw the ship's flame, impacts that fade, and axes."""
        if self._is_flown and self.thrust:
            self._draw_flame(lines)
        if self.show_axes:
            self._draw_axes(lines)
        if self.show_impacts:
            for time, places, normals in self._impacts:
                alpha = int(255 * max(1.0 - (self.world.time - time) / MEMORY, 0.0))
                lines.add(places - 0.3 * normals, places + 0.3 * normals, (*PINK, alpha), 1.2)
                lines.add_dots(places, (*RED, alpha), 5)

    def _draw_flame(self, lines: LineBatch) -> None:
        pose = esper.component_for_entity(self.ship, Transform)
        nose = np.array([cos(pose.angle), sin(pose.angle)])
        aside = np.array([-nose[1], nose[0]])
        back = np.array([pose.x, pose.y]) - 0.35 * nose
        for shift, length in ((0.0, 1.3), (0.18, 0.8), (-0.18, 0.8)):
            start = back + shift * aside
            lines.add(start, start - self.thrust * length * nose, (*ORANGE, 210), 4)

    def _draw_axes(self, lines: LineBatch) -> None:
        poses = self.world.columns(Transform)
        poses = poses[np.isin(poses["entity"], self.flying)]
        starts = np.stack([poses["x"], poses["y"]], axis=1)
        along = AXIS * np.stack([np.cos(poses["angle"]), np.sin(poses["angle"])], axis=1)
        lines.add(starts, starts + along, RED, 1.5)
        lines.add(starts, starts + along[:, ::-1] * (-1.0, 1.0), GREEN, 1.5)

    def answer(self) -> dict[str, Any]:
        """What a run without a window tells besides the bodies."""
        kinetic, potential = kinetic_energy(self.world), potential_energy(self.world)
        return {
            "method": self.method,
            "restitution": self.restitution,
            "polygons": len(self.flying),
            "kinetic": kinetic,
            "potential": potential,
            "total": kinetic + potential,
            "momentum": list(momentum(self.world)),
            "penetration": max_penetration(self.world),
            "sent_back": self.sent_back,
        }


class Pilot(esper.Processor):
    """Asks the demo for the ship's forces as a step begins."""

    def __init__(self, game: Polygons) -> None:
        self.game = game

    def process(self, dt: float) -> None:
        """Steer."""
        self.game.steer()


def _places() -> list[tuple[float, float]]:
    """Where polygons begin: a grid that fills the box, but for the ship's place in the middle."""
    columns, rows = int(WIDTH / SPACING), int(HEIGHT / SPACING)
    grid = [
        (SPACING * (i - 0.5 * (columns - 1)), SPACING * (j - 0.5 * (rows - 1)))
        for j in range(rows)
        for i in range(columns)
    ]
    return [(x, y) for x, y in grid if hypot(x, y) > SPACING]


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} = {value!r}: give a whole number from {low} to {high}")
    return value


def _ratio(value: Any, name: str, high: float = 1.0) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= high:
        raise ValueError(f"{name} = {value!r}: give a number from 0 to {high:g}")
    return float(value)
