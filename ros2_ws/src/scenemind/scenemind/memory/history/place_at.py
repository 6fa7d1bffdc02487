"""Where an object was at a moment, as far as it was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemind.geometry import Box3D
from scenemind.memory.types import MapObject, Stay

Knowledge = Literal["seen", "assumed", "gone"]
_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PlaceAt:
    """Where an object was.

    Attributes:
        box: axis-aligned, world; of an object that is gone, where it was last.
        knowledge: "seen": it was observed there before and after the moment, or at it; "assumed":
            it was observed there before, and nothing showed yet that it had left; "gone": it had
            been found to have left, and not been found elsewhere.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation there.
        gone_ns: stamp of the frame that showed that it had left; None: none has.
    """

    box: Box3D
    knowledge: Knowledge
    first_seen_ns: int
    last_seen_ns: int
    gone_ns: int | None


def find_place(thing: MapObject, stamp_ns: int, *, is_gone: bool = False) -> PlaceAt | None:
    """Where an object was at a stamp; None before it was first seen.

    A thing that was moved unseen is at its old place until that was found empty, or until it was
    seen at the new one: what was known at the moment, not what was learned later.

    Args:
        is_gone: it is one of `MemorySnapshot.gone`.
    """
    known = [stay for stay in _stays(thing, is_gone) if stay.first_seen_ns <= stamp_ns]
    if not known:
        return None
    stay = known[-1]
    knowledge: Knowledge = "seen"
    gone_ns = None if stay.gone_ns == _NEVER else stay.gone_ns
    if stamp_ns > stay.last_seen_ns:
        knowledge = "gone" if stamp_ns >= stay.gone_ns else "assumed"
    return PlaceAt(stay.box, knowledge, stay.first_seen_ns, stay.last_seen_ns, gone_ns)


def _stays(thing: MapObject, is_gone: bool) -> tuple[Stay, ...]:
    """All places of an object, oldest first; the present one is never found empty."""
    if is_gone:
        return thing.stays
    since_ns = thing.here_since_ns
    if since_ns is None:
        left_ns = thing.stays[-1].gone_ns if thing.stays else thing.first_seen_ns
        since_ns = min(left_ns, thing.last_seen_ns)
    return (*thing.stays, Stay(thing.box, since_ns, thing.last_seen_ns, _NEVER))
