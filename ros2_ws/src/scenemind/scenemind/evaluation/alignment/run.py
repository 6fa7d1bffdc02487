"""All tasks, with one person each."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from scenemind.config import RelationConfig
from scenemind.evaluation.alignment.correctable_memory import CorrectableMemory
from scenemind.evaluation.alignment.person import Person
from scenemind.evaluation.alignment.session import Conversation, Session
from scenemind.evaluation.alignment.tasks import AlignmentTask
from scenemind.reasoning import Asking, AskMethod, Router
from scenemind.reasoning.dialogue import Dialogues


def run_alignment(
    tasks: Sequence[AlignmentTask],
    method: str = "symbolic",
    methods: Mapping[str, AskMethod] | None = None,
    seed: int = 0,
    may_click: bool = True,
    config: RelationConfig | None = None,
    asking: Callable[[], Asking] = Asking,
    watch: Callable[[Sequence[AlignmentTask]], Iterable[AlignmentTask]] = iter,
) -> Sequence[Session]:
    """What came of each task, in their order.

    Args:
        method: who answers questions. Corrections are read by the grammar first, then by
            `synergai` where it is among the methods.
        methods: those that a `Router` takes.
        may_click: False: the persons only talk.
        asking: what each answer may use.
        watch: hands tasks on, and may show how many are done.
    """
    config = config or RelationConfig()
    sessions = []
    for task in watch(tasks):
        rng = random.Random(f"{seed} {task.task_id}")
        memory = CorrectableMemory(task.perceived, config)
        router = Router(memory, config, methods, falls_back=False, dialogues=Dialogues(2, 6))
        person = Person(task, rng, may_click)
        talk = Conversation(task, memory, router, method, asking, person, rng)
        sessions.append(talk.play())
    return sessions
