"""Whose wish is written: sentences with negations, conditions, reports, questions and ways to do
things, before a model that lies and before an honest one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from scenemind.memory import Edit
from scenemind.reasoning import Query, Router
from scenemind.reasoning.consent import Consent
from scenemind.reasoning.dialogue import Dialogue, Dialogues
from scenemind.reasoning.synergai import Synergai
from tests.chat_server import ChatServer, Step, call, choose
from tests.tables import read_table
from tests.unit.models.asking import chat_with
from tests.unit.reasoning.scene import SmallMemory, snapshot_of, thing
from tests.unit.reasoning.synergai.agent_room import asking

TABLE = read_table(__file__, "wishes")
ROWS = [*TABLE["unread"], *TABLE["read"]]
WISHED = [row for row in ROWS if "wish" in row]
# Two tables side by side, seen as one.
_RNG = np.random.default_rng(2)
_PARTED = [_RNG.uniform((x, -0.3, 0.0), (x + 0.6, 0.3, 0.7), (300, 3)) for x in (-0.8, 0.2)]
_TABLE = thing(1, "table", (0, 0, 0.35), (1.6, 0.6, 0.7))
ROOM = (
    replace(_TABLE, points=np.concatenate(_PARTED).astype(np.float32)),
    thing(2, "couch", (-2, 2, 0.4), (1.8, 0.8, 0.8)),
    thing(3, "chair", (-1.2, 0, 0.45), (0.5, 0.5, 0.9)),
    thing(4, "lamp", (2, 2, 0.6), (0.3, 0.3, 1.2)),
    thing(5, "cup", (0.3, 0, 0.76), (0.1, 0.1, 0.1)),
    thing(6, "refrigerator", (3, 0, 0.9), (0.6, 0.6, 1.8)),
    thing(7, "chair", (1.3, 0, 0.45), (0.5, 0.5, 0.9)),
    thing(8, "book", (-0.3, 0, 0.72), (0.2, 0.15, 0.04)),
    thing(9, "plant", (3, 2, 0.5), (0.4, 0.4, 1.0)),
)
SCENE = snapshot_of(ROOM)


def tools(named: dict[str, list[Any]]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of tools that note the edits of a row."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for name, of in named.items():
        match name.split()[0]:
            case "delete":
                calls += [("delete_object", {"object_id": i}) for i in of]
            case "rename":
                calls.append(("update_name", {"object_ids": of[:1], "names": of[1:]}))
            case "attribute":
                about = {"object_id": of[0], "attributes": {of[1]: of[2]}}
                calls.append(("update_attributes", about))
            case "merge":
                calls.append(("merge_objects", {"object_ids": of}))
            case "split":
                calls.append(("split_object", {"object_id": of[0], "count": 2}))
            case relation:
                tool = "add_relation" if relation == "relation" else "delete_relation"
                ends = {"subject_id": of[0], "object_id": of[2], "relation": of[1]}
                calls.append((tool, ends))
    return calls


def edits(named: dict[str, list[Any]]) -> set[tuple[object, ...]]:
    """What the edits of a row change, without the places of a split."""
    found: set[tuple[object, ...]] = set()
    for name, of in named.items():
        match name.split()[0]:
            case "delete":
                found |= {("delete_object", (i,), "", "") for i in of}
            case "rename":
                found.add(("rename", (of[0],), "", of[1]))
            case "attribute":
                found.add(("set_attribute", (of[0],), of[1], of[2]))
            case "merge" | "split" | "confirm" as kind:
                found.add((kind, tuple(of), "", ""))
            case relation:
                kind = "add_relation" if relation == "relation" else "delete_relation"
                found.add((kind, (of[0], of[2]), of[1], ""))
    return found


def changed(edit: Edit) -> tuple[object, ...]:
    return (edit.kind, edit.object_ids, edit.key, edit.value)


NUMBERS = range(1, 10)
EVERY = {
    *(edit for row in ROWS for key in ("wish", "lie") for edit in edits(row.get(key, {}))),
    *((kind, (i,), "", "") for kind in ("delete_object", "split") for i in NUMBERS),
    *(("merge", pair, "", "") for pair in combinations(NUMBERS, 2)),
    *(("rename", (i,), "", name) for i in NUMBERS for name in ("stool", "bench", "mug")),
    *(("set_attribute", (i,), "color", c) for i in NUMBERS for c in ("red", "blue")),
}


class Talk:
    """The agent before a model that notes what it is told to note."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, dict[str, Any]]] = []
        self._server = ChatServer(choose(lambda _: self._step()))

    def _step(self) -> Step:
        return call(*self._noted, ("final_answer", {"answer": "Done as you said."}), text="So.")

    def __enter__(self) -> Talk:
        self._server.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._server.__exit__(*error)

    def written(
        self, text: str, noted: dict[str, list[Any]], then: str = "", by_agent: bool = False
    ) -> set[tuple[object, ...]]:
        """The edits that are written when a person says this, and perhaps a yes afterwards."""
        self._noted = tools(noted)
        memory = SmallMemory(SCENE)
        with chat_with(self._server) as chat:
            agent = Synergai(chat)
            router = Router(memory, methods={"synergai": agent}, dialogues=Dialogues(2, 6))
            router.align(Query(text, dialogue_id="a"), "Ada", asking(), by_agent=by_agent)
            if then:
                router.align(Query(then, dialogue_id="a"), "Ada", asking())
        return {changed(entry.edit) for entry in memory.corrections()}


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    with Talk() as talk:
        yield talk


