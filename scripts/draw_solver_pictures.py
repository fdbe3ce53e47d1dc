"""Draw the pictures of docs/ and the README from the real thing, into docs/pictures.

    python -m scripts.draw_solver_pictures            # the SVGs of docs/solver.md
    python -m scripts.draw_solver_pictures --window   # and the picture of the README's window

Each SVG has a light ground of its own, so that it reads on a light page and on a dark one.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path
from typing import Any, Final

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_physics import Mass, Shape, Transform, Velocity, World
from ecs_physics.kernels.blocks import COLORS, LANES, POINTS, color_contacts, fill_lanes
from ecs_physics.kernels.impacts import NO_HIT, play_hit
from ecs_physics.tables import DYNAMIC

PICTURES: Final = Path(__file__).parents[1] / "docs" / "pictures"

CLASS_COLORS: Final = (
    "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#9AA5B1",
)  # fmt: skip
"""One for each colour of contacts; colour-blind people tell them apart (Okabe and Ito, 2008)."""
DARK_CLASSES: Final = (2, 4, 5)
"""Those of them that white text reads better on."""

INK: Final = "#1F2328"
FAINT: Final = "#656D76"
LINE: Final = "#D0D7DE"
GROUND: Final = "#FFFFFF"
BODY_FILL: Final = "#EAEEF2"
BODY_EDGE: Final = "#57606A"

SETTLED: Final = 300
"""Steps after which the pile rests."""


# ------------------------------------------------------------------------------- the pile


def pile() -> World:
    """24 bodies that have come to rest in a box, in an esper world of its own."""
    world = World(name="docs pile", sleep=False)
    shapes = (
        Shape.box(1.0, 0.8),
        Shape.circle(0.48),
        Shape.capsule((-0.3, 0), (0.3, 0), 0.32),
        Shape.polygon([(0.6 * cos(0.4 * pi * k), 0.6 * sin(0.4 * pi * k)) for k in range(5)]),
        Shape.box(0.7, 0.7, radius=0.1),
    )
    with world:
        walls = [(-3.4, 5.6), (-3.4, 0), (3.4, 0), (3.4, 5.6)]
        esper.create_entity(Transform(), Shape.chain(walls))
        for k in range(24):
            row, column = divmod(k, 6)
            place = Transform(1.12 * column - 2.8 + 0.08 * row, 0.9 + 1.5 * row, 0.2 * k)
            shape = shapes[(2 * row + 3 * column) % 5]
            esper.create_entity(place, Velocity(), shape, Mass())
    for _ in range(SETTLED):
        world.step(1 / 60)
    return world


@dataclass(frozen=True)
class Colored:
    """The contacts of a world as the solver takes them, in the order of `World.contacts`.

    `colors` has the colour of each, `starts` the first block of each colour and the number of
    blocks, `lanes` (blocks, 8) the index of the contact in each lane, -1 in empty ones.
    """

    colors: NDArray[np.int32]
    starts: NDArray[np.int32]
    lanes: NDArray[np.int32]


def color(world: World) -> Colored:
    """Colour the contacts of the last step, and cut them into blocks, with the real kernels."""
    bodies, table = world.store.bodies, world.contact_table
    count, active = table.active_count, table.active
    colors = np.zeros(count, np.int32)
    starts = np.zeros(COLORS + 1, np.int32)
    used = np.zeros(len(bodies), np.uint32)
    rows = table.rows[active[:count]]
    pairs = np.zeros((count, 4), np.int32)
    for column, side in enumerate(("body_a", "body_b")):
        pairs[:, column] = np.where(bodies["kind"][rows[side]] == DYNAMIC, rows[side], -1)
    pairs[:, POINTS] = rows["count"]
    blocks = color_contacts(count, pairs, used, colors, starts)
    lanes = np.full((blocks, LANES), -1, np.int32)
    fill_lanes(count, pairs, colors, starts, np.zeros((2, COLORS), np.int32), lanes)
    return Colored(colors, starts, lanes)


def moving_names(world: World) -> dict[int, str]:
    """What each dynamic body is called in the picture, by entity: 1, 2, 3, ..."""
    with world:
        moving = [e for e in world.entities() if esper.has_component(e, Mass)]
    return {entity: str(number) for number, entity in enumerate(moving, 1)}


# ------------------------------------------------------------------------------------ SVG


def document(width: float, height: float, title: str, parts: list[str]) -> str:
    """A whole SVG file on a light, rounded ground."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" font-family="Helvetica, Arial, sans-serif" '
            f'role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
            f'fill="{GROUND}" stroke="{LINE}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def text(
    x: float, y: float, words: str, *, size: float = 13, fill: str = INK, anchor: str = "start"
) -> str:
    """Words whose baseline begins (or has its middle, or ends) at (x, y)."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" '
        f'text-anchor="{anchor}">{words}</text>'
    )


def rounded(points: list[tuple[float, float]], radius: float, fill: str, grow: float) -> str:
    """A polygon, line or point with `radius` px of rounding, and `grow` px more all around."""
    width = 2 * (radius + grow)
    if len(points) == 1:
        (x, y) = points[0]
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius + grow:.1f}" fill="{fill}"/>'
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polygon points="{path}" fill="{fill}" stroke="{fill}" stroke-width="{width:.1f}" '
        'stroke-linejoin="round"/>'
    )


# ------------------------------------------------------- the pile, its colours and blocks

SCALE: Final = 52.0
"""px/m."""
PILE_AT: Final = (206.0, 364.0)
"""px, where the middle of the box's floor is."""
TABLE_AT: Final = (514.0, 86.0)
"""px, upper left corner of the first lane."""
CELL: Final = (50.0, 25.0)
"""px, width and height of a lane."""


