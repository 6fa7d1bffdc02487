"""The view without a browser."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser")

from scenemind.config import SceneMindConfig
from scenemind.geometry import GeometryError
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.memory import Edit, Memory, MemorySnapshot, SceneMemoryError
from scenemind.models import Allowance
from scenemind.reasoning import Alignment, Answer, Asking, Query, ReasoningFailure, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.surface import SurfaceMesh
from scenemind.viewer import viewer as module
from scenemind.viewer.chat import Answerer
from scenemind.viewer.viewer import Viewer, ViewerSettings
from tests.unit.viewer.room import map_room
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        yield memory


def view(memory: Memory, answering: Answerer | None = None, asking: Asking | None = None) -> Viewer:
    answering = answering or Router(memory, dialogues=Dialogues(1, 6))
    return Viewer(memory, answering, lambda: asking or Asking(), ViewerSettings(port=0, poll_s=0.1))


class Slow:
    """A memory whose answer comes when the question is cancelled."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.texts: list[str] = []

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:
        assert asking is not None
        cancelled = threading.Event()
        asking.progress.report("look", "at the first picture")
        self.began.set()
        with asking.allowance.waking(cancelled.set):
            assert cancelled.wait(30.0)
        self.texts.append(query.text)
        failure = ReasoningFailure("cancelled", "taken back")
        return Answer(query, failure.text, 0.0, (), (), method, 0.0, (), failure)

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:  # noqa: ARG002
        raise ZeroDivisionError("a bug")


def test_typed_sentence_corrects_the_marked_object(memory: Memory) -> None:
    table = next(t for t in memory.snapshot().objects.values() if t.label == "dining table")
    with view(memory) as viewer:
        viewer.start()
        viewer.mark([table.object_id])
        viewer.put("this is a workbench")
        wait_until(lambda: memory.snapshot().objects[table.object_id].label == "workbench")


def test_a_question_that_takes_long_is_stopped() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        slow = Slow()
        with view(memory, slow, Asking(Allowance(600.0))) as viewer:
            viewer.start()
            viewer.put("where is everything?")
            assert slow.began.wait(30.0)
            viewer.stop()
            wait_until(lambda: slow.texts)


def test_closing_stops_the_running_question() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        slow = Slow()
        viewer = view(memory, slow, Asking(Allowance(600.0)))
        viewer.put("where is everything?")
        assert slow.began.wait(30.0)
        viewer.close()
        viewer.close()
        assert slow.texts


def test_question_that_begins_during_closing_is_stopped() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        slow = Slow()
        with view(memory, slow, Asking(Allowance(600.0))) as viewer:
            viewer._ended.set()
            viewer._answer("where is everything?")
        assert slow.texts == ["where is everything?"]


def test_gone_object_is_no_longer_marked() -> None:
    asked = Listening()
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        object_id = next(iter(memory.snapshot().objects))
        with view(memory, asked) as viewer:
            viewer.mark([object_id])
            viewer._answer("where is this?")
            memory.apply([Edit("delete_object", (object_id,))], "another", "it is not there")
            viewer.redraw()
            viewer._answer("where is that?")
    assert [query.marked_object_ids for query in asked.queries] == [(object_id,), ()]


def test_several_marked_objects_are_these_and_none_of_them_is_this() -> None:
    asked = Listening()
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        two = tuple(memory.snapshot().objects)[:2]
        with view(memory, asked) as viewer:
            for text in ("are these chairs?", "is this a chair?"):
                viewer.mark(two)
                viewer._answer(text)
    assert [query.marked_object_ids for query in asked.queries] == [two, ()]


def test_each_view_has_its_own_dialogue(memory: Memory) -> None:
    """Several may look at the same nodes, and "yes" in one of them is none in another."""
    asked = Listening()
    with view(memory, asked) as one, view(memory, asked) as other:
        one._answer("where is the lamp?")
        other._answer("where is the lamp?")
        one._answer("and where is the table?")
    first, second, third = (query.dialogue_id for query in asked.queries)
    assert first == third != second


