"""Correcting sentences: from a sentence to what it wants changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenemind.reasoning.symbolic import identity_commands, lexicon
from scenemind.reasoning.symbolic.command_syntax import (
    AddRelation,
    Command,
    DeleteObject,
    DeleteRelation,
    OfOne,
    Rename,
    SetAttribute,
    Subject,
)
from scenemind.reasoning.symbolic.identity_commands import several
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.reading import RuleBook, without_openings
from scenemind.reasoning.symbolic.syntax import (
    HasAttribute,
    Marked,
    NounPhrase,
    Reference,
    Related,
)
from scenemind.reasoning.symbolic.tokens import Token, tokenize
from scenemind.words.english import find_number, is_plural, singular, word_set

_MAX_LABEL_WORDS = 5
_OBJECTIONS = frozenset(
    ("no", "nope", "wrong", "sorry", "actually", "incorrect", "but", "yes", ",")
)
_STANDS = word_set("hangs hang stands stand sits sit lies lie rests rest")
_NOT_REAL = word_set(
    "reflection ghost mirage shadow illusion artifact artefact mistake error duplicate"
)


def parse_command(text: str) -> Command:
    """The tree of a correcting sentence.

    Raises:
        ReasoningError: `not_understood`; its text is the part that could not be read.
    """
    return _RULES.read(text, _without_objections(tokenize(text)))


def _without_objections(tokens: list[Token]) -> list[Token]:
    """Less "no, actually" at the front and "please" at the end; "there is no cup" stays whole."""
    start = 0
    while start < len(tokens) and tokens[start].word in _OBJECTIONS:
        start += 1
    rest = without_openings(tokens[start:])
    while len(rest) > 1 and rest[-1].word in ("please", ",", "now"):
        rest = rest[:-1]
    return rest


def _delete(p: Parser) -> Command | None:
    if p.take("there is no", "there are no", "there is not", "there are not"):
        return DeleteObject(p.reference())
    if p.take("delete", "remove", "forget", "drop", "erase"):
        return DeleteObject(several(p))
    return None


def _not_real(p: Parser) -> Command | None:
    subject = several(p)
    if p.take("does not exist", "do not exist"):
        return DeleteObject(subject)
    if not p.take_of(lexicon.BE):
        return None
    if p.take("gone", "not real", "not there", "not here", "not there anymore", "no longer there"):
        return DeleteObject(subject)
    p.take("just", "only")
    if p.take("a", "an") and p.take("false detection", "false positive", "mirror image"):
        return DeleteObject(subject)
    return DeleteObject(subject) if p.take_of(_NOT_REAL) else None


def _rename(p: Parser) -> Command | None:
    if p.take("rename", "relabel", "label", "call"):
        subject = several(p)
        if not p.take("to", "as", "into", "a", "an", "the"):
            return None
        return _renamed(p, subject)
    if p.take("change"):
        p.take("the label of", "the name of", "label of")
        subject = p.reference()
        return _renamed(p, subject) if p.take("to", "into") else None
    if p.take("the label of", "the name of"):
        subject = p.reference()
        return _renamed(p, subject) if p.take("is", "should be") else None
    return None


def _set_attribute(p: Parser) -> Command | None:
    ordered = bool(p.take("change", "set", "make"))
    p.take("the")
    key = lexicon.ATTRIBUTE_NAMES.get(p.peek())
    if key is None:
        return None
    p.at += 1
    if not p.take("of"):
        return None
    subject = p.reference()
    if not (p.take("to") if ordered else p.take("is", "are", "should be")):
        return None
    return _valued(p, subject, key)


def _own_attribute(p: Parser) -> Command | None:
    """ "the couch's colour is blue": the possessive ending is gone by now."""
    verb = next((i for i, word in enumerate(p.words) if word in ("is", "are", "should")), 0)
    key = lexicon.ATTRIBUTE_NAMES.get(p.words[verb - 1]) if verb > 1 else None
    if key is None:
        return None
    words = p.words
    p.cut(verb - 1)
    subject = Marked() if p.take("its", "their") else p.reference()
    if not p.done:
        return None
    p.words = words
    p.at = verb
    return _valued(p, subject, key) if p.take("is", "are", "should be") else None


def _valued(p: Parser, subject: Reference, key: str) -> SetAttribute | None:
    given = p.condition(adjectives=True) if key in ("color", "size") else None
    if isinstance(given, HasAttribute):
        return SetAttribute(subject, key, given.value) if given.key == key else None
    return SetAttribute(subject, key, _label(p))


def _claim_attribute(p: Parser) -> Command | None:
    subject = several(p)
    if not p.take_of(lexicon.BE):
        return None
    p.take("actually", "really")
    quality = None if p.peek(1) else p.find_quality()
    if quality is not None:
        return SetAttribute(subject, quality.key, quality.value)
    if p.take("made of", "made from"):
        return SetAttribute(subject, "material", _label(p))
    given = p.condition(adjectives=True)
    if isinstance(given, HasAttribute) and not given.negated:
        _skip_contrast(p)
        return SetAttribute(subject, given.key, given.value)
    return None


def _claim_relation(p: Parser) -> Command | None:
    subject = _before_verb(p)
    if subject is None:
        subject = several(p)
        if not p.take_of(lexicon.BE):
            return None
    p.take("actually", "really")
    given = p.condition()
    if not isinstance(given, Related) or len(given.anchors) != 1:
        return None
    edit = DeleteRelation if given.negated else AddRelation
    return edit(subject, given.predicate, given.anchors[0])


def _before_verb(p: Parser) -> Subject | None:
    """The subject of "the picture hangs on the wall", where such a verb and a relation stand; the
    next word is the verb."""
    verbs = (i for i, word in enumerate(p.words) if word in _STANDS)
    verb = next(verbs, len(p.words))
    if verb == len(p.words):
        return None
    words = p.words
    p.cut(verb)
    subject = several(p)
    ends_there = p.done
    p.words = words
    return subject if ends_there else None


def _claim_label(p: Parser) -> Command | None:
    subject = several(p)
    if p.take("should be called", "should be", "must be", "is called", "is actually called"):
        p.take("a", "an", "the")
        return _renamed(p, subject)
    many = p.peek() in ("are", "were")
    if not p.take_of(lexicon.BE):
        return None
    p.take("actually", "really", "in fact")
    if p.take("not") and p.take("a", "an"):
        p.reference()
        p.take(",")
        p.take("but", "it is", "this is", "that is")
    plural = many and is_plural(p.words[-1] if p.words else "") and find_number(p.peek()) is None
    if p.take("a", "an") or plural:
        return _renamed(p, subject)
    return None


def _renamed(p: Parser, subject: Subject) -> Rename:
    label = _label(p)
    _skip_contrast(p)
    return Rename(subject, label)


def _label(p: Parser) -> str:
    """A person's new word: up to five words, the last in the singular.

    Raises:
        ReasoningError: none, too many, or signs that belong in no label.
    """
    words: list[str] = []
    while p.peek() and p.peek() not in lexicon.NOUN_END | {","}:
        if len(words) >= _MAX_LABEL_WORDS or not p.peek()[0].isalnum():
            raise p.fail()
        words.append(p.peek())
        p.at += 1
    if not words:
        raise p.fail()
    return " ".join((*words[:-1], singular(words[-1])))


def _skip_contrast(p: Parser) -> None:
    """ ", not a microwave": said for the ear."""
    start = p.at
    p.take(",")
    p.take("and")
    if not p.take("not"):
        p.at = start
        return
    if not p.take_of(frozenset(lexicon.COLOURS)):
        p.reference()


def _of_one(
    rule: Callable[[Parser], Command | None],
) -> Callable[[Parser], Command | None]:
    """A correction without "the" still speaks of one certain object."""

    def read(p: Parser) -> Command | None:
        command = rule(p)
        if isinstance(command, OfOne) and isinstance(command.subject, NounPhrase):
            return replace(command, subject=replace(command.subject, definite=True))
        return command

    return read


_RULES = RuleBook[Command](
    (
        identity_commands.undo,
        identity_commands.redo,
        identity_commands.ask_similar,
        identity_commands.do_similar,
        identity_commands.merge,
        _of_one(identity_commands.split),
        _of_one(identity_commands.confirm),
        _of_one(identity_commands.forget_attribute),
        _of_one(_delete),
        _of_one(_not_real),
        _of_one(_rename),
        _of_one(_set_attribute),
        _of_one(_own_attribute),
        _of_one(_claim_attribute),
        _of_one(_claim_relation),
        _of_one(_claim_label),
    )
)
