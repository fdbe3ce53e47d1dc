"""One scene under several solvers at once: what each does to energy, momentum and overlap.

Every lane is a World of its own with the same start. Explicit Euler gains energy, penalty forces
let a stack sink, the elastic method never comes to rest, and the production solver does.
"""

from __future__ import annotations

from collections import deque
from math import atan2, cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any, Final

import esper
import numpy as np

from ecs_physics import Mass, Material, Shape, Spring, Stage, Transform, Velocity, World
from ecs_physics.measures import kinetic_energy, max_penetration, momentum, total_energy
from ecs_physics.systems import (
    INTEGRATORS,
    CollisionDetection,
    ContactResolution,
    Drag,
    ElasticResolution,
    ImpulsePenaltyResolution,
    Integration,
    Integrator,
    SeparatingAxisDetection,
    Springs,
    VertexEdgeDetection,
    integrator,
)
from games.menu import Lab, demo
from games.networks import freeze, is_blown_up

if TYPE_CHECKING:
    import arcade

    from ecs_physics.view import LineBatch, Panel
    from games.menu.window import DemoView

LANE = 7.0  # m, from one lane to the next
FLOOR = 6.4  # m, width of a lane's floor
WALL = 0.4  # m, thickness of its walls
TILT = 0.3  # rad, of the slope: its tangent is less than the friction
LETTERS = "ABCD"
COLORS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7")  # of the lanes, in plots and labels
LAST_STEPS = 240  # whose overlap and speed are kept
STEPS_A_FRAME = 4  # in a window
LABEL_LINE = 17  # px, height of a line below a lane
LABEL_LINES = 5
PRODUCTION = "production"

DETECTIONS: Final[dict[str, Any]] = {
    PRODUCTION: CollisionDetection,
    "separating axis": SeparatingAxisDetection,
    "vertex-edge": VertexEdgeDetection,
}
RESOLUTIONS: Final[dict[str, Any]] = {
    PRODUCTION: ContactResolution,
    "elastic": lambda world: ElasticResolution(world, elasticity=None),
    "penalty": lambda world: _penalty(world, use_impulses=False),
    "impulses and penalty": lambda world: _penalty(world, use_impulses=True),
}
INTEGRATIONS: Final[dict[str, Any]] = {
    PRODUCTION: Integration,
    **{name: lambda world, name=name: integrator(name, world) for name in INTEGRATORS},
}
STAGES: Final = (
    ("detection", Stage.COLLISION_DETECTION, DETECTIONS),
    ("resolution", Stage.CONTACT_RESOLUTION, RESOLUTIONS),
    ("integration", Stage.INTEGRATION, INTEGRATIONS),
)
"""What is chosen of each lane: its name, its stage, and what there is."""

STIFFNESS: Final = 500.0
"""N/m, of penalty forces: a stack of four boxes of 1 kg sinks by 4 x 9.81 / 500 m = 78 mm."""

COIL_STIFFNESS, COIL_LENGTH = 100.0, 2.5  # N/m and m, of the pendulum's spring


def _penalty(world: World, *, use_impulses: bool) -> ImpulsePenaltyResolution:
    return ImpulsePenaltyResolution(
        world, stiffness=STIFFNESS, restitution=None, friction=None, use_impulses=use_impulses
    )


# -- scenes ------------------------------------------------------------------------------------


def _tray() -> None:
    rough = Material(friction=0.5)
    esper.create_entity(Transform(0, -0.5), Shape.box(FLOOR, 1), rough)
    for side in (-1, 1):
        esper.create_entity(Transform(side * 0.5 * (FLOOR - WALL), 1.5), Shape.box(WALL, 3), rough)


def stack() -> None:
    """Four boxes, one upon the other."""
    _tray()
    for i in range(4):
        looks = Shape.box(1, 1), Mass(mass=1.0), Material(friction=0.5)
        esper.create_entity(Transform(0.0, 0.5 + i), Velocity(), *looks)


