"""ScanNet's annotations of a scan as objects: labels and axis-aligned boxes.

A mesh's vertices belong to segments (`*.segs.json`), and segments to objects
(`<scene>.aggregation.json`); Dai et al., "ScanNet", CVPR 2017, section 4.1. The boxes are those of
an object's vertices after `<scene>.txt` has turned the mesh along the walls, which is how ScanRefer
and ReferIt3D have them. Ids are ScanNet's `objectId`, labels its raw ones.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError, field_validator

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.faults import faults
from scenemind.exchange.object_row import ObjectRow
from scenemind.exchange.ply_vertices import Vertices, read_vertices
from scenemind.frames import FrameError
from scenemind.frames.readers.scannet_files import SCANNET_TERMS, find_axis_alignment
from scenemind.geometry import Pose

_log = logging.getLogger(__name__)

_DIGITS = 4  # tenths of a millimetre
_MATRIX_DIGITS = 6  # as `<scene>.txt` has them
_DocumentT = TypeVar("_DocumentT", bound=BaseModel)


class LabelledScene(BaseModel):
    """A scene as an objects file of several scenes has it.

    Attributes:
        axis_alignment: world_T_scan, row by row.
    """

    axis_alignment: tuple[float, ...]
    objects: list[ObjectRow]


class _Segments(BaseModel):
    segIndices: list[int]


class _Group(BaseModel):
    objectId: int = Field(ge=0)
    label: str = Field(min_length=1)
    segments: list[int]


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
    """The folders of scans in a folder of many, or that folder itself where it is one.

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
    """The objects of the scan in a folder of its name.

    Raises:
        ExchangeError: a file that is missing, damaged, or of another scan.
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
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ExchangeError(f"{path} is not as ScanNet has it: {faults(error)}") from error
