"""What carries the things of a map, and what that says about their labels.

Some kinds stand on floors, others on tables; what stands on a couch is hardly a refrigerator. How
often things of a kind were carried by what, in scanned rooms whose objects people named, tells how
much likelier a kind is than any thing where something stands:

    p(carrier | kind) / p(carrier), of Poisson counts with a gamma prior of mean 1

so kinds that were seldom seen, and carriers that seldom occur, say little. What carries a fair
share of a kind is a usual place, and does not speak against it, though other kinds are there more
often. Things whose carrier is not in the map (a shelf that no detector names) are not judged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from scenemind.language.english import read_table
from scenemind.memory.attributes.sizes import find_kind
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.objects.box_table import BoxTable

NO_CARRIERS: Mapping[str, float] = MappingProxyType({})
FLOOR_ID = -1  # in place of the id of an object
FLOOR, OTHERS, NOTHING = "floor", "others", "nothing"
# A thing stands on what ends this near to its bottom, or inside what begins this far below it.
REACH_M = 0.1
# On the floor are things that begin at most this far above it.
_NEAR_FLOOR_M = 0.15
# A carrier is this much wider seen from above, or higher: a cup does not carry a table's edge.
_LEAST_SHARE = 0.5
_USUAL_SHARE = 0.2  # of a kind's things, from which on their carrier is a usual one
_PRIOR = 1.0  # how many expected things the prior weighs


class _Table(BaseModel):
    """The content of both files: people wrote groups and classes, and counts are JSON, which is
    read many times faster.

    Attributes:
        groups: of carriers -> kinds.
        classes: kinds that share their counts.
        all: group, `floor` or `nothing` -> how many things, whatever they are, it carried.
        kinds: kind -> the same of its things.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    groups: dict[str, frozenset[str]]
    classes: list[frozenset[str]]
    all: dict[str, int]
    kinds: dict[str, dict[str, int]]


@lru_cache(maxsize=1)
def _table() -> _Table:
    counts = files(__package__).joinpath("usual_carriers.json").read_text(encoding="utf-8")
    table = read_table(__package__, "usual_carriers.yaml")
    return _Table.model_validate({**table, **json.loads(counts)})


@lru_cache(maxsize=4096)
def carrier_group(label: str) -> str | None:
    """The group of carriers that things with this label are in; None: nothing stands on them."""
    sense = sense_of(label)
    if sense.structure or sense.holds_nothing or sense.is_part_of_wall or sense.moves:
        return None
    kind = find_kind(label)
    names = sense.names if kind is None else sense.names | {kind.name}
    groups = _table().groups.items()
    return next((group for group, kinds in groups if not kinds.isdisjoint(names)), OTHERS)


@lru_cache(maxsize=4096)
def carrier_evidence(label: str, carrier: str) -> float:
    """How much likelier a thing of this label stands on this group of carriers, or on the `floor`,
    than any thing does; around 1 for kinds and carriers of which little is known."""
    kind, table = find_kind(label), _table()
    if kind is None:
        return 1.0
    alike = next((kinds for kinds in table.classes if kind.name in kinds), (kind.name,))
    counts: Counter[str] = Counter()
    for name in alike:
        counts.update(table.kinds.get(name, {}))
    ratio = likeliness(counts, table.all, carrier)
    is_usual = counts.total() > 0 and counts[carrier] >= _USUAL_SHARE * counts.total()
    return max(ratio, 1.0) if is_usual else ratio


def likeliness(counts: Mapping[str, int], of_all: Mapping[str, int], carrier: str) -> float:
    """How much likelier a carrier is for the things that were counted than for any thing.

    Args:
        counts, of_all: carrier -> how many of the things, and of all things, it carried.
    """
    expected = of_all.get(carrier, 0) / sum(of_all.values()) * sum(counts.values())
    return (counts.get(carrier, 0) + _PRIOR) / (expected + _PRIOR)


def find_carriers(
    bounds: NDArray[np.float64],
    ids: Sequence[int],
    boxes: BoxTable,
    floor_z: float | None,
    able: Callable[[int], bool] = lambda _: True,
) -> list[int | None]:
    """What carries each thing: the id of an object, `FLOOR_ID`, or None where it is not known.

    Args:
        bounds: (N, 6) boxes, lowest and highest corner, world, metres. ids: of the things.
        boxes: of everything that may carry them, the things among them.
        able: whether the object with an id may carry something.
    """
    found: list[int | None] = [None] * len(ids)
    rows, others, theirs = boxes.pairs(bounds, REACH_M)
    own = bounds[rows]
    middles = (own[:, :2] + own[:, 3:5]) / 2.0
    sides, their_sides = own[:, 3:] - own[:, :3], theirs[:, 3:] - theirs[:, :3]
    carries = others != np.array(ids, np.int64)[rows]
    carries &= ((middles >= theirs[:, :2]) & (middles <= theirs[:, 3:5])).all(axis=1)
    inside_z = np.minimum(theirs[:, 2] + REACH_M, theirs[:, 5] - REACH_M / 2.0)
    carries &= own[:, 2] >= inside_z
    carries &= own[:, 2] <= theirs[:, 5] + REACH_M
    area, their_area = sides[:, :2].prod(axis=1), their_sides[:, :2].prod(axis=1)
    carries &= their_area >= _LEAST_SHARE * area
    gaps = np.abs(own[:, 2] - theirs[:, 5])
    order = np.lexsort((others, gaps))[::-1]  # the nearest top is set last
    for pair in order[carries[order]].tolist():
        if able(other := int(others[pair])):
            found[rows[pair]] = other
    if floor_z is not None:
        for row in np.flatnonzero(bounds[:, 2] <= floor_z + _NEAR_FLOOR_M).tolist():
            found[row] = FLOOR_ID
    return found


def groups_of(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Group of carriers -> probability, of a carrier with these label probabilities."""
    groups: dict[str, float] = {}
    for label, probability in probabilities.items():
        group = carrier_group(label)
        if group is not None:
            groups[group] = groups.get(group, 0.0) + probability
    return groups


def weigh_carrier(label: str, carriers: Mapping[str, float]) -> float:
    """Evidence for a label of a carrier that is of some groups with these probabilities; what they
    lack to 1 says nothing."""
    if not carriers:
        return 1.0
    known = sum(carriers.values())
    told = sum(p * carrier_evidence(label, group) for group, p in carriers.items())
    return told + max(1.0 - known, 0.0)
