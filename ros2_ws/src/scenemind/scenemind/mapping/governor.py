"""What is put off, and in which order, when frames take longer than the camera gives.

1. `relations`: the scene graph is brought up to date only when somebody asks for it.
2. `upkeep`: the object map looks for duplicates, splits and emptied places in every fourth frame.
3. `lifting`: of a frame's tracks one half is placed in the world, in the next frame the other.
4. Whole frames: the newest one wins (`mapping.latest`), which no governor decides.

Nothing of this loses an object; it is seen less often. The detector has a thread of its own and is
not governed: a slow one makes frames drop.
"""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.config import MapperConfig

STEPS = ("relations", "upkeep", "lifting")
UPKEEP_EVERY = 4  # frames, while it is put off
# Frames whose mean decides. Relief comes slower than the burden, so that the level does not swing.
_HARDER_AFTER, _EASIER_AFTER = 10, 60
_EASY_SHARE = 0.6  # of the deadline


@dataclass(frozen=True, slots=True)
class Plan:
    """What one frame does without."""

    put_off: tuple[str, ...] = ()

    def does(self, step: str, turn: int = 0) -> bool:
        """Whether a step is done; upkeep has its turn in some frames even where it is put off.

        Args:
            turn: how many frames were mapped before. Not the camera's number: a slow machine may
                get every second frame, and would never be asked in an odd one.
        """
        return step not in self.put_off or (step == "upkeep" and turn % UPKEEP_EVERY == 0)


EVERYTHING = Plan()


class Governor:
    """Watches how long frames take; one level more puts one step more off.

    Attributes:
        level: how many of `STEPS` are put off now.
        frames_at: frames that were mapped at each level, from 0.
    """

    def __init__(self, config: MapperConfig) -> None:
        self._deadline_ms = config.deadline_ms
        self._recent_ms: list[float] = []
        self.level = 0
        self.frames_at = [0] * (len(STEPS) + 1)

    @property
    def plan(self) -> Plan:
        """For the next frame."""
        return Plan(STEPS[: self.level])

    def note(self, ms: float) -> None:
        """What a frame took, without its detector."""
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