def draw_blocks(world: World) -> str:
    """The pile with its contacts in the colour of their class, and the blocks beside it."""
    colored = color(world)
    height = max(396.0, TABLE_AT[1] + CELL[1] * len(colored.lanes) + 30)
    used = len(np.unique(colored.colors))
    count = len(colored.colors)
    parts = [
        text(24, 34, f"{count} contacts between {len(moving_names(world))} bodies and the walls,"),
        text(24, 52, f"in {used} colours: no body has two contacts of one colour"),
        text(
            TABLE_AT[0] - 98,
            34,
            "The same contacts as the solver takes them: a row is a block, whose",
        ),
        text(
            TABLE_AT[0] - 98, 52, f"{LANES} lanes are solved at once (a cell names its two bodies)"
        ),
        *pile_parts(world),
        *contact_parts(world, colored),
        *table_parts(world, colored),
    ]
    title = "A pile whose contacts are coloured by class, and the blocks of eight made of them"
    return document(TABLE_AT[0] + LANES * CELL[0] + 26, height, title, parts)


def on_paper(x: float, y: float) -> tuple[float, float]:
    """Where a point of the world (m) is in the picture (px)."""
    return PILE_AT[0] + SCALE * x, PILE_AT[1] - SCALE * y


def pile_parts(world: World) -> Iterator[str]:
    """The walls, and every body with its number."""
    names = moving_names(world)
    with world:
        for entity in world.entities():
            name = names.get(entity)
            place = esper.component_for_entity(entity, Transform)
            shape = esper.component_for_entity(entity, Shape)
            outlines = [
                ([_moved(vertex, place) for vertex in part.vertices], SCALE * part.radius)
                for part in shape.parts
            ]
            for points, radius in outlines:
                yield rounded(points, radius, BODY_EDGE, 2.0 if name is None else 1.0)
            if name is None:
                continue
            for points, radius in outlines:
                yield rounded(points, radius, BODY_FILL, -0.4)
            x, y = _moved(esper.component_for_entity(entity, Mass).center, place)
            yield text(x, y + 4.5, name, fill=FAINT, anchor="middle")


def _moved(point: Any, place: Transform) -> tuple[float, float]:
    x, y = float(point[0]), float(point[1])
    cosine, sine = cos(place.angle), sin(place.angle)
    return on_paper(place.x + cosine * x - sine * y, place.y + sine * x + cosine * y)


def contact_parts(world: World, colored: Colored) -> Iterator[str]:
    """A dot for each contact with the number of its colour, and a bar between its two points."""
    for contact, number in zip(world.contacts, colored.colors, strict=True):
        fill = CLASS_COLORS[number % len(CLASS_COLORS)]
        ends = [on_paper(contact["x"][k], contact["y"][k]) for k in range(contact["count"])]
        x, y = (sum(each) / len(ends) for each in zip(*ends, strict=True))
        if len(ends) == 2:
            path = f"M{ends[0][0]:.1f} {ends[0][1]:.1f} L{ends[1][0]:.1f} {ends[1][1]:.1f}"
            for stroke, width in ((INK, 6.5), (fill, 4.5)):
                yield (
                    f'<path d="{path}" stroke="{stroke}" stroke-width="{width}" '
                    'stroke-linecap="round"/>'
                )
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{fill}" stroke="{INK}"/>'
        yield text(x, y + 3.6, str(number), size=10, fill=_ink_on(number), anchor="middle")


