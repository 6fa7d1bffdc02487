"""Scenes of benchmarks: the protocol of sources of scenes, and true scenes of an objects file."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, Field, ValidationError

from scenemind.config import RelationConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets.files import OBJECTS, benchmark_of, read_json
from scenemind.evaluation.datasets.questions import world_T_head
from scenemind.evaluation.datasets.rows import ScanPose
from scenemind.exchange import ExchangeError, ObjectRow, objects_of_rows, scene_of_rows
from scenemind.geometry import GeometryError, Pose
from scenemind.memory import MapObject, MemoryAccess, MemorySnapshot

_WAY_OUT = (
    "ScanNet's annotations (under its terms, on request at scan-net.org) become an objects file by"
    " `scenemind convert --labels SCANS --out FILE`"
)
# Number of cached scene graphs: a run asks scene by scene.
_MOST_SNAPSHOTS = 16
# Number of cached files: the true objects of a run, and detected ones.
_MOST_FILES = 2


class NamedSource(Protocol):
    """The name of a method's knowledge of the scenes.

    Attributes:
        name: such as "ground-truth objects".
        has_true_ids: object ids are those of the benchmark; `accuracy` is defined only then.
    """

    @property
    def name(self) -> str: ...

    @property
    def has_true_ids(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Named:
    """A `NamedSource` without a memory."""

    name: str
    has_true_ids: bool = False


NO_SCENE = Named("no scene")
"""The question only."""
PHOTOGRAPHS = Named("photographs")


class SceneSource(NamedSource, Protocol):
    """A source of scenes as memories."""

    def check(self, scene_id: str) -> None:
        """Check cheaply that a scene is available.

        Raises:
            EvaluationError: it is not; the message says what to do.
        """
        ...

    def opened(self, scene_id: str) -> AbstractContextManager[MemoryAccess]:
        """Open a scene's memory; world is the scene's axis-aligned frame.

        Raises:
            EvaluationError: as `check`.
        """
        ...


class _SceneRow(BaseModel):
    """
    Attributes:
        axis_alignment: world_T_scan, row by row; ScanNet's `axisAlignment`.
    """

    objects: list[ObjectRow] = Field(min_length=1)
    axis_alignment: list[float] | None = Field(default=None, min_length=16, max_length=16)


@dataclass(frozen=True, slots=True)
class _Content:
    """The JSON of an objects file, and its scenes that were asked for, checked.

    Attributes:
        rows, objects: by scene.
    """

    document: Mapping[str, Any]
    rows: dict[str, _SceneRow] = field(default_factory=dict)
    objects: dict[str, Mapping[int, MapObject]] = field(default_factory=dict)


class Scenes:
    """The scenes of an objects file, `{"scene0011_00": {"objects": [...]}}`, also gzipped.

    Unlike `exchange.load_objects`, a process reads the file once for hundreds of scenes.
    """

    def __init__(self, path: Path, config: RelationConfig | None = None) -> None:
        """
        Raises:
            EvaluationError: the file cannot be read, or holds no scenes.
        """
        self._path = path
        self.config = config or RelationConfig()
        self._content = _content(path)
        self._snapshots: OrderedDict[str, MemorySnapshot] = OrderedDict()

    @property
    def path(self) -> Path:
        """Path of the objects file."""
        return self._path

    @property
    def names(self) -> Collection[str]:
        """Names of all scenes."""
        return self._content.document.keys()

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """Id -> object; cheaper than a snapshot, as relations are not computed.

        Raises:
            EvaluationError: there is no such scene, or it is malformed.
        """
        found = self._content.objects
        if scene_id not in found:
            rows = self._get_rows(scene_id).objects
            try:
                found[scene_id] = objects_of_rows(rows)
            except (ExchangeError, GeometryError) as error:
                raise EvaluationError(f"{self._path}: {scene_id}: {error}") from error
        return found[scene_id]

    def get_snapshot(self, scene_id: str) -> MemorySnapshot:
        """The objects of a scene with their relations.

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
        """The target of a row.

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
        """`world_T_head` of a person in a scene, x forward and z up.

        Raises:
            EvaluationError: as `get_objects`; or the scene has no valid axis alignment.
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
        document, found = self._content.document, self._content.rows
        if scene_id not in found:
            if scene_id not in document:
                raise EvaluationError(
                    f"{self._path} has no scene {scene_id} (it has {len(document)}, such as"
                    f" {min(document)}): the objects file has to cover the benchmark's scenes"
                )
            try:
                found[scene_id] = _SceneRow.model_validate(document[scene_id])
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                raise EvaluationError(
                    f"{self._path}: {scene_id}: {place}: {first['msg']}"
                ) from error
        return found[scene_id]


def _content(path: Path) -> _Content:
    if path.is_dir():
        raise EvaluationError(f"{path} is a folder: name the objects file in it")
    if not path.exists():
        raise EvaluationError(f"there is no objects file {path}: {_WAY_OUT}")
    file = path.stat()
    return _read(path, (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns))


@lru_cache(maxsize=_MOST_FILES)
def _read(path: Path, _version: tuple[int, ...]) -> _Content:
    """Read a file once; `_version` tells a changed file, or another of the same relative path."""
    name = benchmark_of(path)
    if name not in ("", OBJECTS):
        raise EvaluationError(
            f"{path} holds rows of {name}, which --data takes; it is no objects file: {_WAY_OUT}"
        )
    try:
        document = read_json(path)
    except EvaluationError as error:
        raise EvaluationError(f"{error}: {_WAY_OUT}") from error
    if not isinstance(document, dict) or not document or "objects" in document:
        raise EvaluationError(
            f'{path} holds no scenes by name: {{"scene0011_00": {{"objects": [...]}}}} is expected'
        )
    return _Content(document)
