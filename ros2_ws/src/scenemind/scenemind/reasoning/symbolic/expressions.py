"""The objects that an expression may mean, with confidences, and what is not so of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.language import lexicon, trees, verbalization
from scenemind.language.english import is_plural, joined, shown
from scenemind.language.referring.reader import read
from scenemind.language.trees import (
    Among,
    Described,
    HasAttribute,
    NounPhrase,
    Reading,
    Reference,
    Related,
    is_in_words,
    noun_phrases,
    parts_of,
)
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.label_scores import confidences_as
from scenemind.reasoning.symbolic.likelihood import Evidence, phrase_likelihoods
from scenemind.reasoning.symbolic.phrase_scores import FREE_ROWS, ROOM
from scenemind.reasoning.symbolic.presumptions import (
    DOUBTED,
    TAKEN_FOR,
    Unfit,
    failed_presumptions,
    is_near_miss,
    unfit_parts,
)
from scenemind.reasoning.symbolic.replies import the
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.usual import usual_count

_VIEWS = {"facing": "seen by who faces", "from": "seen from"}
_LONGEST = 1000  # characters
_MOST_CANDIDATES = 10
# Least share, relative to the best candidate's, of one that may be meant.
_LEAST_SHARE = 0.1
# Words before a noun that ask for any of a kind, and for all.
_ANY = lexicon.INDEFINITE - {"another", "other", "whichever"}
_ANY |= {"everything", "whatever", "anything"}
# Least confidence of a match by all that is said.
_LIKELY_ENOUGH = 0.3
# Share of the best score from which objects fit equally well.
_EQUAL = 0.999
# Factor for what the grammar does not find where it finds something to the letter.
_NOT_TO_THE_LETTER = 0.3


def ground_expression(
    query: Query,
    scene: Scene,
    question: trees.Question | None = None,
    exact: GroundReply | ReasoningError | None = None,
    *,
    is_near: bool = False,
) -> GroundReply:
    """The objects that an expression of any shape may mean; their confidences sum to at most 1.

    A confidence is how often such a choice is right where what is described is in the map; see
    `likelihood.py`. Where a thing is not known that it is related to, and others are not much less
    likely, it is at most a half. Where something must be named (`always_answer`) and nothing of the
    kind is known, all else that is said counts.

    Args:
        question: as the grammar reads it; None: it does not.
        exact: what fits to the letter, which stands but for the description of one thing in words;
            or why nothing does: then all that is said has to be so of the match, or nearly, and the
            match likely enough, unless something must be named.
        is_near: it fits only nearly, which counts less than a match of all that is said.

    Raises:
        ReasoningError: `exact`; `not_found`: no object of its kind is known, or, unless something
            must be named, an unknown thing chooses between objects.
    """
    is_free = query.policy == "always_answer"
    found = None if isinstance(exact, ReasoningError) else exact
    refusal = exact if isinstance(exact, ReasoningError) and not is_free else None
    if found and (not _describes_one(question, query) or _is_of_another(question, query)):
        return found
    if refusal and question is not None:
        is_unknown = refusal.failure.code == "not_found" and _is_of_words(question, query)
        # "The computers but for the laptop" leaves out what a description would find again.
        excepted: list[Among | Described] = [*parts_of(question, Among)]
        excepted += parts_of(question, Described)
        is_unknown &= not any(part.negated for part in excepted)
        if not (is_unknown and _says_more_than_a_name(question)):
            raise refusal
    try:
        match = find_match(query, scene, None if is_near else found)
    except ReasoningError as nothing:
        if found:
            return found
        raise (refusal or nothing) from nothing
    if found:
        stands = is_near and match.is_doubted and not is_free
        steps = tuple(dict.fromkeys((*found.steps, *match.reply.steps)))
        return found if stands else replace(match.reply, steps=steps)
    if match.unknown and not is_free:
        raise match.unknown
    if refusal is None or question is None:
        return match.reply
    if match.is_likely:
        return replace(match.reply, steps=(f"to the letter: {refusal}", *match.reply.steps))
    if not match.wrong:
        raise refusal
    nearest, claims = match.reply.objects[0], joined([unfit.claim for unfit in match.wrong])
    text = f"{refusal} The nearest is {the(nearest)}: not {claims}."
    raise ReasoningError("not_found", text) from refusal


@dataclass(frozen=True, slots=True)
class Match:
    """What an expression may mean.

    Attributes:
        scores: (N,) how well objects fit, in [0, 1].
        wrong: what is not so of the best object.
        unknown: of an unknown thing without which several objects fit equally well.
        is_doubted: by more than looks and what stands in for other things.
    """

    reply: GroundReply
    scores: Scores
    evidence: Evidence
    wrong: Sequence[Unfit]
    unknown: ReasoningError | None
    is_doubted: bool

    @property
    def is_likely(self) -> bool:
        """Whether what is said is so of the best object, or nearly, and it is likely enough."""
        is_surer = self.reply.confidence > _LIKELY_ENOUGH
        return is_near_miss(self.wrong) and self.unknown is None and is_surer


def find_match(query: Query, scene: Scene, exact: GroundReply | None = None) -> Match:
    """What an expression may mean; see `ground_expression`.

    Args:
        exact: what fits to the letter, which is likelier.

    Raises:
        ReasoningError: `not_found`: it names nothing that is known.
    """
    reading = read(query.text[:_LONGEST])
    if not _says_something(reading.phrase):
        raise ReasoningError("not_found", "That names no kind of object.")
    at = Resolver(scene, query, reading.view, weighs=True)
    phrase, scores = _best_reading(reading.phrase, at, query)
    if exact is not None:
        scores = scores * _likelier_to_the_letter(exact, scene)
    best = int(np.argmax(scores))
    is_exact = exact is not None and scene.objects[best] in exact.objects
    is_free = query.policy == "always_answer"
    apart = {"beside_m": math.inf} if is_free else {}
    wrong = list(unfit_parts(phrase, at, best, is_exact=is_exact, **apart))
    if phrase.noun != reading.phrase.noun:
        wrong.insert(0, Unfit(reading.phrase.noun))
    of_kind = int(np.count_nonzero(at.named(phrase.noun)))
    evidence = Evidence(len(query.text.split()), of_kind, len(phrase.unread))
    sure = phrase_likelihoods(scores, evidence) * confidences_as(scene, phrase.noun)
    order = np.argsort(-sure, kind="stable")[:_MOST_CANDIDATES]
    rows = order[sure[order] >= _LEAST_SHARE * sure.max()]
    dropped = [noun for noun in _unknown_nouns(reading, at) if noun not in _parts_of_it(reading)]
    said = list(noun_phrases(reading))
    # What is not so of the thing itself stands in `wrong`.
    anchors = [each for each in said if each is not reading.phrase]
    failed = failed_presumptions(said, scene, looks_of=anchors)
    # Where something must be named, what nearly holds of it and of no other tells none apart, and
    # it is taken to look as is said, but for the light.
    spared = [is_free and each.is_near and (each.of_all or each.is_of_look) for each in wrong]
    told = [each for each, is_spared in zip(wrong, spared, strict=True) if not is_spared]
    limits = [each.limit for each in told if not each.is_of_look]
    sure = np.minimum(sure, min(limits + [DOUBTED] * bool(dropped), default=1.0))
    is_doubted = bool(sure[best] <= DOUBTED)
    looks = [each.limit for each in told if each.is_of_look]
    sure = np.minimum(sure, min(looks + [TAKEN_FOR] * bool(failed), default=1.0))
    tied = int(np.count_nonzero(sure == sure.max()))
    steps = _steps(replace(reading, phrase=phrase), at, wrong, tied)
    objects = scene.objects_at(rows)
    reply = GroundReply(objects, tuple(sure[rows].tolist()), (*steps, *failed))
    # Not by how sure the map is of them.
    rivals = np.count_nonzero(scores >= _EQUAL * scores.max())
    unknown = at.missing(NounPhrase(dropped[0])) if dropped and rivals > 1 else None
    return Match(reply, scores, evidence, wrong, unknown, is_doubted or unknown is not None)


def _best_reading(phrase: NounPhrase, at: Resolver, query: Query) -> tuple[NounPhrase, Scores]:
    """The phrase with its scores (N,), not all 0; where something must be named, with another noun
    if it names nothing: one that nothing joins to it, or none.

    Raises:
        ReasoningError: `not_found`: it names nothing that is known.
    """
    nouns = [phrase.noun]
    if query.policy == "always_answer":
        nouns += [*phrase.unread, ""]
    for each in (replace(phrase, noun=noun) for noun in dict.fromkeys(nouns)):
        scores = at.graded.object_scores(each)
        if _says_something(each) and scores.any():
            return each, scores
    raise at.missing(NounPhrase(phrase.noun))


def _likelier_to_the_letter(exact: GroundReply, scene: Scene) -> Scores:
    """Factors (N,) for how well objects fit to the letter."""
    factors = np.full(len(scene), _NOT_TO_THE_LETTER)
    rows = [scene.row_of_id[thing.object_id] for thing in exact.objects]
    shares = np.divide(exact.confidences, exact.confidence)
    factors[rows] = np.maximum(shares, _NOT_TO_THE_LETTER)
    return factors


def _is_of_another(question: trees.Question | None, query: Query) -> bool:
    """Whether a thing without a name is read loosely as one that its place names: the lamp of "the
    thing that the lamp stands on"."""
    is_nameless = isinstance(question, trees.Ground) and not question.subject.noun
    return is_nameless and read(query.text[:_LONGEST]).phrase.noun != ""


