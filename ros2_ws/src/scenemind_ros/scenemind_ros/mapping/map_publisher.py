"""The memory's topics: objects, scene graph, tree, markers, points and free floor, on change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Generic, TypeVar

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import Marker, MarkerArray

from scenemind.geometry import Pose
from scenemind.memory import LocationNode, MapObject, Memory, SceneMemoryError
from scenemind.memory.occupancy.grid import OccupancyGrid as Grid
from scenemind_interfaces.msg import LocationNode as LocationNodeMsg
from scenemind_interfaces.msg import MemTree, SceneGraph, SceneObject, SceneObjectArray
from scenemind_ros.conversions import (
    building_to_markers,
    carrying_to_markers,
    drawn_header,
    graph_to_msg,
    header_to_msg,
    location_to_msg,
    markers_to_msg,
    object_to_markers,
    object_to_msg,
    objects_to_cloud,
    transform_to_msg,
    tree_to_msg,
)
from scenemind_ros.conversions.floor import grid_to_msg
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.qos import LATCHED

Value = TypeVar("Value")
Converted = TypeVar("Converted")


class MapPublisher:
    """Publisher of snapshots on the node's `~/` topics, each latched for late subscribers.

    The tree has only its newest locations, because it grows as long as the robot drives: the
    service `~/get_mem_tree` has all. A topic is converted only if the memory changed since the last
    message and it has a subscriber; a later subscriber gets the newest state at the next call.
    """

    def __init__(self, node: Node, tree_locations: int) -> None:
        """Publishers on a node.

        Args:
            tree_locations: number of newest locations in `~/mem_tree`.
        """
        self._tree_locations = tree_locations
        self._node = node
        self._memory: Memory | None = None
        self._frame = ""
        self._topics = {
            name: _Topic(node.create_publisher(kind, f"~/{name}", LATCHED))
            for name, kind in {
                "objects": SceneObjectArray,
                "scene_graph": SceneGraph,
                "mem_tree": MemTree,
                "markers": MarkerArray,
                "points": PointCloud2,
                "occupancy": OccupancyGrid,
            }.items()
        }
        self._messages: _Kept[MapObject, SceneObject] = _Kept(
            object_to_msg, lambda thing: (thing.object_id, thing)
        )
        self._gone: _Kept[MapObject, SceneObject] = _Kept(
            object_to_msg, lambda thing: (thing.object_id, thing)
        )
        self._markers: _Kept[MapObject, list[Marker]] = _Kept(
            lambda thing: object_to_markers(thing, drawn_header(self._frame)),
            lambda thing: (thing.object_id, (thing, self._frame)),
        )
        self._locations: _Kept[LocationNode, LocationNodeMsg] = _Kept(
            location_to_msg, lambda location: (location.location_id, _state(location))
        )

    def publish(self, memory: Memory, world_frame: str) -> None:
        """Send the changed topics that have subscribers; nothing is read for those without.

        Args:
            world_frame: frame_id of all positions.
        """
        # Another memory was loaded, with its own revisions; or what its frame is has turned out.
        if memory is not self._memory or world_frame != self._frame:
            self._memory, self._frame = memory, world_frame
            for topic in self._topics.values():
                topic.sent = None
        if not any(topic.is_heard for topic in self._topics.values()):
            return  # a snapshot holds the memory's lock, and with it the next frame
        snapshot = memory.snapshot()
        header = header_to_msg(snapshot.stamp_ns, world_frame)
        drawn = drawn_header(world_frame)
        things = list(snapshot.objects.values())
        makers: dict[str, Callable[[], Any]] = {
            "objects": lambda: SceneObjectArray(header=header, objects=self._messages.of(things)),
            "scene_graph": lambda: graph_to_msg(
                snapshot,
                self._messages.of(things),
                self._gone.of(snapshot.gone.values()),
                world_frame,
            ),
            "mem_tree": lambda: tree_to_msg(
                self._locations.of(memory.tree(self._tree_locations)),
                memory.location_count,
                snapshot,
                world_frame,
            ),
            "markers": lambda: markers_to_msg(
                chain(
                    building_to_markers(snapshot.structure.values(), drawn),
                    *self._markers.of(things),
                    carrying_to_markers(snapshot, drawn),
                ),
                drawn,
            ),
            "points": lambda: objects_to_cloud(things, drawn),
        }
        for name, make in makers.items():
            # The tree grows with every frame, even if no object changed.
            state = (snapshot.revision, snapshot.stamp_ns if name == "mem_tree" else None)
            self._topics[name].send(state, make)
        floor = self._topics["occupancy"]
        if floor.is_heard and (grid := _find_floor(memory)) is not None:
            floor.send(grid, lambda: grid_to_msg(grid, header))  # another grid if anything changed

    def close(self) -> None:
        for topic in self._topics.values():
            self._node.destroy_publisher(topic.publisher)


class MapToOdom:
    """Where odometry's frame lies in the map: latched on `~/map_to_odom` when it changes, and on TF
    with every call, where tf2_ros is installed."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(TransformStamped, "~/map_to_odom", LATCHED)
        self._broadcaster = None if tf2_ros is None else tf2_ros.TransformBroadcaster(node)
        self._sent: tuple[Pose | None, str, str] | None = None
        if tf2_ros is None:
            node.get_logger().warning(
                "publish.map_to_odom: tf2_ros is not installed, so it is on the topic"
                " ~/map_to_odom alone"
            )

    def publish(self, map_T_odom: Pose | None, map_frame: str, odom_frame: str) -> None:
        """
        Args:
            map_T_odom: None: they are the same.
            odom_frame: empty, or that of the map: there is nothing to say.
        """
        if odom_frame in ("", map_frame):
            return
        pose = Pose.identity() if map_T_odom is None else map_T_odom
        message = TransformStamped(child_frame_id=odom_frame)
        message.header.frame_id = map_frame
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.transform = transform_to_msg(pose)
        if self._broadcaster is not None:
            self._broadcaster.sendTransform(message)
        state = map_T_odom, map_frame, odom_frame
        if self._sent != state:
            self._publisher.publish(message)
            self._sent = state

    def close(self) -> None:
        self._node.destroy_publisher(self._publisher)


