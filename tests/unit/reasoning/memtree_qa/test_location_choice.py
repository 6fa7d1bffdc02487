"""Choices of locations: what is complained of, and what is left when the model does not mend it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.memtree_qa.location_choice import ChoiceReader, LocationChoice, Pick
from scenemind.reasoning.memtree_qa.shown_tree import ShownLocation
from scenemind.reasoning.object_words import ObjectWords
from tests.unit.reasoning.memtree_qa.talk import Place, choice
from tests.unit.reasoning.scene import thing

OBJECTS = {
    i: thing(i, label, (i, 0, 0), (1, 1, 1))
    for i, label in enumerate(("sofa", "lamp", "chair", "chair", "sink"), start=1)
}
# Location 0: sofa 1, lamp 2, chair 3. Location 4: chair 4. Location 7: sink 5, sofa 1, two cups.
# Location 9: nothing.
TREE = {
    0: ShownLocation({"sofa": (1,), "lamp": (2,), "chair": (3,)}, 3),
    4: ShownLocation({"chair": (4,)}, 1),
    7: ShownLocation({"sink": (5,), "sofa": (1,), "cup": ()}, 4),
    9: ShownLocation({}, 0),
}
WRONG_COUNT = "choose exactly 2 different locations of the list"


def reader(count: int) -> ChoiceReader:
    return ChoiceReader(TREE, ObjectWords(OBJECTS, ["cup"]), count)


def read(*places: Place) -> LocationChoice:
    return LocationChoice.model_validate_json(choice(*places))


@pytest.mark.parametrize(
    ("places", "complaint"),
    [
        ([(0, [1], [2]), (7, ["cup"], ["sofa 1"])], None),
        ([(0, [], []), (9, [], [])], None),
        ([(0, [1], [])], "choose exactly 2 different locations of the list"),
        ([(0, [1], [])] * 2, "choose exactly 2 different locations of the list"),
        (
            [(0, [], []), (4, [], []), (7, [], [])],
            "choose exactly 2 different locations of the list",
        ),
        ([(0, [], []), (99, [], [])], "there is no location 99"),
        ([(0, [77], []), (4, [], ["tv"])], 'there is no object 77, "tv"'),
        ([], WRONG_COUNT),
    ],
)
def test_complaints(places: list[Place], complaint: str | None) -> None:
    assert reader(2).complaint(read(*places)) == complaint


def test_an_object_that_came_since_the_map_was_read_is_no_mistake() -> None:
    """A node pins the map for a question, and the tree's text may be a moment newer."""
    newer = ChoiceReader({0: ShownLocation({"vase": (88,)}, 1)}, ObjectWords(OBJECTS), 1)
    assert newer.complaint(read((0, [88], [1]))) is None
    assert newer.picks(read((0, [88], [1]))) == [Pick(0, (), (1,))]
    assert newer.complaint(read((0, [89], []))) == "there is no object 89"


def test_a_complaint_is_short_and_quotes_what_the_model_said() -> None:
    words: list[str | int] = [f"thing\n{i}" for i in range(50)]
    complaint = reader(1).complaint(read((0, words, [])))
    assert complaint == (
        'there is no object "thing 0", "thing 1", "thing 2", "thing 3", "thing 4", ...'
    )


def test_all_locations_are_enough_where_there_are_fewer() -> None:
    assert reader(9).count == 4
    assert reader(9).complaint(read(*[(i, [], []) for i in TREE])) is None


def test_labels_mean_the_objects_of_that_location() -> None:
    """As the paper's own prompt asks for them (Fig. 9)."""
    found = reader(3).picks(read((4, ["chair"], []), (0, ["chair", "lamp"], ["sofa", "chair"])))
    assert found == [Pick(4, (4,), ()), Pick(0, (3, 2), (1,))]


def test_what_is_unknown_double_or_too_much_is_left_out() -> None:
    places: list[Place] = [
        (99, [1], []),
        (4, [4, 77], ["tv"]),
        (4, [3], []),
        (0, [], []),
        (7, [], []),
    ]
    assert reader(2).picks(read(*places)) == [Pick(4, (4,), ()), Pick(0, (), ())]


def test_filled_up_by_key_objects_then_cue_objects_then_size_then_age() -> None:
    picks = [Pick(4, (4, 5), (2,))]
    assert [p.location_id for p in reader(4).filled_up(picks)] == [4, 7, 0, 9]
    assert reader(2).filled_up(picks)[1] == Pick(7, (5,), ())
    assert [p.location_id for p in reader(4).filled_up([])] == [7, 0, 4, 9]
    alike = {i: ShownLocation({}, 0) for i in range(5)}
    newest = ChoiceReader(alike, ObjectWords({}), 2).filled_up([])
    assert [p.location_id for p in newest] == [4, 3]


words = st.one_of(st.integers(-5, 99), st.text(max_size=8), st.sampled_from(["chair", "sofa 1"]))
places = st.tuples(st.integers(-1, 12), st.lists(words), st.lists(words))


@given(st.lists(places), st.integers(1, 6))
def test_whatever_a_model_says_becomes_a_choice_without_fault(
    said: list[Place], count: int
) -> None:
    by = reader(count)
    picks = by.filled_up(by.picks(read(*said)))
    assert len(picks) == by.count
    mended = [(p.location_id, list(p.keys), list(p.cues)) for p in picks]
    assert by.complaint(read(*mended)) is None


@given(st.lists(places))
def test_a_choice_without_fault_is_taken_as_it_is(said: list[Place]) -> None:
    by = reader(2)
    form = LocationChoice.model_validate(json.loads(choice(*said)))
    if by.complaint(form) is None:
        picks = by.picks(form)
        assert by.filled_up(picks) == picks
        assert [p.location_id for p in picks] == [place[0] for place in said]
