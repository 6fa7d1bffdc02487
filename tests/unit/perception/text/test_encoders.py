"""Text and image encoders behind a cache."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import (
    ENCODER_FAMILIES,
    CachedTextEncoder,
    EmbeddingCache,
    make_image_text_encoder,
    make_text_encoder,
)


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


def test_error_of_a_missing_model_names_the_words(tmp_path: Path) -> None:
    def build() -> TextEncoder:
        raise PerceptionError("install torch")

    encoder = CachedTextEncoder(EmbeddingCache("letters", tmp_path), "letters", 26, build)
    with pytest.raises(PerceptionError) as refused:
        encoder.encode(["cup", "mug"])
    assert "'cup', 'mug' cannot be embedded: install torch" in str(refused.value)
    assert f"copy {tmp_path / 'letters.sqlite'} from" in str(refused.value)
    assert "vocabulary" not in str(refused.value)  # the words may be a question


def test_a_cache_that_cannot_be_written_does_not_stop_the_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    encoder = cached(LetterCounts(), tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        assert encoder.encode(["cup"]).shape == (1, 26)
    assert "cannot write the word cache" in caplog.text


def test_no_words_are_no_vectors(tmp_path: Path) -> None:
    assert cached(LetterCounts(), tmp_path).encode([]).shape == (0, 26)


def test_nothing_is_loaded_before_the_first_picture(tmp_path: Path) -> None:
    encoder = make_image_text_encoder("clip_vit_b32", tmp_path)
    assert (encoder.name, encoder.dimension) == ("clip_vit_b32", 512)


def test_an_unknown_family_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match=r"no image encoder 'mobileclip'.*clip_vit_b32"):
        make_image_text_encoder("mobileclip", tmp_path)


@pytest.mark.parametrize("family", ENCODER_FAMILIES)
def test_cached_words_need_nothing_else(family: str, tmp_path: Path) -> None:
    vectors = np.eye(2, 512, dtype=np.float32)
    EmbeddingCache(family, tmp_path).put(["cup", "mug"], vectors)
    encoder = make_text_encoder(family, tmp_path)
    assert (encoder.name, encoder.dimension) == (family, 512)
    assert np.array_equal(encoder.encode(["Mug", "cup"]), vectors[::-1])
    assert encoder.missed == 0


def test_error_without_torch_names_the_new_word_and_both_remedies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PerceptionError) as refused:
        make_text_encoder("clip_vit_b32", tmp_path).encode(["cup", "unicorn"])
    for part in ("'cup', 'unicorn'", "pip install", "scenemind vocabulary import"):
        assert part in str(refused.value)


def test_weights_are_not_fetched_where_downloads_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenemind.perception.text.torch_encoders.require_torch", lambda: None)
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    encoder = make_text_encoder("clip_vit_b32", tmp_path, fetches=False)
    with pytest.raises(PerceptionError, match="not on this machine"):
        encoder.encode(["unicorn"])


def test_error_names_an_unknown_family() -> None:
    with pytest.raises(PerceptionError, match=r"'t5'.*clip_vit_b32"):
        make_text_encoder("t5")
