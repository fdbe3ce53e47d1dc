"""Islands are the connected parts of a graph; whoever is stirred takes his whole island along."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ecs_physics.kernels.islands import (
    ASLEEP,
    AWAKE,
    MOVING,
    REST,
    TIRED,
    find_islands,
    find_touched,
    mark_contacts,
    rest,
    wake_islands,
)
from ecs_physics.tables import (
    BODY,
    CONTACT,
    DYNAMIC,
    FREE,
    KINEMATIC,
    SLEEPING,
    STATIC,
    TRAITS,
    VELOCITY,
)

KINDS = (FREE, STATIC, KINEMATIC, DYNAMIC)
PAIRS = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=25)


def contacts_of(pairs: list[tuple[int, int]]) -> NDArray[Any]:
    contacts = np.zeros(len(pairs), CONTACT)
    contacts["count"] = 1
    for k, (a, b) in enumerate(pairs):
        contacts["body_a"][k], contacts["body_b"][k] = a, b
    return contacts


def naive_islands(bodies: NDArray[Any], ties: list[tuple[int, int]]) -> list[set[int]]:
    """The connected parts of the dynamic bodies, by spreading a colour."""
    left = set(np.flatnonzero(bodies["kind"] == DYNAMIC).tolist())
    found = []
    while left:
        island = {left.pop()}
        while True:
            more = {
                each
                for a, b in ties
                if (a in island) != (b in island)
                for each in (a, b)
                if bodies["kind"][each] == DYNAMIC and each not in island
            }
            if not more:
                break
            island |= more
        found.append(island)
        left -= island
    return found


@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=20, max_size=20),
    touching=PAIRS,
    linked=PAIRS,
    tired=st.lists(st.booleans(), min_size=20, max_size=20),
    moving=st.lists(st.booleans(), min_size=20, max_size=20),
)
@settings(deadline=None, max_examples=60)
def test_islands_are_the_connected_parts(kinds, touching, linked, tired, moving):
    bodies, velocities, rests = np.zeros(20, BODY), np.zeros(20, VELOCITY), np.zeros(20, REST)
    bodies["kind"], velocities["omega"], rests["is_tired"] = kinds, moving, tired
    contacts = contacts_of(touching)
    active = np.arange(len(touching), dtype=np.int32)
    links = np.array([*linked, (3, -1)], np.int32).reshape(-1, 2)
    islands, restless = np.zeros(20, np.int32), np.zeros(20, np.bool_)
    find_islands(
        20, len(active), active, contacts, links, bodies, velocities, rests, islands, restless
    )
    ties = touching + linked
    carried = {
        each
        for pair in ties
        for each, other in (pair, pair[::-1])
        if bodies["kind"][other] == KINEMATIC and moving[other]
    }
    for island in naive_islands(bodies, ties):
        assert {int(islands[row]) for row in island} == {min(island)}
        wanted = any(not tired[row] or row in carried for row in island)
        assert {bool(restless[row]) for row in island} == {wanted}


def test_rest_is_counted_by_own_limits_and_begins_anew_for_a_new_body():
    bodies, velocities, rests = np.zeros(6, BODY), np.zeros(6, VELOCITY), np.zeros(6, REST)
    traits = np.zeros(6, TRAITS)
    traits["sleep_speed"] = traits["sleep_time"] = np.nan
    bodies["kind"] = DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, KINEMATIC, SLEEPING
    bodies["entity"], bodies["extent"] = np.arange(1, 7), 2.0
    velocities["x"] = 0.03, 0.03, 0.03, 0.03, 0.0, 0.0
    velocities["omega"] = 0.009, 0.011, 0.0, 0.0, 1.0, 0.0  # times the extent: .018, .022
    traits["sleep_speed"][2] = 0.0
    traits["sleep_time"][3] = 0.1
    counts = np.zeros(4, np.int64)
    for _ in range(3):
        rest(6, 0.1, 0.05, 0.25, traits, bodies, velocities, rests, counts)
    assert rests["time"].tolist() == pytest.approx([0.3, 0.0, 0.0, 0.3, 0.0, 0.0])
    assert rests["is_tired"].tolist() == [True, False, False, True, False, False]
    assert [counts[each] for each in (AWAKE, TIRED, MOVING, ASLEEP)] == [4, 2, 1, 1]
    bodies["entity"][0], bodies["teleported"][3] = 9, True
    rest(6, 0.1, 0.05, 0.25, traits, bodies, velocities, rests, counts)
    assert rests["time"][[0, 3]].tolist() == [0.1, 0.1]


@given(
    kinds=st.lists(st.sampled_from((*KINDS, SLEEPING)), min_size=20, max_size=20),
    islands=st.lists(st.integers(0, 19), min_size=20, max_size=20),
    stirred=st.lists(st.booleans(), min_size=20, max_size=20),
    pairs=PAIRS,
    asleep=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_the_islands_of_the_stirred_wake_and_their_contacts(kinds, islands, stirred, pairs, asleep):
    bodies, rests = np.zeros(20, BODY), np.zeros(20, REST)
    bodies["kind"], rests["island"], rests["time"] = kinds, islands, 1.0
    marked, woke = np.zeros(20, np.bool_), np.zeros(20, np.int32)
    called = {islands[row] for row in range(20) if stirred[row] and kinds[row] == SLEEPING}
    wanted = [row for row in range(20) if kinds[row] == SLEEPING and islands[row] in called]
    flags = np.array(stirred)
    count = wake_islands(20, flags, marked, bodies, rests, woke)
    assert woke[:count].tolist() == wanted
    assert (bodies["kind"][wanted] == DYNAMIC).all()
    assert (rests["time"][wanted] == 0.0).all()
    assert not marked.any()
    assert not flags.any()

    contacts = contacts_of(pairs)
    contacts["is_asleep"] = asleep
    active = np.zeros(len(pairs), np.int32)
    for may_fall in (False, True):
        count = mark_contacts(len(pairs), may_fall, bodies, contacts, active)
        for k, (a, b) in enumerate(pairs):
            both = {int(bodies["kind"][a]), int(bodies["kind"][b])}
            falls = may_fall and SLEEPING in both
            assert bool(contacts["is_asleep"][k]) == (DYNAMIC not in both and (asleep or falls))
        assert active[:count].tolist() == np.flatnonzero(~contacts["is_asleep"]).tolist()


def test_what_a_contact_that_is_awake_touches_is_stirred():
    bodies = np.zeros(4, BODY)
    bodies["kind"] = DYNAMIC, SLEEPING, STATIC, SLEEPING
    contacts = contacts_of([(0, 1), (0, 2), (0, 3)])
    contacts["disabled"][2] = 1
    stirred = np.zeros(4, np.bool_)
    active = np.arange(3, dtype=np.int32)
    assert find_touched(3, active, contacts, bodies, stirred) == 1
    assert stirred.tolist() == [False, True, False, False]
