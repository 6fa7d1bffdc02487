"""Bags of strangers: what rosbags unpacks is bounded, and a database is a table of messages and
nothing else. rosbags itself unpacks whatever a file says, and reads from any view."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

from scenemind.frames.frame import FrameError
from scenemind.untrusted import check_yaml, read_regular

# Of a chunk or message, unpacked: rosbags holds it up to four times. Recorders make chunks of some
# MB; so large is a raw colour image of 34 megapixels.
MOST_UNPACKED = 100 * 2**20
_MOST_RATIO = 100  # of a whole compressed file: what it unpacks to, on the disk, for each byte
_MOST_CHUNK_RATIO = 1000  # of the chunks of a file together
_MOST_METADATA = 2 * 2**20
_METADATA = "metadata.yaml"
_SQLITE_LIMIT_LENGTH = 0  # SQLite's number of it; Python's sqlite3 names it since 3.11
_TABLES = frozenset(("schema", "metadata", "topics", "message_definitions", "messages"))
_MADE_AS = {"table": ("CREATE TABLE",), "index": ("CREATE INDEX", "CREATE UNIQUE INDEX")}


def check_storage(path: Path) -> None:
    """Check a bag's folder or file before rosbags opens it.

    Raises:
        FrameError: it is more than a recording.
        OSError, yaml.YAMLError, ValueError: it cannot be read.
    """
    for file in path.iterdir() if path.is_dir() else (path,):
        if not (file.is_file() or file.is_dir()):
            raise FrameError(f"{file} is a pipe or a device, which no recording holds")
    if path.is_dir():
        _check_metadata(path / _METADATA)


def _check_metadata(path: Path) -> None:
    text = read_regular(path, _MOST_METADATA, follow=True).decode()
    try:
        check_yaml(text)
    except ValueError as error:
        raise FrameError(f"{path} is not what a recorder writes: {error}") from error


def _check_database(path: Path) -> None:
    """A view, a virtual table or a computed column can be without end."""
    name = f"{path.resolve().as_uri()}?immutable=1"
    with closing(sqlite3.connect(name, uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        query = "SELECT type, name, sql FROM sqlite_master"
        for kind, table, made_by in connection.execute(query).fetchall():
            is_own = str(table).startswith("sqlite_") and kind in _MADE_AS
            if not is_own and not _is_plain(connection, kind, table, made_by):
                raise FrameError(f"{path} is no recording: it holds the {kind} {str(table)[:40]!r}")


def _is_plain(connection: sqlite3.Connection, kind: str, table: str, made_by: Any) -> bool:
    if not str(made_by).startswith(_MADE_AS.get(kind, ())):
        return False
    if kind == "index":
        return True
    columns = connection.execute("SELECT hidden FROM pragma_table_xinfo(?)", (table,))
    return table in _TABLES and not any(hidden for (hidden,) in columns)


def _check_chunks(chunks: Sequence[Any], file_bytes: int) -> None:
    """Chunks whose times overlap are held unpacked together, and each as often as it is indexed.

    Raises:
        ValueError: they unpack to more than recordings do.
    """
    if sum(chunk.compressed_size for chunk in chunks) > file_bytes:
        raise ValueError("its index names the same chunks more than once")
    unpacked = sum(chunk.uncompressed_size for chunk in chunks)
    if unpacked > MOST_UNPACKED + _MOST_CHUNK_RATIO * file_bytes:
        raise ValueError(f"its chunks unpack to {unpacked} bytes, from {file_bytes}")
    begin = [(chunk.message_start_time, 0, chunk.uncompressed_size) for chunk in chunks]
    end = [(chunk.message_end_time, 1, -chunk.uncompressed_size) for chunk in chunks]
    held = accumulate(size for _, _, size in sorted(begin + end))
    if max(held, default=0) > 2 * MOST_UNPACKED:
        raise ValueError(f"chunks of the same time unpack to more than {2 * MOST_UNPACKED} bytes")


@cache
def limit_rosbags() -> None:
    """Let rosbags unpack no more than `MOST_UNPACKED` at once, and look at a database first."""
    from lz4.frame import LZ4FrameDecompressor
    from rosbags.rosbag2 import reader, storage_mcap
    from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

    zstd = storage_mcap.zstd

    class CheckedMcap(storage_mcap.McapReader):
        def read_index(self) -> None:
            super().read_index()
            _check_chunks(self.chunks, Path(self.path).stat().st_size)

    class CheckedReader(Sqlite3Reader):
        def open(self) -> None:
            _check_database(Path(self.path))
            super().open()
            self.dbconn.limit(_SQLITE_LIMIT_LENGTH, MOST_UNPACKED)

    class Zstd:
        """Takes the place of the module in rosbags."""

        @staticmethod
        def decompress(data: bytes) -> bytes:
            return _unpacked(zstd.ZstdDecompressor(), data, MOST_UNPACKED)

        @staticmethod
        @contextmanager
        def open(file: IO[bytes], mode: str) -> Iterator[_BoundedFile]:
            packed_bytes = file.seek(0, 2)
            file.seek(0)
            with zstd.open(file, mode) as unpacked:
                yield _BoundedFile(unpacked, MOST_UNPACKED + _MOST_RATIO * packed_bytes)

    reader.zstd = Zstd
    reader.DirectoryReader.STORAGE_PLUGINS |= {
        "sqlite3": CheckedReader,
        "mcap": CheckedMcap,
    }
    reader.Reader.STORAGE_PLUGINS |= {".db3": CheckedReader, ".mcap": CheckedMcap}
    storage_mcap.DECOMPRESSORS.update(
        zstd=lambda data, size: _unpacked(zstd.ZstdDecompressor(), data, size),
        lz4=lambda data, size: _unpacked(LZ4FrameDecompressor(), data, size),
    )


class _BoundedFile:
    def __init__(self, file: IO[bytes], most_bytes: int) -> None:
        self._file = file
        self._left = most_bytes

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("a compressed file unpacks to far more than recordings do")
        return data


def _unpacked(decompressor: Any, data: bytes, size: int) -> bytes:
    """
    Args:
        size: as it is announced, or the most that it may be.

    Raises:
        ValueError: it is larger, or damaged.
    """
    most = min(size, MOST_UNPACKED)
    unpacked: bytes = decompressor.decompress(data, max_length=most + 1)
    if len(unpacked) > most:
        raise ValueError(f"a compressed part unpacks to more than {most} bytes")
    if not decompressor.eof:
        raise ValueError("a compressed part was cut short")
    return unpacked