def _unknown_nouns(reading: Reading, at: Resolver) -> list[str]:
    """Nouns that no object has."""
    nouns = dict.fromkeys(phrase.noun for phrase in noun_phrases(reading))
    return [n for n in nouns if n not in ("", ROOM, *FREE_ROWS) and not at.named(n).any()]


def _parts_of_it(reading: Reading) -> set[str]:
    """Nouns of parts that are told of a thing: "with four legs"."""
    withs = [each for each in parts_of(reading, Related) if each.predicate == "with"]
    nouns = {anchor.noun for each in withs for anchor in each.anchors}
    return {noun for noun in nouns if usual_count(noun) is not None}


def _steps(reading: Reading, at: Resolver, wrong: Sequence[Unfit], tied: int) -> tuple[str, ...]:
    said = verbalization.bare(reading.phrase)
    if reading.view is not None:
        place = reading.view.reference
        where = "the door" if place is None else verbalization.describe(place)
        said = f"{said}, {_VIEWS[reading.view.kind]} {where}"
    steps = [f"read as: {shown(said)}"]
    looks = ((p, c) for p in noun_phrases(reading) for c in p.conditions)
    left_out = [*reading.phrase.unread, *_unknown_nouns(reading, at)] + [
        look.value
        for phrase, look in looks
        if isinstance(look, HasAttribute) and at.graded.look_fit(phrase, look) is None
    ]
    if left_out:
        steps.append(f"not used: {joined(list(dict.fromkeys(map(shown, left_out))))}")
    of_all = [unfit.claim for unfit in wrong if unfit.of_all]
    if of_all:
        steps.append(f"none is {joined(of_all)}: the nearest was taken")
    of_best = [unfit.claim for unfit in wrong if not unfit.of_all]
    if of_best:
        steps.append(f"not so of the best one: {joined(of_best)}")
    if tied > 1:
        steps.append(f"{tied} objects fit equally well")
    return tuple(steps)


