"""Vectors that outlive the process, two writers at once, and damaged files."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.perception import PerceptionError
from scenemind.perception.text import EmbeddingCache

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


def test_nothing_is_made_on_disk_by_asking(tmp_path: Path) -> None:
    assert EmbeddingCache("clip", tmp_path / "cache").find(["cup"], DIMENSION) == {}
    assert not (tmp_path / "cache").exists()


def test_a_word_gets_its_newest_vector(tmp_path: Path) -> None:
    cache, vectors = EmbeddingCache("clip", tmp_path), unit_vectors(2)
    cache.put(["cup"], vectors[:1])
    cache.put(["cup"], vectors[1:])
    assert np.array_equal(cache.find(["cup"], DIMENSION)["cup"], vectors[1])


def test_a_damaged_file_is_begun_anew_with_one_line(
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


def test_what_is_no_vector_of_this_encoder_is_missing(tmp_path: Path) -> None:
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


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(PerceptionError, match="file"):
        EmbeddingCache("clip", tmp_path / "file").put(["cup"], unit_vectors(1))


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b"])
def test_the_name_of_an_encoder_is_a_name_of_a_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(PerceptionError, match="encoder"):
        EmbeddingCache(name, tmp_path)


def test_a_killed_writer_leaves_what_was_there(tmp_path: Path) -> None:
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


def test_it_lies_in_the_folder_of_what_can_be_had_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path))
    assert EmbeddingCache("clip").path == tmp_path / "text" / "clip.sqlite"
