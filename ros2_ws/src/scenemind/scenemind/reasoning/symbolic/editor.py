"""From a correcting sentence's tree to the edits of the journal."""

from __future__ import annotations

from scenemind.memory import Edit, MapObject
from scenemind.memory.types import EditKind
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.phrasing import the
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import (
    AddRelation,
    Command,
    DeleteObject,
    DeleteRelation,
    Marked,
    Reference,
    Rename,
    SetAttribute,
    Undo,
)
from scenemind.words.english import joined, with_article


def edits_of(command: Command, at: Resolver) -> tuple[list[Edit], str]:
    """What to write, and a sentence that says so.

    Raises:
        ReasoningError: `not_found`, or `ambiguous` where more than one object may be meant.
    """
    if isinstance(command, Undo):
        raise ValueError("an undo is no edit")
    objects = _meant(command.subject, at)
    ids = [o.object_id for o in objects]
    names = joined([the(o) for o in objects])
    verb = "are" if len(objects) > 1 else "is"
    kind: EditKind = "add_relation"
    negation = ""
    match command:
        case Rename(label=label):
            edits = [Edit("rename", (i,), value=label) for i in ids]
            return edits, f"Now {names} {verb} {with_article(label)}."
        case SetAttribute(key=key, value=value):
            edits = [Edit("set_attribute", (i,), key, value) for i in ids]
            return edits, f"Now {names} {verb} {value}."
        case DeleteObject():
            return [Edit("delete_object", (i,)) for i in ids], f"I forgot {names}."
        case AddRelation(predicate=predicate, anchor=anchor):
            pass
        case DeleteRelation(predicate=predicate, anchor=anchor):
            kind, negation = "delete_relation", "not "
    other = at.scene.objects[at.single(anchor)]
    if other.object_id in ids:
        raise ReasoningError("invalid_request", f"{the(other)} cannot be {predicate} itself.")
    said = f"{negation}{lexicon.SPOKEN.get(predicate, predicate)} {the(other)}"
    relation = [Edit(kind, (i, other.object_id), predicate) for i in ids]
    return relation, f"Now {names} {verb} {said}."


def _meant(reference: Reference, at: Resolver) -> list[MapObject]:
    """All marked objects, or else the single one that fits."""
    if isinstance(reference, Marked):
        rows, _ = at.existing(reference)
        return at.objects(rows)
    return [at.scene.objects[at.single(reference)]]
