"""The page's own files, and its link without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

pytest.importorskip("viser")
from websockets.sync.client import ClientConnection, connect

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.memory import Edit, Memory
from scenemind.memory.history.timeline import show_stamp
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.viewer.page_link import _OpenPage
from scenemind.viewer.viewer import Viewer, ViewerSettings
from tests.unit.memory.walk import give_up
from tests.unit.viewer.room import map_room
from tests.waiting import wait_until

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory)
        router = Router(memory, dialogues=Dialogues(1, 6))
        with Viewer(memory, router, Asking, ViewerSettings(port=0)) as viewer:
            viewer.start()
            yield viewer


@pytest.fixture
def link(viewer: Viewer) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{viewer.port}/scenemind/link", max_size=None) as link:
        yield link


def hear(link: ClientConnection, part: str) -> Any:
    """The next value of a part."""
    while True:
        message = json.loads(link.recv(30.0))
        if message["part"] == part:
            return message["value"]


def do(link: ClientConnection, **action: object) -> None:
    link.send(json.dumps(action))


def first_id(viewer: Viewer) -> int:
    assert viewer._drawn is not None
    return min(viewer._drawn.objects)


def fetched(viewer: Viewer, path: str) -> bytes:
    with urlopen(f"http://127.0.0.1:{viewer.port}{path}", timeout=30.0) as reply:
        data: bytes = reply.read()
        return data


def test_the_page_brings_its_own_modules(viewer: Viewer) -> None:
    page = fetched(viewer, "/")
    assert b"/scenemind/main.js" in page
    assert b"<title>SceneMind</title>" in page
    assert b"onPart" in fetched(viewer, "/scenemind/main.js")
    assert b"--left" in fetched(viewer, "/scenemind/view.css")


@pytest.mark.parametrize(
    "path",
    [
        "/scenemind/../viewer.py",
        "/scenemind/%2e%2e/viewer.py",
        "/scenemind/nothing.js",
        "/scenemind/",
        "/scenemind/picture?frame=99999",
        "/scenemind/picture",
        "/scenemind/picture?frame=-1",
    ],
)
def test_nothing_else_is_served(viewer: Viewer, path: str) -> None:
    with pytest.raises(HTTPError, match=r"40[04]"):
        fetched(viewer, path)


def test_pictures_of_frames_are_jpeg_files(viewer: Viewer) -> None:
    thing = first_id(viewer)
    (frame, *_) = viewer._memory.key_frames_of([thing], 1)
    path = f"/scenemind/picture?frame={frame.frame_number}"
    plain, boxed = fetched(viewer, path), fetched(viewer, f"{path}&object={thing}")
    assert plain.startswith(b"\xff\xd8")
    assert plain != boxed


def test_a_new_page_hears_everything(link: ClientConnection) -> None:
    wanted = {"title", "names", "marked", "classes", "tree", "talk", "history", "layers", "about"}
    while wanted:
        wanted.discard(json.loads(link.recv(30.0))["part"])


def test_marks_are_set_added_and_cleared(viewer: Viewer, link: ClientConnection) -> None:
    assert viewer._drawn is not None
    one, other = sorted(viewer._drawn.objects)[:2]
    hear(link, "marked")
    do(link, do="mark", ids=[one])
    assert [thing["id"] for thing in hear(link, "marked")["things"]] == [one]
    assert hear(link, "about")["id"] == one
    do(link, do="toggle", ids=[other])
    assert [thing["id"] for thing in hear(link, "marked")["things"]] == [one, other]
    do(link, do="toggle", ids=[one])
    assert [thing["id"] for thing in hear(link, "marked")["things"]] == [other]
    do(link, do="mark", ids=[])
    assert hear(link, "marked")["things"] == []


def test_classes_are_hidden_for_all(link: ClientConnection) -> None:
    legend = hear(link, "classes")
    chosen = legend["classes"][0]["label"]
    do(link, do="filter", hidden=[chosen])
    legend = hear(link, "classes")
    assert legend["shown"] == legend["total"] - legend["classes"][0]["count"]
    do(link, do="filter", hidden=[], least=1.0)
    assert hear(link, "classes")["least"] == 1.0
    do(link, do="filter", least=0.0)
    legend = hear(link, "classes")
    assert legend["shown"] == legend["total"]


def test_a_moment_is_compared_with(link: ClientConnection) -> None:
    assert hear(link, "history")["visits"][0]["number"] == 1
    do(link, do="since", text="+0.5")
    assert "since +0.5" in hear(link, "history")["told"]
    do(link, do="since", text="yesterday")
    assert "is no moment" in hear(link, "history")["told"]
    do(link, do="since", text="")
    assert "One visit so far" in hear(link, "history")["told"]


def test_visits_last_as_long_as_frames_were_taken() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        stamps = [frame.stamp_ns for frame in read_sequence(map_room(memory))]
        give_up(memory, memory.stored_frames()[:3])
        assert memory.frame_index().stamps_ns[0] > stamps[0]
        with Viewer(memory, Router(memory), Asking, ViewerSettings(port=0)) as viewer:
            viewer.start()
            (visit,) = json.loads(viewer._page._parts["history"])["visits"]
        assert (visit["from"], visit["to"]) == (show_stamp(stamps[0]), show_stamp(stamps[-1]))
        assert visit["first_seen"] == len(memory.snapshot().objects)


def test_words_find_objects_or_say_what_to_type(link: ClientConnection) -> None:
    hear(link, "marked")
    do(link, do="find", text="chair")
    assert {t["name"].split()[0] for t in hear(link, "marked")["things"]} == {"chair"}
    do(link, do="find", text="zzzz")
    assert "No object matches" in hear(link, "note")
    do(link, do="mark", ids=[])


def test_what_fits_all_the_words_is_marked_alone(viewer: Viewer, link: ClientConnection) -> None:
    scene = viewer._memory.snapshot()
    chair, other, *_ = (i for i, thing in scene.objects.items() if thing.label == "chair")
    edits = [Edit("set_attribute", (i,), "color", "grey") for i in scene.objects]
    edits.append(Edit("set_attribute", (chair,), "color", "purple"))
    written = viewer._memory.apply(edits, "Ada", "so they look")
    viewer.redraw()
    marked = []
    while marked != [chair]:  # at first of what was drawn before
        do(link, do="find", text="purple chair")
        marked = [thing["id"] for thing in hear(link, "marked")["things"]]
    do(link, do="find", text="orange chair")
    assert "Nothing fits all of it" in hear(link, "note")
    assert {chair, other} <= set(viewer._marked)
    for entry in reversed(written):
        viewer._memory.undo(entry.correction_id)
    viewer.redraw()
    do(link, do="mark", ids=[])


def test_a_browser_alone_is_told_where_to_fly(viewer: Viewer, link: ClientConnection) -> None:
    thing = first_id(viewer)
    do(link, do="fly", to="object", ids=[thing])
    assert viewer._drawn is not None
    assert hear(link, "fly")["look_at"] == list(viewer._drawn.objects[thing].box.center)
    (frame, *_) = viewer._memory.key_frames_of([thing], 1)
    do(link, do="fly", to="frame", ids=[frame.frame_number])
    assert hear(link, "fly")["position"] == frame.world_T_camera.translation.tolist()
    do(link, do="fly", to="frame", ids=[99_999])
    assert "99999" in hear(link, "note")


@pytest.mark.parametrize(
    "message",
    ["", "[", "[1]", "7", '{"do":"no such"}', '{"do":"mark","ids":"all"}', '{"do":["mark"]}',
     '{"do":"filter","least":"high","hidden":{}}', '{"do":"undo","ids":[1e99]}',
     '{"do":"say","text":7}', "[" * 10_000, '{"do":"fly","to":{},"ids":[{}]}', "x" * 20_000],
)  # fmt: skip
def test_malformed_actions_do_nothing(viewer: Viewer, link: ClientConnection, message: str) -> None:
    viewer.mark([first_id(viewer)])
    link.send(message)
    link.send(message.encode())
    do(link, do="find", text="zzzz")
    assert "No object matches" in hear(link, "note")
    viewer.mark([])


def test_corrections_are_undone_and_redone(viewer: Viewer, link: ClientConnection) -> None:
    thing = first_id(viewer)
    (entry,) = viewer._memory.apply([Edit("rename", (thing,), value=EVIL)], EVIL, EVIL)
    viewer.redraw()
    for turn, note in (("undo", "Undone"), ("redo", "Redone"), ("undo", "Undone")):
        do(link, do=turn, ids=[entry.correction_id])
        assert hear(link, "note").startswith(note)
    do(link, do="undo", ids=[entry.correction_id])
    assert hear(link, "note").startswith("Not done")
    wait_until(lambda: json.loads(viewer._page._parts["history"])["corrections"][0]["undone"])


def test_what_one_sentence_wrote_is_undone_as_one(viewer: Viewer, link: ClientConnection) -> None:
    one, other, *_ = viewer._memory.snapshot().objects
    edits = [Edit("rename", (i,), value="throne") for i in (one, other)]
    written = viewer._memory.apply(edits, "Ada", "both are thrones")
    for turn, undone in (("undo", True), ("redo", False), ("undo", True)):
        do(link, do=turn, ids=[written[1].correction_id])
        assert hear(link, "note").endswith("both are thrones (2 corrections)")
        assert [e.undone for e in viewer._memory.corrections()[-2:]] == [undone, undone]
    do(link, do="undo", ids=[99_999])
    assert "no correction 99999" in hear(link, "note")


def test_a_page_that_is_slow_gets_the_newest_state_alone() -> None:
    page = _OpenPage()
    for _ in range(1000):
        page.add("marked")
        page.note("note", "1")
    assert list(page.waiting) == ["marked"]
    assert len(page.notes) < 100
