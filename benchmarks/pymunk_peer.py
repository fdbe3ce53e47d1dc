"""One scene in pymunk 7, timed: `python -m benchmarks.pymunk_peer SCENE STEPS` prints JSON.

Run by the interpreter of pymunk's own environment (see peers.py), never imported by us.
"""

import gc
import json
import pickle
import sys
from time import perf_counter
from typing import Any

import pymunk
import pymunk.batch

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

ITERATIONS = 10
SLEEP_TIME = 0.5
"""s, as ours."""
MOST_SAVES = 2
"""One takes half a minute."""


def build(scene: Scene, hash_cell: float | None) -> pymunk.Space:
    """A space with the scene's bodies; `hash_cell` (m) chooses the spatial hash, None the tree."""
    space = pymunk.Space()
    space.gravity = GRAVITY
    space.iterations = ITERATIONS
    if hash_cell is not None:
        space.use_spatial_hash(hash_cell, 10 * len(scene.bodies))
    for box in scene.fixed:
        shape = pymunk.Poly(
            space.static_body,
            [(box.x + x, box.y + y) for x, y in corners(box)],
        )
        shape.friction = FRICTION
        space.add(shape)
    groups = scene.groups or (0,) * len(scene.bodies)
    bodies = []
    for number, (body, group) in enumerate(zip(scene.bodies, groups, strict=True)):
        bodies.append(add(space, body, group, is_still=number in scene.still)[0])
    for hinge in scene.hinges:
        add_hinge(space, hinge, bodies)
    return space


def add_hinge(space: pymunk.Space, hinge: Hinge, bodies: list[pymunk.Body]) -> None:
    a, b = bodies[hinge.a], space.static_body if hinge.b is None else bodies[hinge.b]
    if pymunk.Body.DYNAMIC not in {a.body_type, b.body_type}:
        return  # pymunk refuses it
    pivot = pymunk.PivotJoint(a, b, (hinge.x, hinge.y))
    pivot.collide_bodies = False
    space.add(pivot)
    if hinge.limits is not None:
        space.add(pymunk.RotaryLimitJoint(a, b, *hinge.limits))
    if hinge.speed is not None:
        space.add(pymunk.SimpleMotor(a, b, hinge.speed))


def corners(box: Box) -> list[tuple[float, float]]:
    """The corners relative to the centre, counter-clockwise."""
    x, y = box.width / 2, box.height / 2
    return [(-x, -y), (x, -y), (x, y), (-x, y)]


def add(
    space: pymunk.Space, given: Box | Circle | Frame, group: int = 0, *, is_still: bool = False
) -> tuple[pymunk.Body, ...]:
    """Add a body and its shapes, and return them."""
    body = pymunk.Body(body_type=pymunk.Body.STATIC if is_still else pymunk.Body.DYNAMIC)
    body.position = given.x, given.y
    shapes: list[Any] = []
    if isinstance(given, Circle):
        shapes.append(pymunk.Circle(body, given.radius))
    else:
        walls = given.walls() if isinstance(given, Frame) else (given._replace(x=0.0, y=0.0),)
        for wall in walls:
            around = [(wall.x + x, wall.y + y) for x, y in corners(wall)]
            shapes.append(pymunk.Poly(body, around))
    for shape in shapes:
        shape.density = 1.0
        shape.friction = FRICTION
        shape.filter = pymunk.ShapeFilter(group=group)
    space.add(body, *shapes)
    return body, *shapes


def fall_asleep(space: pymunk.Space) -> None:
    """Step until no body is awake."""
    space.sleep_time_threshold = SLEEP_TIME
    while not all(body.is_sleeping for body in space.bodies):
        space.step(DT)


def timed_steps(space: pymunk.Space, scene: Scene, steps: int) -> list[float]:
    """The time of each step in milliseconds, or of casting all rays where the scene has some."""
    if scene.rays:
        return timed_rays(space, scene, steps)
    if scene.sleeps:
        fall_asleep(space)
    poses = pymunk.batch.Buffer()
    fields = pymunk.batch.BodyFields.POSITION | pymunk.batch.BodyFields.ANGLE
    guests: list[tuple[Any, ...]] = []
    times = []
    for _ in range(steps):
        begin = perf_counter()
        for guest in guests:
            space.remove(*guest)
        guests = [add(space, each) for each in scene.spawned]
        space.step(DT)
        if scene.reads_poses:
            poses.clear()
            pymunk.batch.get_space_bodies(space, fields, poses)
            memoryview(poses.float_buf()).cast("d")
        times.append(1000 * (perf_counter() - begin))
    return times


def timed_rays(space: pymunk.Space, scene: Scene, times: int) -> list[float]:
    """Milliseconds of asking for one ray after the other, which is the only way."""
    rays = [((ray.x, ray.y), (ray.end_x, ray.end_y)) for ray in scene.rays]
    everything = pymunk.ShapeFilter()
    took = []
    for _ in range(times):
        begin = perf_counter()
        for start, end in rays:
            space.segment_query_first(start, end, 0.0, everything)
        took.append(1000 * (perf_counter() - begin))
    return took


def timed_saves(space: pymunk.Space, steps: int) -> list[float]:
    """The longer of pickling the space and of making it again, after each step, in ms."""
    times = []
    for _ in range(min(steps, MOST_SAVES)):
        space.step(DT)
        begin = perf_counter()
        moment = pickle.dumps(space)
        taken = perf_counter()
        pickle.loads(moment)
        times.append(1000 * max(taken - begin, perf_counter() - taken))
    return times


def main(scene_name: str, steps: int, hash_cell: float | None = None) -> None:
    scene = SCENES[scene_name]()
    space = build(scene, hash_cell)
    gc.collect()
    gc.freeze()  # no later collection looks through the bodies
    times = timed_saves(space, steps) if scene.saves else timed_steps(space, scene, steps)
    answer: dict[str, Any] = {"bodies": len(scene.bodies), "ms": median_of_timed(times)}
    answer["version"] = pymunk.version
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:]))
