"""`OUT.part`: what is there of a bag that is being written, so that writing can go on after a kill.

    job.json          what is written, so that nothing else goes on with it
    lock              held by the process that writes
    writing/          the file that is being written; begun again after a kill
    metadata/N.yaml   what is in file N
    bag/              the finished files, and in the end metadata.yaml; it becomes OUT

A file counts once it is in bag/, where it comes by a rename.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from scenemind.frames.bag_writing.metadata import Information, merged, read_information
from scenemind.frames.bag_writing.options import Storage
from scenemind.frames.errors import FrameError


class WorkFolder:
    """Beside the bag that is to be; on the same disk, so that renames do not copy."""

    def __init__(self, out: Path, storage: Storage) -> None:
        """
        Raises:
            FrameError: there is something at `out` already, or in `OUT.part` what is not of a bag
                that is being written; or `out` is named as a file.
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
        """What is in each file that an earlier call finished.

        Raises:
            FrameError: the files are of another job, or cannot be read.
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
        """Make the folder where it is not there; meanwhile no other process may write to it.

        Raises:
            FrameError: it cannot be made, or another process writes to it.
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
        """A folder that is there and on the disk on which the bag will be."""
        return next(folder for folder in self.path.resolve().parents if folder.is_dir())

    def files(self) -> list[Path]:
        """The finished files, in order."""
        names = {p.name for p in self.bag.iterdir() if p.suffix == f".{self._storage}"}
        return [self._file(number) for number in range(len(names))]

    def writing(self, number: int) -> Path:
        """Where file N is to be written, as a bag of its own."""
        return self.path / "writing" / self._file(number).stem

    def keep(self, number: int) -> None:
        """File N is whole."""
        folder, file = self.writing(number), self._file(number)
        os.replace(folder / "metadata.yaml", self._metadata / f"{number}.yaml")
        os.replace(folder / file.name, file)
        shutil.rmtree(folder)

    def information(self) -> list[Information]:
        """What is in each finished file.

        Raises:
            FrameError: it cannot be read.
        """
        numbers = range(len(self.files()))
        return [read_information(self._metadata / f"{number}.yaml") for number in numbers]

    def write_metadata(self) -> None:
        """The bag's own, of all its files."""
        _replace_text(
            self.bag / "metadata.yaml", yaml.safe_dump(merged(self.information()), sort_keys=False)
        )

    def finish(self) -> None:
        """It becomes the bag.

        Raises:
            FrameError: something has come to be at `out` meanwhile.
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
        """Since the folder is removed in the end."""
        if not self.path.is_dir() or self._job.is_file():
            return
        # What a kill leaves that comes before the job is written.
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
