"""Conditions that compare: counts, distances, measures, likeness, against the boxes themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.reasoning import Answer, Query, Router

from ..scene import SmallMemory, room_memory, snapshot_of, thing

COLOURS = ("red", "blue", "black")
LABELS = ("chair", "shelf", "bin")


def hall() -> list[MapObject]:
    """Things of many sizes on a floor, one door and one cupboard among them."""
    rng = np.random.default_rng(17)
    found = [
        thing(2, "door", (0.0, 8.0, 1.0), (0.9, 0.1, 2.0), color="red"),
        thing(3, "cupboard", (-6.0, -5.0, 0.9), (1.2, 0.6, 1.8), color="blue"),
    ]
    for number in range(4, 40):
        size = rng.uniform(0.3, 2.5, 3).round(2)
        place = (*rng.uniform(-7, 7, 2).round(2), size[2] / 2.0)
        label, colour = LABELS[number % 3], COLOURS[int(rng.integers(3))]
        found.append(thing(number, label, place, tuple(size.tolist()), color=colour))
    return found


HALL = hall()
DOOR, CUPBOARD = HALL[:2]
MEMORY = SmallMemory(snapshot_of(HALL))


def ask(text: str) -> Answer:
    return Router(MEMORY).ask(Query(text))


def ids(text: str) -> set[int]:
    return {obj.object_id for obj in ask(text).objects}


def gap_m(a: MapObject, b: MapObject) -> float:
    """Distance of two upright boxes."""
    apart = np.abs(np.subtract(a.box.center, b.box.center))
    return float(np.linalg.norm(np.maximum(apart - np.add(a.box.size, b.box.size) / 2.0, 0.0)))


def those(label: str, fits: Callable[[MapObject], bool]) -> set[int]:
    return {obj.object_id for obj in HALL if obj.label == label and fits(obj)}


@pytest.mark.parametrize("metres", [1.5, 3.0, 6.0])
@pytest.mark.parametrize("label", LABELS)
def test_distances_are_those_of_boxes(label: str, metres: float) -> None:
    near = those(label, lambda obj: gap_m(obj, DOOR) <= metres)
    far = those(label, lambda obj: gap_m(obj, DOOR) > metres)
    assert ids(f"which {label} is there within {metres} m of the door?") == near
    assert ids(f"how many {label}s are less than {100 * metres:.0f} cm from the door?") == near
    assert ids(f"which {label}s are farther than {metres} m from the door?") == far
    assert ids(f"is there a {label} at least {metres} m away from the door?") == far


def test_the_anchor_is_at_no_distance_from_itself() -> None:
    assert DOOR.object_id not in ids("what is farther than 2 m from the door?")


@pytest.mark.parametrize(
    ("more", "less", "axis"), [("taller", "shorter", 2), ("longer", "narrower", 0)]
)
def test_measures_compare_with_things_and_lengths(more: str, less: str, axis: int) -> None:
    def measure(obj: MapObject) -> float:
        wide, long = sorted(obj.box.size[:2])
        front = long if obj.box.size[2] > wide else wide
        return obj.box.size[2] if axis == 2 else long if more == "longer" else front

    above = those("chair", lambda obj: measure(obj) > measure(CUPBOARD))
    assert ids(f"which chairs are {more} than the cupboard?") == above
    assert ids(f"is there a chair {more} than 1.3 m?") == those(
        "chair", lambda obj: measure(obj) > 1.3
    )
    assert ids(f"which chairs are not {more} than 130 cm?") == those(
        "chair", lambda obj: measure(obj) <= 1.3
    )
    if axis == 2:
        assert ids(f"find a chair {less} than the cupboard") == those(
            "chair", lambda obj: measure(obj) < measure(CUPBOARD)
        )


def test_likeness_is_of_colour_kind_and_measure() -> None:
    red = those("bin", lambda obj: obj.attributes["color"] == "red")
    assert ids("which bins have the same colour as the door?") == red
    one = next(obj for obj in HALL if obj.label == "shelf")
    others = those("shelf", lambda obj: obj is not one)
    assert ids(f"what is of the same kind as object {one.object_id}?") == others
    tall = {
        obj.object_id
        for obj in HALL
        if obj is not CUPBOARD and abs(obj.box.size[2] - CUPBOARD.box.size[2]) <= 0.05
    }
    assert ids("which things are as tall as the cupboard?") == tall


def test_nearer_to_one_thing_than_to_another() -> None:
    closer = those("bin", lambda obj: gap_m(obj, DOOR) < gap_m(obj, CUPBOARD))
    assert ids("which bins are closer to the door than to the cupboard?") == closer
    assert ids("which bins are farther from the cupboard than from the door?") == closer
    one = min(closer)
    text = f"is object {one} nearer to the door than to the cupboard?"
    assert ask(text).text.startswith("Yes")
    text = f"is object {one} nearer to the cupboard than to the door?"
    assert ask(text).text.startswith("No")


def near_counts() -> dict[int, int]:
    """How many chairs are within 2 m of each bin."""
    chairs = [obj for obj in HALL if obj.label == "chair"]
    return {
        obj.object_id: sum(gap_m(obj, chair) <= 2.0 for chair in chairs)
        for obj in HALL
        if obj.label == "bin"
    }


def test_relations_to_numbers_of_things_are_counted() -> None:
    counts = near_counts()
    for said, holds in (
        ("more than two", lambda n: n > 2),
        ("at least one", lambda n: n >= 1),
        ("fewer than two", lambda n: n < 2),
        ("exactly 2", lambda n: n == 2),
        ("no more than 3", lambda n: n <= 3),
    ):
        wanted = {row for row, count in counts.items() if holds(count)}
        assert ids(f"which bins are within 2 m of {said} chairs?") == wanted
    most = {row for row, count in counts.items() if count == max(counts.values())}
    fewest = {row for row, count in counts.items() if count == min(counts.values())}
    assert ids("which bin is within 2 m of the most chairs?") == most
    assert ids("which bin is within 2 m of the fewest chairs?") == fewest


@pytest.mark.parametrize("label", [*LABELS, "door", "piano"])
@pytest.mark.parametrize("number", [0, 1, 11, 12, 13])
def test_numbers_of_things_are_bounded(label: str, number: int) -> None:
    count = len(those(label, lambda _: True))
    for said, holds in (
        ("at least", count >= number),
        ("more than", count > number),
        ("at most", count <= number),
        ("fewer than", count < number),
        ("exactly", count == number),
    ):
        if number or said in ("more than", "at most", "exactly"):
            answer = ask(f"are there {said} {number} {label}s?")
            assert answer.brief == ("yes" if holds else "no"), said


def test_how_many_more_there_are() -> None:
    answer = ask("how many more bins than doors are there?")
    assert answer.text.startswith("Eleven, there are 12 bins and 1 door")
    assert ask("how many fewer doors than bins are there?").brief == "eleven"
    assert ask("how many more doors than bins are there?").brief == "none, but eleven fewer"


def test_what_fits_is_measured_on_boxes_and_the_rest_is_said() -> None:
    router = Router(room_memory())

    def said(text: str) -> str:
        return router.ask(Query(text)).text

    assert said("does the sofa fit between the chair 4 and the chair 5?").startswith("Yes, the gap")
    assert "2.10 m" not in said("does the cup fit between the sofa and the shelf?")
    assert said("can I fit the sofa under the table?").startswith("No, the top of the dining")
    assert "is not known" in said("can I fit the laptop under the table?")
    assert "I know no bucket" in said("can I fit a bucket under the table?")
    hung = thing(30, "board", (0.0, 4.0, 1.4), (2.0, 0.3, 0.05))
    memory = SmallMemory(snapshot_of((*room_memory().perceived.objects.values(), hung)))
    answer = Router(memory).ask(Query("would the shelf fit under the board?"))
    assert answer.text.startswith("Yes, the board (object 30) is 1.38 m above the floor")


def test_between_two_of_a_kind() -> None:
    benches = [thing(n, "bench", (x, 0.0, 0.25), (1.0, 0.4, 0.5)) for n, x in ((1, 0.0), (2, 2.2))]
    carts = [
        thing(3, "cart", (5, 5, 0.5), (0.7, 1.1, 1.0)),
        thing(4, "piano", (9, 5, 0.6), (1.5,) * 3),
    ]
    router = Router(SmallMemory(snapshot_of((*benches, *carts))))
    text = router.ask(Query("does the cart fit between the benches?")).text
    assert text.startswith("Yes, the gap between")
    assert "1.20 m" in text
    assert "0.70 m" in text
    text = router.ask(Query("can I fit the piano between the two benches?")).text
    assert text.startswith("No")


def test_comparisons_are_of_turned_boxes() -> None:
    turned = replace(DOOR, box=Box3D(DOOR.box.center, DOOR.box.size, 0.6))
    memory = SmallMemory(snapshot_of((turned, *HALL[1:])))
    answer = Router(memory).ask(Query("is the door wider than 90 cm?"))
    assert answer.brief == "no"
    assert answer.text.endswith("0.90 m wide, not wider than 0.9 m.")


@pytest.mark.parametrize(
    "text",
    ["the cupboard is taller than the door", "the bin is within 2 m of the door",
     "the door is of the same colour as the cupboard", "the door is longer than 2 m"],
)  # fmt: skip
def test_measures_are_no_corrections(text: str) -> None:
    memory = SmallMemory(snapshot_of(HALL))
    Router(memory).align(Query(text), "Ada")
    assert not memory.corrections()


def test_a_chain_of_heights_orders_all() -> None:
    """Each is taller than the one before, unless they differ by less than boxes tell."""
    shelves = sorted((o for o in HALL if o.label == "shelf"), key=lambda o: o.box.size[2])
    for low, high in pairwise(shelves):
        answer = ask(f"is object {high.object_id} taller than object {low.object_id}?")
        small, tall = low.box.size[2], high.box.size[2]
        is_same = tall - small <= min(0.02, 0.02 * tall)
        assert answer.brief == ("no" if is_same else "yes")
        assert ("as high as each other" in answer.text) == is_same


@pytest.mark.parametrize(
    ("colours", "answer"),
    [
        (
            ("black", "black", "black and brown", "black"),
            "Perhaps, all 4 are black, some of them in part",
        ),
        (
            ("black", "black", "red", "black and grey"),
            "No, 3 of 4 are black, at least in part; the chair (object 2) is red.",
        ),
        (("black", "red", "blue", "grey"), "No, the chair (object 0) is black"),
    ],
)
def test_of_many_things_the_most_frequent_colour_is_told(
    colours: tuple[str, ...], answer: str
) -> None:
    chairs = [
        thing(k, "chair", (1.5 * k, 0.0, 0.45), (0.5, 0.5, 0.9), color=colour)
        for k, colour in enumerate(colours)
    ]
    said = Router(SmallMemory(snapshot_of(chairs))).ask(Query("are the chairs all the same?"))
    assert said.text.startswith(answer)
