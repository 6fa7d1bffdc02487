""" "The same goes for the similar ones": first which they would be, then, when told so, they too.

What is to be repeated is the journal's newest entry that stands, with those that were written
together with it; nothing of the conversation is kept anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scenemind.memory import Correction, Edit, MapObject, MemoryAccess, SimilarObject
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.phrasing import MAX_LISTED, be, the
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.words.english import joined, plural, shown, with_article

_KINDS = ("rename", "set_attribute", "delete_object", "confirm")


@dataclass(frozen=True, slots=True, eq=False)
class Repeatable:
    """The newest correction, and the objects for which it may hold as well, best first."""

    edit: Edit
    candidates: tuple[SimilarObject, ...]


def find_repeatable(memory: MemoryAccess) -> Repeatable:
    """What "the same" is.

    Raises:
        ReasoningError: `not_found`: nothing was corrected, or not a single object.
        SceneMemoryError: its object is not there any more.
    """
    standing = [entry for entry in memory.corrections() if not entry.undone]
    if not standing:
        raise ReasoningError("not_found", "There is no correction yet that could hold for others.")
    newest = standing[-1]
    if newest.edit.kind not in _KINDS:
        raise ReasoningError(
            "not_found",
            f'The newest correction ("{shown(newest.reason)}") is about these things only.',
        )
    edit = replace(newest.edit, object_ids=_corrected_with(newest, standing))
    return Repeatable(edit, tuple(memory.find_similar(edit)))


def preview(repeatable: Repeatable, scene: Scene) -> tuple[str, tuple[MapObject, ...]]:
    """A sentence that asks, and the objects.

    Raises:
        ReasoningError: `not_found`: nothing is similar.
    """
    # The map may have changed between the snapshot and the search.
    found = [s for s in repeatable.candidates if s.object_id in scene.row_of_id]
    if not found:
        raise ReasoningError("not_found", "I know of no similar ones for which that is not so yet.")
    things = [scene.objects[scene.row_of_id[s.object_id]] for s in found]
    named = [
        f"{the(thing)}: {', '.join(similar.reasons) or 'somewhat alike'}"
        for thing, similar in zip(things[:MAX_LISTED], found, strict=False)
    ]
    more = len(things) - MAX_LISTED
    rest = f"; and {more} more" if more > 0 else ""
    ids = joined([str(similar.object_id) for similar in found[:MAX_LISTED]])
    what = "Object" if len(things) == 1 else "Objects"
    return (
        f"{what} {ids} {be(len(things))} similar ({'; '.join(named)}{rest}). Nothing is changed"
        f' yet: say "yes, those too" to {_order(repeatable.edit)}, or say the numbers of some'
        f' ("object {found[0].object_id} too").',
        tuple(things),
    )


def repeated(
    repeatable: Repeatable, object_ids: Sequence[int], scene: Scene
) -> tuple[list[Edit], str]:
    """The same edit of the similar objects, or of the numbered ones.

    Raises:
        ReasoningError: `not_found`: nothing is similar, or there is no such object.
    """
    ids = object_ids or [similar.object_id for similar in repeatable.candidates]
    unknown = [i for i in ids if i not in scene.row_of_id]
    if unknown or not ids:
        missing = joined([str(i) for i in unknown])
        raise ReasoningError(
            "not_found",
            f"There is no object {missing} in the memory."
            if unknown
            else "I know of no similar ones for which that is not so yet.",
        )
    edit = repeatable.edit
    names = joined([the(scene.objects[scene.row_of_id[i]]) for i in ids])
    return [
        replace(edit, object_ids=(i,)) for i in ids
    ], f'Done, too: {names} {_is(edit, len(ids))}. "Undo" takes all of that back.'


def _corrected_with(newest: Correction, standing: Sequence[Correction]) -> tuple[int, ...]:
    """The objects of all entries that one sentence wrote, those of the newest entry first."""
    same = replace(newest.edit, object_ids=())
    together = [
        entry.edit.object_ids
        for entry in reversed(standing)
        if entry.stamp_ns == newest.stamp_ns and replace(entry.edit, object_ids=()) == same
    ]
    return tuple(dict.fromkeys(i for ids in together for i in ids))


def _order(edit: Edit) -> str:
    match edit.kind:
        case "rename":
            return f"call them {shown(edit.value)}"
        case "set_attribute":
            return f"set their {shown(edit.key)} to {shown(edit.value)}" if edit.value else "do so"
        case "delete_object":
            return "delete them"
        case _:
            return "confirm them"


def _is(edit: Edit, count: int) -> str:
    match edit.kind:
        case "rename":
            label = shown(edit.value)
            return f"{be(count)} {with_article(label) if count == 1 else plural(label)} now"
        case "set_attribute":
            value = shown(edit.value)
            return f"{be(count)} {value} now" if value else f"{be(count)} without {edit.key} now"
        case "delete_object":
            return f"{be(count)} deleted"
        case _:
            return f"{be(count)} certain now"
