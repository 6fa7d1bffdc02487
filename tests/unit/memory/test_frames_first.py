"""Long work stops while a frame is on its way, and goes on after it."""

from __future__ import annotations

import math
import sys
import threading
import time

import pytest

from scenemind.memory import frames_first
from scenemind.memory.frames_first import Way, give_way, in_batches, in_steps

LONG_S = 60.0  # a test that waits for so long fails


def work(way: Way, rows: int, done: list[int], began: threading.Event) -> None:
    with way.yielded():
        began.set()
        for part in in_steps(rows, 1):
            done.append(part.start)


def test_no_step_begins_while_a_frame_is_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_first, "_PATIENCE_S", LONG_S)
    way, done, began = Way(), list[int](), threading.Event()
    worker = threading.Thread(target=work, args=(way, 3, done, began))
    with way.taken():
        worker.start()
        assert began.wait(LONG_S)
        worker.join(0.05)  # far more than three steps take
        assert done == []
    worker.join(LONG_S)
    assert done == [0, 1, 2]


def test_work_ends_though_frames_leave_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_first, "_PATIENCE_S", 0.01)
    way, done, began = Way(), list[int](), threading.Event()
    worker = threading.Thread(target=work, args=(way, 3, done, began))
    with way.taken():
        worker.start()
        worker.join(LONG_S)
        assert done == [0, 1, 2]


def test_a_long_step_waits_for_a_frame_that_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_first, "_PATIENCE_S", LONG_S)
    monkeypatch.setattr(frames_first, "_MOST_S", LONG_S)
    way = Way()
    with way.yielded():
        give_way(to_long_step=True)  # no frame has come yet
        frames(way, 2)
        monkeypatch.setattr(frames_first, "_EARLY", math.inf)
        give_way(to_long_step=True)  # the next one is not expected soon
        monkeypatch.setattr(frames_first, "_EARLY", 0.0)
        waits, ended = threading.Event(), list[str]()

        def camera() -> None:
            waits.wait(LONG_S)
            monkeypatch.setattr(frames_first, "_EARLY", math.inf)
            ended.append("frame")

        thread = threading.Thread(target=camera)
        thread.start()
        waits.set()
        give_way(to_long_step=True)  # the next one may come soon
        ended.append("step")
        give_way()  # a short step waits for none
        thread.join(LONG_S)
    assert ended == ["frame", "step"]


def test_a_long_step_waits_for_so_many_frames_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_first, "_PATIENCE_S", LONG_S)
    monkeypatch.setattr(frames_first, "_MOST_S", LONG_S)
    monkeypatch.setattr(frames_first, "_EARLY", 0.0)
    way, came = Way(), list[int]()
    frames(way, 2)
    step = threading.Event()

    def work_beside() -> None:
        with way.yielded():
            give_way(to_long_step=True)
        step.set()

    worker = threading.Thread(target=work_beside)
    worker.start()
    start = time.monotonic()
    while not step.wait(0.002) and time.monotonic() - start < LONG_S:  # frames leave a pause
        frames(way, 1)
        came.append(1)
    worker.join(LONG_S)
    assert len(came) >= frames_first._MOST_FRAMES


def frames(way: Way, count: int) -> None:
    """Frames of another thread, which yields to none."""

    def camera() -> None:
        for _ in range(count):
            with way.taken(), way.taken():  # a frame takes the way again where it is integrated
                pass

    thread = threading.Thread(target=camera)
    thread.start()
    thread.join(LONG_S)


def test_a_long_step_waits_for_no_frame_where_none_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_first, "_PATIENCE_S", LONG_S)
    monkeypatch.setattr(frames_first, "_EARLY", 0.0)
    monkeypatch.setattr(frames_first, "_MOST_S", 0.01)
    way, start = Way(), time.monotonic()
    frames(way, 2)
    with way.yielded():
        give_way(to_long_step=True)
    assert time.monotonic() - start < LONG_S / 2


def test_who_yields_to_nothing_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads, the one that has the way, and the same thread afterwards."""
    monkeypatch.setattr(frames_first, "_PATIENCE_S", LONG_S)
    way, done = Way(), list[int]()
    with way.yielded(), way.taken():
        give_way()
    holding, release = threading.Event(), threading.Event()

    def frame() -> None:
        with way.taken():
            holding.set()
            release.wait(LONG_S)

    holder = threading.Thread(target=frame)
    holder.start()
    assert holding.wait(LONG_S)
    start = time.monotonic()
    done.extend(part.stop for part in in_steps(5, 2))
    assert time.monotonic() - start < LONG_S / 2
    release.set()
    holder.join(LONG_S)
    assert done == [2, 4, 5]


def test_batches_have_all_values_in_their_order() -> None:
    assert [value for batch in in_batches(range(10_000)) for value in batch] == list(range(10_000))
    assert list(in_batches(())) == []


def test_threads_take_turns_more_often_beside_frames_and_as_before_after_it() -> None:
    usual_s = sys.getswitchinterval()
    first, second = Way().yielded(), Way().yielded()
    first.__enter__()
    assert sys.getswitchinterval() < 0.001 < usual_s
    second.__enter__()
    first.__exit__(None, None, None)  # work of another memory goes on
    assert sys.getswitchinterval() < 0.001
    second.__exit__(None, None, None)
    assert sys.getswitchinterval() == usual_s
