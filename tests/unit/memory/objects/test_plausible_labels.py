"""Labels beside sizes and walls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory import StructurePlane
from scenemind.memory.attributes.form import Form
from scenemind.memory.objects.map_entry import MapEntry, View
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.objects.plausible_labels import (
    WallPlanes,
    label_priors,
    label_probabilities,
    size_evidence,
)
from tests.unit.memory.things import observe

LABELS = ("person", "refrigerator", "cup", "picture", "chair", "gizmo")
votes = st.dictionaries(st.sampled_from(LABELS), st.floats(0.01, 1e4), min_size=1)
counts = st.integers(0, 10**6)


@given(votes, st.integers(1, 10**6), counts, st.floats(0.01, 10.0))
def test_they_are_probabilities(
    said: dict[str, float], observations: int, missed: int, side_m: float
) -> None:
    priors, something_else = label_priors(said, observations, missed)
    assert sum(priors.values()) + something_else == pytest.approx(1.0)
    found = label_probabilities(priors, something_else, form_of(sheet(0.0, side_m, 0.01)), 0.0)
    assert found.keys() == said.keys()
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert 0.0 <= sum(found.values()) <= 1.0 + 1e-9


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e4), st.integers(1, 10**6), counts)
def test_they_grow_with_evidence_and_agreement(
    won: float, others: float, observations: int, missed: int
) -> None:
    def surest(won: float, others: float, missed: int) -> float:
        return max(label_priors({"cup": won, "mug": others}, observations, missed)[0].values())

    won, others = max(won, others), min(won, others)
    value = surest(won, others, missed)
    assert surest(2.0 * won, 2.0 * others, missed) >= value
    assert surest(won, others, missed + 1) <= value
    assert surest(won + others, 0.01 * others, missed) >= value


NOTHING = np.zeros((0, 3), np.float32)
WALL = StructurePlane(-3, "wall", Box3D((0.0, 3.0, 1.25), (4.0, 0.02, 2.5)), (0.0, -1.0, 0.0), 8.0)

WALLS = WallPlanes([WALL])


def sheet(y: float, width: float = 0.5, height: float = 1.7) -> NDArray[np.float32]:
    """Points (M, 3) of an upright sheet, seen from the room, at a distance along y."""
    x, z = np.meshgrid(np.linspace(0.0, width, 20), np.linspace(0.3, 0.3 + height, 40))
    return np.column_stack((x.ravel(), np.full(x.size, y), z.ravel())).astype(np.float32)


def form_of(points: NDArray[np.float32]) -> Form:
    return Form(points, Box3D.from_bounds(points.min(axis=0), points.max(axis=0)), 0.03)


@pytest.mark.parametrize(
    ("label", "y", "is_likely"),
    [
        ("person", 2.98, False),  # printed on a poster
        ("person", 2.7, True),  # stands before the wall
        ("refrigerator", 2.97, False),  # a door
        ("refrigerator", 2.4, True),
        ("picture", 2.98, True),
        ("door", 2.98, True),
        ("gizmo", 2.98, True),  # nobody knows where gizmos are
    ],
)
def test_what_lies_in_a_wall_is_what_hangs_there(label: str, y: float, is_likely: bool) -> None:
    found = label_probabilities({label: 0.8}, 0.2, form_of(sheet(y)), WALLS.share_of(sheet(y), 1.7))
    assert (found[label] > 0.5) == is_likely


def test_a_wall_ends() -> None:
    assert WALLS.share_of(sheet(2.98), 1.7) == 1.0
    assert WALLS.share_of(sheet(2.98) + np.float32((3.0, 0.0, 0.0)), 1.7) == 0.0
    assert WALLS.share_of(NOTHING, 1.7) == 0.0


def test_a_bottle_before_a_wall_is_not_in_it() -> None:
    """The camera sees its front, 4 cm or more from the wall."""
    front = sheet(2.95, width=0.06, height=0.25)
    assert WALLS.share_of(front, 0.25) < 0.5


def test_only_sizes_that_cannot_be_speak_against_a_label() -> None:
    for label, usual_m, impossible_m in (("cup", 0.1, 0.5), ("couch", 2.0, 0.2), ("oven", 0.6, 3)):
        assert size_evidence(label, usual_m) == 1.0
        assert size_evidence(label, impossible_m) < 0.2
    assert size_evidence("gizmo", 100.0) == 1.0


def test_the_size_decides_between_labels() -> None:
    """Half of the views took a couch for a suitcase."""
    priors, something_else = label_priors({"suitcase": 3.2, "couch": 3.0}, 30, 0)
    found = label_probabilities(priors, something_else, form_of(sheet(0.0, 2.1, 0.8)), 0.0)
    assert next(iter(found)) == "couch"
    assert found["couch"] > priors["couch"]
    assert found["suitcase"] < 0.1


def entry_on_wall() -> MapEntry:
    """A person that was seen five times, as flat as a poster."""
    entry = MapEntry(1, ObjectMapConfig(), 0)
    points = sheet(2.98)
    for number in range(5):
        seen = replace(
            observe((0.25, 2.98, 1.15), label="person", score=0.9),
            points=points,
            box=Box3D.from_bounds(points.min(axis=0), points.max(axis=0)),
        )
        entry.add(seen, View(number, np.array([number - 2.0, 0.0, 1.2])))
    entry.confirmed = True
    return entry


def test_values_change_when_a_wall_is_found() -> None:
    objects = ObjectMap(ObjectMapConfig())
    objects.restore([entry_on_wall().to_record()])
    before = objects.objects()[1]
    objects.note_walls(())
    assert objects.objects()[1] is before
    objects.note_walls((WALL,))
    after = objects.objects()[1]
    assert after.confidence < 0.5 < before.confidence
    assert after.label_probabilities == {"person": after.confidence}
    objects.note_walls((replace(WALL, plane_id=-4),))
    assert objects.objects()[1] is after
