"""One person and one robot, until the answer is right or the person has had enough.

Counted as in the paper (section IV-B): every sentence of the person is an interaction, the question
and its repetition included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scenemind.evaluation.alignment.correctable_memory import CorrectableMemory
from scenemind.evaluation.alignment.judging import is_mended, is_right, is_true
from scenemind.evaluation.alignment.person import Person, Utterance
from scenemind.evaluation.alignment.tasks import AlignmentTask, Difficulty, PlantedError, Wanted
from scenemind.evaluation.errors import EvaluationError
from scenemind.models import Usage
from scenemind.models.usage import NOTHING_USED
from scenemind.reasoning import Alignment, Answer, Asking, Query, Router
from scenemind.reasoning.dialogue import Dialogues

# The most that a person says; the paper's means are 3.38 and 6.45.
MOST_INTERACTIONS: dict[Difficulty, int] = {"easy": 3, "hard": 6}


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    Attributes:
        is_question: else it is a correction, or a yes or no to the robot's question.
        is_good: a question: answered rightly; a correction: done, and nothing else.
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
    """What came of one task.

    Attributes:
        memory: as it is now, with its journal.
        exchanges: of the task alone, in order.
        novel_before, novel_after: whether the novel question was answered rightly; None: there is
            none.
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
        """The last time that the question was asked, the answer was right."""
        return next(e.is_good for e in reversed(self.exchanges) if e.is_question)

    @property
    def usage(self) -> Usage:
        return sum((e.usage for e in self.exchanges), NOTHING_USED)


class Conversation:
    """Plays one task.

    The person looks at what the robot would write, and says yes only where all of it is true.
    """

    def __init__(
        self,
        task: AlignmentTask,
        memory: CorrectableMemory,
        router: Router,
        dialogues: Dialogues,
        method: str,
        asking: Callable[[], Asking],
        person: Person,
    ) -> None:
        self._task = task
        self._memory = memory
        self._router = router
        self._dialogue = dialogues.get(task.task_id)
        self._method = method
        self._asking = asking
        self._person = person
        self._session = Session(task, memory)
        self._spoken_of: tuple[int, ...] = ()

    def play(self) -> Session:
        """All of it: the novel question, the task, the novel question again."""
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

    def _novel(self, wanted: Wanted | None) -> Exchange | None:
        return None if wanted is None else self._ask(wanted, dialogue_id="")

    def _ask_again(self) -> None:
        self._session.exchanges.append(self._ask(self._task.wanted, self._task.task_id))

    def _ask(self, wanted: Wanted, dialogue_id: str) -> Exchange:
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
        """Say it; say yes or no where the robot asks; have it undone where it did something
        else."""
        shown = self._memory.snapshot().objects
        done = self._tell(self._person.correction(error, shown, self._spoken_of), error)
        exchanges = self._session.exchanges
        proposal = self._dialogue.proposal
        if proposal is not None and len(exchanges) < most - 1:
            agrees = all(is_true(edit, self._task) for edit in proposal.edits)
            done = self._tell(Utterance("yes" if agrees else "no"), error)
        if done.correction_ids and not exchanges[-1].is_good and len(exchanges) < most - 2:
            self._tell(self._person.taking_back(), error)

    def _tell(self, utterance: Utterance, error: PlantedError) -> Alignment:
        query = Query(
            utterance.text,
            viewpoint=self._task.viewpoint,
            marked_object_ids=utterance.marked,
            dialogue_id=self._task.task_id,
        )
        by_agent = self._method == "synergai"  # else the grammar would be measured
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
