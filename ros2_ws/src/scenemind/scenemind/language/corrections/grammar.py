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
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.assertions import broken_up, clauses_of, is_verb, stretches
from scenemind.language.corrections.commands import (
    Aside,
    Bare,
    Clause,
    Denied,
    Excepted,
    Topic,
    find_clause,
)
from scenemind.language.corrections.slots import TABLE
from scenemind.language.english import SENTENCE_END, is_plural
from scenemind.language.lexicon import DEFINITE
from scenemind.language.measures import LENGTH, metres_of
from scenemind.language.referring.whole import ends_noun, except_things, read_phrase
from scenemind.language.shapes import Sentence
from scenemind.language.speech_acts import Frame, is_question, words_in
from scenemind.language.tokens import NotUnderstoodError

_OF_WHOLES = (trees.DeleteObject, trees.Merge, trees.Split)
_EXCEPTING = frozenset(("except", "excepting", "apart", "aside"))
_MOST_CLAUSES = 7  # more are read as one clause: a list of words is no sentence of many corrections
_MOST_WORDS = 60  # of a clause; a longer one is no correction
_MOST_STARTS = 6  # readings of one clause, the shortest of them
_FRAME = Frame("front", "closing")
_ONES = frozenset(("one", "ones"))
_OBJECTING = words_in("objecting")
_LIMITING = frozenset(("if", "unless", "until", "whether", "otherwise", "joking", "kidding", "or"))
_OF_MANY = frozenset(("are", "have", "were", "do"))
_SENTENCE_END = re.compile(rf"{SENTENCE_END}\s+")
_POINTING = (("it",), ("this",), ("that",), ("they",))
_POINTERS = lexicon.DEFINITE | lexicon.POINTERS
_LENGTHS = re.compile(rf"(?:\ba good |\b){LENGTH}")
_PUT, _OVER = (frozenset(TABLE["words"][name].split(" | ")) for name in ("put", "over"))
_PUT -= {"took"}
_MOST_NAMING = 12  # words that name the thing of a note
# Words before what may be left out at the end of a clause: "... to wash it", "... with the handle".
_TAILS = lexicon.NOUN_END | {form[0] for form in lexicon.RELATIONS} | words_in("tails")
_TAILS -= DEFINITE - {"that"}
_CONTRASTING = frozenset(("but", "although", "though", *_EXCEPTING))


