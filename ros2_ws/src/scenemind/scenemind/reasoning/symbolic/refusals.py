"""Refusals that help: the reason, and the nearest sentence that is understood.

A suggestion is offered, never taken: whoever asked may send it in place of their own words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from scenemind.language import lexicon
from scenemind.language.clauses import PARTS, clauses_of
from scenemind.language.english import grams, is_plural, joined, normal, plural, shown, singular
from scenemind.language.questions import find_question, read_text
from scenemind.language.referring.reader import read
from scenemind.language.rewording import Rewording, commands_of, reworded
from scenemind.language.spelling import spelled_question, thing_words
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.trees import Exists, NounPhrase, Question, SituatedQuestion, noun_phrases
from scenemind.language.verbalization import describe
from scenemind.language.vocabulary import Vocabulary
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import find_kind
from scenemind.reasoning.symbolic.usual import find_room

_LONGEST_NAME = 3  # words
_WORTH_OFFERING = 0.2  # least likelihood of a plain question
QUESTIONS = (
    "I answer questions about the objects of the map: what is where, how many, how big, what"
    " changed. See `scenemind ask --help`."
)
_TOLD = (
    "That tells me something and asks nothing: to correct the map, say it with `scenemind align`"
    " (`scene.align` in Python)."
)
CORRECTIONS = (
    "I correct what the map says of its objects: their names, their attributes, where they are, and"
    " whether they are there. See `scenemind align --help`."
)


def not_understood(error: NotUnderstoodError, text: str) -> ReasoningError:
    """The refusal of a sentence that the grammar does not read, to be raised."""
    part, whole = shown(str(error)), shown(text)
    where = f' in "{whole}"' if part != whole else ""
    return ReasoningError("not_understood", f'I do not understand "{part}"{where}.')


def is_read_in_part(text: str) -> bool:
    """Whether the grammar reads a question, but leaves out some of its words."""
    try:
        said = read_text(text)
    except NotUnderstoodError:
        return False
    return bool(said.remarks or said.missed)


def may_be_said_again(error: ReasoningError, text: str, labels: Collection[str]) -> bool:
    """Whether a question was refused as its words were not read, or were taken for a thing of a
    name that nobody knows: "sitting".

    Args:
        labels: of the map's objects.
    """
    code = error.failure.code
    is_open = code == "not_found" and names_nothing(find_question(text), labels)
    return (is_open or code == "not_understood") and not error.failure.suggestion


def said_again(query: Query, labels: Collection[str]) -> Rewording | None:
    """A question as a plain one, with misspelled names set right; None where there is none that is
    worth offering, or where the grammar reads the question as that one.

    Args:
        labels: of the map's objects.
    """
    said, spelled = reworded(query.text, query.before), spelled_question(query.text, labels)
    if (said is None or not said.text) and spelled != " ".join(query.text.split()):
        said = reworded(spelled, query.before)
    if said is None or not said.text or said.likelihood < _WORTH_OFFERING:
        return None
    questions = [spelled_question(each, labels) for each in said.text.split("? ")]
    plain = f"{'? '.join(questions)}?"
    if find_question(plain) in (None, find_question(query.text)):
        return None
    # Who leaves out a thing of the map, its part or feel, or a smell, may ask for something else.
    dropped = _things_in(query.text, labels) - _things_in(f"{plain} {query.before}", labels)
    dropped |= lexicon.UNSEEN.keys() & set(_asked_words(query.text))
    dropped |= _told_apart(_asked_words(query.text)) - _told_apart(plain.split())
    return replace(said, text=plain, likelihood=0.0 if dropped else said.likelihood)


def _told_apart(words: Iterable[str]) -> set[str]:
    """How things feel, their shapes and parts, among words: an edge is not the table."""
    plain = {singular(word.strip("?,.")) for word in words}
    kinds = {word for word in plain if lexicon.QUALITIES.get(word) in ("texture", "shape")}
    measured = {word for word in kinds if f"{word}er" in lexicon.RANKS}
    return (kinds - measured) | ((PARTS & plain) - thing_words())


def _things_in(text: str, labels: Collection[str]) -> set[str]:
    """The labels of the map that a text says as they are, or by another word."""
    vocabulary, found = Vocabulary.load(), set[str]()
    words = [singular(token.word) for token in tokenize(text)]
    for _, _, name in grams(words, _LONGEST_NAME):
        if name in labels or name in thing_words():
            found |= {match.label for match in vocabulary.match(name, labels) if match.sure}
    return found


def names_nothing(question: Question | None, labels: Collection[str]) -> bool:
    """Whether a question is about things of a name that nobody knows."""
    vocabulary, names = Vocabulary.load(), thing_words()
    nouns = {normal(phrase.noun) for phrase in noun_phrases(question) if phrase.noun}
    return any(
        names.isdisjoint((noun, noun.split()[-1])) and not vocabulary.match(noun, labels)
        for noun in nouns - lexicon.BUILDING
    )


def with_suggestion(
    error: ReasoningError,
    text: str,
    labels: Collection[str],
    said: Rewording | None = None,
    *,
    is_phrase: bool = False,
) -> ReasoningError:
    """The refusal of a question, to be raised with the nearest question that may be meant; the
    error itself where it needs none.

    Args:
        text: the question.
        labels: of the map's objects.
        said: the question as a plain one, where there is one.
        is_phrase: it may be a phrase.
    """
    code, reason = error.failure.code, error.failure.text
    if error.failure.suggestion:
        return error
    if code == "not_understood" and not is_phrase and _is_told(text):
        return ReasoningError(code, _TOLD)
    if code == "not_understood":
        unseen, unknown = _cannot_be_known(text, labels)
        if unseen or (said is None and unknown):
            return ReasoningError(code, " ".join(filter(None, (reason, unseen, unknown))))
        suggestion = _as_phrase(text, labels) if is_phrase else ""
        suggestion = suggestion or ("" if said is None else said.text)
        if not suggestion:
            return ReasoningError(code, f"{reason} {QUESTIONS}")
        return ReasoningError(code, f"{reason} {did_you_mean_this(suggestion)}", suggestion)
    if code == "not_found":
        suggestion = _with_known_nouns(text, labels)
        if not suggestion and is_phrase:
            meant = _nearest_phrase(text, labels)
            suggestion = "" if f'"{meant}"' in reason else meant  # that was looked for
            reason = f"{reason} {did_you_mean_this(suggestion)}".strip()
        return ReasoningError(code, reason, suggestion)
    return error


def _nearest_phrase(text: str, labels: Collection[str]) -> str:
    """What a phrase may mean whose words were taken for one name, such as "leftmost chair" for
    "chair left"; else the one thing of the map that it names; empty where there is none."""
    things = _things_in(text, labels)
    nouns = [phrase.noun for phrase in noun_phrases(find_question(text))]
    if not any(normal(noun) not in things and len(noun.split()) > 1 for noun in nouns):
        return ""  # its words were taken one by one
    is_one = len(things) == len(nouns) == 1  # the sofa is not meant by "the lamp by the sofa"
    return _as_phrase(text, labels) or (things.pop() if is_one else "")


def _as_phrase(text: str, labels: Collection[str]) -> str:
    """What a text describes if it is read freely, in words that the grammar reads; empty where a
    word of it is left, or a thing of it is not of the map."""
    phrase, vocabulary = read(text).phrase, Vocabulary.load()
    nouns = [part.noun for part in noun_phrases(phrase) if part.noun]
    known = all(any(m.sure for m in vocabulary.match(noun, labels)) for noun in nouns)
    meant = describe(phrase) if phrase.noun and known and not phrase.unread else ""
    return meant if meant and find_question(meant) and normal(meant) not in normal(text) else ""


def _is_told(text: str) -> bool:
    """Whether a sentence corrects the map."""
    if text.rstrip().endswith("?"):
        return False
    try:
        return bool(commands_of(text))
    except NotUnderstoodError:
        return False


def _cannot_be_known(text: str, labels: Collection[str]) -> tuple[str, str]:
    """A sentence on what no camera tells of things, and one on unknown things, that a question
    names; each may be empty."""
    words = [token.word for token in tokenize(text)]
    asked = (word for word in _asked_words(text) if word in lexicon.UNSEEN)
    unseen = dict.fromkeys(lexicon.UNSEEN[word] for word in asked)
    tells = f"A map holds nothing of {joined(list(unseen))}." if unseen else ""
    vocabulary, unknown, at = Vocabulary.load(), dict[str, None](), 0
    while at < len(words):
        ends = range(min(at + _LONGEST_NAME, len(words)), at, -1)
        names = [" ".join((*words[at : end - 1], singular(words[end - 1]))) for end in ends]
        found = next((name for name in names if name in thing_words()), "")
        if found and not vocabulary.match(found, labels) and find_kind(found) is None:
            unknown[found] = None
        at += max(len(found.split()), 1)
    return tells, f"I know no {joined(list(unknown))} here." if unknown else ""


def _asked_words(text: str) -> list[str]:
    """The words of the clauses that ask, or else all: "at my age" asks for no age."""
    clauses = clauses_of(text)
    asking = [clause.text for clause in clauses if clause.kind in ("asked", "ordered")]
    return [token.word for token in tokenize(" ".join(asking) or text)]


def unused_words(question: SituatedQuestion, at: Resolver) -> tuple[list[str], list[str]]:
    """Nouns without objects or purpose here, and words beside known things that nothing in the map
    says."""
    unknown, unread = dict[str, None](), dict[str, None]()
    for phrase in noun_phrases(question):
        noun = phrase.noun
        if at.weighs and (not noun or noun == "room" or find_room(noun)):
            continue
        if not noun or at.named(noun).any():
            unread |= dict.fromkeys((*phrase.unread, *_said_of_none(noun, at)))
        elif not at.graded.by_purpose(noun.split()).any():
            unknown[noun] = None
    return list(unknown), list(unread)


def _said_of_none(noun: str, at: Resolver) -> Iterator[str]:
    """The first words of a noun that no thing of that name has, or, where words are weighed, the
    last one if it names nothing, as in "couch weigh"."""
    matches, last = at.scene.matches(noun), singular(noun.split(" ")[-1])
    if not at.weighs and matches and matches[0].unknown and not at.is_sure_of(noun):
        yield matches[0].unknown
    is_name = last == noun or last in thing_words() or at.named(last).any()
    if at.weighs and not is_name and not at.sure_labels(noun):
        yield last


def check_all_used(question: Question, text: str, at: Resolver) -> None:
    """Check that every content word of a question is used.

    Raises:
        ReasoningError: `not_understood`: nothing in the map says anything of some words.
    """
    _, unused = unused_words(question, at)
    if unused:
        bare = text
        for words in unused:
            bare = _replaced(f"{words} ", "", bare)
        suggestion = bare if bare != text and find_question(bare) else ""
        words = joined([f'"{shown(word)}"' for word in unused])
        reason = f'I do not understand {words} in "{shown(text)}": nothing in the map says it.'
        meant = did_you_mean_this(suggestion)
        raise ReasoningError("not_understood", f"{reason} {meant}".strip(), suggestion)


def _replaced(words: str, new: str, text: str) -> str:
    """A text with other words in place of some."""
    return re.sub(rf"\b{re.escape(words)}\b", new, text, flags=re.IGNORECASE)


def did_you_mean_this(suggestion: str) -> str:
    end = "" if suggestion.endswith("?") else "?"
    return f'Did you mean "{suggestion}"{end}' if suggestion else ""


def _with_known_nouns(text: str, labels: Collection[str]) -> str:
    """A question with the nearest label for each noun that no object has; empty where a noun has
    none or several, or where all are known."""
    vocabulary, said, question = Vocabulary.load(), text, find_question(text)
    if isinstance(question, Exists) and question.subject == NounPhrase(question.subject.noun, True):
        return ""  # "is the lamp hot" does not ask for a lamp
    for noun in dict.fromkeys(phrase.noun for phrase in noun_phrases(question) if phrase.noun):
        matches = vocabulary.match(noun, labels)
        if any(match.sure or match.unknown for match in matches):
            continue
        near = [match.label for match in matches[:1]] or vocabulary.suggest(noun, labels, 2)
        if len(near) != 1:
            return ""
        said = _replaced(noun, plural(near[0]) if is_plural(noun) else near[0], said)
    return "" if said == text else said
