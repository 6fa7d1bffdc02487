"""The symbolic method: a grammar and a snapshot, no model."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from scenemind.config import RelationConfig
from scenemind.garbage import settle_garbage
from scenemind.language import trees, verbalization
from scenemind.language.english import shown
from scenemind.language.loose import read_question
from scenemind.language.questions import find_question, read_text
from scenemind.language.referring.reader import read
from scenemind.language.rewording import Rewording, reworded
from scenemind.language.situation import read_situation, split_situation
from scenemind.language.speech_acts import sentences, split_speaker
from scenemind.language.spelling import respelled
from scenemind.language.tokens import NotUnderstoodError
from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.reasoning.method import Asking, GroundReply, MethodReply
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.answers import answer, subject_of
from scenemind.reasoning.symbolic.attribute_scores import DESCRIBED_ONLY
from scenemind.reasoning.symbolic.edits import Intent
from scenemind.reasoning.symbolic.expressions import ground_expression, names_several
from scenemind.reasoning.symbolic.graded_relations import SIDES
from scenemind.reasoning.symbolic.likelihood import Evidence, phrase_likelihoods, reply_likelihood
from scenemind.reasoning.symbolic.notes import find_note
from scenemind.reasoning.symbolic.presumptions import (
    DOUBTED,
    TAKEN_FOR,
    failed_presumptions,
    of_whole_map,
    said_once,
    with_names,
)
from scenemind.reasoning.symbolic.refusals import (
    check_all_used,
    is_read_in_part,
    may_be_said_again,
    names_nothing,
    not_understood,
    said_again,
    unused_words,
    with_suggestion,
)
from scenemind.reasoning.symbolic.relation_scores import is_room
from scenemind.reasoning.symbolic.replies import (
    ABSENCE_CONFIDENCE,
    Reply,
    be,
    counted,
    listed,
    noun_of,
)
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import LastScene, Scene
from scenemind.reasoning.symbolic.usual import by_purpose, find_room
from scenemind.reasoning.symbolic.viewpoint import find_viewpoint

if TYPE_CHECKING:  # pydantic's forms take long to import
    from scenemind.reasoning.symbolic.model_reader import ModelReader

_Found = TypeVar("_Found", MethodReply, GroundReply)
SITUATED = "read as a situated question"
"""Begins the steps of an answer to a question that was read loosely."""
# Least likelihood of an answer that is no guess, and of one to a question without a situation that
# the grammar does not read: a yes or no that may as well be wrong is worth less than a suggestion.
_LIKELY, _LIKELY_UNREAD = 0.2, 0.55
# Least likelihood of a plain question that is answered in place of what was said, and not offered.
_LIKELY_MEANT = 0.3
# Shapes that the grammar reads less of.
_LOOSE_ALONE = (trees.AskRoom, trees.AskDirection, trees.IsWayClear)
# Words that ask for a side to turn to.
_TURN = re.compile(
    r"\b(?:left|right|turn|way|direction|side|ahead|forwards?|behind)\b", re.IGNORECASE
)
# Attributes that a box shows.
_BY_BOX = ("shape", "size")
_MISSED = "not understood"
_log = logging.getLogger(__name__)


def _sides(question: trees.Choose) -> list[bool]:
    """Whether each of the options is a side of a thing."""
    options = question.options
    return [isinstance(each, trees.Related) and each.predicate in SIDES for each in options]


def _is_guess(query: Query, question: trees.SituatedQuestion, reply: Reply, at: Resolver) -> bool:
    """Whether a loosely read question is answered for want of anything better.

    Where the grammar reads it, it has to ask for the same, of things that are known, and for
    nothing that has to be told or pointed at.
    """
    unknown, unread = unused_words(question, at)
    if not at.stands and len(list(sentences(query.text))) > 1:
        return True  # the first of several is read at most
    if isinstance(question, trees.AskDirection) and not (at.stands or _TURN.search(query.text)):
        return True  # "where can I do that" asks for no side to turn to
    if isinstance(question, trees.Choose) and reply.is_usual and any(_sides(question)):
        return True  # no side is the usual one
    if unknown and not (reply.is_usual and isinstance(question, trees.Count | trees.Choose)):
        return True
    if at.stands:
        return reply.confidence < _LIKELY
    asked = find_question(query.text)
    if asked is None:
        is_of_room = isinstance(question, trees.Choose) and is_room(question.subject)
        is_shape = is_of_room or isinstance(question, _LOOSE_ALONE)
        return bool(unread) or reply.confidence < (_LIKELY if is_shape else _LIKELY_UNREAD)
    named = asked.subject if isinstance(asked, trees.Identify | trees.ListObjects) else None
    if named and named.ranks and not named.noun:
        return True  # "the smallest object on the shelf": any other thing could be named
    is_same = type(asked) is type(question)
    is_same |= isinstance(asked, trees.ListObjects) and isinstance(question, trees.Identify)
    keys = {condition.key for condition in trees.parts_of(asked, trees.HasAttribute)}
    sides = any(map(trees.relations_to_viewer, trees.noun_phrases(question)))
    if isinstance(asked, trees.AskAttribute):
        is_told = any(asked.key in thing.attributes for thing in reply.objects)
        is_same, sides = is_told or asked.key in _BY_BOX, False
    known = all(at.label_scores(phrase.noun).any() for phrase in trees.noun_phrases(asked))
    if not is_same or sides or not known or not trees.is_in_words(asked) or keys & DESCRIBED_ONLY:
        return True
    return reply.confidence < _LIKELY


def _with_doubts(reply: MethodReply, question: trees.SituatedQuestion, at: Resolver) -> MethodReply:
    """A reply that says what its question presumes and the map does not have, and is then doubtful;
    and which things it takes for those that were asked for by another name."""
    if not reply.objects:
        return reply
    # Answers to these say so of their subjects.
    said = [part.subject for part in trees.parts_of(question, trees.Exists)]
    said += [part.subject for part in trees.parts_of(question, trees.Count)]
    phrases = [phrase for phrase in trees.noun_phrases(question) if phrase not in said]
    # What was read loosely has no articles.
    certain = [phrase for phrase in phrases if phrase.definite or at.weighs]
    doubts = failed_presumptions(phrases, at.scene, looks_of=certain)
    text = with_names(reply.text, phrases, at.scene)
    sure = reply.confidence if text == reply.text else min(reply.confidence, TAKEN_FOR)
    reply = replace(reply, text=text, confidence=sure)
    return _resting_on(said_once((*at.nearest, *doubts)), reply, DOUBTED)


def _resting_on(notes: tuple[str, ...], reply: _Found, sure: float) -> _Found:
    """A reply that says so where it rests on something, and is then no surer than that."""
    if not notes:
        return reply
    reply = replace(reply, steps=(*notes, *reply.steps))
    if isinstance(reply, GroundReply):
        return replace(reply, confidences=tuple(min(each, sure) for each in reply.confidences))
    text = " ".join((*notes, reply.text))
    return replace(reply, text=text, confidence=min(reply.confidence, sure))


def make_ready() -> None:
    """Load the tables, networks and libraries that sentences may need (half a second), and exempt
    all that is there from the collector of cycles, so that no question waits for either; for
    processes that live long."""
    import scipy.spatial  # noqa: F401  (SciPy imports its parts when they are first used)

    labels = ("chair",)
    for sentence in ("I am by the chair. Whither of zz?", "the large wooden chair"):
        query = _with_situation(Query(respelled(sentence, labels)[0]))
        said_again(query, labels)
        read(query.text)
        read_question(query.text)
        read_situation(query.situation)
        by_purpose(query.text)
        find_room(query.text)
        phrase_likelihoods(np.ones(1), Evidence(1, 1, 0))
    settle_garbage()


class SymbolicReasoner:
    """Answers from a memory's snapshots; thread-safe.

    No guesses, except under `always_answer`. Only phrases to be grounded may be read loosely; see
    `ground`.
    """

    def __init__(
        self,
        memory: MemoryAccess,
        config: RelationConfig,
        reader: ModelReader | None = None,
        scenes: LastScene | None = None,
    ) -> None:
        """
        Args:
            reader: reads sentences that the grammar does not; None: they are refused.
            scenes: shared by the reasoners of a memory, of the same `config`; None: its own.
        """
        self._memory = memory
        self._reader = reader
        self._seen = (scenes or LastScene(config)).of

    def ask(
        self, query: Query, snapshot: MemorySnapshot, asking: Asking | None = None
    ) -> MethodReply:
        """Reply to a question.

        Args:
            asking: of a question that a model may read; None: it is read by the grammar alone.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
            ModelError: it was cancelled, or its allowance is used up.
        """
        answer_to = partial(self._answer, is_placed=bool(query.situation.strip()))
        note = find_note(query, self._seen(snapshot).noted)
        if note is None:
            return self._replied(query, snapshot, asking, answer_to)
        try:
            reply = self._replied(query, snapshot, asking, answer_to, has_note=True)
        except ReasoningError as error:
            steps = (f"read as a question about notes: {error}",)
            return MethodReply(note.sentence, note.confidence, note.objects, steps=steps)
        objects = tuple(dict.fromkeys((*reply.objects, *note.objects)))
        return replace(reply, text=f"{reply.text} {note.sentence}", objects=objects)

    def _replied(
        self,
        query: Query,
        snapshot: MemorySnapshot,
        asking: Asking | None,
        reply_to: Callable[[Query, MemorySnapshot], _Found],
        *,
        has_note: bool = False,
    ) -> _Found:
        """The reply to a sentence whose misspelled names are set right. What the grammar does not
        read, or reads doubtfully, is taken for a plain question, where it probably is one; what it
        does not read, a model reads first, where there is one.

        Args:
            has_note: a note answers it, if it is refused.
        """
        labels = self._seen(snapshot).rows_of_label
        query = _with_situation(query)
        text, slips = respelled(query.text, labels)
        query = replace(query, text=text)
        steps: tuple[str, ...] = ()
        is_phrase = reply_to == self._grounding
        takes = not is_phrase and not has_note and query.policy != "strict"
        in_part = takes and not query.situation and is_read_in_part(text)
        said = said_again(query, labels) if in_part else None
        reply: _Found
        likely = said is not None and said.likelihood >= _LIKELY_MEANT
        try:
            if self._reader is not None and asking is not None and not find_question(text):
                takes = False
                meant = self._reader.read(text, labels, asking)
                query = replace(query, text=meant or text)
                steps = tuple(asking.progress.steps)
            if takes and said is not None and likely:
                with suppress(ReasoningError):
                    plain = self._said_as(said, query, snapshot, reply_to)
                    return _resting_on(slips, plain, TAKEN_FOR)
            reply = reply_to(query, snapshot)
        except ReasoningError as error:
            if not may_be_said_again(error, text, labels):
                said = None
            elif not in_part:
                said = said_again(query, labels)
            if not takes or said is None or said.likelihood < _LIKELY_MEANT:
                raise with_suggestion(error, text, labels, said, is_phrase=is_phrase) from error
            try:
                reply = self._said_as(said, query, snapshot, reply_to)
            except ReasoningError as again:
                # What was understood is refused for its own reason.
                raise again if error.failure.code == "not_understood" else error from again
        return _resting_on(slips, replace(reply, steps=(*steps, *reply.steps)), TAKEN_FOR)

    def _said_as(
        self,
        said: Rewording,
        query: Query,
        snapshot: MemorySnapshot,
        reply_to: Callable[[Query, MemorySnapshot], _Found],
    ) -> _Found:
        """The reply to the plain question that a sentence probably means, and that it says.

        Raises:
            ReasoningError: that of the plain question.
        """
        taken = f'I take that as "{said.text}"'
        try:
            reply = reply_to(replace(query, text=said.text, before=""), snapshot)
        except ReasoningError as error:
            code, text = error.failure.code, f"{taken} {error.failure.text}"
            raise ReasoningError(code, text, error.failure.suggestion) from error
        return _resting_on((taken,), reply, said.likelihood)

    def _answer(self, query: Query, snapshot: MemorySnapshot, *, is_placed: bool) -> MethodReply:
        """The strict answer, unless the query came with a situation (`is_placed`); else what is
        likeliest, or under `always_answer` a guess."""
        resolver = self._resolver(query, snapshot)
        if query.policy == "strict":
            reply = self._sure_answer(query, resolver)
            return _with_doubts(reply, self._parsed(query)[0], resolver)
        is_free, scene = query.policy == "always_answer", resolver.scene
        refusal: ReasoningError | None = None
        is_read = False
        if not (is_placed and (is_free or not self._unread(query, scene))):
            try:
                reply = self._sure_answer(query, resolver)
            except ReasoningError as error:
                refusal = error
            else:
                is_read = True
                asked, _ = self._parsed(query)
                is_yes = reply.confidence > ABSENCE_CONFIDENCE
                # Claims about known objects are decided, even by a no.
                is_sure = is_yes or (isinstance(asked, trees.Verify) and bool(reply.objects))
                # A colour as measured in dim light may be likelier another.
                is_sure &= not isinstance(asked, trees.AskAttribute)
                if query.situation.strip() and not is_placed:
                    # Less is on somebody's left to the letter than they would say is.
                    is_sure, is_free = is_yes and resolver.is_seen_from_somewhere, True
                if is_sure or not is_free:
                    return _with_doubts(reply, asked, resolver)
        likely = self._loose_answer(query, scene, refusal, is_read=is_read)
        if likely is not None:
            return likely
        if refusal is not None:
            raise refusal
        reply = self._sure_answer(query, resolver)
        return _with_doubts(reply, self._parsed(query)[0], resolver)

    def _loose_answer(
        self, query: Query, scene: Scene, refusal: ReasoningError | None, *, is_read: bool
    ) -> MethodReply | None:
        """The answer to a question that is read loosely; None where it would be a guess, and none
        is wanted, or leaves out words of which all is read to the letter.

        Args:
            refusal: of the question to the letter. What nothing fits, or is not known, is said.
            is_read: it has an answer to the letter.
        """
        at = Resolver(scene, query, weighs=True)
        question = read_question(query.text)
        reply = answer(question, at, self._memory.changes_since)
        reply = replace(reply, confidence=reply_likelihood(question, reply, at))
        sure, text, is_free = reply.confidence, reply.sentence, query.policy == "always_answer"
        asks_back = refusal is not None and refusal.failure.code == "ambiguous" and not at.stands
        if not is_free and (asks_back or _is_guess(query, question, reply, at)):
            return None
        unused = shown(", ".join(word for words in unused_words(question, at) for word in words))
        if is_read and unused and query.policy != "always_answer":
            return None
        if refusal is not None and refusal.failure.code == "not_found" and not is_free:
            text = f"{refusal} Not for sure: {reply.text}."
            sure = min(sure, ABSENCE_CONFIDENCE)
        elif sure <= ABSENCE_CONFIDENCE and not reply.is_usual:
            text = f"Not for sure{f', as I did not use {unused}' * bool(unused)}: {reply.text}."
        rests_on = f"rests on: {listed(reply.objects)}"
        steps = [
            f"{SITUATED}: {type(question).__name__}",
            *at.steps,
            rests_on if reply.objects else "nothing seen answers it: what is usual",
        ]
        if unused:
            steps.append(f"could not use: {unused}")
        objects = tuple(thing for thing in reply.objects if thing.object_id >= 0)
        found = MethodReply(text, sure, objects, steps=tuple(steps), brief=reply.brief)
        return _with_doubts(found, question, at)

    def _sure_answer(self, query: Query, resolver: Resolver) -> MethodReply:
        question, unread_remark = self._parsed(query)
        if query.policy == "strict":
            check_all_used(question, query.text, resolver)
        else:
            question = of_whole_map(question, resolver.scene, resolver.nearest)
        reply = answer(question, resolver, self._memory.changes_since)
        read_as = f"{type(question).__name__}: {verbalization.describe(subject_of(question))}"
        objects = tuple(thing for thing in reply.objects if thing.object_id >= 0)
        unread = self._unread(query, resolver.scene)
        # The answer text names an ignored situation where the viewpoint mattered.
        note = f" But {unread[0]}." if unread and resolver.is_seen_from_somewhere else ""
        steps = (read_as, *resolver.steps, *unread, *unread_remark)
        missed = "".join(f" I have {step}." for step in unread_remark if step.startswith(_MISSED))
        if missed and not objects and names_nothing(question, resolver.scene.rows_of_label):
            raise not_understood(NotUnderstoodError(query.text), query.text)
        text = f"{reply.sentence}{note}{missed}"
        # Who is told a part only is better answered by a model, where there is one.
        sure = min(reply.confidence, ABSENCE_CONFIDENCE) if missed else reply.confidence
        return MethodReply(text, sure, objects, steps=steps, brief=reply.brief)

    def ground(
        self, query: Query, snapshot: MemorySnapshot, asking: Asking | None = None
    ) -> GroundReply:
        """The objects of a phrase, or the subject of a question.

        Under `always_answer` the best matches; also, unless the query is strict, where the grammar
        finds nothing and they are likely enough.

        Args:
            asking: see `ask`.

        Raises:
            ReasoningError: `not_understood` or `not_found`.
            ModelError: see `ask`.
        """
        return self._replied(query, snapshot, asking, self._grounding)

    def _grounding(self, query: Query, snapshot: MemorySnapshot) -> GroundReply:
        resolver, scene = self._resolver(query, snapshot), self._seen(snapshot)
        question: trees.Question | None = None
        exact: GroundReply | ReasoningError
        try:
            question, unread_remark = self._parsed(query)
            exact = self._sure_grounding(question, unread_remark, query, resolver)
        except ReasoningError as error:
            exact = error
        if query.policy == "strict":
            if isinstance(exact, ReasoningError):
                raise exact
            return exact
        is_unread = isinstance(exact, ReasoningError) and exact.failure.code == "not_understood"
        meant = by_purpose(query.text) if is_unread else ""
        if meant:
            return self._grounding(replace(query, text=meant), snapshot)
        is_near, is_free = resolver.took_near_matches, query.policy == "always_answer"
        reply = ground_expression(query, scene, question, exact, is_near=is_near)
        is_whole = is_free or not isinstance(exact, ReasoningError)
        return reply if is_whole else _bounded(reply, query.text)

    def _sure_grounding(
        self,
        question: trees.Question,
        unread_remark: tuple[str, ...],
        query: Query,
        resolver: Resolver,
    ) -> GroundReply:
        if query.policy == "strict":
            check_all_used(question, query.text, resolver)
        else:
            question = of_whole_map(question, resolver.scene, resolver.nearest)
        if isinstance(question, trees.Joined) and question.word == "and":
            return self._grounding_of_all(question, unread_remark, query, resolver)
        if isinstance(question, trees.Changed) and question.subject is None:
            reply = answer(question, resolver, self._memory.changes_since)
            if not reply.objects:
                raise ReasoningError("not_found", reply.sentence)
            of_each = tuple(thing.confidence for thing in reply.objects)
            return GroundReply(reply.objects, of_each, (reply.sentence, *resolver.steps))
        subject = subject_of(question)
        if isinstance(question, trees.ListObjects) and isinstance(subject, trees.NounPhrase):
            said = {type(condition) for condition in subject.conditions}
            if not subject.noun and said == {trees.Related}:  # "whatever is beside the sink"
                subject = replace(subject, definite=True)
        found = resolver.existing(subject)
        found = found.where(resolver.scene.is_object[found.rows])
        if not len(found):
            text = "That is a part of the building, and no object of the map."
            raise ReasoningError("not_found", text)
        is_of_use = any(map(trees.is_use, subject.conditions))
        if is_of_use and not names_several(subject, query.text):  # "the table we eat at"
            found = found.where(np.isin(found.rows, resolver.main_of(subject, found.rows)))
        steps = (*resolver.steps, *self._unread(query, resolver.scene), *unread_remark)
        grounding = GroundReply(found.objects, tuple(found.confidences.tolist()), steps)
        if len(found) < (subject.count or 0) and not subject.allows(len(found)):
            known = f"{counted(len(found), noun_of(subject))} {be(len(found))} like that"
            raise ReasoningError("not_found", f"Only {known}, not {subject.count}.")
        failed = failed_presumptions(trees.noun_phrases(subject), resolver.scene)
        grounding = _resting_on(failed, grounding, DOUBTED)
        looked_for = f"looked for: {verbalization.describe(subject)}"
        return replace(grounding, steps=(looked_for, *grounding.steps))

    def _grounding_of_all(
        self,
        question: trees.Joined,
        unread_remark: tuple[str, ...],
        query: Query,
        resolver: Resolver,
    ) -> GroundReply:
        """The objects of several phrases; that one has none is said, unless none has any."""
        replies, failed = [], list[ReasoningError]()
        for part in question.questions:
            try:
                replies.append(self._sure_grounding(part, unread_remark, query, resolver))
            except ReasoningError as error:
                failed.append(error)
        if not replies:
            raise failed[0]
        sure = {o: c for r in replies for o, c in zip(r.objects, r.confidences, strict=True)}
        steps = tuple(dict.fromkeys(step for reply in replies for step in reply.steps))
        reply = GroundReply(tuple(sure), tuple(sure.values()), steps)
        return _resting_on(tuple(map(str, failed)), reply, DOUBTED)

    def align(self, query: Query, snapshot: MemorySnapshot, by: str = "") -> Intent:
        """Intent of a correcting sentence; nothing is written yet.

        Args:
            by: name of the speaker.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
            SceneMemoryError: similar objects cannot be searched for.
        """
        # A question needs no grammar of corrections, which takes 0.1 s to import.
        from scenemind.reasoning.symbolic.correcting_sentences import intent_of_sentence

        text, told = split_speaker(query.text)
        if told:
            query, by = replace(query, text=text), told

        def resolver_of(said: Query) -> Resolver:
            return self._resolver(said, snapshot, compares=False)

        return intent_of_sentence(query, by, resolver_of, self._memory)

    def _parsed(self, query: Query) -> tuple[trees.Question, tuple[str, ...]]:
        """The question, and notes on what stands beside it and was not read."""
        is_pointed, before = bool(query.marked_object_ids), _question_before(query.before)
        try:
            read_as = read_text(query.text, before, is_pointed=is_pointed)
        except NotUnderstoodError as error:
            raise not_understood(error, query.text) from error
        remarks = (f'not read: "{shown(each)}"' for each in read_as.remarks)
        missed = (f'{_MISSED} "{shown(each)}"' for each in read_as.missed)
        question = read_as.question if is_pointed else _of_unmarked(read_as.question)
        return question, (*remarks, *missed)

    def _resolver(
        self, query: Query, snapshot: MemorySnapshot, *, compares: bool = True
    ) -> Resolver:
        return Resolver(self._seen(snapshot), query, compares=compares)

    def _unread(self, query: Query, scene: Scene) -> tuple[str, ...]:
        """A note on a situation that gives no viewpoint, where nothing else does."""
        said = query.situation.strip()
        if not said or query.viewpoint is not None:
            return ()
        if find_viewpoint(said, scene) is not None:
            return ()
        way_out = "name things of the map, or give a viewpoint"
        return (f'the situation "{shown(said)}" was not read: {way_out}',)


def _of_unmarked(tree: Any) -> Any:
    """A question in which "that cup" is the cup, where nothing is marked."""
    if isinstance(tree, trees.Marked) and tree.noun:
        return trees.NounPhrase(tree.noun, definite=True)
    return trees.with_parts(tree, _of_unmarked)


def _question_before(text: str) -> trees.Question | None:
    """The question that was asked before, or that was taken for it; None where it was none."""
    question = find_question(text) if text else None
    said = None if question or not text else reworded(text)
    return find_question(said.text) if said and said.likelihood >= _LIKELY_MEANT else question


def _bounded(reply: GroundReply, text: str) -> GroundReply:
    """As many of the best objects as a phrase names, two of "the two chairs on my left"; where
    there are fewer, it is doubtful."""
    count = read(text).phrase.count
    objects, sure = reply.objects[:count], reply.confidences[:count]
    most = 1.0 if len(objects) >= (count or 0) else ABSENCE_CONFIDENCE
    return replace(reply, objects=objects, confidences=tuple(min(each, most) for each in sure))


def _with_situation(query: Query) -> Query:
    """The query with the situation that its text has, where it comes with none."""
    if query.situation.strip():
        return query
    text, situation = split_situation(query.text)
    return replace(query, text=text, situation=situation) if situation else query


class SymbolicMethod:
    """`AskMethod` of the symbolic reasoner, for any memory."""

    name = "symbolic"

    def __init__(self, relations: RelationConfig | None = None) -> None:
        self._relations = relations or RelationConfig()
        self._scenes = LastScene(self._relations)

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Reply to a question."""
        del asking
        reasoner = SymbolicReasoner(memory, self._relations, scenes=self._scenes)
        return reasoner.ask(query, memory.snapshot())
