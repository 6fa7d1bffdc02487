"""Who looks at a view without a browser: gets all that one gets, counts it, and draws nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

import msgspec.msgpack
import viser
import zstandard
from websockets.sync.client import connect
from websockets.typing import Subprotocol

_QUIET_S = 0.2  # nothing more comes then
_PATIENCE_S = 60.0
_HEAD_BYTES = 16  # lengths of the message, raw and packed
_FROM_M = 60.0  # above the floor: a building is in the picture


@dataclass(frozen=True, slots=True)
class Received:
    """
    Attributes:
        ms: until it was there.
        byte_count: all that came of it, until nothing more did.
    """

    ms: float
    byte_count: int


class BrowserlessClient:
    """Connected like viser's page, whose messages this reads: two lengths, then MessagePack in
    zstandard, then arrays as they are. For one thread.

    Attributes:
        loaded: what comes first: everything.
    """

    def __init__(self, port: int, above: Sequence[float]) -> None:
        """
        Args:
            above: x and y of what it looks down on, world, metres.
        """
        self._byte_count = 0
        start = time.perf_counter()
        self._socket = connect(
            f"ws://127.0.0.1:{port}/",
            subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
            compression=None,
            max_size=None,
        )
        self._socket.send(msgspec.msgpack.encode(_camera(*above[:2])))
        self._until("ReplayDoneMessage")
        ms = 1e3 * (time.perf_counter() - start)
        self.calm_down()
        self.loaded = Received(ms, self._byte_count)

    def __enter__(self) -> BrowserlessClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.close()

    def after(self, step: Callable[[], object], words: str) -> Received:
        """Do it, and wait for a message with these words, and then until all is quiet.

        Raises:
            TimeoutError: none came.
        """
        before, start = self._byte_count, time.perf_counter()
        step()
        self._until(words)
        ms = 1e3 * (time.perf_counter() - start)
        self.calm_down()
        return Received(ms, self._byte_count - before)

    def calm_down(self) -> None:
        """Wait until nothing more comes."""
        try:
            while True:
                self._next(_QUIET_S)
        except TimeoutError:
            return

    def _until(self, words: str) -> None:
        wanted = words.encode()
        while wanted not in self._next(_PATIENCE_S):
            pass

    def _next(self, timeout_s: float) -> bytes:
        """The words of a message, unpacked."""
        data = self._socket.recv(timeout_s)
        assert isinstance(data, bytes), "viser sends no text"
        self._byte_count += len(data)
        packed_length = int.from_bytes(data[8:_HEAD_BYTES], "little")
        return zstandard.decompress(data[_HEAD_BYTES : _HEAD_BYTES + packed_length])


def _camera(x: float, y: float) -> dict[str, object]:
    """What a browser says of where it looks from, here straight down; names come then."""
    return {
        "type": "ViewerCameraMessage",
        "wxyz": (0.0, 1.0, 0.0, 0.0),
        "position": (x, y, _FROM_M),
        "fov": 1.2,
        "near": 0.01,
        "far": 1000.0,
        "image_height": 800,
        "image_width": 1280,
        "look_at": (x, y, 0.0),
        "up_direction": (0.0, 1.0, 0.0),
    }
