"""Colours and confidence of one object."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig, SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import iou_3d
from scenemind.mapping import Mapper
from scenemind.memory import MapObject, Memory
from scenemind.memory.objects.map_entry import ColorStatistics, MapEntry, View
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.simulation import Room, Sensors, simulate
from tests.unit.memory.things import observe

RED, BLUE = (200.0, 30.0, 30.0), (30.0, 30.0, 200.0)


def looks(*views: tuple[tuple[float, float, float], int]) -> ColorStatistics:
    """The appearance after views of one colour each, with their numbers of pixels."""
    seen = ColorStatistics()
    for rgb, pixels in views:
        seen.add(replace(observe((0, 0, 0), rgb=rgb), pixel_count=pixels))
    return seen


def test_pixels_are_counted_by_the_name_of_their_colour() -> None:
    assert looks((RED, 300), (BLUE, 100), (RED, 100)).color_counts() == {"red": 400, "blue": 100}


def test_a_duplicate_brings_its_pixels() -> None:
    both = looks((RED, 300))
    both.absorb(looks((BLUE, 100)))
    at_once = looks((RED, 300), (BLUE, 100))
    assert both.color_counts() == at_once.color_counts()
    assert at_once.appearance is not None
    assert both.likeness(at_once.appearance) == pytest.approx(1.0, abs=1e-6)


def test_the_histogram_is_the_mean_over_all_pixels() -> None:
    red, blue = looks((RED, 1)), looks((BLUE, 1))
    assert red.appearance is not None
    assert blue.appearance is not None
    mixed = looks((RED, 300), (BLUE, 100)).appearance
    np.testing.assert_allclose(mixed, 0.75 * red.appearance + 0.25 * blue.appearance, atol=1e-6)


def test_appearance_without_views_is_empty() -> None:
    red = looks((RED, 1)).appearance
    assert red is not None
    assert ColorStatistics().likeness(red) == 0.0
    assert ColorStatistics().color_counts() == {}


def test_a_record_brings_everything_back() -> None:
    entry = MapEntry(1, ObjectMapConfig(), 0)
    entry.add(observe((0, 0, 0), rgb=BLUE), View(0, np.array([0.0, -2.0, 1.0])))
    again = ColorStatistics.restored(entry.to_record())
    assert again.color_counts() == entry.looks.color_counts() == {"blue": 1000}
    np.testing.assert_array_equal(again.appearance, entry.looks.appearance)


SIDE = np.array([0.0, -2.0, 1.0])


def entry_of(views: int) -> MapEntry:
    """An object seen so often from one side."""
    entry = MapEntry(1, ObjectMapConfig(), 0)
    for _ in range(views):
        entry.add(observe((0, 0, 0), score=0.8), View(0, SIDE))
    return entry


def test_views_of_a_duplicate_from_the_same_side_are_no_news() -> None:
    """The n-th view from one side weighs 1 / n, whichever of the two the earlier ones were of."""
    entry = entry_of(3)
    entry.absorb(entry_of(3))
    before = entry.votes["chair"]
    entry.vote(observe((0, 0, 0), score=0.8), View(0, SIDE))
    assert entry.votes["chair"] - before == pytest.approx(0.8 / 7)


@pytest.mark.parametrize(
    ("step_m", "steps", "is_doubted"),
    [(0.0, 30, False), (0.5, 2, False), (0.5, 3, True), (0.04, 6, False), (0.04, 7, True)],
)
def test_looking_through_counts_by_how_far_the_camera_has_moved(
    step_m: float, steps: int, is_doubted: bool
) -> None:
    """Steps of 4 cm make a new viewpoint of 10 cm each third time."""
    entry = entry_of(1)
    for number in range(steps):
        entry.note_sight("through", np.array([number * step_m, -2.0, 1.0]))
    assert entry.is_doubted == is_doubted


HELD_OUT = (22, 23)


def test_confidence_is_calibrated() -> None:
    """Expected calibration error over rooms that the formula has not seen."""
    said, came_true = [], []
    for seed in HELD_OUT:
        for thing, is_real in mapped_with_noise(seed):
            said.append(thing.confidence)
            came_true.append(is_real)
    assert len(said) > 200
    assert calibration_error(np.array(said), np.array(came_true)) <= 0.1


def test_the_calibration_error_of_a_known_case() -> None:
    said = np.repeat([0.05, 0.95], 100)
    came_true = np.concatenate((np.arange(100) < 5, np.arange(100) < 75))
    assert calibration_error(said, came_true) == pytest.approx(0.1)


def mapped_with_noise(seed: int) -> list[tuple[MapObject, bool]]:
    """The map's objects every 25 frames, each with whether the room has such a thing there."""
    drive = simulate(seed, 100, Sensors(240, 180))
    detector = NoisyDetector(InstanceCamera(drive.class_names, 20), DetectorNoise(), seed)
    found = []
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(detector, memory, SceneMindConfig())
        for frame in read_sequence(drive):
            mapper.process(frame)
            if frame.number % 25 == 24:
                objects = memory.snapshot().objects.values()
                found += [(thing, is_real(thing, drive.room)) for thing in objects]
    return found


def is_real(thing: MapObject, room: Room) -> bool:
    return any(
        real.label == thing.label and iou_3d(real.box, thing.box) >= 0.25 for real in room.objects
    )


def calibration_error(said: np.ndarray, came_true: np.ndarray) -> float:
    """Mean distance of confidence from the share of real objects, over ten bins of equal width."""
    bins = np.minimum((said * 10).astype(int), 9)
    errors = [
        abs(said[bins == b].mean() - came_true[bins == b].mean()) * np.mean(bins == b)
        for b in np.unique(bins)
    ]
    return float(np.sum(errors))


def test_a_person_is_where_it_was_seen_last() -> None:
    """Steps of 30 cm: furniture would be all of them together."""
    person, chair = (MapEntry(number, ObjectMapConfig(), 0) for number in (1, 2))
    for step in range(11):
        for entry, label in ((person, "person"), (chair, "chair")):
            view = observe((0.3 * step, 0, 0), label=label, size=(0.5, 0.5, 1.0))
            entry.add(view, View(step, SIDE))
    low, high = person.box.bounds()
    assert high[0] == pytest.approx(3.25, abs=0.1)
    assert high[0] - low[0] < 1.0 < chair.box.size[0]
    assert person.here_since_ns > chair.here_since_ns == 0
