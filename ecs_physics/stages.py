"""The order of a step. Reading `Stage` from top to bottom is reading the step."""

from collections.abc import Iterable
from enum import Enum

import esper


class Stage(Enum):
    """When a system runs. The value is the priority of the stage's esper processor."""

    BEFORE_STEP = 800
    """User systems: control, AI, spawning. Entities created here are part of this step."""

    FORCES = 700
    """Joints and targets brought in step; gravity, springs, force fields, user forces. A system of
    forces only adds to Force, as a function of the columns: an integrator may call it several times
    a step."""

    COLLISION_DETECTION = 600
    """Broad phase, narrow phase -> contacts."""

    CONTACT_RULES = 550
    """What the contacts just found are like: mixed materials, one-way bodies, World.pre_solve."""

    CONTACT_RESOLUTION = 500
    """Contacts and joints -> velocities, once a substep of h seconds. One processor, Substeps, runs
    this stage and the next two n times with h = dt / n."""

    SUBSTEP = 450
    """User systems that must run inside, at the beginning of each substep, with h. Only when
    there is one are the Transform columns kept in step with the bodies between substeps."""

    INTEGRATION = 400
    """Forces -> velocities -> poses, once a substep of h seconds."""

    AFTER_STEP = 300
    """Continuous collision, sleeping, sensors, events told to handlers; then user systems."""

    RENDER = 200
    """RenderSystem keeps the last two poses, for the view to draw between them."""

    __hash__ = object.__hash__  # Enum's own is a Python function, and called at every look-up


SUBSTEP_STAGES = (Stage.CONTACT_RESOLUTION, Stage.SUBSTEP, Stage.INTEGRATION)
"""The stages that Substeps runs, instead of esper."""


def run(system: esper.Processor, stage: Stage, *arguments: float, phase: str = "process") -> None:
    """Run one system, or one phase of it; what it raises carries a note with system and stage."""
    try:
        getattr(system, phase)(*arguments)
    except Exception as error:
        _note(error, system, stage)
        raise


def run_in_turn(systems: Iterable[esper.Processor], stage: Stage, dt: float) -> None:
    """The same for the systems of a stage, one after the other."""
    for system in systems:
        try:
            system.process(dt)
        except Exception as error:
            _note(error, system, stage)
            raise


def _note(error: Exception, system: esper.Processor, stage: Stage) -> None:
    note = f"raised by the system {type(system).__name__} in Stage.{stage.name}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
