"""The report of a run, and the overview of several."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scenemind.memory import MemorySnapshot, Relation, Stay
from scenemind.memory.graph.relations import STORED
from scenemind.report.content import Step
from scenemind.report.page import (
    OverviewEntry,
    neighbourhood,
    render_page,
    shown_relations,
    write_overview,
    write_report,
)
from tests.unit.report.made import make_key_frame, make_object, make_run
from tests.unit.report.test_levels import FLOOR, WALL


def scene(*relations: Relation) -> MemorySnapshot:
    return MemorySnapshot(1, 0, {}, relations, None)


CUP_ON_TABLE = Relation(1, "on", 2, 0.5)
TABLE_NEAR_CHAIR = Relation(2, "near", 3, 0.9)
CHAIR_NEAR_TABLE = Relation(3, "near", 2, 0.9)
CHAIR_NEXT_TO_TABLE = Relation(3, "next to", 2, 0.7)


def test_default_relations_are_those_of_support() -> None:
    assert shown_relations(scene(CUP_ON_TABLE, TABLE_NEAR_CHAIR)) == [CUP_ON_TABLE]


def test_most_specific_relation_of_two_things_is_shown_once() -> None:
    snapshot = scene(TABLE_NEAR_CHAIR, CHAIR_NEAR_TABLE, CHAIR_NEXT_TO_TABLE)
    assert shown_relations(snapshot, STORED) == [CHAIR_NEXT_TO_TABLE]
    assert shown_relations(snapshot, ["near"]) == [TABLE_NEAR_CHAIR]


def test_relations_of_one_object_begin_with_it() -> None:
    snapshot = scene(CUP_ON_TABLE, TABLE_NEAR_CHAIR, CHAIR_NEAR_TABLE)
    assert shown_relations(snapshot, STORED, object_id=3) == [CHAIR_NEAR_TABLE]
    assert shown_relations(snapshot, STORED, object_id=2) == [CUP_ON_TABLE, TABLE_NEAR_CHAIR]


def test_stated_relations_are_always_shown() -> None:
    tied = Relation(3, "tied to", 2, source="user")
    assert shown_relations(scene(tied, CHAIR_NEXT_TO_TABLE), STORED) == [tied]
    assert shown_relations(scene(tied)) == [tied]


def test_an_objects_neighbourhood() -> None:
    assert neighbourhood(2, [CUP_ON_TABLE, TABLE_NEAR_CHAIR, Relation(8, "near", 9)]) == {1, 2, 3}
    assert neighbourhood(7, []) == {7}


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


def test_gone_objects_are_counted_and_explained() -> None:
    gone = replace(CUP, stays=(Stay(CUP.box, 0, 5, 9),))
    snapshot = MemorySnapshot(1, 10, {2: TABLE}, (), None, {1: gone})
    page = Page(render_page(make_run(snapshot=snapshot)))
    assert "objects, 1 gone" in page.text
    assert "No longer there" in page.text
    ghost = replace(gone, object_id=3, label="vase", is_ghost=True)
    left = replace(gone, object_id=4, label="person")
    snapshot = replace(snapshot, gone={1: gone, 3: ghost, 4: left})
    page = Page(render_page(make_run(snapshot=snapshot)))
    assert "objects, 1 gone, 1 probably never there (a detector named it" in page.text
    assert (
        "vase (probably never there: hardly ever seen again where the camera looked)" in page.text
    )
    assert "person" not in page.text
    assert "where an object was before it moved or went" in page.text
    page = Page(render_page(make_run([CUP, TABLE])))
    for text in ("gone", "moved", "No longer there"):
        assert text not in page.text


def test_questions_stand_with_answer_expectation_and_evidence() -> None:
    frame = make_key_frame({1: (10.0, 10.0, 50.0, 50.0)})
    run = make_run([CUP], steps=(step(object_ids=(1,), key_frames=(frame,)),), is_simulated=True)
    page = Page(render_page(run))
    for text in ("Where is the cup?", "On the table.", "Expected: table", "12 ms", "1 of 1"):
        assert text in page.text
    (picture,) = page.of("img")
    assert str(picture["src"]).startswith("data:image/jpeg;base64,")


def test_three_questions_are_shown_and_failures_are_never_folded() -> None:
    frame = make_key_frame({1: (10.0, 10.0, 50.0, 50.0)})
    seen = step(object_ids=(1,), key_frames=(frame,))
    run = make_run([CUP], steps=(seen, seen, seen, seen, step(ok=False)))
    html = render_page(run)
    before, after = html.split("1 more, each with its steps")
    assert before.count("<article") == 4
    assert 'class="card failed"' in before
    assert after.count("<article") == 1
    assert "known answers" not in html  # a recording's only known ones are the page's own


def test_a_failed_step_is_marked_and_counted() -> None:
    page = Page(render_page(make_run([CUP], steps=(step(), step(ok=False)), is_simulated=True)))
    assert "1 of 2" in page.text
    assert sum("failed" in str(a.get("class")) for a in page.of("article")) == 1


def test_answer_without_a_known_truth_does_not_count_as_right() -> None:
    steps = (step(), step(expected=""), step(expected="", ok=False))
    run = make_run([CUP], steps=steps, is_simulated=True)
    assert [s.verdict for s in run.steps] == ["right", "answered", "failed"]
    assert run.tallies() == [(1, 1, "right"), (1, 2, "answered")]
    text = " ".join(Page(render_page(run)).text.split())
    assert "1 of 1 known answers right" in text
    assert "1 of 2 answered, unchecked" in text


def test_objects_are_listed_with_their_most_specific_relation() -> None:
    relations = [Relation(1, "near", 2), Relation(1, "on", 2), Relation(1, "below", 2)]
    text = " ".join(Page(render_page(make_run([CUP, TABLE], relations))).text.split())
    assert "on dining table 2" in text
    assert "near dining table 2" not in text


def test_relations_to_a_wall_are_listed_and_those_to_the_floor_are_not() -> None:
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


def test_the_map_and_the_graph_are_drawn_once_each() -> None:
    html = render_page(make_run([CUP, TABLE], [Relation(1, "on", 2)]))
    classes = [attributes.get("class") for attributes in Page(html).of("svg")]
    assert classes.count("drawing topdown") == 1
    assert classes.count("drawing levels") == 1
    assert "drawing levels" not in render_page(make_run())


def test_every_link_leads_somewhere() -> None:
    page = Page(render_page(make_run([CUP, TABLE])))
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    targets = {str(link["href"]).removeprefix("#") for link in page.of("a")}
    assert targets == {"object-1", "object-2"}
    assert targets <= ids


@pytest.mark.parametrize("is_simulated", [True, False])
def test_page_of_a_simulated_run_is_marked(is_simulated: bool) -> None:
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


def test_injected_html_stays_text() -> None:
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


def test_page_fetches_no_other_file(tmp_path: Path) -> None:
    page = write_report(make_run([CUP, TABLE]), tmp_path / "new" / "folder")
    html = page.read_text(encoding="utf-8")
    assert page.name == "index.html"
    assert "@import" not in html
    assert "url(" not in html
    assert not Page(html).of("link")


def test_an_empty_run_gives_a_page() -> None:
    assert "Nothing was found." in render_page(make_run())


def test_pictures_have_the_labels_of_the_time_of_the_question() -> None:
    frame = make_key_frame({1: (10.0, 10.0, 50.0, 50.0)})
    asked = {"object_ids": (1,), "key_frames": (frame,)}
    named = [
        Page(render_page(make_run([CUP], steps=(step(**asked, labels=labels),)))).of("img")
        for labels in ({}, {1: "cup"}, {1: "toolbox"})
    ]
    assert named[0] == named[1] != named[2]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag == "a" and not dict(attrs)["href"].startswith("#"):
            self.links.append(dict(attrs)["href"])


def test_every_run_has_a_map_its_figures_and_a_page(tmp_path):
    runs = [replace(make_run(), sequence=name) for name in ("Kitchen / evening", "Lab <2>")]
    entries = [OverviewEntry(run, {"objects": str(number)}) for number, run in enumerate(runs)]
    page = write_overview("Two rooms", {"recall_25": "0.97"}, entries, tmp_path / "report")
    text = page.read_text(encoding="utf-8")
    reader = _Links()
    reader.feed(text)
    assert reader.links == ["01-kitchen-evening/index.html", "02-lab-2/index.html"]
    for link, run in zip(reader.links, runs, strict=True):
        assert (page.parent / link).is_file()
        assert f"SceneMind: {run.sequence}".split("<")[0] in (page.parent / link).read_text()
    assert text.count("<svg") >= 2
    assert "0.97" in text
    assert "Lab &lt;2&gt;" in text


def test_a_run_may_have_lost_the_only_object_of_its_kind(tmp_path):
    vase = make_object(7, "vase", (0.0, 0.0, 0.0))
    gone = {7: replace(vase, stays=(Stay(vase.box, 0, 5, 9),))}
    snapshot = MemorySnapshot(1, 10, {}, (), None, gone)
    page = write_overview("One", {}, [OverviewEntry(make_run(snapshot=snapshot), {})], tmp_path)
    assert "<svg" in page.read_text(encoding="utf-8")
