"""The kernel over the contact table: which points stay, what they carry, what is mixed."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_physics.constants import SPECULATIVE_DISTANCE
from ecs_physics.kernels.compile import can_run_threads, warm_up
from ecs_physics.kernels.narrow_phase import collide_pairs
from ecs_physics.kernels.two_threads import collide_pairs_on_two
from ecs_physics.tables import CONTACT
from tests.kernels.contact_scene import DT, Scene, scene
from tests.kernels.naive_manifold import NaivePart, box, capsule, chain, circle, rows_of

ROUNDING = 2e-7  # m, of boxes of a metre, which collide in float32
ROOT = Path(__file__).parents[2]


def anchors(contact: Any, body: str) -> list[tuple[float, float]]:
    return [(contact[f"anchor_{body}x_{i}"], contact[f"anchor_{body}y_{i}"]) for i in (0, 1)]


def test_a_box_on_a_box_far_from_the_origin() -> None:
    made = scene([(box(3.0, 1.0), 1e5, 50.0), (box(1.0, 1.0), 1e5 + 0.25, 50.998)])
    assert made.step() == [0]
    (contact,) = made.contacts
    assert contact["count"] == 2
    assert (contact["normal_x"], contact["normal_y"]) == (0.0, 1.0)
    assert contact["separation_0"] == pytest.approx(-0.002, abs=ROUNDING)
    assert contact["separation_1"] == pytest.approx(-0.002, abs=ROUNDING)
    assert sorted(anchors(contact, "a")) == pytest.approx(np.array([(-0.25, 0.499), (0.75, 0.499)]))
    assert sorted(anchors(contact, "b")) == pytest.approx(np.array([(-0.5, -0.499), (0.5, -0.499)]))


BODIES = {
    "circle": circle(0.5),
    "capsule": capsule(1.0, 0.3).turned(0.4),
    "box": box(1.0, 0.7).turned(-0.3),
    "rounded box": box(0.6, 0.5, 0.2).turned(0.9),
    "ground": chain([(-5.0, 0.2), (-0.6, 0.0), (0.7, 0.1), (5.0, -0.4)])[1],
}


@pytest.mark.parametrize("name_a", BODIES)
@pytest.mark.parametrize("name_b", BODIES)
def test_either_order_of_a_pair_gives_the_same_contact(name_a: str, name_b: str) -> None:
    a, b = BODIES[name_a], BODIES[name_b]
    way = np.array([0.1, -0.75 if name_a == "ground" else 0.75])
    if name_a == "ground":
        way = -way
    there = scene([(a, 0.0, 0.0), (b, way[0], way[1])])
    back = scene([(b, way[0], way[1]), (a, 0.0, 0.0)])
    assert there.step() == back.step()
    one, other = there.contacts[0], back.contacts[0]
    assert one["count"] == other["count"]
    if one["count"]:
        flipped = [-one["normal_x"], -one["normal_y"]]
        assert [other["normal_x"], other["normal_y"]] == pytest.approx(flipped)
        points = sorted(anchors(one, "a")[: one["count"]])
        others = np.array(sorted(anchors(other, "b")[: one["count"]]))
        assert points == pytest.approx(others, abs=ROUNDING)


def test_contacts_that_act_across_a_gap_are_listed() -> None:
    """Gaps of 10 cm: one closes in a step, one does not, one widens; and one pair overlaps."""
    ball = circle(0.5)
    made = scene(
        [(ball, 2.0 * k, 5.0 * j) for j in range(4) for k in range(2)],
        [(0, 1), (2, 3), (4, 5), (6, 7)],
    )
    made.bodies["x"][1::2] = [1.1, 1.1, 1.1, 0.9]
    made.velocities["x"][1::2] = [-9.0, -3.0, 9.0, -9.0]
    assert made.step() == [0, 3]
    assert made.acting_afar == [0]


def test_rows_keep_their_places_and_active_ones_are_listed() -> None:
    ball = circle(0.5)
    made = scene(
        [(ball, 0.0, 0.0), (ball, 0.9, 0.0), (ball, 1.8, 0.0), (ball, 5.0, 0.0)],
        [(0, 1), (0, 2), (2, 3), (1, 2)],
    )
    assert made.step() == [0, 3]
    assert made.contacts["count"].tolist() == [1, 0, 0, 1]
    assert made.contacts["part_b"].tolist() == [1, 2, 3, 2]


def give_impulses(contact: Any) -> None:
    for i in (0, 1):
        contact[f"normal_impulse_{i}"] = 10.0 + i
        contact[f"tangent_impulse_{i}"] = 20.0 + i
        contact[f"total_normal_{i}"] = 30.0
        contact[f"total_tangent_{i}"] = 40.0
    contact["rolling_impulse"] = 50.0


def impulse_at(contact: Any, feature: int) -> tuple[float, float] | None:
    for i in range(contact["count"]):
        if contact[f"feature_{i}"] == feature:
            return contact[f"normal_impulse_{i}"], contact[f"tangent_impulse_{i}"]
    return None


def test_impulses_stay_with_their_features() -> None:
    made = scene([(box(2.0, 1.0), 0.0, 0.0), (box(1.0, 1.0), 0.45, 0.998)])
    made.step()
    contact = made.contacts[0]
    assert contact["normal_impulse_0"] == contact["tangent_impulse_1"] == 0.0
    give_impulses(contact)
    old = [int(contact["feature_0"]), int(contact["feature_1"])]
    made.bodies[1]["x"] = 0.49
    made.step()
    assert impulse_at(contact, old[0]) == (10.0, 20.0)
    assert impulse_at(contact, old[1]) == (11.0, 21.0)
    assert contact["total_normal_0"] == contact["total_tangent_1"] == 0.0
    assert contact["rolling_impulse"] == 50.0


def test_a_point_with_new_features_begins_at_zero() -> None:
    made = scene([(box(2.0, 1.0), 0.0, 0.0), (box(1.0, 1.0), 0.45, 0.998)])
    made.step()
    contact = made.contacts[0]
    give_impulses(contact)
    old = {int(contact["feature_0"]): (10.0, 20.0), int(contact["feature_1"]): (11.0, 21.0)}
    made.bodies[1]["x"] = 0.55  # now a corner of the lower box holds one side
    made.step()
    kept = [impulse_at(contact, each) for each in old]
    assert kept.count(None) == 1
    values = [(contact[f"normal_impulse_{i}"], contact[f"tangent_impulse_{i}"]) for i in (0, 1)]
    assert (0.0, 0.0) in values
    assert next(each for each in kept if each) in old.values()


def test_one_of_two_points_stays_with_its_impulse_in_slot_0() -> None:
    for tilt in (0.05, -0.05):
        made = scene([(box(2.0, 1.0), 0.0, 0.0), (box(1.0, 1.0), 0.0, 0.998)])
        made.step()
        contact = made.contacts[0]
        give_impulses(contact)
        old = {int(contact["feature_0"]): 10.0, int(contact["feature_1"]): 11.0}
        turned = box(1.0, 1.0).turned(tilt)
        made.vertices[4:] = rows_of(turned)[0]
        made.bodies[1]["y"] = 0.499 - turned.vertices[:, 1].min()
        made.step()
        assert contact["count"] == 1
        assert contact["separation_0"] == pytest.approx(-0.001, abs=ROUNDING)
        assert contact["normal_impulse_0"] == old[int(contact["feature_0"])]
        assert contact["normal_impulse_1"] == 0.0


def test_parted_bodies_forget_everything() -> None:
    made = scene([(circle(0.5), 0.0, 0.0), (circle(0.5), 0.99, 0.0)])
    made.step()
    contact = made.contacts[0]
    give_impulses(contact)
    made.bodies[1]["x"] = 1.5
    assert made.step() == []
    assert contact["count"] == 0
    made.bodies[1]["x"] = 0.99
    assert made.step() == [0]
    for name in ("normal_impulse_0", "tangent_impulse_0", "total_normal_0", "rolling_impulse"):
        assert contact[name] == 0.0


@pytest.mark.parametrize("way", [(1.2, 0.0), (-1.2, 0.0), (0.0, 1.2), (0.0, -1.2)])
def test_parts_whose_swept_boxes_are_apart_have_no_contact(way: tuple[float, float]) -> None:
    made = scene([(circle(0.5), 3.0, -7.0), (circle(0.5), 3.0 + way[0], -7.0 + way[1])])
    made.velocities["x"][0], made.velocities["y"][0] = 60.0 * way[0], 60.0 * way[1]
    made.sweep(0.11)
    assert made.collide() == [0]
    give_impulses(made.contacts[0])
    made.sweep(0.09)
    assert made.collide() == []
    assert made.contacts["count"].tolist() == [0]
    made.sweep(0.11)
    assert made.collide() == [0]
    for name in ("normal_impulse_0", "tangent_impulse_0", "total_normal_0", "rolling_impulse"):
        assert made.contacts[0][name] == 0.0, "what it forgot meanwhile"


def test_materials_are_mixed() -> None:
    made = scene([(circle(0.5), 0.0, 0.0), (circle(0.25), 0.74, 0.0)])
    made.bodies["friction"] = 0.25, 1.0
    made.bodies["restitution"] = 0.2, 0.7
    made.bodies["rolling_resistance"] = 0.02, 0.01
    made.bodies["surface_speed"] = 3.0, -1.0
    made.step()
    contact = made.contacts[0]
    assert contact["friction"] == pytest.approx(0.5)
    assert contact["restitution"] == pytest.approx(0.7)
    assert contact["rolling_resistance"] == pytest.approx(0.02 * 0.5)
    assert contact["surface_speed"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("gap", "velocity", "omega", "count"),
    [
        (0.99 * SPECULATIVE_DISTANCE, (0.0, 0.0), 0.0, 2),
        (1.01 * SPECULATIVE_DISTANCE, (0.0, 0.0), 0.0, 0),
        (0.11, (0.0, -6.0), 0.0, 2),  # comes 0.1 m closer in the step
        (0.13, (0.0, -6.0), 0.0, 0),
        (0.11, (0.0, 6.0), 0.0, 0),
        (0.11, (60.0, 0.0), 0.0, 0),  # slides past, however fast
        (0.03, (60.0, -1.2), 0.0, 2),
        (0.11, (0.0, 0.0), 12.0, 1),  # one side comes 0.1 m closer
        (0.11, (0.0, 0.0), -12.0, 1),
        (0.13, (0.0, 0.0), 12.0, 0),
    ],
)
def test_points_are_kept_by_what_closes_there(
    gap: float, velocity: tuple[float, float], omega: float, count: int
) -> None:
    for mover in (0, 1):
        made = scene([(box(9.0, 1.0), 0.0, 0.0), (box(1.0, 1.0), 0.0, 1.0 + gap)])
        sign = 1.0 if mover else -1.0
        made.velocities[mover]["x"] = sign * velocity[0]
        made.velocities[mover]["y"] = sign * velocity[1]
        if omega and not mover:
            continue
        made.velocities[mover]["omega"] = omega
        made.step()
        assert made.contacts[0]["count"] == count
        if count == 1:
            assert np.sign(made.contacts[0]["anchor_ax_0"]) == -np.sign(omega)


def test_a_turning_body_below_closes_too() -> None:
    made = scene([(box(1.0, 1.0), 0.0, 0.0), (box(1.0, 1.0), 0.0, 1.11)])
    made.velocities[0]["omega"] = 12.0
    made.step()
    assert made.contacts[0]["count"] == 1
    assert made.contacts[0]["anchor_ax_0"] == pytest.approx(0.5)


def crowd() -> Scene:
    """Random bodies of every kind in a heap, half of the contacts with a history."""
    random = np.random.default_rng(3)
    kinds = [*BODIES.values(), box(1.0, 1.0), NaivePart(np.array([(0, 0), (0.7, 0.1), (0.2, 0.6)]))]
    bodies = []
    for i in range(40):
        part = kinds[i % len(kinds)]
        if part.before is None:
            part = part.turned(random.uniform(0.0, 7.0))
        bodies.append((part, *random.uniform(-1.5, 1.5, 2)))
    made = scene(bodies, [(i, j) for i in range(40) for j in range(i)][::3])
    for name in ("x", "y", "omega"):
        made.velocities[name] = random.normal(0.0, 3.0, 40)
    for name in ("friction", "restitution", "rolling_resistance", "surface_speed"):
        made.bodies[name] = random.uniform(0.0, 1.0, 40)
    made.step()
    for name in ("normal_impulse_0", "tangent_impulse_0", "normal_impulse_1", "rolling_impulse"):
        made.contacts[name] = random.uniform(0.0, 1.0, len(made.contacts))
    made.bodies["x"] += random.normal(0.0, 0.01, 40)
    made.step()
    return made


def digest(made: Scene) -> str:
    """A hash over the bits of all that a contact says, but for padding and rows without points."""
    touching = made.contacts[made.contacts["count"] > 0]
    bits = hashlib.sha256(made.contacts["count"].tobytes())
    for contact in touching:
        for name in CONTACT.names or ():
            if not (name.endswith("_1") and contact["count"] == 1):
                bits.update(contact[name].tobytes())
    return f"{len(touching)} {bits.hexdigest()}"


@pytest.mark.skipif(not can_run_threads(), reason="needs two threads")
@pytest.mark.parametrize("count", [0, 1, 40, 260])
def test_two_threads_find_the_same_manifolds(count: int) -> None:
    warm_up(parallel=True)
    one, two = crowd(), crowd()
    found = []
    for made, kernel in ((one, collide_pairs), (two, collide_pairs_on_two)):
        made.bodies["y"] += 0.01
        found.append(made.collide(DT, kernel, count))
    assert found[0] == found[1]
    assert len(found[0]) <= count
    assert one.acting_afar == two.acting_afar
    assert one.contacts.tolist() == two.contacts.tolist()


def test_without_the_jit_every_bit_is_the_same() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from tests.kernels.test_narrow_phase import *; show_digest()"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == digest(crowd())


def show_digest() -> None:
    print(digest(crowd()))
