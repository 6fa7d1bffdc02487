"""Asking a model something tiny, to see that it answers."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.models import ChatMessage, ModelError, ask_for, open_models

_FORM = 'Answer in JSON such as {"colour": "black"}, with the English word of one colour.'
# English -> blue, green, red.
_COLOURS = {"red": (0, 0, 255), "green": (0, 160, 0), "blue": (255, 0, 0), "yellow": (0, 255, 255)}
_SIDE_PX = 64


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    colour: str


@dataclass(frozen=True, slots=True)
class Checked:
    """How a model did.

    Attributes:
        said: its answer; empty: none of use came.
        error: what is wrong; empty: nothing.
    """

    said: str
    error: str
    seconds: float

    @property
    def is_well(self) -> bool:
        return not self.error

    @property
    def sentence(self) -> str:
        return self.error or f"answers in {self.seconds:.1f} s, in the form asked for"


def check_text(model: ChatModelConfig, config: ModelsConfig) -> Checked:
    """Whether it answers at all, in the form asked for."""
    return _ask(model, config, ChatMessage("user", f"What colour is snow? {_FORM}"))


def check_picture(model: ChatModelConfig, config: ModelsConfig) -> Checked:
    """Whether it sees: the colour of a picture, drawn by lot."""
    colour = random.choice(list(_COLOURS))
    picture = np.full((_SIDE_PX, _SIDE_PX, 3), _COLOURS[colour], np.uint8)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    text = f"What colour is this picture? {_FORM}"
    checked = _ask(model, config, ChatMessage("user", text, (jpeg,)))
    if checked.error or colour in checked.said.casefold():
        return checked
    error = f"{model.model} does not see: it called a {colour} picture {checked.said!r}"
    return Checked(checked.said, error, checked.seconds)


def _ask(model: ChatModelConfig, config: ModelsConfig, message: ChatMessage) -> Checked:
    """Once, and not recorded; counted against the day's budget like every call."""
    changes = {"language": model, "vision": ChatModelConfig(), "retries": 0, "record": ""}
    start_s = time.monotonic()
    said = error = ""
    try:
        with open_models(config.model_copy(update=changes)) as models:
            assert models.language is not None
            allowance = models.allowance(model.call_deadline_s)
            said = ask_for(models.language, [message], _Reply, allowance).colour
    except ModelError as failure:
        error = str(failure)
    return Checked(said, error, round(time.monotonic() - start_s, 3))
