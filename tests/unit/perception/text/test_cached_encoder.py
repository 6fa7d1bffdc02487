"""The model is built only for words that the cache lacks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import CachedTextEncoder, EmbeddingCache


class LetterCounts:
    """A real, tiny text encoder: how often each letter occurs."""

    name = "letters"
    dimension = 26

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        letters = "abcdefghijklmnopqrstuvwxyz"
        counts = np.array([[text.count(letter) for letter in letters] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


def cached(model: TextEncoder, folder: Path) -> CachedTextEncoder:
    return CachedTextEncoder(EmbeddingCache("letters", folder), "letters", 26, lambda: model)


def test_each_word_is_embedded_once_whatever_its_spelling(tmp_path: Path) -> None:
    model = LetterCounts()
    encoder = cached(model, tmp_path)
    vectors = encoder.encode(["Cup", "mug", "cup"])
    assert model.asked == ["cup", "mug"]
    assert np.array_equal(vectors[0], vectors[2])
    assert vectors.shape == (3, 26)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    again = cached(LetterCounts(), tmp_path)
    assert np.array_equal(again.encode(["cup", "mug", "cup"]), vectors)
    assert (encoder.missed, again.missed) == (2, 0)


def test_a_model_that_cannot_be_had_is_said_with_the_words(tmp_path: Path) -> None:
    def build() -> TextEncoder:
        raise PerceptionError("install torch")

    encoder = CachedTextEncoder(EmbeddingCache("letters", tmp_path), "letters", 26, build)
    with pytest.raises(PerceptionError) as refused:
        encoder.encode(["cup", "mug"])
    assert "'cup', 'mug' cannot be embedded: install torch" in str(refused.value)
    assert f"copy {tmp_path / 'letters.sqlite'} from" in str(refused.value)
    assert "vocabulary" not in str(refused.value)  # it may be a question


def test_a_cache_that_cannot_be_written_does_not_stop_the_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    encoder = cached(LetterCounts(), tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        assert encoder.encode(["cup"]).shape == (1, 26)
    assert "not kept" in caplog.text


def test_no_words_are_no_vectors(tmp_path: Path) -> None:
    assert cached(LetterCounts(), tmp_path).encode([]).shape == (0, 26)
