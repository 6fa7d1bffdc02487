"""Both nodes in one process, on one memory."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Sequence

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.experimental import EventsExecutor

from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    Memory,
    MemorySnapshot,
)
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.occupancy.approach import ROBOT, ApproachPose, Purpose, Robot
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.run_node import closing_undisturbed, run_in_ros, spin


class SharedMemory:
    """A `RobotMemory` that forwards to the mapping node's present memory.

    Loading another memory replaces it, and an unconfigured node has none: then every method raises
    RosError (NODE_UNAVAILABLE).
    """

    def __init__(self, node: MappingNode) -> None:
        self._node = node

    def world_frame(self) -> str:
        """The frame that positions are in."""
        return self._session().world_frame

    def snapshot(self) -> MemorySnapshot:
        return self._memory().snapshot()

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        return self._memory().key_frames_of(object_ids, count)

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        return self._memory().tree_json(token_budget)

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        return self._memory().select_key_frames(key_objects, cue_objects, count, locations)

    def stored_frames(self) -> Sequence[int]:
        return self._memory().stored_frames()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        return self._memory().key_frame(frame_number, object_ids)

    def frame_index(self) -> FrameIndex:
        return self._memory().frame_index()

    def depth_image(self, frame_number: int) -> DepthImage:
        return self._memory().depth_image(frame_number)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        return self._memory().changes_since(stamp_ns)

    def visits(self) -> tuple[Visit, ...]:
        return self._memory().visits()

    def approach_poses(
        self,
        object_id: int,
        purpose: Purpose = "look",
        stand_off_m: float | None = None,
        robot: Robot = ROBOT,
        count: int = 5,
    ) -> list[ApproachPose]:
        return self._memory().approach_poses(object_id, purpose, stand_off_m, robot, count)

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        return self._memory().apply(edits, by, reason)

    def undo(self, *correction_ids: int) -> list[Correction]:
        return self._memory().undo(*correction_ids)

    def redo(self, *correction_ids: int) -> list[Correction]:
        return self._memory().redo(*correction_ids)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return self._memory().find_similar(edit, count)

    def corrections(self) -> list[Correction]:
        return self._memory().corrections()

    def _memory(self) -> Memory:
        return self._session().memory

    def _session(self) -> MappingSession:
        session = self._node.session
        if session is None:
            raise RosError(
                f"{self._node.get_name()} is not configured, so there is no memory: its log says"
                " why, or configure it",
                Error.NODE_UNAVAILABLE,
            )
        return session


def main(args: list[str] | None = None) -> int:
    """Run both nodes until SIGINT or SIGTERM; then the memory is flushed and closed."""
    return run_in_ros("scenemind_node", _run, args)


def _run() -> None:
    mapping = MappingNode()
    has_failed = threading.Event()
    with closing_undisturbed(mapping):
        reasoning = ReasoningNode(memory := SharedMemory(mapping), memory.world_frame)
        # On its own thread: a question never waits for a frame.
        thread = threading.Thread(
            target=_spin_mapping, args=(mapping, has_failed), name="mapping-executor"
        )
        thread.start()
        try:
            with closing_undisturbed(reasoning):
                spin(reasoning, reasoning.make_executor())
        finally:
            rclpy.try_shutdown()
            thread.join()
            if has_failed.is_set():
                raise SystemExit(1)


def _spin_mapping(node: MappingNode, has_failed: threading.Event) -> None:
    try:
        spin(node, EventsExecutor())
    except ExternalShutdownException:
        pass
    except Exception:  # noqa: BLE001 - ends the process, with status 1
        if node.context.ok():  # otherwise a signal ended it during its start
            node.get_logger().fatal(traceback.format_exc())
            has_failed.set()
    finally:
        rclpy.try_shutdown()  # without the map, reasoning has nothing to work on


if __name__ == "__main__":
    raise SystemExit(main())
