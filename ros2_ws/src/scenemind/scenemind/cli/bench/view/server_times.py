"""What the view of a building costs where it is served."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from types import TracebackType

import numpy as np

from scenemind.cli.bench.view.client import BrowserlessClient, Received
from scenemind.memory import Edit, Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.colored_cloud import ColoredCloud
from scenemind.viewer.name_tags import MARK
from scenemind.viewer.viewer import Viewer

_LOOK_EVERY_S = 0.5


class ServedBuilding:
    """A view of it, as long as this is open.

    Attributes:
        viewer: for who has another client.
        object_ids: in order.
    """

    def __init__(self, memory: Memory, cloud: ColoredCloud) -> None:
        """
        Args:
            cloud: that is still empty.
        """
        self._memory = memory
        self._cloud = cloud
        router = Router(memory, dialogues=Dialogues(1, 6))
        self.viewer = Viewer(
            memory, router, Asking, port=0, cloud=cloud, look_every_s=_LOOK_EVERY_S
        )
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
        """What is drawn."""
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
        name = self._memory.snapshot().objects[object_id].label
        return client.after(lambda: self.viewer.mark([object_id]), f"{MARK}{name} {object_id}")

    def _say(self, client: BrowserlessClient, number: int) -> Received:
        object_id, name = self._object_id(number), f"zebra{number}"
        sentence = f"object {object_id} is a {name}"
        return client.after(lambda: self.viewer.put(sentence), f"{MARK}{name} {object_id}")

    def _change(self, client: BrowserlessClient, number: int, phase: float) -> Received:
        """At another time between two looks at the memory each time."""
        object_id, name = self._object_id(number), f"yak{number}"
        self.viewer.mark([object_id])  # what is marked has its name in every picture
        client.calm_down()
        time.sleep(phase * _LOOK_EVERY_S)
        edit = Edit("rename", (object_id,), value=name)
        return client.after(
            lambda: self._memory.apply([edit], "another", "it is one"), f"{MARK}{name} {object_id}"
        )

    def _object_id(self, number: int) -> int:
        return self.object_ids[number % len(self.object_ids)]


def _repeated(count: int, measure: Callable[[int], Received]) -> list[Received]:
    return [measure(number) for number in range(count)]
