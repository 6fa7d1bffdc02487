"""A long drive as a memory that can be asked: the real reader, and frames without images."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import cast

from scenemind.cli.bench.keyframes.long_drive import CAMERA, LongDrive
from scenemind.memory import KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.graph.corrections.sources import Sources
from scenemind.memory.scene import Scene
from scenemind.memory.tree_reader import TreeReader

_WHOLE_IMAGE = 0.0, 0.0, float(CAMERA.width), float(CAMERA.height)


def memory_of(drive: LongDrive) -> MemoryAccess:
    """What a frame selector needs of a memory, by the code that a memory has (`TreeReader`).

    Its scene has nothing but the drive's tree, views and objects, and its disk gives frames at once
    instead of reading them.
    """
    snapshot = MemorySnapshot(0, 0, drive.objects, (), drive.pose)

    def find_unread(
        number: int,
        object_of: Callable[[int, int], int | None],  # noqa: ARG001
        wanted: Collection[int],
        score: float = 0.0,
    ) -> KeyFrame:
        boxes = dict.fromkeys(wanted, _WHOLE_IMAGE)
        place = drive.location_of[number]
        return KeyFrame(number, 0, place, CAMERA, drive.pose, b"", score, boxes)

    scene = SimpleNamespace(
        tree=drive.tree,
        views=drive.views,
        journal=SimpleNamespace(sources=Sources()),
        snapshot=lambda: snapshot,
    )
    disk = SimpleNamespace(evidence=SimpleNamespace(find=find_unread))
    return cast(MemoryAccess, TreeReader(cast(MemoryDisk, disk), cast(Scene, scene)))
