"""The scenes as plain data, which both engines build their bodies from.

Standard library only: the interpreter of a peer imports this file too. Metres, y up; every
position is that of a centre. Bodies are dynamic with density 1, friction .6 and no bounce.
"""

import math
import random
from dataclasses import dataclass
from typing import NamedTuple

GRAVITY = (0.0, -9.81)
DT = 1 / 60
FRICTION = 0.6
FIRST_TIMED_STEP = 5
STEPS = 200
SEED = 20


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class Circle(NamedTuple):
    x: float
    y: float
    radius: float


class Ray(NamedTuple):
    x: float
    y: float
    end_x: float
    end_y: float


class Frame(NamedTuple):
    """A hollow square: one body of four walls, `width` wide inside."""

    x: float
    y: float
    width: float
    thickness: float

    def walls(self) -> tuple[Box, ...]:
        """Its walls, about its centre."""
        reach = (self.width + self.thickness) / 2
        long, thick = self.width + 2 * self.thickness, self.thickness
        return (
            Box(0.0, -reach, long, thick),
            Box(0.0, reach, long, thick),
            Box(-reach, 0.0, thick, self.width),
            Box(reach, 0.0, thick, self.width),
        )


class Hinge(NamedTuple):
    """Pins two of the bodies, by number, at (x, y); `b` None is the world."""

    a: int
    b: int | None
    x: float
    y: float
    speed: float | None = None
    """rad/s of a motor as strong as need be."""
    limits: tuple[float, float] | None = None
    """rad, of b's turn as a sees it."""


@dataclass(frozen=True)
class Scene:
    """What stands still, what moves, and what happens in a timed step besides stepping."""

    fixed: tuple[Box, ...]
    bodies: tuple[Box | Circle | Frame, ...]
    reads_poses: bool = False
    """After the step, every pose goes where drawing reads it."""
    spawned: tuple[Box, ...] = ()
    """Created in every step, where those of the step before are deleted."""
    rays: tuple[Ray, ...] = ()
    """Where there are some, finding what each meets first is timed, and no step is taken."""
    sleeps: bool = False
    """Bodies may sleep, and are asleep before the first step that counts."""
    saves: bool = False
    """Not the steps are timed, but the longer of saving the whole state between two of them and of
    going back to it."""
    hinges: tuple[Hinge, ...] = ()
    groups: tuple[int, ...] = ()
    """One for each body, if there are any; bodies of one group do not touch each other."""
    still: frozenset[int] = frozenset()
    """Numbers of bodies that do not move."""


def floor(width: float) -> Box:
    """A floor whose top is y = 0."""
    return Box(0.0, -0.5, width, 1.0)


def pyramid(rows: int) -> tuple[Box, ...]:
    """1 m boxes that touch: `rows` of them in the lowest row, one fewer in each above."""
    return tuple(
        Box(k - (count - 1) / 2, rows - count + 0.5, 1.0, 1.0)
        for count in range(rows, 0, -1)
        for k in range(count)
    )


