"""From the corrections that a sentence holds to what is to be written, and what to say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scenemind.memory import Edit, MapObject, MemoryAccess
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import similar
from scenemind.reasoning.symbolic.command_syntax import (
    Agree,
    AskSimilar,
    Command,
    DoSimilar,
    IsAt,
    Merge,
    OfOne,
    Redo,
    Undo,
)
from scenemind.reasoning.symbolic.commands import is_of_last
from scenemind.reasoning.symbolic.editor import edits_of, is_of_several
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.types import Query


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What a correcting sentence wants.

    Attributes:
        edits: to be written; none: only the response is to be given.
        response: what to say when they are written.
        of_journal: instead of edits: one of them is taken back, or stands again.
        objects: what it speaks of.
        is_of_several: a plural was said ("the chairs"), and its objects were not named each.
        is_doubtful: the person may mean it; it must not be written without a yes.
    """

    edits: tuple[Edit, ...]
    response: str
    of_journal: Undo | Redo | None = None
    objects: tuple[MapObject, ...] = ()
    is_of_several: bool = False
    is_doubtful: bool = False


def wanted_of(
    commands: Sequence[Command],
    query: Query,
    resolver_of: Callable[[Query], Resolver],
    memory: MemoryAccess,
    by: str,
) -> Wanted:
    """What the corrections of one sentence want together.

    Args:
        by: who speaks.

    Raises:
        ReasoningError: `not_found`, `ambiguous` or `invalid_request`.
        SceneMemoryError: the memory cannot say what is similar.
    """
    if len(commands) == 1:
        return _of_single(commands[0], resolver_of(query), memory, by)
    edits: list[Edit] = []
    responses: list[str] = []
    is_several = False
    spoken_of: tuple[int, ...] = ()
    for command in commands:
        if not isinstance(command, OfOne | Merge):
            raise ReasoningError(
                "invalid_request", "Say that in a sentence of its own; nothing was changed."
            )
        is_last = bool(spoken_of) and is_of_last(command)
        meant = replace(query, marked_object_ids=spoken_of) if is_last else query
        one = _of_single(command, resolver_of(meant), memory, by)
        edits += one.edits
        responses.append(one.response)
        is_several |= one.is_of_several
        spoken_of = tuple(dict.fromkeys(edit.object_ids[0] for edit in one.edits))
    objects = _objects(edits, resolver_of(query))
    return Wanted(tuple(edits), " ".join(responses), None, objects, is_several)


def _of_single(command: Command, at: Resolver, memory: MemoryAccess, by: str) -> Wanted:
    if isinstance(command, Undo | Redo):
        return Wanted((), "", command)
    if isinstance(command, Agree):
        return Wanted((), "Thank you. I changed nothing.")
    if isinstance(command, AskSimilar):
        text, objects = similar.preview(similar.find_repeatable(memory), at.scene)
        return Wanted((), text, objects=objects)
    if isinstance(command, DoSimilar):
        repeatable = similar.find_repeatable(memory)
        edits, response = similar.repeated(repeatable, command.object_ids, at.scene)
        return Wanted(tuple(edits), response)
    edits, response = edits_of(command, at, by)
    several, doubtful = is_of_several(command), isinstance(command, IsAt)
    return Wanted(tuple(edits), response, None, _objects(edits, at), several, doubtful)


def _objects(edits: Sequence[Edit], at: Resolver) -> tuple[MapObject, ...]:
    """That they change, without parts of the building."""
    ids = dict.fromkeys(i for edit in edits for i in edit.object_ids if i >= 0)
    return tuple(at.scene.objects[at.scene.row_of_id[i]] for i in ids)
