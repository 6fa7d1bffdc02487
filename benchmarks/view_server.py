"""Cost of the view of a building in the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from types import TracebackType

import msgspec.msgpack
import numpy as np
import viser
import zstandard
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from scenemind.memory import Edit, Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.surface import ColoredCloud
from scenemind.viewer.viewer import Viewer, ViewerSettings

_LINK = "/scenemind/link"
_QUIET_S = 0.2  # quiet time after which a reply counts as complete
_PATIENCE_S = 60.0
_HEAD_BYTES = 16  # lengths of the message, raw and packed
_FROM_M = 60.0  # above the floor: shows a whole building


@dataclass(frozen=True, slots=True)
class Received:
    """Messages that follow an action.

    Attributes:
        ms: time until the message.
        byte_count: size of all messages that followed the action.
    """

    ms: float
    byte_count: int


class BrowserlessClient:
    """Client with the two connections of the page: viser's, for the 3D view, and the page's own
    link, for names and panels. It reads viser's messages of two lengths, then MessagePack in
    zstandard, then raw arrays. For one thread.

    Attributes:
        loaded: the first messages, with the whole view.
    """

    def __init__(self, port: int, above: Sequence[float]) -> None:
        """Connect and load the view.

        Args:
            above: x and y of the point below the camera, world, metres.
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
        self._link = connect(f"ws://127.0.0.1:{port}{_LINK}", max_size=None)
        while b"ReplayDoneMessage" not in self._next(_PATIENCE_S):
            pass
        self._until('"part":"tree"')
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
        self._link.close()
        self._socket.close()

    def after(self, step: Callable[[], object], words: str) -> Received:
        """Run an action, wait until the link says these words, and then until no more messages
        come.

        Raises:
            TimeoutError: it did not.
        """
        before, start = self._byte_count, time.perf_counter()
        step()
        self._until(words)
        ms = 1e3 * (time.perf_counter() - start)
        self.calm_down()
        return Received(ms, self._byte_count - before)

    def calm_down(self) -> None:
        """Wait until no more messages come."""
        with suppress(TimeoutError):
            while True:
                self._next(_QUIET_S)
        with suppress(TimeoutError):
            while True:
                self._said(0.0)

    def _until(self, words: str) -> None:
        while words not in self._said(_PATIENCE_S):
            pass

    def _said(self, timeout_s: float) -> str:
        """A message of the link."""
        text = self._link.recv(timeout_s)
        assert isinstance(text, str), "the link sends text"
        self._byte_count += len(text)
        return text

    def _next(self, timeout_s: float) -> bytes:
        """The words of a message of viser, unpacked."""
        data = self._socket.recv(timeout_s)
        assert isinstance(data, bytes), "viser sends no text"
        self._byte_count += len(data)
        packed_length = int.from_bytes(data[8:_HEAD_BYTES], "little")
        return zstandard.decompress(data[_HEAD_BYTES : _HEAD_BYTES + packed_length])


def _camera(x: float, y: float) -> dict[str, object]:
    """Message of a browser's camera, here looking straight down; the server replies with names."""
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


_LOOK_EVERY_S = 0.5


class ServedBuilding:
    """A view of the building, while the context is open.

    Attributes:
        viewer: the server's view, for other clients.
        object_ids: in order.
    """

    def __init__(self, memory: Memory, cloud: ColoredCloud) -> None:
        """Open the view.

        Args:
            cloud: a cloud that is still empty.
        """
        self._memory = memory
        self._cloud = cloud
        router = Router(memory, dialogues=Dialogues(1, 6))
        settings = ViewerSettings(port=0, poll_s=_LOOK_EVERY_S)
        self.viewer = Viewer(memory, router, Asking, settings, cloud)
        self.object_ids = sorted(memory.snapshot().objects)
        try:
            start = time.perf_counter()
            self.viewer.start()
            self._load_s = time.perf_counter() - start
        except BaseException:
            self.viewer.close()
            raise

    def __enter__(self) -> ServedBuilding:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.viewer.close()

    def size(self) -> dict[str, int]:
        """Number of items in the view, by kind."""
        return {
            "objects": len(self.object_ids),
            "points": len(self._cloud.points),
            "frames": len(self._memory.stored_frames()),
        }

    def times(self, rounds: int) -> dict[str, float]:
        """See `bench_view`."""
        x, y, _ = np.mean(self._cloud.points, axis=0).tolist()
        with BrowserlessClient(self.viewer.port, (x, y)) as client:
            marked = _repeated(rounds, lambda number: self._mark(client, number))
            said = _repeated(rounds, lambda number: self._say(client, number))
            others = _repeated(rounds, lambda number: self._change(client, number, number / rounds))
        return {
            "load_s": self._load_s,
            "client_s": client.loaded.ms / 1e3,
            "client_mb": client.loaded.byte_count / 1e6,
            "mark_ms": median(one.ms for one in marked),
            "mark_kb": median(one.byte_count for one in marked) / 1e3,
            "said_ms": median(one.ms for one in said),
            "said_kb": median(one.byte_count for one in said) / 1e3,
            "others_ms": median(one.ms for one in others),
        }

    def _mark(self, client: BrowserlessClient, number: int) -> Received:
        object_id = self._object_id(number)
        return client.after(lambda: self.viewer.mark([object_id]), _marked(object_id))

    def _say(self, client: BrowserlessClient, number: int) -> Received:
        object_id, name = self._object_id(number), f"zebra{number}"
        sentence = f"object {object_id} is a {name}"
        return client.after(lambda: self.viewer.put(sentence), _marked(object_id, name))

    def _change(self, client: BrowserlessClient, number: int, phase: float) -> Received:
        """Rename at varying times between two polls of the memory."""
        object_id, name = self._object_id(number), f"yak{number}"
        self.viewer.mark([object_id])
        client.calm_down()
        time.sleep(phase * _LOOK_EVERY_S)
        edit = Edit("rename", (object_id,), value=name)
        return client.after(
            lambda: self._memory.apply([edit], "another", "it is one"), _marked(object_id, name)
        )

    def _object_id(self, number: int) -> int:
        return self.object_ids[number % len(self.object_ids)]


def _marked(object_id: int, name: str = "") -> str:
    """What the link says of the only marked object."""
    of = f'{{"things":[{{"id":{object_id},"name":"'
    return of + (f'{name} {object_id}"' if name else "")


def _repeated(count: int, measure: Callable[[int], Received]) -> list[Received]:
    return [measure(number) for number in range(count)]
