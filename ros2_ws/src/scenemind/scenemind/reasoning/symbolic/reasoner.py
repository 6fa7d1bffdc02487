"""The symbolic method: a grammar and a snapshot, no model."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.config import RelationConfig
from scenemind.memory import Edit, MapObject, MemorySnapshot
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import rendering, shapes
from scenemind.reasoning.symbolic.commands import parse_command
from scenemind.reasoning.symbolic.editor import edits_of
from scenemind.reasoning.symbolic.executor import run, subject_of
from scenemind.reasoning.symbolic.grammar import parse_question
from scenemind.reasoning.symbolic.reply import Reply, confidences
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.syntax import Undo
from scenemind.reasoning.types import Query
from scenemind.words.english import shown
from scenemind.words.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Grounded objects, best first, with confidences and the way they were found."""

    objects: tuple[MapObject, ...]
    confidences: tuple[float, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What a correcting sentence wants: edits, or (`undo`) one of them taken back."""

    edits: tuple[Edit, ...]
    response: str
    undo: Undo | None = None


class SymbolicReasoner:
    """Answers from snapshots; keeps the columns of the newest one."""

    def __init__(self, config: RelationConfig, vocabulary: Vocabulary | None = None) -> None:
        self._config = config
        self._vocabulary = vocabulary or Vocabulary.load()
        self._scene: Scene | None = None

    def ask(self, query: Query, snapshot: MemorySnapshot) -> tuple[Reply, tuple[str, ...]]:
        """The answer and the steps to it.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
        """
        try:
            question = parse_question(query.text)
        except ReasoningError as error:
            raise self._explained(error, query, shapes.QUESTIONS) from error
        resolver = self._resolver(query, snapshot)
        reply = run(question, resolver)
        read_as = f"{type(question).__name__}: {rendering.describe(subject_of(question))}"
        return reply, (read_as, *resolver.steps, *_unread(query))

    def ground(self, query: Query, snapshot: MemorySnapshot) -> Found:
        """The objects of a phrase, or those that a question is about.

        Raises:
            ReasoningError: `not_understood` or `not_found`.
        """
        try:
            subject = subject_of(parse_question(query.text))
        except ReasoningError as error:
            raise self._explained(error, query, shapes.QUESTIONS) from error
        resolver = self._resolver(query, snapshot)
        rows, scores = resolver.existing(subject)
        sure = confidences(resolver.scene, rows, scores)
        steps = (f"looked for: {rendering.describe(subject)}", *resolver.steps, *_unread(query))
        return Found(tuple(resolver.objects(rows)), tuple(sure.tolist()), steps)

    def align(self, query: Query, snapshot: MemorySnapshot) -> Wanted:
        """What a correcting sentence wants; nothing is written yet.

        Raises:
            ReasoningError: `not_understood`, `not_found` or `ambiguous`.
        """
        try:
            command = parse_command(query.text)
        except ReasoningError as error:
            raise self._explained(error, query, shapes.COMMANDS) from error
        if isinstance(command, Undo):
            return Wanted((), "", command)
        edits, response = edits_of(command, self._resolver(query, snapshot))
        return Wanted(tuple(edits), response)

    def _resolver(self, query: Query, snapshot: MemorySnapshot) -> Resolver:
        if self._scene is None or self._scene.snapshot is not snapshot:
            self._scene = Scene(snapshot)
        return Resolver(self._scene, query, self._vocabulary, self._config)

    def _explained(
        self, error: ReasoningError, query: Query, examples: tuple[str, ...]
    ) -> ReasoningError:
        part, whole = shown(error.failure.text), shown(query.text)
        return ReasoningError("not_understood", shapes.not_understood(part, whole, examples))


def _unread(query: Query) -> tuple[str, ...]:
    if not query.situation.strip():
        return ()
    return (f'the situation "{shown(query.situation)}" was not read: give a viewpoint instead',)
