"""Figures that need a process of their own: `python -m benchmarks.single WHAT ...` prints JSON."""

import json
import sys
import time
from pathlib import Path

from benchmarks.scenes import DT, SCENES


def start() -> dict[str, float]:
    """When the first step of a small world was done, for whoever knows when we were started."""
    from benchmarks.ours import build

    build(SCENES["pyramid_55"]()).step(DT)
    return {"first_step_at": time.time()}


def memory(steps: str, later_steps: str) -> dict[str, float]:
    """Megabytes resident after `steps` steps of 5050 boxes, and after `later_steps` more."""
    from benchmarks.ours import build

    world = build(SCENES["pyramid_5050"]())
    for _ in range(int(steps)):
        world.step(DT)
    before = resident_megabytes()
    for _ in range(int(later_steps)):
        world.step(DT)
    return {"resident": before, "growth": resident_megabytes() - before}


def resident_megabytes() -> float:
    """What is resident now on Linux, and at most until now elsewhere."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # bytes on a Mac


def drawing(frames: str) -> dict[str, float]:
    """Milliseconds a frame that drawing 5050 boxes takes; the median.

    Poses between two steps, upload, draw calls. The card's work is waited for outside.
    """
    from benchmarks.ours import build
    from ecs_physics.view import Camera, Renderer, open_window

    world = build(SCENES["pyramid_5050"]())
    world.step(DT)
    window = open_window(visible=False)
    camera = Camera(window)
    camera.fit((-50.0, 0.0), (50.0, 100.0))
    camera.snap()
    renderer = Renderer(window.ctx, world)
    times = []
    for _ in range(int(frames)):
        world.step(DT)
        window.clear()
        window.ctx.finish()
        begin = time.perf_counter()
        renderer.draw(world.render.interpolate(0.5), camera)
        times.append(1000 * (time.perf_counter() - begin))
        window.flip()
        window.ctx.finish()
    return {"ms": sorted(times)[len(times) // 2]}


WHAT = {"start": start, "memory": memory, "drawing": drawing}

if __name__ == "__main__":
    print(json.dumps(WHAT[sys.argv[1]](*sys.argv[2:])))
