"""From a correcting sentence to its intent: to the letter, or what is likely meant, which is put to
the person.

A sentence that the grammar does not read may be said again in plain words by the networks; a part
of it may be read; it may say how many there are; or it tells of one thing what no attribute holds,
which can be noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from scenemind.language import lexicon, trees
from scenemind.language.assertions import asserts, broken_up, clauses_of
from scenemind.language.corrections.grammar import (
    is_order_to_delete,
    notes_of,
    parse_commands,
    read_most,
)
from scenemind.language.english import shown, singular
from scenemind.language.follow_ups import with_meant
from scenemind.language.questions import find_question
from scenemind.language.referring.reader import read
from scenemind.language.referring.whole import ends_noun, read_phrase
from scenemind.language.rewording import as_correction, commands_of
from scenemind.language.speech_acts import (
    Frame,
    agrees,
    any_of,
    begins_with_no,
    is_order,
    is_question,
)
from scenemind.language.spelling import spelled_correction
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory import MemoryAccess
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.edits import (
    Intent,
    doubt_of_guess,
    doubt_of_wish,
    intent_of,
    order_of,
)
from scenemind.reasoning.symbolic.refusals import (
    CORRECTIONS,
    did_you_mean_this,
    not_understood,
)
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.set_answers import exists

_NOTES = 'What else is so of a thing I can note: "note of the lamp: it needs a new bulb".'
_FEWEST_WORDS = 3  # of a correction that is said again: a word or two are no sentence
_WORTH_OFFERING = 0.2  # least likelihood of a correction that is offered
_LIKELY_MEANT = 0.5  # least likelihood of one that is rather meant than a note
_PARTLY_READ = 0.55  # likelihood that a correction is meant whose further clauses are not read
_DENIED = 0.2  # the same where they may say what it is, of which only the denial was read
_IS, _WORD = re.compile(r"\b(?:is|are)\b"), re.compile(r"[\w-]+")
_IS_ON = re.compile(  # "it is off", "they switched it off", but "they knocked it off"
    r"(?:\b(?:is|are|was|were|be|been|stays?|left|keeps?|switch\w*|turn\w*|power\w*)|'s)\b"
    r"(?: \w+){0,3} (?:on|off)\b"
)
_FRAME = Frame("front", "closing")
_LONGEST_ANSWER = 12  # words
_JUST_AFTER = 3  # words: "not really gone"
_GONE = frozenset(("gone", "vanished", "disappeared", "missing", "lost"))
_SUPPOSED = re.compile(r"^(?:maybe|perhaps|possibly)\b[ ,]*", re.IGNORECASE)
_SILENCED = re.compile(rf"\b{any_of('silencing')}\b")
_HOW_MANY = re.compile(
    r"(?:there (?:are|is|were|should be)|there's|(?:we|i) (?:only )?(?:have|own|count|see)) "
    r"(?P<only>(?:only|just) )?(?:the )?"
    r"(?P<things>(?:\w|[ -])+?)(?= not\b| instead\b| rather\b|[^\w -]|$)",
    re.IGNORECASE,
)


def intent_of_sentence(
    query: Query, by: str, resolver_of: Callable[[Query], Resolver], memory: MemoryAccess
) -> Intent:
    """Intent of a correcting sentence.

    Args:
        by: name of the speaker.

    Raises:
        ReasoningError: `not_understood`, `not_found` or `ambiguous`.
        SceneMemoryError: similar objects cannot be searched for.
    """

    def intent(commands: Sequence[trees.Command], said: Query) -> Intent:
        return intent_of(commands, said, resolver_of, memory, by)

    answered = _answered(query, resolver_of(query)) if query.before else None
    if answered is not None:
        wanted = intent(answered.commands, query)
        is_sure = wanted.doubt is not None or answered.likelihood == 1.0
        return wanted if is_sure else replace(wanted, doubt=doubt_of_guess(wanted.response))
    try:
        commands = parse_commands(query.text)
    except NotUnderstoodError as error:
        return _half_understood(query, resolver_of(query), intent, error)
    try:
        wanted = intent(commands, query)
    except ReasoningError as error:
        _check_number(query, resolver_of(query))
        are_moves = all(isinstance(command, trees.AddRelation) for command in commands)
        note = _noted(query, resolver_of(query).scene.rows_of_label) if are_moves else None
        if note is None or error.failure.code != "not_found":
            raise
        wanted = intent(note.commands, replace(query, text=note.text))
        doubt = doubt_of_guess(wanted.response)
        return replace(wanted, doubt=replace(doubt, text=f"{error} {doubt.text}"))
    if wanted.edits and wanted.doubt is None and not asserts(query.text):
        doubt = doubt_of_wish(wanted.edits, wanted.objects, wanted.response)
        return replace(wanted, doubt=doubt)
    return wanted


def _answered(query: Query, at: Resolver) -> _Reading | None:
    """The correction before, of the thing that an answer tells from others of its kind: "the left
    one", "no, the other", "24"; None for other sentences."""
    words = [token.word for token in broken_up(query.text)]
    words = words[_FRAME.starts(words)[-1] : _FRAME.end(words)]
    words = words[2 * (words[:2] in (["it", "is"], ["that", "is"])) :]
    if len(words) > _LONGEST_ANSWER:
        return None
    said: trees.Reference | None = None
    if words and words[-1].isdigit() and set(words[:-1]) <= {"number", "object", "the"}:
        said = trees.ObjectNumber(int(words[-1][:9]))
    elif words and words[0] in lexicon.DEFINITE:
        said = read_phrase(tuple(words))[0] or read(" ".join(words)).phrase
    if said is None or (isinstance(said, trees.NounPhrase) and said.noun):
        return None
    before, is_no = replace(query, text=query.before, before=""), begins_with_no(query.text)
    try:
        read_as = _Reading(before.text, parse_commands(before.text), 1.0)
    except NotUnderstoodError:
        none = _Reading("", (), 0.0)
        read_as = next(_readings(before, at.scene.rows_of_label), none)
    for part in dict.fromkeys(trees.noun_phrases(read_as.commands)):
        if part.definite and (is_no or _is_open(part, at)):
            commands = trees.with_part(read_as.commands, part, _instead(said, part, at))
            return replace(read_as, commands=commands)
    return None