def slope() -> None:
    """Two boxes on a slope that their friction holds."""
    _tray()
    rise = 4.0 * sin(TILT) / cos(TILT)
    wedge = Shape.polygon([(-2.5, 0), (1.5, 0), (-2.5, rise)])
    esper.create_entity(Transform(), wedge, Material(friction=0.5))
    for along in (0.9, 2.4):
        x = -2.5 + along * cos(TILT) + 0.401 * sin(TILT)
        y = rise - along * sin(TILT) + 0.401 * cos(TILT)
        looks = Shape.box(0.8, 0.8), Mass(mass=1.0), Material(friction=0.5)
        esper.create_entity(Transform(x, y, -TILT), Velocity(), *looks)


def balls() -> None:
    """Three balls that lose nothing when they bounce."""
    _tray()
    for x, y in ((-1.6, 2.0), (0, 3.5), (1.6, 5.0)):
        looks = Shape.circle(0.5), Mass(mass=1.0), Material(restitution=1.0, friction=0.0)
        esper.create_entity(Transform(x, y), Velocity(), *looks)


def pendulum() -> None:
    """A mass that swings on a spring."""
    body = esper.create_entity(Transform(2.0, 3.2), Velocity(), Shape.circle(0.3), Mass(mass=1.0))
    spring = Spring(body, stiffness=COIL_STIFFNESS, rest_length=COIL_LENGTH, anchor_b=(0.0, 4.5))
    esper.create_entity(spring)


Choice = tuple[str, str, str]

SCENES: Final[dict[str, tuple[Any, tuple[Choice, ...]]]] = {
    "stack": (
        stack,
        (
            (PRODUCTION, PRODUCTION, PRODUCTION),
            ("separating axis", "elastic", PRODUCTION),
            ("separating axis", "impulses and penalty", "Symplectic Euler"),
            (PRODUCTION, "elastic", PRODUCTION),
        ),
    ),
    "slope": (
        slope,
        (
            (PRODUCTION, PRODUCTION, PRODUCTION),
            ("separating axis", "elastic", PRODUCTION),
            ("separating axis", "impulses and penalty", "Symplectic Euler"),
            (PRODUCTION, "elastic", PRODUCTION),
        ),
    ),
    "balls": (
        balls,
        (
            (PRODUCTION, PRODUCTION, PRODUCTION),
            ("separating axis", "elastic", "Symplectic Euler"),
            ("separating axis", "elastic", "Explicit Euler"),
            ("separating axis", "penalty", "Symplectic Euler"),
        ),
    ),
    "pendulum": (
        pendulum,
        (
            (PRODUCTION, PRODUCTION, "Symplectic Euler"),
            (PRODUCTION, PRODUCTION, "Explicit Euler"),
            (PRODUCTION, PRODUCTION, "Implicit Euler"),
            (PRODUCTION, PRODUCTION, "Runge-Kutta 4"),
        ),
    ),
}
"""What fills a lane, and the choices of up to four lanes."""


