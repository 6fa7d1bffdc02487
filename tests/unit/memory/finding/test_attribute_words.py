"""Attributes in a search: quick ones are read first, the form only for words of forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scenemind.memory.attributes.lazy_attributes import AttributeOverlay, LazyAttributes
from scenemind.memory.finding import ObjectFinder
from scenemind.memory.finding.object_index import _words_of_attributes
from tests.unit.memory.things import thing


class Measured(LazyAttributes):
    """Attributes that note which of them were computed."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def possible_names(self) -> Iterable[str]:
        return ("color", "shape", "orientation")

    def _find(self, name: str) -> str | None:
        self.read.append(name)
        return {"color": "dark red", "shape": "flat and round", "orientation": "lying"}.get(name)


def test_a_label_needs_no_attributes_and_a_colour_not_the_form() -> None:
    attributes = Measured()
    table = replace(thing(1, "table", (0, 0, 0), (1, 1, 1)), attributes=attributes)
    finder = ObjectFinder()
    finder.refresh({1: table})
    assert finder.find("table", 1)
    assert attributes.read == []
    assert finder.find("red table", 1)[0].reasons == ("label", "color=dark red")
    finder.find("something red", 1)
    assert attributes.read == ["color"]
    assert finder.find("round table", 1)[0].reasons == ("label", "shape=flat and round")
    finder.find("circular things", 1)
    assert attributes.read == ["color", "shape"]


def test_attributes_that_people_stated_are_read_first_and_win() -> None:
    attributes = Measured()
    painted = AttributeOverlay(attributes, {"color": "blue", "material": "oak", "shape": None})
    table = replace(thing(1, "table", (0, 0, 0), (1, 1, 1)), attributes=painted)
    finder = ObjectFinder()
    finder.refresh({1: table})
    assert finder.find("blue", 1)[0].reasons == ("color=blue",)
    assert finder.find("oak", 1)
    assert finder.find("red", 1) == ()
    assert "shape" not in attributes.read
    assert finder.find("round", 1) == ()


def test_form_is_computed_only_of_objects_in_question() -> None:
    several = {
        i: replace(
            thing(i, "table" if i < 5 else "lamp", (0, 0, 0), (1, 1, 1)),
            confidence=1.0 - 0.1 * i,
            attributes=Measured(),
        )
        for i in range(1, 9)
    }
    finder = ObjectFinder()
    finder.refresh(several)
    assert len(finder.find("something lying", 2)) == 2
    assert finder.find("round lamp", 1)[0].reasons == ("label", "shape=flat and round")
    looked_at = [[n for n in o.attributes.read if n != "color"] for o in several.values()]
    assert looked_at == [["orientation"]] * 2 + [[]] * 2 + [["shape"]] * 4


def test_form_that_a_person_stated_is_found_by_any_word() -> None:
    oval = replace(
        thing(1, "table", (0, 0, 0), (1, 1, 1)),
        attributes=AttributeOverlay(Measured(), {"shape": "oval", "orientation": "upside down"}),
        attribute_sources={"shape": "user", "orientation": "user"},
        corrected=True,
    )
    finder = ObjectFinder()
    finder.refresh({1: oval})
    assert finder.find("oval", 1)[0].reasons == ("shape=oval",)
    assert finder.find("oval table", 1)[0].reasons == ("label", "shape=oval")
    assert finder.find("upside down", 1)[0].reasons == ("orientation=upside down",)
    assert finder.find("round things", 1) == ()


def test_numbers_and_comparisons_are_no_qualities() -> None:
    said = _words_of_attributes(
        {
            "dimensions": "0.59 x 0.09 x 0.46 m",
            "long_side": "90 degrees",
            "relative_size": "large for a cup",
            "caption": "a large cup with red flowers",
            "color": "red",
        }
    )
    assert said["red"] == "color=red"
    assert said["large"] == "relative_size=large for a cup"
    assert said["cup"] == "caption=a large cup with red flowers"
    assert not {"90", "0", "x", "degree"} & said.keys()
