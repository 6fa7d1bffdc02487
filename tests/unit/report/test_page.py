"""The page holds all that a reader looks for, and nothing that comes alive."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scenemind.memory import MemorySnapshot, Relation, Stay
from scenemind.report import Step, render_page, write_report

from .made import make_key_frame, make_object, make_run
from .test_support_tree import FLOOR, WALL

CUP = make_object(1, "cup", (1.0, 2.0, 0.9))
TABLE = make_object(2, "dining table", (1.0, 2.0, 0.4), (2.0, 1.0, 0.8))
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class Page(HTMLParser):
    """Tags with their attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def step(**more: object) -> Step:
    values = {
        "name": "where is",
        "question": "Where is the cup?",
        "answer": "On the table.",
        "expected": "table",
        "ok": True,
        "seconds": 0.0125,
    }
    return Step(**values | more)  # type: ignore[arg-type]


def test_what_is_gone_is_counted_and_explained_where_there_is_any() -> None:
    gone = replace(CUP, stays=(Stay(CUP.box, 0, 5, 9),))
    snapshot = MemorySnapshot(1, 10, {2: TABLE}, (), None, {1: gone})
    page = Page(render_page(make_run(snapshot=snapshot)))
    assert "objects, 1 gone" in page.text
    assert "No longer there" in page.text
    assert "where an object was before it moved or went" in page.text
    page = Page(render_page(make_run([CUP, TABLE])))
    for text in ("gone", "moved", "No longer there"):
        assert text not in page.text


def test_questions_stand_with_answer_expectation_and_evidence() -> None:
    frame = make_key_frame({1: (10.0, 10.0, 50.0, 50.0)})
    run = make_run([CUP], steps=(step(object_ids=(1,), key_frames=(frame,)),))
    page = Page(render_page(run))
    for text in ("Where is the cup?", "On the table.", "Expected: table", "12 ms", "1 of 1"):
        assert text in page.text
    (picture,) = page.of("img")
    assert str(picture["src"]).startswith("data:image/jpeg;base64,")


def test_a_failed_step_is_marked_and_counted() -> None:
    page = Page(render_page(make_run([CUP], steps=(step(), step(ok=False)))))
    assert "1 of 2" in page.text
    assert sum("failed" in str(a.get("class")) for a in page.of("article")) == 1


def test_an_answer_that_nobody_can_check_does_not_count_as_right() -> None:
    run = make_run([CUP], steps=(step(), step(expected=""), step(expected="", ok=False)))
    assert [s.verdict for s in run.steps] == ["right", "answered", "failed"]
    assert run.tallies() == [(1, 1, "right"), (1, 2, "answered")]
    text = " ".join(Page(render_page(run)).text.split())
    assert "1 of 1 known answers right" in text
    assert "1 of 2 answered, unchecked" in text


def test_objects_are_listed_with_their_most_telling_relation() -> None:
    relations = [Relation(1, "near", 2), Relation(1, "on", 2), Relation(1, "below", 2)]
    text = " ".join(Page(render_page(make_run([CUP, TABLE], relations))).text.split())
    assert "on dining table 2" in text
    assert "near dining table 2" not in text


def test_what_a_wall_carries_is_told_and_what_the_floor_does_is_not() -> None:
    picture = make_object(3, "picture", (0.0, 2.5, 1.5))
    objects = {thing.object_id: thing for thing in (TABLE, picture)}
    relations = (
        Relation(2, "on", -1),
        Relation(3, "hanging on", -2),
        Relation(3, "next to", 2),
        Relation(2, "next to", 3),
    )
    structure = {-1: FLOOR, -2: WALL}
    snapshot = MemorySnapshot(1, 0, objects, relations, None, structure=structure)
    page = Page(render_page(make_run(snapshot=snapshot)))
    told = page.text[page.text.index("observations") :]
    assert "hanging on wall -2" in told
    assert "next to picture 3" in told
    assert "on floor -1" not in told


def test_the_scene_graph_is_drawn_by_levels_and_from_above() -> None:
    html = render_page(make_run([CUP, TABLE], [Relation(1, "on", 2)]))
    classes = [attributes.get("class") for attributes in Page(html).of("svg")]
    assert classes.count("drawing topdown") == 2
    assert classes.count("drawing levels") == 1
    assert "drawing levels" not in render_page(make_run())


def test_every_link_leads_somewhere() -> None:
    page = Page(render_page(make_run([CUP, TABLE])))
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    targets = {str(link["href"]).removeprefix("#") for link in page.of("a")}
    assert targets == {"object-1", "object-2"}
    assert targets <= ids


@pytest.mark.parametrize("is_simulated", [True, False])
def test_a_simulated_run_says_so(is_simulated: bool) -> None:
    assert ("SIMULATED" in render_page(make_run(is_simulated=is_simulated))) is is_simulated


def test_drops_are_listed_by_cause() -> None:
    page = Page(render_page(make_run(dropped={"no pose": 3, "bad depth": 2})))
    for text in ("no pose", "3", "bad depth", "5"):
        assert text in page.text


def test_timings_and_machine_are_shown() -> None:
    run = make_run(stages_ms={"detect": 60.0, "lift": 15.0}, machine={"cpu": "a processor"})
    page = Page(render_page(run))
    for text in ("60.0 ms", "15.0 ms", "75 ms", "a processor"):
        assert text in page.text


def test_nothing_injected_comes_alive() -> None:
    thing = make_object(1, HOSTILE, (0.0, 0.0, 0.0))
    said = step(name=HOSTILE, question=HOSTILE, answer=HOSTILE, expected=HOSTILE, detail=HOSTILE)
    run = make_run(
        [thing],
        sequence=HOSTILE,
        detector=HOSTILE,
        steps=(said,),
        dropped={HOSTILE: 1},
        stages_ms={HOSTILE: 1.0},
        machine={HOSTILE: HOSTILE},
        remarks=(HOSTILE,),
    )
    page = Page(render_page(run))
    assert page.of("script") == []
    assert page.of("img") == []
    assert page.text.count(HOSTILE) >= 10


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = write_report(make_run([CUP, TABLE]), tmp_path / "new" / "folder")
    html = page.read_text(encoding="utf-8")
    assert page.name == "index.html"
    assert "@import" not in html
    assert "url(" not in html
    assert not Page(html).of("link")


def test_an_empty_run_gives_a_page() -> None:
    assert "Nothing was found." in render_page(make_run())


def test_pictures_name_things_as_they_were_called_when_asked() -> None:
    frame = make_key_frame({1: (10.0, 10.0, 50.0, 50.0)})
    asked = {"object_ids": (1,), "key_frames": (frame,)}
    named = [
        Page(render_page(make_run([CUP], steps=(step(**asked, labels=labels),)))).of("img")
        for labels in ({}, {1: "cup"}, {1: "toolbox"})
    ]
    assert named[0] == named[1] != named[2]
