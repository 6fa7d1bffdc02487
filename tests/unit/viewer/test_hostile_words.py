"""What is said, done and journalled shows as it is, and makes no tags."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("viser")

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.viewer import Viewer
from tests.unit.viewer.room import map_room
from tests.waiting import wait_until

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def viewer() -> Iterator[tuple[Viewer, Memory]]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        router = Router(memory, dialogues=Dialogues(1, 6))
        with Viewer(memory, router, Asking, port=0, by=EVIL) as viewer:
            yield viewer, memory


def test_the_journal_and_the_talk_show_words_as_they_are(viewer: tuple[Viewer, Memory]) -> None:
    shown, memory = viewer
    thing = min(memory.snapshot().objects)
    memory.apply([Edit("rename", (thing,), value=EVIL)], EVIL, EVIL)
    shown.start()
    shown.mark([thing])
    shown.put(f"this is red. {EVIL}")
    shown.put("what is this?")
    wait_until(lambda: "alert(1)" in shown._chat._log.content)
    shown._report(EVIL, EVIL)
    contents = (
        shown._journal._entries.content,
        shown._chat._log.content,
        shown._chat._stage.content,
    )
    for content in contents:
        assert "alert(1)" in content
        assert "<img" not in content