class Lane:
    """A World with the systems that were chosen for it, and what was measured of it."""

    def __init__(self, lab: SolverLab, letter: str, world: World) -> None:
        self.lab = lab
        self.letter = letter
        self.world = world
        self.drag = Drag(world)
        world.add_system(Springs(world), Stage.FORCES)
        world.add_system(self.drag, Stage.FORCES)
        self._chosen = dict.fromkeys(("detection", "resolution", "integration"), PRODUCTION)

    @property
    def detection(self) -> str:
        """Key of DETECTIONS."""
        return self._chosen["detection"]

    @detection.setter
    def detection(self, name: str) -> None:
        self.choose("detection", name)

    @property
    def resolution(self) -> str:
        """Key of RESOLUTIONS."""
        return self._chosen["resolution"]

    @resolution.setter
    def resolution(self, name: str) -> None:
        self.choose("resolution", name)

    @property
    def integration(self) -> str:
        """Key of INTEGRATIONS."""
        return self._chosen["integration"]

    @integration.setter
    def integration(self, name: str) -> None:
        self.choose("integration", name)

    @property
    def choice(self) -> Choice:
        """Names of detection, resolution and integration."""
        return self.detection, self.resolution, self.integration

    def choose(self, what: str, name: str) -> None:
        """Take another system; in a window all lanes begin anew."""
        self.take(what, name)
        self.lab.begin_again()

    def take(self, what: str, name: str) -> None:
        """Take a system by its name.

        Raises:
            ValueError: for a name that is none.
        """
        known = next(each for title, _, each in STAGES if title == what)
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{what} = {name!r}: give one of {', '.join(known)}")
        self._chosen[what] = name

    def begin(self, gravity: tuple[float, float], substeps: int) -> None:
        """Put new systems of the chosen kinds in, and measure the start."""
        self.world.gravity, self.world.substeps = gravity, substeps
        for what, stage, known in STAGES:
            for system in self.world.systems(stage):
                if stage is not Stage.INTEGRATION or isinstance(system, Integrator):
                    self.world.remove_system(system)
            self.world.add_system(known[self._chosen[what]](self.world), stage)
        self.blown_up_at: float | None = None
        self.start_energy = total_energy(self.world)
        self.deepest: deque[float] = deque(maxlen=LAST_STEPS)
        self.speeds: deque[float] = deque(maxlen=LAST_STEPS)
        self.measure()

    def measure(self) -> None:
        """Measure the present."""
        if self.blown_up_at is None and is_blown_up(self.world):
            self.blown_up_at = self.world.time
            freeze(self.world)
        self.energy = total_energy(self.world)
        self.momentum = momentum(self.world)
        self.penetration = max_penetration(self.world)
        self.deepest.append(self.penetration)
        velocities = self.world.columns(Velocity)
        self.speeds.append(float(np.hypot(velocities["x"], velocities["y"]).max(initial=0.0)))

    def figures(self) -> dict[str, Any]:
        """What a run without a window tells of it."""
        return {
            "detection": self.detection,
            "resolution": self.resolution,
            "integration": self.integration,
            "energy_at_start": self.start_energy,
            "energy": self.energy,
            "kinetic": kinetic_energy(self.world),
            "momentum": list(self.momentum),
            "penetration": self.penetration,
            "deepest_of_last_steps": max(self.deepest),
            "mean_speed_of_last_steps": sum(self.speeds) / len(self.speeds),
            "blown_up_at": self.blown_up_at,
        }


