"""Finding, relating, looking back and correcting over the services of a mapping node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion

from scenemind_interfaces import srv
from scenemind_interfaces.msg import Correction, Error, SceneObject, StructurePlane
from scenemind_ros.conversions import stamp_ns, time_to_msg

from .graph import NODE
from .mapped_room import Mapped, mapped_room, scene_of


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapped]:
    with mapped_room(tmp_path_factory.mktemp("memories")) as room:
        yield room


def call(mapped: Mapped, name: str, /, **fields: Any) -> Any:
    """The response of a service that succeeds."""
    kind = getattr(srv, "".join(word.capitalize() for word in name.split("_")))
    response = mapped.graph.call(kind, f"{NODE}/{name}", **fields)
    assert response.success, response.error.message
    return response


def refusal(mapped: Mapped, name: str, /, **fields: Any) -> Error:
    kind = getattr(srv, "".join(word.capitalize() for word in name.split("_")))
    response = mapped.graph.call(kind, f"{NODE}/{name}", **fields)
    assert not response.success
    return response.error


def of_label(mapped: Mapped, label: str) -> list[SceneObject]:
    return [thing for thing in scene_of(mapped.graph).objects if thing.label == label]


def center(thing: SceneObject) -> np.ndarray[Any, Any]:
    place = thing.box.center.position
    return np.array((place.x, place.y, place.z))


def test_the_graph_has_levels_and_the_building(mapped: Mapped) -> None:
    scene = scene_of(mapped.graph)
    kinds = [plane.kind for plane in scene.structure]
    assert kinds.count(StructurePlane.KIND_FLOOR) == 1
    assert kinds.count(StructurePlane.KIND_WALL) >= 2
    assert all(plane.id < 0 for plane in scene.structure)
    level = {thing.id: level for thing, level in zip(scene.objects, scene.levels, strict=True)}
    carried = [r for r in scene.relations if r.predicate == "on" and r.object_id in level]
    assert carried
    assert all(level[r.subject_id] == level[r.object_id] + 1 for r in carried)


def test_words_find_objects_with_reasons(mapped: Mapped) -> None:
    found = call(mapped, "find_objects", words="fridge")
    assert found.objects[0].label == "refrigerator"
    assert "fridge" in found.reasons[0] or "refrigerator" in found.reasons[0]
    assert list(found.scores) == sorted(found.scores, reverse=True)
    assert "names nothing" in refusal(mapped, "find_objects", words="?!").message


def test_support_is_queried_in_both_directions(mapped: Mapped) -> None:
    relation = next(
        r for r in scene_of(mapped.graph).relations if r.predicate == "on" and r.object_id > 0
    )
    upper, lower = relation.subject_id, relation.object_id
    on_it = call(mapped, "relate", relation="on top of", anchor_ids=[lower])
    assert upper in [thing.id for thing in on_it.objects]
    carriers = call(mapped, "query_objects", predicate="supports", related_object_id=upper)
    assert [thing.id for thing in carriers.objects] == [lower]
    asked = call(
        mapped, "query_relations", object_id=upper, anchor_ids=[lower], candidates=["on", "inside"]
    )
    assert list(asked.relations) == ["on"]


def test_things_on_the_floor_are_queried_by_its_id(mapped: Mapped) -> None:
    scene = scene_of(mapped.graph)
    (floor,) = (plane.id for plane in scene.structure if plane.kind == StructurePlane.KIND_FLOOR)
    on_floor = {
        r.subject_id for r in scene.relations if (r.predicate, r.object_id) == ("on", floor)
    }
    found = call(mapped, "query_objects", predicate="on", related_object_id=floor)
    assert [thing.id for thing in found.objects] == sorted(on_floor)
    anywhere = call(mapped, "query_objects", predicate="on")
    assert len(anywhere.objects) > len(on_floor) > 0


def test_directions_are_the_agents_own(mapped: Mapped) -> None:
    """Two metres west of the refrigerator and looking north (+y), it is at the right hand."""
    fridge = of_label(mapped, "refrigerator")[0]
    x, y, z = (center(fridge) - (2.0, 0.0, 0.0)).tolist()
    half = float(np.sqrt(0.5))
    pose = Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(z=half, w=half))
    found = call(mapped, "query_relations", object_id=fridge.id, viewpoint=pose, has_viewpoint=True)
    assert list(found.relations) == ["right", "3 o'clock"]
    at_right = call(mapped, "relate", relation="right", viewpoint=pose, has_viewpoint=True)
    assert fridge.id in [thing.id for thing in at_right.objects]


def test_relations_that_make_no_sense_are_refused(mapped: Mapped) -> None:
    thing = scene_of(mapped.graph).objects[0].id
    unknown = refusal(mapped, "relate", relation="upstairs of", anchor_ids=[thing])
    assert unknown.code == Error.INVALID_REQUEST
    assert "the relations are on, inside" in unknown.message
    unknown = refusal(mapped, "query_objects", predicate="upstairs of")
    assert unknown.code == Error.INVALID_REQUEST
    assert "the relations are on, inside" in unknown.message
    assert "YAML" in refusal(mapped, "query_objects", predicate="True").message
    nobody = refusal(mapped, "relate", relation="near", anchor_ids=[9999])
    assert nobody.code == Error.NOT_FOUND
    three = refusal(mapped, "relate", relation="between", anchor_ids=[thing, thing, thing])
    assert "two for 'between'" in three.message


def test_earlier_places_begin_with_the_first_view(mapped: Mapped) -> None:
    fridge = of_label(mapped, "refrigerator")[0]
    place = call(mapped, "where_was", object_id=fridge.id, stamp=fridge.last_seen)
    assert (place.knowledge, place.box) == (srv.WhereWas.Response.SEEN, fridge.box)
    assert (place.first_seen, place.last_seen) == (fridge.first_seen, fridge.last_seen)
    before = time_to_msg(stamp_ns(fridge.first_seen) - 1)
    early = refusal(mapped, "where_was", object_id=fridge.id, stamp=before)
    assert early.code == Error.NOT_FOUND


def test_changes_need_an_earlier_visit_or_a_stamp(mapped: Mapped) -> None:
    first = call(mapped, "get_changes")
    assert (first.success, len(first.changes), len(first.visits)) == (True, 0, 1)
    assert "the camera was here only once" in first.note
    assert refusal(mapped, "get_changes", before_visit=7).code == Error.NOT_FOUND
    frames = [frame.stamp_ns for frame in mapped.sequence]
    since = call(mapped, "get_changes", since=time_to_msg(frames[20]))
    assert [visit.number for visit in since.visits] == [1]
    assert stamp_ns(since.visits[0].last_stamp) == frames[-1]
    assert {change.kind for change in since.changes} <= {"new"}, "nothing was moved in this room"


def test_a_merge_is_undone_redone_and_replayed(mapped: Mapped) -> None:
    one, other = (thing.id for thing in of_label(mapped, "chair")[:2])
    merge = Correction(kind=Correction.MERGE, object_ids=[one, other], by="ada", reason="one chair")
    count = len(scene_of(mapped.graph).objects)
    (entry,) = call(mapped, "apply_corrections", corrections=[merge]).applied
    assert len(scene_of(mapped.graph).objects) == count - 1
    assert [c.id for c in call(mapped, "undo_correction").corrections] == [entry.id]
    assert len(scene_of(mapped.graph).objects) == count
    (redone,) = call(mapped, "redo_correction").corrections
    assert (redone.id, redone.undone) == (entry.id, False)
    text = call(mapped, "export_corrections").json
    assert json.loads(text)
    call(mapped, "undo_correction", correction_ids=[entry.id])
    again = call(mapped, "import_corrections", json=text, by="bob", preview=True)
    assert [list(c.object_ids) for c in again.applied] == [[one, other]]
    assert not again.left_out
    assert len(scene_of(mapped.graph).objects) == count, "a preview changes nothing"
    assert refusal(mapped, "import_corrections", json="[").code == Error.INVALID_REQUEST


def test_a_correction_is_undone_and_redone_by_its_number(mapped: Mapped) -> None:
    chairs = [thing.id for thing in of_label(mapped, "chair")[:2]]
    first, second = (
        call(
            mapped,
            "apply_corrections",
            corrections=[Correction(kind=Correction.RENAME, object_ids=[chair], value="throne")],
        )
        .applied[0]
        .id
        for chair in chairs
    )
    (undone,) = call(mapped, "undo_correction", correction_ids=[first]).corrections
    assert undone.id == first
    assert [thing.id for thing in of_label(mapped, "throne")] == chairs[1:]
    (newest,) = call(mapped, "undo_correction").corrections
    assert newest.id == second, "the newest without a number"
    (redone,) = call(mapped, "redo_correction", correction_ids=[first]).corrections
    assert redone.id == first
    assert [thing.id for thing in of_label(mapped, "throne")] == chairs[:1]
    call(mapped, "undo_correction", correction_ids=[first])


def looks(thing: SceneObject) -> tuple[str, str]:
    colors = [attribute.value for attribute in thing.attributes if attribute.name == "color"]
    return thing.label, colors[0]


def test_similar_objects_are_shown_before_they_are_renamed(mapped: Mapped) -> None:
    objects = scene_of(mapped.graph).objects
    alike = next(
        (one, other)
        for one in objects
        for other in objects
        if one.id != other.id and looks(one) == looks(other)
    )
    rename = Correction(kind=Correction.RENAME, object_ids=[alike[0].id], value="throne")
    similar = call(mapped, "find_similar", correction=rename)
    assert alike[1].id in [thing.id for thing in similar.objects]
    assert all("also perceived as" in reason for reason in similar.reasons)
    assert not of_label(mapped, "throne"), "nothing is renamed yet"