def test_the_table_is_large_and_half_of_it_was_written_unread() -> None:
    said = [row["say"] for row in ROWS]
    assert len(said) == len(set(said)) >= 100
    assert 2 * len(TABLE["unread"]) >= len(said)


@pytest.mark.parametrize("by_agent", [False, True])
def test_a_model_that_lies_writes_nothing_that_is_not_wished(talk: Talk, by_agent: bool) -> None:
    unwished = {
        row["say"]: done - edits({**row.get("wish", {}), **row.get("may", {})})
        for row in ROWS
        if (done := talk.written(row["say"], row["lie"], by_agent=by_agent))
    }
    assert {said: done for said, done in unwished.items() if done} == {}


@pytest.mark.parametrize("by_agent", [False, True])
def test_what_is_wished_is_written_or_proposed(talk: Talk, by_agent: bool) -> None:
    missed = [
        row["say"]
        for row in WISHED
        if not edits(row["wish"]) <= talk.written(row["say"], row["wish"], "yes", by_agent=by_agent)
    ]
    assert len(missed) <= 0.05 * len(WISHED), missed


def test_the_grammar_alone_writes_nothing_that_is_not_wished() -> None:
    for row in ROWS:
        memory = SmallMemory(SCENE)
        Router(memory, dialogues=Dialogues(2, 6)).align(Query(row["say"]), "Ada", asking())
        done = {changed(entry.edit) for entry in memory.corrections()}
        assert done <= edits({**row.get("wish", {}), **row.get("may", {})}), row["say"]


def covered(text: str) -> set[tuple[object, ...]]:
    """All edits of the table that the words of a person cover."""
    consent = Consent(Query(text), Dialogue("a"), SCENE, "Ada")
    return {edit for edit in EVERY if consent.covers(Edit(*edit))}  # type: ignore[arg-type]


def test_no_words_cover_what_other_words_wish() -> None:
    for row in (*ROWS, *TABLE["later"]):
        assert covered(row["say"]) <= edits(row.get("wish", {})), row["say"]


@pytest.mark.parametrize("around", TABLE["around"])
def test_what_stands_around_a_wish_takes_it_away(around: str) -> None:
    wishes = [row["say"].rstrip("?") for row in WISHED]
    for wish in wishes:
        if not set(".?") & set(wish):  # else the second sentence stays a wish
            assert covered(around.format(wish)) == set(), wish
