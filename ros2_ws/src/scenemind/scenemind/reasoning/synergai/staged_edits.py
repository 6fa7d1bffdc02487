"""Corrections that the agent has collected: written together when it has ended, or not at all.

What ends early, by a failing model or a person who gives up, thus leaves nothing half done, and one
"undo that" takes back all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scenemind.memory import Edit
from scenemind.reasoning.types import Query

# More than one object is changed only by who has named them all.
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")


class StagedEdits:
    """Of one request, in the order of the calls."""

    def __init__(self, query: Query) -> None:
        named = {int(number) for number in _NUMBER.findall(query.text)}
        self._pointed_at = named | set(query.marked_object_ids)
        self._edits: list[Edit] = []

    def __len__(self) -> int:
        return len(self._edits)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(self._edits)

    def add(self, edits: Sequence[Edit]) -> None:
        """Of the same thing said twice, the last counts."""
        for edit in edits:
            self._edits = [known for known in self._edits if _about(known) != _about(edit)]
            self._edits.append(edit)

    def clear(self) -> None:
        self._edits.clear()

    @property
    def needs_a_yes(self) -> bool:
        """Several objects would change, and the person has not named or marked each."""
        changed = {_subject(edit) for edit in self._edits}
        return len(changed) > 1 and not changed <= self._pointed_at


def _subject(edit: Edit) -> int:
    """A relation is said of its first object; what is merged becomes one."""
    return edit.object_ids[0]


def _about(edit: Edit) -> tuple[object, ...]:
    """What two edits must not both say."""
    if edit.kind in ("add_relation", "delete_relation"):
        return ("relation", edit.object_ids, edit.key)
    return (edit.kind, edit.object_ids, edit.key)
