"""The vision model's form: how sure an answer is, and what is complained of."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from scenemind.reasoning.memtree_qa.frame_answer import FrameAnswer, complaint_by
from scenemind.reasoning.types import Policy
from tests.unit.reasoning.memtree_qa.talk import answer


def form(text: str = "It is red.", **more: object) -> FrameAnswer:
    return FrameAnswer.model_validate_json(answer(text, **more))


@pytest.mark.parametrize(
    ("said", "is_seen", "sureness"),
    [
        (0.8, True, 0.8),
        (1, True, 1.0),
        (0, True, 0.0),
        (85, True, 0.85),  # percent
        (1e9, True, 1.0),
        (-3, True, 0.0),
        (0.9, False, 0.3),  # a guess
        (0.1, False, 0.1),
    ],
)
def test_sureness_is_a_share_and_small_for_guesses(
    said: float, is_seen: bool, sureness: float
) -> None:
    assert form(confidence=said, seen=is_seen).sureness == sureness


@pytest.mark.parametrize("text", ["Unknown.", "I don't know!", ""])
def test_nobody_is_sure_of_not_knowing(text: str) -> None:
    assert form(text, confidence=0.95).sureness == 0.3


@pytest.mark.parametrize("said", ["NaN", "Infinity", '"high"'])
def test_a_confidence_is_a_number(said: str) -> None:
    with pytest.raises(ValidationError, match="confidence"):
        FrameAnswer.model_validate_json(answer().replace("0.8", said))


@pytest.mark.parametrize(
    ("policy", "text", "is_seen", "is_right"),
    [
        ("balanced", "Red.", True, True),
        ("balanced", "Probably red.", False, True),
        ("balanced", "Unknown.", False, True),
        ("balanced", " ", False, False),
        ("balanced", "{\u200b}", False, False),  # nothing that can be read
        ("strict", "Red.", True, True),
        ("strict", "", False, True),
        ("strict", "", True, False),
        ("always_answer", "Red.", False, True),
        ("always_answer", "", False, False),
        ("always_answer", "Unknown.", False, False),
        ("always_answer", "I don't know!", True, False),
        ("always_answer", "The owner is unknown to me.", True, True),
    ],
)
def test_what_may_be_answered(policy: Policy, text: str, is_seen: bool, is_right: bool) -> None:
    complaint = complaint_by(policy)(form(text, seen=is_seen))
    assert (complaint is None) == is_right
