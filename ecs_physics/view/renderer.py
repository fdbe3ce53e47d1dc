"""Draws every body from the columns in three calls: triangles between quads that know distances.

What the shapes look like is sent once, again only when `store.version` has grown; where the
bodies are is sent each frame, as one small texture that the vertex shaders read.
"""

from typing import Any, Final

import arcade
import numpy as np
from arcade import gl
from numpy.typing import NDArray

from ecs_physics.shapes import Shape
from ecs_physics.store import Store
from ecs_physics.tables import FREE, SLEEPING, STATIC
from ecs_physics.view.camera import Camera
from ecs_physics.view.drawing import CORNER, INSTANCE, Drawing, drawing_of
from ecs_physics.view.gpu import GrowingBuffer, TableTexture, unit_quad
from ecs_physics.view.look import BODY_COLORS, FILL_ALPHA, OUTLINE, Theme, rgb_of, theme
from ecs_physics.world import World

Reals = NDArray[np.float64]

PLAIN: Final = 0
GROUND: Final = 1
ASLEEP: Final = 2
SENSOR: Final = 3
PICKED: Final = 4
"""How a body is drawn: `Renderer.styles` by row, and the alpha of the shader's colour table."""

_STYLES: Final = """
uniform vec3 background;
uniform vec3 outline_toward;
uniform vec3 picked_outline;
uniform vec3 ground_edge;
uniform vec3 ground_top;
uniform float fill_alpha;
const int PLAIN = 0, GROUND = 1, ASLEEP = 2, SENSOR = 3, PICKED = 4;

vec3 inside_color(vec4 base, int style) {
    if (style == ASLEEP)
        return mix(vec3(dot(base.rgb, vec3(0.299, 0.587, 0.114))), base.rgb, 0.3) * 0.8;
    return base.rgb;
}
float inside_alpha(int style) {
    return style == SENSOR ? 0.0 : style == GROUND ? 1.0 : fill_alpha;
}
vec3 solid_color(vec4 base, int style) {
    return mix(background, inside_color(base, style), inside_alpha(style));
}
vec3 outline_color(vec4 base, int style, float up) {
    if (style == PICKED) return picked_outline;
    if (style == GROUND) return mix(mix(base.rgb, ground_edge, 0.8), ground_top, up);
    return mix(inside_color(base, style), outline_toward, 0.4);
}
"""

_FETCH: Final = """
uniform sampler2D poses;    // x, y from the camera, m; cosine and sine of the angle
uniform sampler2D colors;   // red, green, blue; style
uniform vec2 scale;         // clip units a metre
ivec2 texel(float row) { int i = int(row + 0.5); return ivec2(i & 1023, i >> 10); }
mat2 turn(vec2 t) { return mat2(t.x, t.y, -t.y, t.x); }
"""

TRIANGLE_VERTEX_SHADER: Final = (
    "#version 330\n"
    + _FETCH
    + """
in vec2 in_place;
in float in_solid;
in float in_row;
flat out vec4 v_color;
flat out float v_solid;
void main() {
    vec4 pose = texelFetch(poses, texel(in_row), 0);
    v_color = texelFetch(colors, texel(in_row), 0);
    v_solid = in_solid;
    gl_Position = vec4((turn(pose.zw) * in_place + pose.xy) * scale, 0.0, 1.0);
}"""
)

TRIANGLE_FRAGMENT_SHADER: Final = (
    "#version 330\n"
    + _STYLES
    + """
flat in vec4 v_color;
flat in float v_solid;
out vec4 color;
void main() {
    int style = int(v_color.a * 255.0 + 0.5);
    color = v_solid > 0.5 ? vec4(solid_color(v_color, style), 1.0)
                          : vec4(inside_color(v_color, style), inside_alpha(style));
}"""
)

