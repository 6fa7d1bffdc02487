"""Objects against words, with vectors whose cosines are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.memory.descriptions.matching import SENTENCE, match_words
from scenemind.memory.types import Embedding


class Compass:
    """An `ImageTextEncoder` of two words."""

    name = "compass"
    dimension = 2

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        of = {SENTENCE.format("east"): (1.0, 0.0), SENTENCE.format("north"): (0.0, 1.0)}
        return np.array([of[text] for text in texts], np.float32).reshape(-1, 2)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        return np.zeros((len(images), 2), np.float32)


def pointing(object_id: int, degrees: float, encoder: str = "compass") -> Embedding:
    turn = np.deg2rad(degrees)
    return Embedding(object_id, encoder, np.array((np.cos(turn), np.sin(turn)), np.float32), 1)


def test_cosines_stand_by_object_and_word() -> None:
    known = [pointing(7, 60.0), pointing(2, 0.0), pointing(3, 10.0, "another encoder")]
    matches = match_words(known, ["east", "north"], Compass())
    assert (matches.object_ids, matches.words) == ((2, 7), ("east", "north"))
    assert matches.cosines == pytest.approx(np.array([(1.0, 0.0), (0.5, 0.75**0.5)]), abs=1e-6)


@pytest.mark.parametrize(("count", "words"), [(0, ["east"]), (2, []), (0, [])])
def test_nothing_to_compare_is_an_empty_table(count: int, words: list[str]) -> None:
    known = [pointing(n, 0.0) for n in range(count)]
    assert match_words(known, words, Compass()).cosines.shape == (count, len(words))
