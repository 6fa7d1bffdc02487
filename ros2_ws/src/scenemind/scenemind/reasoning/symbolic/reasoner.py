"""The symbolic method: a grammar and a snapshot, no model."""

from __future__ import annotations

import logging
from dataclasses import replace

from scenemind.config import RelationConfig
from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import GroundReply, MethodReply
from scenemind.reasoning.symbolic import rendering, shapes
from scenemind.reasoning.symbolic.commands import parse_commands
from scenemind.reasoning.symbolic.correcting import Wanted, wanted_of
from scenemind.reasoning.symbolic.executor import run, subject_of
from scenemind.reasoning.symbolic.grammar import parse_question
from scenemind.reasoning.symbolic.half_understood import find_half_understood
from scenemind.reasoning.symbolic.referring.likely import refer_likely
from scenemind.reasoning.symbolic.referring.referring import refer
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE, confidences
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.answerer import answer_briefly
from scenemind.reasoning.symbolic.situated.standing import find_viewpoint
from scenemind.reasoning.symbolic.syntax import Changed, Question, Verify
from scenemind.reasoning.types import Query
from scenemind.words.english import shown
from scenemind.words.vocabulary import Vocabulary

_log = logging.getLogger(__name__)


class SymbolicReasoner:
    """Answers from a memory's snapshots, for several threads; keeps the columns of one.

    It never guesses but for `always_answer`: else what is not in the map has no answer here. Only
    phrases to be grounded may be read more freely; see `ground`.
    """

    def __init__(
        self, memory: MemoryAccess, config: RelationConfig, vocabulary: Vocabulary | None = None
    ) -> None:
        self._memory = memory
        self._config = config
        self._vocabulary = vocabulary or Vocabulary.load()
        self._scene: Scene | None = None

    def ask(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        """The answer.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
        """
        if query.policy == "always_answer":
            return self._any_answer(query, snapshot)
        return self._sure_answer(query, snapshot)

    def _any_answer(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        """What the grammar is sure of, unless a situation is part of the question; else a guess."""
        if not query.situation.strip():
            try:
                reply = self._sure_answer(query, snapshot)
            except ReasoningError as error:
                _log.debug("guessing instead: %s", error)
            else:
                # What is said of things that are there is known to be so, or not to be so.
                is_checked = isinstance(self._parsed(query), Verify) and bool(reply.objects)
                if is_checked or reply.confidence > ABSENCE_CONFIDENCE:
                    return reply
        return answer_briefly(query, self._seen(snapshot), self._vocabulary, self._config)

    def _sure_answer(self, query: Query, snapshot: MemorySnapshot) -> MethodReply:
        question = self._parsed(query)
        resolver = self._resolver(query, snapshot)
        reply = run(question, resolver, self._memory.changes_since)
        read_as = f"{type(question).__name__}: {rendering.describe(subject_of(question))}"
        objects = tuple(thing for thing in reply.objects if thing.object_id >= 0)
        unread = self._unread(query, resolver)
        # Who does not look at the steps must hear of it, where it mattered.
        note = f" But {unread[0]}." if unread and resolver.is_seen_from_somewhere else ""
        steps = (read_as, *resolver.steps, *unread)
        text = f"{reply.text}{note}"
        return MethodReply(text, reply.confidence, objects, steps=steps, brief=reply.brief)

    def ground(self, query: Query, snapshot: MemorySnapshot) -> GroundReply:
        """The objects of a phrase, or those that a question is about.

        Where one must be named, those that fit best; so too, unless the query is strict, where the
        grammar finds nothing and they are likely enough.

        Raises:
            ReasoningError: `not_understood` or `not_found`.
        """
        if query.policy == "always_answer" and not query.marked_object_ids:
            try:
                return refer(query, self._seen(snapshot), self._vocabulary)
            except ReasoningError as error:
                _log.debug("reading it to the letter: %s", error)
        try:
            return self._sure_grounding(query, snapshot)
        except ReasoningError as error:
            if query.policy == "strict":
                raise
            return refer_likely(query, self._seen(snapshot), self._vocabulary, error)

    def _sure_grounding(self, query: Query, snapshot: MemorySnapshot) -> GroundReply:
        question = self._parsed(query)
        resolver = self._resolver(query, snapshot)
        if isinstance(question, Changed) and question.subject is None:
            reply = run(question, resolver, self._memory.changes_since)
            if not reply.objects:
                raise ReasoningError("not_found", reply.text)
            of_each = tuple(thing.confidence for thing in reply.objects)
            return GroundReply(reply.objects, of_each, (reply.text, *resolver.steps))
        subject = subject_of(question)
        rows, scores = resolver.existing(subject)
        is_object = resolver.scene.is_object[rows]
        if not is_object.any():
            raise ReasoningError(
                "not_found",
                "That is a part of the building, and no object of the map.",
            )
        rows, scores = rows[is_object], scores[is_object]
        sure = confidences(resolver.scene, rows, scores)
        looked_for = f"looked for: {rendering.describe(subject)}"
        steps = (looked_for, *resolver.steps, *self._unread(query, resolver))
        return GroundReply(tuple(resolver.objects(rows)), tuple(sure.tolist()), steps)

    def align(self, query: Query, snapshot: MemorySnapshot, by: str = "") -> Wanted:
        """What a correcting sentence wants, or may want; nothing is written yet.

        Args:
            by: who speaks.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
            SceneMemoryError: the memory cannot say what is similar.
        """
        try:
            commands = parse_commands(query.text)
        except ReasoningError as error:
            explained = self._explained(error, query, shapes.COMMANDS)
            return self._half_understood(query, snapshot, by, explained)
        return wanted_of(
            commands, query, lambda said: self._resolver(said, snapshot), self._memory, by
        )

    def _half_understood(
        self, query: Query, snapshot: MemorySnapshot, by: str, otherwise: ReasoningError
    ) -> Wanted:
        """What the person may mean, to be asked.

        Raises:
            ReasoningError: `otherwise`, where that is not clear enough.
        """
        scene = self._seen(snapshot)
        command = find_half_understood(query.text, query.marked_object_ids, scene)
        if command is None:
            raise otherwise
        try:
            wanted = wanted_of(
                (command,), query, lambda said: self._resolver(said, snapshot), self._memory, by
            )
        except ReasoningError as error:
            raise otherwise from error
        return replace(wanted, is_doubtful=True)

    def _parsed(self, query: Query) -> Question:
        try:
            return parse_question(query.text)
        except ReasoningError as error:
            raise self._explained(error, query, shapes.QUESTIONS) from error

    def _resolver(self, query: Query, snapshot: MemorySnapshot) -> Resolver:
        return Resolver(self._seen(snapshot), query, self._vocabulary, self._config)

    def _seen(self, snapshot: MemorySnapshot) -> Scene:
        scene = self._scene
        if scene is None or scene.snapshot is not snapshot:
            scene = self._scene = Scene(snapshot)
        return scene

    def _unread(self, query: Query, resolver: Resolver) -> tuple[str, ...]:
        """A note on a situation that tells no place, where nothing else does."""
        said = query.situation.strip()
        if not said or query.viewpoint is not None:
            return ()
        if find_viewpoint(said, resolver.scene, self._vocabulary) is not None:
            return ()
        way_out = "name things of the map, or give a viewpoint"
        return (f'the situation "{shown(said)}" was not read: {way_out}',)

    def _explained(
        self, error: ReasoningError, query: Query, examples: tuple[str, ...]
    ) -> ReasoningError:
        part, whole = shown(error.failure.text), shown(query.text)
        return ReasoningError("not_understood", shapes.not_understood(part, whole, examples))
