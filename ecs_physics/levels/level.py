"""A whole level file as one model."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, PrivateAttr, Strict, model_validator

from ecs_physics.levels.body import Body
from ecs_physics.levels.groups import Group, members
from ecs_physics.levels.joint_tables import AnyJoint
from ecs_physics.levels.table import Pair, Positive, Table


class Settings(Table):
    """Settings of the world; what is left out stays as the world has it."""

    gravity: Pair | None = None
    """[x, y] in m/s^2"""
    substeps: Annotated[int, Field(ge=1, le=1000)] | None = None
    """substeps of a step"""
    dt: Positive | None = None
    """s, the step that the level is meant to be run with"""
    sleep: bool | None = None
    """true or false: whether bodies that rest fall asleep"""


class View(Table):
    """What a window shows at first; the physics does not know it."""

    center: Pair = (0.0, 0.0)
    """[x, y] in m, the middle of the window"""
    width: Positive
    """m across the window"""


class Level(Table):
    """A level: what its file says, and, once it is built, which entities its bodies became.

    Two levels are equal where their files say the same.
    """

    title: str = ""
    """a text"""
    description: str = ""
    """a text"""
    world: Settings = Settings()
    """a table: gravity, substeps, dt, sleep"""
    view: View | None = None
    """a table: center, width"""
    bodies: Annotated[tuple[Body, ...], Strict(False)] = ()
    """a list of tables, each under [[bodies]]"""
    groups: Annotated[tuple[Group, ...], Strict(False)] = ()
    """a list of tables, each under [[groups]]"""
    joints: Annotated[tuple[AnyJoint, ...], Strict(False)] = ()
    """a list of tables, each under [[joints]]"""

    _created: list[int] = PrivateAttr(default_factory=list)
    _entities: dict[str, int] = PrivateAttr(default_factory=dict)
    _joint_entities: list[int] = PrivateAttr(default_factory=list)

    @property
    def created(self) -> list[int]:
        """The entities of the bodies in file order, those of groups last; empty before `build`."""
        return self._created

    @property
    def entities(self) -> dict[str, int]:
        """The entity of each body that has a name; empty before `build`."""
        return self._entities

    @property
    def joint_entities(self) -> list[int]:
        """The entities of the joints in file order; empty before `build`."""
        return self._joint_entities

    def built_as(self, entities: list[int], joints: list[int]) -> Self:
        """This level, knowing which entity each of `single_bodies`, and each joint, became."""
        built = self.model_copy()
        built._joint_entities = joints
        named = zip(self.single_bodies(), entities, strict=True)
        built._created = entities
        built._entities = {body.name: entity for body, entity in named if body.name is not None}
        return built

    def single_bodies(self) -> Iterator[Body]:
        """Every body: the single ones, then the members of the groups."""
        yield from self.bodies
        for group in self.groups:
            yield from members(group)

    def __eq__(self, other: object) -> bool:
        """Compare what the files say."""
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in type(self).model_fields)

    def __hash__(self) -> int:
        """Equal levels have equal hashes."""
        return hash(tuple(getattr(self, key) for key in type(self).model_fields))

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        seen: dict[str, str] = {}
        for path, body in self._named_bodies():
            if body.name in seen:
                raise ValueError(
                    f'{path}.name = "{body.name}": {seen[body.name]} has this name; '
                    "give each body a name of its own, or none"
                )
            seen[str(body.name)] = path
        return self

    @model_validator(mode="after")
    def _joints_find_their_bodies(self) -> Self:
        names = {body.name for _, body in self._named_bodies()}
        for index, table in enumerate(self.joints):
            for bodies in table.bodies():
                for key, name in zip(("body_a", "body_b"), bodies, strict=True):
                    if name is not None and name not in names:
                        raise ValueError(
                            f'joints[{index}].{key} = "{name}": no body has this name; give the '
                            "name of a body, or that of a group and a number in brackets"
                        )
                if bodies[0] == bodies[1]:
                    raise ValueError(
                        f'joints[{index}].body_b = "{bodies[1]}" is body_a too: give two bodies'
                    )
        return self

    def _named_bodies(self) -> Iterator[tuple[str, Body]]:
        for index, body in enumerate(self.bodies):
            if body.name is not None:
                yield f"bodies[{index}]", body
        for index, group in enumerate(self.groups):
            if group.body.name is not None:
                for body in members(group):
                    yield f"groups[{index}].body", body
