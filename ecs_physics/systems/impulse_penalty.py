"""ImpulsePenaltyResolution: the textbook impulse with friction, and a penalty spring on overlap."""

from typing import Any

from ecs_physics.components import not_negative, yes_or_no
from ecs_physics.kernels.compile import warm_up
from ecs_physics.kernels.impact_response import impulses_and_penalties
from ecs_physics.systems.phases import Resolution
from ecs_physics.systems.simulation import Simulation


class ImpulsePenaltyResolution(Resolution):
    """Newton's impulse at each overlapping point, and a force that grows with the overlap.

    A system for Stage.CONTACT_RESOLUTION, on any contacts: of a floor, of static shapes, and
    between dynamic bodies. It acts once a step, before forces change velocities: impulses at once,
    penalty forces as part of the step's forces (so they stand for all substeps). The order and
    the formulas are those of founding system 1; see kernels/impact_response.py. Known flaw of the
    method: friction is a share of the normal impulse, whether or not the bodies slide that fast,
    so that it can turn slow sliding around, and add energy.

    Args:
        simulation: the world.
        stiffness: N/m, of the penalty force for each metre of overlap, at least 0.
        restitution: ratio from 0 to 1; None takes each pair's Material.
        friction: ratio, at least 0; None takes each pair's Material.
        use_impulses: False leaves the impulses out.
        use_penalty_force: False leaves the forces out.

    All are attributes, and a new value counts from the next step on.

    Raises:
        ValueError: naming the value that is out of range, here and where an attribute is set.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        stiffness: float = 100.0,
        restitution: float | None = 0.5,
        friction: float | None = 0.02,
        use_impulses: bool = True,
        use_penalty_force: bool = True,
    ) -> None:
        warm_up()
        self.simulation = simulation
        self.stiffness = stiffness
        self.restitution = restitution
        self.friction = friction
        self.use_impulses = use_impulses
        self.use_penalty_force = use_penalty_force

    @property
    def stiffness(self) -> float:
        """N/m, of the penalty force."""
        return self._stiffness

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self._stiffness = not_negative(value, "stiffness")

    @property
    def restitution(self) -> float | None:
        """Ratio of the speeds after and before an impact; None: each pair's."""
        return self._restitution

    @restitution.setter
    def restitution(self, value: float | None) -> None:
        self._restitution = None if value is None else ratio(value, "restitution")

    @property
    def friction(self) -> float | None:
        """Coulomb coefficient; None: each pair's."""
        return self._friction

    @friction.setter
    def friction(self, value: float | None) -> None:
        self._friction = None if value is None else not_negative(value, "friction")

    @property
    def use_impulses(self) -> bool:
        """Whether impulses are applied."""
        return self._use_impulses

    @use_impulses.setter
    def use_impulses(self, value: bool) -> None:
        self._use_impulses = yes_or_no(value, "use_impulses")

    @property
    def use_penalty_force(self) -> bool:
        """Whether penalty forces are applied."""
        return self._use_penalty_force

    @use_penalty_force.setter
    def use_penalty_force(self, value: bool) -> None:
        self._use_penalty_force = yes_or_no(value, "use_penalty_force")

    def begin(self, dt: float, h: float) -> None:
        """Apply impulses, and add penalty forces to the forces of this step."""
        store = self.simulation.store
        contacts = self.simulation.contact_table
        impulses_and_penalties(
            contacts.active_count,
            dt,
            self._stiffness,
            pairs_own(self._restitution),
            pairs_own(self._friction),
            self._use_impulses,
            self._use_penalty_force,
            contacts.active,
            store.bodies,
            contacts.rows,
            store.velocities,
            store.forces,
        )


def ratio(value: Any, field: str) -> float:
    """Return `value` as a float; ValueError naming `field` unless it is from 0 to 1."""
    converted = not_negative(value, field)
    if converted > 1.0:
        raise ValueError(f"{field} = {value!r}: give a number from 0 to 1")
    return converted


def pairs_own(value: float | None) -> float:
    """What kernels take for "each pair's own": a negative number."""
    return -1.0 if value is None else value
