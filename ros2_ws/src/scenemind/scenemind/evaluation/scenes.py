"""Scenes of an objects file: what stands in each, with relations where somebody asks for them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import OrderedDict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets.rows import ScanPose
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.scannet_pose import world_T_head
from scenemind.exchange import ExchangeError, ObjectRow, objects_of_rows, scene_of_rows
from scenemind.geometry import GeometryError, Pose
from scenemind.memory import MapObject, MemorySnapshot

# Scene graphs that are kept: who asks goes through a benchmark scene by scene.
_MOST_SNAPSHOTS = 16


class _SceneRow(BaseModel):
    """
    Attributes:
        axis_alignment: world_T_scan, row by row; ScanNet's `axisAlignment`.
    """

    objects: list[ObjectRow] = Field(min_length=1)
    axis_alignment: list[float] | None = Field(default=None, min_length=16, max_length=16)


class Scenes:
    """The scenes of an objects file, `{"scene0011_00": {"objects": [...]}}`, also gzipped.

    `exchange.load_objects` reads one scene; a benchmark asks hundreds of one file.
    """

    def __init__(self, path: Path, config: RelationConfig | None = None) -> None:
        """
        Raises:
            EvaluationError: the file cannot be read, or holds no scenes.
        """
        self._path = path
        self.config = config or RelationConfig()
        self._document = _document(path)
        self._rows: dict[str, _SceneRow] = {}
        self._objects: dict[str, Mapping[int, MapObject]] = {}
        self._snapshots: OrderedDict[str, MemorySnapshot] = OrderedDict()

    @property
    def path(self) -> Path:
        """Of the objects file."""
        return self._path

    @property
    def names(self) -> Collection[str]:
        """Of all scenes."""
        return self._document.keys()

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """By id. Cheaper than a snapshot, as no relations are looked for.

        Raises:
            EvaluationError: there is no such scene, or it is not as an objects file has it.
        """
        if scene_id not in self._objects:
            rows = self._get_rows(scene_id).objects
            try:
                self._objects[scene_id] = objects_of_rows(rows)
            except (ExchangeError, GeometryError) as error:
                raise EvaluationError(f"{self._path}: {scene_id}: {error}") from error
        return self._objects[scene_id]

    def get_snapshot(self, scene_id: str) -> MemorySnapshot:
        """The objects with their relations; the last few are kept.

        Raises:
            EvaluationError: as `get_objects`.
        """
        if scene_id not in self._snapshots:
            self.get_objects(scene_id)
            rows = self._get_rows(scene_id).objects
            self._snapshots[scene_id] = scene_of_rows(rows, self.config)
            if len(self._snapshots) > _MOST_SNAPSHOTS:
                self._snapshots.popitem(last=False)
        self._snapshots.move_to_end(scene_id)
        return self._snapshots[scene_id]

    def get_target(self, scene_id: str, target_id: int) -> MapObject:
        """
        Raises:
            EvaluationError: as `get_objects`; or the scene has no such object.
        """
        objects = self.get_objects(scene_id)
        if target_id not in objects:
            raise EvaluationError(
                f"{self._path}: {scene_id} has no object {target_id}, which the benchmark asks for:"
                " its ids have to be ScanNet's"
            )
        return objects[target_id]

    def get_viewpoint(self, scene_id: str, pose: ScanPose) -> Pose:
        """`world_T_head` of somebody in a scene, x forward and z up.

        Raises:
            EvaluationError: as `get_objects`; or the scene has no axis alignment, or one that is
                none.
        """
        alignment = self._get_rows(scene_id).axis_alignment
        if alignment is None:
            raise EvaluationError(
                f"{self._path}: {scene_id} has no axis_alignment, and poses cannot be turned"
                " without: take it from ScanNet's <scene>.txt"
            )
        boxes = [thing.box for thing in self.get_objects(scene_id).values()]
        try:
            world_T_scan = Pose.from_matrix([alignment[row : row + 4] for row in range(0, 16, 4)])
        except GeometryError as error:
            raise EvaluationError(f"{self._path}: {scene_id}: axis_alignment: {error}") from error
        return world_T_head(pose, world_T_scan, boxes)

    def _get_rows(self, scene_id: str) -> _SceneRow:
        if scene_id not in self._rows:
            if scene_id not in self._document:
                raise EvaluationError(
                    f"{self._path} has no scene {scene_id} (it has {len(self._document)}): the"
                    " objects file has to cover the benchmark's scenes"
                )
            try:
                self._rows[scene_id] = _SceneRow.model_validate(self._document[scene_id])
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                raise EvaluationError(
                    f"{self._path}: {scene_id}: {place}: {first['msg']}"
                ) from error
        return self._rows[scene_id]


def _document(path: Path) -> dict[str, Any]:
    try:
        if path.is_dir():
            raise EvaluationError(f"{path} is a folder: name the objects file in it")
        if not path.exists():
            raise EvaluationError(
                f"there is no objects file {path}: ScanNet's annotations (under its terms, on"
                " request at scan-net.org) become one by `scenemind convert --labels SCANS --out"
                f" {path.name}`"
            )
        data = path.read_bytes()
        document = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, ValueError, zlib.error, EOFError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error
    if not isinstance(document, dict) or not document or "objects" in document:
        raise EvaluationError(
            f'{path} holds no scenes by name: {{"scene0011_00": {{"objects": [...]}}}} is expected'
        )
    return document
