"""What the model is asked, and how much of its answer is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from scenemind.evaluation.visual_retrieval.cards import Card
from scenemind.models import Allowance, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.prompts import read_prompt

_PROMPTS = "scenemind.evaluation.visual_retrieval"
_DIGITS = 5


class Retrieved(BaseModel):
    """One photograph, as the model says it. Any colour: a wrong one is a mistake of this pair, not
    of the whole reply."""

    model_config = ConfigDict(extra="forbid")

    id: str
    color: str


class Retrieval(BaseModel):
    """All of them."""

    model_config = ConfigDict(extra="forbid")

    photographs: list[Retrieved]


def retrieve(
    model: ChatModel, sheets: Sequence[bytes], allowance: Allowance
) -> Sequence[Retrieved]:
    """What the model reads from the sheets, which are sent as large as they are.

    Raises:
        ModelError: no answer of use.
    """
    asked = "Here is 1 sheet." if len(sheets) == 1 else f"Here are {len(sheets)} sheets."
    messages = [
        ChatMessage("system", read_prompt(_PROMPTS, "retrieve")),
        ChatMessage("user", asked, tuple(sheets), sized=True),
    ]
    return ask_for(model, messages, Retrieval, allowance).photographs


def compare(cards: Iterable[Card], said: Iterable[Retrieved]) -> tuple[int, int]:
    """How many cards were named with their id and colour, and how many pairs are not true. Of
    several pairs with one id it is enough for recall that one is right (paper, supplement B); the
    second number tells who names everything."""
    truth = {(card.card_id, card.color) for card in cards}
    pairs = {(pair.id.strip().zfill(_DIGITS), pair.color.strip().lower()) for pair in said}
    return len(truth & pairs), len(pairs - truth)
