"""An objects file of many scenes that grows scene by scene, whatever stops it.

`OUT.part` has a line a scene: its name and what is in it. In the end they become OUT, with the
scenes that OUT had before.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.scannet_labels import LabelledScene


class LabelsFile:
    """Use it as a context manager; what was added stays when it is left by an error."""

    def __init__(self, out: Path) -> None:
        """
        Raises:
            ExchangeError: something else is at `out` or at `out.part`, or cannot be read.
        """
        if not out.name.endswith((".json", ".json.gz")):
            raise ExchangeError(f"{out}: an objects file of several scenes is .json or .json.gz")
        self._out = out
        self._part = out.with_name(out.name + ".part")
        self._before = _read_whole(out) if out.exists() else {}
        self._added, self._whole_bytes = _read_lines(self._part)
        self._file: IO[bytes] | None = None

    @property
    def scenes(self) -> Collection[str]:
        """Names of those that are there."""
        return {*self._before, *self._added}

    def __enter__(self) -> LabelsFile:
        try:
            self._part.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("ab")
            self._file.truncate(self._whole_bytes)  # without the line at which it was killed
        except OSError as error:
            raise ExchangeError(f"{self._part} cannot be written: {error.strerror}") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._file is not None
        self._file.close()
        if not self._added:
            self._part.unlink(missing_ok=True)

    def add(self, name: str, scene: LabelledScene) -> None:
        """Keep a scene.

        Raises:
            ExchangeError: it cannot be written.
        """
        assert self._file is not None
        self._added[name] = scene.model_dump(mode="json", exclude_defaults=True)
        try:
            self._file.write(json.dumps([name, self._added[name]]).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise ExchangeError(f"{self._part} cannot be written: {error.strerror}") from error

    def finish(self) -> None:
        """Make the objects file of all scenes, in the order of their names.

        Raises:
            ExchangeError: it cannot be written.
        """
        text = json.dumps(dict(sorted({**self._before, **self._added}.items())))
        is_gzip = self._out.suffix == ".gz"
        # The same scenes are the same bytes: no time of writing in them.
        data = gzip.compress(text.encode(), mtime=0) if is_gzip else text.encode()
        half = self._out.with_name(self._out.name + ".half")
        try:
            half.write_bytes(data)
            os.replace(half, self._out)
            self._part.unlink()
        except OSError as error:
            raise ExchangeError(f"{self._out} cannot be written: {error.strerror}") from error


def _read_whole(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        scenes = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise ExchangeError(f"{path} cannot be read: {error}") from error
    if not isinstance(scenes, dict) or "objects" in scenes:
        raise ExchangeError(f"{path} is no objects file of several scenes: name another file")
    return scenes


def _read_lines(path: Path) -> tuple[dict[str, Any], int]:
    """The scenes of whole lines, and how many bytes these are."""
    if not path.exists():
        return {}, 0
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    whole = [line for line in lines if line.endswith(b"\n")]
    try:
        return dict(json.loads(line) for line in whole), sum(map(len, whole))
    except (ValueError, TypeError) as error:
        raise ExchangeError(f"{path} is damaged ({error}): remove it to begin again") from error
