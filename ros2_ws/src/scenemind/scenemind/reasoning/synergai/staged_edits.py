"""Corrections that the agent has collected: written together when it has ended, or not at all.

What ends early, by a failing model or a person who gives up, thus leaves nothing half done, and one
"undo that" takes back all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import Edit
from scenemind.reasoning import consent
from scenemind.reasoning.types import Query


class StagedEdits:
    """Of one request, in the order of the calls."""

    def __init__(self, query: Query) -> None:
        self._query = query
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
        return consent.needs_a_yes(self._edits, self._query)


def _about(edit: Edit) -> tuple[object, ...]:
    """What two edits must not both say."""
    if edit.kind in ("add_relation", "delete_relation"):
        return ("relation", edit.object_ids, edit.key)
    return (edit.kind, edit.object_ids, edit.key)
