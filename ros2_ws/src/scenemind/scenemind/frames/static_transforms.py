"""Fixed transforms between named frames, as /tf_static carries them."""

from __future__ import annotations

from collections import deque

from scenemind.geometry import Pose


class StaticTransforms:
    """A graph of frames; a path through it gives the transform between any two of them."""

    def __init__(self) -> None:
        self._neighbours: dict[str, dict[str, Pose]] = {}

    def add(self, parent: str, child: str, parent_T_child: Pose) -> None:
        """Keep a transform; the newest of a pair counts. Leading slashes do not matter."""
        parent, child = parent.lstrip("/"), child.lstrip("/")
        self._neighbours.setdefault(parent, {})[child] = parent_T_child
        self._neighbours.setdefault(child, {})[parent] = parent_T_child.inverse()

    def find(self, target: str, source: str) -> Pose | None:
        """`target_T_source`, the identity for the same frame; None where nothing connects them."""
        target, source = target.lstrip("/"), source.lstrip("/")
        reached = {target: Pose.identity()}
        queue = deque([target])
        while queue and source not in reached:
            frame = queue.popleft()
            for neighbour, frame_T_neighbour in self._neighbours.get(frame, {}).items():
                if neighbour not in reached:
                    reached[neighbour] = reached[frame] @ frame_T_neighbour
                    queue.append(neighbour)
        return reached.get(source)
