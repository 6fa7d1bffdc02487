"""What the functions of this process take from programs, which may call them with anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenemind.memory import MapObject
from scenemind.reasoning.sandbox import ApiError
from scenemind.words.quoting import quoted

_LONGEST = 200  # characters of a word
_MOST_WORDS = 100


def word_of(value: Any, name: str) -> str:
    """
    Raises:
        ApiError: it is no word, or so long that it is none.
    """
    if not isinstance(value, str):
        raise ApiError(f"{name} must be a str, got {type(value).__name__}")
    if len(value) > _LONGEST:
        raise ApiError(
            f"{name} must have at most {_LONGEST} characters, {quoted(value, 20)} has {len(value)}"
        )
    return value


def words_of(values: Any, name: str) -> list[str]:
    """
    Raises:
        ApiError: they are no words, or too many.
    """
    if not isinstance(values, list):
        raise ApiError(f"{name} must be a list of str, got {type(values).__name__}")
    if len(values) > _MOST_WORDS:
        raise ApiError(f"{name} must have at most {_MOST_WORDS} members, got {len(values)}")
    return [word_of(value, f"every member of {name}") for value in values]


def thing_of(thing_id: Any, things: Mapping[int, MapObject]) -> MapObject:
    """
    Raises:
        ApiError: there is no such object: programs can make up, or change, objects of their own.
    """
    thing = things.get(thing_id) if isinstance(thing_id, int) else None
    if thing is None:
        raise ApiError("there is no such object in the scene: take objects from scene()")
    return thing


def things_of(ids: Any, things: Mapping[int, MapObject]) -> list[MapObject]:
    """Each of them once.

    Raises:
        ApiError: one of them is not there.
    """
    if not isinstance(ids, Sequence):
        raise ApiError(f"objects must be given in a set, got {type(ids).__name__}")
    found = [thing_of(thing_id, things) for thing_id in ids]
    return list({thing.object_id: thing for thing in found}.values())
