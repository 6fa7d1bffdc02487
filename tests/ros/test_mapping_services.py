"""The services and topics of a mapping node that has seen a simulated room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from geometry_msgs.msg import Point, Vector3
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

from scenemind.geometry import Box3D
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction, Error, MemTree, SceneGraph, SceneObjectArray
from scenemind_ros.conversions import (
    box_to_msg,
    depth_image_from_msg,
    frame_index_from_msg,
    stamp_ns,
)
from scenemind_ros.qos import LATCHED
from tests.unit.memory.index_rows import assert_is_of_the_key_frames, assert_same_index

from .graph import NODE, wait_for
from .mapped_room import FRAMES, Mapped, mapped_room, scene_of

INVALID = Error.INVALID_REQUEST


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapped]:
    with mapped_room(tmp_path_factory.mktemp("memories")) as room:
        yield room


def test_every_frame_reaches_the_memory(mapped: Mapped) -> None:
    tree = mapped.graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
    assert sum(location.frame_count for location in tree.locations) == FRAMES
    assert len(tree.locations) > 1
    assert stamp_ns(tree.header.stamp) == [f.stamp_ns for f in mapped.sequence][-1]
    assert tree.header.frame_id == "map"


def test_objects_have_the_places_of_the_room(mapped: Mapped) -> None:
    scene = scene_of(mapped.graph)
    assert len(scene.objects) > 10
    truth = list(mapped.sequence.room.objects)
    for thing in scene.objects:
        center = thing.box.center.position
        distances = [
            np.linalg.norm(np.subtract((center.x, center.y, center.z), known.box.center))
            for known in truth
            if known.label == thing.label
        ]
        assert min(distances) < 0.5, f"{thing.label} {thing.id} is not in the room there"


def test_late_listeners_get_every_topic(mapped: Mapped) -> None:
    topics = {
        "objects": SceneObjectArray,
        "scene_graph": SceneGraph,
        "mem_tree": MemTree,
        "markers": MarkerArray,
        "points": PointCloud2,
    }
    heard = {
        name: mapped.graph.listen(kind, f"{NODE}/{name}", LATCHED) for name, kind in topics.items()
    }
    for name, messages in heard.items():
        wait_for(lambda messages=messages: messages, name)
    count = len(scene_of(mapped.graph).objects)
    assert len(heard["objects"][-1].objects) == len(heard["scene_graph"][-1].objects) == count
    drawn = Counter(marker.ns for marker in heard["markers"][-1].markers)
    assert drawn["boxes"] == drawn["names"] == count
    assert drawn["building"] >= 3, "floor and walls"
    assert drawn["carrying"] == 1
    shown = [*heard["markers"][-1].markers, heard["points"][-1]]
    assert {stamp_ns(one.header.stamp) for one in shown} == {0}, "shown in any frame, at any time"
    tree = mapped.graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
    assert heard["mem_tree"][-1].locations == tree.locations[-50:]


def test_query_filters_by_label_words_region_and_relation(mapped: Mapped) -> None:
    def ids(**fields: object) -> list[int]:
        response = mapped.graph.call(srv.QueryObjects, f"{NODE}/query_objects", **fields)
        assert response.success, response.error
        return [thing.id for thing in response.objects]

    scene = scene_of(mapped.graph)
    everything = ids()
    assert everything == [thing.id for thing in scene.objects]
    chairs = [thing.id for thing in scene.objects if thing.label == "chair"]
    assert ids(label="chair") == ids(text="chair") == chairs != []
    first = scene.objects[0]
    assert first.id in ids(has_region=True, region=first.box)
    of_objects = [r for r in scene.relations if r.subject_id > 0]  # the building is none
    relation = of_objects[0]
    subjects = {r.subject_id for r in of_objects if r.predicate == relation.predicate}
    assert ids(predicate=relation.predicate) == sorted(subjects)
    assert relation.subject_id in ids(
        predicate=relation.predicate, related_object_id=relation.object_id
    )
    assert ids(label="no such thing") == []


def test_a_region_without_a_rotation_is_an_invalid_request(mapped: Mapped) -> None:
    region = scene_of(mapped.graph).objects[0].box
    region.center.orientation.w = region.center.orientation.z = 0.0
    response = mapped.graph.call(
        srv.QueryObjects, f"{NODE}/query_objects", has_region=True, region=region
    )
    assert not response.success
    assert response.error.code == Error.INVALID_REQUEST


def test_a_ray_marks_the_nearest_object(mapped: Mapped) -> None:
    """From straight above, the first box under the ray is the highest one there."""
    scene = scene_of(mapped.graph)
    target = scene.objects[0].box
    x, y = target.center.position.x, target.center.position.y

    def top_under_ray(thing: object) -> float:
        box = thing.box
        assert box.center.orientation.z == 0.0, "boxes of the map are axis-aligned"
        inside = (
            abs(x - box.center.position.x) <= box.size.x / 2
            and abs(y - box.center.position.y) <= box.size.y / 2
        )
        return box.center.position.z + box.size.z / 2 if inside else -np.inf

    highest = max(scene.objects, key=top_under_ray)
    response = mapped.graph.call(
        srv.MarkObject,
        f"{NODE}/mark_object",
        by=srv.MarkObject.Request.BY_RAY,
        origin=Point(x=x, y=y, z=10.0),
        direction=Vector3(x=0.0, y=0.0, z=-2.0),
    )
    assert response.success, response.error
    assert response.object.id == highest.id
    assert response.hit.z == pytest.approx(top_under_ray(highest))


def test_a_pixel_of_a_key_frame_marks_the_smallest_thing_there(mapped: Mapped) -> None:
    wanted = scene_of(mapped.graph).objects[3].id
    frames = mapped.graph.call(
        srv.SelectKeyFrames, f"{NODE}/select_key_frames", object_ids=[wanted], k=2
    ).key_frames
    assert 1 <= len(frames) <= 2
    assert bytes(frames[0].image.data[:2]) == b"\xff\xd8"
    box = frames[0].boxes_px[list(frames[0].object_ids).index(wanted)]
    u, v = box.x_offset + box.width / 2, box.y_offset + box.height / 2
    response = mapped.graph.call(
        srv.MarkObject,
        f"{NODE}/mark_object",
        by=srv.MarkObject.Request.BY_PIXEL,
        frame_id=frames[0].frame_id,
        u=u,
        v=v,
    )
    assert response.success, response.error
    assert mapped.node.session is not None
    boxes_px = mapped.node.session.memory.key_frame(frames[0].frame_id).boxes_px
    areas = {
        (x1 - x0) * (y1 - y0): object_id
        for object_id, (x0, y0, x1, y1) in boxes_px.items()
        if x0 <= u <= x1 and y0 <= v <= y1
    }
    assert response.object.id == areas[min(areas)]


@pytest.mark.parametrize(
    ("kind", "name", "fields", "code"),
    [
        (srv.MarkObject, "mark_object", {"direction": Vector3()}, Error.INVALID_REQUEST),
        (
            srv.MarkObject,
            "mark_object",
            {"origin": Point(z=50.0), "direction": Vector3(z=1.0)},
            Error.NOT_FOUND,
        ),
        (
            srv.MarkObject,
            "mark_object",
            {"by": srv.MarkObject.Request.BY_PIXEL, "frame_id": 999999},
            Error.MEMORY_REFUSED,
        ),
        (
            srv.SelectKeyFrames,
            "select_key_frames",
            {"object_ids": [1], "k": 99},
            Error.INVALID_REQUEST,
        ),
        (srv.SelectKeyFrames, "select_key_frames", {"question": "xyz?", "k": 1}, Error.NOT_FOUND),
        (srv.GetKeyFrames, "get_key_frames", {"frame_ids": [123456]}, Error.MEMORY_REFUSED),
        (srv.GetKeyFrames, "get_key_frames", {"frame_ids": [0] * 33}, Error.INVALID_REQUEST),
        (
            srv.ApplyCorrections,
            "apply_corrections",
            {"corrections": [Correction(kind="rename", object_ids=[9999], value="box")]},
            Error.MEMORY_REFUSED,
        ),
        (
            srv.ApplyCorrections,
            "apply_corrections",
            {"corrections": [Correction(kind="paint", object_ids=[1])]},
            Error.INVALID_REQUEST,
        ),
        (srv.ApplyCorrections, "apply_corrections", {}, Error.INVALID_REQUEST),
        (srv.UndoCorrection, "undo_correction", {"correction_ids": [999]}, Error.MEMORY_REFUSED),
        (srv.SetVocabulary, "set_vocabulary", {"labels": ["cup"]}, Error.UNSUPPORTED),
        (srv.SetVocabulary, "set_vocabulary", {}, Error.INVALID_REQUEST),
        (srv.SaveMemory, "save_memory", {"name": "../escape"}, Error.MEMORY_REFUSED),
        (srv.SaveMemory, "save_memory", {"name": "current"}, Error.MEMORY_REFUSED),
        (srv.LoadMemory, "load_memory", {"name": "/etc"}, Error.MEMORY_REFUSED),
        (srv.LoadMemory, "load_memory", {"name": "never-saved"}, Error.MEMORY_REFUSED),
        (srv.LoadMemory, "load_memory", {"name": "current"}, Error.MEMORY_REFUSED),
        (srv.MergeMemory, "merge_memory", {"name": "never-saved"}, Error.MEMORY_REFUSED),
        (srv.MergeMemory, "merge_memory", {"name": "current"}, Error.MEMORY_REFUSED),
        (srv.QueryObjects, "query_objects", {"predicate": "True"}, Error.INVALID_REQUEST),
        (srv.QueryObjects, "query_objects", {"predicate": "besideish"}, Error.INVALID_REQUEST),
        (srv.FindObjects, "find_objects", {}, Error.INVALID_REQUEST),
        (srv.Relate, "relate", {"relation": "besideish"}, Error.INVALID_REQUEST),
        (
            srv.QueryRelations,
            "query_relations",
            {"object_id": 1, "candidates": ["besideish"]},
            Error.INVALID_REQUEST,
        ),
        (srv.ImportCorrections, "import_corrections", {"json": "{"}, Error.INVALID_REQUEST),
    ],
)
def test_a_wrong_request_gets_a_code_and_a_sentence(
    mapped: Mapped, kind: type, name: str, fields: dict[str, object], code: int
) -> None:
    response = mapped.graph.call(kind, f"{NODE}/{name}", **fields)
    assert not response.success
    assert response.error.code == code, response.error.message
    assert response.error.message


def test_a_question_selects_frames_of_named_objects(mapped: Mapped) -> None:
    """Three, where the request says no number."""
    frames = mapped.graph.call(
        srv.SelectKeyFrames, f"{NODE}/select_key_frames", question="How many chairs are there?"
    ).key_frames
    assert len(frames) == 3
    chairs = {thing.id for thing in scene_of(mapped.graph).objects if thing.label == "chair"}
    assert all(chairs.intersection(frame.object_ids) for frame in frames)


def test_stored_frames_are_listed_and_given_by_their_numbers(mapped: Mapped) -> None:
    def get(**fields: object) -> srv.GetKeyFrames.Response:
        response = mapped.graph.call(srv.GetKeyFrames, f"{NODE}/get_key_frames", **fields)
        assert response.success, response.error
        return response

    listed = get()
    numbers = list(listed.stored_frame_ids)
    assert not listed.key_frames
    assert numbers == sorted(numbers) != []
    wanted = [numbers[-1], numbers[0]]
    given = get(frame_ids=wanted)
    assert [frame.frame_id for frame in given.key_frames] == wanted
    assert not given.stored_frame_ids, "an hour has thousands"
    assert all(bytes(frame.image.data[:2]) == b"\xff\xd8" for frame in given.key_frames)
    known = {thing.id for thing in scene_of(mapped.graph).objects}
    shown = set(given.key_frames[0].object_ids)
    assert shown
    assert shown <= known
    one = min(shown)
    assert list(get(frame_ids=wanted[:1], object_ids=[one]).key_frames[0].object_ids) == [one]


def test_stored_frames_have_their_depth_on_request(mapped: Mapped) -> None:
    assert mapped.node.session is not None
    memory = mapped.node.session.memory
    numbers = memory.stored_frames()[:3]

    def get(with_depth: bool) -> srv.GetKeyFrames.Response:
        return mapped.graph.call(
            srv.GetKeyFrames, f"{NODE}/get_key_frames", frame_ids=numbers, with_depth=with_depth
        )

    assert not any(frame.depth.data or frame.depth_every_px for frame in get(False).key_frames)
    for frame in get(True).key_frames:
        depth, stored = depth_image_from_msg(frame), memory.depth_image(frame.frame_id)
        assert depth is not None
        assert (depth.every_px, depth.camera) == (stored.every_px, stored.camera)
        np.testing.assert_array_equal(depth.depth_m, stored.depth_m)
        assert 0.3 < np.median(depth.depth_m) < 10.0


def test_all_stored_frames_are_indexed_without_their_images(mapped: Mapped) -> None:
    assert mapped.node.session is not None
    memory = mapped.node.session.memory
    response = mapped.graph.call(srv.GetFrameIndex, f"{NODE}/get_frame_index")
    assert response.success
    index = frame_index_from_msg(response)
    assert_is_of_the_key_frames(index, memory)
    assert_same_index(index, memory.frame_index())
    assert "chair" in index.labels
    assert len(index) > 5


def test_one_frame_for_each_location_is_given_on_request(mapped: Mapped) -> None:
    things = [thing.id for thing in scene_of(mapped.graph).objects]
    frames = mapped.graph.call(
        srv.SelectKeyFrames,
        f"{NODE}/select_key_frames",
        object_ids=things,
        k=10,
        one_a_location=True,
    ).key_frames
    places = [frame.location_id for frame in frames]
    assert len(set(places)) == len(places) > 1


def test_the_tree_is_given_as_text_within_a_budget_of_tokens(mapped: Mapped) -> None:
    assert mapped.node.session is not None
    memory = mapped.node.session.memory
    for budget in (100_000, 300):
        response = mapped.graph.call(
            srv.GetMemTree, f"{NODE}/get_mem_tree", token_budget=budget, only_json=True
        )
        text = memory.tree_json(budget)
        assert (response.json, response.json_reading) == (text.text, text.reading)
        assert response.json_tokens == text.tokens <= budget
        assert response.locations_left_out == memory.location_count - len(text.text.splitlines())
        assert response.objects_left_out == text.objects_left_out
        assert response.clutter_level == pytest.approx(text.clutter_level)
        assert response.mem_tree.locations == []
    everything = mapped.graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
    newest = mapped.graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree", newest=2)
    assert newest.json == ""
    assert newest.mem_tree.locations == everything.locations[-2:]
    assert newest.mem_tree.location_count == len(everything.locations) > 2


def test_cues_and_locations_select_one_frame_a_location(mapped: Mapped) -> None:
    def selected(**fields: object) -> list[tuple[int, float]]:
        response = mapped.graph.call(
            srv.SelectKeyFrames, f"{NODE}/select_key_frames", k=10, **fields
        )
        assert response.success, response.error
        return [(frame.location_id, frame.score) for frame in response.key_frames]

    wanted, near = (thing.id for thing in scene_of(mapped.graph).objects[:2])
    with_cue = selected(object_ids=[wanted], cue_object_ids=[near])
    places = [location_id for location_id, _ in with_cue]
    assert len(set(places)) == len(places) > 0
    assert selected(object_ids=[wanted], location_ids=places[-1:])[0][0] == places[-1]
    assert [location_id for location_id, _ in selected(location_ids=places[:1])] == places[:1]


def test_the_published_tree_follows_a_correction(mapped: Mapped) -> None:
    one, other, *_ = (o.id for o in scene_of(mapped.graph).objects if o.label == "chair")
    heard = mapped.graph.listen(MemTree, f"{NODE}/mem_tree", LATCHED)
    wait_for(lambda: heard, "the tree")
    merge = Correction(kind="merge", object_ids=[one, other])
    assert mapped.graph.call(
        srv.ApplyCorrections, f"{NODE}/apply_corrections", corrections=[merge]
    ).success
    tree = mapped.graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
    assert tree.locations[-50:] != heard[-1].locations
    wait_for(lambda: heard[-1].locations == tree.locations[-50:], "the tree with the merge", 5.0)
    assert mapped.graph.call(srv.UndoCorrection, f"{NODE}/undo_correction").success


def test_no_one_of_many_simultaneous_requests_is_lost(mapped: Mapped) -> None:
    client = mapped.graph.observer.create_client(srv.GetSceneGraph, f"{NODE}/get_scene_graph")
    wait_for(client.service_is_ready, "the service")
    sent = [client.call_async(srv.GetSceneGraph.Request()) for _ in range(50)]
    wait_for(lambda: all(future.done() for future in sent), "all responses", 10.0)
    assert all(future.result().success for future in sent)


def test_corrections_are_applied_listed_and_undone(mapped: Mapped) -> None:
    thing = scene_of(mapped.graph).objects[0]

    def listed(include_undone: bool) -> list[int]:
        response = mapped.graph.call(
            srv.ListCorrections, f"{NODE}/list_corrections", include_undone=include_undone
        )
        return [correction.id for correction in response.corrections]

    rename = Correction(kind="rename", object_ids=[thing.id], value="toolbox", by="me", reason="so")
    done = mapped.graph.call(
        srv.ApplyCorrections, f"{NODE}/apply_corrections", corrections=[rename]
    )
    assert done.success, done.error
    (applied,) = done.applied
    assert (applied.value, applied.by, applied.reason) == ("toolbox", "me", "so")
    renamed = scene_of(mapped.graph).objects[0]
    assert (renamed.label, renamed.perceived_label, renamed.corrected) == (
        "toolbox",
        thing.perceived_label,
        True,
    )
    assert applied.id in listed(include_undone=False)
    undone = mapped.graph.call(srv.UndoCorrection, f"{NODE}/undo_correction")  # the newest
    assert [(entry.id, entry.undone) for entry in undone.corrections] == [(applied.id, True)]
    assert scene_of(mapped.graph).objects[0].label == thing.label
    assert applied.id not in listed(include_undone=False)
    assert applied.id in listed(include_undone=True)


def test_a_saved_memory_can_be_loaded_after_a_reset(mapped: Mapped) -> None:
    before = scene_of(mapped.graph)
    assert mapped.graph.call(srv.SaveMemory, f"{NODE}/save_memory", name="kitchen").success
    assert mapped.graph.call(srv.ResetMemory, f"{NODE}/reset_memory").success
    assert scene_of(mapped.graph).objects == []
    heard = mapped.graph.listen(SceneGraph, f"{NODE}/scene_graph", LATCHED)
    loaded = mapped.graph.call(srv.LoadMemory, f"{NODE}/load_memory", name="kitchen")
    assert loaded.success, loaded.error
    assert loaded.object_count == len(before.objects)
    assert scene_of(mapped.graph).objects == before.objects
    wait_for(lambda: heard and heard[-1].objects == before.objects, "the loaded scene graph")


def test_a_saved_memory_is_merged_or_says_why_not(mapped: Mapped) -> None:
    # A test that failed may have left corrections, which would hide objects of both.
    journal = mapped.graph.call(srv.ListCorrections, f"{NODE}/list_corrections").corrections
    if numbers := [entry.id for entry in journal]:
        mapped.graph.call(srv.UndoCorrection, f"{NODE}/undo_correction", correction_ids=numbers)
    before = scene_of(mapped.graph)
    mapped.graph.call(srv.SaveMemory, f"{NODE}/save_memory", name="yesterday")  # or it is there
    merged = mapped.graph.call(srv.MergeMemory, f"{NODE}/merge_memory", name="yesterday")
    after = scene_of(mapped.graph)
    if merged.success:
        known = {thing.id for thing in before.objects}
        now = {thing.id for thing in after.objects}
        assert set(merged.new_ids) <= now
        assert len(now ^ known) <= 0.1 * len(known)
        assert len(set(merged.known_ids) & known) >= 0.9 * len(known)
        assert merged.frame_count > 0
    else:
        assert merged.error.code == Error.MEMORY_REFUSED
        assert "cannot be told" in merged.error.message
        assert after.objects == before.objects


def test_the_region_of_a_query_may_be_turned(mapped: Mapped) -> None:
    """A box around the whole room holds everything, whichever way it is turned."""
    region = box_to_msg(Box3D((0.0, 0.0, 0.0), (100.0, 100.0, 100.0), 0.7))
    response = mapped.graph.call(
        srv.QueryObjects, f"{NODE}/query_objects", has_region=True, region=region
    )
    assert len(response.objects) == len(scene_of(mapped.graph).objects)
