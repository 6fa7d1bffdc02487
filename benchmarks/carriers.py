"""Fit of `memory/objects/usual_carriers.json`: what carried the things of scanned rooms."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.evaluation.scenes import Scenes
from scenemind.memory import MapObject
from scenemind.memory.attributes.sizes import find_kind
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.objects.carriers import (
    FLOOR,
    FLOOR_ID,
    NOTHING,
    carrier_group,
    find_carriers,
    likeliness,
)

_FEWEST = 10  # things of a kind that is kept
Carried = tuple[str, str]  # the label of a thing, and what carries it


def bench_carriers(objects: Path) -> dict[str, Any]:
    """What carried things, by kind; and how much it tells about labels in scenes of which it was
    not counted.

    Args:
        objects: objects file of scenes whose objects people boxed and named.

    Returns:
        `all` and `kinds`, content of the table; `held out`: of a thing whose carrier is known, the
        mean logarithm of its own label's evidence, and that of another thing's label drawn at
        random, by counts of the other half of the scenes.
    """
    file = Scenes(objects)
    scenes = [_carried(file.get_objects(name)) for name in sorted(file.names)]
    fitted = _counts(one for scene in scenes for one in scene)
    return {**fitted, "held out": _held_out(scenes)}


def _carried(objects: Mapping[int, MapObject]) -> list[Carried]:
    things = {i: thing for i, thing in objects.items() if carrier_group(thing.label) is not None}
    floors = [o.box for o in objects.values() if sense_of(o.label).structure == "floor"]
    floor_z = float(np.median([box.center[2] for box in floors])) if floors else 0.0
    boxes, ids = BoxTable(), list(objects)
    for object_id, thing in things.items():
        boxes.set(object_id, np.array(thing.box.extent()))
    bounds = np.array([objects[i].box.extent() for i in ids]).reshape(-1, 6)
    found = []
    for object_id, carrier in zip(ids, find_carriers(bounds, ids, boxes, floor_z), strict=True):
        group: str | None = NOTHING
        if carrier is not None:
            group = FLOOR if carrier == FLOOR_ID else carrier_group(things[carrier].label)
        sense = sense_of(objects[object_id].label)
        if sense.structure is None and group is not None:
            found.append((objects[object_id].label, group))
    return found


def _counts(carried: Iterable[Carried]) -> dict[str, Any]:
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    everything: Counter[str] = Counter()
    for label, group in carried:
        everything[group] += 1
        kind = find_kind(label)
        if kind is not None:
            kinds[kind.name][group] += 1
    kept = {name: dict(of.most_common()) for name, of in kinds.items() if of.total() >= _FEWEST}
    return {"all": dict(everything.most_common()), "kinds": dict(sorted(kept.items()))}


def _held_out(scenes: Sequence[Sequence[Carried]]) -> dict[str, Any]:
    draw = random.Random(1)
    own: list[float] = []
    other: list[float] = []
    for half in (0, 1):
        counts = _counts(one for scene in scenes[half::2] for one in scene)
        there = [one for scene in scenes[1 - half :: 2] for one in scene]
        known = [(kind.name, g) for label, g in there if (kind := find_kind(label)) is not None]
        known = [(name, group) for name, group in known if name in counts["kinds"]]
        names = [name for name, _ in known]
        for name, group in known:
            if group == NOTHING:
                continue
            for found, of in ((own, name), (other, draw.choice(names))):
                found.append(likeliness(counts["kinds"][of], counts["all"], group))
    if not own:
        return {"n": 0}
    return {
        "n": len(own),
        "own": round(float(np.mean([log(ratio) for ratio in own])), 3),
        "another": round(float(np.mean([log(ratio) for ratio in other])), 3),
        "own below 0.2": f"{100.0 * float(np.mean(np.array(own) < 0.2)):.1f} %",
        "another below 0.2": f"{100.0 * float(np.mean(np.array(other) < 0.2)):.1f} %",
    }
