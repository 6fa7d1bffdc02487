"""Answers on what is measured and counted: differences, widths, gaps of turned boxes, sightings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D, turned_gaps_m
from scenemind.reasoning import Answer, Query, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.symbolic.scene import Scene

from ..scene import ROOM, SmallMemory, room_memory, snapshot_of, thing

TV = thing(20, "tv", (0.0, 4.0, 1.5), (1.2, 0.3, 0.7))


def ask(text: str, memory: SmallMemory | None = None) -> Answer:
    return Router(memory or room_memory()).ask(Query(text))


def test_how_much_longer_one_thing_is() -> None:
    table, sofa = (next(o for o in ROOM if o.object_id == i) for i in (1, 8))
    apart = abs(max(table.box.size[:2]) - max(sofa.box.size[:2]))
    answer = ask("how much longer is the sofa than the table?")
    assert f"{apart:.2f} m" in answer.text
    assert {obj.object_id for obj in answer.objects} == {1, 8}


def test_a_tv_is_as_wide_as_its_picture() -> None:
    memory = SmallMemory(snapshot_of((*ROOM, TV)))
    assert "1.20 m wide" in ask("how wide is the tv?", memory).text
    assert "0.30 m deep" in ask("how deep is the tv?", memory).text


def test_either_side_of_what_lies_may_be_its_width() -> None:
    """A sofa's front is its longer side, a bed's the shorter one."""
    sofa = thing(20, "sofa", (0.0, 4.0, 0.4), (2.1, 0.9, 0.8))
    text = ask("how wide is the sofa?", SmallMemory(snapshot_of([sofa]))).text
    assert "0.90 m wide, and 2.10 m on its longer side" in text
    stool = thing(20, "stool", (0.0, 4.0, 0.2), (0.5, 0.45, 0.4))
    assert (
        "longer side" not in ask("how wide is the stool?", SmallMemory(snapshot_of([stool]))).text
    )


def test_sightings_are_counted_and_ranked() -> None:
    often = replace(TV, observation_count=77)
    memory = SmallMemory(snapshot_of((*ROOM, often)))
    assert "seen in 77 frames" in ask("how many times did you see the tv?", memory).text
    answer = ask("which of the things did you see the most?", memory)
    assert [obj.object_id for obj in answer.objects] == [20]


def test_the_least_sure_thing_is_named() -> None:
    memory = SmallMemory(snapshot_of((*ROOM, replace(TV, confidence=0.1))))
    answer = ask("which of your detections do you trust the least?", memory)
    assert [obj.object_id for obj in answer.objects] == [20]


@pytest.mark.parametrize("yaw", np.linspace(0.0, np.pi, 7))
def test_gaps_are_those_of_the_corners_nearest_to_a_side(yaw: float) -> None:
    """A square that turns beside a wide wall reaches it by half its width along the normal."""
    square, wall = (
        Box3D((0.0, 0.0, 0.5), (2.0, 2.0, 1.0), yaw),
        Box3D((0.0, 5.0, 0.5), (50.0, 2.0, 1.0)),
    )
    reach = abs(np.cos(yaw)) + abs(np.sin(yaw))
    assert turned_gaps_m(square, [wall, square]) == pytest.approx([4.0 - reach, 0.0])


def many_things(count: int, labels: tuple[str, ...]) -> SmallMemory:
    """Things of many sizes anywhere in a hall."""
    rng = np.random.default_rng(5)
    places, sizes = rng.uniform(-20, 20, (count, 3)), rng.uniform(0.1, 3.0, (count, 3))
    each = zip(range(1, count + 1), places.tolist(), sizes.tolist(), strict=True)
    return SmallMemory(
        snapshot_of(
            [thing(i, labels[i % len(labels)], tuple(at), tuple(size)) for i, at, size in each]
        )
    )


def test_the_nearest_of_many_is_that_of_all_measured_one_by_one() -> None:
    scene = Scene(many_things(180, ("chair", "bin")).snapshot())
    chairs, bins = (np.array(scene.rows_of_label[label]) for label in ("chair", "bin"))
    gaps, centers = scene.nearest_gaps_m(chairs, bins)
    each = np.min([scene.gaps_to_m(row) for row in bins.tolist()], axis=0)[chairs]
    apart = np.linalg.norm(scene.center[chairs, None] - scene.center[bins], axis=2)
    assert gaps == pytest.approx(each)
    assert centers == pytest.approx(apart.min(axis=1))


def test_of_very_many_the_nearest_are_measured_and_the_others_are_no_nearer() -> None:
    memory = many_things(600, ("chair", "bin"))
    turned = {}
    for i, one in memory.perceived.objects.items():
        box = replace(one.box, yaw=0.5)
        turned[i] = replace(one, box=Box3D.from_bounds(*box.bounds()), known_yaw_box=box)
    scene = Scene(replace(memory.perceived, objects=turned))
    chairs, bins = (np.array(scene.rows_of_label[label]) for label in ("chair", "bin"))
    gaps, _ = scene.nearest_gaps_m(chairs, bins)
    boxes = [scene.objects[row].yaw_box for row in bins.tolist()]
    exact = np.array([turned_gaps_m(scene.objects[row].yaw_box, boxes).min() for row in chairs])
    first = np.argsort(gaps, kind="stable")[:50]
    assert gaps[first] == pytest.approx(exact[first])
    assert exact[np.argsort(gaps, kind="stable")[50:]].min() >= gaps[first].max() - 1e-9


def test_what_cannot_be_among_the_nearest_is_left_unmeasured_and_no_nearer() -> None:
    scene = Scene(many_things(2_000, ("chair", "bin")).snapshot())
    chairs, bins = (np.array(scene.rows_of_label[label]) for label in ("chair", "bin"))
    exact, _ = scene.nearest_gaps_m(chairs, bins)
    gaps, _ = scene.nearest_gaps_m(chairs, bins, is_far_measured=False)
    first = np.argsort(exact, kind="stable")[:100]
    assert gaps[first] == pytest.approx(exact[first])
    assert (gaps <= exact + 1e-9).all()
    assert np.delete(gaps, first).min() >= gaps[first].max() - 1e-9


def test_the_closest_to_any_of_many_is_found() -> None:
    memory = many_things(180, ("chair", "bin"))
    scene = Scene(memory.snapshot())
    chairs, bins = (np.array(scene.rows_of_label[label]) for label in ("chair", "bin"))
    each = np.min([scene.gaps_to_m(row) for row in bins.tolist()], axis=0)[chairs]
    farthest = int(scene.ids[chairs[np.argmax(each)]])
    answer = ask("which chair is farthest from the bins?", memory)
    assert [obj.object_id for obj in answer.objects] == [farthest]


def test_places_of_many_are_listed_up_to_a_number_and_the_rest_counted() -> None:
    answer = ask("where are the chairs?", many_things(60, ("chair",)))
    assert answer.text.startswith("There are 60 chairs: object ")
    assert answer.text.endswith(f"{60 - answer.text.count('object ')} more.")
    assert len(answer.objects) == 60


def test_a_question_of_a_conversation_is_about_the_one_before() -> None:
    router = Router(room_memory(), dialogues=Dialogues(4, 4))
    first = router.ask(Query("which chair is closest to the sofa?", dialogue_id="a"))
    other = router.ask(Query("and the farthest?", dialogue_id="a"))
    alone = router.ask(Query("which chair is farthest from the sofa?"))
    assert other.objects == alone.objects != first.objects


def test_who_speaks_may_be_told_in_the_correction() -> None:
    memory = room_memory()
    Router(memory).align(Query("The red cup is mine, I'm Margaret."), "Ada")
    assert memory.snapshot().objects[2].attributes["owner"] == "Margaret"


def test_an_unknown_thing_of_a_size_is_not_found_among_none_that_left() -> None:
    answer = ask("when was the small sink last seen?")
    assert answer.failure is not None
    assert answer.failure.code == "not_found"
