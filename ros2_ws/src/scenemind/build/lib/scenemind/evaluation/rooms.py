"""The built-in benchmark: simulated rooms with questions; it needs no download."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from scenemind.config import RelationConfig, SceneMindConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.datasets import Question as QuestionRow
from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.result import BenchmarkScores, Scorer, ScoringContext, mean_column
from scenemind.evaluation.scenes import SceneSource
from scenemind.evaluation.scorers import extents, iou_pairs
from scenemind.evaluation.sources import SOURCE, ObjectsMemory
from scenemind.exchange import ObjectRow, scene_of_rows
from scenemind.exchange.objects_file import objects_of_rows
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D, Pose
from scenemind.mapping import Mapper, map_all
from scenemind.memory import (
    MapObject,
    Memory,
    MemoryAccess,
    MemorySnapshot,
    ReadOnlyMemory,
    StructurePlane,
)
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.report.content import TrueObject
from scenemind.simulation import (
    Question,
    Room,
    Sensors,
    SimulatedSequence,
    SimulationError,
    VisibilityCounter,
    make_questions,
    make_room,
    match_objects,
    simulate,
)

_PREFIX = "sim:"
# Rooms that no example or test uses.
_FIRST_SEED = 1001
_ROOMS_KEPT = 32
# Resolution for counting the objects that a drive sees.
_FRAMES, _WIDTH, _HEIGHT = 60, 160, 120
_SEEN_PIXELS, _SEEN_FRAMES = 25, 2
_THIN_M = 0.02
_UNFINISHED = ".part"
RIGHT = "right"
_LEAST_IOUS = {"acc_25": 0.25, "acc_50": 0.5}
_NO_OBJECT = 0  # instance ids go from 1
SIMULATION = "simulation"


def room_names(count: int) -> list[str]:
    """The scenes of the benchmark."""
    return [f"{_PREFIX}{seed}" for seed in range(_FIRST_SEED, _FIRST_SEED + count)]


def room_rows(scene_ids: Iterable[str]) -> Iterator[Row]:
    """Rows of the benchmark: phrases and questions about rooms.

    Raises:
        EvaluationError: as `get_room`.
    """
    for scene_id in scene_ids:
        for row_id, question in room_questions(scene_id).items():
            yield _row(row_id, scene_id, question)


@lru_cache(_ROOMS_KEPT)
def get_room(scene_id: str) -> Room:
    """The simulated room of a name.

    Raises:
        EvaluationError: there is no such room.
    """
    seed = scene_id.removeprefix(_PREFIX)
    if not scene_id.startswith(_PREFIX) or not seed.isdecimal():
        raise EvaluationError(f"{scene_id!r} is no simulated room: they are {_PREFIX}SEED")
    try:
        return make_room(int(seed))
    except SimulationError as error:
        raise EvaluationError(f"{scene_id}: {error}") from error


@lru_cache(_ROOMS_KEPT)
def room_questions(scene_id: str) -> Mapping[str, Question]:
    """Row id -> question, of all kinds, about objects that a drive sees well.

    Raises:
        EvaluationError: as `get_room`.
    """
    room = get_room(scene_id)
    questions = make_questions(room, _seen_well(room.seed))
    return {f"{scene_id}/{number:03d}": one for number, one in enumerate(questions)}


def _row(row_id: str, scene_id: str, question: Question) -> Row:
    if question.kind == "ground":
        return ReferringExpression(
            row_id, scene_id, question.text, question.target_ids[0], category=_kind(question)
        )
    return QuestionRow(
        row_id,
        scene_id,
        question.text,
        (", ".join(question.expected),),
        category=_kind(question),
        target_ids=question.target_ids,
    )


def _kind(question: Question) -> str:
    """Kind of a question; of a phrase also the property that identifies the object."""
    if question.kind != "ground":
        return question.kind
    relations = ("closest to", "next to", "on")
    found = next((name for name in relations if f" {name} the " in question.text), "colour")
    return f"ground_{found.replace(' ', '_')}"


def _seen_well(seed: int) -> Collection[int]:
    drive = simulate(seed, _FRAMES, Sensors(_WIDTH, _HEIGHT, depth_noise=0.0))
    counter = VisibilityCounter(drive.room, _SEEN_PIXELS)
    for frame in drive:
        assert frame.instances is not None, "simulated frames carry instances"
        counter.add(frame.instances)
    return counter.seen(_SEEN_FRAMES)


class TrueRooms:
    """A source of the rooms' real objects, floors and walls."""

    name = f"{SOURCE} of simulated rooms"
    has_true_ids = True

    def __init__(self, config: RelationConfig | None = None) -> None:
        self._config = config or RelationConfig()

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        get_room(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        building = _building(get_room(scene_id))
        yield ObjectsMemory(scene_of_rows(_rows(scene_id), self._config, building), self.name)

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """Id -> object, without relations; see `Scenes`."""
        return objects_of_rows(_rows(scene_id))

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """Identity: ids are instance ids."""
        return {thing.instance_id: thing.instance_id for thing in get_room(scene_id).objects}


class MappedRooms:
    """A source of memories, mapped from a drive through each room when first opened."""

    has_true_ids = False

    def __init__(
        self,
        folder: Path,
        config: SceneMindConfig | None = None,
        noise: DetectorNoise | None = None,
        frames: int = 150,
        image_size: tuple[int, int] = (640, 480),
    ) -> None:
        """
        Args:
            folder: of the memories; existing ones are reused.
            frames: number of frames of a drive.
            image_size: width and height, pixels.
        """
        self.config = config or SceneMindConfig()
        self._folder = folder
        self._noise = noise or DetectorNoise()
        self._frames = frames
        self._image_size = image_size
        self._instances: dict[str, Mapping[int, int]] = {}

    @property
    def name(self) -> str:
        """Name of the source, with the detector."""
        return f"simulated rooms mapped from rendered frames, detections by the {self._detector()}"

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        get_room(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        with ReadOnlyMemory.open(self._mapped(scene_id), self.config) as memory:
            yield memory

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """Matches by the overlap of boxes, one-to-one (`simulation.match_objects`)."""
        if scene_id not in self._instances:
            with self.opened(scene_id) as memory:
                objects = memory.snapshot().objects.values()
            self._instances[scene_id] = match_objects(objects, get_room(scene_id)).instance_of
        return self._instances[scene_id]

    def _mapped(self, scene_id: str) -> Path:
        seed = get_room(scene_id).seed
        path = self._folder / f"room-{seed}"
        if not path.is_dir():
            unfinished = path.with_suffix(_UNFINISHED)
            shutil.rmtree(unfinished, ignore_errors=True)
            self._map(simulate(seed, self._frames, Sensors(*self._image_size)), unfinished)
            unfinished.rename(path)
        return path

    def _map(self, drive: SimulatedSequence, path: Path) -> None:
        camera = InstanceCamera(drive.class_names)
        detector = NoisyDetector(camera, self._noise, seed=drive.room.seed)
        with Memory.create(path, self.config) as memory:
            map_all(Mapper(detector, memory, self.config), read_sequence(drive))

    def _detector(self) -> str:
        return NoisyDetector(InstanceCamera({}), self._noise, seed=0).name


def _rows(scene_id: str) -> list[ObjectRow]:
    return [
        ObjectRow(
            id=thing.instance_id,
            label=thing.label,
            center=thing.box.center,
            size=thing.box.size,
            color=thing.color,
        )
        for thing in get_room(scene_id).objects
    ]


def _building(room: Room) -> tuple[StructurePlane, ...]:
    """The floor and walls of a room, as structure of a memory."""
    x, y, z = room.size
    floor = Box3D((0.0, 0.0, -_THIN_M / 2), (x, y, _THIN_M))
    planes = [StructurePlane(-1, "floor", floor, (0.0, 0.0, 1.0), x * y)]
    for side in (-1.0, 1.0):
        across = Box3D((side * (x + _THIN_M) / 2, 0.0, z / 2), (_THIN_M, y, z))
        along = Box3D((0.0, side * (y + _THIN_M) / 2, z / 2), (x, _THIN_M, z))
        number = -len(planes)
        planes.append(StructurePlane(number - 1, "wall", across, (-side, 0.0, 0.0), y * z))
        planes.append(StructurePlane(number - 2, "wall", along, (0.0, -side, 0.0), x * z))
    return tuple(planes)


class RoomSource(SceneSource, Protocol):
    """A source of simulated rooms."""

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """Object id in the scene's memory -> instance id of the real object it matches."""
        ...


def room_scorer(source: RoomSource) -> Scorer:
    """A scorer of predictions for the rooms of a source.

    `right` is decided by `simulation.Question.is_answered_by`. `acc_25` and `acc_50` score phrases
    only: the IoU of the predicted box with the target's is at least 0.25 or 0.5.
    """

    def score(predictions: Sequence[Prediction], _material: ScoringContext) -> BenchmarkScores:
        ious = [_iou(one) for one in predictions]
        columns = {RIGHT: mean_column([float(_is_right(one, source)) for one in predictions])}
        for name, least in _LEAST_IOUS.items():
            columns[name] = mean_column([None if i is None else float(i >= least) for i in ious])
        return BenchmarkScores(columns, [()] * len(predictions), {})

    return score


def _is_right(prediction: Prediction, source: RoomSource) -> bool:
    row = prediction.row
    instance_of = source.instance_of(row.scene_id)
    ids = [instance_of.get(object_id, _NO_OBJECT) for object_id in prediction.object_ids]
    said = ""
    if isinstance(prediction, AnswerPrediction):
        said = prediction.sentence or prediction.answer
    question = room_questions(row.scene_id)[row.row_id]
    return not prediction.failure and question.is_answered_by(said, ids)


def _iou(prediction: Prediction) -> float | None:
    """IoU with the target; None for questions, which have no box."""
    if isinstance(prediction, AnswerPrediction):
        return None
    if not prediction.boxes:
        return 0.0
    target = get_room(prediction.row.scene_id).get_object(prediction.row.target_id)
    return float(iou_pairs(extents(prediction.boxes[:1]), extents([target.box]))[0])


def simulation_benchmark(scene_ids: Sequence[str], source: RoomSource) -> Benchmark:
    """The benchmark of phrases and questions about these rooms.

    Args:
        source: maps object ids of predictions to instance ids.
    """

    def read(_path: Path) -> Iterator[Row]:
        return room_rows(scene_ids)

    return Benchmark(SIMULATION, "answer", read, room_scorer(source), RIGHT)


def true_objects(
    room: Room, seen: Collection[int], scene: MemorySnapshot, world_T_map: Pose | None = None
) -> tuple[TrueObject, ...]:
    """The real objects of a room with their matches in a map, as reports show them.

    Args:
        seen: instance ids of the objects that the camera saw well.
        world_T_map: see `match_objects`.
    """
    return tuple(
        TrueObject(
            label=row.label,
            box=room.get_object(row.instance_id).box,
            was_seen=row.instance_id in seen,
            object_id=row.object_id,
            object_label=row.object_label,
            iou=row.iou,
        )
        for row in match_objects(scene.objects.values(), room, world_T_map).matches
    )
