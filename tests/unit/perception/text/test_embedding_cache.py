"""Word vectors on disk, embedded and imported."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import PerceptionError
from scenemind.perception.text import (
    EmbeddingCache,
    default_vocabulary,
    import_vectors,
    make_text_encoder,
)

DIMENSION = 16


def unit_vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_vectors_come_back_bit_for_bit_in_another_object(tmp_path: Path) -> None:
    vectors = unit_vectors(2)
    EmbeddingCache("clip", tmp_path).put(["cup", 'a "b" \'; DROP TABLE vectors'], vectors)
    found = EmbeddingCache("clip", tmp_path).find(["cup", "mug"], DIMENSION)
    assert list(found) == ["cup"]
    assert np.array_equal(found["cup"], vectors[0])
    assert EmbeddingCache("clip", tmp_path).words() == ('a "b" \'; DROP TABLE vectors', "cup")
    assert EmbeddingCache("other", tmp_path).words() == ()


def test_reading_writes_nothing_to_disk(tmp_path: Path) -> None:
    assert EmbeddingCache("clip", tmp_path / "cache").find(["cup"], DIMENSION) == {}
    assert not (tmp_path / "cache").exists()


def test_a_word_gets_its_newest_vector(tmp_path: Path) -> None:
    cache, vectors = EmbeddingCache("clip", tmp_path), unit_vectors(2)
    cache.put(["cup"], vectors[:1])
    cache.put(["cup"], vectors[1:])
    assert np.array_equal(cache.find(["cup"], DIMENSION)["cup"], vectors[1])


def test_damaged_file_is_replaced_with_one_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache, vectors = EmbeddingCache("clip", tmp_path), unit_vectors(1)
    for damage in (b"no database at all" * 100, None):
        cache.put(["cup"], vectors)
        whole = cache.path.read_bytes()
        cache.path.write_bytes(damage or whole[:2000] + bytes(len(whole) - 2000))
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert cache.find(["cup"], DIMENSION) == {}
            cache.put(["cup"], vectors)
        assert list(cache.find(["cup"], DIMENSION)) == ["cup"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(cache.path) in caplog.text


def test_a_damaged_file_can_be_written_to(tmp_path: Path) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    cache.path.write_bytes(b"no database at all" * 100)
    cache.put(["cup"], unit_vectors(1))
    assert cache.words() == ("cup",)


def test_vectors_of_another_encoder_are_missing(tmp_path: Path) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    cache.put(["cup", "mug"], unit_vectors(2))
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(64) WHERE word = 'cup'")
    connection.close()
    assert list(cache.find(["cup", "mug"], DIMENSION)) == ["mug"]
    assert cache.find(["mug"], DIMENSION + 1) == {}


def test_two_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; import numpy as np; from pathlib import Path\n"
        "from scenemind.perception.text import EmbeddingCache\n"
        "cache = EmbeddingCache('clip', Path(sys.argv[1]))\n"
        "for n in range(40): cache.put([f'{sys.argv[2]} {n}'], np.eye(1, 16, dtype=np.float32))\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in "ab"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert len(EmbeddingCache("clip", tmp_path).words()) == 80


def test_a_writer_that_was_killed_before_its_first_word_left_an_empty_cache(tmp_path: Path) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    cache.path.touch()
    assert (cache.find(["cup"], 16), cache.words()) == ({}, ())
    cache.put(["cup"], unit_vectors(1))
    assert cache.words() == ("cup",)


def test_error_names_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(PerceptionError, match="file"):
        EmbeddingCache("clip", tmp_path / "file").put(["cup"], unit_vectors(1))


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b"])
def test_the_name_of_an_encoder_is_a_name_of_a_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match="encoder"):
        EmbeddingCache(name, tmp_path)


def test_killed_writer_leaves_earlier_words(tmp_path: Path) -> None:
    script = (
        "import sys; import numpy as np; from itertools import count; from pathlib import Path\n"
        "from scenemind.perception.text import EmbeddingCache\n"
        "cache = EmbeddingCache('clip', Path(sys.argv[1]))\n"
        "rows = np.eye(1, 16, dtype=np.float32).repeat(500, axis=0)\n"
        "for n in count():\n"
        "    cache.put([f'thing {n} {row}' for row in range(500)], rows)\n"
        "    print(n, flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        finished = [int(writer.stdout.readline()) for _ in range(3)]
        writer.kill()
    words = EmbeddingCache("clip", tmp_path).words()
    assert {f"thing {n} {row}" for n in finished for row in range(500)} <= set(words)
    assert len(words) % 500 == 0  # all of a call or nothing


def test_cache_lies_in_the_folder_of_replaceable_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path))
    assert EmbeddingCache("clip").path == tmp_path / "text" / "clip.sqlite"


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
def test_error_names_files_that_do_not_fit(
    vectors: Any, names: Any, said: str, tmp_path: Path
) -> None:
    cache = EmbeddingCache("clip", tmp_path)
    with pytest.raises(PerceptionError, match=said):
        import_vectors(cache, *files(tmp_path, vectors, names), 2)
    assert cache.words() == ()


def test_error_names_a_missing_file(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    vectors.unlink()
    with pytest.raises(PerceptionError, match=f"cannot read the vectors {vectors}"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


def test_an_archive_of_vectors_is_not_unpacked(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    with vectors.open("wb") as file:  # 80 MB in 80 kB
        np.savez_compressed(file, vectors=np.ones((10_000_000, 2), np.float32))
    tracemalloc.start()
    with pytest.raises(PerceptionError, match="no NumPy file"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)
    assert tracemalloc.get_traced_memory()[1] < 4e6
    tracemalloc.stop()


def test_vectors_that_claim_to_be_more_than_memory_are_refused(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    data = vectors.read_bytes()
    vectors.write_bytes(data.replace(b"(1, 2), }" + 12 * b" ", b"(1000000000000, 2), }", 1))
    assert vectors.read_bytes() != data
    with pytest.raises(PerceptionError, match="no NumPy file"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


def test_a_damaged_header_or_archive_is_no_file_of_vectors(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    data = vectors.read_bytes()
    for damaged in (data.replace(b"{", b"(\n\x00", 1), data.replace(b"'", b"(", 1), b"PK\3\4" * 9):
        vectors.write_bytes(damaged)
        with pytest.raises(PerceptionError, match="no NumPy file"):
            import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"name":' * 200_000, "[1e999999999]"])
def test_names_are_not_nested_without_end(text: str, tmp_path: Path) -> None:
    vectors, _ = files(tmp_path, np.ones((1, 2)), "cup\n")
    names = tmp_path / "names.json"
    names.write_text(text)
    with pytest.raises(PerceptionError, match=r"names\.json"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


@pytest.mark.parametrize("which", ["vectors.npy", "names.txt"])
def test_a_pipe_is_not_waited_for(which: str, tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    (tmp_path / which).unlink()
    os.mkfifo(tmp_path / which)
    with pytest.raises(PerceptionError, match=which):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


def test_pickled_objects_are_not_read(tmp_path: Path) -> None:
    published = files(tmp_path, np.array([[{}, {}]], dtype=object), "cup\n")
    with pytest.raises(PerceptionError, match="no NumPy file"):
        import_vectors(EmbeddingCache("clip", tmp_path), *published, 2)


def test_a_file_that_claims_to_be_larger_than_any_memory_is_refused(tmp_path: Path) -> None:
    vectors, names = files(tmp_path, np.ones((1, 2)), "cup\n")
    claim = {"descr": "<f4", "fortran_order": False, "shape": (10**13, 2)}
    with vectors.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, claim)
    with pytest.raises(PerceptionError, match="no NumPy file"):
        import_vectors(EmbeddingCache("clip", tmp_path), vectors, names, 2)


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
