"""ScanNet's annotations of scans as objects, and the objects file that collects them."""

from __future__ import annotations

import gzip
import json
import logging
import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError, field_validator

from scenemind.errors import ExchangeError
from scenemind.exchange.objects_file import ObjectRow, faults
from scenemind.exchange.ply import Vertices, read_vertices
from scenemind.frames import FrameError
from scenemind.frames.readers.scannet import SCANNET_TERMS, find_axis_alignment
from scenemind.geometry import Pose
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

_log = logging.getLogger(__name__)
_DIGITS = 4  # tenths of a millimetre
_MATRIX_DIGITS = 6  # as `<scene>.txt` has them
_DocumentT = TypeVar("_DocumentT", bound=BaseModel)


class LabelledScene(BaseModel):
    """A scene of an objects file of several scenes.

    Attributes:
        axis_alignment: world_T_scan, row by row.
    """

    axis_alignment: tuple[float, ...]
    objects: list[ObjectRow]


_Number = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class _Segments(BaseModel):
    segIndices: list[_Number]


class _Group(BaseModel):
    objectId: _Number = Field(ge=0)
    label: str = Field(min_length=1)
    segments: list[_Number]


class _Aggregation(BaseModel):
    segGroups: list[_Group]

    @field_validator("segGroups")
    @classmethod
    def _ids_differ(cls, groups: list[_Group]) -> list[_Group]:
        counts = Counter(group.objectId for group in groups)
        twice = [number for number, count in counts.items() if count > 1]
        if twice:
            raise ValueError(f"two objects have the objectId {twice[0]}")
        return groups


def scene_folders(scans: Path) -> list[Path]:
    """The folders of scans in a folder, or the folder itself where it is a scan's.

    Raises:
        ExchangeError: there is none.
    """
    if not scans.is_dir():
        raise ExchangeError(f"there is no folder {scans}")
    if _mesh(scans).is_file():
        return [scans]
    found = sorted(path for path in scans.iterdir() if path.name.startswith("scene"))
    folders = [path for path in found if path.is_dir()]
    if not folders:
        raise ExchangeError(f"{scans} holds no folder of a scan, such as scene0000_00")
    return folders


def read_labels(folder: Path) -> LabelledScene:
    """The objects of a scan; its folder has the scan's name.

    Raises:
        ExchangeError: a file is missing, damaged, or of another scan.
    """
    scene = folder.resolve().name
    mesh = _mesh(folder)
    segments = folder / f"{scene}_vh_clean_2.0.010000.segs.json"
    aggregation = folder / f"{scene}.aggregation.json"
    info = folder / f"{scene}.txt"
    missing = [file.name for file in (mesh, segments, aggregation, info) if not file.is_file()]
    if missing:
        raise ExchangeError(f"{folder} lacks {', '.join(missing)}. {SCANNET_TERMS}")
    world_T_scan = _world_T_scan(info)
    vertices = read_vertices(mesh)
    aligned = Vertices(
        np.asarray(world_T_scan.transform(vertices.points), np.float64), vertices.rgb
    )
    segment_of = np.array(_document(segments, _Segments).segIndices, np.int64)
    if len(segment_of) != len(aligned.points):
        raise ExchangeError(
            f"{segments} is of a mesh of {len(segment_of)} vertices, and {mesh.name} has"
            f" {len(aligned.points)}: they are of different releases"
        )
    groups = _document(aggregation, _Aggregation).segGroups
    return LabelledScene(
        axis_alignment=tuple(world_T_scan.matrix().round(_MATRIX_DIGITS).ravel().tolist()),
        objects=list(_rows(groups, segment_of, aligned, scene)),
    )


def _rows(
    groups: list[_Group], segment_of: NDArray[np.int64], vertices: Vertices, scene: str
) -> Iterator[ObjectRow]:
    for group in sorted(groups, key=lambda g: g.objectId):
        own = np.isin(segment_of, group.segments)
        if not own.any():
            _log.warning("%s: %s %d has no vertex", scene, group.label, group.objectId)
            continue
        points = vertices.points[own]
        low, high = points.min(axis=0), points.max(axis=0)
        yield ObjectRow(
            id=group.objectId,
            label=group.label,
            center=tuple(((low + high) / 2.0).round(_DIGITS).tolist()),
            size=tuple((high - low).round(_DIGITS).tolist()),
            avg_rgb=tuple(vertices.rgb[own].mean(axis=0).round().astype(int).tolist()),
        )


def _mesh(folder: Path) -> Path:
    return folder / f"{folder.resolve().name}_vh_clean_2.ply"


def _world_T_scan(info: Path) -> Pose:
    try:
        world_T_scan = find_axis_alignment(info)
    except FrameError as error:
        raise ExchangeError(str(error)) from error
    if world_T_scan is None:
        _log.warning("%s has no axisAlignment: boxes stand along the scan's own axes", info)
        return Pose.identity()
    return world_T_scan


def _document(path: Path, kind: type[_DocumentT]) -> _DocumentT:
    try:
        return kind.model_validate_json(read_regular(path, MOST_JSON_BYTES, follow=True))
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ExchangeError(f"{path} is not as ScanNet has it: {faults(error)}") from error


class LabelsFile:
    """An objects file that grows scene by scene; added scenes survive errors and kills.

    To be used as a context manager.
    """

    def __init__(self, out: Path) -> None:
        """
        Raises:
            ExchangeError: `out` or `out.part` is another file, or cannot be read.
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
        """Names of the scenes in the file."""
        return {*self._before, *self._added}

    def __enter__(self) -> LabelsFile:
        try:
            self._part.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("ab")
            self._file.truncate(self._whole_bytes)  # without a last line that is incomplete
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
        """Add a scene.

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
        """Write the objects file of all scenes, in the order of their names.

        Raises:
            ExchangeError: it cannot be written.
        """
        text = json.dumps(dict(sorted({**self._before, **self._added}.items())))
        is_gzip = self._out.suffix == ".gz"
        # Without a time stamp: the same scenes give the same bytes.
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
        scenes = load_json(read_regular(path, MOST_JSON_BYTES, follow=True))
    except (OSError, ValueError) as error:
        raise ExchangeError(f"{path} cannot be read: {error}") from error
    if not isinstance(scenes, dict) or "objects" in scenes:
        raise ExchangeError(f"{path} is no objects file of several scenes: name another file")
    return scenes


def _read_lines(path: Path) -> tuple[dict[str, Any], int]:
    """The scenes of complete lines, and the number of their bytes."""
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
