"""`scenemind convert`."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.exchange import ExchangeError, LabelsFile, read_rows
from scenemind.frames import open_sequence
from scenemind.frames.bag_writer.work_folder import WorkFolder
from tests.unit.exchange.scannet_scan import write_scan
from tests.unit.frames.made import pose
from tests.unit.frames.scannet_bytes import LOST, Sens, made_frames


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """The folder of a scan whose second frame was lost."""
    folder = tmp_path / "scene0011_00"
    folder.mkdir()
    poses = [LOST if i == 1 else pose(i).matrix() for i in range(6)]
    (folder / "scene0011_00.sens").write_bytes(Sens(made_frames(poses)).data())
    return folder


def convert(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["convert", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def test_a_scan_becomes_a_bag(scan: Path, tmp_path: Path) -> None:
    status, printed, told = convert(scan, tmp_path / "bag", "--format", "db3", "--json")
    assert status == 0, told
    result = json.loads(printed.splitlines()[-1])
    assert (result["frames"], result["dropped"], result["files"]) == (5, {"pose_lost": 1}, 1)
    assert (result["color"], result["depth"]) == ("file", "png")
    assert "scene0011_00: 5 frames, about" in told
    stamps = [frame.stamp_ns for frame in open_sequence(tmp_path / "bag")]
    assert stamps == [frame.stamp_ns for frame in open_sequence(scan)]
    assert result["bytes"] == (tmp_path / "bag/bag_0.db3").stat().st_size


def test_a_part_of_it_in_words(scan: Path, tmp_path: Path) -> None:
    status, printed, _ = convert(scan, tmp_path / "bag", "--first", 1, "--last", 3, "--every", 2)
    assert status == 0
    assert "2 frames in 1 files" in printed
    assert "left out: 1 pose_lost" in printed
    assert f'depth.aligned:=false depth.color_T_depth:="[{"0.000000, " * 6}1.000000]"' in printed


def test_a_damaged_frame_is_counted(scan: Path, tmp_path: Path) -> None:
    file = scan / "scene0011_00.sens"
    image = made_frames([pose(0).matrix()] * 3)[2].color
    file.write_bytes(file.read_bytes().replace(image, b"x" * len(image)))
    status, printed, _ = convert(scan, tmp_path / "bag")
    assert status == 0
    assert "4 frames in 1 files" in printed
    assert "left out: 1 pose_lost, 1 color_invalid" in printed


def test_resumed_conversion_is_reported(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "finish", lambda _: exit(9))
        assert convert(scan, tmp_path / "bag", "--frames-per-file", 2)[0] == 9
    status, _, told = convert(scan, tmp_path / "bag", "--frames-per-file", 2)
    assert status == 0
    assert "going on behind 5 frames" in told


def test_a_simulated_room_takes_its_instances_along(tmp_path: Path) -> None:
    assert convert("sim:1:frames=2", tmp_path / "bag", "--raw")[0] == 0
    metadata = (tmp_path / "bag/metadata.yaml").read_text()
    assert "/camera/camera/instances/names" in metadata


def test_labels_of_many_scans(tmp_path: Path) -> None:
    scans, out = tmp_path / "scans", tmp_path / "objects.json.gz"
    write_scan(scans, "scene0000_00")
    broken = write_scan(scans, "scene0001_00")
    segments = broken / "scene0001_00_vh_clean_2.0.010000.segs.json"
    text = segments.read_text()
    segments.unlink()
    status, printed, told = convert("--labels", scans, "--out", out)
    assert status == 1
    assert "1 scenes in" in printed
    assert "scene0001_00: " in told
    assert "lacks scene0001_00_vh_clean_2.0.010000.segs.json" in told

    segments.write_text(text)
    status, printed, _ = convert("--labels", scans, "--out", out, "--json")
    assert status == 0
    result = json.loads(printed.splitlines()[-1])
    assert (result["scenes"], result["added"], result["failed"]) == (2, 1, {})
    assert [row.label for row in read_rows(out, "scene0001_00")] == ["chair", "coffee table"]


def test_a_full_disk_is_not_the_fault_of_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(*_: object) -> None:
        raise ExchangeError("objects.json.part cannot be written: No space left on device")

    write_scan(tmp_path / "scans", "scene0000_00")
    monkeypatch.setattr(LabelsFile, "add", add)
    status, printed, told = convert("--labels", tmp_path / "scans", "--out", tmp_path / "o.json")
    assert status == 1
    assert "No space left on device" in told
    assert "failed" not in printed


@pytest.mark.parametrize(
    "words",
    [(), ("sim:1",), ("--labels", "scans"), ("sim:1", "bag", "--out", "x.json")],
)
def test_error_of_an_invalid_option_lists_the_valid_ones(words: tuple[str, ...]) -> None:
    status, _, told = convert(*words)
    assert status == 1
    assert "write: scenemind convert" in told


def test_labels_take_no_options_of_bags(tmp_path: Path) -> None:
    out = tmp_path / "objects.json"
    status, _, told = convert("--labels", "scans", "--out", out, "--every", 1, "--raw")
    assert status == 1
    assert "to which --every, --raw would do nothing: leave that out" in told


def test_a_folder_that_may_not_be_read_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def iterdir(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", iterdir)
    status, _, told = convert("--labels", tmp_path, "--out", tmp_path / "objects.json")
    assert status == 1
    assert f"scenemind: [Errno 13] Permission denied: '{tmp_path}'" in told


def test_empty_folder_is_one_sentence(tmp_path: Path) -> None:
    status, _, told = convert(tmp_path / "none", tmp_path / "bag")
    assert status == 1
    assert "there is no recording" in told
