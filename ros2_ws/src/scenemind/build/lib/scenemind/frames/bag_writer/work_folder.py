"""Files of a bag in progress: its work folder, rosbag2's metadata.yaml, and free disk space."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from scenemind.frames.bag_writer.messages import Storage
from scenemind.frames.frame import FrameError

Information: TypeAlias = dict[str, Any]
"""Content of metadata.yaml below `rosbag2_bagfile_information`."""
_TOP = "rosbag2_bagfile_information"
_SPARE = 1.05  # indices, and frames that are larger than the sample
_LEFT_FREE = 64 * 2**20


class WorkFolder:
    """The folder `OUT.part` beside the bag, in which writing can resume after a crash.

        job.json          identifies the conversion, so that no other one resumes in it
        lock              held by the process that writes
        writing/          the file in progress; begun again after a crash
        metadata/N.yaml   metadata of file N
        bag/              the finished files, and in the end metadata.yaml; it becomes OUT

    A file counts once it is in bag/, where it arrives by a rename.
    """

    def __init__(self, out: Path, storage: Storage) -> None:
        """
        Raises:
            FrameError: `out` exists or is named like a file, or `OUT.part` holds other files.
        """
        if out.suffix in (".mcap", ".db3"):
            raise FrameError(f"{out}: a bag is a folder; name it {out.with_suffix('').name}")
        self.out = out
        self._check_free()
        self.path = out.with_name(out.name + ".part")
        self._job = self.path / "job.json"
        self._check_own()
        self.bag = self.path / "bag"
        self._storage = storage
        self._metadata = self.path / "metadata"

    def finished(self, job: Mapping[str, Any]) -> list[Information]:
        """Metadata of each file that an earlier call finished.

        Raises:
            FrameError: the files belong to another job, or cannot be read.
        """
        if not self._job.is_file():
            return []
        try:
            before = dict(json.loads(self._job.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise FrameError(f"{self._job} cannot be read: {error}; remove {self.path}") from error
        self._check_same(before, json.loads(json.dumps(job)))
        return self.information() if self.bag.is_dir() else []

    @contextmanager
    def held(self, job: Mapping[str, Any]) -> Iterator[None]:
        """Context with the folder created and locked against other processes.

        Raises:
            FrameError: the folder cannot be created, or another process writes to it.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / "lock").open("wb")
        except OSError as error:
            raise FrameError(f"{self.path} cannot be made: {error.strerror}") from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # ends with the process
            except OSError as error:
                raise FrameError(f"another process writes to {self.path}: wait for it") from error
            self._check_free()
            self._prepare(job)
            yield

    def _prepare(self, job: Mapping[str, Any]) -> None:
        try:
            _replace_text(self._job, json.dumps(job, indent=1))
            self.bag.mkdir(exist_ok=True)
            self._metadata.mkdir(exist_ok=True)
        except OSError as error:
            raise FrameError(f"{self.path} cannot be written: {error.strerror}") from error

    def disk(self) -> Path:
        """An existing folder on the destination's disk."""
        return next(folder for folder in self.path.resolve().parents if folder.is_dir())

    def files(self) -> list[Path]:
        """The finished files, in order."""
        names = {p.name for p in self.bag.iterdir() if p.suffix == f".{self._storage}"}
        return [self._file(number) for number in range(len(names))]

    def writing(self, number: int) -> Path:
        """Folder in which file N is written, as a bag of its own."""
        return self.path / "writing" / self._file(number).stem

    def keep(self, number: int) -> None:
        """Move the completed file N to the finished ones."""
        folder, file = self.writing(number), self._file(number)
        os.replace(folder / "metadata.yaml", self._metadata / f"{number}.yaml")
        os.replace(folder / file.name, file)
        shutil.rmtree(folder)

    def information(self) -> list[Information]:
        """Metadata of each finished file.

        Raises:
            FrameError: it cannot be read.
        """
        numbers = range(len(self.files()))
        return [read_information(self._metadata / f"{number}.yaml") for number in numbers]

    def write_metadata(self) -> None:
        """Write the metadata.yaml of the whole bag."""
        _replace_text(
            self.bag / "metadata.yaml", yaml.safe_dump(merged(self.information()), sort_keys=False)
        )

    def finish(self) -> None:
        """Rename the finished files to the bag, and remove the work folder.

        Raises:
            FrameError: `out` exists by now.
        """
        try:
            os.rename(self.bag, self.out)
        except OSError as error:
            raise FrameError(
                f"{self.out} cannot be made: {error.strerror}; the bag is whole in {self.bag}"
            ) from error
        shutil.rmtree(self.path)

    def _file(self, number: int) -> Path:
        return self.bag / f"{self.out.name}_{number}.{self._storage}"

    def _check_free(self) -> None:
        if os.path.lexists(self.out):
            raise FrameError(f"{self.out} exists already: name another folder, or remove it")

    def _check_own(self) -> None:
        """Check that the folder holds no foreign files, since it is removed at the end."""
        if not self.path.is_dir() or self._job.is_file():
            return
        # Files that a process killed before writing the job leaves.
        foreign = {p.name for p in self.path.iterdir()} - {"lock", _half(self._job).name}
        if foreign:
            raise FrameError(
                f"{self.path} holds {min(foreign)}, which is not of a conversion: name another"
                " folder"
            )

    def _check_same(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        different = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        if different:
            key = different[0]
            raise FrameError(
                f"{self.path} is left of another conversion ({key} was {before.get(key)}, is"
                f" {now.get(key)}): remove it, or name another folder"
            )


def _replace_text(path: Path, text: str) -> None:
    half = _half(path)
    half.write_text(text, encoding="utf-8")
    os.replace(half, path)


def _half(path: Path) -> Path:
    return path.with_name(path.name + ".half")


def read_information(path: Path) -> Information:
    """The information of a metadata.yaml.

    Raises:
        FrameError: the file cannot be read, or is no metadata.
    """
    try:
        return dict(yaml.safe_load(path.read_text(encoding="utf-8"))[_TOP])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise FrameError(f"{path} is no metadata of a bag: {error!r}") from error


def message_count(information: Information, topic: str) -> int:
    """Messages on a topic."""
    return sum(
        int(entry["message_count"])
        for entry in information["topics_with_message_count"]
        if entry["topic_metadata"]["name"] == topic
    )


def first_and_last_ns(information: Information) -> tuple[int, int]:
    """Stamps of the first and of the last message."""
    start = int(information["starting_time"]["nanoseconds_since_epoch"])
    return start, start + int(information["duration"]["nanoseconds"])


def merged(parts: Sequence[Information]) -> dict[str, Information]:
    """The metadata.yaml of a bag of several files, given each file's, in order."""
    start_ns = first_and_last_ns(parts[0])[0]
    end_ns = first_and_last_ns(parts[-1])[1]
    topics = {
        entry["topic_metadata"]["name"]: entry["topic_metadata"]
        for part in parts
        for entry in part["topics_with_message_count"]
    }
    whole = {
        **parts[0],
        "relative_file_paths": [path for part in parts for path in part["relative_file_paths"]],
        "duration": {"nanoseconds": end_ns - start_ns},
        "message_count": sum(part["message_count"] for part in parts),
        "topics_with_message_count": [
            {
                "topic_metadata": topic,
                "message_count": sum(message_count(part, name) for part in parts),
            }
            for name, topic in topics.items()
        ],
        "files": [file for part in parts for file in part["files"]],
    }
    return {_TOP: whole}


def check_space(folder: Path, needed_bytes: float) -> None:
    """Check that a bag fits on the disk.

    Args:
        folder: destination.
        needed_bytes: estimate from a sample of frames.

    Raises:
        FrameError: the disk would become full.
    """
    free = shutil.disk_usage(folder).free
    needed = needed_bytes * _SPARE + _LEFT_FREE
    if needed > free:
        raise FrameError(
            f"the bag needs about {size_text(needed_bytes)}, and {folder} has {size_text(free)}:"
            " free some, write fewer frames, or write elsewhere (--force-disk begins all the same)"
        )


def size_text(count: float) -> str:
    """A count of bytes for people, such as "1.3 GB"."""
    for unit in ("B", "kB", "MB"):
        if count < 1000.0:
            return f"{count:.0f} {unit}" if count >= 100.0 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000.0
    return f"{count:.1f} GB"
