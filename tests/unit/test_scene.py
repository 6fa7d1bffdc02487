"""The public API: a place mapped, asked about, corrected and written to files."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

import scenemind as sm
from scenemind.config import ConfigError, ModelsConfig
from scenemind.errors import SandboxError
from scenemind.frames import FrameError, SensorFrame, read_sequence
from scenemind.memory import Edit, SceneMemoryError
from scenemind.models import open_models
from scenemind.perception import PerceptionError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.sandbox import SandboxApi
from scenemind.simulation import SimulatedSequence, simulate

FRAMES = 16
ROOM = f"sim:1:frames={FRAMES}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored room that is closed."""
    path = tmp_path_factory.mktemp("places") / "room"
    sm.map(ROOM, memory=path).close()
    return path


@pytest.fixture
def scene(folder: Path) -> Iterator[sm.Scene]:
    with sm.open(folder, read_only=True) as opened:
        yield opened


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Iterator[sm.Scene]:
    """A copy of the room that may be changed."""
    copied = tmp_path / "own"
    shutil.copytree(folder, copied)
    with sm.open(copied) as opened:
        yield opened


# Names


def test_importing_the_library_imports_nothing_else() -> None:
    program = "import sys, scenemind; print([m for m in sys.modules if m.startswith('scenemind.')])"
    assert _python(program) == "[]"


def test_public_names_are_there_and_no_others() -> None:
    assert set(sm.__all__) <= set(dir(sm))
    assert all(getattr(sm, name) is not None for name in sm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        sm.opne  # noqa: B018


def test_a_memory_is_named_or_is_a_folder(home: Path, tmp_path: Path) -> None:
    with sm.create("named") as scene:
        assert scene.memory.path == home / "named"
    with sm.create(str(tmp_path / "place")) as scene:
        assert scene.memory.path == tmp_path / "place"
    with sm.open(tmp_path / "place") as scene:
        assert scene.objects == ()
    with sm.create() as scene:
        temporary = scene.memory.path
        assert temporary.is_dir()
    assert not temporary.exists()


def test_a_missing_memory_is_an_error_that_names_those_that_are_there(folder: Path) -> None:
    with pytest.raises(SceneMemoryError, match=r"no memory attic in .*there: .*room"):
        sm.open(folder.parent / "attic")


def test_a_memory_is_replaced_only_where_that_is_said(own: sm.Scene, tmp_path: Path) -> None:
    own.close()
    with pytest.raises(SceneMemoryError, match="already"):
        sm.create(tmp_path / "own")
    with sm.create(tmp_path / "own", replace=True) as scene:
        assert scene.objects == ()


def test_a_program_that_failed_before_its_first_frame_runs_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), sm.create(tmp_path / "place"):
        raise ZeroDivisionError
    with sm.create(tmp_path / "place") as scene:
        assert scene.objects == ()


def test_a_memory_in_use_is_not_replaced(tmp_path: Path) -> None:
    with sm.create(tmp_path / "place", replace=True) as scene:
        with pytest.raises(SceneMemoryError, match="open in process"):
            sm.create(tmp_path / "place", replace=True)
        assert scene.objects == ()


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    sm.create(tmp_path / "place").close()
    notes = tmp_path / "place" / "notes.txt"
    notes.write_text("mine", encoding="utf-8")
    with pytest.raises(SceneMemoryError, match=r"also holds notes\.txt"):
        sm.create(tmp_path / "place", replace=True)
    assert notes.exists()


def test_a_closed_scene_says_how_to_open_it_again(tmp_path: Path) -> None:
    with sm.create() as temporary, sm.create("shut") as named, sm.create(tmp_path / "a") as there:
        pass
    uses = (
        lambda scene: scene.objects,
        lambda scene: scene.ask("how many chairs are there?"),
        lambda scene: scene.align("object 1 is red"),
        lambda scene: scene.map(ROOM),
        lambda scene: scene.export(tmp_path / "b.json"),
        lambda scene: scene.reasoner,
    )
    for use in uses:
        with pytest.raises(SceneMemoryError, match=r"closed: open it again with .*open\('shut'\)"):
            use(named)
    with pytest.raises(SceneMemoryError, match=str(tmp_path / "a")):
        there.find("chair")
    with pytest.raises(SceneMemoryError, match="closed and was temporary"):
        temporary.find("chair")


