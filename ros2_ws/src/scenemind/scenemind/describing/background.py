"""A thread that makes notes while frames go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from scenemind.describing.note_maker import NoteMaker
from scenemind.describing.patience import Patience
from scenemind.describing.tally import Counts, Outcome, Tally
from scenemind.memory import MapObject, Memory

_IDLE_S = 2.0
# Of an object without a good view, or whose answer was of no use.
_OBJECT_PAUSE_S, _LONGEST_OBJECT_PAUSE_S = 30.0, 3600.0
# Of the model as a whole.
_MODEL_PAUSE_S, _LONGEST_MODEL_PAUSE_S = 2.0, 300.0
# Of the object at which the model failed: it may have been the only one that the model fails at.
_OTHERS_FIRST_S = 30.0
# What lies with an object or its pictures; all other failures would meet every object.
_OF_OBJECT: frozenset[Outcome] = frozenset(("no_views", "refused", "bad_reply"))


class Background:
    """Looks at the memory whenever it is free and makes the most urgent note.

    The memory itself is the queue, so nothing that waits can grow or be out of date, and the frame
    path is not touched but for a snapshot now and then.
    """

    def __init__(self, memory: Memory, maker: NoteMaker, per_minute: float) -> None:
        self._memory = memory
        self._maker = maker
        self._tally = Tally(maker)
        self._every_s = 60.0 / per_minute
        self._objects = Patience(_OBJECT_PAUSE_S, _LONGEST_OBJECT_PAUSE_S)
        self._others_first = Patience(_OTHERS_FIRST_S, _OTHERS_FIRST_S)
        self._model = Patience(_MODEL_PAUSE_S, _LONGEST_MODEL_PAUSE_S)
        self._waiting = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=maker.name, daemon=True)

    @property
    def counts(self) -> Counts:
        return self._tally.counts

    @property
    def waiting(self) -> int:
        """Objects that were due when the thread looked last."""
        return self._waiting

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        """After the note that is being made."""
        self._stop.set()

    def join(self) -> None:
        """Return when the thread has ended."""
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            objects = self._memory.snapshot().objects
            thing = self._most_urgent(objects)
            pause_s = _IDLE_S if thing is None else self._try(thing, objects)
            self._stop.wait(pause_s)

    def _most_urgent(self, objects: Mapping[int, MapObject]) -> MapObject | None:
        self._objects.keep(objects)
        self._others_first.keep(objects)
        due = self._maker.due(objects.values())
        self._waiting = len(due)
        pauses = self._objects, self._others_first
        return next((t for t in due if not any(p.wait_s(t.object_id) for p in pauses)), None)

    def _try(self, thing: MapObject, objects: Mapping[int, MapObject]) -> float:
        """Make a note; how long to rest afterwards."""
        start_s = time.monotonic()
        outcome = self._tally.try_one(thing, objects)
        if outcome == "made":
            self._model.note_success(None)
        elif outcome not in _OF_OBJECT:
            self._model.note_failure(None)
            self._others_first.note_failure(thing.object_id)
        if outcome in _OF_OBJECT or self._still_due(thing):
            self._objects.note_failure(thing.object_id)
        if outcome == "no_views":  # nobody was asked
            return 0.0
        return max(self._every_s - (time.monotonic() - start_s), self._model.wait_s(None))

    def _still_due(self, thing: MapObject) -> bool:
        """A note that was made of fewer views than there are would be made again and again."""
        return bool(self._maker.due([thing]))
