"""From a slot to the memory on two threads: in order, nothing lost, errors handed over."""

from __future__ import annotations

import threading

import pytest

from scenemind.config import MapperConfig, SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.mapping import Governor, LatestSlot, Mapper, MapperReport, MappingPipeline, map_all
from scenemind.memory import Memory, SceneMemoryError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import Detections
from tests.unit.mapping.test_mapper import BOXES, frame

CONFIG = SceneMindConfig()


@pytest.fixture
def mapper():
    with Memory.create(None, CONFIG) as memory:
        yield Mapper(InstanceCamera(dict(enumerate(BOXES, start=1))), memory, CONFIG)


def pipeline(mapper, slot, on_report=lambda _report: None) -> MappingPipeline:
    return MappingPipeline(mapper, slot, Governor(MapperConfig()), on_report)


def test_pipeline_maps_what_is_in_the_slot_before_it_stops(mapper):
    slot: LatestSlot[RGBDFrame] = LatestSlot(capacity=5)
    reports: list[MapperReport] = []
    running = pipeline(mapper, slot, reports.append)
    for number in range(7):
        slot.put(frame(number))
    running.start()
    running.stop()
    assert [r.frame_number for r in reports] == [2, 3, 4, 5, 6]
    assert slot.dropped == 2
    assert running.failure is None


def test_error_that_ends_the_pipeline_is_kept_and_raised(mapper, caplog):
    slot: LatestSlot[RGBDFrame] = LatestSlot(capacity=5)
    running = pipeline(mapper, slot)
    for number in (3, 1):
        slot.put(frame(number))
    running.start()
    with pytest.raises(SceneMemoryError, match="frame 1 comes after frame 3"):
        running.stop()
    assert isinstance(running.failure, SceneMemoryError)
    assert "mapping has stopped" in caplog.text


class _Alternating:
    """Detects frame n + 1 only once frame n is in memory's hands, and says so."""

    name = "alternating"
    vocabulary = ()

    def __init__(self) -> None:
        self.detecting = threading.Event()

    def detect(self, seen: RGBDFrame) -> Detections:
        if seen.number == 1:
            self.detecting.set()
        return Detections.empty()


def test_next_frame_is_detected_while_one_is_mapped():
    detector = _Alternating()
    slot: LatestSlot[RGBDFrame] = LatestSlot(capacity=5)
    overlapped: list[bool] = []

    def on_report(report: MapperReport) -> None:
        if report.frame_number == 0:  # still on the mapping thread, frame 0 is not done
            overlapped.append(detector.detecting.wait(timeout=30.0))

    with Memory.create(None, CONFIG) as memory:
        running = pipeline(Mapper(detector, memory, CONFIG), slot, on_report)
        running.start()
        for number in range(2):
            slot.put(frame(number))
        running.stop()
    assert overlapped == [True]


def test_failing_report_ends_the_pipeline_while_frames_wait(mapper):
    slot: LatestSlot[RGBDFrame] = LatestSlot(capacity=10)

    def on_report(_report: MapperReport) -> None:
        raise RuntimeError("nobody listens")

    running = pipeline(mapper, slot, on_report)
    for number in range(8):
        slot.put(frame(number))
    running.start()
    with pytest.raises(RuntimeError, match="nobody listens"):
        running.stop()
    assert mapper.memory.last_frame_number == 0


def test_recording_is_mapped_whole_and_as_one_thread_maps_it(mapper):
    reports: list[MapperReport] = []
    map_all(mapper, map(frame, range(12)), reports.append)
    assert [r.frame_number for r in reports] == list(range(12))
    assert not any(r.put_off for r in reports)
    with Memory.create(None, CONFIG) as memory:
        alone = Mapper(mapper.detector, memory, CONFIG)
        assert [r.changed for r in reports] == [alone.process(frame(n)).changed for n in range(12)]


def test_recording_that_breaks_off_leaves_what_came_before(mapper):
    def broken():
        yield from map(frame, range(3))
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        map_all(mapper, broken())
    assert mapper.memory.last_frame_number == 2


def test_recording_ends_where_mapping_fails(mapper):
    with pytest.raises(SceneMemoryError, match="frame 1 comes after frame 3"):
        map_all(mapper, map(frame, (3, 1, 4, 5, 6, 7)))
