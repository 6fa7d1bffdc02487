"""The thread that annotates objects, and its retries."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

import pytest

from scenemind.config import ChatModelConfig, DescriptionsConfig, ModelsConfig
from scenemind.describing import Describer, DescribingService, OutcomeCounter
from scenemind.describing.annotation import RetryDelays
from scenemind.memory import Description, MapObject, Memory
from scenemind.models import ModelError
from scenemind.models.openai_chat import OpenAIChat
from tests.chat_exchange import Exchange
from tests.chat_server import ChatServer, Step, fail, say, send_raw, stay_silent
from tests.unit.describing.conftest import CHAIRS, CONFIG, answer, seer, walk_on


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_each_failure_doubles_the_pause_up_to_the_longest() -> None:
    clock = Clock()
    patience = RetryDelays(2.0, 10.0, clock)
    pauses = []
    for _ in range(4):
        patience.note_failure("a")
        pauses.append(patience.wait_s("a"))
        clock.now_s += patience.wait_s("a")
        assert patience.wait_s("a") == 0.0
    assert pauses == [2.0, 4.0, 8.0, 10.0]
    assert patience.wait_s("b") == 0.0


def test_success_and_removal_reset_the_pause() -> None:
    patience = RetryDelays(2.0, 10.0, Clock())
    for key in (1, 2, 3):
        patience.note_failure(key)
    patience.note_success(1)
    patience.keep({1, 2})
    assert [patience.wait_s(key) for key in (1, 2, 3)] == [0.0, 2.0, 0.0]


def service_on(
    memory: Memory, server: ChatServer, call_deadline_s: float = 20.0
) -> DescribingService:
    """A service that tries each object once."""
    models = ModelsConfig(vision=seer(server, call_deadline_s), retries=0)
    return DescribingService(memory, CONFIG, models)


def wait_until(condition: Callable[[], object]) -> None:
    """Return once the condition holds; fail after a while."""
    give_up_s = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.005)


def test_every_object_is_described_once(row: Memory) -> None:
    with ChatServer(say(answer())) as server, service_on(row, server) as service:
        background = service.parts["descriptions"]
        wait_until(lambda: background.counts.made == CHAIRS)
    assert len(row.descriptions()) == len(server.requests) == CHAIRS
    assert (background.counts.no_views, background.counts.failed) == (0, {})


@pytest.mark.parametrize(
    ("step", "deadline_s", "kind"),
    [
        (fail(500), 20.0, "server_failed"),
        (fail(401), 20.0, "rejected"),
        (send_raw(b"{"), 20.0, "bad_reply"),
        (stay_silent, 0.1, "too_late"),
    ],
)
def test_faults_are_counted_and_frames_go_on(
    row: Memory, step: Step, deadline_s: float, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with ChatServer(step) as server:
        with service_on(row, server, deadline_s) as service:
            background = service.parts["descriptions"]
            walk_on(row, 41, 62)  # another chair comes into view meanwhile
            wait_until(lambda: background.counts.failed)
        assert background.counts.failed.keys() == {kind}
        assert background.counts.made == 0
    assert len(row.snapshot().objects) > CHAIRS
    assert row.descriptions() == {}
    assert len([r for r in caplog.records if "descriptions by seer" in r.message]) == 1


def test_one_object_that_the_model_fails_at_does_not_keep_the_others_waiting(row: Memory) -> None:
    steps = fail(500), *[say(answer())] * 9
    with ChatServer(*steps) as server, service_on(row, server) as service:
        background = service.parts["descriptions"]
        wait_until(lambda: background.counts.made == CHAIRS - 1)
    assert background.counts.failed == {"server_failed": 1}


def test_damaged_images_do_not_end_the_thread(row: Memory) -> None:
    for image in (row.path / "frames").glob("*.jpg"):
        image.write_bytes(bytes(image.stat().st_size))
    with ChatServer(say(answer())) as server, service_on(row, server) as service:
        background = service.parts["descriptions"]
        wait_until(lambda: background.counts.no_views == CHAIRS)
        walk_on(row, 41, 62)  # another chair, whose images are whole
        wait_until(lambda: background.counts.made)
    assert background.counts.failed == {}


def test_a_fault_of_our_own_is_counted_and_the_thread_goes_on(
    row: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    faults = [IndexError("first"), IndexError("second")]

    class Faulty(Describer):
        def make(self, thing: MapObject, objects: Mapping[int, MapObject]) -> Description | None:
            if faults:
                raise faults.pop(0)
            return super().make(thing, objects)

    with (
        ChatServer(say(answer())) as server,
        OpenAIChat(seer(server)) as chat,
    ):
        tally = OutcomeCounter(Faulty(row, chat, CONFIG))
        objects = row.snapshot().objects
        outcomes = [tally.try_one(thing, objects) for thing in objects.values()]
    assert outcomes == ["failed", "failed", "made"]
    assert tally.counts.failed == {"failed": 2}
    (record,) = [r for r in caplog.records if "descriptions by seer" in r.message]
    assert record.exc_info is not None


def test_closing_does_not_wait_for_the_model(row: Memory) -> None:
    asked = threading.Event()

    def hold(exchange: Exchange) -> None:
        asked.set()
        stay_silent(exchange)

    with ChatServer(hold) as server:
        service = service_on(row, server, 3600.0)
        assert asked.wait(10.0)
        service.close()
        service.close()
    assert service.parts["descriptions"].counts.failed == {}


def test_no_thread_runs_without_a_model(row: Memory) -> None:
    before = threading.active_count()
    with DescribingService(row, DescriptionsConfig(), ModelsConfig()) as service:
        assert service.parts == {}
        assert threading.active_count() == before


def test_missing_key_is_an_error_and_leaves_no_thread(
    row: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = threading.active_count()
    with pytest.raises(ModelError, match="OPENAI_API_KEY: set it"):
        DescribingService(row, CONFIG, ModelsConfig(vision=ChatModelConfig(model="seer")))
    assert threading.active_count() == before
