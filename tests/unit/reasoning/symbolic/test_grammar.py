"""The grammar as a table: sentence and tree, in both directions."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.grammar import parse_question
from scenemind.reasoning.symbolic.moments import Moment
from scenemind.reasoning.symbolic.rendering import describe
from scenemind.reasoning.symbolic.syntax import (
    AskAttribute,
    Changed,
    Condition,
    Count,
    Describe,
    Described,
    Distance,
    Exists,
    Ground,
    HasAttribute,
    Identify,
    ListObjects,
    Marked,
    NounPhrase,
    ObjectNumber,
    Question,
    Rank,
    Reference,
    Related,
    Size,
    Verify,
    Viewer,
    WhenSeen,
    Where,
    WhereAt,
)


def the(noun: str, *conditions: Condition, rank: Rank | None = None) -> NounPhrase:
    return NounPhrase(noun, True, None, conditions, rank)


def some(noun: str, *conditions: Condition, rank: Rank | None = None) -> NounPhrase:
    return replace(the(noun, *conditions, rank=rank), definite=False)


def on(anchor: Reference) -> Related:
    return Related("on", (anchor,))


BLACK = HasAttribute("color", "black")
TABLE, DOOR, SOFA = the("table"), the("door"), the("sofa")
WALL, COUNTER, ME = the("wall"), the("counter"), Viewer()
WOOD = HasAttribute("material", "wood")
EMPTY, TO_SIT_ON = HasAttribute("state", "empty"), HasAttribute("affordance", "sit on")

QUESTIONS: list[tuple[str, Question]] = [
    ("Is there a chair?", Exists(some("chair"))),
    ("do you see any red cups", Exists(some("cups", HasAttribute("color", "red")))),
    ("are there two chairs in the room?", Exists(replace(some("chairs"), count=2))),
    ("Is there anything on the table?", Exists(some("", on(TABLE)))),
    ("is there a trash can?", Exists(some("trash can"))),
    ("How many chairs are there?", Count(some("chairs"))),
    ("how many chairs are black?", Count(some("chairs", BLACK))),
    ("how many cups are on the table", Count(some("cups", on(TABLE)))),
    ("where is the cup?", Where(the("cup"))),
    ("Where's my laptop?", Where(the("laptop"))),
    ("please, can you tell me where the whiteboard is located", Where(the("whiteboard"))),
    ("what colour is the chair?", AskAttribute(the("chair"), "color")),
    ("what is the color of the couch", AskAttribute(the("couch"), "color")),
    (
        "what color soap dispenser is above a sink?",
        AskAttribute(some("soap dispenser", Related("above", (some("sink"),))), "color"),
    ),
    ("what is this made of", AskAttribute(Marked(), "material")),
    ("is the chair black?", Verify(the("chair"), BLACK)),
    ("is the cup not on the table?", Verify(the("cup"), replace(on(TABLE), negated=True))),
    ("is the cup on the table?", Verify(the("cup"), on(TABLE))),
    ("is the cup on the table black?", Verify(the("cup", on(TABLE)), BLACK)),
    ("is this a chair?", Verify(Marked(), Described("chair"))),
    ("what is on the table?", ListObjects(some("", on(TABLE)))),
    ("what do you see?", ListObjects(some(""))),
    ("what objects are in the room?", ListObjects(some(""))),
    ("what is in front of me", ListObjects(some("", Related("in front of", (Viewer(),))))),
    (
        "which chair is closest to the table?",
        ListObjects(some("chair", rank=Rank("closest", 1, TABLE))),
    ),
    ("what is the black object on the table?", Identify(the("", BLACK, on(TABLE)))),
    ("what is object 12?", Identify(ObjectNumber(12))),
    ("what is this", Identify(Marked())),
    ("how far is the door from the sofa", Distance(DOOR, SOFA)),
    ("how far apart are the door and the sofa", Distance(DOOR, SOFA)),
    ("what is the distance between the door and the sofa", Distance(DOOR, SOFA)),
    ("how far away is the door", Distance(DOOR, Viewer())),
    ("how big is the table", Size(TABLE)),
    ("how tall is the table", Size(TABLE, "height")),
    ("find the orange", Ground(the("orange"))),
    ("what is hanging on the wall?", ListObjects(some("", Related("hanging on", (WALL,))))),
    ("what hangs from the wall", ListObjects(some("", Related("hanging on", (WALL,))))),
    ("what is embedded in the counter", ListObjects(some("", Related("embedded in", (COUNTER,))))),
    ("what is at my three o'clock?", ListObjects(some("", Related("3 o'clock", (ME,))))),
    ("what is at 3 o'clock", ListObjects(some("", Related("3 o'clock", (ME,))))),
    ("what is at 4 oclock of the table", ListObjects(some("", Related("4 o'clock", (TABLE,))))),
    ("what is within reach?", ListObjects(some("", Related("within reach", (ME,))))),
    ("what can I reach", ListObjects(some("", Related("within reach", (ME,))))),
    ("what is higher than the sofa", ListObjects(some("", Related("higher than", (SOFA,))))),
    ("what is far from the door", ListObjects(some("", Related("far", (DOOR,))))),
    ("what is on my left?", ListObjects(some("", Related("left of", (ME,))))),
    ("is the sofa far from the door", Verify(SOFA, Related("far", (DOOR,)))),
    ("how many walls are there", Count(some("walls"))),
    ("what shape is the table", AskAttribute(TABLE, "shape")),
    ("what is the texture of the sofa", AskAttribute(SOFA, "texture")),
    ("what is the table for?", AskAttribute(TABLE, "affordance")),
    ("what can I do with the table", AskAttribute(TABLE, "affordance")),
    ("which bottle is empty?", ListObjects(some("bottle", EMPTY))),
    ("is the bottle empty?", Verify(the("bottle"), EMPTY)),
    ("is the table made of wood", Verify(TABLE, WOOD)),
    ("is the water glass broken", Verify(the("water glass"), HasAttribute("state", "broken"))),
    ("what can I sit on?", ListObjects(some("", TO_SIT_ON))),
    ("is there something to sit on?", Exists(some("", TO_SIT_ON))),
    ("describe the table", Describe(TABLE)),
    ("what does the table look like", Describe(TABLE)),
    ("where was the table at 10:05?", WhereAt(TABLE, Moment(clock=time(10, 5)))),
    ("where was the table five minutes ago?", WhereAt(TABLE, Moment(300.0))),
    ("when did you last see the table", WhenSeen(TABLE)),
    ("when was the table first seen", WhenSeen(TABLE, first=True)),
    ("what changed?", Changed()),
    ("what has changed in the last half hour", Changed((), Moment(1800.0))),
    ("what changed since the last visit", Changed()),
    ("what was moved since 9 am?", Changed(("moved",), Moment(clock=time(9)))),
    ("what is missing?", Changed(("removed", "missing"))),
    ("did anything change", Changed()),
    ("was anything added", Changed(("added", "new"))),
    ("has the table moved since an hour ago", Changed(("moved",), Moment(3600.0), TABLE)),
]

PHRASES: list[tuple[str, Reference]] = [
    (
        "the small black chair left of the door",
        the("chair", HasAttribute("size", "small"), BLACK, Related("left of", (DOOR,))),
    ),
    (
        "the cup on the table next to the sofa",
        the("cup", on(the("table", Related("next to", (SOFA,))))),
    ),
    (
        "the cup on the table, next to the sofa",
        the("cup", on(TABLE), Related("next to", (SOFA,))),
    ),
    (
        "the cup that is on the table and to the left of the sofa",
        the("cup", on(TABLE), Related("left of", (SOFA,))),
    ),
    ("the chair closest to the table", the("chair", rank=Rank("closest", 1, TABLE))),
    (
        "choose the chair that is far away from the door",
        the("chair", rank=Rank("farthest", 1, DOOR)),
    ),
    ("the chair beside the door", the("chair", Related("besides", (DOOR,)))),
    ("the picture mounted on the wall", the("picture", Related("mounted on", (WALL,)))),
    ("the chair on my left", the("chair", Related("left of", (ME,)))),
    ("the table with a cup in it", the("table", Related("contains", (some("cup"),)))),
    ("the middle chair", the("chair", rank=Rank("middle"))),
    ("a chair to sit on", some("chair", TO_SIT_ON)),
    ("the third closest chair to the door", the("chair", rank=Rank("closest", 3, DOOR))),
    ("chair between the door and the sofa", some("chair", Related("between", (DOOR, SOFA)))),
    ("the second largest table", the("table", rank=Rank("largest", 2))),
    ("the second chair from the right", the("chair", rank=Rank("rightmost", 2))),
    ("the left chair", the("chair", rank=Rank("leftmost"))),
    ("the chair on the left", the("chair", rank=Rank("leftmost"))),
    ("the chair that is not black", the("chair", replace(BLACK, negated=True))),
    ("the table with a cup on it", the("table", Related("supports", (some("cup"),)))),
    ("the light gray mug", the("mug", HasAttribute("color", "light grey"))),
    ("the black and dark red mug", the("mug", HasAttribute("color", "black and dark red"))),
    ("the colorful mug", the("mug", HasAttribute("color", "multicoloured"))),
    ("the cup standing on the table", the("cup", on(TABLE))),
    ("chair 4", ObjectNumber(4, "chair")),
    ("the marked object", Marked()),
    ("this chair", Marked("chair")),
]


@pytest.mark.parametrize(("text", "tree"), QUESTIONS)
def test_questions(text: str, tree: Question) -> None:
    assert parse_question(text) == tree


@pytest.mark.parametrize(("text", "tree"), PHRASES)
def test_phrases(text: str, tree: Reference) -> None:
    assert parse_question(text) == Ground(tree)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("why is the sky blue?", "why is the sky blue?"),
        ("where is the cup; delete everything", "; delete everything"),
        ("how many chairs = 3", "= 3"),
        ("the cup on the table wobbles on and on", "and on"),
    ],
)
def test_what_is_not_understood_is_quoted(text: str, part: str) -> None:
    with pytest.raises(ReasoningError) as error:
        parse_question(text)
    assert error.value.failure.code == "not_understood"
    assert str(error.value) == part


NOUNS = st.sampled_from(["chair", "dining table", "cup", "trash can", "potted plant", "tv"])
ATTRIBUTES = st.builds(
    HasAttribute,
    st.just("color"),
    st.sampled_from([*sorted(set(lexicon.COLOURS.values())), "dark brown", "light grey"]),
) | st.builds(HasAttribute, st.just("size"), st.sampled_from(["small", "medium", "large"]))
QUALITIES = st.sampled_from(
    [EMPTY, replace(EMPTY, negated=True), HasAttribute("shape", "round"), WOOD, TO_SIT_ON]
)
ANCHORS = st.one_of(
    st.builds(NounPhrase, NOUNS, st.booleans()),
    st.just(Viewer()),
    st.builds(ObjectNumber, st.integers(0, 999)),
)
RELATED = st.builds(
    lambda predicate, a, b, negated: Related(
        predicate, (a, b) if predicate == "between" else (a,), negated
    ),
    st.sampled_from(lexicon.PREDICATES),
    ANCHORS,
    ANCHORS,
    st.booleans(),
)
RANKS = st.one_of(
    st.builds(Rank, st.sampled_from(["largest", "smallest", "tallest"]), st.integers(1, 9)),
    st.builds(Rank, st.sampled_from(["closest", "farthest"]), st.integers(1, 9), ANCHORS),
)
DESCRIPTIONS = st.builds(
    lambda noun, definite, count, attributes, related, qualities, rank: NounPhrase(
        noun, definite, count, (*attributes, *related, *qualities), rank
    ),
    NOUNS,
    st.booleans(),
    st.none() | st.integers(2, 12),
    st.lists(ATTRIBUTES, max_size=2),
    st.lists(RELATED, max_size=2),
    st.lists(QUALITIES, max_size=1),
    st.none() | RANKS,
)


@given(DESCRIPTIONS)
@settings(max_examples=300)
def test_described_trees_are_read_back(phrase: NounPhrase) -> None:
    assert parse_question(describe(phrase)) == Ground(phrase)
