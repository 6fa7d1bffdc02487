"""The encoder of each family: cached words need no torch, others say how to get it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.text import ENCODER_FAMILIES, EmbeddingCache, make_text_encoder


@pytest.mark.parametrize("family", ENCODER_FAMILIES)
def test_cached_words_need_nothing_else(family: str, tmp_path: Path) -> None:
    vectors = np.eye(2, 512, dtype=np.float32)
    EmbeddingCache(family, tmp_path).put(["cup", "mug"], vectors)
    encoder = make_text_encoder(family, tmp_path)
    assert (encoder.name, encoder.dimension) == (family, 512)
    assert np.array_equal(encoder.encode(["Mug", "cup"]), vectors[::-1])
    assert encoder.missed == 0


def test_without_torch_a_new_word_is_named_with_both_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PerceptionError) as refused:
        make_text_encoder("clip_vit_b32", tmp_path).encode(["cup", "unicorn"])
    for part in ("'cup', 'unicorn'", "pip install", "scenemind vocabulary import"):
        assert part in str(refused.value)


def test_weights_are_fetched_for_nobody_who_does_not_want_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenemind.perception.text.torch_towers.require_torch", lambda: None)
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCENEMIND_WEIGHTS", raising=False)
    encoder = make_text_encoder("clip_vit_b32", tmp_path, fetches=False)
    with pytest.raises(PerceptionError, match="not on this machine"):
        encoder.encode(["unicorn"])


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(PerceptionError, match=r"'t5'.*clip_vit_b32"):
        make_text_encoder("t5")
