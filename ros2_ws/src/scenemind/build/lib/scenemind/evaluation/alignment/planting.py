"""A true scene, in closed form from its boxes, and perception errors planted in it.

The truth is independent of the relations under test.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.evaluation.alignment.tasks import Objects, PlantedError
from scenemind.geometry import Box3D, gap_m
from scenemind.language.english import (
    is_plural,
    normal,
    read_table,
    singular,
    with_article,
    word_set,
)
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import MapObject, MemorySnapshot

_NO_THINGS = word_set(
    "wall floor ceiling object person doorframe windowsill stair stairs rail ledge clothes clothing"
)
_BUILDING = frozenset(("ceiling", "wall", "floor"))
# Clearly on: its bottom is at the other's top, and most of its footprint is over it.
_ABOVE_M, _BELOW_M, _OVER, _PERHAPS_OVER, _PERHAPS_M = 0.05, 0.06, 0.8, 0.2, 0.3
_CARRIERS = word_set(
    "table desk nightstand dresser cabinet shelf bookshelf counter stool stand chest box"
    " refrigerator microwave"
)
# Objects may be confused when the ratio of their volumes is below this, in either direction.
_LIKE = 3.0
_NOTHING_TO_SEE = frozenset(("object", "wall", "floor", "ceiling", "person", "doorframe"))
_COLOURS = ("black", "white", "grey", "red", "blue", "green", "yellow", "brown")
# Colours that cameras confuse: a swap of two of them would be no clear error.
_ALIKE = (
    {"black", "grey"},
    {"white", "grey", "beige"},
    {"brown", "beige", "red", "orange"},
    {"yellow", "orange", "beige"},
    {"blue", "purple", "green", "grey"},
    {"red", "pink"},
)
_HALVES_APART_M = 0.02
_LIFTED_M = (0.35, 0.6)
_JOINED_M = (0.25, 1.5)
_POINTS = 600


class TrueScene:
    """The objects of a scene with true colours, materials and shapes.

    Attributes:
        objects: id -> object; colours are basic ones ("grey" for "dark grey").
    """

    def __init__(self, scene_id: str, snapshot: MemorySnapshot, rng: random.Random) -> None:
        self.scene_id = scene_id
        self.objects: Objects = {
            object_id: _dressed(thing, rng) for object_id, thing in snapshot.objects.items()
        }

    @cached_property
    def things(self) -> Sequence[MapObject]:
        """The objects that people name individually, without building and plural labels."""
        return [o for o in self.objects.values() if _is_thing(o.label)]

    @cached_property
    def unique(self) -> Sequence[MapObject]:
        """The things with a name that fits no other object."""
        return [o for o in self.things if len(self.called(o.label)) == 1]

    def called(self, noun: str) -> Sequence[MapObject]:
        """All objects that a name may refer to, such as an "office chair" by "chair", and
        synonyms."""
        thesaurus = Thesaurus.load()
        names = {noun, *(name.text for name in thesaurus.names(noun)), *thesaurus.alike(noun)}
        return [o for o in self.objects.values() if _may_be_called(normal(o.label), names)]

    def counted(self, noun: str) -> Sequence[MapObject] | None:
        """All objects of a name; None: it is ambiguous, as it may refer to others too."""
        clear = [o for o in self.objects.values() if o.label.split()[-1] == noun.split()[-1]]
        clear = [o for o in clear if o.label.endswith(noun)]
        return clear if clear and len(clear) == len(self.called(noun)) else None

    @cached_property
    def carried(self) -> Mapping[int, int]:
        """Object id -> id of the object that it clearly stands on, alone."""
        clear: dict[int, int] = {}
        for carrier in self.things:
            if singular(carrier.label.split()[-1]) not in _CARRIERS:
                continue
            perhaps = [o for o in self.objects.values() if _perhaps_on(o, carrier)]
            if len(perhaps) == 1 and _clearly_on(perhaps[0], carrier) and perhaps[0] in self.things:
                clear[perhaps[0].object_id] = carrier.object_id
        return clear

    def on_together(self) -> Iterator[tuple[MapObject, MapObject, MapObject]]:
        """An object, the only other one beside it, and the object that both clearly stand on."""
        for carrier in self.things:
            perhaps = [o for o in self.objects.values() if _perhaps_on(o, carrier)]
            if len(perhaps) == 2 and all(_clearly_on(o, carrier) for o in perhaps):
                first, second = perhaps
                if first in self.things and second in self.things and first.label != second.label:
                    yield first, second, carrier
                    yield second, first, carrier


def _dressed(thing: MapObject, rng: random.Random) -> MapObject:
    """An object with a basic colour, and a plausible material and shape."""
    attributes = dict(thing.attributes)
    if "color" in attributes:
        attributes["color"] = attributes["color"].split()[-1]
    said = {key: rng.choice(words) for key, words in _usual(thing.label).items()}
    return replace(
        thing,
        label=thing.label.lower(),
        perceived_label=thing.label.lower(),
        attributes=attributes | said,
        attribute_sources=dict.fromkeys(said, "model"),
    )


def usual_names() -> Sequence[str]:
    """Names of usual objects in rooms."""
    return [name for name in _table()["materials"] if not is_plural(name)]


def all_words(key: str) -> Sequence[str]:
    """All materials or all shapes, in order."""
    table = _table()[f"{key}s"]
    return sorted({word for words in table.values() for word in words})


def _usual(label: str) -> dict[str, Sequence[str]]:
    last = label.lower().split()[-1]
    found = ((key, _table()[f"{key}s"].get(last)) for key in ("material", "shape"))
    return {key: words for key, words in found if words}


@cache
def _table() -> Any:
    return read_table("scenemind.evaluation.alignment", "usual_things.yaml")


def _may_be_called(label: str, names: Collection[str]) -> bool:
    """Whether names may refer to a label: a "board" to a whiteboard, a "side table" to a table."""
    return any(label.endswith(name) or name.endswith(f" {label}") for name in names)


def _is_thing(label: str) -> bool:
    last = label.split()[-1]
    return last not in _NO_THINGS and not is_plural(last) and with_article(last) != last


def _clearly_on(thing: MapObject, carrier: MapObject) -> bool:
    rise_m = thing.box.bottom_z - carrier.box.top_z
    return -_BELOW_M <= rise_m <= _ABOVE_M and _share_over(thing, carrier) >= _OVER


def _perhaps_on(thing: MapObject, carrier: MapObject) -> bool:
    """Whether an object may be on another one or anywhere above it: people say "above" for both."""
    if thing is carrier or thing.label in _BUILDING:
        return False
    rise_m = thing.box.bottom_z - carrier.box.top_z
    return rise_m > -_PERHAPS_M and _share_over(thing, carrier) >= _PERHAPS_OVER


def _share_over(thing: MapObject, carrier: MapObject) -> float:
    """Share of an object's footprint over the other's."""
    low, high = (np.asarray(bound[:2]) for bound in thing.box.bounds())
    of_low, of_high = (np.asarray(bound[:2]) for bound in carrier.box.bounds())
    both = np.clip(np.minimum(high, of_high) - np.maximum(low, of_low), 0.0, None)
    area = float(np.prod(high - low))
    return float(np.prod(both)) / area if area > 0.0 else 0.0


class Confusions:
    """Wrong labels that a detector may give an object: labels of objects of similar size."""

    def __init__(self, things: Iterable[MapObject]) -> None:
        volumes: dict[str, list[float]] = defaultdict(list)
        for thing in things:
            label = thing.label.lower()
            words = label.split()
            if not is_plural(words[-1]) and _NOTHING_TO_SEE.isdisjoint(words):
                volumes[label].append(_volume(thing))
        self._sizes = {label: median(of_label) for label, of_label in sorted(volumes.items())}

    def draw(self, thing: MapObject, scene: Iterable[MapObject], rng: random.Random) -> str | None:
        """A random wrong label without any word of the scene's labels: of an object of similar
        size, else of any usual object; None: there is none."""
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
    """Volume of an object's box, m^3, with a minimal extent of 1 cm."""
    return float(np.prod(np.maximum(thing.box.size, 0.01)))