def test_unexpected_error_does_not_end_the_view(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow()
    with view(memory, slow, Asking(Allowance(600.0))) as viewer:
        viewer.put("object 1 is a stool")
        viewer.put("where is everything?")
        assert slow.began.wait(30.0)
    assert "ZeroDivisionError" in caplog.text


def test_a_memory_that_is_away_for_a_while_is_shown_again(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    with view(Failing(memory, SceneMemoryError("away"))) as viewer:  # type: ignore[arg-type]
        viewer.redraw()
        viewer.redraw()
    assert [r.getMessage() for r in caplog.records].count("the view is not updated: away") == 1


def test_temporary_read_errors_do_not_end_the_view(memory: Memory) -> None:
    away = Failing(memory, GeometryError("a box without size"))
    with view(away) as viewer:  # type: ignore[arg-type]
        viewer._threads[0].start()
        wait_until(lambda: viewer._is_lost)
        away.error = None
        wait_until(lambda: viewer._drawn is not None)


def test_the_surface_takes_the_place_of_the_points(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32)
    colors, ids = np.full((3, 3), 200, np.uint8), np.zeros(3, np.int32)
    mesh = SurfaceMesh(corners, np.array([(0, 1, 2)], np.int32), colors, ids)
    monkeypatch.setattr(module, "clear_surface", lambda *_: mesh)
    monkeypatch.setattr(module, "_SURFACE_EVERY_S", 0.05)
    with view(memory) as viewer:
        viewer.start()
        nodes = viewer._server.scene._handle_from_node_name
        assert "/cloud/0" in nodes
        wait_until(lambda: "/surface/mesh" in nodes)
        wait_until(lambda: "/cloud/0" not in nodes)


def test_without_open3d_the_points_stay_and_that_is_said_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(*_: object) -> None:
        raise MissingOpen3DError("a surface needs Open3D: type this")

    monkeypatch.setattr(module, "clear_surface", missing)
    monkeypatch.setattr(module, "_SURFACE_EVERY_S", 0.05)
    with view(memory) as viewer:
        viewer.start()
        wait_until(lambda: not viewer._threads[1].is_alive())
        assert "/cloud/0" in viewer._server.scene._handle_from_node_name
    assert [r.getMessage() for r in caplog.records].count(
        "the place is drawn as points: a surface needs Open3D: type this"
    ) == 1


def test_an_empty_memory_can_be_looked_at() -> None:
    with Memory.create(None, SceneMindConfig()) as memory, view(memory) as viewer:
        viewer.start()
        viewer.put("where is the cup?")
        viewer.mark([7])


def test_without_a_cloud_the_first_look_is_at_the_boxes() -> None:
    tree = SceneMindConfig().model_dump()
    tree["store"]["depth_every_px"] = 0
    with Memory.create(None, SceneMindConfig.from_nested(tree)) as memory:
        map_room(memory)
        with view(memory) as viewer:
            viewer.start()
            camera = viewer._server.initial_camera
        centers = np.array([t.box.center for t in memory.snapshot().objects.values()])
    assert np.all(centers.min(axis=0)[:2] < camera.look_at[:2])
    assert np.all(camera.look_at[:2] < centers.max(axis=0)[:2])
    assert camera.position[2] > centers.max(axis=0)[2]


def test_a_mark_leaves_names_and_boxes_as_they_are(memory: Memory) -> None:
    first, second, *_ = memory.snapshot().objects
    with view(memory) as viewer:
        viewer.start()
        drawn: list[int] = []
        draw = viewer._place.draw_objects
        viewer._place.draw_objects = lambda shown: (  # type: ignore[method-assign]
            drawn.append(len(shown)),
            draw(shown),
        )[1]
        viewer.mark([first])
        viewer.mark([second])
        assert drawn == []
        viewer._choose({"hidden": [memory.snapshot().objects[first].label]})
        assert len(drawn) == 1


def test_changes_by_others_are_drawn(memory: Memory) -> None:
    chair = next(t for t in memory.snapshot().objects.values() if t.label == "chair")
    drawn: list[str] = []
    with view(memory) as viewer:
        viewer.start()
        draw = viewer._place.draw_objects
        viewer._place.draw_objects = lambda shown: (  # type: ignore[method-assign]
            drawn.extend(thing.label for thing in shown if thing.object_id == chair.object_id),
            draw(shown),
        )[1]
        memory.apply([Edit("rename", (chair.object_id,), value="stool")], "another", "it is")
        wait_until(lambda: "stool" in drawn)


class Listening:
    """A reasoner without an answer."""

    def __init__(self) -> None:
        self.queries: list[Query] = []

    def ask(self, query: Query, method: str = "auto", asking: Asking | None = None) -> Answer:  # noqa: ARG002
        self.queries.append(query)
        return Answer(query, "", 0.0, (), (), method, 0.0)

    def align(self, query: Query, by: str, asking: Asking | None = None) -> Alignment:  # noqa: ARG002
        raise AssertionError("only questions are asked here")


class Failing:
    """A memory of a node that is not there."""

    def __init__(self, memory: Memory, error: Exception | None) -> None:
        self._memory = memory
        self.error = error

    def snapshot(self) -> MemorySnapshot:
        if self.error is None:
            return self._memory.snapshot()
        raise self.error

    def __getattr__(self, name: str) -> object:
        return getattr(self._memory, name)


EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def viewer() -> Iterator[tuple[Viewer, Memory]]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        router = Router(memory, dialogues=Dialogues(1, 6))
        with Viewer(memory, router, Asking, ViewerSettings(port=0, by=EVIL)) as viewer:
            yield viewer, memory


def test_the_journal_and_the_talk_show_words_as_they_are(viewer: tuple[Viewer, Memory]) -> None:
    shown, memory = viewer
    thing = min(memory.snapshot().objects)
    memory.apply([Edit("rename", (thing,), value=EVIL)], EVIL, EVIL)
    shown.start()
    shown.mark([thing])
    shown.put(f"this is red. {EVIL}")
    shown.put("what is this?")
    parts = shown._page._parts
    wait_until(lambda: "alert(1)" in parts["talk"])
    shown._report(EVIL, EVIL)
    for part in ("talk", "history", "names", "marked", "tree", "about"):
        assert "img src=x" in parts[part]
        assert "<img" not in parts[part]


def listening() -> set[str]:
    """Addresses of the ports on which this process listens."""
    mine = {os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path("/proc/net", name).read_text(encoding="ascii").splitlines()[1:]
    ]
    return {row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in mine}


def test_no_port_leads_past_the_gate(memory: Memory) -> None:
    """Other users of the machine reach every port, but not a folder of this user alone."""
    before = listening()
    with view(memory) as viewer:
        (address,) = listening() - before
        assert int(address.rpartition(":")[2], 16) == viewer.port
        place = viewer._server.socket_path
        assert place.is_socket()
        assert place.parent.stat().st_mode & 0o077 == 0
    assert not place.parent.exists()