@demo("solver_lab", "Solver lab", "One scene, several solvers side by side: who is right?")
class SolverLab(Lab):
    """`scene` is a key of SCENES, `lanes` how many worlds stand side by side, 2 to 4.

    `choices` are, for each lane, the names of [detection, resolution, integration]; the scene's
    own where left out.
    """

    dt = 1.0 / 240.0
    KEYS = (("left drag", "pull a body of any lane"),)

    def __init__(
        self, world: World, scene: str = "stack", lanes: int | None = None, choices: Any = None
    ) -> None:
        super().__init__(world)
        given = _checked(choices)
        count = len(given) if given else 3 if lanes is None else lanes
        if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= len(LETTERS):
            raise ValueError(f"lanes = {count!r}: give a whole number from 2 to {len(LETTERS)}")
        if given and lanes not in (None, len(given)):
            raise ValueError(f"lanes = {lanes!r}, but choices has {len(given)}: give one of both")
        self._scene = _scene(scene)
        world.substeps = 1
        self._held: Lane | None = None
        others = [World(name=f"{world.name} {letter}", sleep=False) for letter in LETTERS[1:count]]
        esper.switch_world(world.name)
        self.lanes: list[Lane] = []
        for letter, each in zip(LETTERS, [world, *others], strict=False):
            self.lanes.append(Lane(self, letter, each))
        self._take(given or SCENES[self._scene][1][:count])
        middle = 0.5 * LANE * (count - 1)
        self.LOOK = (middle, 2.6, LANE * count + 1.0)

    def _take(self, choices: Any) -> None:
        for lane, choice in zip(self.lanes, choices, strict=True):
            for (what, _, _), name in zip(STAGES, choice, strict=True):
                lane.take(what, name)

    @property
    def scene(self) -> str:
        """Key of SCENES; a new one brings its own choices."""
        return self._scene

    @scene.setter
    def scene(self, name: str) -> None:
        self._scene = _scene(name)
        self._take(SCENES[name][1][: len(self.lanes)])
        self.begin_again()

    def begin_again(self) -> None:
        """Restart, in a window."""
        if self.view is not None:
            self.view.restart()

    def fill(self) -> None:
        """Give all lanes the same start."""
        build, _ = SCENES[self._scene]
        for lane in self.lanes:
            lane.drag.release()
            with lane.world:
                if lane.world is not self.world:
                    lane.world.reset()
                build()
            lane.begin(self.world.gravity, self.world.substeps)
        self._held = None

    def on_step(self, dt: float) -> None:
        """Let the other lanes make the same step, and measure all."""
        super().on_step(dt)
        for lane in self.lanes:
            if lane.world is not self.world:
                if lane.blown_up_at is not None:
                    continue
                lane.world.gravity = self.world.gravity
                lane.world.substeps = self.world.substeps
                lane.world.step(dt)
            lane.measure()
        if self.view is not None and self.world.steps % STEPS_A_FRAME == 0:
            self._push()

    def answer(self) -> dict[str, Any]:
        """The figures of every lane."""
        return {"scene": self.scene, "choices": [lane.figures() for lane in self.lanes]}

    def close(self) -> None:
        """Leave nothing of the other lanes in esper."""
        for lane in self.lanes:
            if lane.world is not self.world and not lane.world.closed:
                lane.world.close()
                esper.delete_world(lane.world.name)

    # -- the mouse ------------------------------------------------------------------------

    def on_press(self, x: float, y: float) -> bool:
        """Take a body of the lane under the mouse."""
        number = min(max(round(x / LANE), 0), len(self.lanes) - 1)
        lane, own_x = self.lanes[number], x - LANE * number
        masses = lane.world.columns(Mass)["entity"]
        for entity in lane.world.bodies_at(own_x, y, 0.1):
            if entity in masses:
                lane.drag.grab(entity, own_x, y)
                self._held = lane
                return True
        return False

    def on_drag(self, x: float, y: float) -> None:
        """Pull it."""
        if self._held is not None:
            self._held.drag.move(x - LANE * self.lanes.index(self._held), y)

    def on_release(self, x: float, y: float) -> None:
        """Let it go."""
        if self._held is not None:
            self._held.drag.release()
            self._held = None

    # -- what is seen ---------------------------------------------------------------------

    def dress(self, view: DemoView) -> None:
        """Draw the other lanes beside the first one; add panel and plots."""
        from ecs_physics.view import Plot, SideBySide

        super().dress(view)
        self.clock.steps_a_frame = STEPS_A_FRAME
        others = [(lane.world, LANE * i) for i, lane in enumerate(self.lanes)][1:]
        view.renderer = SideBySide(view, others)
        letters, colors = [lane.letter for lane in self.lanes], COLORS[: len(self.lanes)]
        self.plots = [
            view.add_plot(Plot(title, letters, unit=unit, colors=colors))
            for title, unit in (("Energy", "J"), ("Momentum", "N s"), ("Penetration", "mm"))
        ]
        self._labels: list[arcade.Text] = []

    def add_controls(self, panel: Panel) -> None:
        """Add the scene, and three choices for each lane."""
        panel.choice(self, "scene", list(SCENES))
        for lane in self.lanes:
            panel.heading(f"Lane {lane.letter}")
            for what, _, known in STAGES:
                panel.choice(lane, what, list(known))
        panel.dial(self.world, "gravity", 20, unit="m/s\N{SUPERSCRIPT TWO}")

    def _push(self) -> None:
        energies = [lane.energy for lane in self.lanes]
        momenta = [hypot(*lane.momentum) for lane in self.lanes]
        overlaps = [1000.0 * lane.penetration for lane in self.lanes]
        for plot, values in zip(self.plots, (energies, momenta, overlaps), strict=True):
            plot.push(self.world.time, values)

    def draw(self, lines: LineBatch) -> None:
        """Draw springs, the pull of the mouse, and what each lane is."""
        from ecs_physics.view import theme

        look = theme()
        for number, lane in enumerate(self.lanes):
            aside = np.array([LANE * number, 0.0])
            poses = lane.world.columns(Transform)
            with lane.world:
                springs = [spring for _, spring in esper.get_component(Spring)]
            for spring in springs:
                pose = poses[poses["entity"] == spring.body_a][0]
                start, end = np.array(spring.anchor_b), np.array([pose["x"], pose["y"]])
                coil = _coil(start, end) + aside
                lines.add(coil[:-1], coil[1:], look.text, 1.5)
                lines.add_dots(start + aside, look.text, 9)
            point = lane.drag.grabbed_point
            if lane is self._held and point is not None:
                ends = np.array([point, lane.drag.target]) + aside
                lines.add(ends[0], ends[1], (*look.picked, 200), 1.2)
                lines.add_dots(ends, look.picked, 5)
        if self.view is not None:
            self._draw_labels(self.view)

    def _draw_labels(self, view: DemoView) -> None:
        import arcade

        if not self._labels:
            self._labels = [
                arcade.Text("", 0, 0, font_size=9.5, font_name="Liberation Sans", anchor_x="center")
                for _ in range(LABEL_LINES * len(self.lanes))
            ]
        with view.window.default_camera.activate():
            for number, lane in enumerate(self.lanes):
                x, y = view.camera.to_screen(LANE * number, -1.0)
                blown = lane.blown_up_at
                end = "" if blown is None else f"blew up after {blown:.2f} s"
                names = zip(STAGES, lane.choice, strict=True)
                parts = [f"{what}: {name}" for (what, _, _), name in names]
                words = (lane.letter, *parts, end)
                color = _rgb(COLORS[number])
                for line, text in enumerate(self._labels[LABEL_LINES * number :][:LABEL_LINES]):
                    if text.text != words[line]:
                        text.text = words[line]
                    text.position = (round(x), round(y) - LABEL_LINE * (line + 1))
                    text.color = (*color, 255)
                    text.draw()


