"""`open_sequence`: each format is recognised by its content, other files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.frames import FrameError, open_sequence
from tests.unit.frames.made import make_bag

from .made import MadeSequence


@pytest.mark.parametrize("fixture", ["hololens_folder", "seven_scenes_folder", "tum_folder"])
def test_folders_are_recognised(fixture: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(fixture)
    sequence = open_sequence(folder)
    assert (sequence.name, sequence.path, len(sequence)) == (folder.name, folder, 6)


def test_bags_are_recognised_as_folder_and_as_file(tmp_path: Path, made: MadeSequence) -> None:
    make_bag(made, tmp_path / "run")
    assert [open_sequence(p).name for p in (tmp_path / "run", tmp_path / "run/run_0.mcap")] == [
        "run",
        "run_0",
    ]


def test_error_of_an_unknown_folder_lists_its_contents_and_known_formats(tmp_path: Path) -> None:
    (tmp_path / "holiday.mov").touch()
    with pytest.raises(FrameError, match=r"holds holiday\.mov.*7-Scenes.*HoloLens.*TUM.*rosbag2"):
        open_sequence(tmp_path)


def test_a_folder_of_a_recording_points_to_the_one_above(tum_folder: Path) -> None:
    with pytest.raises(FrameError, match="the folder above is one") as error:
        open_sequence(tum_folder / "rgb")
    assert str(error.value).endswith(str(tum_folder))


@pytest.mark.parametrize("name", ["nowhere", "empty", "note.txt"])
def test_other_files_are_no_recording(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "note.txt").touch()
    found = {"nowhere": "no recording at", "empty": "an empty folder", "note.txt": r"type \.txt"}
    with pytest.raises(FrameError, match=found[name]):
        open_sequence(tmp_path / name)
