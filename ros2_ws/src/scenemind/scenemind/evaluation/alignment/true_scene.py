"""What is true of a scene, in closed form from its boxes: not by the relations under test."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from scenemind.evaluation.alignment.tasks import Objects
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.words.english import is_plural, normal, singular, with_article, word_set
from scenemind.words.tables import read_table
from scenemind.words.thesaurus import Thesaurus

_NO_THINGS = word_set(
    "wall floor ceiling object person doorframe windowsill stair stairs rail ledge clothes clothing"
)
_BUILDING = frozenset(("ceiling", "wall", "floor"))
# Clearly on: the bottom is at the other's top, and most of it over that.
_ABOVE_M, _BELOW_M, _OVER, _PERHAPS_OVER, _PERHAPS_M = 0.05, 0.06, 0.8, 0.2, 0.3
_CARRIERS = word_set(
    "table desk nightstand dresser cabinet shelf bookshelf counter stool stand chest box"
    " refrigerator microwave"
)


class TrueScene:
    """One scene, with colours, materials and shapes of its things.

    Attributes:
        objects: by id; colours are plain ones ("grey" for "dark grey").
    """

    def __init__(self, scene_id: str, snapshot: MemorySnapshot, rng: random.Random) -> None:
        self.scene_id = scene_id
        self.objects: Objects = {
            object_id: _dressed(thing, rng) for object_id, thing in snapshot.objects.items()
        }

    @cached_property
    def things(self) -> Sequence[MapObject]:
        """Those that a person would speak of one by one."""
        return [o for o in self.objects.values() if _is_thing(o.label)]

    @cached_property
    def unique(self) -> Sequence[MapObject]:
        """Those whose name nothing else could be called by."""
        return [o for o in self.things if len(self.called(o.label)) == 1]

    def called(self, noun: str) -> Sequence[MapObject]:
        """All that a name could be for: also "office chairs" for "chair", and synonyms."""
        thesaurus = Thesaurus.load()
        names = {noun, *(name.text for name in thesaurus.names(noun)), *thesaurus.alike(noun)}
        return [o for o in self.objects.values() if _may_be_called(normal(o.label), names)]

    def counted(self, noun: str) -> Sequence[MapObject] | None:
        """All of a name that is clear: whatever might be called so is; None: it is not clear."""
        clear = [o for o in self.objects.values() if o.label.split()[-1] == noun.split()[-1]]
        clear = [o for o in clear if o.label.endswith(noun)]
        return clear if clear and len(clear) == len(self.called(noun)) else None

    @cached_property
    def carried(self) -> Mapping[int, int]:
        """What clearly stands on what, by id: and nothing else on that, nor it on another thing."""
        clear: dict[int, int] = {}
        for carrier in self.things:
            if singular(carrier.label.split()[-1]) not in _CARRIERS:
                continue
            perhaps = [o for o in self.objects.values() if _perhaps_on(o, carrier)]
            if len(perhaps) == 1 and _clearly_on(perhaps[0], carrier) and perhaps[0] in self.things:
                clear[perhaps[0].object_id] = carrier.object_id
        return clear

    def on_together(self) -> Iterator[tuple[MapObject, MapObject, MapObject]]:
        """A thing, the one other thing beside it, and what both clearly stand on."""
        for carrier in self.things:
            perhaps = [o for o in self.objects.values() if _perhaps_on(o, carrier)]
            if len(perhaps) == 2 and all(_clearly_on(o, carrier) for o in perhaps):
                first, second = perhaps
                if first in self.things and second in self.things and first.label != second.label:
                    yield first, second, carrier
                    yield second, first, carrier


def _dressed(thing: MapObject, rng: random.Random) -> MapObject:
    """With a plain colour, and a material and a shape that such things may have."""
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
    """Of things that rooms usually have."""
    return [name for name in _table()["materials"] if not is_plural(name)]


def all_words(key: str) -> Sequence[str]:
    """Every material or shape that there is."""
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
    """Also a whiteboard a board, and a table, among others, a side table."""
    return any(label.endswith(name) or name.endswith(f" {label}") for name in names)


def _is_thing(label: str) -> bool:
    last = label.split()[-1]
    return last not in _NO_THINGS and not is_plural(last) and with_article(last) != last


def _clearly_on(thing: MapObject, carrier: MapObject) -> bool:
    rise_m = thing.box.bottom_z - carrier.box.top_z
    return -_BELOW_M <= rise_m <= _ABOVE_M and _share_over(thing, carrier) >= _OVER


def _perhaps_on(thing: MapObject, carrier: MapObject) -> bool:
    """On it or anywhere above it: people say "above" for both."""
    if thing is carrier or thing.label in _BUILDING:
        return False
    rise_m = thing.box.bottom_z - carrier.box.top_z
    return rise_m > -_PERHAPS_M and _share_over(thing, carrier) >= _PERHAPS_OVER


def _share_over(thing: MapObject, carrier: MapObject) -> float:
    """How much of its footprint lies over the other's."""
    low, high = (np.asarray(bound[:2]) for bound in thing.box.bounds())
    of_low, of_high = (np.asarray(bound[:2]) for bound in carrier.box.bounds())
    both = np.clip(np.minimum(high, of_high) - np.maximum(low, of_low), 0.0, None)
    area = float(np.prod(high - low))
    return float(np.prod(both)) / area if area > 0.0 else 0.0
