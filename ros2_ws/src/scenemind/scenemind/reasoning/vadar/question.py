"""What the program agent is told of one question."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind.models import ChatMessage
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods.learned import told_of
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Query
from scenemind.reasoning.vadar.view import View
from scenemind.reasoning.vadar.vision_api import documentation
from scenemind.words.quoting import quoted

_PROMPTS = "scenemind.reasoning.vadar"
_LONGEST_SAID = 500


def messages_of(query: Query, view: View, learned: str = "") -> list[ChatMessage]:
    """The conversation up to the model's first turn. What stays the same between questions comes
    first, so that providers read it once.

    Args:
        learned: declarations of functions beside the predefined ones.

    Raises:
        ReasoningError: nothing that was marked is in the picture.
    """
    question = fill_prompt(
        _PROMPTS,
        "program_question",
        learned=told_of(learned),
        question=quoted(query.text, _LONGEST_SAID),
        circumstances="\n".join(_circumstances(query, view)),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
    )
    return [
        ChatMessage("system", fill_prompt(_PROMPTS, "program", documentation=documentation())),
        ChatMessage("user", question.strip()),
    ]


def _circumstances(query: Query, view: View) -> Iterator[str]:
    yield f"The picture has {view.width} x {view.height} pixels."
    if query.situation.strip():
        yield f"The person's situation, in their words: {quoted(query.situation, _LONGEST_SAID)}"
    if query.marked_object_ids:
        boxes = [view.boxes_px[i] for i in query.marked_object_ids if i in view.boxes_px]
        if not boxes:
            raise ReasoningError("not_found", f"Nothing that was marked is in {view.name}.")
        shown = [f"[{', '.join(f'{v:.0f}' for v in box)}]" for box in boxes]
        yield f"The person points at what is in {' and '.join(shown)}."
