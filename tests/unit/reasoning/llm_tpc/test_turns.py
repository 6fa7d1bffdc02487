"""What a model wants, however it writes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.llm_tpc.turns import (
    GiveAnswer,
    Unreadable,
    WriteProgram,
    read_turn,
    said_in,
)

PROGRAM = "chairs = filter(scene(), 'chair')\nprint(len(chairs))"


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\nAction Input:\n```Python\n{PROGRAM}\n```\nThat is all.",
        f"**Thought**: count\n**Action**: Program\n**Action Input**:\n```\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Program\nAction Input:\n{PROGRAM}",
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}",
        f"count\n```python\n{PROGRAM}\n```",
        f"Thought: count\nAction: Run a program\nAction Input: ```{PROGRAM}```",
        f"<think>Action: Final Answer</think>Thought: count\nAction: program\n```\n{PROGRAM}\n```",
    ],
)
def test_a_program_is_found(text: str) -> None:
    assert read_turn(text) == WriteProgram("count", PROGRAM)


@pytest.mark.parametrize(
    ("text", "answer", "objects"),
    [
        ("Thought: so\nAction: Final Answer\nAction Input: left", "left", ()),
        ("Thought: so\nAction: Final Answer\nAction Input: Left.\nBecause of it.", "Left", ()),
        ("Thought: so\nAction: Final Answer: two chairs", "two chairs", ()),
        ("Thought: so\nAction: Final Answer: A TV program", "A TV program", ()),
        ("Thought: so\n**Final Answer:** two chairs", "two chairs", ()),
        ("Thought: so\nAction: Final Answer\nAction Input:\n```\nno\n```", "no", ()),
        (
            "Thought: so\nAction: Final Answer\nAction Input: yes\n**Objects:** chair 4, *table 7*",
            "yes",
            ("chair 4", "table 7"),
        ),
    ],
)
def test_an_answer_is_found(text: str, answer: str, objects: tuple[str, ...]) -> None:
    assert read_turn(text) == GiveAnswer("so", answer, objects)


def test_what_a_model_makes_up_after_its_program_is_not_believed() -> None:
    text = (
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{PROGRAM}\n```\n"
        "Observation: 12\nThought: twelve\nAction: Final Answer\nAction Input: twelve"
    )
    assert read_turn(text) == WriteProgram("count", PROGRAM)
    assert read_turn(text.replace("Observation: 12\n", "")) == WriteProgram("count", PROGRAM)


def test_a_program_may_hold_words_of_the_form() -> None:
    program = "# Observation: none yet\n# Action: count\nprint('Action: Program')"
    text = (
        f"Thought: count\nAction: Program\nAction Input:\n```python\n{program}\n```\nObservation: 3"
    )
    assert read_turn(text) == WriteProgram("count", program)
    without_action = f"count\n```python\n{program}\n```\nObservation: 3"
    assert read_turn(without_action) == WriteProgram("count", program)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "says nothing"),
        ("<think>hm</think>", "says nothing"),
        ("<think>hm\nAction: Final Answer\nAction Input: a draft", "says nothing"),
        ('{"action": "Final Answer", "action_input": "two"}', "JSON"),
        ("The answer is left.", "no line that begins with Action"),
        ("Action: Search\nAction Input: chairs", 'no action "search"'),
        ("Action: Program\nAction Input:\n```python\n```", "no program"),
        ("Action: Final Answer\nAction Input:", "no answer"),
        ("Thought: hm\nObservation: 3\nAction: Final Answer\nAction Input: 3", "no line"),
        ("```\nx\n```\nAction: Search\nObservation: 3\nAction: Program", 'action "search"'),
    ],
)
def test_what_is_neither_is_said(text: str, complaint: str) -> None:
    turn = read_turn(text)
    assert isinstance(turn, Unreadable)
    assert complaint in turn.complaint


@given(st.text(max_size=300))
def test_anything_can_be_read(noise: str) -> None:
    for text in (
        noise,
        f"Action: Program\n{noise}",
        f"Action: Final Answer\nAction Input: {noise}",
    ):
        turn = read_turn(text)
        if isinstance(turn, GiveAnswer):
            assert turn.answer.strip()
            assert "\n" not in turn.answer


@pytest.mark.parametrize(
    "part", ["` ", "``` ", "```\n", "<think>", "Observation:\n", "thought\n", "!"]
)
@pytest.mark.parametrize("end", ["", "x"])
def test_a_model_that_stutters_is_read_in_no_time(part: str, end: str) -> None:
    """Patterns that look back and forth would take minutes, with the interpreter's lock held."""
    assert read_turn(f"```{part * 100_000}{end}") != GiveAnswer("", "")
    assert isinstance(read_turn(f"```{' ' * 300_000}{end}"), Unreadable)


def test_what_a_model_made_up_is_not_repeated_to_it() -> None:
    text = f"<think>hm</think>Action: Program\n```\n{PROGRAM}\n```\nObservation: 12"
    assert said_in(text) == f"Action: Program\n```\n{PROGRAM}\n```\n"
