"""Expressions cut into chunks."""

from __future__ import annotations

import pytest

from scenemind.reasoning.symbolic.referring.chunks import chunks_of


def shown(text: str) -> list[tuple[str, str]]:
    """Kind and value of the chunks that bear one."""
    return [(chunk.kind, chunk.value) for chunk in chunks_of(text) if chunk.value]


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        (
            "the black chair next to the desk",
            [("noun", "chair"), ("relation", "next to"), ("noun", "desk")],
        ),
        ("it is on the far left side", [("place", "left")]),
        ("the pillow in the upper left corner", [("noun", "pillow"), ("place", "top left")]),
        ("a set of three windows", [("noun", "windows")]),
        ("the trash can can be seen under it", [("noun", "trash can"), ("relation", "below")]),
        (
            "facing the door left trash can",
            [("view", "facing"), ("noun", "door"), ("noun", "trash can")],
        ),
        (
            "a chair facing the window",
            [("noun", "chair"), ("relation", "near"), ("noun", "window")],
        ),
        (
            "the one to the left of the lamp",
            [("relation", "left of"), ("noun", "lamp")],
        ),
    ],
)
def test_the_longest_phrase_counts(text: str, chunks: list[tuple[str, str]]) -> None:
    assert shown(text) == chunks


def test_looks_and_numbers_are_no_part_of_the_noun() -> None:
    (chunk,) = chunks_of("the second small round table")
    assert (chunk.value, chunk.traits, chunk.order) == ("table", ("small", "round"), 2)


@pytest.mark.parametrize("text", ["its on the left", "it's on the left", "it 's on the left"])
def test_short_forms_are_one_spelling(text: str) -> None:
    assert [chunk.words[0] for chunk in chunks_of(text)] == ["it", "is", "on"]
