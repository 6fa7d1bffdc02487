"""Of several things that could carry, contain or embed an object, the one that does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.verification.common_sense import Sense, spoken_predicate
from scenemind.memory.graph.verification.consistency import find_cycle

_CONTAINING = ("inside", "embedded in")
_ATTACHED = ("hanging on", "mounted on", "affixed on")
# From this score on a thing is in touch with what it stands on.
SURE = 0.7
# -score, node, predicate: the smallest one is the best.
_Candidate = tuple[float, int, str]


class Carrier(NamedTuple):
    """What carries a thing, and how that is said."""

    node: int
    predicate: str
    score: float


class Bearer(NamedTuple):
    """What is known of a thing that may carry another: volume in m3, infinite for the building."""

    volume: float
    sense: Sense
    is_building: bool


def best_carrier(
    facts_of: Mapping[int, Facts], sense: Sense, bearer_of: Callable[[int], Bearer]
) -> Carrier | None:
    """The best of the candidates.

    - A wall holds what belongs to it (a door), even where that reaches the floor.
    - Of what a thing stands on the best score decides, of what contains it the smallest; of these
      two the smaller one (an apple in a bowl on a table is in the bowl). But it must surely stand
      on what is smaller (a book on a board of a shelf, and not on the books of the board below).
    - What nothing carries may hang on a wall or from the ceiling, unless such things never do. What
      is known to be on walls hangs where that is surer than standing (a mirror over a basin).

    Args:
        facts_of: other node -> what may hold of the thing and that node.
        sense: what is known of the thing.
        bearer_of: what is known of a node.
    """
    attached: list[_Candidate] = []
    standing: list[_Candidate] = []
    contained: list[_Candidate] = []
    for node, facts in facts_of.items():
        for predicate, score in facts.items():
            if predicate in _ATTACHED or (
                predicate == "embedded in" and bearer_of(node).is_building
            ):
                attached.append((-score, node, predicate))
            elif predicate == "on":
                standing.append((-score, node, predicate))
            elif predicate in _CONTAINING:
                contained.append((-score, node, predicate))
    if attached and sense.is_part_of_wall:
        return _carrier(min(attached))
    best = _bearing(standing, contained, bearer_of)
    hanging = _carrier(min(attached)) if attached and not sense.stands else None
    if best is None:
        return hanging
    if hanging is not None and sense.is_on_walls and hanging.score > best.score:
        return hanging
    said = spoken_predicate(best.predicate, sense, bearer_of(best.node).sense)
    return best._replace(predicate=said)


def _bearing(
    standing: list[_Candidate],
    contained: list[_Candidate],
    bearer_of: Callable[[int], Bearer],
) -> Carrier | None:
    """What a thing stands on or is in."""
    stand = _carrier(min(standing)) if standing else None
    if not contained:
        return stand
    container = _carrier(
        min(contained, key=lambda candidate: (bearer_of(candidate[1]).volume, candidate))
    )
    if stand is None or stand.score < SURE:
        return container
    return min((stand, container), key=lambda carrier: bearer_of(carrier.node).volume)


def cut_circles(best: Mapping[int, Carrier], starts: Iterable[int]) -> set[int]:
    """The objects whose carrier is not believed, because following carriers leads back to them.

    In each circle it is the least sure one (the smallest id where several are); others of the
    circle keep theirs. Only circles that a start leads to are looked at.
    """

    def carrier_of(node: int) -> int | None:
        carrier = best.get(node)
        return None if carrier is None else carrier.node

    cut = set()
    for start in starts:
        circle = find_cycle(carrier_of, start)
        if circle:
            cut.add(min(circle, key=lambda object_id: (best[object_id].score, object_id)))
    return cut


def _carrier(candidate: _Candidate) -> Carrier:
    score, node, predicate = candidate
    return Carrier(node, predicate, -score)
