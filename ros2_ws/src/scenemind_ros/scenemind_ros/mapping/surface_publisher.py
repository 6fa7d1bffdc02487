"""The place as a coloured surface for RViz, fused in the background while somebody listens."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from geometry_msgs.msg import Point
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.memory import Memory, SceneMemoryError
from scenemind.surface import SurfaceError, SurfaceMesh, fuse_surface
from scenemind_ros.conversions import drawn_header
from scenemind_ros.qos import LATCHED

_VOXEL_M = 0.04
_MOST_TRIANGLES = 40_000  # RViz gets each corner as a point of its own
_EVERY_S = 20.0  # least time between the ends of two fusions
_NICE = 10


class SurfacePublisher:
    """One marker of triangles, latched on `~/surface`.

    It is fused on a thread of low priority, when key frames were stored or moved since, and only
    for a subscriber. Without Open3D there is none, which is logged once.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(Marker, "~/surface", LATCHED)
        self._thread = ThreadPoolExecutor(1, "surface", lambda: _be_nice())
        self._work: Future[None] | None = None
        self._sent: object = None
        self._ended_at = -_EVERY_S
        self._is_open = True

    def poll(self, memory: Memory, world_frame: str) -> None:
        """Begin a fusion where one is due; call it a few times a second."""
        is_heard = self._publisher.get_subscription_count() > 0
        is_busy = self._work is not None and not self._work.done()
        if not is_heard or is_busy or time.monotonic() - self._ended_at < _EVERY_S:
            return
        state = memory, world_frame, len(memory.stored_frames()), len(memory.pose_corrections())
        if state != self._sent:
            self._sent = state
            self._work = self._thread.submit(self._fuse, memory, world_frame)

    def close(self) -> None:
        """End; a fusion that was begun is given up."""
        self._is_open = False
        self._thread.shutdown(cancel_futures=True)
        self._node.destroy_publisher(self._publisher)

    def _fuse(self, memory: Memory, world_frame: str) -> None:
        try:
            mesh = fuse_surface(memory, _VOXEL_M, self._go_on).thinned(_MOST_TRIANGLES)
            message = surface_to_marker(mesh, world_frame)
            if self._is_open:
                self._publisher.publish(message)
        except MissingOpen3DError as error:
            self._node.get_logger().warning(f"no ~/surface: {error}", once=True)
        except (SurfaceError, SceneMemoryError) as error:  # nothing seen yet; another memory
            self._node.get_logger().info(f"no ~/surface yet: {error}", once=True)
        except _GivenUpError:
            pass
        finally:
            self._ended_at = time.monotonic()

    def _go_on(self, _done: int, _total: int) -> None:
        if not self._is_open:
            raise _GivenUpError


class _GivenUpError(Exception):
    """The node has ended."""


def _be_nice() -> None:
    os.setpriority(os.PRIO_PROCESS, 0, _NICE)  # on Linux: of this thread alone


def surface_to_marker(mesh: SurfaceMesh, world_frame: str) -> Marker:
    """Triangles with a colour a corner."""
    marker = Marker(header=drawn_header(world_frame), ns="surface", type=_TRIANGLES)
    marker.pose.orientation.w = 1.0
    marker.scale.x = marker.scale.y = marker.scale.z = 1.0
    marker.color.a = 1.0
    points = [Point(x=x, y=y, z=z) for x, y, z in mesh.vertices.astype(np.float64).tolist()]
    colors = [
        ColorRGBA(r=r, g=g, b=b, a=1.0) for r, g, b in (mesh.rgb.astype(float) / 255.0).tolist()
    ]
    corners = mesh.triangles.ravel().tolist()
    marker.points = [points[i] for i in corners]
    marker.colors = [colors[i] for i in corners]
    return marker


_TRIANGLES: int = Marker.TRIANGLE_LIST