QUAD_VERTEX_SHADER: Final = (
    "#version 330\n"
    + _FETCH
    + """
uniform float pixel;        // m
in vec2 in_corner;
in vec4 in_piece;           // x, y of its centre, m; cosine and sine of its axis
in vec4 in_size;            // half width, half height, rounding, m; kind
in float in_row;
out vec2 v_place;           // m, in the piece's own axes
flat out vec4 v_size;
flat out vec4 v_color;
flat out float v_up;        // upward part of the normal on its right side
void main() {
    vec4 pose = texelFetch(poses, texel(in_row), 0);
    v_color = texelFetch(colors, texel(in_row), 0);
    mat2 body = turn(pose.zw);
    vec2 axis = body * in_piece.zw;
    int kind = int(in_size.w + 0.5);
    float reach = in_size.z + (kind == 4 || kind == 5 ? 14.0 : 5.0) * pixel;
    v_place = in_corner * (in_size.xy + reach);
    v_size = in_size;
    v_up = -axis.x;
    vec2 at = pose.xy + body * in_piece.xy + turn(axis) * v_place;
    gl_Position = vec4(at * scale, 0.0, 1.0);
}"""
)

QUAD_FRAGMENT_SHADER: Final = (
    "#version 330\n"
    + _STYLES
    + """
const int FILLED = 0, WHEEL = 1, THIN = 2, STROKE = 3, ONE_SIDED = 4, ONE_SIDED_VALLEY = 5;
const int POINT = 6, UNDER = 16, OVER = 32;
uniform float pixel;        // m
uniform float ratio;        // pixels of the screen a pixel of the window
uniform float outline;      // px
in vec2 v_place;
flat in vec4 v_size;
flat in vec4 v_color;
flat in float v_up;
out vec4 color;

float cover(float distance) { return clamp(0.5 - distance, 0.0, 1.0); }

void main() {
    float screen_pixel = pixel / ratio;
    int number = int(v_size.w + 0.5);
    int kind = number & 15;
    bool is_under = (number & UNDER) != 0, is_over = (number & OVER) != 0;
    int style = int(v_color.a * 255.0 + 0.5);
    float width = (style == PICKED ? 1.6 * outline : outline) * ratio;
    float hatch = style == SENSOR ? step(mod(gl_FragCoord.x + gl_FragCoord.y, 8.0), 4.0) : 1.0;
    vec2 beside = abs(v_place) - v_size.xy;
    float core = length(max(beside, 0.0)) + min(max(beside.x, beside.y), 0.0);

    if (kind >= STROKE && kind <= ONE_SIDED_VALLEY) {
        float reach = is_under ? width : 0.5 * width + 0.25;
        vec3 line = outline_color(v_color, style, smoothstep(0.1, 0.5, v_up));
        float alpha = cover(core / screen_pixel - reach) * hatch;
        color = vec4(line, alpha);
        if (kind != STROKE && v_place.y > 0.0) {   // a chain: shade that fades into the depth
            bool beyond = v_place.x > v_size.x || v_place.x < -v_size.x;
            bool around = kind == ONE_SIDED_VALLEY && v_place.x < 0.0;
            float fade = 0.9 * clamp(1.0 - core / (12.0 * pixel), 0.0, 1.0);
            float shade = beyond && !around ? 0.0 : fade;
            color = vec4(mix(v_color.rgb, line, alpha), max(alpha, shade));
        }
        return;
    }

    float distance = (core - v_size.z) / screen_pixel;
    vec2 slope = vec2(dFdx(distance), dFdy(distance));
    if (kind == THIN)
        distance = core / screen_pixel - max(v_size.z / screen_pixel, 1.5 * ratio);
    if (kind == POINT)
        distance = core / screen_pixel - 3.5 * ratio;
    if (is_over) {
        color = vec4(solid_color(v_color, style), cover(distance + width));
        return;
    }
    bool is_line = kind == THIN && v_size.z < 3.0 * pixel;   // all of it is an upper edge
    float up = is_line ? 1.0 : smoothstep(0.35, 0.7, slope.y / max(length(slope), 1e-6));
    vec3 edge = outline_color(v_color, style, up);
    float on_edge = is_under ? 1.0 : clamp(distance + width + 0.5, 0.0, 1.0);
    if (kind == WHEEL && v_place.x > 0.0)
        on_edge = max(on_edge, cover(abs(v_place.y) / screen_pixel - 0.5 * width));
    vec3 mixed = mix(inside_color(v_color, style), edge, on_edge);
    float alpha = mix(inside_alpha(style), hatch, on_edge);
    color = vec4(mixed, alpha * cover(distance));
}"""
)


