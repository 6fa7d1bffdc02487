"""Bags of strangers: nothing in them runs, waits or bursts."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import lz4.frame
import numpy as np
import pytest
from rosbags.rosbag2 import CompressionMode, StoragePlugin, storage_mcap

from scenemind.frames import FrameError, open_sequence
from scenemind.frames.bag import humble_types
from scenemind.frames.bag_limits import _check_chunks, limit_rosbags
from scenemind.frames.bag_writer import WriteOptions
from scenemind.frames.readers.rosbag import RosbagSequence
from tests.unit.frames.made import make_bag
from tests.unit.frames.readers.test_rosbag import MOUNTED, TOPICS, recorded, write

from ..made import MadeSequence

MB = 2**20
ENDLESS = (
    "CREATE VIEW {} AS WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r)"
    " SELECT a AS id FROM r"
)


@pytest.fixture
def bag(tmp_path: Path, made: MadeSequence) -> Path:
    make_bag(made, tmp_path / "run", WriteOptions(storage="db3"))
    return tmp_path / "run"


def change(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE message_definitions;" + ENDLESS.format("message_definitions"),
        "DROP TABLE metadata;" + ENDLESS.format("metadata"),
        "ALTER TABLE messages ADD COLUMN more BLOB GENERATED ALWAYS AS (zeroblob(1000000000))",
        "CREATE TRIGGER t AFTER INSERT ON topics BEGIN DELETE FROM messages; END",
        "CREATE TABLE more (a)",
    ],
)
@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_database_of_more_than_messages_is_refused(
    bag: Path, statement: str, is_renamed: bool
) -> None:
    change(bag / "run_0.db3", statement)
    if is_renamed:  # metadata.yaml says what it is
        (bag / "run_0.db3").rename(bag / "run_0.bin")
        listed = (bag / "metadata.yaml").read_text()
        (bag / "metadata.yaml").write_text(listed.replace("run_0.db3", "run_0.bin"))
    with pytest.raises(FrameError, match="is no recording"):
        open_sequence(bag)


def test_a_message_is_no_larger_than_any_image(bag: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read of one takes several times its size."""
    monkeypatch.setattr("scenemind.frames.bag_limits.MOST_UNPACKED", 1_000_000)
    assert any(True for _ in open_sequence(bag))
    change(bag / "run_0.db3", "UPDATE messages SET data = data || zeroblob(1000000)")
    with pytest.raises(FrameError, match="too big"):
        sum(1 for _ in open_sequence(bag))


