"""The symbolic method: a grammar and a snapshot, no model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from scenemind.config import RelationConfig
from scenemind.language import trees, verbalization
from scenemind.language.english import shown
from scenemind.language.nearest import is_read
from scenemind.language.questions import parse_question, question_and_remark
from scenemind.language.situated.questions import read_question
from scenemind.language.situated.situation import split_situation
from scenemind.language.speech_acts import agrees, is_order, is_question
from scenemind.language.tokens import NotUnderstoodError
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.reasoning.method import Asking, GroundReply, MethodReply
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.answers import answer, answer_loosely, subject_of
from scenemind.reasoning.symbolic.attribute_scores import DESCRIBED_ONLY
from scenemind.reasoning.symbolic.clarification import find_likely_command
from scenemind.reasoning.symbolic.edits import Intent, doubt_of_guess, intent_of
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.referring.expressions import (
    ground_expression,
    ground_loosely,
    likelier,
)
from scenemind.reasoning.symbolic.refusals import (
    check_all_used,
    correction_refused,
    not_understood,
    with_suggestion,
)
from scenemind.reasoning.symbolic.replies import (
    ABSENCE_CONFIDENCE,
    Reply,
    confidences,
    listed,
)
from scenemind.reasoning.symbolic.resolver import STANDING_IN, Resolver, is_room, stand_in_notes
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import find_viewpoint

if TYPE_CHECKING:  # pydantic's forms take long to import
    from scenemind.reasoning.symbolic.model_reader import ModelReader

_Found = TypeVar("_Found", MethodReply, GroundReply)
SITUATED = "read as a situated question"
"""Begins the steps of an answer to a question that was read loosely."""
# Least likelihood of an answer that is no guess, and of one to a question without a situation that
# the grammar does not read: a yes or no that may as well be wrong is worth less than a suggestion.
_LIKELY, _LIKELY_UNREAD = 0.2, 0.55
# Shapes that the grammar reads less of.
_LOOSE_ALONE = (trees.AskRoom, trees.AskDirection, trees.IsWayClear)
# Attributes that a box shows.
_BY_BOX = ("shape", "size")
_log = logging.getLogger(__name__)


def _other_act(text: str) -> str:
    """Message for a sentence that is no correction but a question, a request or a yes to nothing;
    empty for others."""
    if agrees(text):
        return "Nothing waits for a yes, and nothing was changed."
    if not is_question(text) and not is_order(text):
        return ""
    what = "question" if is_question(text) else "request"
    return f'"{shown(text)}" is a {what}, and no correction: nothing was changed. Ask it instead.'


def _is_guess(
    query: Query, question: trees.SituatedQuestion, reply: Reply, at: LooseResolver
) -> bool:
    """Whether a loosely read question is answered for want of anything better.

    Where the grammar reads it, it has to ask for the same, of things that are known, and for
    nothing that has to be told or pointed at.
    """
    unknown, unread = at.unused_words(question)
    if unknown and not (reply.is_usual and isinstance(question, trees.Count | trees.Choose)):
        return True
    if at.stands:
        return reply.confidence < _LIKELY
    try:
        asked = parse_question(query.text)
    except NotUnderstoodError:
        is_of_room = isinstance(question, trees.Choose) and is_room(question.subject)
        is_shape = is_of_room or isinstance(question, _LOOSE_ALONE)
        return bool(unread) or reply.confidence < (_LIKELY if is_shape else _LIKELY_UNREAD)
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


def _with_steps_before(reply: _Found, asking: Asking) -> _Found:
    """A reply with the steps that its question has taken so far."""
    return replace(reply, steps=(*asking.progress.steps, *reply.steps))


def _speaks_of_own(query: Query, snapshot: MemorySnapshot) -> bool:
    """Whether somebody who is known to own things speaks of what is theirs."""
    is_own = not {"my", "mine"}.isdisjoint(query.text.lower().split())
    owners = {thing.attributes.get("owner", "").lower() for thing in snapshot.objects.values()}
    return is_own and query.by != "" and query.by.lower() in owners


class SymbolicReasoner:
    """Answers from a memory's snapshots; thread-safe, keeps the columns of the last one.

    No guesses, except under `always_answer`. Only phrases to be grounded may be read loosely; see
    `ground`.
    """

    def __init__(
        self,
        memory: MemoryAccess,
        config: RelationConfig,
        vocabulary: Vocabulary | None = None,
        reader: ModelReader | None = None,
    ) -> None:
        """
        Args:
            reader: reads sentences that the grammar does not; None: they are refused.
        """
        self._memory = memory
        self._config = config
        self._vocabulary = vocabulary or Vocabulary.load()
        self._reader = reader
        self._scene: Scene | None = None

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
        query = _with_situation(query)
        try:
            return self._as_read(query, snapshot, asking, self._answer)
        except ReasoningError as error:
            labels = self._seen(snapshot).rows_of_label
            raise with_suggestion(error, query.text, labels) from error

    def _as_read(
        self,
        query: Query,
        snapshot: MemorySnapshot,
        asking: Asking | None,
        answer_to: Callable[[Query, MemorySnapshot], _Found],
    ) -> _Found:
        """The reply to a sentence; a model, where there is one, reads what the grammar does not."""
        if self._reader is None or asking is None or is_read(query.text):
            return answer_to(query, snapshot)
        meant = self._reader.read(query.text, self._seen(snapshot).rows_of_label, asking)
        reply = answer_to(replace(query, text=meant or query.text), snapshot)
        return _with_steps_before(reply, asking)

    def _answer(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        if query.policy == "strict":
            return self._sure_answer(query, snapshot)
        return self._likely_answer(query, snapshot)

    def _likely_answer(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        """The strict answer, unless the query has a situation; else what is likeliest, or under
        `always_answer` a guess."""
        is_free, scene = query.policy == "always_answer", self._seen(snapshot)
        refusal: ReasoningError | None = None
        is_situated = query.situation.strip() and (is_free or not self._unread(query, scene))
        if not is_situated:
            try:
                reply = self._sure_answer(query, snapshot)
            except ReasoningError as error:
                refusal = error
            else:
                asked, _ = self._parsed(query)
                # Claims about known objects are decided, even by a no.
                is_sure = isinstance(asked, trees.Verify) and bool(reply.objects)
                is_sure |= reply.confidence > ABSENCE_CONFIDENCE
                # A colour as measured in dim light may be likelier another.
                if not is_free or (is_sure and not isinstance(asked, trees.AskAttribute)):
                    return reply
        likely = self._loose_answer(query, scene, refusal)
        if likely is not None:
            return likely
        if refusal is not None:
            raise refusal
        return self._sure_answer(query, snapshot)

    def _loose_answer(
        self, query: Query, scene: Scene, refusal: ReasoningError | None
    ) -> MethodReply | None:
        """The answer to a question that is read loosely; None where it would be a guess, and none
        is wanted.

        Args:
            refusal: of the question to the letter. What nothing fits, or is not known, is said.
        """
        question = read_question(query.text)
        at = LooseResolver(scene, query, self._vocabulary)
        reply = answer_loosely(question, at, self._memory.changes_since)
        sure, text, is_free = reply.confidence, reply.sentence, query.policy == "always_answer"
        asks_back = refusal is not None and refusal.failure.code == "ambiguous" and not at.stands
        if not is_free and (asks_back or _is_guess(query, question, reply, at)):
            return None
        unused = shown(", ".join(word for words in at.unused_words(question) for word in words))
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
        return self._with_stand_ins(found, question, scene)

    def _with_stand_ins(
        self, reply: MethodReply, question: trees.SituatedQuestion, scene: Scene
    ) -> MethodReply:
        """A reply that says what stands in for unknown things, and is no surer than that."""
        if not reply.objects:
            return reply
        # These answers say so of their subjects.
        said = [part.subject for part in trees.parts_of(question, trees.Exists)]
        said += [part.subject for part in trees.parts_of(question, trees.Count)]
        phrases = [phrase for phrase in trees.noun_phrases(question) if phrase not in said]
        notes = stand_in_notes(phrases, scene, self._vocabulary)
        sure = min(reply.confidence, STANDING_IN if notes else 1.0)
        return replace(reply, text=" ".join((*notes, reply.text)), confidence=sure)

    def _sure_answer(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        (question, unread_remark), resolver = self._parsed(query), self._resolver(query, snapshot)
        if query.policy == "strict":
            check_all_used(question, query.text, resolver)
        reply = answer(question, resolver, self._memory.changes_since)
        read_as = f"{type(question).__name__}: {verbalization.describe(subject_of(question))}"
        objects = tuple(thing for thing in reply.objects if thing.object_id >= 0)
        unread = self._unread(query, resolver.scene)
        # The answer text names an ignored situation where the viewpoint mattered.
        note = f" But {unread[0]}." if unread and resolver.is_seen_from_somewhere else ""
        steps = (read_as, *resolver.steps, *unread, *unread_remark)
        text = f"{reply.sentence}{note}"
        found = MethodReply(text, reply.confidence, objects, steps=steps, brief=reply.brief)
        return self._with_stand_ins(found, question, resolver.scene)

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
        query = _with_situation(query)
        try:
            return self._as_read(query, snapshot, asking, self._grounding)
        except ReasoningError as error:
            labels = self._seen(snapshot).rows_of_label
            raise with_suggestion(error, query.text, labels, is_phrase=True) from error

    def _grounding(self, query: Query, snapshot: MemorySnapshot) -> GroundReply:
        is_loose = query.policy == "always_answer" and not query.marked_object_ids
        if is_loose and not _speaks_of_own(query, snapshot):
            try:
                return ground_expression(query, self._seen(snapshot), self._vocabulary)
            except ReasoningError as error:
                _log.debug("reading it to the letter: %s", error)
        resolver = self._resolver(query, snapshot)
        try:
            reply = self._sure_grounding(query, resolver)
        except ReasoningError as error:
            if query.policy == "strict":
                raise
            return ground_loosely(query, self._seen(snapshot), self._vocabulary, error)
        if query.policy == "strict" or not resolver.took_near_matches:
            return reply
        return likelier(query, self._seen(snapshot), self._vocabulary, reply)

    def _sure_grounding(self, query: Query, resolver: Resolver) -> GroundReply:
        question, unread_remark = self._parsed(query)
        if query.policy == "strict":
            check_all_used(question, query.text, resolver)
        if isinstance(question, trees.Changed) and question.subject is None:
            reply = answer(question, resolver, self._memory.changes_since)
            if not reply.objects:
                raise ReasoningError("not_found", reply.sentence)
            of_each = tuple(thing.confidence for thing in reply.objects)
            return GroundReply(reply.objects, of_each, (reply.sentence, *resolver.steps))
        subject = subject_of(question)
        rows, scores = resolver.existing(subject)
        is_object = resolver.scene.is_object[rows]
        if not is_object.any():
            raise ReasoningError(
                "not_found",
                "That is a part of the building, and no object of the map.",
            )
        rows, scores = rows[is_object], scores[is_object]
        stand_ins = stand_in_notes(trees.noun_phrases(subject), resolver.scene, self._vocabulary)
        sure = confidences(resolver.scene, rows, scores).clip(max=STANDING_IN if stand_ins else 1.0)
        looked_for = f"looked for: {verbalization.describe(subject)}"
        unread = (*self._unread(query, resolver.scene), *unread_remark)
        steps = (looked_for, *stand_ins, *resolver.steps, *unread)
        return GroundReply(tuple(resolver.objects(rows)), tuple(sure.tolist()), steps)

    def align(self, query: Query, snapshot: MemorySnapshot, by: str = "") -> Intent:
        """Intent of a correcting sentence; nothing is written yet.

        Args:
            by: name of the speaker.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
            SceneMemoryError: similar objects cannot be searched for.
        """
        # A question needs no grammar of corrections, which takes 0.1 s to import.
        from scenemind.language.corrections.grammar import parse_commands

        try:
            commands = parse_commands(query.text)
        except NotUnderstoodError as error:
            labels = self._seen(snapshot).rows_of_label
            otherwise = correction_refused(error, query.text, labels)
            if act := _other_act(query.text):
                otherwise = ReasoningError("not_understood", act)
            return self._half_understood(query, snapshot, by, otherwise)
        return intent_of(
            commands, query, lambda said: self._resolver(said, snapshot), self._memory, by
        )

    def _half_understood(
        self, query: Query, snapshot: MemorySnapshot, by: str, otherwise: ReasoningError
    ) -> Intent:
        """The likely intent of a sentence that was not understood, to be confirmed by the person.

        Raises:
            ReasoningError: `otherwise`, where that is not clear enough.
        """
        scene = self._seen(snapshot)
        command = find_likely_command(query.text, query.marked_object_ids, scene)
        if command is None or is_order(query.text):
            raise otherwise
        try:
            wanted = intent_of(
                (command,), query, lambda said: self._resolver(said, snapshot), self._memory, by
            )
        except ReasoningError as error:
            raise otherwise from error
        guess = doubt_of_guess(wanted.response, verbalization.command_words(command))
        return replace(wanted, doubt=wanted.doubt or guess)

    def _parsed(self, query: Query) -> tuple[trees.Question, tuple[str, ...]]:
        """The question, and a note on a remark beside it that was not read."""
        try:
            question, remark = question_and_remark(query.text)
        except NotUnderstoodError as error:
            raise not_understood(error, query.text) from error
        return question, (f'not read: "{shown(remark)}"',) if remark else ()

    def _resolver(self, query: Query, snapshot: MemorySnapshot) -> Resolver:
        return Resolver(self._seen(snapshot), query, self._vocabulary)

    def _seen(self, snapshot: MemorySnapshot) -> Scene:
        scene = self._scene
        if scene is None or scene.snapshot is not snapshot:
            scene = self._scene = Scene(snapshot, self._config)
        return scene

    def _unread(self, query: Query, scene: Scene) -> tuple[str, ...]:
        """A note on a situation that gives no viewpoint, where nothing else does."""
        said = query.situation.strip()
        if not said or query.viewpoint is not None:
            return ()
        if find_viewpoint(said, scene, self._vocabulary) is not None:
            return ()
        way_out = "name things of the map, or give a viewpoint"
        return (f'the situation "{shown(said)}" was not read: {way_out}',)


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

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Reply to a question."""
        del asking
        return SymbolicReasoner(memory, self._relations).ask(query, memory.snapshot())
