"""Objects that a scripted agent reads from its observations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from scenemind.language.english import plural

_NAMED = r'The (?:position of the )?("(?:[^"\\]|\\.)*") \(id: (\d+)\)'
_POSITION = re.compile(_NAMED + r" is \[([^\]]*)\], its size")
_ATTRIBUTES = re.compile(_NAMED + r" has attributes: (.*)\.")
_RELATED = re.compile(_NAMED + r" is (on|supporting) (.*)\.")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ID = re.compile(r"\(id: (-?\d+)\)")


@dataclass(frozen=True)
class Sighting:
    """An object in an observation."""

    object_id: int
    label: str
    position: tuple[float, ...]
    attributes: Mapping[str, str]

    def is_called(self, noun: str) -> bool:
        """Whether its label is this noun, in the plural, or with a property before it."""
        names = (self.label, plural(self.label))
        return noun in names or any(noun.endswith(f" {name}") for name in names)


def seen_in(observation: str) -> list[Sighting]:
    """The objects of an observation, in its order."""
    attributes = {
        int(i): dict(json.loads(pair).split(": ", 1) for pair in _STRING.findall(pairs))
        for _, i, pairs in _ATTRIBUTES.findall(observation)
    }
    return [
        Sighting(
            int(i), json.loads(label), tuple(map(float, at.split(","))), attributes.get(int(i), {})
        )
        for label, i, at in _POSITION.findall(observation)
    ]


def called(noun: str, observation: str) -> list[Sighting]:
    return [thing for thing in seen_in(observation) if thing.is_called(noun)]


def related_in(observation: str, predicate: str) -> dict[int, str]:
    """The other objects in that relation, with their labels."""
    lists = [others for _, _, is_so, others in _RELATED.findall(observation) if is_so == predicate]
    labels = [json.loads(label) for others in lists for label in _STRING.findall(others)]
    return dict(zip(ids_in(" ".join(lists)), labels, strict=False))


def ids_in(observation: str) -> list[int]:
    return list(map(int, _ID.findall(observation)))


def nearest(things: Iterable[Sighting], to: Sighting) -> Sighting:
    here = np.array(to.position)
    return min(things, key=lambda thing: float(np.linalg.norm(np.array(thing.position) - here)))
