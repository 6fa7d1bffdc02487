"""Grammar of corrections: from a sentence to the commands in it.

"The microwave? That isn't one, it's a toolbox": a topic, a denial, a claim. A sentence is read as
few clauses as it can be; every word has to be read, and a denial without a claim is no correction.
What people say around a clause ("no, you got this wrong: ...") is removed by classes of words, not
by sentences; words that are surely of no class stay, so that the sentence is not understood ("I
doubt that this is a stool").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from scenemind.language.corrections.clauses import broken_up
from scenemind.language.corrections.commands import (
    Aside,
    Bare,
    Clause,
    Denied,
    Excepted,
    Topic,
    find_clause,
)
from scenemind.language.english import is_plural
from scenemind.language.parser import except_things
from scenemind.language.shapes import Sentence
from scenemind.language.speech_acts import Frame, any_of, words_in
from scenemind.language.tokens import NotUnderstoodError, Token
from scenemind.language.trees import (
    Command,
    DeleteObject,
    Deny,
    IsA,
    Marked,
    Merge,
    NounPhrase,
    OfOne,
    Reference,
    Rename,
    SetAttribute,
    Several,
    Split,
    Subject,
)

_OF_WHOLES = (DeleteObject, Merge, Split)
_JOINS = frozenset((",", "and", "but", "so", "because", "since", "although", "though"))
_EXCEPTING = frozenset(("except", "excepting", "apart", "aside"))
_MOST_CLAUSES = 7  # more are read as one clause: a list of words is no sentence of many corrections
_MOST_WORDS = 60  # of a clause; a longer one is no correction
_MOST_STARTS = 6  # readings of one clause, the shortest of them
_FRAME = Frame("front", "closing")
_TAG = re.compile(f"(?:, )?{any_of('tag')}$")
_ASKS_TO_DO = re.compile("(?:can|could|would|will) you ")
_OBJECTING = words_in("objecting")


def parse_commands(text: str) -> tuple[Command, ...]:
    """Commands of a correcting sentence: "the cup is a mug and it is blue" has two.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    tokens = broken_up(text)
    if is_doubtful(text, tokens):
        raise NotUnderstoodError(text.strip())
    said = Sentence(text, tokens)
    clauses = _segments(tokens)
    if len(clauses) > _MOST_CLAUSES:
        clauses = [(0, len(tokens))]
    denial: Deny | None = None
    for reading in _readings(clauses, cache(lambda start, end: _find_clause(said, start, end))):
        commands = _combined(reading)
        if commands:
            return commands
        denial = denial or _only_denial(reading)
    if denial is None:
        raise said.error()
    return (denial,)


def is_of_last(command: Command) -> bool:
    """Whether a command is about the object of the one before ("and it is blue")."""
    return isinstance(command, OfOne) and command.subject == Marked()


def _find_clause(said: Sentence, start: int, end: int) -> Clause | None:
    """Content of a clause without its speech acts; None where it is not understood."""
    if end - start > _MOST_WORDS:
        return None
    words = said.words[start:end]
    for first, last in _contents(words):
        objects = not _OBJECTING.isdisjoint((*words[:first], *words[last:]))
        if first >= last:
            return Aside(objects)
        clause = find_clause(said, start + first, start + last)
        if clause is not None:
            return replace(clause, is_objection=objects) if isinstance(clause, Bare) else clause
    return None


def without_speech_acts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Candidate readings without speech acts, from the shortest to the whole sentence.

    Several, because "no" belongs to the words after it in "no chair there". Some may be empty.
    """
    words = [token.word for token in tokens]
    return (tokens[first:last] for first, last in _contents(words))


def _contents(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First word and end of each candidate; see `without_speech_acts`."""
    end = _FRAME.end(words)
    for start in reversed(_starts(words)):
        yield start, max(start, end)
    if end < len(words):
        yield 0, len(words)


def _starts(words: Sequence[str]) -> list[int]:
    """Numbers of words up to which only speech acts stand; 0 is one of them."""
    return [0, *_FRAME.starts(words)[1:][-_MOST_STARTS:]]


def is_doubtful(text: str, tokens: list[Token]) -> bool:
    """Whether a sentence ends in a question mark that is neither a request nor a tag ("isn't
    it?")."""
    words = [token.word for token in tokens]
    if not text.rstrip().rstrip("\"')").endswith("?") or _TAG.search(" ".join(words)):
        return False
    openings = (" ".join(words[start : start + 3]) for start in _starts(words))
    return not any(map(_ASKS_TO_DO.match, openings))