def table_parts(world: World, colored: Colored) -> Iterator[str]:
    """The blocks of all colours: a row each, a cell for each lane."""
    left, top = TABLE_AT
    names = moving_names(world)
    contacts = world.contacts
    for lane in range(LANES):
        yield text(left + CELL[0] * (lane + 0.5), top - 8, str(lane), fill=FAINT, anchor="middle")
    yield text(left - 98, top - 8, "colour", fill=FAINT)
    yield text(left - 10, top - 8, "block", fill=FAINT, anchor="end")
    for block, lanes in enumerate(colored.lanes):
        number = int(np.searchsorted(colored.starts, block, side="right")) - 1
        y = top + CELL[1] * block
        if block == colored.starts[number]:
            yield (
                f'<circle cx="{left - 80:.1f}" cy="{y + 12:.1f}" r="9" '
                f'fill="{CLASS_COLORS[number % len(CLASS_COLORS)]}" stroke="{INK}"/>'
            )
            words = text(
                left - 80, y + 16, str(number), size=12, fill=_ink_on(number), anchor="middle"
            )
            yield words
            if block:
                right = left + LANES * CELL[0]
                yield f'<path d="M{left - 98:.1f} {y:.1f} H{right:.1f}" stroke="{LINE}"/>'
        yield text(left - 14, y + 17, str(block), fill=FAINT, anchor="end")
        for lane, index in enumerate(lanes):
            pair = "" if index < 0 else _pair(contacts[index], names)
            yield from _cell(left + CELL[0] * lane, y, number, pair)


def _cell(x: float, y: float, number: int, pair: str) -> Iterator[str]:
    if pair:
        look = f'fill="{CLASS_COLORS[number % len(CLASS_COLORS)]}" stroke="{INK}"'
    else:
        look = f'fill="none" stroke="{LINE}" stroke-dasharray="3 3"'
    yield (
        f'<rect x="{x + 2:.1f}" y="{y + 2.5:.1f}" width="{CELL[0] - 4:g}" '
        f'height="{CELL[1] - 5:g}" rx="3" {look}/>'
    )
    if pair:
        fill = _ink_on(number)
        yield text(x + CELL[0] / 2, y + 16.5, pair, size=11.5, fill=fill, anchor="middle")


def _pair(contact: Any, names: dict[int, str]) -> str:
    sides = [names.get(int(contact[side]), "wall") for side in ("entity_a", "entity_b")]
    return " ".join(sorted(sides, key=lambda name: (name == "wall", int(name.strip("wal") or 0))))


def _ink_on(number: int) -> str:
    return GROUND if number % len(CLASS_COLORS) in DARK_CLASSES else INK


# ------------------------------------------------------------- a bounce inside a substep

STEP: Final = 0.05
"""s. A substep of the picture, twelve times the usual one, so that the eye sees it."""
PULL: Final = -9.81
"""m/s^2."""
RESTITUTION: Final = 0.8
DROP: Final = 1.0
"""m."""
FRAME: Final = (70.0, 60.0, 800.0, 300.0)
"""px, left, top, width and height of the plot."""
LAST: Final = 2.2
"""s, right end of the plot."""
HIGHEST: Final = 1.1
"""m, upper end of the plot."""


