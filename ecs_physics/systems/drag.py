"""A soft pull on one body at one point, as by a hand or a mouse."""

from math import cos, hypot, isfinite, pi, sin
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ecs_physics.systems.phases import ForcesOnAwake
from ecs_physics.systems.simulation import Simulation
from ecs_physics.tables import DYNAMIC, SLEEPING

PULL_HERTZ: Final = 5.0
"""1/s. Stiffness of the pull. Higher: the body follows faster and shoves harder. Lower: it lags
behind, and sags more under its weight (g over the square of 2 pi times this)."""

PULL_DAMPING_RATIO: Final = 1.0
"""Ratio of critical damping. Lower: the body swings about the target."""

WEIGHTS: Final = 40.0
"""Most that the pull may be, in weights of the body (in m g with g = 9.81 m/s^2 whatever the
world's gravity is). Higher: violent moves throw bodies faster. Lower: a body cannot be pulled
from under a pile."""

SPIN_DAMPING: Final = 2.0
"""1/s. How fast the turning of a held body dies out. 0: it swings below the hand for ever."""

_STANDARD_GRAVITY: Final = 9.81


class Drag(ForcesOnAwake):
    """Pulls a grabbed body towards a target, softly; a system for Stage.FORCES.

    The pull is a soft constraint (a spring with the body's effective mass at the grabbed point,
    of PULL_HERTZ and critically damped), integrated implicitly over the step: with a = h w
    (h w + 2 z) the impulse is -M (h w^2 offset + a velocity) / (1 + a) [Catto, "Soft
    Constraints", GDC 2011]. It therefore works for any mass and cannot explode at any dt.
    It adds to the table of forces, so the body needs no Force component, and takes into account
    what is in there already, so that a body which hangs sags by g / w^2 at any dt. What is held
    does not sleep.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._entity: int | None = None
        self._anchor = (0.0, 0.0)
        self._target = (0.0, 0.0)

    @property
    def entity(self) -> int | None:
        """The body that is held; None where none is, or it is gone."""
        if self._entity is not None and self._row() is None:
            self._entity = None
        return self._entity

    @property
    def target(self) -> tuple[float, float]:
        """Where the grabbed point is pulled to, m."""
        return self._target

    @property
    def anchor(self) -> tuple[float, float]:
        """The grabbed point in the shape's coordinates, m."""
        return self._anchor

    @property
    def grabbed_point(self) -> tuple[float, float] | None:
        """Where the grabbed point is now, m; None where nothing is held."""
        row = self._row()
        if row is None:
            return None
        pose: Any = self.simulation.store.transforms[row]
        cosine, sine = cos(pose["angle"]), sin(pose["angle"])
        x, y = self._anchor
        return (
            float(pose["x"]) + cosine * x - sine * y,
            float(pose["y"]) + sine * x + cosine * y,
        )

    def grab(self, entity: int, x: float, y: float) -> None:
        """Hold body `entity` at the point (x, y) of the world, m, until release().

        Raises:
            ValueError: where the entity is no dynamic body, or the point is not finite.
        """
        store = self.simulation.store
        target = _finite(x, y)
        try:
            row = store.row_of(entity)
        except KeyError:
            raise ValueError(f"entity {entity!r} is no body: grab one that has a Shape") from None
        if store.bodies["kind"][row] not in (DYNAMIC, SLEEPING):
            raise ValueError(f"entity {entity!r} is not dynamic: grab one with Velocity and Mass")
        pose: Any = store.transforms[row]
        cosine, sine = cos(pose["angle"]), sin(pose["angle"])
        offset_x, offset_y = x - float(pose["x"]), y - float(pose["y"])
        self._anchor = (cosine * offset_x + sine * offset_y, cosine * offset_y - sine * offset_x)
        self._target = target
        self._entity = entity

    def move(self, x: float, y: float) -> None:
        """Pull towards (x, y), m, from now on.

        Raises:
            ValueError: where the point is not finite.
        """
        self._target = _finite(x, y)

    def release(self) -> None:
        """Let go. Nothing happens where nothing is held."""
        self._entity = None

    def process(self, dt: float) -> None:
        """Add the pull over the next `dt` s to the forces on the body."""
        row = self._row()
        if row is None:
            self._entity = None
            return
        store = self.simulation.store
        self.simulation.sleeping.keep_awake(store, row)
        body: Any = store.bodies[row]
        if body["kind"] == SLEEPING:
            return  # it wakes in this step, and is pulled then
        mass: Any = store.masses[row]
        pose: Any = store.transforms[row]
        velocity: Any = store.velocities[row]
        cosine, sine = cos(pose["angle"]), sin(pose["angle"])
        arm_x = self._anchor[0] - float(mass["center_x"])
        arm_y = self._anchor[1] - float(mass["center_y"])
        arm = np.array([cosine * arm_x - sine * arm_y, sine * arm_x + cosine * arm_y])
        point = self.grabbed_point or self._target
        offset = np.array([point[0] - self._target[0], point[1] - self._target[1]])
        force: Any = store.forces[row]
        omega = float(velocity["omega"])
        coming = omega + dt * float(force["torque"]) * float(body["inverse_inertia"])
        speed = np.array(
            [
                float(velocity["x"]) + dt * float(force["x"] * body["inverse_mass_x"]),
                float(velocity["y"]) + dt * float(force["y"] * body["inverse_mass_y"]),
            ]
        )
        speed += coming * np.array([-arm[1], arm[0]])
        impulse = soft_impulse(offset, speed, _mobility(body, arm), dt)
        most = WEIGHTS * float(mass["mass"]) * _STANDARD_GRAVITY * dt
        size = hypot(*impulse)
        if size > most:
            impulse = impulse * (most / size)
        force["x"] += impulse[0] / dt
        force["y"] += impulse[1] / dt
        force["torque"] += (arm[0] * impulse[1] - arm[1] * impulse[0]) / dt
        if body["inverse_inertia"] > 0.0:
            slower = SPIN_DAMPING / (1.0 + SPIN_DAMPING * dt)
            force["torque"] -= slower * omega / float(body["inverse_inertia"])

    def _row(self) -> int | None:
        if self._entity is None:
            return None
        store = self.simulation.store
        try:
            row = store.row_of(self._entity)
        except KeyError:
            return None
        return row if store.bodies["kind"][row] in (DYNAMIC, SLEEPING) else None


