"""The memory of running nodes, with failures as those of any memory."""

from __future__ import annotations

from typing import Any

from scenemind.memory import SceneMemoryError
from scenemind_ros.client import SceneMindClient
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.remote_memory import RemoteMemory


class NodesMemory(RemoteMemory):
    """A node that is away for a while is a memory that does not answer."""

    def _call(self, kind: Any, **fields: Any) -> Any:
        try:
            return super()._call(kind, **fields)
        except RosError as error:
            raise SceneMemoryError(str(error)) from error


class ViewingClient(SceneMindClient):
    """Also has what the mapping node remembers."""

    def memory(self) -> NodesMemory:
        """Of the node that this calls."""
        return NodesMemory(self._node, self._names["mapping"], self._timeout_s)