def test_metadata_does_not_repeat_itself_without_end(bag: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    text = "\n".join(
        [*lines, "rosbag2_bagfile_information: {version: 5, storage_identifier: *a11}"]
    )
    (bag / "metadata.yaml").write_text(text)
    with pytest.raises(FrameError, match="by reference"):
        open_sequence(bag)


@pytest.mark.parametrize("text", ["[" * 100_000, "a: " + "{a: " * 100_000, "- " * 1_000])
def test_metadata_are_not_nested_without_end(bag: Path, text: str) -> None:
    (bag / "metadata.yaml").write_text(text)
    with pytest.raises(FrameError, match="nested too deeply"):
        open_sequence(bag)


def test_a_pipe_is_not_waited_for(bag: Path) -> None:
    (bag / "run_0.db3").unlink()
    os.mkfifo(bag / "run_0.db3")
    with pytest.raises(FrameError, match="a pipe or a device"):
        open_sequence(bag)


@pytest.mark.parametrize(
    ("storage", "mode"),
    [
        (StoragePlugin.MCAP, CompressionMode.STORAGE),
        (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
        (StoragePlugin.SQLITE3, CompressionMode.FILE),
    ],
)
def test_what_unpacks_to_too_much_is_refused(
    tmp_path: Path, made: MadeSequence, monkeypatch: pytest.MonkeyPatch, storage: Any, mode: Any
) -> None:
    path = write(tmp_path / "run", recorded(made), storage, mode)
    assert sum(1 for _ in open_sequence(path, MOUNTED)) == len(made)
    monkeypatch.setattr("scenemind.frames.bag_limits.MOST_UNPACKED", 100)
    monkeypatch.setattr("scenemind.frames.bag_limits._MOST_RATIO", 0)
    with pytest.raises(FrameError, match=r"unpacks? to|too big"):
        sum(1 for _ in open_sequence(path, MOUNTED))


@pytest.mark.parametrize(
    ("storage", "mode"),
    [
        (StoragePlugin.MCAP, CompressionMode.STORAGE),
        (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
    ],
)
def test_a_small_bag_does_not_unpack_to_gigabytes(
    tmp_path: Path, made: MadeSequence, storage: Any, mode: Any
) -> None:
    """One message of 240 MB of zeros, in 21 kB, took 950 MB."""
    messages = recorded(made)
    image = next(message for name, _, message in messages if name == TOPICS.color)
    image.data = np.zeros(110_000_000, np.uint8)
    path = write(tmp_path / "run", messages, storage, mode)
    assert sum(file.stat().st_size for file in path.iterdir()) < 100_000
    with pytest.raises(FrameError, match=r"unpacks? to|too big"):
        sum(1 for _ in open_sequence(path, MOUNTED))


def chunk(start: int, end: int, packed: int, unpacked: int) -> Any:
    return storage_mcap.ChunkInfo(start, end, 0, 0, {}, 0, "zstd", packed, unpacked, {})


@pytest.mark.parametrize(
    ("chunks", "file_bytes", "words"),
    [
        ([chunk(0, 9, 1 * MB, 200 * MB)] * 3, 3 * MB, "of the same time unpack to more than"),
        ([chunk(n, n, 9_000, 200 * MB) for n in range(40)], MB, "unpack to 8388608000 bytes"),
        ([chunk(n, n, 9_000, 9_000) for n in range(200)], MB, "same chunks more than once"),
    ],
)
def test_chunks_unpack_to_no_more_together_than_recordings(
    tmp_path: Path,
    made: MadeSequence,
    monkeypatch: pytest.MonkeyPatch,
    chunks: Sequence[Any],
    file_bytes: int,
    words: str,
) -> None:
    with pytest.raises(ValueError, match=words):
        _check_chunks(chunks, file_bytes)
    usual = [chunk(n, n + 2, MB, 4 * MB) for n in range(1000)]  # those beside each other overlap
    _check_chunks(usual, 1000 * MB)
    path = write(tmp_path / "run", recorded(made), StoragePlugin.MCAP, CompressionMode.STORAGE)
    monkeypatch.setattr("scenemind.frames.bag_limits.MOST_UNPACKED", 10)
    for named in (path, *path.glob("*.mcap")):
        with pytest.raises(FrameError, match="of the same time unpack"):
            open_sequence(named, MOUNTED)


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
def test_a_chunk_unpacks_to_the_size_that_it_announces(kind: str) -> None:
    limit_rosbags()
    compress = {"zstd": storage_mcap.zstd.compress, "lz4": lz4.frame.compress}[kind]
    whole = bytes(1000)
    assert storage_mcap.decompress(compress(whole), kind, 1000, 0) == whole
    with pytest.raises(ValueError, match="more than 999 bytes"):
        storage_mcap.decompress(compress(whole), kind, 999, 0)
    with pytest.raises(ValueError, match="cut short"):
        storage_mcap.decompress(compress(whole)[:-1], kind, 1000, 0)


def test_no_program_is_made_of_a_bags_own_types(
    tmp_path: Path, made: MadeSequence, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_bag(made, tmp_path / "run")
    humble_types()

    def refuse(*_: Any, **__: Any) -> str:
        raise AssertionError("types of the file became a program")

    monkeypatch.setattr("rosbags.typesys.store.generate_python_code", refuse)
    assert sum(1 for _ in open_sequence(tmp_path / "run")) == len(made)


@pytest.mark.parametrize(
    ("topic", "other"),
    [
        (TOPICS.color, TOPICS.odometry),
        (TOPICS.depth, TOPICS.camera_info),
        (TOPICS.camera_info, TOPICS.color),
        (TOPICS.odometry, TOPICS.depth),
    ],
)
def test_a_topic_of_another_type_is_named(
    tmp_path: Path, made: MadeSequence, topic: str, other: str
) -> None:
    messages = recorded(made)
    wrong = next(message for name, _, message in messages if name == other)
    messages = [(n, ns, wrong if n == topic else message) for n, ns, message in messages]
    with pytest.raises(FrameError, match=f"{topic} holds {wrong.__msgtype__}"):
        RosbagSequence(write(tmp_path / "run", messages), MOUNTED)
