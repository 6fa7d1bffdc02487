"""Perception errors, planted in a true scene."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.evaluation.alignment.confusions import Confusions
from scenemind.evaluation.alignment.tasks import PlantedError
from scenemind.evaluation.alignment.true_scene import TrueScene, all_words
from scenemind.geometry import Box3D, gap_m
from scenemind.memory import MapObject

_COLOURS = ("black", "white", "grey", "red", "blue", "green", "yellow", "brown")
# Cameras give one another's names to these too: such an error would be none.
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


class Planting:
    """The perceived scene in the making.

    Attributes:
        perceived: the objects by id, errors and all.
        errors: those that were planted, in order.
    """

    def __init__(self, scene: TrueScene, confusions: Confusions, rng: random.Random) -> None:
        self.perceived = dict(scene.objects)
        self.errors: list[PlantedError] = []
        self._scene = scene
        self._confusions = confusions
        self._rng = rng

    def mislabel(self, thing: MapObject) -> bool:
        """Take it for something else; False: there is nothing that it could be taken for."""
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
        """See another colour: one that is not taken for the true one anyway."""
        true = thing.attributes["color"]
        self._set(thing, "color", wrong or self._rng.choice(other_colours(true)))

    def misjudge(self, thing: MapObject, key: str, wrong: str | None = None) -> None:
        """Say another material or shape of it than it has; an empty one: say none."""
        true = thing.attributes[key]
        others = [word for word in all_words(key) if word.split()[-1] != true.split()[-1]]
        self._set(thing, key, self._rng.choice(others) if wrong is None else wrong)

    def see_twice(self, thing: MapObject) -> None:
        """One thing falls into two halves."""
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
        """Two things become one, whose surface still shows the gap."""
        low = np.minimum(first.box.bounds()[0], second.box.bounds()[0])
        high = np.maximum(first.box.bounds()[1], second.box.bounds()[1])
        points = np.vstack([self._surface(first.box), self._surface(second.box)])
        seen = _boxed(self.perceived[first.object_id], low, high)
        self.perceived[first.object_id] = replace(seen, points=points)
        del self.perceived[second.object_id]
        self._note("joined", first, second_id=second.object_id)

    def see_ghost(self, like: MapObject) -> None:
        """A thing that is not there: such a one, somewhere else in the room."""
        ghost_id = max(self.perceived) + 1
        centers = np.array([thing.box.center for thing in self.perceived.values()])
        mirrored = 2.0 * centers.mean(axis=0) - like.box.center
        center = (float(mirrored[0]), float(mirrored[1]), like.box.center[2])
        box = Box3D(center, like.box.size)
        ghost = replace(like, object_id=ghost_id, box=box, known_yaw_box=box)
        self.perceived[ghost_id] = ghost
        self._note("ghost", ghost)

    def lift(self, thing: MapObject, carrier: MapObject) -> None:
        """See it hover over what it stands on."""
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
        """(_POINTS, 3): points drawn on the faces of a box."""
        generator = np.random.default_rng(self._rng.randrange(2**32))
        low, high = (np.asarray(bound) for bound in box.bounds())
        points = generator.uniform(low, high, (_POINTS, 3))
        axes = generator.integers(0, 3, _POINTS)
        sides = generator.integers(0, 2, _POINTS)
        points[np.arange(_POINTS), axes] = np.where(sides, high[axes], low[axes])
        return points.astype(np.float32)


def other_colours(true: str) -> Sequence[str]:
    """Plain colours that nobody would take for this one."""
    alike = {name for group in _ALIKE if true in group for name in group} | {true}
    return [name for name in _COLOURS if name not in alike]


def may_be_joined(first: MapObject, second: MapObject) -> bool:
    """Whether they stand near each other, with a gap between."""
    return _JOINED_M[0] <= gap_m(first.box, second.box) <= _JOINED_M[1]


def _boxed(thing: MapObject, low: NDArray[np.float64], high: NDArray[np.float64]) -> MapObject:
    box = Box3D.from_bounds(low, high)
    return replace(thing, box=box, known_yaw_box=box)