class Renderer:
    """Draws the bodies of a world.

    `styles` (uint8, by row) says how each body is drawn: PLAIN, GROUND, ASLEEP, SENSOR, PICKED;
    a rebuild sets SENSOR for sensors, GROUND for other static bodies and PLAIN for the rest, which
    are drawn ASLEEP while they are.
    """

    def __init__(self, context: arcade.ArcadeContext, world: World) -> None:
        self._context = context
        self._world = world
        self._seen: tuple[Store, int, Theme] | None = None
        self._rows = 0
        self._library = Library()
        self._shapes: list[Shape | None] = []
        self._drawings = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)
        self._poses = TableTexture(context, np.float32)
        self._colors = TableTexture(context, np.uint8)
        corners = unit_quad(context)
        self._under, self._quads = (
            GrowingBuffer(
                context, INSTANCE, "4f 4f 1f", ["in_piece", "in_size", "in_row"], corners=corners
            )
            for _ in range(2)
        )
        self._triangles = GrowingBuffer(
            context, CORNER, "2f 1f 1f", ["in_place", "in_solid", "in_row"]
        )
        self._quad_program = context.program(
            vertex_shader=QUAD_VERTEX_SHADER, fragment_shader=QUAD_FRAGMENT_SHADER
        )
        self._triangle_program = context.program(
            vertex_shader=TRIANGLE_VERTEX_SHADER, fragment_shader=TRIANGLE_FRAGMENT_SHADER
        )
        self.styles = np.zeros(0, np.uint8)
        self.picked: int | None = None

    # -- what the shapes look like --------------------------------------------------------

    def refresh(self) -> None:
        """Look at the store again if bodies, shapes, kinds or colours have changed."""
        store = self._world.store
        if self._seen == (store, store.version, theme()):
            return
        if self._seen is None or self._seen[0] is not store:  # World.reset() makes a new one
            self._shapes = []
        rows = store.rows
        self._find_drawings(rows)
        self._color_bodies(rows)
        drawn = np.flatnonzero(self._numbers >= 0)
        ground_first = np.argsort(self.styles[drawn] != GROUND, kind="stable")
        drawn = drawn[ground_first]
        library = self._library
        for buffer, pieces in (
            (self._under, library.under),
            (self._triangles, library.corners),
            (self._quads, library.instances),
        ):
            buffer.write(pieces.gather(self._numbers[drawn], drawn))
        self._seen = (store, store.version, theme())
        self._rows = rows

    def _find_drawings(self, rows: int) -> None:
        """Number the drawing of each row, -1 for none; only rows with a new shape cost much."""
        if self._library.is_crowded(rows):
            self._library = Library()
            self._shapes = []
        shapes = self._world.store.shapes[:rows]
        old = self._shapes + [None] * (rows - len(self._shapes))
        drawings = np.full(rows, Library.POINT, np.int64)
        kept = min(rows, len(self._shapes))
        drawings[:kept] = self._drawings[:kept]
        for row, (shape, before) in enumerate(zip(shapes, old, strict=False)):
            if shape is not before:
                drawings[row] = self._library.number_of(shape)
        self._shapes = shapes
        self._drawings = drawings
        free = self._world.store.bodies["kind"][:rows] == FREE
        self._numbers = np.where(free, -1, drawings)

    def _color_bodies(self, rows: int) -> None:
        self._colors.reserve(rows)
        self._poses.reserve(rows)
        ground = self._world.store.bodies["kind"][:rows] == STATIC
        colors = np.array(BODY_COLORS, np.uint8)[np.arange(rows) % len(BODY_COLORS)]
        sensors = self._world.store.traits["is_sensor"][:rows]
        colors[ground & ~sensors] = theme().ground
        for row, color in enumerate(self._world.store.colors[:rows]):
            if color is not None:
                colors[row] = rgb_of(color.value)
        self._colors.values[:rows, :3] = colors
        self.styles = np.where(ground, GROUND, PLAIN).astype(np.uint8)
        self.styles[sensors] = SENSOR

    # -- where the bodies are -------------------------------------------------------------

    def draw(self, poses: Reals, camera: Camera) -> None:
        """Draw all bodies at `poses`, (rows, 3) of x, y in m and angle in rad by row."""
        self.refresh()
        rows = min(self._rows, len(poses))
        if rows == 0:
            return
        self._send(poses[:rows], camera, rows)
        self._poses.use(0)
        self._colors.use(1)
        for program in (self._quad_program, self._triangle_program):
            self._set_uniforms(program, camera)
        with self._context.enabled(self._context.BLEND):
            self._under.render(self._quad_program)
            self._triangles.render(self._triangle_program)
            self._quads.render(self._quad_program)

    def _send(self, poses: Reals, camera: Camera, rows: int) -> None:
        cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        x, y = self._library.centers[self._numbers[:rows]].T
        values = self._poses.values[:rows]
        values[:, 0] = poses[:, 0] + (cosine * x - sine * y) - camera.x
        values[:, 1] = poses[:, 1] + (sine * x + cosine * y) - camera.y
        values[:, 2] = cosine
        values[:, 3] = sine
        self._poses.upload(rows)
        asleep = self._world.store.bodies["kind"][:rows] == SLEEPING
        styles = self.styles[:rows]
        self._colors.values[:rows, 3] = np.where(asleep & (styles == PLAIN), ASLEEP, styles)
        if self.picked is not None and self.picked < rows:
            self._colors.values[self.picked, 3] = PICKED
        self._colors.upload(rows)

    def _set_uniforms(self, program: gl.Program, camera: Camera) -> None:
        look = theme()
        zoom = 2.0 * camera.zoom
        for name, value in (
            ("poses", 0),
            ("colors", 1),
            ("scale", (zoom / camera.width, zoom / camera.height)),
            ("pixel", camera.pixel),
            ("ratio", camera.pixel_ratio),
            ("outline", OUTLINE),
            ("fill_alpha", FILL_ALPHA),
            ("background", _unit(look.background)),
            ("outline_toward", _unit(look.outline_toward)),
            ("picked_outline", _unit(look.picked)),
            ("ground_edge", _unit(look.ground_edge)),
            ("ground_top", _unit(look.ground_top)),
        ):
            program.set_uniform_safe(name, value)

    # -- where to look --------------------------------------------------------------------

    def boxes(self, poses: Reals) -> tuple[NDArray[np.int64], Reals, Reals]:
        """The drawn rows and their bounding boxes' lower and upper corners, (n, 2), m."""
        self.refresh()
        rows = np.flatnonzero(self._numbers[: len(poses)] >= 0)
        numbers = self._numbers[rows]
        cosine, sine = np.cos(poses[rows, 2]), np.sin(poses[rows, 2])
        x, y = self._library.centers[numbers].T
        half_x, half_y = self._library.halves[numbers].T
        center = poses[rows, :2] + np.stack((cosine * x - sine * y, sine * x + cosine * y), axis=1)
        cosine, sine = np.abs(cosine), np.abs(sine)
        half = np.stack((cosine * half_x + sine * half_y, sine * half_x + cosine * half_y), axis=1)
        return rows, center - half, center + half

    def bounds(self, poses: Reals) -> tuple[Reals, Reals] | None:
        """The box worth looking at: around what can move, with the ground near it.

        A floor may be a kilometre long; of what is static counts only what is within half the
        size of the box around all else. None where nothing is to be seen.
        """
        rows, lower, upper = self.boxes(poses)
        if len(rows) == 0:
            return None
        ground = self.styles[rows] == GROUND
        if ground.all():
            return lower.min(axis=0), upper.max(axis=0)
        low, high = lower[~ground].min(axis=0), upper[~ground].max(axis=0)
        room = max(0.5 * float((high - low).max()), 1.0)
        near = ground & (upper > low - room).all(axis=1) & (lower < high + room).all(axis=1)
        if near.any():
            near_low, near_high = lower[near].min(axis=0), upper[near].max(axis=0)
            low = np.minimum(low, np.maximum(near_low, low - room))
            high = np.maximum(high, np.minimum(near_high, high + room))
        return low, high


