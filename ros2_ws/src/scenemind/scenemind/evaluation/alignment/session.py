"""Sessions of alignment: a simulated person corrects a robot until its answer is right.

Counted as in the paper (section IV-B): each sentence of the person is an interaction, including the
question and its repetitions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from string import Formatter
from typing import Literal, get_args

from scenemind.config import RelationConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.alignment.generator import fill_wording, read_wordings
from scenemind.evaluation.alignment.tasks import (
    AlignmentTask,
    Difficulty,
    Objects,
    PlantedError,
    TaskQuestion,
    is_mended,
    is_right,
    is_true,
)
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.memory import Correction, Edit, MapObject, MemorySnapshot, SimilarObject
from scenemind.memory.graph.corrections import CorrectionsJournal, PerceivedMap
from scenemind.memory.graph.corrections.similar import find_similar
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.models import Usage
from scenemind.models.chat import NOTHING_USED
from scenemind.reasoning import Alignment, Answer, Asking, AskMethod, Query, Router
from scenemind.reasoning.dialogue import Dialogues

_EMPTY = MemorySnapshot(0, 0, {}, (), None)
Wording = Literal["first", "more", "development", "fresh"]
WORDINGS: tuple[Wording, ...] = get_args(Wording)
_WORDINGS: Mapping[Wording, str] = {
    "first": "person.yaml",
    "more": "person_more.yaml",
    "development": "person_development.yaml",
    "fresh": "person_fresh.yaml",
}
# Probability that a person clicks an object instead of describing it.
_CLICKS = 0.5
# Limit of a person's sentences; the paper's means are 3.38 and 6.45.
MOST_INTERACTIONS: dict[Difficulty, int] = {"easy": 3, "hard": 6}


class CorrectableMemory(ObjectsMemory):
    """Objects as a memory with a journal of corrections; relations follow the corrections. Not
    thread-safe."""

    def __init__(self, perceived: Objects, config: RelationConfig) -> None:
        super().__init__(_EMPTY)
        self._perceived = perceived
        self._journal = CorrectionsJournal(count(max(perceived) + 1).__next__)
        self._graph = SceneGraph(config)
        self._seen: Mapping[int, MapObject] = {}
        self._clock = count(1)
        self._relate()

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """See `MemoryAccess`."""
        perceived = PerceivedMap(self._perceived)
        written = self._journal.apply(edits, by, reason, perceived, next(self._clock))
        self._relate()
        return written

    def undo(self, *correction_ids: int) -> list[Correction]:
        """See `MemoryAccess`."""
        entries = self._journal.undo(*correction_ids)
        self._relate()
        return entries

    def redo(self, *correction_ids: int) -> list[Correction]:
        """See `MemoryAccess`."""
        entries = self._journal.redo(*correction_ids)
        self._relate()
        return entries

    def corrections(self) -> list[Correction]:
        """See `MemoryAccess`."""
        return self._journal.entries()

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """See `MemoryAccess`."""
        return find_similar(edit, self._perceived, self._seen, {})[:count]

    def _relate(self) -> None:
        before, seen = self._seen, self._journal.apply_to(self._perceived).objects
        changed = [i for i, thing in seen.items() if before.get(i) is not thing]
        self._graph.refresh(seen, [*changed, *(before.keys() - seen.keys())])
        computed = self._graph.levels()
        relations = self._journal.relations(self._graph.relations(), seen)
        levels = self._journal.levels(computed, relations, seen)
        if levels != computed:
            relations = self._journal.relations(self._graph.relations_at(levels), seen)
        self._seen = seen
        revision = self._snapshot.revision + 1
        denied = self._journal.denied(seen)
        self._snapshot = MemorySnapshot(
            revision, 0, seen, relations, None, levels=levels, denied=denied
        )


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence of the person.

    Attributes:
        marked: ids of clicked objects.
    """

    text: str
    marked: tuple[int, ...] = ()


