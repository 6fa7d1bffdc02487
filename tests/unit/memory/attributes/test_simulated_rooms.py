"""Attributes in a mapped room against what its things were built of."""

from __future__ import annotations

import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper, map_all
from scenemind.memory import MapObject, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, match_objects, simulate
from scenemind.simulation.room import SimObject

# The form of each kind of simulated thing that is large enough to have one. A wrong word is
# worse than none.
SHAPES = {
    "book": {"flat and rectangular"},
    "bottle": {"long", "cylindrical"},
    "cabinet": {"box-shaped"},
    "door": {"flat and rectangular"},
    "keyboard": {"flat and rectangular", "flat"},
    "monitor": {"flat and rectangular"},
    "picture": {"flat and rectangular"},
    "refrigerator": {"box-shaped"},
    "trash can": {"cylindrical"},
    "window": {"flat and rectangular"},
    "chair": set(),
    "couch": set(),
    "dining table": set(),
    "potted plant": set(),
}
Pair = tuple[SimObject, MapObject]


@pytest.fixture(scope="module")
def mapped() -> list[Pair]:
    """Pairs of a simulated thing and the map's object for it."""
    sequence, config = simulate(2, 60, Sensors(480, 360)), SceneMindConfig()
    with Memory.create(None, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        map_all(mapper, read_sequence(sequence))
        objects = memory.snapshot().objects
    pairs = match_objects(objects.values(), sequence.room).instance_of.items()
    return [(sequence.room.get_object(real), objects[found]) for found, real in pairs]


def test_plain_things_have_their_colour(mapped: list[Pair]) -> None:
    plain = [(real, found) for real, found in mapped if real.plain]
    assert len(plain) >= 12
    for real, found in plain:
        assert real.color in found.attributes["color"].split(" "), real.label


def test_shapes_are_right_or_missing(mapped: list[Pair]) -> None:
    told = 0
    for real, found in mapped:
        if real.label in SHAPES and (shape := found.attributes.get("shape")):
            assert shape in SHAPES[real.label], real.label
            told += 1
    assert told >= 8


def test_orientations_are_those_of_the_simulation(mapped: list[Pair]) -> None:
    for real, found in mapped:
        posture = found.attributes.get("orientation")
        if real.label in ("book", "keyboard"):
            assert posture in ("lying", None), real.label
        else:
            assert posture in ("upright", None), real.label


def test_simulated_things_are_of_usual_size(mapped: list[Pair]) -> None:
    sizes = [found.attributes.get("relative_size", "") for _, found in mapped]
    assert sum(size.startswith("usual") for size in sizes) >= 0.8 * len(mapped)
