"""Thoughts in a reply that is still being written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.method import say_nothing
from scenemind.reasoning.thoughts import hears_thoughts, thoughts_in


@given(st.text(), st.booleans(), st.sampled_from(["think", "reasoning"]))
def test_they_grow_to_all_that_is_thought(think: str, is_ascii: bool, key: str) -> None:
    reply = json.dumps({key: think, "answer": 'a "think": "b"'}, ensure_ascii=is_ascii)
    heard = [thoughts_in(reply[:end]) for end in range(len(reply) + 1)]
    assert all(think.startswith(so_far) for so_far in heard)
    assert heard == sorted(heard, key=len)
    assert heard[-1] == think


@pytest.mark.parametrize("reply", ["", "Sure!", "{", '{"answer": "x"', '{"think": 3}'])
def test_there_may_be_none(reply: str) -> None:
    assert thoughts_in(reply) == ""


def test_around_the_json_there_may_be_anything() -> None:
    assert thoughts_in('<think>hm</think> Sure:\n```json\n{ "think" : "A\\nB') == "A\nB"


def test_each_new_thought_is_reported_once() -> None:
    heard = []
    hear = hears_thoughts(lambda stage, text="", key_frames=(): heard.append((stage, text)), "look")  # noqa: ARG005
    assert hear is not None
    for text in ('{"thi', '{"think": "a', '{"think": "a', '{"think": "ab", "seen": tr'):
        hear(text)
    assert heard == [("look", "a"), ("look", "ab")]


def test_nobody_hears_where_nobody_listens() -> None:
    assert hears_thoughts(say_nothing, "look") is None
