"""One scene in this engine, timed: `python -m benchmarks.ours SCENE STEPS [THREADS]`: JSON."""

import gc
import json
import sys
from time import perf_counter
from typing import Any

import esper
import numpy as np

from benchmarks.scenes import DT, FRICTION, GRAVITY, SCENES, Box, Circle, Scene, median_of_timed
from ecs_physics import Mass, Material, Shape, Transform, Velocity, World

SUBSTEPS = 4
MATERIAL = Material(friction=FRICTION)


def build(scene: Scene, threads: int = 1) -> World:
    """A world with the scene's bodies, in the current esper world."""
    world = World(gravity=GRAVITY, substeps=SUBSTEPS, threads=threads, sleep=scene.sleeps)
    for box in scene.fixed:
        esper.create_entity(Transform(box.x, box.y), shape_of(box), MATERIAL)
    for body in scene.bodies:
        add(body)
    return world


def shape_of(given: Box | Circle) -> Shape:
    if isinstance(given, Circle):
        return Shape.circle(given.radius)
    return Shape.box(given.width, given.height)


def add(given: Box | Circle) -> int:
    """Create a dynamic body."""
    return esper.create_entity(
        Transform(given.x, given.y), Velocity(), shape_of(given), Mass(), MATERIAL
    )


def fall_asleep(world: World) -> None:
    """Step until no body is awake."""
    bodies = world.columns(Mass)["entity"]
    while not all(world.is_asleep(int(entity)) for entity in bodies[bodies > 0]):
        world.step(DT)


def timed_steps(world: World, scene: Scene, steps: int) -> list[float]:
    """The time of each step in milliseconds, or of casting all rays where the scene has some."""
    if scene.rays:
        return timed_rays(world, scene, steps)
    if scene.sleeps:
        fall_asleep(world)
    guests: list[int] = []
    times = []
    for _ in range(steps):
        begin = perf_counter()
        for guest in guests:
            esper.delete_entity(guest)
        guests = [add(each) for each in scene.spawned]
        world.step(DT)
        if scene.reads_poses:
            world.render.interpolate(1.0)
        times.append(1000 * (perf_counter() - begin))
    return times


def timed_rays(world: World, scene: Scene, times: int) -> list[float]:
    """Milliseconds of one call for all rays; nothing moves in between."""
    rays = np.array(scene.rays)
    starts, ends = rays[:, :2].copy(), rays[:, 2:].copy()
    took = []
    for _ in range(times):
        begin = perf_counter()
        world.rays(starts, ends)
        took.append(1000 * (perf_counter() - begin))
    return took


def timed_saves(world: World, steps: int) -> list[float]:
    """The longer of taking a snapshot and of restoring it, after each step, in milliseconds."""
    times = []
    for _ in range(steps):
        world.step(DT)
        begin = perf_counter()
        moment = world.snapshot()
        taken = perf_counter()
        world.restore(moment)
        times.append(1000 * max(taken - begin, perf_counter() - taken))
    return times


def main(scene_name: str, steps: int, threads: int = 1) -> None:
    scene = SCENES[scene_name]()
    world = build(scene, threads)
    gc.collect()
    gc.freeze()  # no later collection looks through the bodies
    times = timed_saves(world, steps) if scene.saves else timed_steps(world, scene, steps)
    answer: dict[str, Any] = {"bodies": len(scene.bodies), "ms": median_of_timed(times)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:]))
