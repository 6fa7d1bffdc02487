"""After a correction all wordings and policies agree with it, and undoing it restores all answers.

The truth is what was said: whatever the boxes of the room are like, it decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.memory import Edit
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.query import Policy
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import SmallMemory, query, room_memory, snapshot_of, thing

POLICIES: tuple[Policy, ...] = ("strict", "balanced", "always_answer")
STANDING = "I am standing in front of the door."
LABELS = {
    1: "dining table", 2: "cup", 3: "laptop", 4: "chair", 5: "chair", 6: "office chair",
    7: "shelf", 8: "sofa", 9: "door", 10: "cup",
}  # fmt: skip
# Ways to say a relation, by the name under which it is corrected.
WORDINGS = {
    "on": ("on", "on top of", "upon"),
    "inside": ("in", "inside"),
    "next to": ("next to", "adjacent to"),
    "near": ("near", "close to"),
    "above": ("above", "over"),
    "below": ("below", "under", "beneath"),
}
ANCHORS = tuple(i for i in LABELS if list(LABELS.values()).count(LABELS[i]) == 1)
CUPS = (2, 10)


def yes_or_no(memory: SmallMemory, text: str, policy: Policy) -> str:
    reasoner = SymbolicReasoner(memory, RelationConfig())
    return reasoner.ask(query(text, policy=policy), memory.snapshot()).brief


def named(memory: SmallMemory, text: str, policy: Policy) -> int | None:
    """The object that a phrase means, if it is likelier than not."""
    reasoner = SymbolicReasoner(memory, RelationConfig())
    try:
        reply = reasoner.ground(query(text, policy=policy), memory.snapshot())
    except ReasoningError:
        return None
    return reply.objects[0].object_id if reply.confidences[0] > 0.5 else None


def answered(memory: SmallMemory, text: str, policy: Policy) -> list[int]:
    """The objects of an answer to somebody who stands in the room."""
    reasoner = SymbolicReasoner(memory, RelationConfig())
    asked = query(text, policy=policy, situation=STANDING)
    try:
        return [o.object_id for o in reasoner.ask(asked, memory.snapshot()).objects]
    except ReasoningError:
        return []


def everything_said(memory: SmallMemory) -> Iterator[object]:
    """Answers about the whole room."""
    for policy in POLICIES:
        for label in ("cup", "chair", "laptop", "shelf"):
            for predicate in WORDINGS:
                yield named(memory, f"the {label} {predicate} the dining table", policy)
                yield answered(memory, f"what is {predicate} the {label}?", policy)
        for text in ("the red cup", "the black chair", "the laptop", "the white shelf"):
            yield named(memory, text, policy)


relations = st.tuples(
    st.sampled_from(CUPS), st.sampled_from(sorted(WORDINGS)), st.sampled_from(ANCHORS)
)


@settings(deadline=None, max_examples=25)
@given(relations)
def test_a_stated_relation_holds_in_every_wording(said: tuple[int, str, int]) -> None:
    """Of two cups the one of which it is said is meant, wherever it lies."""
    subject, predicate, anchor = said
    memory = room_memory()
    (other,) = set(CUPS) - {subject}
    memory.apply([Edit("delete_relation", (other, anchor), predicate)], "Ada", "it is not")
    memory.apply([Edit("add_relation", (subject, anchor), predicate)], "Ada", "so it is")
    for policy in POLICIES:
        for words in WORDINGS[predicate]:
            claim = f"is object {subject} {words} the {LABELS[anchor]}?"
            assert yes_or_no(memory, claim, policy) == "yes", claim
            assert named(memory, f"the cup {words} the {LABELS[anchor]}", policy) in (subject, None)
            assert subject in answered(
                memory, f"how many cups are {words} the {LABELS[anchor]}?", policy
            )
    assert named(memory, f"the cup {predicate} the {LABELS[anchor]}", "balanced") == subject


@settings(deadline=None, max_examples=25)
@given(relations)
def test_a_denied_relation_holds_in_no_wording(said: tuple[int, str, int]) -> None:
    subject, predicate, anchor = said
    memory = room_memory()
    memory.apply([Edit("delete_relation", (subject, anchor), predicate)], "Ada", "it is not")
    for policy in POLICIES:
        for words in WORDINGS[predicate]:
            claim = f"is object {subject} {words} the {LABELS[anchor]}?"
            assert yes_or_no(memory, claim, policy) == "no", claim
            assert named(memory, f"the cup {words} the {LABELS[anchor]}", policy) != subject
            # Somebody who stands in the room calls "next to" what is near.
            assert subject not in answered(
                memory, f"how many cups are {words} the {LABELS[anchor]}?", policy
            )


@pytest.mark.parametrize("predicate", ["on", "inside", "hanging on"])
@pytest.mark.parametrize("carrier", [7, 8, 9])
def test_a_thing_lies_only_where_it_is_said_to_lie(carrier: int, predicate: str) -> None:
    """The red cup stands on the dining table, by its box."""
    memory = room_memory()
    memory.apply([Edit("add_relation", (2, carrier), predicate)], "Ada", "so it is")
    for policy in POLICIES:
        assert yes_or_no(memory, "is object 2 on the dining table?", policy) == "no"
        assert named(memory, "the cup on the dining table", policy) != 2
        assert 2 not in answered(memory, "how many cups are on the dining table?", policy)
        assert named(memory, "the table with the red cup on it", policy) != 1


def test_the_closest_thing_is_not_near_where_somebody_says_so() -> None:
    """No cup is near the shelf but the one that is said not to be; the other one is 3 m away."""
    memory = room_memory()
    said = [Edit("delete_relation", (10, 7), name) for name in ("near", "next to", "on")]
    memory.apply(said, "Ada", "it is not")
    assert all(named(memory, "the cup near the shelf", policy) != 10 for policy in POLICIES)


def test_what_is_inside_a_thing_may_be_denied_to_be_on_it() -> None:
    """What is in a box counts as on it, a little, unless somebody denies that."""
    box = thing(1, "box", (0, 0, 0.5), (1, 1, 1))
    cup = thing(2, "cup", (0, 0, 0.3), (0.1, 0.1, 0.1))
    memory = SmallMemory(snapshot_of([box, cup]))
    assert yes_or_no(memory, "is the cup in the box?", "strict") == "yes"
    assert yes_or_no(memory, "is the cup on the box?", "strict") == "yes"
    memory.apply([Edit("delete_relation", (2, 1), "on")], "Ada", "it is not")
    for policy in POLICIES:
        assert yes_or_no(memory, "is the cup on the box?", policy) == "no"
        assert yes_or_no(memory, "is the cup in the box?", policy) == "yes"


edits = st.one_of(
    st.builds(lambda r: Edit("add_relation", (r[0], r[2]), r[1]), relations),
    st.builds(lambda r: Edit("delete_relation", (r[0], r[2]), r[1]), relations),
    st.builds(
        lambda i, v: Edit("rename", (i,), value=v),
        st.sampled_from(sorted(LABELS)),
        st.sampled_from(("bottle", "stool", "printer")),
    ),
    st.builds(
        lambda i, v: Edit("set_attribute", (i,), "color", v),
        st.sampled_from(sorted(LABELS)),
        st.sampled_from(("green", "pink")),
    ),
    st.builds(
        lambda i, v: Edit("set_attribute", (i,), "material", v),
        st.sampled_from(sorted(LABELS)),
        st.sampled_from(("wood", "glass")),
    ),
)


@pytest.fixture(scope="module")
def before() -> list[object]:
    return list(everything_said(room_memory()))


@settings(deadline=None, max_examples=8)
@given(said=st.lists(edits, min_size=1, max_size=3))
def test_undo_restores_all_answers(before: list[object], said: list[Edit]) -> None:
    memory = room_memory()
    written = [memory.apply([edit], "Ada", "so it is")[0] for edit in said]
    for _ in written:
        memory.undo()
    assert list(everything_said(memory)) == before


@pytest.mark.parametrize("color", ["green", "pink", "light blue"])
@pytest.mark.parametrize("chair", [4, 5])
def test_a_stated_colour_holds_in_every_wording(chair: int, color: str) -> None:
    memory = room_memory()
    memory.apply([Edit("set_attribute", (chair,), "color", color)], "Ada", "so it is")
    for policy in POLICIES:
        assert yes_or_no(memory, f"is object {chair} {color}?", policy) == "yes"
        assert yes_or_no(memory, f"is object {chair} yellow?", policy) == "no"
        assert named(memory, f"the {color} chair", policy) == chair
        assert answered(memory, f"what is the {color} thing next to the dining table?", policy)[
            :1
        ] in ([chair], [])


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("material", "wood", "wooden"),
        ("state", "broken", "broken"),
        ("texture", "soft", "soft"),
    ],
)
def test_a_stated_property_holds_in_every_wording(key: str, value: str, word: str) -> None:
    for chair in (4, 5):
        memory = room_memory()
        memory.apply([Edit("set_attribute", (chair,), key, value)], "Ada", "so it is")
        for policy in POLICIES:
            assert yes_or_no(memory, f"is object {chair} {word}?", policy) == "yes"
            assert named(memory, f"the {word} chair", policy) == chair


def test_a_stated_size_holds_in_every_wording() -> None:
    """The two chairs are equally large."""
    for chair, value in ((4, "small"), (5, "large")):
        memory = room_memory()
        memory.apply([Edit("set_attribute", (chair,), "size", value)], "Ada", "so it is")
        for policy in POLICIES:
            assert yes_or_no(memory, f"is object {chair} {value}?", policy) == "yes"
            assert named(memory, f"the {value} chair", policy) in (chair, None)


@pytest.mark.parametrize("label", ["stool", "printer", "bottle", "toolbox"])
@pytest.mark.parametrize("renamed", [2, 4, 7])
def test_a_new_name_holds_in_every_wording(renamed: int, label: str) -> None:
    memory = room_memory()
    memory.apply([Edit("rename", (renamed,), value=label)], "Ada", "so it is")
    for policy in POLICIES:
        assert yes_or_no(memory, f"is there a {label}?", policy) == "yes"
        assert yes_or_no(memory, f"is object {renamed} a {LABELS[renamed]}?", policy) == "no"
        assert named(memory, f"the {label}", policy) == renamed
        assert answered(memory, f"how many {label}s are in the room?", policy)[:1] in (
            [renamed],
            [],
        )
