"""Corrections of a memory that goes on mapping: their effect, storage and replay."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory import Correction, Edit, Memory, SceneMemoryError, tree_json
from scenemind.memory.graph.corrections import Replay
from scenemind.memory.graph.corrections.replay import preview
from scenemind.memory.state import MemoryState
from scenemind.perception.types import Detections, Observation
from tests.unit.memory import walk
from tests.unit.memory.objects.depth_scene import frame_of, observe_box
from tests.unit.memory.test_memory import files_up_to
from tests.unit.memory.things import empty_frame, observe

CONFIG = SceneMindConfig()
CHAIR = Box3D((2.0, 0.0, 0.5), (0.5, 0.5, 1.0))
PLACES = (-0.4, -0.2, 0.0, 0.2, 0.4)


@pytest.fixture
def memory(tmp_path):
    memory = Memory.create(tmp_path / "room", CONFIG)
    yield memory
    memory.close()


def see(memory: Memory, frames: Iterable[RGBDFrame], *observations: Observation) -> None:
    """The same observations in each of the frames."""
    n = len(observations)
    boxes_px = np.array([o.box_px for o in observations], np.float32).reshape(n, 4)
    detections = Detections(
        tuple(o.label for o in observations),
        np.array([o.score for o in observations], np.float32),
        boxes_px,
        (None,) * n,
    )
    track_ids = np.array([o.track_id for o in observations], np.int64)
    for frame in frames:
        memory.integrate(frame, detections, track_ids, observations)


def blind(numbers: range) -> list[RGBDFrame]:
    """Frames that measured nothing."""
    return [empty_frame(number * 100_000_000, number=number) for number in numbers]


def standing(numbers: range) -> list[RGBDFrame]:
    """Frames that show the chair from side to side."""
    return [frame_of((CHAIR,), number, PLACES[number % 5]) for number in numbers]


def labels(memory: Memory) -> dict[int, str]:
    return {i: o.label for i, o in memory.snapshot().objects.items()}


@pytest.mark.parametrize("corrected", [True, False])
def test_confirmed_object_is_no_ghost(memory, corrected) -> None:
    see(memory, standing(range(3)), observe_box(CHAIR))
    if corrected:
        memory.apply([Edit("confirm", (1,))], "Ada", "I see it")
    see(memory, standing(range(3, 90)))
    assert labels(memory) == ({1: "chair"} if corrected else {})
    if corrected:
        assert memory.snapshot().objects[1].confidence == 1.0
        memory.undo()
        see(memory, standing(range(90, 180)))
        assert labels(memory) == {}


def test_a_deleted_reflection_stays_deleted_when_it_is_detected_anew(memory) -> None:
    """Perception may have kept the object, forgotten it, or given it another label."""
    see(memory, standing(range(3)), observe_box(CHAIR))
    memory.apply([Edit("delete_object", (1,))], "Ada", "a reflection")
    see(memory, standing(range(3, 90)))
    see(memory, standing(range(90, 100)), observe_box(CHAIR, seed=4))
    assert labels(memory) == {}
    shifted = Box3D((2.05, 0.1, 0.5), CHAIR.size)
    see(memory, standing(range(100, 110)), observe_box(shifted, seed=5, track_id=9))
    assert labels(memory) == {}
    memory.undo()
    assert set(labels(memory).values()) == {"chair"}


def test_entries_that_follow_merged_objects_are_written_down(tmp_path) -> None:
    left = observe((-0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=1, truncated=True)
    right = observe((0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=2, truncated=True)
    whole = observe((0, 0, 0.4), (2.0, 0.8, 0.8), label="couch", track_id=3, count=600)
    with Memory.create(tmp_path / "room", CONFIG) as memory:
        see(memory, blind(range(12)), left)
        see(memory, blind(range(12, 24)), right)
        memory.apply([Edit("rename", (2,), value="sofa")], "Ada", "we call it so")
        memory.apply([Edit("delete_object", (2,))], "Ada", "is not there")
        memory.undo()
        assert labels(memory) == {1: "couch", 2: "sofa"}
        see(memory, blind(range(24, 30)), whole)
        assert labels(memory) == {1: "sofa"}
    with Memory.open(tmp_path / "room", CONFIG) as memory:
        assert labels(memory) == {1: "sofa"}
        renamed, deleted = memory.corrections()
        assert renamed.edit.object_ids == (1,)
        assert deleted.edit.object_ids == (2,)  # a deletion stays with what was deleted


def test_a_split_object_stays_two_and_after_a_restart(tmp_path) -> None:
    """Two monitors side by side that are seen as one."""
    both = observe((0, 0, 1), (1.2, 0.1, 0.4), label="monitor", track_id=1, count=800)
    places = ((-0.3, 0.0, 1.0), (0.3, 0.0, 1.0))
    with Memory.create(tmp_path / "room", CONFIG) as memory:
        see(memory, blind(range(5)), both)
        (entry,) = memory.apply([Edit("split", (1,), places=places)], "Ada", "two of them")
        (part,) = entry.edit.new_ids
        memory.apply([Edit("rename", (part,), value="television")], "Ada", "")
        assert labels(memory) == {1: "monitor", part: "television"}
        see(memory, blind(range(5, 20)), both)
        before = memory.snapshot().objects
        assert before[1].box.bounds()[1][0] <= 0.0 <= before[part].box.bounds()[0][0]
    with Memory.open(tmp_path / "room", CONFIG) as memory:
        assert labels(memory) == {1: "monitor", part: "television"}
        assert memory.snapshot().objects[part].box == before[part].box
        cup = observe((5, 0, 1), (0.1, 0.1, 0.1), label="cup", track_id=7)
        see(memory, blind(range(20, 25)), cup)
        assert labels(memory)[part] == "television"  # its id is not used again
        assert "cup" in labels(memory).values()
        memory.undo(1)
        assert sorted(labels(memory).values()) == ["cup", "monitor"]


def test_merged_and_split_objects_have_the_evidence_of_their_parts(tmp_path) -> None:
    with Memory.create(tmp_path / "row", CONFIG) as memory:
        walk.go(memory, range(60))
        of_chair = {o.track_ids[0]: i for i, o in memory.snapshot().objects.items()}
        first, second = of_chair[0], of_chair[2]
        best = memory.key_frames_of([second], 1)[0]
        memory.apply([Edit("merge", (first, second))], "Ada", "a bench")
        shown = {f.frame_number: f for f in memory.key_frames_of([first], 20)}
        assert best.boxes_px[second] == shown[best.frame_number].boxes_px[first]
        selected = memory.select_key_frames([first], count=10)
        assert any(f.boxes_px == {first: best.boxes_px[second]} for f in selected)
        named = {t.track_id: t.object_id for node in memory.tree() for t in node.tracklets}
        assert (named[0], named[1], named[2]) == (first, of_chair[1], first)
        text = memory.tree_json()
        assert text == tree_json(memory.tree(), memory.snapshot().objects)
        assert text.objects_left_out == 0
        assert memory.tree_json() == text
        x, y, z = walk.chair_center(3)
        places = ((x - 0.2, y, z), (x + 0.2, y, z))
        split = Edit("split", (of_chair[3],), places=places)
        (part,) = memory.apply([split], "Ada", "")[0].edit.new_ids
        assert memory.key_frames_of([part], 5)


def test_journal_is_replayed_onto_another_map_of_the_same_place(tmp_path, memory) -> None:
    chair = observe((0, 0, 0.4), label="chair", track_id=1)
    cup = observe((2, 0, 1), (0.1, 0.1, 0.1), label="cup", track_id=2)
    see(memory, blind(range(5)), chair, cup)
    names = labels(memory)
    of = {label: i for i, label in names.items()}
    memory.apply([Edit("rename", (of["cup"],), value="mug")], "Ada", "it is mine")
    memory.apply([Edit("confirm", (of["chair"],))], "Ada", "")
    text = memory.export_corrections()
    assert json.loads(text)["corrections"][0]["anchors"][0]["label"] == "cup"

    with Memory.create(tmp_path / "again", CONFIG) as rebuilt:
        moved = observe((2.02, 0.01, 1), (0.1, 0.1, 0.1), label="cup", track_id=1, seed=3)
        see(rebuilt, blind(range(5)), moved)
        before = rebuilt.snapshot()
        shown = rebuilt.import_corrections(text, preview=True)
        assert [entry.edit.value for entry in shown.applied] == ["mug"]
        assert rebuilt.snapshot() is before
        assert rebuilt.corrections() == []
        done = rebuilt.import_corrections(text, by="bob")
        assert [e.reason for e in done.applied] == ["it is mine; replayed by bob"]
        assert [left.correction.edit.kind for left in done.left_out] == ["confirm"]
        assert list(labels(rebuilt).values()) == ["mug"]
    with Memory.open(tmp_path / "again", CONFIG) as rebuilt:
        assert list(labels(rebuilt).values()) == ["mug"]
        with pytest.raises(SceneMemoryError, match="no journal of corrections"):
            rebuilt.import_corrections("{}")


def test_mapping_goes_on_during_a_preview(memory, monkeypatch) -> None:
    see(memory, blind(range(5)), observe((0, 0, 0.4), track_id=1))
    memory.apply([Edit("confirm", (1,))], "Ada", "")
    mapped = threading.Event()

    def map_on() -> None:
        see(memory, blind(range(5, 6)))
        mapped.set()

    def meanwhile(*values) -> Replay:
        thread = threading.Thread(target=map_on)
        thread.start()
        assert mapped.wait(10.0)
        thread.join()
        return preview(*values)

    monkeypatch.setattr("scenemind.memory.memory.preview_replay", meanwhile)
    (left,) = memory.import_corrections(memory.export_corrections(), preview=True).left_out
    assert left.reason == "correction 1 is the same already"


def test_similar_objects_are_corrected_alike(memory) -> None:
    white, black = (230.0, 230.0, 230.0), (10.0, 10.0, 10.0)
    ovens = [
        observe((2.0 * n, 0, 1), (0.5, 0.4, 0.3), "microwave", n, rgb=rgb, seed=n)
        for n, rgb in enumerate((white, white, black))
    ]
    see(memory, blind(range(5)), *ovens, observe((9, 0, 1), label="chair", track_id=8))
    at = {round(o.box.center[0] / 2): i for i, o in memory.snapshot().objects.items()}
    (entry,) = memory.apply([Edit("rename", (at[0],), value="oven")], "Ada", "")
    found = memory.find_similar(entry.edit)
    assert [similar.object_id for similar in found] == [at[1], at[2]]
    assert "also perceived as microwave" in found[0].reasons
    assert memory.find_similar(entry.edit, count=1) == found[:1]
    memory.apply([Edit("rename", tuple(s.object_id for s in found), value="oven")], "Ada", "")
    assert sorted(labels(memory).values()) == ["chair", "oven", "oven", "oven"]
    assert memory.find_similar(entry.edit) == []


def test_relations_are_those_of_corrected_objects(memory) -> None:
    table = observe((0, 0, 0.4), (1, 1, 0.8), label="table", track_id=1, count=900)
    cup = observe((0, 0, 0.85), (0.1, 0.1, 0.1), label="cup", track_id=2)
    see(memory, blind(range(5)), table, cup)
    of = {label: i for i, label in labels(memory).items()}

    def stated() -> set[tuple[int, str, int]]:
        return {(r.subject_id, r.predicate, r.object_id) for r in memory.snapshot().relations}

    assert (of["cup"], "on", of["table"]) in stated()
    memory.apply([Edit("delete_object", (of["table"],))], "Ada", "not real")
    assert stated() == set()
    memory.undo()
    assert (of["cup"], "on", of["table"]) in stated()


def test_correction_that_cannot_be_stored_is_not_applied(memory) -> None:
    see(memory, blind(range(5)), observe((0, 0, 0.4), track_id=1))
    memory.apply([Edit("rename", (1,), value="stool")], "Ada", "")
    text = memory.export_corrections()
    memory.undo()
    before = memory.corrections()
    with files_up_to(4096):
        see(memory, blind(range(5, 10)), observe((0, 0, 0.4), track_id=1))
        for attempt in (
            memory.redo,
            lambda: memory.import_corrections(text),
            lambda: memory.apply([Edit("confirm", (1,))], "Ada", ""),
        ):
            with pytest.raises(SceneMemoryError, match="storing failed"):
                attempt()
    assert memory.corrections() == before
    assert labels(memory) == {1: "chair"}
    memory.redo()
    memory.close()
    with Memory.open(memory.path, CONFIG) as again:
        assert labels(again) == {1: "stool"}
        assert [entry.undone for entry in again.corrections()] == [False]


@pytest.mark.parametrize(
    "impossible", [{"stamp_ns": 10**19}, {"reason": object()}, {"correction_id": object()}]
)
def test_correction_that_no_row_can_hold_is_not_applied_and_loses_nothing(
    tmp_path, caplog, impossible
) -> None:
    config = SceneMindConfig.from_flat({"store.commit_s": 1000.0})
    memory = Memory.create(tmp_path / "room", config)
    see(memory, blind(range(5)), observe((0, 0, 0.4), track_id=1))
    (entry,) = memory.apply([Edit("rename", (1,), value="stool")], "Ada", "")
    see(memory, blind(range(5, 10)), observe((0, 0, 0.4), track_id=1))
    (bad,) = (replace(entry, **{"correction_id": 2, **impossible}),)

    def change(scene: MemoryState) -> list[Correction]:
        scene.journal.restore([entry, bad])
        scene.journal.give_back([bad])
        return [bad]

    with pytest.raises(SceneMemoryError, match="storing failed"):
        memory._correct(change)
    assert memory.corrections() == [entry]
    assert memory.stats().failed_commits == 1
    assert caplog.text.count("tries again") == 1
    memory.close()
    with Memory.open(memory.path, config) as again:
        assert again.last_frame_number == 9
        assert again.corrections() == [entry]


def test_correction_that_fails_half_way_is_removed(memory) -> None:
    see(memory, blind(range(5)), observe((0, 0, 0.4), track_id=1))

    def change(scene: MemoryState) -> list[Correction]:
        scene.journal.apply([Edit("confirm", (1,))], "Ada", "", scene.perceived_map(), 5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory._correct(change)
    assert memory.corrections() == []
    assert not memory.snapshot().objects[1].corrected


def test_ids_may_be_of_numpy(memory) -> None:
    see(memory, blind(range(5)), observe((0, 0, 0.4), track_id=1))
    memory.apply([Edit("confirm", (np.int64(1),))], "Ada", "")
    memory.close()
    with Memory.open(memory.path, CONFIG) as again:
        assert [entry.edit.object_ids for entry in again.corrections()] == [(1,)]
