"""Writing that was killed, and disks that are full."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from scenemind.frames import FrameError, RecordedSequence, open_sequence
from scenemind.frames.bag_writer import WriteOptions, plan_bag, write_bag
from scenemind.frames.bag_writer.messages import Storage
from scenemind.frames.bag_writer.recorder import BagPart
from scenemind.frames.bag_writer.work_folder import WorkFolder
from tests.unit.frames.made import make_bag

from ..made import MadeSequence

# Writes two frames a file and kills itself behind the fifth frame.
KILLED = """
import os, signal, sys
from scenemind.frames import open_sequence
from scenemind.frames.bag_writer import WriteOptions, plan_bag, write_bag

def report(done):
    if done == 5:
        os.kill(os.getpid(), signal.SIGKILL)

source, out = sys.argv[1:]
options = WriteOptions(frames_per_file=2)
write_bag(plan_bag(open_sequence(source), out, options), report)
"""


def contents(bag: Path) -> dict[str, Any]:
    return yaml.safe_load((bag / "metadata.yaml").read_text())


def options_for(storage: Storage = "mcap") -> WriteOptions:
    return WriteOptions(frames_per_file=2, storage=storage)


def test_a_kill_costs_one_file(tmp_path: Path, hololens_folder: Path) -> None:
    out = tmp_path / "whole" / "run"
    run = [sys.executable, "-c", KILLED, str(hololens_folder), str(out)]
    assert subprocess.run(run, check=False).returncode == -signal.SIGKILL
    assert not out.exists()

    sequence = open_sequence(hololens_folder)
    plan = plan_bag(sequence, out, options_for())
    assert (plan.resumed, plan.frames) == (4, 6)
    told: list[int] = []
    written = write_bag(plan, told.append)
    assert told == [5, 6]
    assert (written.frames, written.resumed, written.files) == (6, 4, 3)
    assert sorted(path.name for path in (tmp_path / "whole").iterdir()) == ["run"]

    at_once = make_bag(sequence, tmp_path / "at_once" / "run", options_for())
    assert contents(out) == contents(at_once.path)
    for a, b in zip(open_sequence(out), sequence, strict=True):
        assert a.stamp_ns == b.stamp_ns
        assert np.array_equal(a.color, b.color)
        assert np.array_equal(a.depth_m, b.depth_m)


MADE = MadeSequence()


class KilledError(Exception):
    """In place of a kill, where nothing cleans up."""


def killed_before(
    where: str,
    monkeypatch: pytest.MonkeyPatch,
    out: Path,
    sequence: RecordedSequence = MADE,
) -> None:
    """Leave the files of a process that is killed just before a file gets this name."""
    real = os.replace

    def replace(old: Path, new: Path) -> None:
        if where in str(new):
            raise KilledError
        real(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(KilledError):
            make_bag(sequence, out, options_for())
    assert out.with_name("run.part").is_dir()


@pytest.mark.parametrize(
    ("where", "resumed"), [("metadata/1.yaml", 2), ("run_1.mcap", 2), ("bag/metadata.yaml", 6)]
)
def test_a_kill_between_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, resumed: int
) -> None:
    """The frames of the sequence can only be read in order."""
    killed_before(where, monkeypatch, tmp_path / "run")
    written = make_bag(MadeSequence(), tmp_path / "run", options_for())
    assert (written.frames, written.resumed) == (6, resumed)
    stamps = [frame.stamp_ns for frame in open_sequence(tmp_path / "run")]
    assert stamps == [frame.stamp_ns for frame in MadeSequence()]


@pytest.mark.parametrize(
    ("damaged", "where"),
    [
        ((0,), "run_1.mcap"),
        ((1, 2), "run_1.mcap"),
        ((0, 2, 5), "run_1.mcap"),
        ((2, 3, 4, 5), "bag/metadata.yaml"),
    ],
)
def test_unusable_frames_do_not_shift_the_point_of_resumption(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hololens_folder: Path,
    damaged: tuple[int, ...],
    where: str,
) -> None:
    for number in damaged:
        (hololens_folder / f"depth/{number:05d}.png").write_bytes(b"no image")
    out = tmp_path / "bags" / "run"
    killed_before(where, monkeypatch, out, open_sequence(hololens_folder))
    written = make_bag(open_sequence(hololens_folder), out, options_for())
    assert (written.frames, written.resumed) == (6 - len(damaged), 2)

    at_once = make_bag(open_sequence(hololens_folder), tmp_path / "other" / "run", options_for())
    assert contents(out) == contents(at_once.path)
    assert at_once.drops == {"depth_invalid": len(damaged)}
    stamps = [frame.stamp_ns for frame in open_sequence(out)]
    assert stamps == [frame.stamp_ns for frame in open_sequence(hololens_folder)]


def test_bag_of_a_writer_killed_after_the_last_step_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"

    def finish(work: WorkFolder) -> None:
        os.rename(work.bag, work.out)
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "finish", finish)
        with pytest.raises(KilledError):
            make_bag(MadeSequence(), out, options_for())
    assert len(list(open_sequence(out))) == 6
    shutil.rmtree(out)
    assert make_bag(MadeSequence(), out, options_for()).resumed == 0
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_folder_of_other_files_is_left_alone(tmp_path: Path, hololens_folder: Path) -> None:
    """The recording to be converted is left alone, too."""
    source = hololens_folder.rename(tmp_path / "run.part")
    before = sorted(source.rglob("*"))
    with pytest.raises(FrameError, match=r"run\.part holds K\.txt, .* name another folder"):
        make_bag(open_sequence(source), tmp_path / "run")
    assert sorted(source.rglob("*")) == before


class Other(NamedTuple):
    sequence: MadeSequence
    options: WriteOptions
    what: str


@pytest.mark.parametrize(
    "other",
    [
        Other(MadeSequence(count=5), options_for(), "length"),
        Other(MadeSequence(), options_for("db3"), "storage"),
        Other(MadeSequence(), WriteOptions(frames_per_file=3), "frames_per_file"),
        Other(MadeSequence(), WriteOptions(frames=slice(2, 5)), "first frame"),
    ],
)
def test_another_conversion_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: Other
) -> None:
    killed_before("run_1.mcap", monkeypatch, tmp_path / "run")
    with pytest.raises(FrameError, match=rf"left of another conversion \({other.what}"):
        make_bag(other.sequence, tmp_path / "run", other.options)


def test_two_processes_do_not_write_one_bag(tmp_path: Path) -> None:
    first = plan_bag(MadeSequence(), tmp_path / "run")
    second = plan_bag(MadeSequence(), tmp_path / "run")

    def meanwhile(_: int) -> None:
        with pytest.raises(FrameError, match="another process writes to"):
            write_bag(second)

    assert write_bag(first, meanwhile).frames == 6


def test_folder_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    out = tmp_path / "run"

    def meanwhile(done: int) -> None:
        if done == 6:
            (out / "mine").mkdir(parents=True)

    with pytest.raises(FrameError, match=r"run cannot be made: .* is whole in .*run\.part/bag"):
        write_bag(plan_bag(MadeSequence(), out), meanwhile)
    assert len(list(open_sequence(tmp_path / "run.part" / "bag"))) == 6


def test_a_small_disk_is_noticed_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(FrameError, match=r"needs about .* kB.*--force-disk"):
        make_bag(MadeSequence(), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    assert make_bag(MadeSequence(), tmp_path / "run", WriteOptions(is_forced=True)).frames == 6


@pytest.mark.parametrize("name", ["job.json", "bag/metadata.yaml"])
def test_a_disk_that_is_full_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = Path.write_text

    def write_text(path: Path, *arguments: Any, **more: Any) -> int:
        if str(path).endswith(name + ".half"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", write_text)
        with pytest.raises(FrameError, match=r"run\.part.*No space left"):
            make_bag(MadeSequence(), tmp_path / "run")
    assert make_bag(MadeSequence(), tmp_path / "run").frames == 6


def test_full_disk_keeps_complete_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = BagPart.write
    calls = []

    def write(self: BagPart, *arguments: Any) -> None:
        calls.append(arguments)
        if len(calls) == 8:  # two files of three writes each, and into the third
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(BagPart, "write", write)
        with pytest.raises(FrameError, match=r"No space left.*same command again"):
            make_bag(MadeSequence(), tmp_path / "run", options_for())
    assert make_bag(MadeSequence(), tmp_path / "run", options_for()).resumed == 4
