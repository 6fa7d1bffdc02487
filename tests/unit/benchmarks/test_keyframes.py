"""`python -m benchmarks keyframes`, small; its long drive, and its truth."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.keyframe_oracles import VISIBLE_PX, location_oracle, mapped_room
from benchmarks.keyframes import bench_keyframes, time_of_detector
from benchmarks.long_drive import DETECTIONS, LongDrive, memory_of
from scenemind.errors import UsageError
from scenemind.models import Allowance
from scenemind.reasoning.memtree_qa.tree_selector import LocationChoice


def test_drive_is_the_same_in_any_parts_and_stores_its_frames():
    whole, parts = LongDrive(), LongDrive()
    whole.go_on(900)
    for count in (1, 399, 500):
        parts.go_on(count)
    assert whole.frames == parts.frames == 900
    assert whole.tree.location_count == parts.tree.location_count == 10  # 15 m
    assert whole.views.needed_frames() == parts.views.needed_frames()
    assert len(whole.views.needed_frames()) <= whole.key_frames < 900
    tracklets = [
        t
        for node in (n.node(whole.objects) for n in whole.tree.locations())
        for t in node.tracklets
    ]
    assert sum(t.detection_count for t in tracklets) == 900 * DETECTIONS
    assert {t.label for t in tracklets} <= {thing.label for thing in whole.objects.values()}


def test_second_round_is_all_revisits_of_the_same_objects():
    drive = LongDrive(frames_per_second=2.0, round_m=30.0)
    drive.go_on(2 * 30 * 4)
    nodes = [location.node(drive.objects) for location in drive.tree.locations()]
    second = [node for node in nodes if node.frame_numbers[0] > 30 * 4 + 8]
    assert len(second) > 10
    assert all(node.revisit_of is not None for node in second)
    assert len(drive.objects) == 200


def test_drive_is_asked_through_the_reader_of_a_memory():
    drive = LongDrive(frames_per_second=2.0, round_m=30.0)
    drive.go_on(2 * 30 * 2)
    memory = memory_of(drive)
    frames = memory.select_key_frames([7], [8], 3)
    assert len({frame.location_id for frame in frames}) == 2  # one in each round
    assert [frame.location_id for frame in frames] == [
        drive.location_of[frame.frame_number] for frame in frames
    ]
    best = drive.views.of_object(7)
    assert frames[0].frame_number in best.frame_numbers[:5].tolist()
    (there,) = memory.select_key_frames([7], [], 3, [frames[1].location_id])
    assert there.location_id == frames[1].location_id
    assert len(memory.tree_json().text.splitlines()) <= drive.tree.location_count


def test_curves_that_cannot_be_written_are_refused_before_the_drive(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write to .*: File exists"):
        bench_keyframes(picture=tmp_path / "file" / "times.svg")
    with pytest.raises(UsageError, match=r"cannot write to .*: Is a directory"):
        bench_keyframes(picture=tmp_path)


def test_truth_of_a_room_and_the_oracle_s_choice():
    with mapped_room(1, 40, noise=False) as room:
        assert room.pixels.sum(axis=1).tolist() == [320 * 240] * 40
        question = room.questions()[0]
        (asked,) = question.target_ids
        assert room.shows(int(room.pixels[:, asked].argmax()), asked)
        assert not room.shows(int(room.pixels[:, asked].argmin()), asked) or (
            room.pixels[:, asked].min() >= VISIBLE_PX
        )
        reply = location_oracle(room, question, 1).ask([], Allowance(1.0)).text
        (place,) = LocationChoice.model_validate_json(reply).locations
        shown = {
            location: max(
                room.pixels[f, asked] for f, at in room.location_of.items() if at == location
            )
            for location in room.location_of.values()
        }
        assert shown[place.location] == max(shown.values())
        assert place.key_objects == [room.object_of[asked]]
        labels = {i: o.label for i, o in room.memory.snapshot().objects.items()}
        assert labels[place.key_objects[0]] == room.sequence.class_names[asked]


def test_result_has_all_documented_keys_and_the_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("benchmarks.keyframe_times._ROUNDS", 1)
    monkeypatch.setattr("benchmarks.keyframe_times._LOCATIONS", 40)
    picture = tmp_path / "new" / "folder" / "times.svg"
    result = bench_keyframes(
        questions=6,
        rooms=1,
        detector_ms=50.0,
        picture=picture,
        minutes=(0.2, 0.4),
        frames_a_room=40,
    )
    parts = ("select", "select_first", "tree_text", "choose_at_locations", "choose_anywhere")
    assert all(result[f"{part}_{length}_ms"] > 0.0 for part in parts for length in ("6min", "1h"))
    assert result["questions"] == 6
    assert result["visible_rate"]["tree"] >= 5 / 6
    assert set(result["visible_rate"]) == {
        "tree",
        "objects",
        "uniform",
        "retrieval (simulated encoder)",
        "detector (simulated)",
    }
    for name, first in result["visible_rate_first"].items():
        assert 0.0 <= first <= result["visible_rate"][name] <= 1.0
    assert result["language_model"].startswith("oracle")
    assert 0 < result["json_300_tokens"] <= result["json_budget_tokens"]
    assert result["detector_ms_source"] == "stated on the command line"
    short, long = result["lengths"]
    assert (short["frames"], long["frames"]) == (360, 720)
    assert long["detector_all_frames_s"] == pytest.approx(720 * 0.05)
    assert long["detector_stored_frames_s"] == pytest.approx(long["stored_frames"] * 0.05)
    asked = result["questions_after_6min"]
    assert asked[-1]["detector_all_frames_s"] == pytest.approx(
        50 * asked[0]["detector_all_frames_s"]
    )
    drawing = ElementTree.parse(picture).getroot()
    assert sum(element.tag.endswith("polyline") for element in drawing.iter()) == 6
    assert json.dumps(result)


@pytest.mark.usefixtures("shared_data")
def test_time_of_the_detector_is_measured_where_weights_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("benchmarks.keyframes._FRAMES", 1)
    monkeypatch.setattr("benchmarks.keyframes._RUNS", 2)
    ms, source = time_of_detector(None)
    assert ms > 0.0
    assert source.startswith("measured: yolov8n-seg_deq640 (")
    monkeypatch.setattr("benchmarks.keyframes.data_beside_the_repository", lambda _: None)
    assert time_of_detector(None) == (40.0, "assumed: no weights beside the repository")


def test_command_refuses_a_detector_that_takes_no_time():
    done = CliRunner().invoke(app, ["keyframes", "--detector-ms", "0"])
    assert done.exit_code == 2
