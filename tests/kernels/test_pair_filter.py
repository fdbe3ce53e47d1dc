"""Which bodies may meet: kinds, sensors, filters, and pairs that a joint keeps apart."""

import numpy as np
import pytest

from ecs_physics.kernels.pair_filter import is_among, may_meet, pair_key
from ecs_physics.tables import BODY, DYNAMIC, KINEMATIC, SLEEPING, STATIC, TRAITS
from ecs_physics.traits import Filter, Sensor, Traits

NOTHING = np.zeros(0, np.int64)
PLAIN = Traits()


def meet(first, second, traits=(PLAIN, PLAIN), excluded=NOTHING):
    bodies = np.zeros(2, BODY)
    bodies["kind"] = first, second
    rows = np.array([each.row(0) for each in traits], TRAITS)
    if isinstance(may_meet, type(lambda: 0)):
        bodies, rows = bodies.view(np.recarray), rows.view(np.recarray)
    there = may_meet(0, 1, bodies, rows, excluded)
    assert there == may_meet(1, 0, bodies, rows, excluded)
    return bool(there)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (DYNAMIC, DYNAMIC, True),
        (DYNAMIC, STATIC, True),
        (SLEEPING, STATIC, True),
        (SLEEPING, KINEMATIC, True),
        (KINEMATIC, STATIC, False),
        (STATIC, STATIC, False),
        (KINEMATIC, KINEMATIC, False),
    ],
)
def test_something_must_be_able_to_move_them_apart(first, second, expected):
    assert meet(first, second) == expected


def test_a_sensor_notices_what_stands_still_but_no_other_sensor():
    sensor = Traits(sensor=Sensor())
    assert meet(STATIC, STATIC, (sensor, Traits()))
    assert meet(DYNAMIC, KINEMATIC, (sensor, Traits()))
    assert not meet(DYNAMIC, DYNAMIC, (sensor, sensor))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Filter(), Filter(), True),
        (Filter(1, 2), Filter(2, 1), True),
        (Filter(1, 2), Filter(2, 2), False),  # B's mask does not hold A
        (Filter(2**63, 2**63), Filter(2**63, 2**63), True),
        (Filter(2**63, -1), Filter(1, 2**63), True),
        (Filter(1, 0, group=3), Filter(1, 0, group=3), True),
        (Filter(group=-3), Filter(group=-3), False),
        (Filter(group=-3), Filter(group=-4), True),
        (Filter(group=-3), Filter(group=0), True),
    ],
)
def test_filters(a, b, expected):
    assert meet(DYNAMIC, DYNAMIC, (Traits(a), Traits(b))) == expected


def test_an_excluded_pair_does_not_meet_whatever_comes_first():
    assert not meet(DYNAMIC, DYNAMIC, excluded=np.array([pair_key(1, 0)]))
    assert meet(DYNAMIC, DYNAMIC, excluded=np.array([pair_key(1, 2), pair_key(0, 3)]))


def test_finding_a_number_in_a_sorted_array():
    ascending = np.array([-5, 0, 3, 8, 2**40], np.int64)
    for number in range(-7, 11):
        assert is_among(number, ascending) == (number in ascending)
    assert is_among(2**40, ascending)
    assert not is_among(1, NOTHING)


@pytest.mark.parametrize("value", [1.5, "1", 2**64, True, None])
def test_bits_that_are_none_are_refused(value):
    with pytest.raises(ValueError, match=r"Filter.mask = .*64 bits"):
        Filter(mask=value)
