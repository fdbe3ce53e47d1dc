"""Joints: what holds, drives or limits two bodies. Give each to an entity of its own.

`esper.create_entity(RevoluteJoint(wheel, car, anchor_b=(1, -0.5)))`. All of them measure the motion
of A as B sees it; where B is left out, it is the world. Anchors are points in the coordinates of
the bodies' shapes, those of a world in its own. Values are properties; a new one counts from the
next step on. A joint whose body is deleted goes as well, one whose body is disabled rests.
"""

import math
from typing import Final

from ecs_physics.components import entity_id, not_negative, number, point, positive
from ecs_physics.joint_row import (
    Joint,
    Limit,
    Pair,
    Value,
    direction,
    factor,
    most,
    seen,
    seen_length,
)
from ecs_physics.kernels import joint_lists


class DistanceJoint(Joint):
    """Keeps two points at a distance: a rod, or a spring that may have a shortest and a longest.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        length: m; None: as far as they are apart when the joint first sees them.
        hertz: frequency of the spring; 0: a rigid rod.
        damping_ratio: of the spring: 1 does not swing.
        lower: m, the shortest that the spring may be.
        upper: m, the longest.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.DISTANCE

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        length: float | None = None,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        lower: float = -math.inf,
        upper: float = math.inf,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    length = Value(seen_length, "m.")
    hertz = Value(not_negative, "Frequency of the spring; 0: a rigid rod.")
    damping_ratio = Value(not_negative, "Of the spring.")
    lower = Limit(number, "m, the shortest that the spring may be.")
    upper = Limit(number, "m, the longest that the spring may be.")


class RopeJoint(Joint):
    """Keeps two points from being farther apart than a length; it only pulls.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        length: m; None: as far as they are apart when the joint first sees them.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.ROPE

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        length: float | None = None,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, body_b, locals())

    length = Value(seen_length, "m, the longest.")


class RevoluteJoint(Joint):
    """Pins a point of A to a point of B, about which they turn: a hinge, an axle.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        angle: rad, the angle of A less that of B that counts as zero for limits and spring.
        lower: rad, the smallest angle of A seen from B.
        upper: rad, the greatest.
        motor_speed: rad/s of A seen from B, counter-clockwise.
        max_motor_torque: N m; 0: no motor. With a speed of 0 it is a brake.
        hertz: frequency of a spring that turns A back to zero; 0: none.
        damping_ratio: of the spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.REVOLUTE

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        angle: float | None = 0.0,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    angle = Value(seen, "rad, of A less that of B: what counts as zero.")
    lower = Limit(number, "rad, the smallest angle of A seen from B.")
    upper = Limit(number, "rad, the greatest angle of A seen from B.")
    motor_speed = Value(number, "rad/s of A seen from B.", "speed")
    max_motor_torque = Value(most, "N m; 0: no motor.", "max_torque")
    hertz = Value(not_negative, "Frequency of the spring; 0: none.")
    damping_ratio = Value(not_negative, "Of the spring.")


class PrismaticJoint(Joint):
    """Lets a point of A slide along a straight line through a point of B, without turning.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        axis: (x, y) of the line in the axes of B's shape, or of the world; any length.
        angle: rad, the angle of A less that of B; None: as it is when the joint first sees them.
        lower: m, the farthest back that A may slide from B's point.
        upper: m, the farthest on.
        motor_speed: m/s of A seen from B, along the axis.
        max_motor_force: N; 0: no motor. With a speed of 0 it is a brake.
        hertz: frequency of a spring that pulls A to B's point; 0: none.
        damping_ratio: of the spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.PRISMATIC

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        axis: tuple[float, float] = (1.0, 0.0),
        angle: float | None = None,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_force: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    axis = Pair(
        direction, "(x, y) of the line in B's axes, or the world's; its length is 1.", "axis_"
    )
    angle = Value(seen, "rad, of A less that of B.")
    lower = Limit(number, "m, the farthest back that A may slide.")
    upper = Limit(number, "m, the farthest on that A may slide.")
    motor_speed = Value(number, "m/s of A seen from B.", "speed")
    max_motor_force = Value(most, "N; 0: no motor.", "max_force")
    hertz = Value(not_negative, "Frequency of the spring; 0: none.")
    damping_ratio = Value(not_negative, "Of the spring.")