def soft_impulse(
    offset: NDArray[np.float64],
    velocity: NDArray[np.float64],
    mobility: NDArray[np.float64],
    dt: float,
) -> NDArray[np.float64]:
    """The impulse, N s, that a soft pull gives a point over `dt` s.

    Args:
        offset: (2,) m, of the point from where it is pulled to.
        velocity: (2,) m/s, of the point.
        mobility: (2, 2) 1/kg, velocity that a unit impulse there gives. Directions in which
            nothing moves (locked axes) get no impulse.
        dt: s.
    """
    frequency = dt * 2.0 * pi * PULL_HERTZ
    gain = frequency * (frequency + 2.0 * PULL_DAMPING_RATIO)
    wanted = (frequency * frequency / dt * offset + gain * velocity) / (1.0 + gain)
    impulse: NDArray[np.float64] = -np.linalg.pinv(mobility, hermitian=True) @ wanted
    return impulse


def _mobility(body: Any, arm: NDArray[np.float64]) -> NDArray[np.float64]:
    turning = float(body["inverse_inertia"])
    across = -turning * arm[0] * arm[1]
    return np.array(
        [
            [float(body["inverse_mass_x"]) + turning * arm[1] * arm[1], across],
            [across, float(body["inverse_mass_y"]) + turning * arm[0] * arm[0]],
        ]
    )


def _finite(x: float, y: float) -> tuple[float, float]:
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"point ({x!r}, {y!r}): give two finite numbers, in metres")
    return float(x), float(y)