class Library:
    """The drawings of all shapes seen so far, by number, ready to be gathered by row."""

    POINT: Final = 0
    """The number of the drawing of a body without a shape."""

    def __init__(self) -> None:
        self._numbers: dict[Shape | None, int] = {}
        self.under = Pieces(INSTANCE)
        self.instances = Pieces(INSTANCE)
        self.corners = Pieces(CORNER)
        self.centers = np.zeros((2, 2))
        self.halves = np.zeros((2, 2))
        self.number_of(None)

    def is_crowded(self, rows: int) -> bool:
        """Whether most drawings must belong to bodies long gone."""
        return len(self._numbers) > 4 * rows + 1024

    def number_of(self, shape: Shape | None) -> int:
        """The number of the shape's drawing, made if it is new; equal shapes share one."""
        number = self._numbers.get(shape)
        if number is None:
            drawing = drawing_of(shape)
            number = len(self._numbers)
            self._numbers[shape] = number
            self._keep(drawing, number)
        return number

    def _keep(self, drawing: Drawing, number: int) -> None:
        if number + 1 >= len(self.centers):  # the last one is spare: rows of number -1 read it
            more = np.zeros_like(self.centers)
            self.centers = np.concatenate((self.centers, more))
            self.halves = np.concatenate((self.halves, more))
        self.centers[number] = drawing.center
        self.halves[number] = drawing.half
        self.under.append(drawing.under)
        self.instances.append(drawing.instances)
        self.corners.append(drawing.corners)


