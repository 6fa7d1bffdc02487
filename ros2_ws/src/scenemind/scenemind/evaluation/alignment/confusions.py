"""What a thing may be taken for: another one of like size."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from statistics import median

import numpy as np

from scenemind.evaluation.alignment.true_scene import usual_names
from scenemind.memory import MapObject
from scenemind.words.english import is_plural
from scenemind.words.thesaurus import Thesaurus

# Things of this many times the volume, or less, or of the inverse, are taken for each other.
_LIKE = 3.0
_NOTHING_TO_SEE = frozenset(("object", "wall", "floor", "ceiling", "person", "doorframe"))


class Confusions:
    """By the sizes that the things of a name have in a file of objects."""

    def __init__(self, things: Iterable[MapObject]) -> None:
        volumes: dict[str, list[float]] = defaultdict(list)
        for thing in things:
            label = thing.label.lower()
            words = label.split()
            if not is_plural(words[-1]) and _NOTHING_TO_SEE.isdisjoint(words):
                volumes[label].append(_volume(thing))
        self._sizes = {label: median(of_label) for label, of_label in sorted(volumes.items())}

    def draw(self, thing: MapObject, scene: Iterable[MapObject], rng: random.Random) -> str | None:
        """A wrong name, which nothing in the scene has any word of: of a thing of like size, else
        of any usual thing; None: there is none."""
        taken = {word for other in scene for word in _words(other.label)}
        size = _volume(thing)
        like = [
            label
            for label, of_label in self._sizes.items()
            if 1.0 / _LIKE < of_label / size < _LIKE and taken.isdisjoint(_words(label))
        ]
        others = like or [name for name in usual_names() if taken.isdisjoint(_words(name))]
        return rng.choice(others) if others else None


def _volume(thing: MapObject) -> float:
    """Of its box, where flat things have a centimetre."""
    return float(np.prod(np.maximum(thing.box.size, 0.01)))


def _words(label: str) -> set[str]:
    """Of a name and of all that is called the same or mixed up with it."""
    thesaurus = Thesaurus.load()
    names = {label.lower(), *thesaurus.synonyms(label), *thesaurus.alike(label)}
    return {word for name in names for word in name.split()}
