"""VertexEdgeDetection: vertices against edges, for any simple polygons."""

from typing import Any

from numpy.typing import NDArray

from ecs_physics.components import yes_or_no
from ecs_physics.kernels.vertex_edge import find_vertex_impacts
from ecs_physics.store import Store
from ecs_physics.systems.outlines import Outlines
from ecs_physics.systems.simulation import Simulation
from ecs_physics.systems.textbook_detection import TextbookDetection


class VertexEdgeDetection(TextbookDetection):
    """A vertex is inside where both of its segments cross one edge of the other body.

    A system for Stage.COLLISION_DETECTION: the second method of founding system 3, for convex and
    concave polygons, with its cases of parallel edges and of vertex on vertex; see
    kernels/vertex_edge.py. Ground may be chains and segments. Round shapes count as polygons.

    It finds every shallow entry of a vertex through an edge, and never reports bodies that are
    apart; by its nature it misses deep overlaps, as of two bars that cross like a plus. Of vertex
    on vertex, it takes the crossed edge that the vertex is least deep behind.

    Args:
        simulation: the world.
        with_edges: True also finds neighbouring vertices that have come through one edge together,
            which the textbook method misses: a fast box that lands nearly flat falls through. An
            attribute; a new value counts from the next step on.
    """

    def __init__(self, simulation: Simulation, *, with_edges: bool = False) -> None:
        super().__init__(simulation)
        self.with_edges = with_edges
        self.outlines = Outlines()

    @property
    def with_edges(self) -> bool:
        """Whether vertices that came through one edge together are found."""
        return self._with_edges

    @with_edges.setter
    def with_edges(self, value: bool) -> None:
        self._with_edges = yes_or_no(value, "with_edges")

    def find(self, store: Store, first_row: int, rows: NDArray[Any]) -> int:
        """Write the impacts of all pairs whose boxes meet."""
        outlines = self.outlines
        outlines.place(store)
        pairs = self.body_pairs(store, outlines.boxes)
        found: int = find_vertex_impacts(
            first_row,
            store.step_rows,
            len(pairs),
            self._with_edges,
            pairs,
            outlines.first_loops,
            outlines.loops,
            outlines.points,
            store.bodies,
            rows,
        )
        return found
