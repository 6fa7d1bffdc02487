"""Learning for many questions, with a bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from scenemind.cli.asking.chosen_frames import usage_json
from scenemind.cli.output import printable, progress_console
from scenemind.memory import KeyFrame
from scenemind.models import Allowance, ModelError, Usage
from scenemind.reasoning.learned_methods import Learner, MethodLibrary
from scenemind.reasoning.method import Asking


@dataclass(slots=True)
class Learned:
    """What came of it.

    Attributes:
        questions: that were looked at, of all.
        refused: name -> why there is no such method.
        troubles: with designs.
        failure: what ended it before all questions were looked at.
    """

    total: int
    questions: int = 0
    names: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    failure: ModelError | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "questions": self.total,
            "looked_at": self.questions,
            "learned": self.names,
            "refused": self.refused,
            "troubles": self.troubles,
            "usage": usage_json(self.usage),
            "error": None if self.failure is None else str(self.failure),
        }


def learn_all(
    learner: Learner,
    library: MethodLibrary,
    questions: Sequence[str],
    batch: int,
    allowance: Callable[[], Allowance],
) -> Learned:
    """Batch by batch, until a model fails.

    Args:
        library: which the learner writes to.
        allowance: gives that of the next batch.

    Raises:
        ReasoningError: the library cannot be used.
        SandboxError: no program can be run.
    """
    learned, known = Learned(len(questions)), library.methods().keys()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = progress_console()
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        bar = progress.add_task("learning", total=len(questions))

        def report(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
            del key_frames
            name = text if stage == "implement" else ""
            progress.update(bar, description=printable(f"{stage} {name}".strip()))

        for start in range(0, len(questions), batch):
            part = questions[start : start + batch]
            asking = Asking(allowance(), report)
            try:
                _learn(learner, part, asking, learned)
            except ModelError as error:
                learned.failure = error
                break
            progress.advance(bar, len(part))
    # Also of a batch that came to no end.
    learned.names += [name for name in library.methods() if name not in known]
    return learned


def _learn(learner: Learner, part: Sequence[str], asking: Asking, learned: Learned) -> None:
    """
    Raises:
        ModelError: see `Learner.learn`.
    """
    try:
        lesson = learner.learn(part, asking, [])
    finally:
        learned.usage += asking.allowance.used
    learned.questions += len(part)
    learned.refused |= lesson.refused
    learned.troubles += filter(None, (lesson.trouble,))
