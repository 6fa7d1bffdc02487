"""Inflections of a word have a root in common, and words for other things have none."""

from __future__ import annotations

from itertools import combinations

import pytest

from scenemind.words.roots import roots


@pytest.mark.parametrize(
    "words",
    [
        "wood wooden woods",
        "sit sitting sits",
        "metal metallic",
        "glass glassy glasses",
        "Anna Anna's",
        "rename renamed renaming renames",
        "delete deleted deleting",
        "red reddish reds",
        "shelf shelves shelf's",
        "hang hangs hanging",
    ],
)
def test_inflections_have_a_root_in_common(words: str) -> None:
    for one, other in combinations(words.lower().split(), 2):
        assert roots(one) & roots(other)


def test_other_words_have_none() -> None:
    words = "cup mug table chair stool lamp sofa shelf box red blue grey green door window"
    for one, other in combinations(words.split(), 2):
        assert not roots(one) & roots(other)
