"""Refined exact match gives credit where LEO's published script does."""

from __future__ import annotations

import pytest

from scenemind.evaluation.metrics.refined_match import refined_match


@pytest.mark.parametrize(
    ("answer", "truth", "is_match"),
    # Each computed by LEO's own functions (embodied-generalist/embodied-generalist, data_utils.py
    # clean_answer and scanqa_eval.py answer_match, as of 2024-11), run once beside this one.
    [
        ("Window!", "window", True),
        ("the office chair", "chair", True),
        ("2", "two", True),
        ("two chairs", "2", True),
        ("21", "twenty-one", False),
        ("none", "0", True),
        ("to the rigth", "right", True),
        ("trash can", "trashcan", True),
        ("tv stand", "TV", True),
        ("backwards", "backward", True),
        ("10 o clock", "10 o'clock", False),
        ("10 oclock", "ten o'clock", True),
        ("no", "notebook", True),
        ("mat2", "mat", True),
        ("brown, black", "brown", True),
        ("brown chair", "chair brown", False),
        ("couch", "sofa", False),
        ("caf\u00e9", "cafe", True),
        ("it\u2019s red", "its red", True),
    ],
)
def test_as_published(answer: str, truth: str, is_match: bool) -> None:
    assert refined_match(answer, truth) is is_match
