"""Corrections of corrections: undo, redo, agreement, and "the same goes for the similar ones"."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.reasoning.symbolic.command_subjects import references
from scenemind.reasoning.symbolic.command_syntax import (
    Agree,
    AskSimilar,
    Command,
    DoSimilar,
    Redo,
    Undo,
)
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import ObjectNumber, Reference
from scenemind.words.english import word_set

_THAT = ("that", "it", "this", "the last one", "the last", "last", "my last", "the")
_UNDO = ("undo", "revert", "take back", "roll back", "change back")
_UNDO_IT = ("reverse", "retract", "scratch", "cancel", "withdraw")  # of the robot's own move, alone
_LAST = word_set("change edit correction one step thing action")
_DO = (
    "the same goes", "the same holds", "the same is true", "that goes", "that holds", "do that",
    "do this", "do the same", "do so", "apply that", "apply this", "apply it", "same", "the same",
    "that is true", "rename", "also", "what about",
)  # fmt: skip
_SIMILAR = (
    "similar ones", "similar objects", "similar things", "similar", "others like it",
    "other ones like it", "ones like it", "objects like it", "things like it", "others like that",
    "objects like that", "lookalikes", "that look the same", "ones that look the same",
    "others that look the same", "objects that look the same",
)  # fmt: skip
_CONTENT = (
    "you missed nothing", "you did not miss anything", "nothing is missing", "nothing is wrong",
    "everything is right", "everything is correct", "all is right", "that is all", "well done",
    "very good", "good", "perfect", "thanks", "thank you", "you are right",
)  # fmt: skip
_THOSE = (
    "those too", "those as well", "them too", "them as well", "these too", "do those too",
    "all of those too", "all of them too", "all of them", "all of those", "also those",
    "do that to those too", "apply it to those", "apply that to those too", "do it", "do that",
    "do so",
)  # fmt: skip


def undo(p: Parser) -> Command | None:
    """ "undo", "take back correction 3", "change it back", "cancel the last change"."""
    if p.take(*_UNDO):
        return Undo(_number(p))
    if p.take(*_UNDO_IT):
        given = _number(p)
        return Undo(given) if p.at > 1 else None
    if not p.take("take", "change", "roll"):
        return None
    given = _number(p)
    if not p.take("back"):
        return None
    p.take("again", "to how it was", "to what it was", "the way it was")
    return Undo(given)


def redo(p: Parser) -> Command | None:
    """ "redo", "redo correction 3"."""
    return Redo(_number(p)) if p.take("redo", "reapply") else None


def agree(p: Parser) -> Command | None:
    """ "you missed nothing", "thank you": what needs no answer but a friendly one."""
    return Agree() if p.take(*_CONTENT) and (p.take("now") or p.done) else None


def ask_similar(p: Parser) -> Command | None:
    """ "the same goes for the similar ones"."""
    if not p.take(*_DO):
        return None
    p.take("rename", "for", "to", "with", "of")
    p.take("all", "every")
    p.take("of")
    p.take("the", "other")
    if not p.take(*_SIMILAR):
        return None
    if not p.done and not p.take("too", "as well", "also"):
        p.reference()
    return AskSimilar()


def do_similar(p: Parser) -> Command | None:
    """ "those too", "objects 4 and 9 too" (a "yes" before it was taken off)."""
    start = p.at
    if p.take(*_DO) and p.take("for", "to", "of", "with"):
        return _numbered(references(p))
    p.at = start
    if p.take(*_THOSE):
        return DoSimilar()
    numbers = references(p)
    return _numbered(numbers) if p.take("too", "as well", "also") else None


def _number(p: Parser) -> int | None:
    """Of "correction 3"; None for "that", "the last one", "what you just did"."""
    p.take("what you just did", "what you did", "what you changed", "what i said", "all of that")
    p.take(*_THAT)
    p.take("your", "my")
    p.take("last", "latest", "previous", "most recent")
    if not p.take_of(_LAST):
        p.take("correction", "change", "edit")
    p.take("you made", "you just made", "i made", "again")
    if not (p.peek().isascii() and p.peek().isdigit()):
        return None
    number = int(p.peek()[:9])
    p.at += 1
    return number


def _numbered(references: Sequence[Reference]) -> DoSimilar | None:
    numbers = [n for n in references if isinstance(n, ObjectNumber) and not n.noun]
    if not numbers or len(numbers) < len(references):
        return None
    return DoSimilar(tuple(n.object_id for n in numbers))