# Mapping


def test_frames_one_by_one_make_the_map_of_the_recording(scene: sm.Scene) -> None:
    drive = simulate(1, FRAMES)
    with sm.create(detector=InstanceCamera(drive.class_names)) as by_frames:
        for frame in read_sequence(drive):
            report = by_frames.add(frame)
        assert report.frame_number == FRAMES - 1
        assert [(o.id, o.label, o.box) for o in by_frames.objects] == [
            (o.id, o.label, o.box) for o in scene.objects
        ]


def test_frames_after_a_recording_are_numbered_anew() -> None:
    drive = simulate(1, 4)
    frames = list(read_sequence(drive))
    with sm.create(detector=InstanceCamera(drive.class_names)) as scene:
        scene.add(frames[0])
        scene.add(frames[1])
        with pytest.raises(SceneMemoryError, match="frame"):
            scene.add(frames[1])
        scene.map(drive.delayed(60))
        assert scene.add(next(read_sequence(drive.delayed(120)))).frame_number == 6


def test_frames_of_a_clock_that_began_anew_are_refused() -> None:
    drive = simulate(1, 4)
    with sm.create(detector=InstanceCamera(drive.class_names)) as scene:
        scene.map(drive)
        for anew in (
            lambda: scene.map(drive),
            lambda: scene.add(next(read_sequence(drive))),
        ):
            with pytest.raises(SceneMemoryError, match=r"begin at 1\.0 s, before .* \(1\.1 s\)"):
                anew()
        assert scene.memory.last_frame_number == 3


def test_a_clock_that_began_anew_is_shifted_to_a_visit_of_its_own() -> None:
    drive = simulate(1, 4)
    with sm.create(detector=InstanceCamera(drive.class_names)) as scene:
        scene.map(drive, shift_clock=True)
        scene.map(drive, shift_clock=True)
        first, second = (visit.span for visit in scene.memory.history.visits())
        assert second.first_ns - first.last_ns == 600 * 10**9
        assert second.last_ns - second.first_ns == first.last_ns - first.first_ns
        scene.map(drive.delayed(3600), shift_clock=True)  # its clock goes on
        assert scene.memory.history.visits()[-1].span.first_ns == first.first_ns + 3600 * 10**9


def test_a_refused_frame_changes_nothing() -> None:
    drive = simulate(1, 3)
    frames = list(read_sequence(drive))
    with sm.create(detector=InstanceCamera(drive.class_names)) as scene:
        scene.add(frames[0])
        for stale in (frames[0], replace(frames[1], stamp_ns=frames[0].stamp_ns)):
            with pytest.raises(SceneMemoryError, match=r"visit begins with scene\.map.*sm\.open"):
                scene.add(stale)
        with pytest.raises(FrameError, match=r"sm\.Pose\.from_matrix"):
            scene.add(replace(frames[1], world_T_camera=frames[1].world_T_camera.matrix()))
        assert scene.add(frames[1]).frame_number == 1


def test_a_second_visit_begins_when_the_scene_is_opened_again(tmp_path: Path) -> None:
    drive = simulate(1, 8)
    camera = InstanceCamera(drive.class_names)
    with sm.create(tmp_path / "room", detector=camera) as scene:
        for frame in read_sequence(drive):
            scene.add(frame)
    with sm.open(tmp_path / "room", detector=camera) as scene:
        for frame in read_sequence(drive):
            scene.add(replace(frame, stamp_ns=frame.stamp_ns + 3_600_000_000_000))
        assert scene.changes().unchanged > 0
        assert scene.changes(since=frame.stamp_ns).unchanged > 0


