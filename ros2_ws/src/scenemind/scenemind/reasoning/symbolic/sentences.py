"""From the clauses of a correcting sentence to what they say together.

"The microwave? That isn't one, it's a toolbox": what is spoken of, what is denied, what is so. A
sentence is read as few clauses as it can be; every word has to be read, and what is denied without
anything being said to be so is no correction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_syntax import (
    Command,
    DeleteObject,
    Merge,
    OfOne,
    Rename,
    SetAttribute,
    Several,
    Split,
    Subject,
)
from scenemind.reasoning.symbolic.remarks import Aside, Bare, Denied, Remark, Topic
from scenemind.reasoning.symbolic.syntax import Marked, Reference
from scenemind.reasoning.symbolic.tokens import Token, tokenize
from scenemind.words.english import word_set

Clause = Command | Remark
ReadClause = Callable[[Sequence[Token]], Clause | None]

_JOINS = frozenset((",", "and", "but", "so", "because", "since", "although", "though"))
_MOST_CLAUSES = 7  # that are told apart: a list of words is no sentence of many corrections
_PLACES = re.compile(
    r"(?<=\S )(?:(?:in|of) (?:this|the|our) room|in here(?= )"
    r"|(?<!object )(?<!is )(?<!and )(?<!item )(?:with )?(?:the )?(?:number|id|nr|no)(?= \d))"
)
_SPOT = re.compile(
    r"\b(?:in|on|at) (?:this|that) (?:spot|place|location|position|area)\b", re.IGNORECASE
)
# What follows the verb in "the lamp's a vase", and no name of what the lamp has.
_AFTER_IS = word_set(
    "a an the not actually really made on in under definitely just no my our two one gone clearly"
    " called supposed built standing sitting lying hanging wrong off incorrect mistaken more"
)
# Ends of sentences, and signs between clauses; a semicolon is none in speech.
_BREAK = re.compile(
    r"[.!?]+(?=\s+\S)|\u2026|\s[-\u2013\u2014]+\s|[\u2013\u2014]|:(?=\s)"
    r"|;(?=\s+(?:it|that|this|they|these|those|there)\b)"
)


def broken_up(text: str) -> list[Token]:
    """Words, with a comma wherever a clause ends; "the lamp's grey" is written out."""
    said = _BREAK.sub(lambda found: ",".ljust(len(found.group())), text)
    said = _SPOT.sub(lambda found: "there".ljust(len(found.group())), said)
    words = _without_places(tokenize(said))
    tokens: list[Token] = []
    for place, token in enumerate(words):
        if token.word == "," and (not tokens or tokens[-1].word == ","):
            continue
        tokens.append(token)
        following = [other.word for other in words[place + 1 : place + 3]]
        if _is_short_for_is(said, token, following):
            tokens.append(Token("is", token.start))
    return tokens


def _without_places(tokens: list[Token]) -> list[Token]:
    """Less "in this room", wherever it stands, for there is no other, and "with number" before
    one."""
    said = " ".join(token.word for token in tokens)
    gone = {
        place
        for found in _PLACES.finditer(said)
        for place in range(said[: found.start()].count(" "), said[: found.end()].count(" ") + 1)
    }
    return [token for place, token in enumerate(tokens) if place not in gone]


def _is_short_for_is(text: str, token: Token, following: Sequence[str]) -> bool:
    """ "The lamp's grey", but "the lamp's colour"."""
    written = text[token.start :].lower().replace("\u2019", "'")
    if not following or not written.startswith(f"{token.word}'s"):
        return False
    after, end = following[0], following[1:2]
    is_quality = after in lexicon.QUALITIES and end in ([], [","], ["not"], ["in"])
    return after in _AFTER_IS or after in lexicon.COLOURS or is_quality


def read_sentence(tokens: Sequence[Token], read: ReadClause) -> tuple[Command, ...] | None:
    """What it wants; None where it does not make sense as a whole."""
    known: dict[tuple[int, int], Clause | None] = {}

    def read_once(start: int, end: int) -> Clause | None:
        if (start, end) not in known:
            known[start, end] = read(tokens[start:end])
        return known[start, end]

    clauses = _segments(tokens)
    if len(clauses) > _MOST_CLAUSES:
        clauses = [(0, len(tokens))]
    for reading in _readings(clauses, read_once):
        commands = _together(reading)
        if commands:
            return commands
    return None


def _segments(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Start and end of the stretches between words that may join clauses."""
    joins = [place for place, token in enumerate(tokens) if token.word in _JOINS]
    bounds = zip([-1, *joins], [*joins, len(tokens)], strict=True)
    return [(start + 1, end) for start, end in bounds if end > start + 1]


