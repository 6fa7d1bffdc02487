"""A model that streams thoughts without an end, and checks of its words on a page."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from tests.chat_exchange import Exchange
from tests.waiting import wait_until

_WORD_S = 0.05
_THOUGHT = re.compile(r"\bthought([0-9]+)\b")


def think_aloud(exchange: Exchange) -> None:
    """A step of a `ChatServer`: one word after the other, in the form that methods request."""
    exchange.begin_stream()
    exchange.stream({"content": '{"think": "'})
    for number in count(1):
        if exchange.released.wait(_WORD_S):
            exchange.hang_up()
            return
        exchange.stream({"content": f"thought{number} "})


def see_words_come(page: Any) -> None:
    """Wait until words are on the page, and later ones twice after them."""
    page.get_by_text(_THOUGHT).wait_for()
    for _ in range(3):
        before = _last_thought(page)
        wait_until(lambda before=before: _last_thought(page) > before)


def stop(page: Any) -> None:
    """Press *Stop*, and wait until the button and the words are gone."""
    button = page.get_by_role("button", name="Stop")
    button.click()
    button.wait_for(state="hidden")
    assert page.get_by_text(_THOUGHT).count() == 0


def _last_thought(page: Any) -> int:
    return int(_THOUGHT.findall(page.get_by_text(_THOUGHT).inner_text())[-1])