class _Topic:
    def __init__(self, publisher: Publisher[Any]) -> None:
        self.publisher = publisher
        self.sent: object = None

    @property
    def is_heard(self) -> bool:
        return self.publisher.get_subscription_count() > 0

    def send(self, state: object, make: Callable[[], Any]) -> None:
        if state != self.sent and self.is_heard:
            self.publisher.publish(make())
            self.sent = state


class _Kept(Generic[Value, Converted]):
    """Cache of converted values, valid while the value is the same."""

    def __init__(
        self, convert: Callable[[Value], Converted], describe: Callable[[Value], tuple[int, object]]
    ) -> None:
        """Empty cache.

        Args:
            describe: id of a value, and a key that is equal for equal values.
        """
        self._convert = convert
        self._describe = describe
        self._kept: dict[int, tuple[object, Converted]] = {}

    def of(self, values: Iterable[Value]) -> list[Converted]:
        kept: dict[int, tuple[object, Converted]] = {}
        for value in values:
            value_id, state = self._describe(value)
            known = self._kept.get(value_id)
            is_same = known is not None and known[0] == state
            kept[value_id] = known if is_same and known else (state, self._convert(value))
        self._kept = kept
        return [converted for _, converted in kept.values()]


def _find_floor(memory: Memory) -> Grid | None:
    """The grid; None before the camera saw floor."""
    try:
        return memory.occupancy()
    except SceneMemoryError:
        return None


def _state(location: LocationNode) -> tuple[object, ...]:
    """The part of a location that still changes: it grows until closed, and objects are merged."""
    objects = tuple(tracklet.object_id for tracklet in location.tracklets)
    return location.is_open, location.last_stamp_ns, objects