class WeldJoint(Joint):
    """Makes two bodies one, or nearly: springs may hold them instead.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        angle: rad, the angle of A less that of B; None: as it is when the joint first sees them.
        hertz: frequency of the spring between the two points; 0: rigid.
        damping_ratio: of that spring.
        angular_hertz: frequency of the spring that holds the angle; 0: rigid.
        angular_damping_ratio: of that spring.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.WELD

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        angle: float | None = None,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    angle = Value(seen, "rad, of A less that of B.")
    hertz = Value(not_negative, "Of the spring between the points; 0: rigid.")
    damping_ratio = Value(not_negative, "Of that spring.")
    angular_hertz = Value(not_negative, "Of the spring of the angle; 0: rigid.")
    angular_damping_ratio = Value(not_negative, "Of that spring.")


class WheelJoint(Joint):
    """Hangs a wheel A on a car B: it turns freely, and moves along an axis against a spring.

    Args:
        body_a: entity of the wheel.
        body_b: entity of the car; None is the world.
        axis: (x, y) along which the wheel moves, in the axes of B's shape; any length.
        hertz: frequency of the suspension; 0: none.
        damping_ratio: of the suspension.
        lower: m, the farthest back that the wheel may move from B's point.
        upper: m, the farthest on.
        motor_speed: rad/s of A seen from B, counter-clockwise: below 0 drives to +x.
        max_motor_torque: N m; 0: no motor. With a speed of 0 it is a brake.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.WHEEL

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        axis: tuple[float, float] = (0.0, 1.0),
        hertz: float = 4.0,
        damping_ratio: float = 0.7,
        lower: float = -math.inf,
        upper: float = math.inf,
        motor_speed: float = 0.0,
        max_motor_torque: float = 0.0,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    axis = Pair(
        direction, "(x, y) along which the wheel moves, in B's axes; its length is 1.", "axis_"
    )
    hertz = Value(not_negative, "Frequency of the suspension; 0: none.")
    damping_ratio = Value(not_negative, "Of the suspension.")
    lower = Limit(number, "m, the farthest back that the wheel may move.")
    upper = Limit(number, "m, the farthest on that the wheel may move.")
    motor_speed = Value(number, "rad/s of A seen from B.", "speed")
    max_motor_torque = Value(most, "N m; 0: no motor.", "max_torque")


class TargetJoint(Joint):
    """Pulls a point of a body to a place in the world, as a mouse that has caught it.

    Args:
        body_a: entity of a body.
        target: (x, y), m.
        anchor_a: (x, y) of the point on A, m.
        hertz: frequency of the pull.
        damping_ratio: of the pull.
        max_force: N.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.TARGET

    def __init__(
        self,
        body_a: int,
        target: tuple[float, float],
        *,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        hertz: float = 5.0,
        damping_ratio: float = 1.0,
        max_force: float = math.inf,
        break_force: float = math.inf,
        break_torque: float = math.inf,
    ) -> None:
        self._hold(body_a, None, locals())

    target = Pair(point, "(x, y) in the world, m.", "anchor_b")
    hertz = Value(positive, "Frequency of the pull.")
    damping_ratio = Value(not_negative, "Of the pull.")
    max_force = Value(most, "N.")

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"TargetJoint({self.body_a}, {values})"


class GearJoint(Joint):
    """Makes A turn as B does, `ratio` times as fast; meshing gears have a ratio below 0.

    Args:
        body_a: entity of a body.
        body_b: entity of another one.
        ratio: angle of A by that of B, not 0.
        phase: rad, angle of A less ratio times that of B; None: as it is when the joint first
            sees them.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.GEAR

    def __init__(
        self,
        body_a: int,
        body_b: int,
        *,
        ratio: float = 1.0,
        phase: float | None = None,
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, entity_id(body_b, "GearJoint.body_b"), locals())

    ratio = Value(factor, "Angle of A by that of B.")
    phase = Value(seen, "rad, angle of A less ratio times that of B.", "angle")


