"""Code in a model's words."""

from __future__ import annotations

import pytest

from scenemind.models import Allowance, ChatMessage
from scenemind.reasoning.coding import ask_for_code, find_code
from scenemind.reasoning.method import Asking
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.memtree_qa.talk import chat_with

CODE = "final_result = len(loc(image, 'chair'))"


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{CODE}\n```\nIt prints:\n```\n2\n```",
        f"```py\n{CODE}\n```\n```text\nfinal_result = 'none of it is code'\n```",
        f"```Python\n{CODE}\n```",
        f"The program: ```python\n{CODE}\n```",
    ],
)
def test_what_is_called_python_is_the_code(text: str) -> None:
    assert find_code(text) == CODE


@pytest.mark.parametrize("stutter", ["```" + " " * 300_000, "```\n" * 50_000, "\n \t" * 100_000])
def test_a_model_that_stutters_is_read_in_no_time(stutter: str) -> None:
    assert find_code(stutter).strip("` \t\n") == ""


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (f"<think>```python\n1\n```</think>\n{CODE}", CODE),
        (f"```python\n1\n```</think>\n```\n{CODE}\n```", CODE),
        ("<think>Perhaps\n```python\nwrong\n```\nbut no, as", ""),
    ],
)
def test_what_is_thought_aloud_is_no_code(reply: str, code: str) -> None:
    messages = [ChatMessage("user", "Write it.")]
    with chat_with(ChatServer(say(reply))) as chat:
        assert ask_for_code(chat, messages, Asking(Allowance(10.0))) == code
    assert [message.role for message in messages] == ["user", "assistant"]
    assert "think" not in messages[-1].text
