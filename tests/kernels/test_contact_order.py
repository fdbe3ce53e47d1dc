"""Contacts sorted by their entities, against Python's sorted."""

import numpy as np
import pytest

from ecs_physics.kernels.contact_order import LISTED, list_by_entities
from ecs_physics.tables import CONTACT


@pytest.mark.parametrize("count", [0, 1, 2, 3, 40, 500])
def test_contacts_are_listed_by_their_older_entity_then_the_younger_then_their_row(
    count: int,
) -> None:
    rng = np.random.default_rng(count)
    contacts = np.zeros(600, CONTACT)
    contacts["entity_a"], contacts["entity_b"] = rng.integers(1, 30, (2, 600))
    rows = rng.permutation(600)[:count].astype(np.int32)
    listed = np.zeros(count, LISTED)
    list_by_entities(count, rows, contacts, listed)
    ends = contacts[["entity_a", "entity_b"]].tolist()
    expected = sorted((min(ends[row]), max(ends[row]), row) for row in rows.tolist())
    assert listed.tolist() == expected
