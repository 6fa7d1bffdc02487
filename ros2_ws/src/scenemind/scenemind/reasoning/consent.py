"""When a person is asked before something is written: the same for the grammar and the agent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scenemind.memory import Edit
from scenemind.reasoning.types import Query

# More than one object is changed only by who has named them all.
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")


def needs_a_yes(edits: Iterable[Edit], query: Query) -> bool:
    """Several objects would change, and the person has not named or marked each."""
    changed = {_subject(edit) for edit in edits}
    named = {int(number) for number in _NUMBER.findall(query.text)}
    return len(changed) > 1 and not changed <= named | set(query.marked_object_ids)


def _subject(edit: Edit) -> int:
    """A relation is said of its first object; what is merged becomes one."""
    return edit.object_ids[0]