def _readings(
    clauses: Sequence[tuple[int, int]], read: Callable[[int, int], Clause | None]
) -> Iterator[list[Clause]]:
    """All ways to read stretches together, the longest clauses first."""
    if not clauses:
        yield []
        return
    for count in range(len(clauses), 0, -1):
        clause = read(clauses[0][0], clauses[count - 1][1])
        if clause is not None:
            yield from ([clause, *rest] for rest in _readings(clauses[count:], read))


def _together(clauses: Sequence[Clause]) -> tuple[Command, ...]:
    """What clauses want together; empty where they want nothing, or contradict each other."""
    about: Subject | None = None
    gone: Subject | None = None
    is_objection = any(map(_objects, clauses))
    commands: list[Command] = []
    for clause in clauses:
        match clause:
            case Topic(subject=subject):
                about = subject
            case Denied(subject=subject, is_absent=is_absent):
                about = subject or about
                gone = subject if is_absent else gone
            case Bare(label=label):
                if not is_objection:
                    return ()
                commands.append(Rename(about or Marked(), label))
            case Aside():
                pass
            case _:
                commands.append(clause if about is None else _about(clause, about))
    if gone is not None and not commands:
        commands = [DeleteObject(gone)]
    unique = _without_repetitions(commands)
    return () if _contradict(unique) else tuple(unique)


def _objects(clause: Clause) -> bool:
    if isinstance(clause, Aside | Bare):
        return clause.is_objection
    return isinstance(clause, Denied | Topic)


def _about(command: Command, subject: Subject) -> Command:
    """With what was spoken of in the place of "it"."""
    if isinstance(command, Merge) and command.subjects == (Marked(),):
        return replace(command, subjects=_each(subject))
    if isinstance(command, Split):
        if isinstance(subject, Several) or command.subject != Marked():
            return command
        return replace(command, subject=subject)
    if isinstance(command, OfOne) and command.subject == Marked():
        return replace(command, subject=subject)
    return command


def _each(subject: Subject) -> tuple[Reference, ...]:
    return subject.numbers if isinstance(subject, Several) else (subject,)


def _without_repetitions(commands: Sequence[Command]) -> list[Command]:
    """ "These are one chair, merge them": once is enough."""
    kept: list[Command] = []
    for command in commands:
        before = next((one for one in kept if _is_repeated(one, command)), None)
        if before is None:
            kept.append(command)
        elif _says_more(command, before):
            kept[kept.index(before)] = command
    return kept


def _is_repeated(first: Command, second: Command) -> bool:
    if isinstance(first, Merge) and isinstance(second, Merge):
        return True
    kinds = Split | DeleteObject
    same = type(first) is type(second) and isinstance(first, kinds)
    return first == second or (same and Marked() in (_subject(first), _subject(second)))


def _says_more(second: Command, first: Command) -> bool:
    if isinstance(first, Merge) and isinstance(second, Merge):
        return (len(second.subjects), second.noun) > (len(first.subjects), first.noun)
    if isinstance(first, Split) and isinstance(second, Split):
        return second.noun > first.noun
    return _subject(first) == Marked() != _subject(second)


def _subject(command: Command) -> Subject | None:
    return command.subject if isinstance(command, OfOne) else None


def _contradict(commands: Sequence[Command]) -> bool:
    """The same thing would be called, or be, two things; or one thing and several."""
    if {Merge, Split} <= {type(command) for command in commands}:
        return True
    said: dict[tuple[Subject, str], Command] = {}
    for command in commands:
        if isinstance(command, Rename | SetAttribute):
            key = command.key if isinstance(command, SetAttribute) else "name"
            if said.setdefault((command.subject, key), command) != command:
                return True
    return False
