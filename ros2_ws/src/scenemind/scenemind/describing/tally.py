"""What became of the notes that were to be made."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scenemind.describing.note_maker import NoteMaker
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.models import FailureKind, ModelError
from scenemind.perception import PerceptionError

_log = logging.getLogger(__name__)

Outcome = FailureKind | Literal["made", "no_views", "encoder_failed", "disk_failed", "failed"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Since the start.

    Attributes:
        made: notes in the memory. no_views: objects that no stored frame shows well enough.
        failed: why -> how often.
    """

    made: int
    no_views: int
    failed: Mapping[str, int]


class Tally:
    """Tries, counts, and logs each cause of failure once. For several threads."""

    def __init__(self, maker: NoteMaker) -> None:
        self._maker = maker
        self._outcomes: Counter[Outcome] = Counter()
        self._lock = threading.Lock()

    @property
    def counts(self) -> Counts:
        with self._lock:
            outcomes = dict(self._outcomes)
        made, no_views = outcomes.pop("made", 0), outcomes.pop("no_views", 0)
        return Counts(made, no_views, {str(kind): count for kind, count in outcomes.items()})

    def try_one(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Outcome:
        """See `NoteMaker.make`; a failure is no error here."""
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
            outcome = "failed"  # a fault of ours, which must not end the thread that asks
            if not self._outcomes[outcome]:
                _log.exception("%s: others of this kind are only counted", self._maker.name)
        if outcome != "closed":  # by us: nothing failed
            with self._lock:
                self._outcomes[outcome] += 1
        return outcome

    def _log_once(self, outcome: Outcome, error: Exception) -> None:
        if not self._outcomes[outcome] and outcome != "closed":
            _log.warning("%s: %s; others of this kind are only counted", self._maker.name, error)