def parse_commands(text: str) -> tuple[trees.Command, ...]:
    """Commands of a correcting sentence: "the cup is a mug and it is blue" has two.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    tokens = broken_up(text)
    if is_question(text):
        raise NotUnderstoodError(text.strip())
    said = Sentence(text, tokens)
    clauses = stretches(said.words, _EXCEPTING)
    if len(clauses) > _MOST_CLAUSES:
        clauses = [(0, len(tokens))]
    denial: trees.Deny | None = None
    read = cache(lambda start, end: _find_clause(said, start, end))
    for spans in _parts(said, clauses, read, in_part=False):
        reading = [clause for span in spans for clause in read(*span)]
        commands = _combined(reading)
        if commands:
            return commands if _ONES.isdisjoint(said.words) else _of_one_kind(commands)
        denial = denial or _only_denial(reading)
    if denial is None:
        raise said.error()
    return (denial,)


def read_most(text: str) -> tuple[str, tuple[trees.Command, ...]]:
    """The part of a correcting sentence that corrects something: "it's a bass, not a guitar" of
    "..., count the strings", "he's taken the cup" of "he's taken the cup to the kitchen, I think".
    With its commands; both empty without any.

    What is left out may not limit what is kept ("... unless it is Tuesday"); what is kept names its
    things itself.
    """
    said = Sentence(text, broken_up(text))
    clauses = stretches(said.words, _EXCEPTING)
    limits = not _LIMITING.isdisjoint(said.words)
    said.slot.is_free = True
    if limits or is_question(text) or len(clauses) > _MOST_CLAUSES:
        return "", ()
    read = cache(lambda start, end: _find_clause(said, start, end))
    parts = _parts(said, clauses, read)
    for kept in sorted(parts, key=lambda spans: sum(start - end for start, end in spans)):
        commands = _combined([clause for span in kept for clause in read(*span)])
        has_verb = any(_may_be_verb(word) for span in kept for word in said.words[slice(*span)])
        has_verb |= any(map(is_order_to_delete, commands))
        if not (commands and has_verb):
            continue
        part = ", ".join(_in_one(said.written(*span)) for span in kept)
        is_told = all(clause.is_told or clause.is_in_map for clause in clauses_of(part))
        points = any(map(_is_of_marked, commands)) or not _ONES.isdisjoint(part.split())
        if is_told and (kept[0][0] < clauses[0][1] or not points):
            return part, commands
    return "", ()


_Spans = tuple[tuple[int, int], ...]


def _parts(
    said: Sentence,
    clauses: Sequence[tuple[int, int]],
    read: Callable[[int, int], tuple[Clause, ...]],
    *,
    in_part: bool = True,
    is_kept: bool | None = None,
) -> Iterator[_Spans]:
    """All ways to group stretches of words into clauses that are read, the longest clauses first.

    Args:
        in_part: clauses that correct nothing may be left out, and the ends of others ("... to wash
            it").
        is_kept: whether the clause before them is kept whole: it is not limited by what is left
            out ("but not the red one"), and not parted from the end of its list.
    """
    if not clauses:
        yield ()
        return
    (start, end), *rest = clauses
    before = said.words[start - 1] if start else ""
    is_end = in_part and before == "and" and not any(map(is_verb, said.words[start:end]))
    for count in range(len(clauses), 0, -1) if not is_end or is_kept else ():
        first, last = max(start + 2, clauses[count - 1][0]), clauses[count - 1][1]
        tails = (at for at in range(last - 1, first, -1) if in_part and said.words[at] in _TAILS)
        stop = next((at for at in (last, *tails) if read(start, at)), 0)
        if stop:
            others = _parts(said, clauses[count:], read, in_part=in_part, is_kept=stop == last)
            yield from (((start, stop), *other) for other in others)
    is_limit = bool(is_kept) and (is_end or before in _CONTRASTING)
    if in_part and not is_limit and (is_end or not _combined(read(start, end))):
        yield from _parts(said, rest, read, is_kept=False)


def notes_of(text: str) -> Iterator[tuple[str, str]]:
    """A statement on one thing as a note of it, and the noun of the thing, for each way to read its
    name, the longest first: "the lamp in the hall has no shade" as "note of the lamp in the hall:
    it has no shade". The noun of "it needs water" is empty."""
    said = Sentence(text, broken_up(text))
    words, tokens = said.words, said.tokens
    if is_question(text) or not all(clause.is_told for clause in clauses_of(text)[:1]):
        return
    for first, last in stretches(words):
        if not _POINTERS.isdisjoint(words[:first]):
            return  # "swap those two round, ..." would be left out
        start = first + _FRAME.starts(words[first:last])[-1]
        yield from _note_of_moved(said, start)
        for end in range(min(len(words) - 2, start + _MOST_NAMING), start, -1):
            verb, name = words[end], words[start:end]
            is_told = _may_be_verb(verb) or verb.endswith("s")
            if not (is_told and _ONES.isdisjoint(name)):
                continue
            thing = trees.Marked() if name in _POINTING else read_phrase(name)[0]
            is_one = isinstance(thing, trees.Marked) or (
                isinstance(thing, trees.NounPhrase) and words[start] in DEFINITE and thing.noun
            )
            if not is_one or thing is None:
                continue
            are_many = verb in _OF_MANY or is_plural(thing.noun)
            it, told = "they" if are_many else "it", _in_one(said.written(end, len(words)))
            if tokens[end].start == tokens[end - 1].start:  # "the cushion's got stripes"
                told = f"{'has' if words[end + 1] == 'got' else verb} {told.partition(' ')[2]}"
            yield f"note of {' '.join(name)}: {it} {_in_metres(told)}", thing.noun


def _in_metres(told: str) -> str:
    """A text with its lengths in metres: "2 m high" of "a good two metres high"."""

    def written(found: re.Match[str]) -> str:
        metres = metres_of(found)
        return found.group() if metres is None else f"{round(metres, 2):g} m"

    return _LENGTHS.sub(written, told)


def _note_of_moved(said: Sentence, start: int) -> Iterator[tuple[str, str]]:
    """ "I have moved the chair round to the far side" as "note of the chair: it was moved round to
    the far side"."""
    words, at = said.words, start + 1
    while at < len(words) and words[at] in lexicon.AGENTS_MAY:
        at += 1
    if at >= len(words) or words[start] not in lexicon.AGENTS or words[at] not in _PUT:
        return
    ends = (
        end
        for end in range(at + 2, len(words))
        if words[end] in _OVER or ends_noun(words, end, True)
    )
    name = words[at + 1 : next(ends, at + 1)]
    thing = read_phrase(name)[0] if name and name[0] in DEFINITE else None
    if isinstance(thing, trees.NounPhrase) and thing.noun:
        told = f"{'were' if is_plural(thing.noun) else 'was'} {words[at]}"
        told = f"{told} {_in_one(said.written(at + 1 + len(name), len(words)))}"
        it = "they" if is_plural(thing.noun) else "it"
        yield f"note of {' '.join(name)}: {it} {told}", thing.noun


def _may_be_verb(word: str) -> bool:
    return is_verb(word) or word in lexicon.VERB_FORMS or word.endswith("ed")


def _in_one(said: str) -> str:
    """Sentences as one."""
    return _SENTENCE_END.sub(", ", said.strip(" ,.;:!"))


def _is_of_marked(command: trees.Command) -> bool:
    """Whether a command is about what is marked, or puts something there."""
    if isinstance(command, trees.Split) and command.noun:
        return False
    return trees.Marked() in (getattr(command, name, None) for name in ("subject", "anchor"))


def is_order_to_delete(command: trees.Command) -> bool:
    """Whether a command orders to delete ("scrap the vase"), and does not tell what is gone."""
    return isinstance(command, trees.DeleteObject) and not command.is_told


def is_of_last(command: trees.Command) -> bool:
    """Whether a command is about the object of the one before ("and it is blue")."""
    return isinstance(command, trees.OfOne) and command.subject == trees.Marked()


def _find_clause(said: Sentence, start: int, end: int) -> tuple[Clause, ...]:
    """Content of a clause without its speech acts; empty where it is not understood."""
    if end - start > _MOST_WORDS:
        return ()
    words = said.words[start:end]
    for first, last in _contents(words):
        objects = not _OBJECTING.isdisjoint((*words[:first], *words[last:]))
        if first >= last:
            return (Aside(objects),)
        clause = find_clause(said, start + first, start + last)
        if isinstance(clause, Bare) and _is_asked(said, end):
            return (Topic(trees.NounPhrase(clause.label, definite=True), is_bare=True),)
        if isinstance(clause, Bare):
            return (replace(clause, is_objection=objects),)
        if clause is not None:
            return clause if isinstance(clause, tuple) else (clause,)
    return ()


def _is_asked(said: Sentence, end: int) -> bool:
    """Whether a clause is a question that the next one answers: "umbrella? There is none"."""
    following = said.tokens[end : end + 1]
    return bool(following) and said.text[: following[0].start + 1].rstrip().endswith("?")


def _contents(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First word and end of each candidate reading without speech acts, from the shortest to the
    whole sentence: "no" belongs to the words after it in "no chair there"."""
    end = _FRAME.end(words)
    for start in reversed([0, *_FRAME.starts(words)[1:][-_MOST_STARTS:]]):
        yield start, max(start, end)
    if end < len(words):
        yield 0, len(words)


def _combined(clauses: Sequence[Clause]) -> tuple[trees.Command, ...]:
    """Commands of the clauses together; empty where there are none, or they contradict each
    other."""
    topic = next((c for c in reversed(clauses[1:]) if isinstance(c, Topic)), None)
    if topic is not None and isinstance(topic.subject, trees.NounPhrase):
        is_last = topic is clauses[-1]
        if is_last or not topic.subject.noun:  # "that is a magazine, the one by the cup"
            clauses = [topic, *(clause for clause in clauses if clause is not topic)]
    about: trees.Subject | None = None
    gone: trees.Subject | None = None
    it: trees.Reference | None = None
    noun = ""
    is_objection = any(map(_objects, clauses))
    commands: list[trees.Command] = []
    excepted: list[Excepted] = []
    waits = False  # whether a bare topic has nothing said about it yet
    for clause in clauses:
        match clause:
            case Topic(subject=subject, is_bare=is_bare, at=at):
                if waits:
                    return ()
                about, waits = subject, is_bare
                it = at or it
            case Excepted():
                excepted.append(clause)
            case Denied() if any(isinstance(said, _OF_WHOLES) for said in commands):
                return ()  # "delete the chairs, but not the red one"
            case Denied(subject=subject, is_absent=is_absent, noun=denied, key=key):
                about = subject or about
                noun = noun if key else denied or noun
                gone = subject if is_absent else gone
            case Bare(label=label):
                if not is_objection:
                    return ()
                commands.append(trees.Rename(about or trees.Marked(), label))
                waits = False
            case Aside():
                pass
            case trees.DeleteObject(is_told=True) if about is None:
                about = clause.subject  # "it is not real, it is a picture on the wall"
                commands.append(clause)
            case _:
                said = clause if about is None else _with_subject(clause, about)
                said = _with_anchor(said, commands[-1] if commands else None)
                said = _with_it(said, it or next(iter(map(_subject, commands)), None))
                match commands[-1:], said:
                    case [trees.IsAt(is_missed=True) as missed], trees.AddRelation():
                        place = trees.Related(said.predicate, (said.anchor,))
                        commands[-1] = replace(missed, subject=missed.subject.that(place))
                        continue  # "you missed the lamp, it is on the desk"
                waits &= said == clause and _subject(clause) != about
                commands.append(said)
    if waits:
        return ()
    commands = [
        replace(one, denied=one.denied or noun)
        if isinstance(one, trees.Rename | trees.IsA)
        else one
        for one in commands
    ]
    # "It is not real, it is a picture", "it is plastic"; "it is not on the shelf, I have sold it".
    says = trees.Rename | trees.IsA | trees.SetAttribute
    named = {_subject(one) for one in commands if isinstance(one, says)}
    told = (trees.DeleteObject(subject, is_told=True) for subject in named if subject)
    commands = [one for one in commands if one not in set(told)]
    if any(isinstance(command, trees.DeleteObject) for command in commands):
        of_first = _subject(commands[0]) or trees.Marked()
        # "Remove the vase, it is the same thing as the plant": the order counts, not its reason.
        kept = (
            c for c in commands if not isinstance(c, trees.DeleteRelation) and not _is_reason(c)
        )
        commands = [_with_subject(one, of_first) for one in kept]
        # "Forget the phone on the wall, it is a picture".
        lost = {_subject(one) for one in commands if isinstance(one, trees.DeleteObject)}
        commands = [c for c in commands if not isinstance(c, says) or _subject(c) not in lost]
    for one in excepted:
        if len(commands) != 1 or (left := _find_without(commands[0], one)) is None:
            return ()
        commands = [left]
    if gone is not None and not commands:
        commands = [trees.DeleteObject(gone, is_told=True)]
    claimed = [_subject(command) for command in commands]
    if any(isinstance(c, Denied) and c.subject not in (None, gone, *claimed) for c in clauses):
        return ()  # "the sofa is blue and the shelf is not white"
    unique = _without_repetitions(commands)
    return () if _contradict(unique) else tuple(unique)


def _of_one_kind(commands: tuple[trees.Command, ...]) -> tuple[trees.Command, ...]:
    """Commands in which "the blue one" is of the kind that was named before: "the green mug is
    mine, the blue one is Peter's"."""
    noun, found = "", list[trees.Command]()
    for command in commands:
        subject = _subject(command)
        if isinstance(command, trees.OfOne) and isinstance(subject, trees.NounPhrase):
            noun = subject.noun or noun
            command = replace(command, subject=replace(subject, noun=noun))
        found.append(command)
    return tuple(found)


def _only_denial(clauses: Sequence[Clause]) -> trees.Deny | None:
    """What is denied by clauses that claim nothing."""
    denials = [clause for clause in clauses if isinstance(clause, Denied)]
    topics = [clause.subject for clause in clauses if isinstance(clause, Topic)]
    if len(denials) != 1 or not denials[0].noun or not all(map(_objects, clauses)):
        return None
    denied = denials[0]
    subject = denied.subject or next(iter(topics), trees.Marked())
    return trees.Deny(subject, denied.noun, denied.key)


def _objects(clause: Clause) -> bool:
    if isinstance(clause, Aside | Bare):
        return clause.is_objection
    return isinstance(clause, Denied | Topic)


def _with_subject(command: trees.Command, subject: trees.Subject) -> trees.Command:
    """The command with "it" replaced by a topic."""
    parts = subject.parts if isinstance(subject, trees.Several) else (subject,)
    if isinstance(command, trees.Merge) and command.subjects == (trees.Marked(),):
        return replace(command, subjects=parts)
    if not isinstance(command, trees.OfOne):
        return command
    is_there = isinstance(command, trees.Rename) and command.subject == replace(
        trees.NounPhrase("", True), conditions=getattr(command.subject, "conditions", ())
    )  # "the laptop? It is only a sheet of paper on a stand"
    if command.subject != trees.Marked() and not is_there:
        return command
    if not isinstance(command, trees.Split):
        return replace(command, subject=subject)
    return command if isinstance(subject, trees.Several) else replace(command, subject=subject)


def _with_anchor(command: trees.Command, before: trees.Command | None) -> trees.Command:
    """A relation to "it", of the same thing as the one before: "it is not beside the fridge, it is
    on top of it"."""
    relation = trees.AddRelation | trees.DeleteRelation
    if not isinstance(command, relation) or not isinstance(before, relation):
        return command
    is_same = command.subject in (before.subject, trees.Marked())
    if not is_same or command.anchor != trees.Marked():
        return command
    return replace(command, subject=before.subject, anchor=before.anchor)


def _with_it(command: trees.Command, it: trees.Subject | None) -> trees.Command:
    """A command in whose phrases "it" is a thing that was named before: "the sofa is beige, the
    wall behind it is grey"."""
    if not isinstance(it, trees.NounPhrase):
        return command
    parts: dict[str, Any] = {}
    for name in ("subject", "anchor"):
        phrase = getattr(command, name, None)
        if isinstance(phrase, trees.NounPhrase):
            parts[name] = trees.with_part(phrase, trees.Marked(), it)
    return replace(command, **parts)


def _find_without(command: trees.Command, excepted: Excepted) -> trees.Command | None:
    """The command about all of its things but some; None where it is about one."""
    if not isinstance(command, trees.OfOne) or isinstance(command, trees.Split):
        return None
    subject = command.subject
    if not isinstance(subject, trees.NounPhrase) or not is_plural(subject.noun):
        return None
    but = except_things(excepted.things, subject, excepted.said)
    if but is None:
        return None
    return replace(command, subject=subject.that(but))


def _is_reason(command: trees.Command) -> bool:
    is_wish = isinstance(command, trees.AddRelation) and command.is_wish
    return is_wish or (isinstance(command, trees.Merge) and trees.Marked() in command.subjects)


def _without_repetitions(commands: Sequence[trees.Command]) -> list[trees.Command]:
    """Commands without repetitions ("these are one chair, merge them")."""
    kept: list[trees.Command] = []
    for command in commands:
        before = next((one for one in kept if _is_repeated(one, command)), None)
        if before is None:
            kept.append(command)
        else:
            said = max(before, command, key=_told)
            if isinstance(said, trees.DeleteObject):  # "it is not real, delete it" is an order
                is_told = all(getattr(each, "is_told", False) for each in (before, command))
                said = replace(said, is_told=is_told)
            kept[kept.index(before)] = said
    return kept


def _is_repeated(first: trees.Command, second: trees.Command) -> bool:
    subjects = {_subject(first), _subject(second)}
    is_of_one = trees.Marked() in subjects or len(subjects) == 1
    is_whole = isinstance(first, _OF_WHOLES) and type(first) is type(second)
    return first == second or (is_whole and is_of_one)


def _told(command: trees.Command) -> tuple[int, str, bool]:
    """How much a command tells."""
    things, noun = getattr(command, "subjects", ()), getattr(command, "noun", "")
    return len(things), noun, _subject(command) != trees.Marked()


def _subject(command: trees.Command) -> trees.Subject | None:
    return command.subject if isinstance(command, trees.OfOne) else None


def _contradict(commands: Sequence[trees.Command]) -> bool:
    """Whether one object gets two names or two values, or is both merged and split."""
    if {trees.Merge, trees.Split} <= {type(command) for command in commands}:
        return True
    said: dict[tuple[trees.Subject, str], trees.Command] = {}
    for command in commands:
        if isinstance(command, trees.Rename | trees.SetAttribute):
            key = command.key if isinstance(command, trees.SetAttribute) else "name"
            if said.setdefault((command.subject, key), command) != command:
                return True
    return False
