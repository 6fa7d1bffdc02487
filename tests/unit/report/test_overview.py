"""Several runs on one page of maps, each with its own page behind it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from scenemind.memory import MemorySnapshot, Stay
from scenemind.report import OverviewEntry, write_overview
from tests.unit.report.made import make_object, make_run


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
