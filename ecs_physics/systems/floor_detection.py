"""FloorDetection: the vertices of dynamic bodies against static ground."""

from typing import Any

from numpy.typing import NDArray

from ecs_physics.kernels.floor_impacts import find_floor_impacts
from ecs_physics.store import Store
from ecs_physics.systems.outlines import Outlines
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.textbook_detection import TextbookDetection


class FloorDetection(TextbookDetection):
    """Every vertex of every dynamic body that is behind or inside a static one is an impact.

    A system for Stage.COLLISION_DETECTION: the detection of founding system 1. The floor y = 0 is
    a static chain of one edge, `Shape.chain([(-1000, 0), (1000, 0)])`: it is solid below, at any
    depth, so that penalty forces may sink as far as they like. Static segments, boxes and
    polygons, concave ones too, work the same way: depth and normal are those of the nearest edge.

    Vertices are handled clockwise, beginning with the shape's first one, whichever way the shape
    was given: of a box (-x, -y), (-x, y), (x, y), (x, -y). Round shapes count as polygons.
    """

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self.outlines = Outlines()

    def find(self, store: Store, first_row: int, rows: NDArray[Any]) -> int:
        """Write an impact for each vertex in the ground."""
        outlines = self.outlines
        outlines.place(store)
        found: int = find_floor_impacts(
            first_row, len(outlines.loops), outlines.loops, outlines.points, store.bodies, rows
        )
        return found
