"""Words of one meaning in the lexicon give one answer, in every wording and under every policy."""

from __future__ import annotations

import pytest

from scenemind.config import RelationConfig
from scenemind.language import lexicon
from scenemind.language.english import read_table
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.query import Policy
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import query, room_memory

POLICIES: tuple[Policy, ...] = ("strict", "balanced", "always_answer")
MEMORY = room_memory()
REASONER = SymbolicReasoner(MEMORY, RelationConfig())
# Those of two things at least, or of one that is no place to be at.
_OTHERS = ("closest", "farthest", "between", "with", "far")
RELATIONS = {
    name: words
    for name, words in read_table("scenemind.language", "lexicon.yaml")["relations"].items()
    if name not in _OTHERS
}


def claimed(text: str, policy: Policy) -> str:
    try:
        reply = REASONER.ask(query(text, policy=policy), MEMORY.snapshot())
        # What the grammar does not read has no meaning of its own, but one that it is taken for.
        is_taken = reply.text.startswith("I take that as")
        return "not_understood" if is_taken else reply.brief
    except ReasoningError as error:
        return error.failure.code


def meant(text: str, policy: Policy) -> tuple[tuple[int, ...], str]:
    try:
        reply = REASONER.ground(query(text, policy=policy), MEMORY.snapshot())
    except ReasoningError as error:
        return (), error.failure.code
    return tuple(thing.object_id for thing in reply.objects), ""


def by_value(table: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word, value in table.items():
        found.setdefault(value, []).append(word)
    return found


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("words", RELATIONS.values(), ids=RELATIONS.keys())
def test_ways_to_say_a_relation(words: list[str], policy: Policy) -> None:
    claims = {claimed(f"is the laptop {said} the dining table?", policy) for said in words}
    phrases = {meant(f"the cup {said} the dining table", policy) for said in words}
    assert len(claims) == len(phrases) == 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("words", by_value(lexicon.SIZES).values(), ids=" ".join)
def test_ways_to_say_a_size(words: list[str], policy: Policy) -> None:
    claims = {claimed(f"is the sofa {said}?", policy) for said in words}
    # Descriptions are read word by word, also at hyphens.
    phrases = {meant(f"the {said} chair", policy) for said in words if "-" not in said}
    assert len(claims) == len(phrases) == 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "names",
    [("sofa", "couch"), ("laptop", "notebook computer"), ("cup", "mug"), ("door", "doorway")],
)
def test_names_of_one_thing(names: tuple[str, str], policy: Policy) -> None:
    assert len({meant(f"the {name}", policy)[0] for name in names}) == 1
