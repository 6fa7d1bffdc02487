"""A thread that annotates objects (descriptions, image vectors) while frames are mapped."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from scenemind.memory import Description, Embedding, MapObject, Memory, SceneMemoryError
from scenemind.models import FailureKind, ModelError
from scenemind.perception import PerceptionError

_log = logging.getLogger(__name__)

Outcome = FailureKind | Literal["made", "no_views", "encoder_failed", "disk_failed", "failed"]
_IDLE_S = 2.0
# Pauses of an object without a good view, or with an unusable answer.
_OBJECT_PAUSE_S, _LONGEST_OBJECT_PAUSE_S = 30.0, 3600.0
# Pauses of the model as a whole.
_MODEL_PAUSE_S, _LONGEST_MODEL_PAUSE_S = 2.0, 300.0
# Pause of the object at which the model failed: the model may fail at this object only.
_OTHERS_FIRST_S = 30.0
# Failures that concern one object or its pictures; the others would repeat at every object.
_OBJECT_FAILURES: frozenset[Outcome] = frozenset(("no_views", "refused", "bad_reply"))


class Annotator(Protocol):
    """Makes notes about objects (a description or an image vector) and stores them in the memory.

    One note at a time, on the caller's thread.
    """

    @property
    def name(self) -> str:
        """Name of the notes for people: `descriptions by gpt-x`."""
        ...

    def due(self, objects: Iterable[MapObject]) -> list[MapObject]:
        """The objects that need a new note, most urgent first."""
        ...

    def make(
        self, thing: MapObject, objects: Mapping[int, MapObject]
    ) -> Description | Embedding | None:
        """A note about an object, stored in the memory when this returns.

        Args:
            objects: all objects of the map.

        Returns:
            None where no stored frame shows the object well enough, or the object is gone.

        Raises:
            ModelError, PerceptionError: no usable answer.
            SceneMemoryError: the disk failed.
        """
        ...


def urgency(thing: MapObject, is_known: bool) -> tuple[bool, int, int]:
    """Sort key: objects without a note first, then by observations, most first."""
    return is_known, -thing.observation_count, thing.object_id


def is_still_there(thing: MapObject, memory: Memory) -> bool:
    """Whether the id still names this object: a memory that was emptied counts from 1 again."""
    now = memory.snapshot().objects.get(thing.object_id)
    return now is not None and now.first_seen_ns == thing.first_seen_ns


class AnnotationWorker:
    """A thread that makes the most urgent note whenever it is free.

    The memory itself is the queue: nothing that waits can grow or become outdated, and mapping
    notices nothing but a snapshot now and then.
    """

    def __init__(self, memory: Memory, maker: Annotator, per_minute: float) -> None:
        self._memory = memory
        self._maker = maker
        self._tally = OutcomeCounter(maker)
        self._every_s = 60.0 / per_minute
        self._objects = RetryDelays(_OBJECT_PAUSE_S, _LONGEST_OBJECT_PAUSE_S)
        self._others_first = RetryDelays(_OTHERS_FIRST_S, _OTHERS_FIRST_S)
        self._model = RetryDelays(_MODEL_PAUSE_S, _LONGEST_MODEL_PAUSE_S)
        self._waiting = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=maker.name, daemon=True)

    @property
    def counts(self) -> OutcomeCounts:
        return self._tally.counts

    @property
    def waiting(self) -> int:
        """Objects that were due when the thread looked last."""
        return self._waiting

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Stop after the note in progress."""
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
        """Make a note; returns the pause after it, in seconds."""
        start_s = time.monotonic()
        outcome = self._tally.try_one(thing, objects)
        if outcome == "made":
            self._model.note_success(None)
        elif outcome not in _OBJECT_FAILURES:
            self._model.note_failure(None)
            self._others_first.note_failure(thing.object_id)
        if outcome in _OBJECT_FAILURES or self._still_due(thing):
            self._objects.note_failure(thing.object_id)
        if outcome == "no_views":  # the model was not called
            return 0.0
        return max(self._every_s - (time.monotonic() - start_s), self._model.wait_s(None))

    def _still_due(self, thing: MapObject) -> bool:
        """Whether the note is due again at once: it was made of fewer views than there are."""
        return bool(self._maker.due([thing]))


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Outcomes since the start.

    Attributes:
        made: notes stored in the memory.
        no_views: tries at objects that no stored frame shows well enough.
        failed: cause -> count.
    """

    made: int
    no_views: int
    failed: Mapping[str, int]


class OutcomeCounter:
    """Runs an annotator, counts outcomes and logs each cause of failure once. Thread-safe."""

    def __init__(self, maker: Annotator) -> None:
        self._maker = maker
        self._outcomes: Counter[Outcome] = Counter()
        self._lock = threading.Lock()

    @property
    def counts(self) -> OutcomeCounts:
        with self._lock:
            outcomes = dict(self._outcomes)
        made, no_views = outcomes.pop("made", 0), outcomes.pop("no_views", 0)
        return OutcomeCounts(made, no_views, {str(kind): count for kind, count in outcomes.items()})

    def try_one(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Outcome:
        """See `Annotator.make`; failures are outcomes and not errors."""
        outcome: Outcome
        try:
            outcome = "no_views" if self._maker.make(thing, objects) is None else "made"
        except ModelError as error:
            outcome = error.kind
            self._log_once(outcome, error)
        except PerceptionError as error:
            outcome = "encoder_failed"
            self._log_once(outcome, error)
        except SceneMemoryError as error:
            outcome = "disk_failed"
            self._log_once(outcome, error)
        except Exception:  # noqa: BLE001 - logged once, and counted
            outcome = "failed"  # a bug, which must not end the thread
            if not self._outcomes[outcome]:
                _log.exception("%s: others of this kind are only counted", self._maker.name)
        if outcome != "closed":  # on shutdown: not a failure
            with self._lock:
                self._outcomes[outcome] += 1
        return outcome

    def _log_once(self, outcome: Outcome, error: Exception) -> None:
        if not self._outcomes[outcome] and outcome != "closed":
            _log.warning("%s: %s; others of this kind are only counted", self._maker.name, error)


class RetryDelays:
    """Time until the next try of each key; each consecutive failure doubles it."""

    def __init__(
        self, first_s: float, longest_s: float, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._now_s = now_s
        self._until: dict[Hashable, tuple[float, float]] = {}  # key -> when, after how long

    def wait_s(self, key: Hashable) -> float:
        """Seconds until the key may be tried again; 0: now."""
        return max(0.0, self._until.get(key, (0.0, 0.0))[0] - self._now_s())

    def note_failure(self, key: Hashable) -> None:
        _, before_s = self._until.get(key, (0.0, 0.0))
        pause_s = min(2.0 * before_s or self._first_s, self._longest_s)
        self._until[key] = self._now_s() + pause_s, pause_s

    def note_success(self, key: Hashable) -> None:
        self._until.pop(key, None)

    def keep(self, keys: Container[Hashable]) -> None:
        """Forget all other keys."""
        self._until = {key: known for key, known in self._until.items() if key in keys}
