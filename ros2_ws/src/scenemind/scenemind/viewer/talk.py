"""One talk with whoever is in the browser: questions and corrections in one line of input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scenemind.memory import KeyFrame, MapObject, MemoryAccess
from scenemind.reasoning import Asking, Query, Router

_QUESTION = re.compile(
    r"\s*(what|where|which|who|whose|when|why|how|is|are|was|were|do|does|did|can|could|has|have"
    r"|should|will|would)\b|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What came back.

    Attributes:
        objects: what it speaks of, most relevant first.
        how: who answered, and in what time.
        has_changed: the memory is another one now.
    """

    text: str
    objects: tuple[MapObject, ...]
    key_frames: tuple[KeyFrame, ...]
    steps: tuple[str, ...]
    how: str
    has_changed: bool = False


def say(
    router: Router,
    memory: MemoryAccess,
    text: str,
    marked: Sequence[int],
    by: str,
    asking: Asking,
    dialogue_id: str,
) -> Said:
    """A question is answered; anything else corrects the memory, or is a question after all."""
    query = Query(text, marked_object_ids=tuple(marked), dialogue_id=dialogue_id)
    if not _QUESTION.match(text):
        aligned = router.align(query, by, asking)
        if aligned.failure is None or aligned.failure.code != "not_understood":
            known = memory.snapshot().objects
            objects = tuple(known[i] for i in aligned.object_ids if i in known)
            how = f"{aligned.method}, {aligned.seconds:.2f} s"
            changed = bool(aligned.correction_ids)
            return Said(aligned.response, objects, (), aligned.steps, how, changed)
    answer = router.ask(query, "auto", asking)
    how = f"{answer.method}, {answer.seconds:.2f} s"
    if answer.fallback:
        how += f"; not as asked: {answer.fallback}"
    return Said(answer.text, answer.objects, answer.key_frames, answer.steps, how)
