"""One talk with whoever is in the browser: questions and corrections in one line of input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from scenemind.memory import KeyFrame, MapObject, MemoryAccess
from scenemind.reasoning import Alignment, Answer, Asking, Query
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.mood import find_request, is_question
from scenemind.reasoning.sentence import check_sentence


class Answering(Protocol):
    """Who answers and corrects: a `Router`, or running nodes."""

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        """See `Router.ask`."""
        ...

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:
        """See `Router.align`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What came back.

    Attributes:
        objects: what it speaks of, most relevant first.
        steps: how it was reached, in words.
        how: who answered, and in what time.
    """

    text: str
    objects: tuple[MapObject, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    steps: tuple[str, ...] = ()
    how: str = ""


def say(
    answering: Answering,
    memory: MemoryAccess,
    text: str,
    marked: Sequence[int],
    by: str,
    asking: Asking,
    dialogue_id: str,
) -> Said:
    """A question is answered; anything else corrects the memory, or is a question after all.

    Args:
        marked: ids of what "this" means. by: who corrections are said to be from.

    Raises:
        SceneMemoryError: the memory does not answer.
    """
    try:
        check_sentence(Query(text))
    except ReasoningError as error:
        return Said(str(error))
    request = find_request(text)
    if request is not None or not is_question(text):
        query = Query(request or text, marked_object_ids=tuple(marked), dialogue_id=dialogue_id)
        aligned = answering.align(query, by, asking)
        if aligned.failure is None or aligned.failure.code != "not_understood":
            return _of_alignment(aligned, memory)
    query = Query(text, marked_object_ids=tuple(marked), dialogue_id=dialogue_id)
    return _of_answer(answering.ask(query, "auto", asking))


def _of_alignment(aligned: Alignment, memory: MemoryAccess) -> Said:
    known = memory.snapshot().objects
    objects = tuple(known[i] for i in aligned.object_ids if i in known)
    how = f"{aligned.method}, {aligned.seconds:.2f} s"
    return Said(aligned.response, objects, (), aligned.steps, how)


def _of_answer(answer: Answer) -> Said:
    how = f"{answer.method}, {answer.seconds:.2f} s"
    if answer.fallback:
        how += f"; not as asked: {answer.fallback}"
    return Said(answer.text, answer.objects, answer.key_frames, answer.steps, how)