def test_error_for_an_object_that_is_no_detector_explains_the_protocol() -> None:
    class Tuples(InstanceCamera):
        def detect(self, frame: sm.RGBDFrame) -> tuple[str, ...]:  # type: ignore[override] # noqa: ARG002
            return ("chair",)

    drive = simulate(1, 2)
    with pytest.raises(PerceptionError, match=r"returned a tuple: .*perception\.Detections\("):
        sm.map(drive, detector=Tuples(drive.class_names))
    with pytest.raises(PerceptionError, match=r"of type function: .*`detect\(frame\)`"):
        sm.map(drive, detector=_python)  # type: ignore[arg-type]


def test_a_terminal_shows_how_far_mapping_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sm.map("sim:1:frames=2").close()
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    sm.map("sim:1:frames=2").close()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "2/2" in shown.err


def test_a_second_recording_goes_on_with_the_objects_of_the_first(own: sm.Scene) -> None:
    before = {thing.id for thing in own.objects}
    reports = []
    result = own.map(f"{ROOM},start=60", frames=8, on_frame=reports.append)
    assert (result.frames, len(reports)) == (8, 8)
    assert {"detect", "track", "lift", "fuse"} <= result.stage_ms.keys()
    after = {thing.id for thing in own.objects}
    assert len(before & after) >= 0.9 * len(before)
    assert len(after) < 1.3 * len(before)


def test_each_recording_has_its_own_detector_where_none_is_given() -> None:
    with sm.map("sim:1:frames=8") as scene, sm.map("sim:2:frames=8") as second:
        first = [thing.label for thing in scene.objects]
        scene.map("sim:2:frames=8,start=60")
        assert {thing.label for thing in second.objects} <= {t.label for t in scene.objects}
        assert len(scene.objects) > max(len(first), len(second.objects))


def test_a_detector_that_is_named_is_in_the_settings() -> None:
    with sm.create(detector="nowhere/model.onnx") as scene:
        assert scene.config.detector.weights == "nowhere/model.onnx"
        with pytest.raises(PerceptionError, match=r"no such file: .*nowhere/model\.onnx"):
            scene.map(ROOM)


def test_a_damaged_recording_leaves_the_memory_free(tmp_path: Path) -> None:
    class Damaged(SimulatedSequence):
        def __iter__(self) -> Iterator[SensorFrame]:
            yield from islice(super().__iter__(), 2)
            raise FrameError("frame 2 is damaged")

    drive = simulate(1, 4)
    damaged = Damaged(drive.room, drive.camera, drive.true_poses, drive.depth_noise)
    with pytest.raises(FrameError, match="frame 2 is damaged"):
        sm.map(damaged, memory=tmp_path / "place")
    with sm.open(tmp_path / "place") as scene:
        assert scene.memory.last_frame_number == 1


def test_without_a_detector_nothing_is_made(
    tmp_path: Path,
) -> None:
    with pytest.raises(PerceptionError, match=r"no such file: .*nowhere/model\.onnx"):
        sm.map(ROOM, memory=tmp_path / "place", detector="nowhere/model.onnx")
    assert not (tmp_path / "place").exists()


# What is there


def test_objects_are_those_of_the_map(scene: sm.Scene) -> None:
    ids = [thing.id for thing in scene.objects]
    assert ids == sorted(scene.memory.snapshot().objects)
    assert {thing.label for thing in scene.find("chair", count=2)} == {"chair"}


def test_relations_are_of_an_object_and_of_a_name(scene: sm.Scene) -> None:
    everything = scene.relations()
    assert set(scene.relations(predicate="on top of")) == {
        relation for relation in everything if relation.predicate == "on"
    }
    thing = next(o for o in scene.objects if scene.relations(o, "on"))
    carrying = next(o for o in scene.objects if any(r.object_id == o.id for r in everything))
    for node in (thing, carrying):
        assert set(scene.relations(node.id)) == {
            relation
            for relation in everything
            if relation.subject_id == node.id or relation.object_id == node.id
        }
    with pytest.raises(SceneMemoryError, match="relation"):
        scene.relations(predicate="underneath of beside")
    with pytest.raises(SceneMemoryError, match="no object 9999"):
        scene.relations(9999)
    floor = min(scene.snapshot.structure)
    assert all(floor in (r.subject_id, r.object_id) for r in scene.relations(floor))