class Person:
    """A simulated person with one task, who sees the robot's labels, colours, boxes and ids."""

    def __init__(
        self,
        task: AlignmentTask,
        rng: random.Random,
        may_click: bool = True,
        wording: Wording = "first",
    ) -> None:
        """
        Args:
            may_click: False: the person only speaks, as in the paper's figure 5c.
            wording: set of wordings of the corrections.
        """
        self._task = task
        self._rng = rng
        self._may_click = may_click
        self._ways = _WORDINGS[wording]
        self._said: set[str] = set()

    def correction(
        self, error: PlantedError, shown: Objects, answered: Collection[int]
    ) -> Utterance:
        """A correction of an error, in a wording that was not used before if there is one.

        Args:
            shown: the robot's current objects.
            answered: ids of the objects that the robot's last reply mentioned.
        """
        ways = read_wordings(self._ways)["corrections"][error.kind]
        in_words = [
            wording
            for way in ("words", "answered", "on")
            if self._can_say(way, error, shown, answered)
            for wording in ways.get(way, ())
        ]
        before = any(wording in self._said for wording in (*in_words, *ways["click"]))
        wants_click = before or self._rng.random() < _CLICKS or not in_words
        clicks = self._may_click and wants_click
        usable = list(self._usable(ways["click"] if clicks else in_words or ways["words"], error))
        fresh = [wording for wording in usable if wording not in self._said]
        wording = self._rng.choice(fresh or usable)
        self._said.add(wording)
        ids = (error.object_id,) if error.second_id is None or error.kind == "joined" else (
            error.object_id, error.second_id)  # fmt: skip
        return Utterance(fill_wording(wording, **self._words(error)), ids if clicks else ())

    def _can_say(
        self, way: str, error: PlantedError, shown: Objects, answered: Collection[int]
    ) -> bool:
        if way == "answered":
            return set(answered) == {error.object_id}
        if way == "on":
            return error.anchor_id is not None and self._is_as_seen(error.anchor_id, shown)
        if error.kind in ("twice", "joined", "ghost"):
            return True
        name = error.wrong if error.kind == "label" else error.noun
        return sum(thing.label == name for thing in shown.values()) == 1

    def _is_as_seen(self, object_id: int, shown: Objects) -> bool:
        true = self._task.true.get(object_id)
        same = [o.object_id for o in shown.values() if true is not None and o.label == true.label]
        return same == [object_id]

    def _usable(self, wordings_: Collection[str], error: PlantedError) -> Iterator[str]:
        """The wordings whose placeholders are all known."""
        known = self._words(error)
        for wording in wordings_:
            names = {name for _, name, _, _ in Formatter().parse(wording) if name}
            if all(known.get(name.removeprefix("a_")) for name in names - {"nouns"}):
                yield wording

    def _words(self, error: PlantedError) -> dict[str, str]:
        true = self._task.true
        thing = true.get(error.object_id)
        anchor = true.get(error.anchor_id) if error.anchor_id is not None else None
        return {
            "noun": error.noun,
            "wrong": error.wrong,
            "value": error.value,
            "anchor": anchor.label if anchor else "",
            "color": thing.attributes.get("color", "") if thing else "",
            "number": str(error.object_id),
            "second": "" if error.second_id is None else str(error.second_id),
        }

    def undo_request(self) -> Utterance:
        """A sentence such as "No, undo that"."""
        return Utterance(self._rng.choice(read_wordings(self._ways)["undo"]))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A sentence of the person and the robot's reply.

    Attributes:
        is_question: otherwise it is a correction, or a yes or no to the robot's question.
        is_good: a question was answered correctly; a correction was applied, and nothing else.
    """

    said: str
    marked: tuple[int, ...]
    replied: str
    is_question: bool
    is_good: bool
    seconds: float
    failure: str
    usage: Usage
    steps: tuple[str, ...]


@dataclass(slots=True)
class Session:
    """The course of one task.

    Attributes:
        memory: after the corrections, with its journal.
        exchanges: of the task itself, in order.
        novel_before, novel_after: the novel question before and after; None: there is none.
    """

    task: AlignmentTask
    memory: CorrectableMemory
    exchanges: list[Exchange] = field(default_factory=list)
    novel_before: Exchange | None = None
    novel_after: Exchange | None = None

    @property
    def is_right_at_first(self) -> bool:
        return self.exchanges[0].is_good

    @property
    def succeeded(self) -> bool:
        """Whether the last answer to the question was right."""
        return next(e.is_good for e in reversed(self.exchanges) if e.is_question)

    @property
    def usage(self) -> Usage:
        return sum((e.usage for e in self.exchanges), NOTHING_USED)


@dataclass(frozen=True, slots=True)
class AlignmentSettings:
    """Settings of all sessions.

    Attributes:
        method: answers questions. Corrections are read by the grammar first, then by `synergai`
            where it is among the methods; by `synergai` alone where that is the method.
        seed: of the persons.
        may_click: False: the persons only speak.
        wording: set of wordings of the corrections.
        relations: thresholds of the scene graph.
    """

    method: str = "symbolic"
    seed: int = 0
    may_click: bool = True
    wording: Wording = "first"
    relations: RelationConfig = field(default_factory=RelationConfig)


def run_alignment(
    tasks: Iterable[AlignmentTask],
    settings: AlignmentSettings | None = None,
    methods: Mapping[str, AskMethod] | None = None,
    asking: Callable[[], Asking] = Asking,
) -> Iterator[Session]:
    """Play each task in a session of its own, in order.

    Args:
        methods: methods with models, as for a `Router`.
        asking: makes the allowance of each sentence.
    """
    for task in tasks:
        yield Conversation(task, settings or AlignmentSettings(), methods, asking).play()


class Conversation:
    """Plays one task. The person agrees to a proposal only where all of its edits are true."""

    def __init__(
        self,
        task: AlignmentTask,
        settings: AlignmentSettings,
        methods: Mapping[str, AskMethod] | None,
        asking: Callable[[], Asking],
    ) -> None:
        self._task = task
        self._memory = CorrectableMemory(task.perceived, settings.relations)
        dialogues = Dialogues(2, 6)
        self._router = Router(
            self._memory, settings.relations, methods, falls_back=False, dialogues=dialogues
        )
        self._dialogue = dialogues.get(task.task_id)
        self._method = settings.method
        self._asking = asking
        rng = random.Random(f"{settings.seed} {task.task_id}")
        self._person = Person(task, rng, settings.may_click, settings.wording)
        self._session = Session(task, self._memory)
        self._spoken_of: tuple[int, ...] = ()

    def play(self) -> Session:
        """Play the novel question, the task, and the novel question again."""
        novel, session = self._task.novel, self._session
        session.novel_before = self._novel(novel)
        most = MOST_INTERACTIONS[self._task.difficulty]
        self._ask_again()
        while not session.succeeded and len(session.exchanges) < most:
            pending = self._pending()
            if pending and len(session.exchanges) < most - 1:
                self._correct(pending[0], most)
            else:
                self._ask_again()
        session.novel_after = self._novel(novel)
        return session

    def _pending(self) -> list[PlantedError]:
        now, perceived = self._memory.snapshot(), self._task.perceived
        return [e for e in self._task.errors if not is_mended(e, perceived, now)]

    def _novel(self, wanted: TaskQuestion | None) -> Exchange | None:
        return None if wanted is None else self._ask(wanted, dialogue_id="")

    def _ask_again(self) -> None:
        self._session.exchanges.append(self._ask(self._task.wanted, self._task.task_id))

    def _ask(self, wanted: TaskQuestion, dialogue_id: str) -> Exchange:
        query = Query(wanted.question, viewpoint=self._task.viewpoint, dialogue_id=dialogue_id)
        answer: Answer = self._router.ask(query, self._method, self._asking())
        if answer.failure is not None and answer.failure.code == "method_unavailable":
            raise EvaluationError(answer.failure.text)
        self._spoken_of = tuple(thing.object_id for thing in answer.objects)
        return Exchange(
            wanted.question,
            (),
            answer.text,
            True,
            is_right(wanted, answer),
            answer.seconds,
            answer.failure.code if answer.failure else "",
            answer.usage,
            answer.steps,
        )

    def _correct(self, error: PlantedError, most: int) -> None:
        """Correct an error, answer the robot's proposal, and undo a wrong edit."""
        shown = self._memory.snapshot().objects
        done = self._tell(self._person.correction(error, shown, self._spoken_of), error)
        exchanges = self._session.exchanges
        proposal = self._dialogue.proposal
        if proposal is not None and len(exchanges) < most - 1:
            agrees = all(is_true(edit, self._task) for edit in proposal.edits)
            done = self._tell(Utterance("yes" if agrees else "no"), error)
        if done.correction_ids and not exchanges[-1].is_good and len(exchanges) < most - 2:
            self._tell(self._person.undo_request(), error)

    def _tell(self, utterance: Utterance, error: PlantedError) -> Alignment:
        query = Query(
            utterance.text,
            viewpoint=self._task.viewpoint,
            marked_object_ids=utterance.marked,
            dialogue_id=self._task.task_id,
        )
        by_agent = self._method == "synergai"  # otherwise the grammar would be measured
        done = self._router.align(query, "simulated person", self._asking(), by_agent)
        self._session.exchanges.append(
            Exchange(
                utterance.text,
                utterance.marked,
                done.response,
                False,
                self._is_done(error, done),
                done.seconds,
                done.failure.code if done.failure else "",
                done.usage,
                done.steps,
            )
        )
        self._spoken_of = done.object_ids or self._spoken_of
        return done

    def _is_done(self, error: PlantedError, done: Alignment) -> bool:
        written = [c for c in self._memory.corrections() if c.correction_id in done.correction_ids]
        is_all_true = all(is_true(correction.edit, self._task) for correction in written)
        return is_all_true and is_mended(error, self._task.perceived, self._memory.snapshot())
