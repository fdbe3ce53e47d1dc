"""Several worlds side by side in one window, under one camera."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_physics.view.camera import Camera
from ecs_physics.view.renderer import Renderer
from ecs_physics.view.simulation_view import SimulationView
from ecs_physics.world import World

Reals = NDArray[np.float64]


class SideBySide(Renderer):
    """Draws a view's own world, and others moved aside: a split view without a frame.

    All share the camera, so that one wheel zooms into all. Somebody else steps the others, by
    the view's own dt and as often, so that all show the same moment:

        view.renderer = SideBySide(view, [(second, 8.0), (third, 16.0)])

    Args:
        view: of the first world.
        others: worlds, each with how far to the right of its place it is drawn, m.
    """

    def __init__(self, view: SimulationView, others: Sequence[tuple[World, float]]) -> None:
        context = view.window.ctx
        super().__init__(context, view.world)
        self._view = view
        self._others = [(Renderer(context, world), world, aside) for world, aside in others]

    def draw(self, poses: Reals, camera: Camera) -> None:
        """Draw the first world at `poses`, and the others where they are at that moment."""
        super().draw(poses, camera)
        for renderer, world, aside in self._others:
            renderer.draw(self._moved(world, aside), camera)

    def bounds(self, poses: Reals) -> tuple[Reals, Reals] | None:
        """The box worth looking at, around what is in all of them."""
        boxes = [super().bounds(poses)]
        boxes += [each.bounds(self._moved(world, aside)) for each, world, aside in self._others]
        lower = [box[0] for box in boxes if box is not None]
        upper = [box[1] for box in boxes if box is not None]
        return (np.min(lower, axis=0), np.max(upper, axis=0)) if lower else None

    def _moved(self, world: World, aside: float) -> Reals:
        poses: Reals = world.render.interpolate(self._view.stepping.alpha)
        poses[:, 0] += aside
        return poses
