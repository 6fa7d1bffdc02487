"""The objects that an expression may mean, with confidences, and what is not so of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.language import verbalization
from scenemind.language.english import joined, shown
from scenemind.language.questions import parse_question
from scenemind.language.referring.reader import read
from scenemind.language.situated.situation import split_situation
from scenemind.language.trees import (
    Ground,
    HasAttribute,
    NounPhrase,
    Reading,
    Related,
    is_in_words,
    noun_phrases,
)
from scenemind.language.vocabulary import Vocabulary, did_you_mean
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.referring.grounder import FREE_ROWS, ROOM, Grounder, is_in_room
from scenemind.reasoning.symbolic.resolver import STANDING_IN, stand_in_notes
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.usual import usual_count
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of

_VIEWS = {"facing": "seen by who faces", "from": "seen from"}
# Scores below which a part of the phrase fails.
_LABEL, _COLOUR, _RELATION = 0.5, 0.1, 0.05
_KEPT = 0.5
"""Factor on the confidence of a choice that fails a condition. On rows of Nr3D and Sr3D, 6 % of the
choices fail one; with the target removed from the scene it is 14 % (36 % if no object fits the
whole phrase). With the target present, such choices are right 0.8 times as often as their share
suggests. If one target in five is missing from the map, the factor is about one half."""
# Exponent of scores whose shares are confidences.
_SHARPER = 1.2
_LONGEST = 1000  # characters
_MOST_CANDIDATES = 10
# Least share, relative to the best candidate's.
_LEAST_SHARE = 0.1
_log = logging.getLogger(__name__)
# Least confidence of a match by all that is said, and, more than this, of one without an unknown
# anchor: else the anchor chooses, and nobody knows which. Such a match is never surer than this.
_LIKELY_ENOUGH, _RIVAL, _WITHOUT_ANCHOR = 0.3, 0.999, 0.5
# Probability that the target of a phrase that nothing fits to the letter is in the map. On Nr3D
# such phrases are answered nearly as often without their target in the scene (45 %) as with it
# (49 %), so that this is the prior: of ten targets, one is assumed to be missing.
_IS_THERE = 0.9


def ground_expression(query: Query, scene: Scene, vocabulary: Vocabulary) -> GroundReply:
    """The objects that an expression of any shape may mean; their confidences sum to at most 1.

    A confidence is how often such a choice is right where what is described is in the map: on
    ScanRefer's and Nr3D's validation rows with ground-truth boxes it is off by 9 % on average, most
    of it too low. Where something that is said is not so of the best one, or a thing is not known
    that it is related to, less of it is left.

    Where something must be named (`always_answer`) and nothing of the kind is known, all else that
    is said counts.

    Raises:
        ReasoningError: `not_found`: no object of its kind is known; or, unless something must be
            named, an unknown thing chooses between objects.
    """
    match = _match(query, scene, vocabulary)
    if match.chooser and query.policy != "always_answer":
        raise ReasoningError("not_found", _missing(match.chooser, scene, vocabulary))
    return match.reply


@dataclass(frozen=True, slots=True)
class _Match:
    """What an expression may mean.

    Attributes:
        fits: all that is said is so of the best object.
        chooser: an unknown thing without which several objects fit equally well; or empty.
    """

    reply: GroundReply
    fits: bool
    chooser: str


def _match(query: Query, scene: Scene, vocabulary: Vocabulary) -> _Match:
    """See `ground_expression`."""
    reading = read(query.text[:_LONGEST])
    phrase = reading.phrase
    if not _says_something(phrase):
        raise ReasoningError("not_found", "That names no kind of object.")
    grounder = Grounder(scene, vocabulary, reading.view, _find_viewpoint(query, scene, vocabulary))
    scores = grounder.object_scores(phrase)
    unnamed = []
    if not scores.any():
        unnamed = [phrase.noun]
        others = _with_other_nouns(phrase) if query.policy == "always_answer" else ()
        for phrase in others:
            scores = grounder.object_scores(phrase)
            if scores.any():
                break
        else:
            raise ReasoningError("not_found", _missing(unnamed[0], scene, vocabulary))
    sharp = scores**_SHARPER
    sure = sharp / sharp.sum() * scene.confidence
    order = np.argsort(-sure, kind="stable")[:_MOST_CANDIDATES]
    wrong = unnamed + _contradictions(phrase, grounder, int(order[0]))
    sure *= _KEPT if wrong else 1.0
    parts = _parts_of_it(reading)
    dropped = [noun for noun in _unknown_nouns(reading, grounder) if noun not in parts]
    rivals = np.count_nonzero(scores >= _RIVAL * scores.max())  # not by how sure the map is of them
    sure = np.minimum(sure, _WITHOUT_ANCHOR if dropped else 1.0)
    stand_ins = stand_in_notes(_phrases(reading), scene, vocabulary)
    sure = np.minimum(sure, STANDING_IN if stand_ins else 1.0)
    rows = order[sure[order] >= _LEAST_SHARE * sure.max()]
    tied = int(np.count_nonzero(sure == sure.max()))
    objects = tuple(scene.objects[row] for row in rows)
    steps = _steps(replace(reading, phrase=phrase), grounder, wrong, tied)
    reply = GroundReply(objects, tuple(sure[rows].tolist()), (*steps, *stand_ins))
    return _Match(reply, not wrong, dropped[0] if dropped and rivals > 1 else "")


def ground_loosely(
    query: Query, scene: Scene, vocabulary: Vocabulary, error: ReasoningError
) -> GroundReply:
    """Best match in place of an error of the grammar.

    Always for a phrase that the grammar does not read; for one that no object fits to the letter,
    only if all that is said is so of the match, and it is likely enough.

    Raises:
        ReasoningError: that error, or `not_found`: an unknown thing chooses between objects.
    """
    is_read = error.failure.code != "not_understood"
    if is_read and (error.failure.code != "not_found" or not _is_of_words(query)):
        raise error
    try:
        match = _match(query, scene, vocabulary)
    except ReasoningError as nothing:
        _log.debug("no expression either: %s", nothing)
        raise error from nothing
    reply = match.reply
    sure = tuple(_IS_THERE * confidence for confidence in reply.confidences)
    if is_read and (match.chooser or not match.fits or sure[0] <= _LIKELY_ENOUGH):
        raise error
    if match.chooser:
        raise ReasoningError("not_found", _missing(match.chooser, scene, vocabulary)) from error
    if not is_read:
        return reply
    return replace(reply, confidences=sure, steps=(f"to the letter: {error}", *reply.steps))


def likelier(query: Query, scene: Scene, vocabulary: Vocabulary, found: GroundReply) -> GroundReply:
    """The match of a description with all that is said, where it is another than one by near
    matches to some of it, and likely enough."""
    if not _is_of_words(query):
        return found
    try:
        match = _match(query, scene, vocabulary)
    except ReasoningError:
        return found
    is_other = match.reply.objects[0].object_id != found.objects[0].object_id
    is_likely = match.fits and not match.chooser and match.reply.confidence > _LIKELY_ENOUGH
    return match.reply if is_other and is_likely else found


def _contradictions(phrase: NounPhrase, grounder: Grounder, row: int) -> list[str]:
    """Parts of a phrase that an object fails, in words.

    Sizes, comparisons and places in a group are none: one object is always the largest, the
    nearest, and the one on the left.
    """
    found = []
    if phrase.noun and grounder.label_fit(phrase.noun)[row] < _LABEL:
        found.append(phrase.noun)
    for condition in phrase.conditions:
        if isinstance(condition, Related) and not is_in_room(condition):
            fit, least = grounder.relation_fit(condition), _RELATION
        elif (
            isinstance(condition, HasAttribute)
            and condition.key == "color"
            and not condition.negated
        ):
            fit, least = grounder.look_fit(phrase, condition), _COLOUR
        else:
            continue
        if fit is not None and fit[row] < least:
            found.append(verbalization.claim(condition))
    return found


def _unused_words(reading: Reading, grounder: Grounder) -> list[str]:
    """Nouns without objects, and looks that boxes and colours do not show."""
    found = [*reading.phrase.unread, *_unknown_nouns(reading, grounder)]
    for phrase in _phrases(reading):
        attributes = [c for c in phrase.conditions if isinstance(c, HasAttribute)]
        found += [c.value for c in attributes if grounder.look_fit(phrase, c) is None]
    return list(dict.fromkeys(map(shown, found)))


def _unknown_nouns(reading: Reading, grounder: Grounder) -> list[str]:
    """Nouns that no object has."""
    nouns = (phrase.noun for phrase in _phrases(reading))
    return [n for n in nouns if n not in ("", ROOM, *FREE_ROWS) and not grounder.label_fit(n).any()]


def _parts_of_it(reading: Reading) -> set[str]:
    """Nouns of parts that are told of a thing: "with four legs"."""
    of_all = (c for phrase in _phrases(reading) for c in phrase.conditions)
    withs = (c for c in of_all if isinstance(c, Related) and c.predicate == "with")
    nouns = {a.noun for c in withs for a in c.anchors if isinstance(a, NounPhrase)}
    return {noun for noun in nouns if usual_count(noun) is not None}


def _phrases(reading: Reading) -> Iterator[NounPhrase]:
    references = [reading.phrase, reading.view and reading.view.reference]
    return (each for whole in references if whole for each in noun_phrases(whole))


def _steps(
    reading: Reading, grounder: Grounder, wrong: Sequence[str], tied: int
) -> tuple[str, ...]:
    said = verbalization.bare(reading.phrase)
    if reading.view is not None:
        place = reading.view.reference
        where = "the door" if place is None else verbalization.describe(place)
        said = f"{said}, {_VIEWS[reading.view.kind]} {where}"
    steps = [f"read as: {shown(said)}"]
    left_out = _unused_words(reading, grounder)
    if left_out:
        steps.append(f"not used: {joined(left_out)}")
    if wrong:
        steps.append(f"not so of the best one: {joined(wrong)}")
    if tied > 1:
        steps.append(f"{tied} objects fit equally well")
    return tuple(steps)


def _find_viewpoint(query: Query, scene: Scene, vocabulary: Vocabulary) -> Viewpoint | None:
    """The asker's, or the camera's; None without either."""
    try:
        return viewpoint_of(query, scene, vocabulary)
    except ReasoningError:
        return None  # expressions that need one take onlookers in the room


def _says_something(phrase: NounPhrase) -> bool:
    return bool(phrase.noun or phrase.conditions or phrase.ranks)


def _with_other_nouns(phrase: NounPhrase) -> Iterator[NounPhrase]:
    """The phrase with the nouns that nothing joins to it, then with none."""
    nouns = (noun for noun in (*phrase.unread, "") if noun != phrase.noun)
    return filter(_says_something, (replace(phrase, noun=noun) for noun in nouns))


def _missing(noun: str, scene: Scene, vocabulary: Vocabulary) -> str:
    labels = list(scene.rows_of_label)
    return f"I know of no {shown(noun or 'such object')}.{did_you_mean(noun, labels, vocabulary)}"


def _is_of_words(query: Query) -> bool:
    """Whether it describes objects, by no number and no mark."""
    question = parse_question(split_situation(query.text)[0])
    return isinstance(question, Ground) and is_in_words(question)