def test_the_closest_objects_come_first(scene: sm.Scene) -> None:
    anchor = scene.find("dining table")[0]
    others = scene.relate("closest", anchor)
    gaps = [float(np.linalg.norm(np.subtract(o.box.center, anchor.box.center))) for o in others]
    assert anchor.id not in {other.id for other in others}
    assert gaps[0] <= np.median(gaps)
    first, second = scene.find("chair")[:2]
    assert {o.id for o in scene.relate("between", (first.id, second))} <= {
        o.id for o in scene.objects
    }
    with pytest.raises(SceneMemoryError, match="no object 9999"):
        scene.relate("left", 9999)


def test_a_view_depends_on_what_was_mapped() -> None:
    with sm.create() as empty, pytest.raises(SceneMemoryError, match="'left' is seen from"):
        empty.relate("left")


def test_key_frames_show_an_object_or_help_with_a_question(scene: sm.Scene) -> None:
    chair = scene.find("chair")[0]
    frames = scene.key_frames(chair, count=2)
    assert 1 <= len(frames) <= 2
    assert all(chair.id in frame.boxes_px for frame in frames)
    assert scene.key_frames([chair.id], count=2)[0].frame_number == frames[0].frame_number
    assert scene.key_frames("where is the chair?", count=1)
    with pytest.raises(SceneMemoryError, match="no object 9999"):
        scene.key_frames(9999)


def test_a_key_frame_of_an_object_has_its_box(own: sm.Scene) -> None:
    table = own.find("dining table")[0]
    ends = (table.points.min(axis=0), table.points.max(axis=0))
    edit = Edit("split", (table.id,), places=tuple(tuple(end.tolist()) for end in ends))
    own.memory.apply([edit], "Anna", "two tables stand there")
    parts = [thing for thing in own.find("dining table") if thing.id not in {table.id}]
    for thing in (table, *parts):
        assert all(thing.id in frame.boxes_px for frame in own.key_frames(thing, count=1))


def test_changes_are_from_an_earlier_scene_or_visit(scene: sm.Scene, own: sm.Scene) -> None:
    gone = own.find("chair")[0]
    own.align(f"delete object {gone.id}")
    removed, added = own.changes(since=scene), scene.changes(since=own)
    assert [(change.kind, change.object_id) for change in removed.changes] == [("missing", gone.id)]
    # It was deleted by hand: the depth of that map shows that it stood there all along.
    assert [(change.kind, change.object_id) for change in added.changes] == [("new", gone.id)]
    assert removed.unchanged == len(scene.objects) - 1
    first = own.changes()
    assert first.changes == ()
    assert re.search(r"only once.*since= a stamp .* \(1\.0 s\) to", first.note)
    own.map(f"{ROOM},start=600", frames=8)
    assert own.changes().unchanged > 0


# Questions and corrections


def test_an_answer_comes_with_its_evidence(scene: sm.Scene) -> None:
    answer = scene.ask("how many chairs are there?")
    chairs = [thing for thing in scene.objects if thing.label == "chair"]
    assert answer.failure is None
    assert len(answer.objects) == len(chairs)
    assert answer.key_frames
    query = scene.ask("what is it?", situation="I sit", policy="strict").query
    assert (query.text, query.situation, query.policy) == ("what is it?", "I sit", "strict")
    failed = scene.ask("how many chairs are there?", method="memtree")
    assert failed.failure is not None
    assert failed.failure.code == "method_unavailable"


def test_unknown_methods_and_policies_are_refused_with_those_there_are(scene: sm.Scene) -> None:
    for ask in (scene.ask, scene.ground):
        with pytest.raises(sm.SceneMindError, match=r"'strickt': did you mean 'strict'.*balanced"):
            ask("the chair", policy="strickt")
        with pytest.raises(sm.SceneMindError, match="'gpt': there are auto, symbolic"):
            ask("the chair", method="gpt")