def circles(count: int) -> Scene:
    """Circles above a 60 m wide open box, in columns and rows 1.1 m apart.

    The jitter of .1 m, half to each side, keeps columns from standing on end, and is
    small enough that no two circles overlap.
    """
    columns = int(60 / 1.1)
    jitter = random.Random(SEED)
    bodies = tuple(
        Circle(
            1.1 * (k % columns - (columns - 1) / 2) + jitter.uniform(-0.05, 0.05),
            1.0 + 1.1 * (k // columns),
            0.5,
        )
        for k in range(count)
    )
    walls = (Box(-30.5, 60.0, 1.0, 120.0), Box(30.5, 60.0, 1.0, 120.0))
    return Scene((floor(62.0), *walls), bodies)


def pyramid_scene(rows: int) -> Scene:
    return Scene((floor(400.0),), pyramid(rows))


def frame_scene() -> Scene:
    return Scene((floor(400.0),), pyramid(100), reads_poses=True)


def spawn_scene() -> Scene:
    """Ten boxes on the floor beside the pyramid, so that contacts come and go as well."""
    spawned = tuple(Box(60.0 + 2.0 * k, 0.5, 1.0, 1.0) for k in range(10))
    return Scene((floor(400.0),), pyramid(100), reads_poses=True, spawned=spawned)


def small_scene() -> Scene:
    return Scene((floor(400.0),), tuple(Box(2.0 * k - 9.0, 0.5, 1.0, 1.0) for k in range(10)))


def rays_scene() -> Scene:
    """Boxes of .4 to 1.6 m strewn over 500 by 120 m, and rays of up to 70 m among them."""
    place = random.Random(SEED)
    bodies = tuple(
        Box(
            4.0 * (k % 125) - 248.0 + place.uniform(-1.2, 1.2),
            3.0 * (k // 125) + 2.0 + place.uniform(-0.7, 0.7),
            place.uniform(0.4, 1.6),
            place.uniform(0.4, 1.6),
        )
        for k in range(5000)
    )
    rays = []
    for _ in range(10_000):
        x, y = place.uniform(-250.0, 250.0), place.uniform(0.1, 120.0)
        angle, length = place.uniform(0.0, 2.0 * math.pi), place.uniform(0.0, 70.0)
        rays.append(Ray(x, y, x + length * math.cos(angle), y + length * math.sin(angle)))
    return Scene((floor(600.0),), bodies, rays=tuple(rays))


def sleeping_scene() -> Scene:
    """Boxes on the floor that touch nothing else: islands of one."""
    boxes = tuple(Box(1.1 * (k - 2499.5), 0.5, 1.0, 1.0) for k in range(5000))
    return Scene((floor(6000.0),), boxes, sleeps=True)


def snapshot_scene() -> Scene:
    """A pyramid whose last row is left out: 5,000 boxes."""
    return Scene((floor(400.0),), pyramid(100)[:5000], saves=True)


def joint_grid(size: int) -> Scene:
    """A net of circles 1 m apart, each hinged to its neighbours, hung up at seven of its top row.

    After Box2D's benchmark of this name. The circles do not touch each other.
    """
    bodies, hinges = [], []
    for k in range(size * size):
        column, row = k // size, k % size
        bodies.append(Circle(float(column), -float(row), 0.4))
        if row > 0:
            hinges.append(Hinge(k - 1, k, column, -row + 0.5))
        if column > 0:
            hinges.append(Hinge(k - size, k, column - 0.5, -row))
    middle = size // 2
    still = frozenset(c * size for c in range(middle - 3, middle + 4) if 0 <= c < size)
    return Scene((), tuple(bodies), hinges=tuple(hinges), groups=(1,) * len(bodies), still=still)


RAGDOLL = (
    # x, y, width, height, number of the part that it hangs on, and where: x, y, limits
    (0.0, 0.0, 0.30, 0.25, None, 0.0, 0.0, (0.0, 0.0)),  # hips
    (0.0, 0.35, 0.34, 0.45, 0, 0.0, 0.125, (-0.6, 0.6)),  # chest
    (0.0, 0.72, 0.22, 0.26, 1, 0.0, 0.58, (-0.5, 0.5)),  # head
    (-0.33, 0.50, 0.32, 0.11, 1, -0.17, 0.50, (-1.5, 1.5)),  # upper arms
    (0.33, 0.50, 0.32, 0.11, 1, 0.17, 0.50, (-1.5, 1.5)),
    (-0.64, 0.50, 0.30, 0.10, 3, -0.49, 0.50, (-1.0, 1.0)),  # lower arms
    (0.64, 0.50, 0.30, 0.10, 4, 0.49, 0.50, (-1.0, 1.0)),
    (-0.10, -0.33, 0.14, 0.40, 0, -0.10, -0.13, (-1.0, 1.0)),  # thighs
    (0.10, -0.33, 0.14, 0.40, 0, 0.10, -0.13, (-1.0, 1.0)),
    (-0.10, -0.73, 0.12, 0.40, 7, -0.10, -0.53, (-0.8, 0.8)),  # shins
    (0.10, -0.73, 0.12, 0.40, 8, 0.10, -0.53, (-0.8, 0.8)),
)


def ragdolls(count: int) -> Scene:
    """Figures of eleven parts in rows of ten above a box 16 m wide, into which they fall."""
    bodies, hinges, groups = [], [], []
    for figure in range(count):
        x = 1.5 * (figure % 10 - 4.5) + 0.13 * (figure // 10 % 3 - 1)
        y = 1.5 + 2.0 * (figure // 10)
        first = len(bodies)
        for px, py, width, height, parent, hx, hy, limits in RAGDOLL:
            if parent is not None:
                at = len(bodies)
                hinges.append(Hinge(first + parent, at, x + hx, y + hy, limits=limits))
            bodies.append(Box(x + px, y + py, width, height))
            groups.append(figure + 1)
    walls = (Box(-8.5, 20.0, 1.0, 42.0), Box(8.5, 20.0, 1.0, 42.0))
    return Scene((floor(20.0), *walls), tuple(bodies), hinges=tuple(hinges), groups=tuple(groups))


def tumbler(columns: int) -> Scene:
    """.4 m boxes, a square of them, in a 20 m box that a motor turns by 25 degrees a second.

    2,025 of .5 m, as the bar says, would not fit: they have 506 m^2 of the 400.
    """
    boxes = tuple(
        Box(0.43 * (k % columns - (columns - 1) / 2), 0.43 * (k // columns - columns / 2), 0.4, 0.4)
        for k in range(columns * columns)
    )
    turning = Hinge(0, None, 0.0, 0.0, speed=math.radians(25.0))
    return Scene((), (Frame(0.0, 0.0, 20.0, 1.0), *boxes), hinges=(turning,))


SCENES = {
    "pyramid_55": lambda: pyramid_scene(10),
    "pyramid_820": lambda: pyramid_scene(40),
    "pyramid_5050": lambda: pyramid_scene(100),
    "circles_1000": lambda: circles(1000),
    "circles_5000": lambda: circles(5000),
    "frame_5000": frame_scene,
    "spawn_5000": spawn_scene,
    "small_10": small_scene,
    "rays": rays_scene,
    "sleeping": sleeping_scene,
    "snapshot": snapshot_scene,
    "joint_grid": lambda: joint_grid(100),
    "ragdolls": lambda: ragdolls(100),
    "tumbler": lambda: tumbler(45),
}


def median_of_timed(times_ms: list[float]) -> float:
    """The median of the steps from number 5 on; of the last step alone in a shorter run."""
    timed = sorted(times_ms[FIRST_TIMED_STEP - 1 :] or times_ms[-1:])
    middle = len(timed) // 2
    return timed[middle] if len(timed) % 2 else (timed[middle - 1] + timed[middle]) / 2
