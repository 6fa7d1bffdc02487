"""What one relation query of a program costs: 40 objects of 2,000 points against one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.relate import relate, relate_agent
from scenemind.memory.graph.relation_query import RelationContext
from scenemind.memory.graph.relations import RELATION_NAMES
from scenemind.memory.graph.relations.profiles import relation_profile
from scenemind.memory.graph.relations.viewpoint import Viewpoint

_OBJECTS, _POINTS = 40, 2000
_ROOM_M = 6.0
_LABELS = ("table", "chair", "cup", "shelf", "box", "monitor", "bin", "plant")
# Each relation is asked about this many anchors.
_ANCHORS = 5
_OF_AGENT = ("left of", "3 o'clock", "closest", "farthest", "within reach", "near", "far")
Ends = MapObject | tuple[MapObject, MapObject]


def slowest_relation(profile: str = "llm_tpc") -> tuple[str, float]:
    """The relation whose query takes longest, and its milliseconds."""
    times = relate_times_ms(profile)
    slowest = max(times, key=lambda name: times[name])
    return slowest, times[slowest]


def relate_times_ms(profile: str = "llm_tpc") -> Mapping[str, float]:
    """Milliseconds of a query by relation, about an object and about the agent ("left of, agent").

    Medians over the anchors of the whole call, from objects with points to a sorted result.
    """
    things = room_of_things()
    viewpoint = Viewpoint(np.array((0.5, 0.5, 1.2)), np.array((0.6, 0.8)), "the door")
    context = RelationContext(relation_profile(profile), viewpoint)
    anchors = things[:_ANCHORS]
    pairs = list(zip(anchors, things[-_ANCHORS:], strict=True))

    def about_object(name: str, end: Ends) -> object:
        return relate(things, end, name, context)

    def about_agent(name: str, _: Ends) -> object:
        return relate_agent(things, name, context)

    times = {}
    for name in RELATION_NAMES:
        times[name] = _median_ms(about_object, name, pairs if name == "between" else anchors)
    for name in _OF_AGENT:
        times[f"{name}, agent"] = _median_ms(about_agent, name, anchors)
    return times


def _median_ms(query: Callable[[str, Ends], object], name: str, ends: Sequence[Ends]) -> float:
    """After one query that does not count: the first loads code and tables."""
    query(name, ends[0])
    seconds = []
    for end in ends:
        started = time.perf_counter()
        query(name, end)
        seconds.append(time.perf_counter() - started)
    return 1e3 * median(seconds)


def room_of_things() -> tuple[MapObject, ...]:
    """Things of all sizes at random in a room, some within each other: the hard case of nearest."""
    rng = np.random.default_rng(0)
    return tuple(
        _thing(
            number,
            np.append(rng.uniform(0.0, _ROOM_M, 2), rng.uniform(0.2, 1.0)),
            rng.uniform(0.1, 1.5, 3),
            rng,
        )
        for number in range(_OBJECTS)
    )


def _thing(
    object_id: int,
    center: NDArray[np.float64],
    size: NDArray[np.float64],
    rng: np.random.Generator,
) -> MapObject:
    unit = rng.uniform(-0.5, 0.5, (_POINTS, 3))
    unit[np.arange(_POINTS), rng.integers(0, 3, _POINTS)] = rng.choice((-0.5, 0.5), _POINTS)
    points = (center + unit * size).astype(np.float32)
    label = _LABELS[object_id % len(_LABELS)]
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={},
        confidence=0.9,
        box=Box3D.from_bounds(points.min(axis=0), points.max(axis=0)),
        points=points,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=10,
        track_ids=(),
    )
