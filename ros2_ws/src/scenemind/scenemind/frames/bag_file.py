"""A rosbag2 recording as messages in order; whatever damages it becomes a FrameError."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.interfaces import Qos
from rosbags.typesys import Stores, get_typestore

from scenemind.frames.errors import FrameError

_SUFFIXES = (".mcap", ".db3")
_types_by_digest: dict[frozenset[tuple[str, str]], Any] = {}


@cache
def humble_types() -> Any:
    """Message types that Humble and every later ROS 2 have."""
    return get_typestore(Stores.ROS2_HUMBLE)


def is_bag(path: Path) -> bool:
    """Whether a file or folder is a rosbag2 recording, by its name and what it contains."""
    if path.is_dir():
        return (path / "metadata.yaml").is_file() or bool(_storage_files(path))
    return path.suffix in _SUFFIXES


class BagFile:
    """An open recording; use it as a context manager.

    A folder without metadata.yaml, as a recorder leaves it that was killed, is read by its files.
    """

    def __init__(self, path: Path) -> None:
        """Name the folder, or one .mcap or .db3 file."""
        self._path = path
        listed = path.is_file() or (path / "metadata.yaml").is_file()
        self._paths = [path] if listed else _storage_files(path)
        self._reader: Any = None

    def __enter__(self) -> BagFile:
        try:
            # Bags of db3 files before Iron carry no message definitions.
            self._reader = AnyReader(self._paths, default_typestore=humble_types())
            self._reader.open()
        except Exception as error:
            raise self._damaged(error) from error
        self._share_types()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._reader.close()

    def topics(self) -> dict[str, str]:
        """Topic -> message type of all that is recorded."""
        return {c.topic: c.msgtype for c in self._reader.connections}

    def count(self, topic: str) -> int:
        """Messages of a topic; 0 where it is not recorded."""
        return sum(c.msgcount for c in self._reader.connections if c.topic == topic)

    def offered_qos(self, topic: str) -> list[Qos]:
        """What the publishers of a topic promised; empty where the bag does not say."""
        connections = [c for c in self._reader.connections if c.topic == topic]
        return [qos for c in connections for qos in c.ext.offered_qos_profiles]

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, Any]]:
        """Topic and message, in the order in which they were recorded.

        Raises:
            FrameError: the recording is damaged from here on.
        """
        connections = [c for c in self._reader.connections if c.topic in topics]
        if not connections:
            return
        stream = self._reader.messages(connections)
        while True:
            try:
                item = next(stream, None)
                if item is None:
                    return
                connection, _, raw = item
                message = self._reader.deserialize(raw, connection.msgtype)
            except Exception as error:
                raise self._damaged(error) from error
            yield connection.topic, message

    def _share_types(self) -> None:
        """Decode by what an earlier bag of the same types has made: making it takes 0.1 s."""
        kinds = frozenset((c.msgtype, c.digest) for c in self._reader.connections)
        if all(digest for _, digest in kinds):
            self._reader.typestore = _types_by_digest.setdefault(kinds, self._reader.typestore)

    def _damaged(self, error: Exception) -> FrameError:
        """Of any cause: rosbags checks some of what it parses, and the rest of damaged bytes leads
        to errors of its storage and compression libraries, of numbers and of memory.
        """
        names = ", ".join(str(path) for path in self._paths)
        return FrameError(
            f"{names} is damaged or was cut short ({error}): rebuild what is left with"
            f" `ros2 bag reindex {self._path}` (`mcap recover` for a single .mcap file)"
        )


def _storage_files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)