class RatchetJoint(Joint):
    """Lets A turn one way only, seen from B; it falls into the teeth that it passes.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        step: rad from tooth to tooth; above 0 it turns counter-clockwise, below 0 clockwise.
        phase: rad, angle of A less that of B at a tooth.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.RATCHET

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        step: float = math.pi / 8.0,
        phase: float | None = 0.0,
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = False,
    ) -> None:
        self._hold(body_a, body_b, locals())

    step = Value(factor, "rad from tooth to tooth.")
    phase = Value(seen, "rad, angle of A less that of B at a tooth.", "angle")


class PulleyJoint(Joint):
    """A rope from A up to a place in the world, over to another and down to B; it only pulls.

    Args:
        body_a: entity of a body.
        body_b: entity of another one.
        ground_a: (x, y) in the world above A, m.
        ground_b: (x, y) in the world above B, m.
        ratio: how much of the rope's length counts on B's side, above 0: 2 is a block and tackle.
        length: m, of A's side and ratio times B's; None: as it is when the joint first sees them.
        anchor_a: (x, y) of the point on A, m.
        anchor_b: (x, y) of the point on B, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.PULLEY

    def __init__(
        self,
        body_a: int,
        body_b: int,
        *,
        ground_a: tuple[float, float],
        ground_b: tuple[float, float],
        ratio: float = 1.0,
        length: float | None = None,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, entity_id(body_b, "PulleyJoint.body_b"), locals())

    ground_a = Pair(point, "(x, y) in the world, m.")
    ground_b = Pair(point, "(x, y) in the world, m.")
    ratio = Value(positive, "How much of the rope's length counts on B's side.")
    length = Value(seen_length, "m, of A's side and ratio times B's.")


class MotorJoint(Joint):
    """Drives A, as B sees it, at a velocity, or to a place, with limited force and torque.

    Args:
        body_a: entity of a body.
        body_b: entity of another one; None is the world.
        velocity: (x, y) of A in B's axes, m/s.
        omega: rad/s of A seen from B.
        hertz: frequency of a spring that pulls A's anchor to B's; 0: the velocity alone counts.
        damping_ratio: of that spring.
        angle: rad, the angle of A less that of B that the next spring turns to; None: as it is.
        angular_hertz: frequency of a spring that turns A; 0: omega alone counts.
        angular_damping_ratio: of that spring.
        max_force: N.
        max_torque: N m.
        anchor_a: (x, y) of the point on A that is pushed, m.
        anchor_b: (x, y) of the place in B's coordinates, or in the world, m.
        break_force: N, at which the joint breaks.
        break_torque: N m, at which it breaks.
        collide_connected: whether the two bodies touch each other.

    Raises:
        ValueError: naming the value that is out of its range.
    """

    __slots__ = ()
    TYPE = joint_lists.MOTOR

    def __init__(
        self,
        body_a: int,
        body_b: int | None = None,
        *,
        velocity: tuple[float, float] = (0.0, 0.0),
        omega: float = 0.0,
        hertz: float = 0.0,
        damping_ratio: float = 1.0,
        angle: float | None = None,
        angular_hertz: float = 0.0,
        angular_damping_ratio: float = 1.0,
        max_force: float = math.inf,
        max_torque: float = math.inf,
        anchor_a: tuple[float, float] = (0.0, 0.0),
        anchor_b: tuple[float, float] = (0.0, 0.0),
        break_force: float = math.inf,
        break_torque: float = math.inf,
        collide_connected: bool = True,
    ) -> None:
        self._hold(body_a, body_b, locals())

    velocity = Pair(point, "(x, y) of A in B's axes, m/s.", "velocity_")
    omega = Value(number, "rad/s of A seen from B.", "speed")
    hertz = Value(not_negative, "Of the spring to the place; 0: none.")
    damping_ratio = Value(not_negative, "Of that spring.")
    angle = Value(seen, "rad, of A less that of B, that the spring turns to.")
    angular_hertz = Value(not_negative, "Of that spring.")
    angular_damping_ratio = Value(not_negative, "Of that spring.")
    max_force = Value(most, "N.")
    max_torque = Value(most, "N m.")


JOINTS: Final[tuple[type[Joint], ...]] = (
    DistanceJoint,
    RopeJoint,
    RevoluteJoint,
    PrismaticJoint,
    WeldJoint,
    WheelJoint,
    TargetJoint,
    GearJoint,
    RatchetJoint,
    PulleyJoint,
    MotorJoint,
)
"""Every kind of joint."""


KINDS: Final = {kind.TYPE: kind for kind in JOINTS}
"""The kinds of joints by JOINT["type"]."""
