"""All tasks, with one person each."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from scenemind.config import RelationConfig
from scenemind.evaluation.alignment.correctable_memory import CorrectableMemory
from scenemind.evaluation.alignment.person import Person, Wording
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
    wording: Wording = "first",
    config: RelationConfig | None = None,
    asking: Callable[[], Asking] = Asking,
    watch: Callable[[Sequence[AlignmentTask]], Iterable[AlignmentTask]] = iter,
    keep: Callable[[Session], object] | None = None,
) -> Sequence[Session]:
    """What came of each task, in their order.

    Args:
        method: who answers questions. Corrections are read by the grammar first, then by
            `synergai` where it is among the methods; by `synergai` alone where that is the method.
        methods: those that a `Router` takes.
        may_click: False: the persons only talk.
        wording: which set of wordings they correct in.
        asking: what each answer may use.
        watch: hands tasks on, and may show how many are done.
        keep: gets each session before the next one begins.
    """
    config = config or RelationConfig()
    sessions = []
    for task in watch(tasks):
        rng = random.Random(f"{seed} {task.task_id}")
        memory = CorrectableMemory(task.perceived, config)
        dialogues = Dialogues(2, 6)
        router = Router(memory, config, methods, falls_back=False, dialogues=dialogues)
        person = Person(task, rng, may_click, wording)
        talk = Conversation(task, memory, router, dialogues, method, asking, person)
        sessions.append(talk.play())
        if keep is not None:
            keep(sessions[-1])
    return sessions
