"""Finding an object again by where it stood: it, one of several, or none."""

from __future__ import annotations

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import ObjectAnchor
from scenemind.memory.graph.corrections.places import Place, find_place
from tests.unit.memory.things import thing

CHAIR = ObjectAnchor(5, "chair", Box3D((2.0, 1.0, 0.45), (0.5, 0.5, 0.9)))
CUP = ObjectAnchor(6, "cup", Box3D((0.0, 0.0, 0.8), (0.08, 0.08, 0.1)))


def find(anchor: ObjectAnchor, *things) -> Place | None:
    return find_place(anchor, things)


def test_the_same_box_is_surely_it() -> None:
    found = find(CHAIR, thing(31, "chair", (2.0, 1.0, 0.45), (0.5, 0.5, 0.9)))
    assert found == Place(31, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("label", "center", "size", "is_it"),
    [
        ("Chair", (2.1, 0.95, 0.45), (0.5, 0.55, 0.85), True),
        ("stool", (2.02, 1.0, 0.45), (0.5, 0.5, 0.9), True),  # nearly the same box
        ("stool", (2.3, 1.0, 0.45), (0.5, 0.5, 0.9), False),
        ("chair", (3.0, 1.0, 0.45), (0.5, 0.5, 0.9), False),  # the next chair
        ("chair", (2.0, 1.0, 0.2), (0.2, 0.2, 0.2), False),  # another size
    ],
)
def test_the_same_kind_nearby_or_the_same_box_is_it(label, center, size, is_it) -> None:
    found = find(CHAIR, thing(31, label, center, size))
    assert (found is not None and not found.rivals) == is_it


def test_a_small_thing_may_drift_by_its_own_size() -> None:
    assert find(CUP, thing(31, "cup", (0.09, 0.04, 0.82), (0.08, 0.09, 0.1))) is not None
    assert find(CUP, thing(31, "cup", (0.4, 0.0, 0.8), (0.08, 0.08, 0.1))) is None


def test_one_of_two_alike_is_not_guessed() -> None:
    left = thing(31, "cup", (-0.06, 0.0, 0.8), (0.08, 0.08, 0.1))
    right = thing(32, "cup", (0.06, 0.0, 0.8), (0.08, 0.08, 0.1))
    found = find(CUP, left, right)
    assert {found.object_id, *found.rivals} == {31, 32}
    far = thing(33, "cup", (0.13, 0.0, 0.8), (0.08, 0.08, 0.1))
    at = thing(34, "cup", (0.0, 0.01, 0.8), (0.08, 0.08, 0.1))
    assert find(CUP, far, at) == Place(34, pytest.approx(0.85, abs=0.1))


def test_an_empty_map_has_no_place() -> None:
    assert find(CUP) is None