def _says_something(phrase: NounPhrase) -> bool:
    return bool(phrase.noun or phrase.conditions or phrase.ranks)


def _is_of_words(question: trees.Question | None, query: Query) -> bool:
    """Whether it describes objects, by no number and no mark; "it" without a mark is the object
    itself: "with a man sitting in it"."""
    if not isinstance(question, trees.Ground):
        return False
    of_itself = not query.marked_object_ids and isinstance(question.subject, NounPhrase)
    of_itself &= not {"it", "them"}.isdisjoint(query.text.lower().split())
    return of_itself or is_in_words(question)


def _says_more_than_a_name(question: trees.Question) -> bool:
    """Whether a phrase is no bare name, of which no part can stand for all: "the can opener"."""
    of = getattr(question, "subject", None)
    return not isinstance(of, NounPhrase) or of != NounPhrase(of.noun, of.definite, of.count)


def _describes_one(question: trees.Question | None, query: Query) -> bool:
    """Whether it describes one certain object in words, and not any of a kind, nor what things are
    for."""
    if not isinstance(question, trees.Ground) or not is_in_words(question):
        return False
    if any(look.key == "affordance" for look in parts_of(question, HasAttribute)):
        return False
    of = question.subject
    if not isinstance(of, NounPhrase) or of.count not in (None, 1):
        return False
    text = query.text.lower()
    is_any = not of.definite and not _ANY.isdisjoint(text.split(of.noun or None)[0].split())
    return not is_any and not names_several(of, text)


def names_several(of: Reference, text: str) -> bool:
    """Whether a phrase names things by a plural, also where those have no noun."""
    words = text.lower().split()
    thing = of.noun or next((word for word in words if word in lexicon.ANYTHING), "")
    return is_plural(thing) or thing == "stuff"
