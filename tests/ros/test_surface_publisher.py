"""The surface for RViz: fused for a subscriber alone, latched, and anew with more frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from visualization_msgs.msg import Marker

from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.surface import SurfaceMesh
from scenemind_ros.mapping import surface_publisher
from scenemind_ros.mapping.surface_publisher import SurfacePublisher
from scenemind_ros.qos import LATCHED

from .graph import RosGraph, wait_for

SQUARE = SurfaceMesh(
    np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.float32),
    np.array([(0, 1, 2), (0, 2, 3)], np.int32),
    np.array([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)], np.uint8),
    np.zeros(4, np.int32),
)


class StoredFrames:
    """What of a memory is looked at before it is fused."""

    def __init__(self) -> None:
        self.numbers = [1, 2, 3]

    def stored_frames(self) -> list[int]:
        return self.numbers

    def pose_corrections(self) -> tuple[()]:
        return ()


@pytest.fixture
def fusions(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Their voxel sizes."""
    found: list[float] = []

    def fuse(_: Any, voxel_m: float, on_progress: Any) -> SurfaceMesh:
        on_progress(1, 1)
        found.append(voxel_m)
        return SQUARE

    monkeypatch.setattr(surface_publisher, "fuse_surface", fuse)
    monkeypatch.setattr(surface_publisher, "_EVERY_S", 0.0)
    return found


def test_surface_is_fused_for_a_subscriber_and_again_with_more_frames(
    graph: RosGraph, fusions: list[float]
) -> None:
    memory: Any = StoredFrames()
    publisher = SurfacePublisher(graph.observer)
    publisher.poll(memory, "map")
    assert not fusions, "nobody listens"
    heard: list[Marker] = []
    name = f"{graph.observer.get_fully_qualified_name()}/surface"
    graph.observer.create_subscription(Marker, name, heard.append, LATCHED)

    def polled() -> int:
        publisher.poll(memory, "map")
        return len(heard)

    wait_for(polled, "a surface")
    (marker,) = heard
    assert (marker.type, marker.header.frame_id) == (Marker.TRIANGLE_LIST, "map")
    assert [(p.x, p.y) for p in marker.points] == [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]
    assert [c.r for c in marker.colors] == [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    publisher.poll(memory, "map")
    assert len(fusions) == 1, "nothing is new"
    memory.numbers = [1, 2, 3, 4]
    wait_for(lambda: polled() == 2, "another surface")
    publisher.close()


def test_without_open3d_there_is_no_surface(
    graph: RosGraph, fusions: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def fuse(*_: object) -> SurfaceMesh:
        said.append("asked")
        raise MissingOpen3DError("a surface needs Open3D")

    monkeypatch.setattr(surface_publisher, "fuse_surface", fuse)
    publisher = SurfacePublisher(graph.observer)
    heard: list[Marker] = []
    name = f"{graph.observer.get_fully_qualified_name()}/surface"
    graph.observer.create_subscription(Marker, name, heard.append, LATCHED)
    memory: Any = StoredFrames()

    def asked() -> bool:
        publisher.poll(memory, "map")
        return bool(said)

    wait_for(asked, "a fusion")
    publisher.close()
    assert not heard
    assert not fusions
