"""Load shedding: which work is deferred, and in which order, when mapping is too slow.

1. `relations`: the scene graph is updated only when it is read.
2. `upkeep`: the object map looks for duplicates, splits and emptied places in every fourth frame.
3. `lifting`: one half of a frame's tracks is lifted, the other half in the next frame.
4. Whole frames: the newest one wins (`mapping.pipeline.LatestSlot`), independently of the governor.

No object is lost by it, only seen less often. The detector has its own thread and is not governed:
a slow detector makes frames drop.
"""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.config import MapperConfig

STEPS = ("relations", "upkeep", "lifting")
UPKEEP_EVERY = 4  # frames, while it is put off
# Frames averaged before the level rises, and before it falls; slower to fall, against oscillation.
_HARDER_AFTER, _EASIER_AFTER = 10, 60
_EASY_SHARE = 0.6  # of the deadline


@dataclass(frozen=True, slots=True)
class Plan:
    """Work that is deferred in one frame."""

    put_off: tuple[str, ...] = ()

    def does(self, step: str, turn: int = 0) -> bool:
        """Whether a step is done; deferred upkeep is done in every fourth frame.

        Args:
            turn: frames mapped before. Not the camera's frame number: a slow machine may get only
                even ones.
        """
        return step not in self.put_off or (step == "upkeep" and turn % UPKEEP_EVERY == 0)


FULL_PLAN = Plan()


class Governor:
    """Load level from recent frame times; each level defers one more step.

    Attributes:
        level: how many of `STEPS` are deferred now.
        frames_at: frames mapped at each level, from 0.
    """

    def __init__(self, config: MapperConfig) -> None:
        self._deadline_ms = config.deadline_ms
        self._recent_ms: list[float] = []
        self.level = 0
        self.frames_at = [0] * (len(STEPS) + 1)

    @property
    def plan(self) -> Plan:
        """Plan for the next frame."""
        return Plan(STEPS[: self.level])

    def note(self, ms: float) -> None:
        """Add the time of a frame, without its detector."""
        self.frames_at[self.level] += 1
        if self._deadline_ms == 0.0:
            return
        self._recent_ms.append(ms)
        recent = self._recent_ms[-_HARDER_AFTER:]
        if len(recent) == _HARDER_AFTER and sum(recent) / _HARDER_AFTER > self._deadline_ms:
            self._go_to(min(self.level + 1, len(STEPS)))
        elif len(self._recent_ms) == _EASIER_AFTER:
            mean_ms = sum(self._recent_ms) / _EASIER_AFTER
            is_easy = mean_ms < _EASY_SHARE * self._deadline_ms
            self._go_to(max(self.level - 1, 0) if is_easy else self.level)

    def _go_to(self, level: int) -> None:
        self.level = level
        self._recent_ms.clear()
