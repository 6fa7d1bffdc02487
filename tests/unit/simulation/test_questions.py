"""Answers checked against the boxes by independent definitions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.simulation import Room, make_room
from scenemind.simulation.questions import Question, make_questions

ROOMS = st.builds(make_room, st.integers(0, 100_000), st.none() | st.integers(20, 60))
quick = settings(max_examples=6, deadline=None)


def surface_distance(room: Room, a: int, b: int) -> float:
    """Between two boxes, by walking from one to the nearest point of the other and back."""
    (low_a, high_a), (low_b, high_b) = (room.get_object(n).box.bounds() for n in (a, b))
    there = np.clip((low_a + high_a) / 2, low_b, high_b)
    here = np.clip(there, low_a, high_a)
    return float(np.linalg.norm(here - np.clip(here, low_b, high_b)))


def ids_of(room: Room, label: str) -> list[int]:
    return [number for number, name in room.class_names.items() if name == label]


@quick
@given(ROOMS)
def test_counts_and_existence_are_true(room: Room):
    for question in make_questions(room):
        if question.kind == "count":
            label = question.text.removeprefix("How many ").removesuffix("s are there?")
            label = {"boxe": "box", "wine glasse": "wine glass"}.get(label, label)
            assert question.expected == (str(len(ids_of(room, label))),)
        if question.kind == "exists":
            label = question.text.removeprefix("Is there a ").removesuffix("?")
            assert question.expected == (("yes",) if ids_of(room, label) else ("no",))


@quick
@given(ROOMS)
def test_the_closest_one_is_closest_by_far(room: Room):
    asked = [q for q in make_questions(room) if q.kind == "closest"]
    assert asked
    for question in asked:
        anchor_label = question.text.split(" closest to the ")[1].removesuffix("?")
        (anchor,) = ids_of(room, anchor_label)
        (target,) = question.target_ids
        label = room.get_object(target).label
        others = [n for n in ids_of(room, label) if n != target]
        nearest_other = min(surface_distance(room, n, anchor) for n in others)
        assert surface_distance(room, target, anchor) + 0.4 < nearest_other


@quick
@given(ROOMS)
def test_answers_for_on_are_right_above_the_anchor(room: Room):
    for question in make_questions(room):
        if question.kind != "on":
            continue
        label = question.text.removeprefix("What is on the ").removesuffix("?")
        (support,) = (room.get_object(n) for n in ids_of(room, label))
        low, high = support.box.bounds()
        for number in question.target_ids:
            x, y, _ = room.get_object(number).box.center
            assert low[0] < x < high[0]
            assert low[1] < y < high[1]
            assert 0.0 < room.get_object(number).box.bottom_z <= support.box.top_z + 1e-9


@quick
@given(ROOMS)
def test_phrases_by_color_mean_one_object(room: Room):
    for question in make_questions(room):
        words = question.text.split()
        if question.kind == "ground" and len(words) == 3:
            fitting = [o for o in room.objects if [o.color, o.label] == words[1:]]
            assert [o.instance_id for o in fitting] == list(question.target_ids)


@quick
@given(ROOMS)
def test_answers_for_on_and_higher_follow_from_the_boxes(room: Room):
    asked = [q for q in make_questions(room) if q.kind == "verify"]
    assert {q.expected for q in asked} == {("yes",), ("no",)}
    for question in asked:
        words = question.text.removeprefix("Is the ").removesuffix("?")
        first, second = re.split(" on the | higher than the ", words)
        (a,), (b,) = ids_of(room, first), ids_of(room, second)
        upper, lower = room.get_object(a).box, room.get_object(b).box
        if "higher" in question.text:
            assert (question.expected == ("yes",)) == (upper.center[2] > lower.center[2])
        else:
            touching = surface_distance(room, a, b) < 0.02 and upper.center[2] > lower.center[2]
            assert (question.expected == ("yes",)) == touching


@quick
@given(ROOMS)
def test_answers_for_on_the_wall_touch_a_wall(room: Room):
    half = np.array(room.size[:2]) / 2
    for question in make_questions(room):
        if question.kind == "wall":
            for number in question.target_ids:
                low, high = room.get_object(number).box.bounds()
                gaps = np.abs(np.concatenate((half + low[:2], half - high[:2])))
                assert gaps.min() < 0.05
                assert low[2] > 0.5


def test_all_kinds_are_asked_and_none_about_unseen_objects():
    room = make_room(1)
    kinds = {question.kind for question in make_questions(room)}
    assert kinds == {
        *("exists", "count", "where", "on", "color", "closest", "ground", "verify", "wall")
    }
    seen = set(room.class_names) - {ids_of(room, "laptop")[0]}
    for question in make_questions(room, seen):
        assert set(question.target_ids) <= seen
        assert "laptop" not in question.text
        assert question.text != "What is on the dining table?"


@pytest.mark.parametrize(
    ("kind", "expected", "right", "wrong"),
    [
        ("exists", ("yes",), "Yes, there are 4 chairs.", "No, there is no chair."),
        ("exists", ("no",), "No bathtub is in the memory.", "Yes, there is one."),
        ("count", ("4",), "There are 4 chairs.", "There are 3 chairs: 2, 4 and 5."),
        ("count", ("4",), "There are four chairs.", "I see some chairs."),
        ("where", ("dining table",), "It is on the dining table.", "It is on the table."),
        ("on", ("bowl", "cup"), "A cup and a bowl.", "A cup."),
        ("color", ("red",), "The couch is red.", "The couch is reddish brown."),
    ],
)
def test_replies_are_judged_by_their_words(kind, expected, right, wrong):
    question = Question("?", kind, expected, ())
    assert question.is_answered_by(right)
    assert not question.is_answered_by(wrong)


def test_groundings_are_judged_by_the_first_object():
    question = Question("the black chair", "ground", ("chair",), (3,))
    assert question.is_answered_by("", [3, 4])
    assert not question.is_answered_by("the black chair", [4, 3])
    assert not question.is_answered_by("the black chair")
