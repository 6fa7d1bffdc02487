"""Objects that a person put together or took apart, made of those that perception has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.attributes.computed import FormAnew
from scenemind.memory.attributes.laid_over import LaidOver
from scenemind.memory.types import AttributeSource, MapObject

# As far from its box a place may be that stands for a part of a thing: people point roughly.
NEAR_M = 0.25


def merged(object_id: int, things: Sequence[MapObject]) -> MapObject:
    """One object of several. What people said of the first of them holds for the whole, and what
    they said only of others, too; of models' descriptions that of the part seen most often does."""
    first = things[0]
    low, high = np.array([thing.box.extent() for thing in things]).reshape(-1, 2, 3).swapaxes(0, 1)
    points = [thing.points for thing in things if len(thing.points)]
    by_model, by_people = _described(things), _said_by_people(things)
    other_words = dict.fromkeys(_names_from(first, "model"))
    whole = replace(
        first,
        object_id=object_id,
        attributes=LaidOver(first.attributes, {**other_words, **by_model, **by_people}),
        attribute_sources={
            **dict.fromkeys(by_model, "model"),
            **dict.fromkeys(by_people, "user"),
        },
        confidence=max(thing.confidence for thing in things),
        points=_read_only(np.concatenate(points)) if points else first.points,
        first_seen_ns=min(thing.first_seen_ns for thing in things),
        last_seen_ns=max(thing.last_seen_ns for thing in things),
        observation_count=sum(thing.observation_count for thing in things),
        track_ids=tuple(dict.fromkeys(track for thing in things for track in thing.track_ids)),
        corrected=True,
        known_yaw_box=None if len(things) > 1 else first.known_yaw_box,
    )
    return _with_form(whole, Box3D.from_bounds(low.min(axis=0), high.max(axis=0)))


def split(
    thing: MapObject, places: Sequence[tuple[float, float, float]], ids: Sequence[int]
) -> dict[int, MapObject]:
    """Its parts by id: each surface point belongs to the nearest place. A part of which nothing is
    seen is not there.

    A model described the whole: what it said goes with the part that keeps the id.
    """
    part_of = nearest_place(thing.points, places)
    parts = {}
    for number, object_id in enumerate(ids):
        points = thing.points[part_of == number]
        if len(points):
            part = replace(
                thing if object_id == thing.object_id else _undescribed(thing),
                object_id=object_id,
                points=_read_only(points),
                corrected=True,
                known_yaw_box=None,
            )
            box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
            parts[object_id] = _with_form(part, box)
    return parts


def can_split(thing: MapObject, places: Sequence[tuple[float, float, float]]) -> bool:
    """Its surface is known, and it was not moved away from these places."""
    return len(thing.points) > 0 and bool(
        thing.box.contains(np.array(places), margin_m=NEAR_M).any()
    )


def nearest_place(
    points: NDArray[np.float32], places: Sequence[tuple[float, float, float]]
) -> NDArray[np.intp]:
    """For each point (N, 3) the number (N,) of the place nearest to it; of equals the first."""
    distances = [((points - np.array(place)) ** 2).sum(axis=1) for place in places]
    return np.asarray(np.argmin(distances, axis=0))


def _said_by_people(things: Sequence[MapObject]) -> dict[str, str | None]:
    """Attributes in people's words; None for those that they took away from the first thing."""
    return {
        name: thing.attributes.get(name)
        for thing in things[::-1]
        for name in _names_from(thing, "user")
        if thing is things[0] or name in thing.attributes
    }


def _described(things: Sequence[MapObject]) -> dict[str, str]:
    """One model's words, of attributes that were not measured of the first thing."""
    first = things[0]
    described = [thing for thing in things if _names_from(thing, "model")]
    if not described:
        return {}
    best = max(described, key=lambda thing: thing.observation_count)
    return {
        name: best.attributes[name]
        for name in _names_from(best, "model")
        if name in first.attribute_sources or name not in first.attributes
    }


def _undescribed(thing: MapObject) -> MapObject:
    """Without what a model said of it."""
    said = _names_from(thing, "model")
    if not said:
        return thing
    sources = {n: source for n, source in thing.attribute_sources.items() if source != "model"}
    attributes = LaidOver(thing.attributes, dict.fromkeys(said))
    return replace(thing, attributes=attributes, attribute_sources=sources)


def _names_from(thing: MapObject, source: AttributeSource) -> list[str]:
    return [name for name, said_by in thing.attribute_sources.items() if said_by == source]


def _with_form(thing: MapObject, box: Box3D) -> MapObject:
    boxed = replace(thing, box=box)
    return replace(boxed, attributes=FormAnew(boxed))


def _read_only(points: NDArray[np.float32]) -> NDArray[np.float32]:
    points.flags.writeable = False
    return points