def _segments(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Start and end of the stretches between words that may join clauses."""
    joins = [place for place, token in enumerate(tokens) if token.word in _JOINS | _EXCEPTING]
    starts = [place + (tokens[place].word in _JOINS) for place in joins]
    bounds = zip([0, *starts], [*joins, len(tokens)], strict=True)
    return [(start, end) for start, end in bounds if end > start]


def _readings(
    clauses: Sequence[tuple[int, int]], read: Callable[[int, int], Clause | None]
) -> Iterator[list[Clause]]:
    """All ways to group segments into clauses, the longest clauses first."""
    if not clauses:
        yield []
        return
    for count in range(len(clauses), 0, -1):
        clause = read(clauses[0][0], clauses[count - 1][1])
        if clause is not None:
            yield from ([clause, *rest] for rest in _readings(clauses[count:], read))


def _combined(clauses: Sequence[Clause]) -> tuple[Command, ...]:
    """Commands of the clauses together; empty where there are none, or they contradict each
    other."""
    about: Subject | None = None
    gone: Subject | None = None
    noun = ""
    is_objection = any(map(_objects, clauses))
    commands: list[Command] = []
    excepted: list[Excepted] = []
    waits = False  # whether a bare topic has nothing said about it yet
    for clause in clauses:
        match clause:
            case Topic(subject=subject, is_bare=is_bare):
                if waits:
                    return ()
                about, waits = subject, is_bare
            case Excepted():
                excepted.append(clause)
            case Denied() if any(isinstance(said, _OF_WHOLES) for said in commands):
                return ()  # "delete the chairs, but not the red one"
            case Denied(subject=subject, is_absent=is_absent, noun=denied):
                about = subject or about
                noun = denied or noun
                gone = subject if is_absent else gone
            case Bare(label=label):
                if not is_objection:
                    return ()
                commands.append(Rename(about or Marked(), label))
                waits = False
            case Aside():
                pass
            case _:
                said = clause if about is None else _with_subject(clause, about)
                waits &= said == clause and _subject(clause) != about
                commands.append(said)
    if waits:
        return ()
    commands = [_with_denial(command, noun) for command in commands]
    for one in excepted:
        if len(commands) != 1 or (left := _find_without(commands[0], one)) is None:
            return ()
        commands = [left]
    if gone is not None and not commands:
        commands = [DeleteObject(gone)]
    claimed = [_subject(command) for command in commands]
    if any(isinstance(c, Denied) and c.subject not in (None, gone, *claimed) for c in clauses):
        return ()  # "the sofa is blue and the shelf is not white"
    unique = _without_repetitions(commands)
    return () if _contradict(unique) else tuple(unique)


def _only_denial(clauses: Sequence[Clause]) -> Deny | None:
    """What is denied by clauses that claim nothing."""
    denials = [clause for clause in clauses if isinstance(clause, Denied)]
    topics = [clause.subject for clause in clauses if isinstance(clause, Topic)]
    if len(denials) != 1 or not denials[0].noun or not all(map(_objects, clauses)):
        return None
    return Deny(denials[0].subject or next(iter(topics), Marked()), denials[0].noun)


def _objects(clause: Clause) -> bool:
    if isinstance(clause, Aside | Bare):
        return clause.is_objection
    return isinstance(clause, Denied | Topic)


def _with_subject(command: Command, subject: Subject) -> Command:
    """The command with "it" replaced by a topic."""
    if isinstance(command, Merge) and command.subjects == (Marked(),):
        return replace(command, subjects=_each(subject))
    if isinstance(command, Split):
        if isinstance(subject, Several) or command.subject != Marked():
            return command
        return replace(command, subject=subject)
    if isinstance(command, OfOne) and command.subject == Marked():
        return replace(command, subject=subject)
    return command


def _find_without(command: Command, excepted: Excepted) -> Command | None:
    """The command about all of its things but some; None where it is about one."""
    if not isinstance(command, OfOne) or isinstance(command, Split):
        return None
    subject = command.subject
    if not isinstance(subject, NounPhrase) or not is_plural(subject.noun.rpartition(" ")[2]):
        return None
    but = except_things(excepted.things, subject, excepted.said)
    if but is None:
        return None
    return replace(command, subject=replace(subject, conditions=(*subject.conditions, but)))


def _with_denial(command: Command, noun: str) -> Command:
    """The command with the name that another clause has denied."""
    if not isinstance(command, Rename | IsA) or command.denied:
        return command
    return replace(command, denied=noun)


def _each(subject: Subject) -> tuple[Reference, ...]:
    return subject.parts if isinstance(subject, Several) else (subject,)


def _without_repetitions(commands: Sequence[Command]) -> list[Command]:
    """Commands without repetitions ("these are one chair, merge them")."""
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
    """Whether one object gets two names or two values, or is both merged and split."""
    if {Merge, Split} <= {type(command) for command in commands}:
        return True
    said: dict[tuple[Subject, str], Command] = {}
    for command in commands:
        if isinstance(command, Rename | SetAttribute):
            key = command.key if isinstance(command, SetAttribute) else "name"
            if said.setdefault((command.subject, key), command) != command:
                return True
    return False