def exact_path(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights (m) of a ball that falls from `DROP` at rest and bounces."""
    first = (2.0 * DROP / -PULL) ** 0.5
    speed = -PULL * first
    heights = []
    for time in times:
        if time <= first:
            heights.append(DROP + 0.5 * PULL * time * time)
            continue
        since, up = time - first, RESTITUTION * speed
        while since > 2.0 * up / -PULL:
            since -= 2.0 * up / -PULL
            up *= RESTITUTION
        heights.append(up * since + 0.5 * PULL * since * since)
    return np.array(heights)


def stepped_path(*, inside: bool) -> NDArray[np.float64]:
    """Heights (m) after each substep: the hit played `inside` the substep, or the usual way.

    The usual way stops the ball on the ground when the substep ends, then turns round the speed
    that it had.
    """
    gap, speed = DROP, -0.5 * PULL * STEP  # so that it is at rest at time 0 on its parabola
    heights = [gap]
    while len(heights) * STEP < LAST:
        speed += PULL * STEP
        if gap + STEP * speed >= 0.0:
            gap += STEP * speed
        elif inside:
            mean, left = play_hit(gap, speed, PULL, RESTITUTION, STEP)
            if mean == NO_HIT:
                raise ValueError("the ball of the picture has come to rest: make LAST smaller")
            gap += STEP * mean
            speed = left
        else:
            gap = 0.0
            speed *= -RESTITUTION
        heights.append(gap)
    return np.array(heights)


def draw_hit() -> str:
    """Height over time of a bouncing ball: exact, hits inside the substep, and the usual way."""
    left, top, width, height = FRAME

    def at(time: float, gap: float) -> tuple[float, float]:
        return left + width * time / LAST, top + height * (1.0 - gap / HIGHEST)

    parts = [text(24, 34, f"A ball of restitution {RESTITUTION:g}, substeps of {STEP:g} s")]
    for k in range(round(LAST / STEP) + 1):
        x, _ = at(k * STEP, 0.0)
        parts.append(f'<path d="M{x:.1f} {top} V{top + height}" stroke="#EEF1F4"/>')
    peak = DROP
    for _ in range(3):
        start, y = at(0.0, peak)
        parts.append(
            f'<path d="M{start:.1f} {y:.1f} H{left + width}" stroke="{LINE}" '
            'stroke-dasharray="4 4"/>'
        )
        parts.append(text(left - 8, y + 4, f"{peak:.2f} m", size=12, fill=FAINT, anchor="end"))
        peak *= RESTITUTION**2
    _, ground = at(0.0, 0.0)
    parts.append(
        f'<path d="M{left} {ground:.1f} H{left + width}" stroke="{INK}" stroke-width="2"/>'
    )
    times = np.linspace(0.0, LAST, 500)
    curve = " ".join(
        "{:.1f},{:.1f}".format(*at(t, s)) for t, s in zip(times, exact_path(times), strict=True)
    )
    parts.append(f'<polyline points="{curve}" fill="none" stroke="{FAINT}" stroke-width="1.5"/>')
    for k, gap in enumerate(stepped_path(inside=False)):
        x, y = at(k * STEP, gap)
        parts.append(
            f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{GROUND}" '
            'stroke="#D55E00" stroke-width="1.5"/>'
        )
    for k, gap in enumerate(stepped_path(inside=True)):
        x, y = at(k * STEP, gap)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#0072B2"/>')
    parts.extend(_legend(left + 310))
    for time in (0.0, 0.5, 1.0, 1.5, 2.0):
        x, _ = at(time, 0.0)
        parts.append(
            text(x, top + height + 22, f"{time:g} s", size=12, fill=FAINT, anchor="middle")
        )
    title = "A bouncing ball: hits played inside the substep lie on the exact curve"
    return document(left + width + 30, top + height + 40, title, parts)


def _legend(x: float) -> Iterator[str]:
    yield f'<path d="M{x:.1f} 30 h22" stroke="{FAINT}" stroke-width="1.5"/>'
    yield text(x + 28, 34, "exact")
    yield f'<circle cx="{x + 92:.1f}" cy="30" r="4" fill="#0072B2"/>'
    yield text(x + 102, 34, "played inside the substep")
    yield (
        f'<rect x="{x + 286:.1f}" y="26.5" width="7" height="7" fill="{GROUND}" '
        'stroke="#D55E00" stroke-width="1.5"/>'
    )
    yield text(x + 299, 34, "reversed after the substep")


# ---------------------------------------------------------------------- the README's window


def photograph(path: Path) -> None:
    """The README's game in its window, while the ball is in the pyramid."""
    from PIL import Image

    from ecs_physics.levels import load
    from ecs_physics.view import SimulationView, open_window, screenshot

    world = World(name="docs window")
    with world:
        level = load("pyramid", world)
        ball = Shape.circle(1.5)
        esper.create_entity(Transform(-40, 8), Velocity(30, 8), ball, Mass(density=50))
    window = open_window(1120, 630, visible=False)
    view = SimulationView(world, level=level, window=window)
    window.show_view(view)
    for _ in range(90):
        view.on_update(1 / 60)
    screenshot(window, path)
    window.close()
    with Image.open(path) as drawn:
        drawn.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Write the pictures, and print their paths."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the documents.")
    parser.add_argument("--window", action="store_true", help="the picture of the window as well")
    parser.add_argument("--folder", type=Path, default=PICTURES, help="where they go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    world = pile()
    for name, drawing in (("blocks.svg", draw_blocks(world)), ("hit.svg", draw_hit())):
        path = options.folder / name
        path.write_text(drawing, "utf-8", newline="\n")
        print(path)
    world.close()
    if options.window:
        photograph(options.folder / "window.png")
        print(options.folder / "window.png")


if __name__ == "__main__":
    main()