def _is_open(phrase: trees.NounPhrase, at: Resolver) -> bool:
    """Whether a phrase leaves open which thing it means."""
    try:
        at.single(phrase)
    except ReasoningError as error:
        return error.failure.code == "ambiguous"
    return False


def _instead(said: trees.Reference, part: trees.NounPhrase, at: Resolver) -> trees.Reference:
    """What is said in place of a part, which is of its kind: "the left one" as "the left chair"."""
    if not isinstance(said, trees.NounPhrase):
        return said
    if said.other and at.has_marks:
        return part.that(trees.Among(trees.Marked(), negated=True))
    instead: trees.Reference = with_meant(said, part)
    return instead


def _half_understood(
    query: Query,
    at: Resolver,
    intent: Callable[[Sequence[trees.Command], Query], Intent],
    error: NotUnderstoodError,
) -> Intent:
    """The likely intent of a sentence that was not understood, to be confirmed by the person.

    Raises:
        ReasoningError: `not_understood`, where that is not clear enough; or with what was probably
            meant, and why it cannot be done.
    """
    labels = at.scene.rows_of_label
    otherwise = _refused(error, query.text, labels)
    if is_order(query.text) or _forbids(query.text):
        raise otherwise
    _check_number(query, at)
    failures: list[ReasoningError] = []
    for said in _readings(query, labels, with_note=not otherwise.failure.suggestion):
        try:
            wanted = intent(said.commands, replace(query, text=said.text))
        except ReasoningError as failed:
            text = f'I take that as "{said.text}". {failed}'
            is_open = failed.failure.code != "not_found"
            at_place = 0 if is_open else len(failures)
            failure = ReasoningError("not_understood", text, failed.failure.suggestion)
            failures.insert(at_place, failure)
            if is_open:
                break
            continue
        doubt = wanted.doubt
        if doubt is None:
            suggestion = said.text if said.text != query.text else ""
            return replace(wanted, doubt=doubt_of_guess(wanted.response, suggestion))
        text = f'I take that as "{said.text}". {doubt.text}'
        say = doubt.suggestion or order_of(wanted.edits)
        doubt = replace(doubt, code="not_understood", text=text, suggestion=say)
        return replace(wanted, doubt=doubt)
    raise next(iter(failures), otherwise)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a sentence may say, in other words, and how likely that is meant."""

    text: str
    commands: tuple[trees.Command, ...]
    likelihood: float


def _readings(
    query: Query, labels: Collection[str], *, with_note: bool = True
) -> Iterator[_Reading]:
    """What a sentence may mean that the grammar does not read, the likeliest first.

    Args:
        with_note: also as a note.
    """
    note = _noted(query, labels) if with_note else None
    said = _said_again(query, note)
    yield from dict.fromkeys(filter(None, (said, note)))


def _said_again(query: Query, note: _Reading | None) -> _Reading | None:
    """A sentence as plain corrections of things that it names, or as a note that is likelier meant;
    None where there are none that are worth offering."""
    if len(tokenize(query.text)) < _FEWEST_WORDS:
        return None
    if (supposed := _SUPPOSED.sub("", query.text)) != query.text:
        with suppress(NotUnderstoodError):
            return _Reading(supposed, parse_commands(supposed), _PARTLY_READ)
    plain, (part, read) = as_correction(query.text, query.before), read_most(query.text)
    least = plain.likelihood if plain is not None and plain.text else 0.0
    denies_only = all(isinstance(command, trees.Deny) for command in read)
    is_ordered = any(map(is_order_to_delete, read))
    if read and (is_ordered or least < (_DENIED if denies_only else _PARTLY_READ)):
        return _Reading(part, read, _PARTLY_READ)
    if plain is None or least < _WORTH_OFFERING:
        return None
    if least < _LIKELY_MEANT and note is not None:
        return note
    commands = commands_of(plain.text)
    said = _Reading(plain.text, commands, least)
    if any(isinstance(command, trees.Undo | trees.Redo) for command in commands):
        return None
    deletes = any(isinstance(command, trees.DeleteObject) for command in commands)
    if deletes and said.likelihood < _LIKELY_MEANT:
        return None  # who says yes to the wrong one loses a thing
    is_switched = any(_value(command) in ("on", "off") for command in commands)
    if is_switched and not _IS_ON.search(query.text.lower()):
        return None
    denied = _only_denied(query.text)
    if any(not denied.isdisjoint(_claimed(command)) for command in commands):
        match commands:
            case [trees.SetAttribute(subject=subject, key=key, value=value)]:
                denial = trees.Deny(subject, value, key)  # "stop telling people it is dirty"
                said = _Reading(query.text, (denial,), least)
            case _:
                return None  # "the pram has not disappeared" is no "the pram is gone"
    named = [phrase.noun for phrase in trees.noun_phrases(commands)]
    if any(_goes_on(_value(command), query.text, named) for command in commands):
        return None  # "it is olive oil" is no "it is olive"
    heard = {singular(token.word) for token in tokenize(f"{query.text} {query.before}")}
    is_said = heard.issuperset(singular(word) for noun in named for word in noun.split())
    return said if is_said else None


def _goes_on(value: str, text: str, named: Sequence[str]) -> bool:
    """Whether more of a name follows where a text says a value: "it is olive" of "olive oil".

    Args:
        named: nouns that may follow: "it is red" of "a red cup".
    """
    said, last = " ".join(token.word for token in broken_up(text)), value.rpartition(" ")[2]
    _, found, after = f" {said}".rpartition(f" {last} ")
    words = after.split(",")[0].split()
    follows = found and words and _FRAME.end(words) and not ends_noun(words, 0, True)
    return bool(follows) and singular(words[0]) not in " ".join(named).split()


def _only_denied(text: str) -> set[str]:
    """The words of a text, in the singular, that it denies and says nowhere else: just after what
    denies, as what stands further on may be said of the thing again."""
    said: dict[bool, set[str]] = {True: set(), False: set()}
    for clause in clauses_of(text):
        since, silences = 0, _SILENCED.search(" ".join(clause.words)) is not None
        for word, is_denied in zip(clause.words, clause.denied, strict=True):
            since = since + 1 if is_denied else 0
            said[0 < since <= (_LONGEST_ANSWER if silences else _JUST_AFTER)].add(singular(word))
    return said[True] - said[False]


def _claimed(command: trees.Command) -> Collection[str]:
    """The words that end what a command says of a thing; those for its being gone."""
    if isinstance(command, trees.DeleteObject):
        return _GONE
    return (singular(_value(command).rpartition(" ")[2]),)


def _value(command: trees.Command) -> str:
    """What a command says of a thing that is not known so far."""
    match command:
        case trees.Rename() | trees.IsA():
            return command.label
        case trees.SetAttribute():
            return command.value
        case trees.AddRelation(anchor=trees.NounPhrase() as anchor):
            return anchor.noun
    return ""


def _forbids(text: str) -> bool:
    """Whether a sentence asks to leave something be: "don't rename the sofa"."""
    return any(clause.words[:2] == ("do", "not") for clause in clauses_of(text)[:1])


def _noted(query: Query, labels: Collection[str]) -> _Reading | None:
    """A statement on a thing of the map as a note of it."""
    for note, noun in notes_of(query.text):
        if not noun and not query.marked_object_ids:
            continue
        if not noun or any(match.sure for match in Vocabulary.load().match(noun, labels)):
            return _Reading(note, parse_commands(note), _PARTLY_READ)
    return None


def _check_number(query: Query, at: Resolver) -> None:
    """Check that a sentence does not say how many things there are, which says of none what it is.

    Raises:
        ReasoningError: `invalid_request`: it does; with the things that are known.
    """
    told = _HOW_MANY.search(query.text)
    if told is None:
        return
    question = find_question(f"are there {'exactly ' if told['only'] else ''}{told['things']}?")
    if not isinstance(question, trees.Exists) or not question.subject.count:
        return
    known = exists(question, at).sentence
    if known.startswith("Yes"):
        raise ReasoningError("invalid_request", f"That is what I have: {known[5:]}")
    way_out = (
        "A number alone tells me of none what is wrong: say where one is that I miss"
        ' ("there is a chair next to the desk"), or which I have twice or wrong'
        ' ("objects 3 and 5 are one chair")'
    )
    raise ReasoningError("invalid_request", f"{known} {way_out}.")


def _refused(error: NotUnderstoodError, text: str, labels: Collection[str]) -> ReasoningError:
    """The refusal of a sentence that is no correction, to be raised; with what it is when its
    misspelled words are set right, where that is one."""
    if agrees(text):
        text = "Nothing waits for a yes, and nothing was changed."
        return ReasoningError("not_understood", text)
    if _forbids(text):
        return ReasoningError("not_understood", f'"{shown(text)}": I did not, and changed nothing.')
    if is_question(text) or is_order(text):
        act = f'"{shown(text)}" is a {"question" if is_question(text) else "request"}'
        text = f"{act}, and no correction: nothing was changed. Ask it instead."
        return ReasoningError("not_understood", text)

    refusal, meant = not_understood(error, text), spelled_correction(text, labels)
    try:
        if not meant:
            raise error
        parse_commands(meant)
    except NotUnderstoodError:
        return ReasoningError("not_understood", f"{refusal} {CORRECTIONS} {_NOTES}")
    return ReasoningError("not_understood", f"{refusal} {did_you_mean_this(meant)}", meant)
