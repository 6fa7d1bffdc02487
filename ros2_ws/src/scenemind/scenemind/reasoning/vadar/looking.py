"""A vision model's look at a thing in a picture (VADAR: the thing in a red box, one word back)."""

from __future__ import annotations

import cv2
from pydantic import BaseModel, ConfigDict, Field

from scenemind.frames.encodings import encode_color_file
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.vadar"
_RED = (255, 0, 0)
# Of the box's line: to be seen in a large picture as well.
_LEAST_LINE_PX, _LINE_SHARE = 3, 0.004
_LONGEST_QUESTION, _LONGEST_ANSWER = 300, 60


class LookAnswer(BaseModel):
    """What the vision model answers."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="one word, or a number in digits")


def look(vision: ChatModel, view: View, question: str, box_px: BoxPx | None, asking: Asking) -> str:
    """The model's answer in a plain line; empty where it has none.

    Raises:
        ModelError: the model failed, or the allowance is used up.
        ReasoningError: the image is damaged.
    """
    about = "The question is about the thing in the red box." if box_px else ""
    asked = f"{about}\nThe question: {quoted(question, _LONGEST_QUESTION)}".strip()
    jpeg = view.jpeg if box_px is None else _with_box(view, box_px)
    messages = [
        ChatMessage("system", read_prompt(_PROMPTS, "look")),
        ChatMessage("user", asked, (jpeg,)),
    ]
    try:
        said = ask_for(vision, messages, LookAnswer, asking.allowance, _complaint).answer
    except BadFormError as error:
        if not isinstance(error.form, LookAnswer):
            raise
        said = error.form.answer
    return tame(said, _LONGEST_ANSWER).strip(" .\"'").lower()


def _complaint(form: LookAnswer) -> str | None:
    return None if tame(form.answer) else "answer is empty: give your best guess"


def _with_box(view: View, box_px: BoxPx) -> bytes:
    color = view.decoded().copy()
    x0, y0, x1, y1 = (round(v) for v in box_px)
    line_px = max(_LEAST_LINE_PX, round(_LINE_SHARE * max(view.width, view.height)))
    cv2.rectangle(color, (x0, y0), (x1, y1), _RED, line_px)
    return encode_color_file(color)
