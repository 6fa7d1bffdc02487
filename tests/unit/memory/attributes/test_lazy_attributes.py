"""Attributes of an object, computed when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.attributes.form import Form, FormWords
from scenemind.memory.attributes.lazy_attributes import (
    AttributeOverlay,
    ComputedAttributes,
    RecomputedAttributes,
    quick_attributes,
)
from scenemind.memory.types import MapObject
from scenemind.perception.colors import COLOR_NAMES
from tests.unit.memory.attributes.solids_seen import box, cylinder, form_of
from tests.unit.memory.things import thing

RED = np.array([100.0 * (name == "red") for name in COLOR_NAMES])
BIN = form_of(cylinder(0.15, 0.4))


class Unread(Mapping[str, str]):
    """A value that fails the test when it is read."""

    def __getitem__(self, name: str) -> str:
        pytest.fail(f"{name} was read")

    def __iter__(self) -> Iterator[str]:
        pytest.fail("names were read")

    def __len__(self) -> int:
        pytest.fail("the length was read")


def seen(form: Form, label: str = "trash can") -> MapObject:
    there = thing(1, label, form.box.center, form.box.size)
    attributes = ComputedAttributes(label, RED, FormWords(form))
    return replace(there, points=form.points, attributes=attributes)


def test_all_attributes_of_a_red_bin() -> None:
    attributes = dict(seen(BIN).attributes)
    assert attributes.pop("dimensions").endswith(" m")
    assert attributes == {
        "color": "red",
        "size": "medium",
        "relative_size": "usual for a trash can",
        "shape": "cylindrical",
        "orientation": "upright",
    }


def test_an_object_of_one_point_has_a_size_and_no_shape() -> None:
    dot = np.array([[1.0, 2.0, 0.5]], np.float32)
    form = Form(dot, Box3D((1.0, 2.0, 0.5), (0.0, 0.0, 0.0)), 0.03)
    attributes = ComputedAttributes("thing", np.zeros(len(COLOR_NAMES)), FormWords(form))
    assert dict(attributes) == {"size": "small", "dimensions": "0.00 x 0.00 x 0.00 m"}


def test_stated_attributes_replace_computed_ones() -> None:
    attributes = AttributeOverlay(
        seen(BIN).attributes, {"color": "crimson", "shape": None, "state": "full"}
    )
    assert attributes["color"] == "crimson"
    assert attributes["state"] == "full"
    assert "shape" not in attributes
    assert attributes["size"] == "medium"


def test_replacing_attributes_computes_none() -> None:
    AttributeOverlay(Unread(), Unread())


def test_another_name_or_surface_gives_other_attributes() -> None:
    said = {"size": "huge", "state": "full"}
    given = replace(
        seen(BIN),
        attributes=AttributeOverlay(seen(BIN).attributes, said),
        attribute_sources=dict.fromkeys(said, "user"),
    )
    cupped = RecomputedAttributes(replace(given, label="cup"))
    assert cupped["relative_size"] == "large for a cup"
    assert (cupped["color"], cupped["size"], cupped["state"]) == ("red", "huge", "full")
    board = form_of(box((0.9, 0.02, 0.6)))
    whole = RecomputedAttributes(replace(given, points=board.points, box=board.box))
    assert (whole["shape"], whole["color"]) == ("flat and rectangular", "red")


@given(st.lists(st.sampled_from(("rename", "size", "state", "shrink", "shape")), max_size=12))
def test_layers_that_are_joined_say_the_same(steps: list[str]) -> None:
    """Each attribute is that of the newest layer that states it."""
    given_thing = seen(BIN)
    said: dict[str, str | None] = {}
    for number, step in enumerate(steps):
        if step in ("rename", "shrink"):
            label = ("cup", "trash can")[number % 2]
            points = given_thing.points[:: 2 if step == "shrink" else 1]
            given_thing = replace(given_thing, label=label, points=points)
            given_thing = replace(given_thing, attributes=RecomputedAttributes(given_thing))
        else:
            said[step] = None if step == "shape" else f"{step} {number}"
            given_thing = replace(
                given_thing,
                attributes=AttributeOverlay(given_thing.attributes, {step: said[step]}),
                attribute_sources=dict.fromkeys(said, "user"),
            )
    is_anew = "rename" in steps or "shrink" in steps
    anew = RecomputedAttributes(
        replace(given_thing, attributes={"color": "red"}, attribute_sources={})
    )
    expected = {**(anew if is_anew else seen(BIN).attributes), **said}
    assert dict(given_thing.attributes) == {n: v for n, v in expected.items() if v is not None}


def test_an_object_without_points_keeps_its_attributes() -> None:
    far = replace(thing(3, "mug", (0, 0, 0), (0.1, 0.1, 0.1)), attributes={"size": "tiny"})
    assert dict(RecomputedAttributes(far)) == {"size": "tiny"}


def test_only_attributes_that_are_read_are_computed() -> None:
    form = form_of(cylinder(0.15, 0.4))
    bin_ = seen(form)
    attributes = bin_.attributes
    assert attributes["color"] == "red"
    assert "yaw_box" not in vars(form)
    assert "shape" not in quick_attributes(bin_)
    assert quick_attributes(bin_)["size"] == "medium"
    assert "extents_m" not in vars(form)
    assert attributes["shape"] == "cylindrical"
    assert "extents_m" in vars(form)
    assert quick_attributes(replace(bin_, attributes={"color": "red"})) == {"color": "red"}