class Pieces:
    """Runs of records, one run a drawing, that can be put together in any order."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._runs: list[np.ndarray[Any, Any]] = []
        self._joined = np.zeros(0, dtype)
        self._counts = np.zeros(0, np.int64)

    def append(self, records: np.ndarray[Any, Any]) -> None:
        """Add the run of the next drawing."""
        self._runs.append(records)

    def gather(self, numbers: NDArray[np.int64], rows: NDArray[np.int64]) -> np.ndarray[Any, Any]:
        """The runs of drawings `numbers` one after the other, marked with the `rows` they show."""
        if len(self._counts) != len(self._runs):
            self._counts = np.array([len(run) for run in self._runs], np.int64)
            self._joined = np.concatenate(self._runs)
        if len(numbers) == 0:
            return np.zeros(0, self._dtype)
        starts = (np.cumsum(self._counts) - self._counts)[numbers]
        counts = self._counts[numbers]
        total = int(counts.sum())
        place = np.cumsum(counts) - counts
        found = self._joined[np.repeat(starts - place, counts) + np.arange(total)]
        found["row"] = np.repeat(rows, counts)
        return found


def _unit(color: tuple[int, int, int]) -> tuple[float, float, float]:
    red, green, blue = color
    return red / 255.0, green / 255.0, blue / 255.0
