"""When a person is asked before something is written: the same for the grammar and the agent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scenemind.memory import Edit, MemorySnapshot
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.meant_objects import MeantObjects
from scenemind.reasoning.spoken_words import any_of
from scenemind.reasoning.symbolic.lexicon import ATTRIBUTE_NAMES
from scenemind.reasoning.told_words import ToldWords
from scenemind.reasoning.types import Query

# Of an object: "4" of "merge 4 and 9", not of "4 feet", "1.5 m", "all 4 chairs" or "there are 4".
_NUMBER = re.compile(
    r"(?<![\w.])(?<!there are )(?<!has )(?<!have )(?<!all )(?<!the )"
    rf"\d{{1,6}}(?!\w|\.\d)(?! {any_of('measure')}\b)",
    re.IGNORECASE,
)


def needs_a_yes(edits: Iterable[Edit], query: Query) -> bool:
    """Several objects would change, and the person has not named or marked each."""
    changed = {object_id for edit in edits for object_id in _subjects(edit)}
    return len(changed) > 1 and not changed <= _pointed_at(query.text, query)


class Consent:
    """What an agent may write without a yes: what the person's own words say, as far as that can
    be seen without understanding them.

    They have to tell something, to mean each object, and to say what becomes of it. A model that
    errs or lies can thus twist words, but cannot change what nobody spoke of.
    """

    def __init__(self, query: Query, dialogue: Dialogue, scene: MemorySnapshot, by: str) -> None:
        """
        Args:
            scene: as it was when the person spoke.
            by: who that is.
        """
        texts = (*_still_open(dialogue), query.text)
        said = " ".join(texts)
        self._told = ToldWords(*texts)
        self._meant = MeantObjects(said, _pointed_at(said, query), dialogue.last_spoken_of, scene)
        self._by = by

    def covers(self, edit: Edit) -> bool:
        """The person has said so."""
        name = edit.value if edit.kind == "rename" else ""
        return all(self._meant.has(i, name) for i in edit.object_ids) and self._says(edit)

    def _says(self, edit: Edit) -> bool:
        match edit.kind:
            case "rename":
                return self._told.names(edit.value)
            case "set_attribute":
                is_mine = edit.key == "owner" and self._told.names_speaker(edit.value, self._by)
                is_key = edit.key in ATTRIBUTE_NAMES or self._told.names(edit.key)
                return is_key and (is_mine or self._told.names(edit.value))
            case "add_relation":
                return self._told.relates(edit.key)
            case "delete_relation":
                return self._told.denies_relation(edit.key)
            case _:
                return self._told.wants(edit.kind)


def _still_open(dialogue: Dialogue) -> tuple[str, ...]:
    """What the person said before, where the robot has asked back."""
    last = dialogue.turns[-1:]
    return tuple(turn.said for turn in last if turn.answered.rstrip().endswith("?"))


def _pointed_at(said: str, query: Query) -> set[int]:
    return {int(found[0]) for found in _NUMBER.finditer(said)} | set(query.marked_object_ids)


def _subjects(edit: Edit) -> tuple[int, ...]:
    """A relation is said of its first object, and two that are one become that; of more it is as
    easily said that they stand together."""
    return (
        edit.object_ids
        if edit.kind == "merge" and len(edit.object_ids) > 2
        else edit.object_ids[:1]
    )