def _coil(start: Any, end: Any) -> Any:
    """A zig-zag of a spring, (n, 2) m."""
    away = end - start
    angle = atan2(away[1], away[0])
    aside = np.array([-sin(angle), cos(angle)])
    parts = np.linspace(0.0, 1.0, 41)[:, None]
    swing = 0.12 * np.sin(10.0 * pi * parts) * (np.abs(parts - 0.5) < 0.4)
    return start + parts * away + swing * aside


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _scene(name: Any) -> str:
    if not isinstance(name, str) or name not in SCENES:
        raise ValueError(f"scene = {name!r}: give one of {', '.join(SCENES)}")
    return name


def _checked(choices: Any) -> list[Choice] | None:
    """The choices, or a ValueError that says what would be right."""
    if choices is None:
        return None
    is_list = isinstance(choices, (list, tuple)) and 2 <= len(choices) <= len(LETTERS)
    if not is_list or not all(isinstance(c, (list, tuple)) and len(c) == 3 for c in choices):
        raise ValueError(
            f"choices = {choices!r}: give 2 to {len(LETTERS)} of [detection, resolution, "
            'integration], such as ["separating axis", "elastic", "Explicit Euler"]'
        )
    for choice in choices:
        for (what, _, known), name in zip(STAGES, choice, strict=True):
            if not isinstance(name, str) or name not in known:
                raise ValueError(f"{what} = {name!r}: give one of {', '.join(known)}")
    return [(a, b, c) for a, b, c in choices]