def test_an_object_of_a_failed_grounding_is_an_error_that_says_why(scene: sm.Scene) -> None:
    found = scene.ground("the unicorn")
    assert found.objects == ()
    with pytest.raises(sm.SceneMindError, match="unicorn"):
        found.objects[0]


def test_a_query_goes_as_it_is(scene: sm.Scene) -> None:
    chair = scene.find("chair")[0]
    query = sm.Query("what is this?", marked_object_ids=(chair.id,))
    assert scene.ask(query).query is query
    assert scene.ground(query).objects[0].id == chair.id


def test_a_correction_is_made_undone_and_made_again(own: sm.Scene) -> None:
    chair = own.ground("the chair closest to the table").objects[0]
    own.align(f"object {chair.id} is a throne", by="Anna")
    assert [thing.id for thing in own.find("throne")] == [chair.id]
    assert own.corrections[-1].by == "Anna"
    own.undo()
    assert own.find("throne") == ()
    own.redo()
    assert [thing.id for thing in own.find("throne")] == [chair.id]


def test_undo_takes_back_all_that_a_sentence_wrote(own: sm.Scene) -> None:
    one, other, *_ = own.find("chair")
    before = len(own.corrections)
    own.align(f"objects {one.id} and {other.id} are thrones", by="Anna")
    assert len(own.find("throne")) == 2
    assert [entry.undone for entry in own.undo()] == [True, True]
    assert own.find("throne") == ()
    assert len(own.redo()) == 2
    assert len(own.undo(own.corrections[-1].correction_id)) == 1
    assert len(own.find("throne")) == 1
    assert len(own.corrections) == before + 2


def test_corrections_are_replayed_on_another_map(own: sm.Scene) -> None:
    chair = own.ground("the chair closest to the table").objects[0]
    own.align(f"object {chair.id} is a throne", by="Anna")
    with sm.map(f"sim:1:frames={FRAMES + 6}") as later:
        previewed = later.replay(own, preview=True)
        assert later.corrections == ()
        replayed = later.replay(own.export_corrections(), by="Bert")
        assert len(replayed.applied) == len(previewed.applied) == 1
        throne = later.find("throne")[0]
        offset_m = np.linalg.norm(np.subtract(throne.box.center, chair.box.center))
        assert offset_m < 0.3


def test_a_memory_opened_to_read_is_not_changed(folder: Path) -> None:
    with sm.open(folder, read_only=True) as one, sm.open(folder, read_only=True) as two:
        changes = (
            lambda: one.align("object 1 is red"),
            one.undo,
            one.redo,
            lambda: two.replay(one.export_corrections()),
            lambda: two.map(ROOM),
            lambda: two.merge(one),
            lambda: two.correct_poses([], np.zeros((0, 4, 4))),
        )
        for change in changes:
            with pytest.raises(SceneMemoryError, match=r"read only.*open it without read_only"):
                change()


# Settings


def test_models_are_named_in_several_ways(tmp_path: Path) -> None:
    server = {"model": "qwen2.5vl", "endpoint": "http://127.0.0.1:9/v1"}
    with sm.create(models="qwen2.5vl") as scene:
        assert scene.config.models.language.model == "qwen2.5vl"
    with sm.create(models={"language": server, "question_tokens": 7}) as scene:
        assert scene.config.models.language.endpoint == server["endpoint"]
        assert scene.config.models.question_tokens == 7
        assert "llm_tpc" in scene.reasoner.methods
    file = tmp_path / "models.yaml"
    file.write_text("models: {language: {model: small, temperature: 0.5}}", encoding="utf-8")
    with sm.create(config=file, models={"language": {"model": "large"}}) as scene:
        language = scene.config.models.language
        assert (language.model, language.temperature) == ("large", 0.5)
    with pytest.raises(ConfigError, match="languages"):
        sm.create(models={"languages": server})


