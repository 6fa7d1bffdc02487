"""Mapping threads and the slot of newest frames."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import MapperConfig, SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.mapping import Governor, LatestSlot, Mapper, MapperReport, MappingPipeline, map_all
from scenemind.mapping.pipeline import as_it_is
from scenemind.memory import Memory, SceneMemoryError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import Detections
from tests.unit.mapping.test_mapper import BOXES, frame


@given(
    capacity=st.integers(1, 4),
    actions=st.lists(st.sampled_from(["put", "take"]), max_size=60),
)
def test_taken_are_the_newest_in_order_and_the_rest_is_counted(capacity, actions):
    slot: LatestSlot[int] = LatestSlot(capacity)
    waiting: list[int] = []
    put = taken = 0
    for action in actions:
        if action == "put":
            slot.put(put)
            waiting = [*waiting, put][-capacity:]
            put += 1
        elif waiting:
            assert slot.take() == waiting.pop(0)
            taken += 1
    assert slot.dropped == put - taken - len(waiting)
    slot.close()
    assert [slot.take() for _ in waiting] == waiting
    assert slot.take() is None


def test_take_waits_for_an_item_of_another_thread():
    slot: LatestSlot[str] = LatestSlot()
    taken: list[str | None] = []
    taker = threading.Thread(target=lambda: taken.extend((slot.take(), slot.take())))
    taker.start()
    slot.put("frame")
    slot.close()
    taker.join()
    assert taken == ["frame", None]


def test_closed_slot_takes_nothing_more():
    slot: LatestSlot[int] = LatestSlot()
    slot.close()
    slot.put(1)
    assert slot.take() is None
    assert slot.dropped == 0


def test_slot_holds_at_least_one():
    with pytest.raises(ValueError, match="at least 1 item, not 0"):
        LatestSlot(0)


def test_patient_put_waits_until_something_is_taken():
    slot: LatestSlot[int] = LatestSlot(2)
    putter = threading.Thread(target=lambda: [slot.put_patiently(n) for n in range(20)])
    putter.start()
    assert [slot.take() for _ in range(20)] == list(range(20))
    putter.join()
    assert slot.dropped == 0


def test_closing_wakes_a_waiting_put():
    slot: LatestSlot[int] = LatestSlot(1)
    slot.put(1)
    putter = threading.Thread(target=slot.put_patiently, args=(2,))
    putter.start()
    slot.close()
    putter.join()
    assert slot.take() == 1
    assert slot.take() is None


CONFIG = SceneMindConfig()


@pytest.fixture
def mapper():
    with Memory.create(None, CONFIG) as memory:
        yield Mapper(InstanceCamera(dict(enumerate(BOXES, start=1))), memory, CONFIG)


def pipeline(mapper, slot, on_report=lambda _report: None) -> MappingPipeline:
    return MappingPipeline(mapper, slot, Governor(MapperConfig()), as_it_is, on_report)


def test_what_a_newer_frame_replaces_is_never_read(mapper):
    slot: LatestSlot[int] = LatestSlot(capacity=2)
    read: list[int] = []

    def decode(number: int) -> RGBDFrame | None:
        read.append(number)
        return None if number == 4 else frame(number)  # one that cannot be read is passed over

    for number in range(1, 6):
        slot.put(number)
    reports: list[MapperReport] = []
    threads = MappingPipeline(mapper, slot, Governor(MapperConfig()), decode, reports.append)
    threads.start()
    threads.stop()
    assert read == [4, 5]
    assert len(reports) == 1
    assert slot.dropped == 3


def test_one_frame_at_most_is_ahead_of_a_slow_mapper(mapper):
    slot: LatestSlot[int] = LatestSlot()
    is_read = {number: threading.Event() for number in (1, 2, 3, 4)}
    is_slow_done = threading.Event()
    mapped: list[int] = []

    def decode(number: int) -> RGBDFrame:
        is_read[number].set()
        return frame(number)

    def keep(report: MapperReport) -> None:
        mapped.append(report.frame_number)
        is_slow_done.wait()

    threads = MappingPipeline(mapper, slot, Governor(MapperConfig()), decode, keep)
    threads.start()
    for number in (1, 2):
        slot.put(number)
        is_read[number].wait()
    slot.put(3)
    slot.put(4)  # 3 would be old by the time that it is mapped: it still waits, and is replaced
    is_slow_done.set()
    threads.stop()
    assert mapped == [1, 2, 4]
    assert slot.dropped == 1


def test_pipeline_maps_the_frame_in_the_slot_before_it_stops(mapper):
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
    """A detector that waits with frame n + 1 until frame n is being mapped, and sets an event."""

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


def test_recording_is_mapped_as_on_one_thread(mapper):
    reports: list[MapperReport] = []
    map_all(mapper, map(frame, range(12)), reports.append)
    assert [r.frame_number for r in reports] == list(range(12))
    assert not any(r.put_off for r in reports)
    with Memory.create(None, CONFIG) as memory:
        alone = Mapper(mapper.detector, memory, CONFIG)
        assert [r.changed for r in reports] == [alone.process(frame(n)).changed for n in range(12)]


def test_recording_that_breaks_off_leaves_the_frames_before(mapper):
    def broken():
        yield from map(frame, range(3))
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        map_all(mapper, broken())
    assert mapper.memory.last_frame_number == 2


def test_recording_ends_where_mapping_fails(mapper):
    with pytest.raises(SceneMemoryError, match="frame 1 comes after frame 3"):
        map_all(mapper, map(frame, (3, 1, 4, 5, 6, 7)))
