"""One scene in this engine, timed: `python -m benchmarks.ours SCENE STEPS [THREADS]`: JSON."""

import gc
import json
import math
import sys
from time import perf_counter
from typing import Any

import esper
import numpy as np

from benchmarks.scenes import (
    DT,
    FRICTION,
    GRAVITY,
    SCENES,
    Box,
    Circle,
    Frame,
    Hinge,
    Scene,
    median_of_timed,
)
from ecs_physics import Filter, Mass, Material, RevoluteJoint, Shape, Transform, Velocity, World

SUBSTEPS = 4
MATERIAL = Material(friction=FRICTION)
_ANY = Filter()


def build(scene: Scene, threads: int = 1) -> World:
    """A world with the scene's bodies, in the current esper world."""
    world = World(gravity=GRAVITY, substeps=SUBSTEPS, threads=threads, sleep=scene.sleeps)
    for box in scene.fixed:
        esper.create_entity(Transform(box.x, box.y), shape_of(box), MATERIAL)
    groups = [Filter(group=-group) for group in scene.groups] or [Filter()] * len(scene.bodies)
    entities = [
        add(body, group, is_still=number in scene.still)
        for number, (body, group) in enumerate(zip(scene.bodies, groups, strict=True))
    ]
    for hinge in scene.hinges:
        esper.create_entity(joint_of(hinge, scene, entities))
    return world


def joint_of(hinge: Hinge, scene: Scene, entities: list[int]) -> RevoluteJoint:
    """A's motion is that seen from B here, so the second of a hinge's bodies comes first."""
    turning, base = (hinge.a, None) if hinge.b is None else (hinge.b, hinge.a)
    lower, upper = hinge.limits or (-math.inf, math.inf)
    x, y = hinge.x, hinge.y
    at = scene.bodies[turning]
    anchor_b = (x, y) if base is None else (x - scene.bodies[base].x, y - scene.bodies[base].y)
    return RevoluteJoint(
        entities[turning],
        None if base is None else entities[base],
        anchor_a=(x - at.x, y - at.y),
        anchor_b=anchor_b,
        lower=lower,
        upper=upper,
        motor_speed=hinge.speed or 0.0,
        max_motor_torque=0.0 if hinge.speed is None else math.inf,
    )


def shape_of(given: Box | Circle | Frame) -> Shape:
    if isinstance(given, Frame):
        return Shape.compound([(shape_of(wall), wall.x, wall.y, 0.0) for wall in given.walls()])
    if isinstance(given, Circle):
        return Shape.circle(given.radius)
    return Shape.box(given.width, given.height)


def add(given: Box | Circle | Frame, group: Filter = _ANY, *, is_still: bool = False) -> int:
    """Create a body, dynamic unless it is still."""
    moving = () if is_still else (Velocity(), Mass())
    grouped = () if group.group == 0 else (group,)
    return esper.create_entity(
        Transform(given.x, given.y), shape_of(given), MATERIAL, *moving, *grouped
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