def test_settings_are_fields_a_file_or_whole(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("store: {depth_every_px: 7}", encoding="utf-8")
    fields = {"store": {"depth_every_px": 7}}
    for given in (fields, file, sm.SceneMindConfig.from_nested(fields)):
        with sm.create(config=given) as scene:
            assert scene.config.store.depth_every_px == 7
    with pytest.raises(ConfigError, match="no setting stores; did you mean store"):
        sm.create(config={"stores": {}})


def test_programs_end_with_the_scene() -> None:
    server = {"model": "any", "endpoint": "http://127.0.0.1:9/v1"}
    with sm.create(models={"language": server}) as scene:
        sandbox = scene.reasoner.methods["llm_tpc"]._sandbox  # type: ignore[attr-defined]
        assert sandbox.run("1", SandboxApi()).error is None
    with pytest.raises(SandboxError, match="closed"):
        sandbox.run("1", SandboxApi())


def test_models_that_the_caller_opened_stay_open(tmp_path: Path) -> None:
    config = ModelsConfig.model_validate({"language": {"model": "a", "endpoint": "http://[::1]:9"}})
    with open_models(config, tmp_path / "ledger.sqlite") as models:
        with sm.create(models=models) as scene:
            assert scene.reasoner.models is models
        assert models.language is not None
        with sm.create(models=models) as scene:
            assert "memtree" in scene.reasoner.methods


# Files


def test_the_scene_is_written_in_the_format_of_the_suffix(scene: sm.Scene, tmp_path: Path) -> None:
    document = json.loads(scene.export(tmp_path / "room.json").read_text(encoding="utf-8"))
    assert len(document["objects"]) == len(scene.objects)
    rows = list(csv.DictReader(scene.export(tmp_path / "room.csv").open(encoding="utf-8")))
    assert {row["label"] for row in rows} == {thing.label for thing in scene.objects}
    assert scene.export(tmp_path / "of" / "today" / "room.csv").is_file()
    assert scene.export(str(tmp_path / "room.ply")).read_bytes().startswith(b"ply")
    with pytest.raises(sm.SceneMindError, match=r"\.json"):
        scene.export(tmp_path / "room.txt")


def test_the_scene_is_served_to_browsers_until_the_viewer_is_closed(scene: sm.Scene) -> None:
    pytest.importorskip("viser")
    viewer = scene.view(port=0, opens_browser=False)
    waiting = threading.Thread(target=viewer.wait)
    waiting.start()
    with urlopen(viewer.make_address(), timeout=30.0) as page:
        assert b"<html" in page.read()
    assert waiting.is_alive()
    viewer.close()
    waiting.join(10.0)
    assert not waiting.is_alive()


def test_results_are_short_in_a_terminal(scene: sm.Scene) -> None:
    answer = scene.ask("where is the dining table?")
    found = scene.ground("the chairs")
    for value in (scene, answer, found, found.objects[0], answer.key_frames[0], scene.snapshot):
        shown = repr(value)
        assert len(shown) < 400, shown
        assert "\\x" not in shown
        assert "array(" not in shown
    assert f"chair {found.objects[0].id}" in repr(found)
    assert answer.text in repr(answer)


def test_a_scene_that_is_forgotten_is_closed(tmp_path: Path) -> None:
    program = f"""
import scenemind as sm
scene = sm.create({str(tmp_path / "place")!r})
temporary = sm.create()
print(temporary.memory.path)
"""
    assert not Path(_python(program)).exists()
    with sm.open(tmp_path / "place") as scene:
        assert scene.objects == ()
    assert "closed" in repr(scene)


def _python(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120.0, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


def test_scene_says_where_to_stand(scene: sm.Scene) -> None:
    grid = scene.occupancy()
    thing = scene.objects[0]
    poses = scene.approach_poses(thing)
    assert poses == scene.approach_poses(thing.object_id)
    for pose in poses:
        assert grid.state_at(pose.x, pose.y) == 0
        ahead = np.subtract(thing.yaw_box.center[:2], (pose.x, pose.y))
        assert pose.yaw == pytest.approx(np.arctan2(ahead[1], ahead[0]))


def test_phrase_that_means_nothing_has_no_approach(scene: sm.Scene) -> None:
    with pytest.raises(ReasoningError):
        scene.approach_poses("the elephant")
