"""Vectors that others published: the two files must fit, and neighbours must make sense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.text import (
    EmbeddingCache,
    default_vocabulary,
    import_vectors,
    make_text_encoder,
)


def files(folder: Path, vectors: Any, names: Any) -> tuple[Path, Path]:
    np.save(folder / "vectors.npy", vectors)
    if isinstance(names, str):
        (folder / "names.txt").write_text(names, encoding="utf-8")
        return folder / "vectors.npy", folder / "names.txt"
    (folder / "names.json").write_text(json.dumps(names), encoding="utf-8")
    return folder / "vectors.npy", folder / "names.json"


def vectors_of(cache: EmbeddingCache, *words: str) -> list[list[float]]:
    found = cache.find(words, 2)
    return [found[word].tolist() for word in words]


def test_vectors_come_to_unit_length_under_normal_names(tmp_path: Path) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    rows = np.array([[0, 10], [5, 0], [3, 4]], np.float16)
    names = [{"name": "bat_(animal)"}, {"name": "bat"}, {"name": "Mouse_(computer_equipment)"}]
    assert import_vectors(cache, *files(tmp_path, rows, names), 2) == 4
    assert vectors_of(cache, "bat (animal)", "bat") == [[0, 1], [1, 0]]
    assert vectors_of(cache, "mouse", "mouse (computer equipment)") == 2 * [
        pytest.approx([0.6, 0.8])
    ]


def test_words_that_are_there_keep_their_vectors(tmp_path: Path) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    cache.put(["cup"], np.array([[1, 0]], np.float32))
    published = files(tmp_path, np.array([[0.0, 2.0], [0.0, 3.0]]), "Cup\n\nmug\n")
    assert import_vectors(cache, *published, 2) == 1
    assert vectors_of(cache, "cup", "mug") == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("vectors", "names", "said"),
    [
        (np.ones((2, 2)), "cup\n", "2 vectors .* 1 names"),
        (np.ones((1, 3)), "cup\n", r"\(1, 3\)"),
        (np.ones(2), "cup\n", r"\(2,\)"),
        (np.array([[1.0, 0.0], [0.0, 0.0]]), "cup\nmug\n", "row 1"),
        (np.full((1, 2), np.nan), "cup\n", "row 0"),
        (np.array([["a", "b"]]), "cup\n", "decimal"),
        (np.ones((1, 2)), [3], "no name: 3"),
        (np.ones((1, 2)), 3, "no list of names"),
        (np.ones((1, 2)), "\u200b?\n", "no name of a thing"),
    ],
)
def test_files_that_do_not_fit_are_said(
    vectors: Any, names: Any, said: str, tmp_path: Path
) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    with pytest.raises(PerceptionError, match=said):
        import_vectors(cache, *files(tmp_path, vectors, names), 2)
    assert cache.words() == ()


def test_a_missing_file_is_said_as_that(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    vectors.unlink()
    with pytest.raises(PerceptionError, match=f"cannot read the vectors {vectors}"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


def test_pickled_objects_are_not_read(tmp_path: Path) -> None:
    published = files(tmp_path, np.array([[{}, {}]], dtype=object), "cup\n")
    with pytest.raises(PerceptionError, match="no NumPy file"):
        import_vectors(EmbeddingCache("clip", tmp_path), *published, 2)


def test_lvis_words_need_no_torch_and_have_sensible_neighbours(lvis: EmbeddingCache) -> None:
    encoder = make_text_encoder("clip_vit_b32", lvis.path.parent)
    words = ["cup", "mug", "refrigerator", "sofa", "loveseat", "pillow", "cushion", "lamp", "chair"]
    vectors = encoder.encode(words)
    assert encoder.missed == 0
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    nearest = {word: words[row.argmax()] for word, row in zip(words, alike, strict=True)}
    for pair in (("cup", "mug"), ("sofa", "loveseat"), ("pillow", "cushion")):
        assert (nearest[pair[0]], nearest[pair[1]]) == (pair[1], pair[0])


def test_most_default_words_come_with_published_lists(lvis: EmbeddingCache) -> None:
    known = lvis.find(default_vocabulary(), 512)
    assert len(known) > len(default_vocabulary()) / 2
