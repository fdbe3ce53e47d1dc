"""What the step knows of a system: on which occasions it is called.

A plain processor may stand in any stage too: then only `process` is called.
"""

from collections.abc import Sequence
from typing import Any

import esper


class ForcesOnAwake(esper.Processor):
    """Base of a system of Stage.FORCES that pushes nothing that sleeps.

    Where bodies wake later in a step, since something touches them, its `process` is called once
    more, and what it gives to them counts.
    """


class Resolution(esper.Processor):
    """Base of a contact resolution that works in several phases of a substep.

    In each substep `process(h)` comes after velocities took the forces and before positions move,
    `relax(h)` after positions have moved.
    """

    def begin(self, dt: float, h: float) -> None:
        """Before the first substep of a step of `dt` seconds."""

    def process(self, h: float) -> None:
        """Solve: change velocities such that bodies part."""

    def relax(self, h: float) -> None:
        """Take back what speed the solving has left in."""

    def end(self) -> None:
        """After the last substep."""

    def run_all(self, integrations: Sequence[Any], substeps: int, h: float) -> bool:
        """Run all substeps at once, between begin and end, if it can do so for `integrations`.

        False, which is what a resolution without a short cut says, makes Substeps go through the
        phases one by one. Both must lead to the same bits.
        """
        return False


class Integrator(esper.Processor):
    """Base of an integration that lets contacts be resolved between velocities and positions."""

    def begin(self, dt: float, h: float) -> None:
        """Before a contact resolution begins a step of `dt` seconds: Force is as FORCES left it."""

    def velocities(self, h: float) -> None:
        """Forces -> velocities."""

    def process(self, h: float) -> None:
        """Velocities -> BODY x, y, angle."""