def _words(label: str) -> set[str]:
    """The words of a name, of its synonyms and of similar names."""
    thesaurus = Thesaurus.load()
    names = {label.lower(), *thesaurus.synonyms(label), *thesaurus.alike(label)}
    return {word for name in names for word in name.split()}


class Planting:
    """The perceived scene, into which errors are planted.

    Attributes:
        perceived: id -> object, with the errors.
        errors: planted errors, in order.
    """

    def __init__(self, scene: TrueScene, confusions: Confusions, rng: random.Random) -> None:
        self.perceived = dict(scene.objects)
        self.errors: list[PlantedError] = []
        self._scene = scene
        self._confusions = confusions
        self._rng = rng

    def mislabel(self, thing: MapObject) -> bool:
        """Give an object a wrong label; False: there is no suitable one."""
        everything = [*self._scene.objects.values(), *self.perceived.values()]
        wrong = self._confusions.draw(thing, everything, self._rng)
        if wrong is None:
            return False
        seen = self.perceived[thing.object_id]
        self.perceived[thing.object_id] = replace(seen, label=wrong, perceived_label=wrong)
        anchor = self._scene.carried.get(thing.object_id)
        self._note("label", thing, wrong=wrong, value=thing.label, anchor_id=anchor)
        return True

    def miscolor(self, thing: MapObject, wrong: str = "") -> None:
        """Give an object a clearly wrong colour."""
        true = thing.attributes["color"]
        self._set(thing, "color", wrong or self._rng.choice(other_colours(true)))

    def misjudge(self, thing: MapObject, key: str, wrong: str | None = None) -> None:
        """Give an object a wrong material or shape; an empty one: remove it."""
        true = thing.attributes[key]
        others = [word for word in all_words(key) if word.split()[-1] != true.split()[-1]]
        self._set(thing, key, self._rng.choice(others) if wrong is None else wrong)

    def see_twice(self, thing: MapObject) -> None:
        """Split an object into two halves."""
        low, high = (np.array(bound) for bound in thing.box.bounds())
        axis = int(np.argmax((high - low)[:2]))
        middle = (low[axis] + high[axis]) / 2.0
        first_high, second_low = high.copy(), low.copy()
        first_high[axis] = middle - _HALVES_APART_M / 2.0
        second_low[axis] = middle + _HALVES_APART_M / 2.0
        second = max(self.perceived) + 1
        seen = self.perceived[thing.object_id]
        self.perceived[thing.object_id] = _boxed(seen, low, first_high)
        self.perceived[second] = _boxed(replace(seen, object_id=second), second_low, high)
        self._note("twice", thing, second_id=second)

    def see_as_one(self, first: MapObject, second: MapObject) -> None:
        """Merge two objects into one; its surface points still show the gap."""
        low = np.minimum(first.box.bounds()[0], second.box.bounds()[0])
        high = np.maximum(first.box.bounds()[1], second.box.bounds()[1])
        points = np.vstack([self._surface(first.box), self._surface(second.box)])
        seen = _boxed(self.perceived[first.object_id], low, high)
        self.perceived[first.object_id] = replace(seen, points=points)
        del self.perceived[second.object_id]
        self._note("joined", first, second_id=second.object_id)

    def see_ghost(self, like: MapObject) -> None:
        """Add an object that does not exist: a copy of one, elsewhere in the room."""
        ghost_id = max(self.perceived) + 1
        centers = np.array([thing.box.center for thing in self.perceived.values()])
        mirrored = 2.0 * centers.mean(axis=0) - like.box.center
        center = (float(mirrored[0]), float(mirrored[1]), like.box.center[2])
        box = Box3D(center, like.box.size)
        ghost = replace(like, object_id=ghost_id, box=box, known_yaw_box=box)
        self.perceived[ghost_id] = ghost
        self._note("ghost", ghost)

    def lift(self, thing: MapObject, carrier: MapObject) -> None:
        """Lift an object above its support."""
        rise_m = self._rng.uniform(*_LIFTED_M)
        low, high = (np.array(bound) for bound in thing.box.bounds())
        low[2] += rise_m
        high[2] += rise_m
        seen = self.perceived[thing.object_id]
        self.perceived[thing.object_id] = _boxed(seen, low, high)
        self._note("relation", thing, anchor_id=carrier.object_id)

    def _set(self, thing: MapObject, key: str, wrong: str) -> None:
        seen = self.perceived[thing.object_id]
        attributes = {k: v for k, v in seen.attributes.items() if k != key}
        if wrong:
            attributes[key] = wrong
        self.perceived[thing.object_id] = replace(seen, attributes=attributes)
        self._note(key, thing, wrong=wrong, value=thing.attributes[key])

    def _note(self, kind: str, thing: MapObject, **more: object) -> None:
        self.errors.append(PlantedError(kind, thing.object_id, thing.label, **more))  # type: ignore[arg-type]

    def _surface(self, box: Box3D) -> NDArray[np.float32]:
        """Random points (_POINTS, 3) on the faces of a box."""
        generator = np.random.default_rng(self._rng.randrange(2**32))
        low, high = (np.asarray(bound) for bound in box.bounds())
        points = generator.uniform(low, high, (_POINTS, 3))
        axes = generator.integers(0, 3, _POINTS)
        sides = generator.integers(0, 2, _POINTS)
        points[np.arange(_POINTS), axes] = np.where(sides, high[axes], low[axes])
        return points.astype(np.float32)


def other_colours(true: str) -> Sequence[str]:
    """Basic colours that are clearly different from this one."""
    alike = {name for group in _ALIKE if true in group for name in group} | {true}
    return [name for name in _COLOURS if name not in alike]


def may_be_joined(first: MapObject, second: MapObject) -> bool:
    """Whether two objects are near each other, with a gap between them."""
    return _JOINED_M[0] <= gap_m(first.box, second.box) <= _JOINED_M[1]


def _boxed(thing: MapObject, low: NDArray[np.float64], high: NDArray[np.float64]) -> MapObject:
    box = Box3D.from_bounds(low, high)
    return replace(thing, box=box, known_yaw_box=box)
