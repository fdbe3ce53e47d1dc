"""First steps with ecs_physics: read it from top to bottom as the manual's first page.

SI units throughout: metres, kilograms, seconds, radians counter-clockwise; y points up.
"""

import esper
import pytest

from ecs_physics import Force, Mass, Material, Shape, Stage, Transform, Velocity, World


def test_a_crate_falls_on_the_floor_and_the_wind_carries_it() -> None:
    # 1. A World makes the current esper world a simulation.
    world = World(gravity=(0.0, -9.81))

    # 2. Bodies are entities, and what a body is follows from its components. A Transform and a
    #    Shape are a static body. A Velocity and a Mass make it dynamic: forces move it.
    esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    crate = esper.create_entity(Transform(0, 5), Velocity(), Shape.box(1, 1), Mass())

    # 3. A system of your own is an esper processor. It sees the components of all bodies.
    class Wind(esper.Processor):
        def process(self, dt: float) -> None:
            for _entity, (velocity, _mass) in esper.get_components(Velocity, Mass):
                velocity.x += 2.0 * dt

    world.add_system(Wind(), Stage.BEFORE_STEP)

    # 4. Each step advances the world by a fixed time. Two seconds:
    for _ in range(120):
        world.step(1 / 60)

    # 5. Components are where the results are. The crate lies on the floor, whose top is y = 0,
    #    and has drifted while it fell: 2 m/s^2 for the second that a fall of 4.5 m takes.
    transform = esper.component_for_entity(crate, Transform)
    assert transform.y == pytest.approx(0.5, abs=0.01)
    assert 0.5 < transform.x < 1.5
    assert world.time == pytest.approx(2.0)


def test_a_property_writes_what_the_next_step_reads() -> None:
    world = World(gravity=(0.0, 0.0))
    transform, velocity = Transform(), Velocity()
    esper.create_entity(transform, velocity, Shape.circle(0.5), Mass(mass=2.0), Force(x=8.0))

    world.step(0.5)  # a force lasts for one step: 8 N on 2 kg for half a second
    assert velocity.x == pytest.approx(2.0)

    velocity.x = 10.0
    world.step(0.5)
    assert velocity.x == pytest.approx(10.0)

    transform.x = 100.0  # writing a position teleports
    world.step(0.5)
    assert transform.x == pytest.approx(105.0)


def test_columns_are_the_same_numbers_for_all_bodies_at_once() -> None:
    world = World(gravity=(0.0, 0.0))
    for x in range(10):
        esper.create_entity(Transform(3.0 * x, 0), Velocity(x=1.0), Shape.circle(0.5), Mass())

    transforms, velocities = world.columns(Transform), world.columns(Velocity)
    velocities["y"][transforms["x"] > 10.0] += 5.0  # one NumPy line instead of a loop
    world.step(0.1)

    for _entity, (transform, velocity) in esper.get_components(Transform, Velocity):
        assert transform.y == pytest.approx(0.5 if transform.x > 10.5 else 0.0)
        assert velocity.x == pytest.approx(1.0)


def test_what_touches_is_in_a_table() -> None:
    world = World()
    floor = esper.create_entity(Transform(0, -0.5), Shape.box(20, 1))
    ball = esper.create_entity(Transform(0, 0.5), Velocity(), Shape.circle(0.5), Mass(mass=3.0))
    for _ in range(60):
        world.step(1 / 60)

    (contact,) = world.contacts
    assert {contact["entity_a"], contact["entity_b"]} == {floor, ball}
    assert abs(contact["normal_y"]) == pytest.approx(1.0)
    weight = 3.0 * 9.81
    assert contact["normal_impulse"][0] == pytest.approx(weight / 60, rel=1e-3)


def test_materials_bounce_slide_and_carry() -> None:
    world = World()
    belt = Material(friction=0.8, surface_speed=2.0)
    esper.create_entity(Transform(0, -0.5), Shape.box(40, 1), belt)
    crate = esper.create_entity(Transform(0, 0.5), Velocity(), Shape.box(1, 1), Mass(), belt)
    esper.add_component(crate, Material(friction=0.8))  # replaces the one above
    for _ in range(120):
        world.step(1 / 60)
    assert esper.component_for_entity(crate, Velocity).x == pytest.approx(2.0, rel=1e-3)


def test_bodies_come_and_go_as_esper_has_it() -> None:
    world = World()
    ball = esper.create_entity(Transform(0, 5), Velocity(), Shape.circle(0.5), Mass())
    world.step(1 / 60)
    assert world.entities() == [ball]

    velocity = esper.remove_component(ball, Velocity)  # without a velocity it is static
    before = esper.component_for_entity(ball, Transform).y
    world.step(1 / 60)
    assert esper.component_for_entity(ball, Transform).y == before

    esper.add_component(ball, velocity)  # and falls on with the one it had
    world.step(1 / 60)
    assert esper.component_for_entity(ball, Transform).y < before

    esper.delete_entity(ball)  # esper deletes at the next step
    world.step(1 / 60)
    assert world.entities() == []
