"""HTML of labels and sentences."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import Relation
from scenemind.viewer.panels import about
from scenemind.viewer.widgets import escaped, newest_last, plain, strip
from tests.unit.viewer.room import make_scene, make_thing

EVIL = "<img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.seen.append(tag)


def tags_of(html: str) -> list[str]:
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser.seen


@given(st.text())
def test_no_text_makes_a_tag(text: str) -> None:
    assert tags_of(escaped(text)) == []
    assert not set(escaped(text)) & set("<>\"'")
    assert not set(plain(text)) & set("<>\n\r")


def test_panel_of_an_object_has_only_its_own_tags() -> None:
    tame, evil = make_thing(1, "cup", (0, 0, 1)), make_thing(1, EVIL, (0, 0, 1))
    evil.attributes[EVIL] = EVIL  # type: ignore[index]
    tame.attributes["a"] = "b"  # type: ignore[index]
    scene = make_scene(evil, relations=(Relation(1, EVIL, -1, source="user"),))
    assert tags_of(about(evil, scene)) == tags_of(about(tame, make_scene(tame)))


def test_newest_sentence_is_at_the_end_of_the_log() -> None:
    html = newest_last(["first", "second"], "9vh")
    assert html.index("second") < html.index("first")
    assert "column-reverse" in html


def test_a_strip_has_its_pictures() -> None:
    assert tags_of(strip([(b"jpeg", "one"), (b"jpeg", "two")])).count("img") == 2
