"""Write a level file: of a level, or of a world as it is now."""

from itertools import count
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import esper
import tomli_w

from ecs_physics.components import (
    Color,
    Damping,
    Force,
    GravityScale,
    LockedAxes,
    Mass,
    Material,
    Name,
    Transform,
    Velocity,
)
from ecs_physics.joint_row import Joint
from ecs_physics.joints import JOINTS
from ecs_physics.levels.body import (
    Body,
    ComponentTable,
    DampingTable,
    FilterTable,
    ForceTable,
    LockedAxesTable,
    MaterialTable,
    OneWayTable,
    SleepThresholdTable,
    VelocityTable,
)
from ecs_physics.levels.errors import LevelError
from ecs_physics.levels.joint_tables import joint_table
from ecs_physics.levels.level import Level
from ecs_physics.levels.shape_tables import shape_table
from ecs_physics.levels.table import differing
from ecs_physics.shapes import Shape
from ecs_physics.traits import Bullet, Disabled, Filter, OneWay, Sensor, SleepThreshold

if TYPE_CHECKING:
    from ecs_physics.world import World


def save(level_or_world: "Level | World", path: str | PathLike[str]) -> None:
    """Write a level file, such that reading it gives an equal level, bit for bit.

    A world is written as `level_of` sees it.

    Raises:
        LevelError: where the file cannot be written.
    """
    level = level_or_world if isinstance(level_or_world, Level) else level_of(level_or_world)
    text = tomli_w.dumps(level.model_dump(exclude_unset=True))
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise LevelError(path, [f"cannot be written: {error.strerror}"]) from error


def level_of(world: "World", title: str = "", description: str = "") -> Level:
    """A level with all bodies of a world as they are now: poses, velocities, every component.

    Bodies that came from a group are single bodies in it. Names that two bodies share are kept
    by the first of them alone. Bodies of joints that have none are called "body 1", "body 2" and
    so on; joints that rest are left out.
    """
    bodies: dict[int, dict[str, Any]] = {}
    names: set[str] = set()
    with world:
        waiting = [entity for entity, _ in esper.get_components(Disabled, Transform, Shape)]
        for entity in sorted({*world.entities(), *waiting}):
            body = _body_table(entity)
            if body.get("name") in names:
                del body["name"]
            elif "name" in body:
                names.add(body["name"])
            bodies[entity] = body
        joints = _joint_tables(bodies, names)
    settings: dict[str, Any] = {"gravity": tuple(world.gravity), "substeps": world.substeps}
    if not world.sleep:
        settings["sleep"] = False
    texts = {"title": title, "description": description}
    given = {key: text for key, text in texts.items() if text}
    tables = {"bodies": list(bodies.values())} | ({"joints": joints} if joints else {})
    return Level.model_validate({**given, "world": settings, **tables})


def _joint_tables(bodies: dict[int, dict[str, Any]], names: set[str]) -> list[dict[str, Any]]:
    """The tables of all joints between these bodies, which get names where they have none."""
    fresh = (name for number in count(1) if (name := f"body {number}") not in names)
    tables = []
    for kind in JOINTS:
        found: list[tuple[int, Joint]] = esper.get_component(kind)
        for _, joint in sorted(found, key=itemgetter(0)):
            ends = [each for each in (joint.body_a, joint.body_b) if each is not None]
            if any(each not in bodies for each in ends):
                continue
            called = [bodies[each].setdefault("name", None) or next(fresh) for each in ends]
            for each, name in zip(ends, called, strict=True):
                bodies[each]["name"] = name
            tables.append(joint_table(joint, called[0], called[1] if len(called) > 1 else None))
    return tables


def _body_table(entity: int) -> dict[str, Any]:
    """The table of a body, with what differs from the defaults."""
    components: tuple[Any, ...] = esper.components_for_entity(entity)
    held: dict[type[Any], Any] = {type(component): component for component in components}
    table: dict[str, Any] = {}
    for key, text in (("name", Name), ("color", Color)):
        if text in held:
            table[key] = held[text].value
    if Shape in held:
        table["shape"] = shape_table(held[Shape])
    place = held[Transform]
    table |= differing(Body, {"x": place.x, "y": place.y, "angle": place.angle})
    table |= _motion(held)
    for key, (kind, model) in _OPTIONAL.items():
        if kind in held:
            table[key] = _component_table(held[kind], model)
    if Filter in held:
        table["filter"] = _filter_table(held[Filter])
    for key, flag in _FLAGS.items():
        if flag in held:
            table[key] = True
    if GravityScale in held:
        table["gravity_scale"] = held[GravityScale].factor
    return table


_OPTIONAL: Final[dict[str, tuple[type[Any], type[ComponentTable]]]] = {
    "material": (Material, MaterialTable),
    "force": (Force, ForceTable),
    "damping": (Damping, DampingTable),
    "locked_axes": (LockedAxes, LockedAxesTable),
    "one_way": (OneWay, OneWayTable),
    "sleep_threshold": (SleepThreshold, SleepThresholdTable),
}
_FLAGS: Final[dict[str, type[Any]]] = {"sensor": Sensor, "bullet": Bullet, "disabled": Disabled}


def _filter_table(given: Filter) -> dict[str, Any]:
    """A filter with its bits as TOML's signed numbers."""
    table = _component_table(given, FilterTable)
    for key in table.keys() & {"category", "mask"}:
        table[key] -= table[key] >> 63 << 64
    return table


def _component_table(component: Any, model: type[ComponentTable]) -> dict[str, Any]:
    return differing(model, {key: getattr(component, key) for key in model.model_fields})


def _motion(held: dict[type[Any], Any]) -> dict[str, Any]:
    """The velocity and the mass; a mass without a velocity does nothing and is left out."""
    if Velocity not in held:
        return {}
    velocity = _component_table(held[Velocity], VelocityTable)
    if Mass not in held:
        return {"velocity": velocity}
    mass = {"mass": _mass_table(held[Mass])}
    return {"velocity": velocity} | mass if velocity else mass


def _mass_table(mass: Mass) -> dict[str, Any]:
    density = mass.density
    if density is None:
        table: dict[str, Any] = {"mass": mass.mass}
        if mass.is_inertia_given:
            table["inertia"] = mass.inertia
    else:
        table = {} if density == 1.0 else {"density": density}
    if mass.is_center_given:
        table["center"] = mass.center
    return table
