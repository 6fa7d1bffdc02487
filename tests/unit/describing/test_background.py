"""A thread that describes while frames go on, whatever the model does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from scenemind.config import DescriptionsConfig
from scenemind.describing import DescribingService
from scenemind.memory import Memory
from tests.chat_server import ChatServer, Exchange, Step, fail, say, send_raw, stay_silent
from tests.unit.describing.conftest import CHAIRS, CONFIG, answer, walk_on


def settings(server: ChatServer, **more: float) -> DescriptionsConfig:
    return CONFIG.model_copy(update={"endpoint": server.endpoint, **more})


def wait_until(condition: Callable[[], object]) -> None:
    """Return as soon as it holds, which must be soon."""
    give_up_s = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.005)


def test_every_object_is_described_once(row: Memory) -> None:
    with ChatServer(say(answer())) as server, DescribingService(row, settings(server)) as service:
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
        with DescribingService(row, settings(server, deadline_s=deadline_s)) as service:
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
    with ChatServer(*steps) as server, DescribingService(row, settings(server)) as service:
        background = service.parts["descriptions"]
        wait_until(lambda: background.counts.made == CHAIRS - 1)
    assert background.counts.failed == {"server_failed": 1}


def test_closing_does_not_wait_for_the_model(row: Memory) -> None:
    asked = threading.Event()

    def hold(exchange: Exchange) -> None:
        asked.set()
        stay_silent(exchange)

    with ChatServer(hold) as server:
        service = DescribingService(row, settings(server, deadline_s=3600.0))
        assert asked.wait(10.0)
        service.close()
        service.close()
    assert service.parts["descriptions"].counts.failed == {}


def test_nothing_runs_where_nothing_is_named(row: Memory) -> None:
    before = threading.active_count()
    with DescribingService(row, DescriptionsConfig()) as service:
        assert service.parts == {}
        assert threading.active_count() == before
