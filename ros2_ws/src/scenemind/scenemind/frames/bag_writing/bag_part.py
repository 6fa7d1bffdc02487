"""One file of a bag."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from scenemind.frames.bag_file import humble_types
from scenemind.frames.bag_writing.encoder import EncodedMessage
from scenemind.frames.bag_writing.options import Storage

# Metadata of this version is what rosbag2 of Iron writes; later ones read it, and so does Humble.
_METADATA_VERSION = 8
_PLUGINS = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}
_FOREVER = QosTime(2147483647, 4294967295)
_LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    _FOREVER,
    _FOREVER,
    QosLiveliness.AUTOMATIC,
    _FOREVER,
    False,
)


class BagPart:
    """A bag of one file that is being written."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._store = humble_types()
        self._connections: dict[str, Connection] = {}

    def write(self, stamp_ns: int, messages: tuple[EncodedMessage, ...]) -> None:
        for message in messages:
            topic = message.topic
            if topic not in self._connections:
                self._connections[topic] = self._writer.add_connection(
                    topic,
                    message.kind,
                    typestore=self._store,
                    offered_qos_profiles=(_LATCHED,) if message.is_latched else (),
                )
            self._writer.write(self._connections[topic], stamp_ns, message.data)


@contextmanager
def bag_part(folder: Path, storage: Storage, *, compressed: bool) -> Iterator[BagPart]:
    """Write a bag of one file, `folder.name` in `folder`, which is on the disk afterwards.

    Args:
        compressed: chunks of an mcap file; a db3 file has none.
    """
    shutil.rmtree(folder, ignore_errors=True)  # left by one that was killed
    writer = Writer(folder, version=_METADATA_VERSION, storage_plugin=_PLUGINS[storage])
    if compressed and storage == "mcap":
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        yield BagPart(writer)
    for file in folder.iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
