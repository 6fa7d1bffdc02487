"""The public API: a place that is mapped, asked about and corrected.

    import scenemind as sm

    with sm.map("recordings/kitchen", memory="kitchen", detector="./yolov8n-seg.onnx") as scene:
        print(scene.ask("how many chairs are there?").text)

Coordinates are metres in the world frame of the recording's poses, z up; stamps are nanoseconds.
Errors of use are `SceneMindError`s; each message names the way out. A question without an answer is
no error: its answer has a `failure`.
"""

from __future__ import annotations

import difflib
import os
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scenemind.composition import (
    Reasoner,
    choose_detector,
    create_memory,
    memory_folder,
    stored_memory,
    user_name,
    with_detector,
)
from scenemind.config import ModelsConfig, SceneMindConfig
from scenemind.memory import (
    Correction,
    KeyFrame,
    MapObject,
    Memory,
    MemorySnapshot,
    PoseCorrection,
    ReadOnlyMemory,
    Relation,
    Replay,
    SceneMemoryError,
)
from scenemind.memory.history import SceneChanges, compare_maps
from scenemind.memory.history.timeline import show_stamp
from scenemind.models import Allowance, Models
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import Detector
from scenemind.reasoning import (
    METHODS,
    POLICIES,
    Alignment,
    Answer,
    Asking,
    Grounding,
    Policy,
    Query,
    ReasoningError,
    Router,
)
from scenemind.reasoning.dialogue import Dialogues

if TYPE_CHECKING:
    from scenemind.frames import RecordedSequence, RGBDFrame
    from scenemind.geometry import Pose
    from scenemind.mapping import Mapper, MapperReport
    from scenemind.memory.loops.closing import LoopClosing, LoopReport
    from scenemind.memory.merging import Merge
    from scenemind.memory.occupancy.approach import ApproachPose, Purpose
    from scenemind.memory.occupancy.grid import OccupancyGrid
    from scenemind.memory.places.coming_back import ComingBack
    from scenemind.reasoning.inventory import (
        BackgroundInventory,
        InventoryBudget,
        InventoryReport,
    )
    from scenemind.surface import SurfaceMesh
    from scenemind.viewer.viewer import Viewer

_TIMEOUT_S, _VIEW_TIMEOUT_S = 60.0, 120.0  # of a question, here and in the browser

_LATER_NS = 600 * 10**9  # between visits whose clocks do not tell: longer than a pause in one

AnyDetector = str | Path | Detector
AnyModels = str | Mapping[str, Any] | ModelsConfig | Models
AnyConfig = str | Path | Mapping[str, Any] | SceneMindConfig
Thing = MapObject | int
"""An object of the map, or its id."""


def map(  # noqa: A001 - scenemind.map, as in `import scenemind as sm`
    recording: str | Path | RecordedSequence,
    memory: str | Path | None = None,
    *,
    detector: AnyDetector | None = None,
    models: AnyModels | None = None,
    config: AnyConfig | None = None,
    replace: bool = False,
) -> Scene:
    """Map a recording into a new memory, with a progress bar on a terminal.

    Args:
        recording: a folder, a bag or a .sens file (docs/recordings.md), or `sim:1` for a simulated
            room; or a sequence that is open already.
        memory: see `create`, as for all that follow.

    Raises:
        SceneMindError: no such recording, no detector for it, or there is such a memory already.
    """
    from scenemind.report.terminal import mapping_progress
    from scenemind.simulation import open_source

    source = open_source(str(recording)) if isinstance(recording, (str, Path)) else recording
    settings = _settings(config, models, detector)
    found = _detector_of(settings, detector, source)  # before a memory is made
    scene = create(memory, detector=detector, models=models, config=config, replace=replace)
    try:
        with mapping_progress(len(source), lambda: len(scene.objects)) as on_frame:
            scene._map(source, found, on_frame=on_frame)
    except BaseException:
        scene.close()
        raise
    return scene


def create(
    memory: str | Path | None = None,
    *,
    detector: AnyDetector | None = None,
    models: AnyModels | None = None,
    config: AnyConfig | None = None,
    replace: bool = False,
) -> Scene:
    """An empty scene, for frames to come.

    Args:
        memory: a name, of a memory in $SCENEMIND_HOME (~/.local/share/scenemind where that is not
            set); or the path of its folder, with a slash or as a `Path`; None: a temporary one,
            which is deleted when the scene is closed.
        detector: weights (.onnx, .xml, .pt), a model's name such as yoloe-26n-seg, or an object
            with a `Detector`'s methods; None: that of the settings, else $SCENEMIND_WEIGHTS.
        models: language and vision models: a model's name; fields of `ModelsConfig`, such as
            {"language": {"model": "qwen2.5vl", "endpoint": "http://localhost:11434/v1"}}; or
            `Models` that are open already and stay open. None: those of the settings. A key is
            read from the environment (OPENAI_API_KEY).
        config: all other settings: a YAML file, fields of `SceneMindConfig`, such as
            {"store": {"retention": "all"}}, or a `SceneMindConfig`; None: the defaults.
        replace: forget a memory of this name. One without frames, as a program that failed at
            once leaves it, is replaced in any case.

    Raises:
        SceneMindError: there is such a memory already, or a setting is not possible.
    """
    settings = _settings(config, models, detector)
    folder = None if memory is None else _folder_of(memory)
    stored = create_memory(folder, settings, replace=replace)
    return Scene(stored, settings, detector, _open(models))


def open(  # noqa: A001 - scenemind.open
    memory: str | Path,
    *,
    read_only: bool = False,
    relocate: bool = False,
    detector: AnyDetector | None = None,
    models: AnyModels | None = None,
    config: AnyConfig | None = None,
) -> Scene:
    """A stored scene; questions, corrections and more frames continue it.

    Args:
        memory: see `create`, as for `detector`, `models` and `config`.
        read_only: refuse corrections and frames; several processes may then open it at once.
        relocate: frames that come have poses in another world (SLAM began anew). They are mapped
            apart until the camera's place in this memory is known, and then become part of it;
            until then answers say that they are of an earlier visit.

    Raises:
        SceneMindError: there is none, it is damaged, or another process writes to it.
    """
    settings = _settings(config, models, detector)
    folder = stored_memory(_folder_of(memory))
    if read_only and relocate:
        raise SceneMemoryError("frames are added where a camera comes back: open without read_only")
    stored = (ReadOnlyMemory if read_only else Memory).open(folder, settings)
    return Scene(stored, settings, detector, _open(models), relocate=relocate)


@dataclass(frozen=True, slots=True)
class MappingResult:
    """A recording that was mapped.

    Attributes:
        frames: that went into the memory.
        dropped: frames that the recording could not give, by cause.
        failed_detections: frames that the detector failed on; they went on without detections.
        stage_ms: median milliseconds of a frame by stage (detect, track, lift, fuse, graph, ...).
    """

    frames: int
    dropped: Mapping[str, int]
    failed_detections: int
    seconds: float
    stage_ms: Mapping[str, float]


class Scene:
    """A mapped place: its objects and relations, questions about it, and corrections.

    Made by `map`, `create` and `open`. Close it, or use it in a `with` statement; otherwise it is
    closed when it is collected or Python ends. Several threads may read and ask; one thread adds
    frames.

    Attributes:
        config: all settings.
    """

    def __init__(
        self,
        memory: Memory | ReadOnlyMemory,
        config: SceneMindConfig,
        detector: AnyDetector | None = None,
        models: Models | None = None,
        *,
        relocate: bool = False,
    ) -> None:
        """
        Args:
            memory: closed with the scene.
            relocate: see `open`.
            models: open already, and closed by the caller; None: those of `config.models`.

        Raises:
            ModelError: an endpoint is no address, or the recording of models cannot be used.
        """
        self.config = config
        self._memory = memory
        self._detector = detector
        self._mapper: Mapper | None = None  # of frames that come one by one
        self._last_added: RGBDFrame | None = None  # by `_mapper`
        self._inventory: BackgroundInventory | None = None
        self._dialogues = Dialogues(config.synergai.dialogues, config.synergai.turns)
        self._coming_back: ComingBack | None = None
        self._loops: LoopClosing | None = None  # of the latest recording or camera
        self._world_T_poses: Pose | None = None
        self._opened = opened = ExitStack()
        opened.callback(memory.close)
        if relocate and isinstance(memory, Memory):
            from scenemind.memory.places.coming_back import ComingBack

            self._coming_back = ComingBack(memory, config)
            opened.callback(self._coming_back.close)
        self._finalizer = weakref.finalize(self, opened.close)
        try:
            self._reasoner = Reasoner(config, models)
        except BaseException:
            self._finalizer()
            raise
        opened.callback(self._reasoner.close)

    @property
    def memory(self) -> Memory | ReadOnlyMemory:
        """The stored map, with all that it keeps (history, tree, images).

        Raises:
            SceneMemoryError: the scene is closed.
        """
        self._check_open()
        return self._memory

    @property
    def reasoner(self) -> Reasoner:
        """The models and methods that answer.

        Raises:
            SceneMemoryError: the scene is closed.
        """
        self._check_open()
        return self._reasoner

    def _check_open(self) -> None:
        if self._finalizer.alive:
            return
        path = self._memory.path
        if not path.exists():
            raise SceneMemoryError(
                "this scene is closed and was temporary: to keep one, name its memory, as in"
                " sm.create('kitchen')"
            )
        is_named = path == memory_folder(path.name)
        shown = repr(path.name if is_named else str(path.absolute()))
        raise SceneMemoryError(f"this scene is closed: open it again with sm.open({shown})")

    @property
    def writable_memory(self) -> Memory:
        """The stored map beneath, to be changed.

        Raises:
            SceneMemoryError: it is open to be read only.
        """
        if not isinstance(self.memory, Memory):
            raise self.memory.refusal()
        return self.memory

    # What is there

    @property
    def snapshot(self) -> MemorySnapshot:
        """The scene graph at this moment: objects, relations, floor and walls, what is gone."""
        return self.memory.snapshot()

    @property
    def objects(self) -> tuple[MapObject, ...]:
        """The objects that are there, in the order of their ids."""
        return tuple(self.snapshot.objects.values())

    def find(self, words: str, count: int = 10) -> tuple[MapObject, ...]:
        """Objects that a few words mean ("red wooden chair"), best first: by label, synonym,
        attribute or near spelling, without any model.

        Raises:
            SceneMemoryError: no words, too many of them, or a count below 1.
        """
        found = self.memory.find_objects(words, count)
        objects = self.snapshot.objects
        return tuple(objects[one.object_id] for one in found if one.object_id in objects)

    def relations(
        self, thing: Thing | None = None, predicate: str | None = None
    ) -> tuple[Relation, ...]:
        """Relations of the scene graph that hold from everywhere, such as cup 3 `on` table 1.

        Args:
            thing: only those of which it is the subject or the object.
            predicate: only those of this name, as the graph or as people spell it ("on top of").

        Raises:
            SceneMemoryError: no such predicate or object.
        """
        from scenemind.memory.graph.relations.names import canonical_relation

        scene = self.snapshot
        name = None if predicate is None else canonical_relation(predicate).name
        wanted = None if thing is None else _known_id(scene, thing)
        return tuple(
            relation
            for relation in scene.relations
            if (name is None or relation.predicate == name)
            and (wanted is None or wanted in (relation.subject_id, relation.object_id))
        )

    def relate(
        self, relation: str, anchor: Thing | tuple[Thing, Thing] | None = None
    ) -> tuple[MapObject, ...]:
        """Objects that stand in a relation to an anchor, best first; computed now, seen from the
        camera's latest pose.

        Args:
            relation: such as "left", "between", "closest", "within reach".
            anchor: an object, two for "between"; None: the camera itself.

        Raises:
            SceneMemoryError: no such relation or object, one anchor too few or too many, or nothing
                was mapped yet.
        """
        from scenemind.memory.graph.relation_query import RelationContext, relate, relate_agent

        scene = self.snapshot
        if scene.world_T_camera is None:
            raise SceneMemoryError(
                f"{relation!r} is seen from the camera's latest pose, and nothing has been mapped"
                " yet: map a recording or add a frame first"
            )
        objects = tuple(scene.objects.values())
        context = RelationContext.of_snapshot(scene, None, self.config.relations)
        if anchor is None:
            found = relate_agent(objects, relation, context)
        elif isinstance(anchor, tuple):
            first, second = (_object_of(scene, one) for one in anchor)
            found = relate(objects, (first, second), relation, context)
        else:
            found = relate(objects, _object_of(scene, anchor), relation, context)
        return tuple(one.thing for one in found)

    def changes(self, since: int | Scene | None = None) -> SceneChanges:
        """Objects that were added, removed, moved or renamed.

        Args:
            since: a stamp in nanoseconds; an earlier scene of the same place, in the same world
                frame; None: the end of the visit before the latest one. On a first visit there
                are no changes then, and `note` says what else to compare with.

        Raises:
            SceneMemoryError: nothing was mapped yet, or the moment is not within what was mapped.
        """
        if not isinstance(since, Scene):
            try:
                found = self.memory.changes_since(since)
                return (
                    replace(found, note=f"{found.note}. {self._what_since()}")
                    if found.note
                    else found
                )
            except SceneMemoryError as error:
                raise SceneMemoryError(f"{error}. {self._what_since()}") from error
        before, after = since.memory, self.memory
        return compare_maps(
            before.snapshot(), after.snapshot(), before.history.views(), after.history.views()
        )

    def _what_since(self) -> str:
        """Hint for the errors and notes of `changes`: the moments that it can compare."""
        spans = [visit.span for visit in self.memory.history.visits()]
        moments = ""
        if spans and all(a.last_ns < b.first_ns for a, b in pairwise(spans)):
            ends = spans[0].first_ns, spans[-1].last_ns
            first, last = (f"{stamp_ns} ({show_stamp(stamp_ns)})" for stamp_ns in ends)
            moments = f"a stamp in nanoseconds, from {first} to {last}, or "
        return (
            f"Give since= {moments}an earlier scene of the place, as in"
            " later.changes(since=sm.open('earlier', read_only=True))"
        )

    def key_frames(self, of: Thing | Iterable[Thing] | str, count: int = 3) -> tuple[KeyFrame, ...]:
        """Stored frames, best first, that show objects, or that help to answer a question.

        A frame shows at least one of the objects: `boxes_px` has its id. None may.

        Args:
            of: objects, or a question. For a question the configured selector chooses
                (`memtree.selector`); without a model, frames of the objects that it names.

        Raises:
            SceneMemoryError: no such object.
            ReasoningError: there is no frame for the question.
            ModelError: a model failed.
        """
        if isinstance(of, str):
            selector = self.reasoner.selector(self.reasoner.usual_selector)
            asking = self._asking(_TIMEOUT_S)
            return selector.select(Query(of), self.memory, count, asking).key_frames
        things = (of,) if isinstance(of, (MapObject, int)) else of
        scene = self.snapshot
        ids = [_known_id(scene, thing) for thing in things]
        return tuple(self.memory.key_frames_of(ids, count, with_a_box=True))

    # Floor

    def occupancy(self) -> OccupancyGrid:
        """What the camera has seen of the floor: free, occupied and unknown cells of 5 cm.

        Free: seen, and nothing between it and 1.65 m above it; things that went are free again
        when the camera has looked through their place.

        Raises:
            SceneMemoryError: no floor was seen yet.
        """
        return self.memory.occupancy()

    def approach_poses(
        self,
        thing: Thing | str,
        stand_off_m: float | None = None,
        purpose: Purpose = "look",
        robot_radius_m: float = 0.25,
        k: int = 5,
        *,
        robot: tuple[float, float] | None = None,
    ) -> tuple[ApproachPose, ...]:
        """Poses to look at a thing from, or to reach it, on floor that was seen to be free; facing
        it, with the view past all that is known; best first.

        The robot's camera is taken to be mounted above its middle as in the latest frame, at that
        height and tilt, looking ahead.

        Args:
            thing: an object, its id, or a phrase, which is grounded first (`ground`).
            stand_off_m: least distance from the edge of the robot's footprint to the side of the
                thing's box; None: 0.8 m to look, 0.05 m to reach.
            robot_radius_m: of the footprint, a circle around the pose.
            robot: x, y where the robot stands: only poses that it can get to; None: all.

        Raises:
            ApproachError: no such pose is known; the message says why.
            SceneMemoryError: no such object, no floor was seen, or a number cannot be.
            ReasoningError: the phrase means nothing of the map.
        """
        from scenemind.memory.occupancy.approach import Robot

        if isinstance(thing, str):
            found = self.ground(thing)
            if found.failure is not None:
                raise ReasoningError(found.failure.code, found.failure.text)
            thing = found.objects[0].object_id
        object_id = _known_id(self.snapshot, thing)
        robot_now = Robot(robot_radius_m, robot)
        return tuple(self.memory.approach_poses(object_id, purpose, stand_off_m, robot_now, k))

    # Mapping

    def add(self, frame: RGBDFrame) -> MapperReport:
        """Map one frame of a camera, and return when it is in the map.

        Args:
            frame: with a number above that of the frame before, since the scene was made or opened,
                and a stamp above that of all in the map; its images must not change afterwards.

        Raises:
            SceneMindError: no detector, or the frame does not come after the last one; nothing was
                changed.
        """
        _check_order(self._last_added, frame)
        if self._mapper is None:
            _check_clock(self.writable_memory, "these frames", frame)
            detector = _detector_of(self.config, self._detector, None)
            self._mapper = self._new_mapper(detector, patiently=False)
            if self.config.inventory.enabled:
                self.start_inventory()
        report = self._process(self._mapper, frame, patiently=False)
        self._last_added = frame
        return report

    def _process(self, mapper: Mapper, frame: RGBDFrame, *, patiently: bool) -> MapperReport:
        """Map a frame, of a visit that is located or not."""
        report = mapper.process(frame)
        visit = self._coming_back
        found = None if visit is None else visit.note_frame(patiently=patiently)
        if visit is not None and found is not None:
            self.writable_memory.merge(visit.visit, found)
            mapper.go_on_in(self.writable_memory, found, self._new_loops(patiently=patiently))
            self._world_T_poses, self._coming_back = found, None
        return report

    @property
    def is_located(self) -> bool:
        """False while a camera that came back (`relocate`) is not located in the memory yet."""
        return self._coming_back is None

    @property
    def world_T_poses(self) -> Pose | None:
        """Where the world of the frames' poses lies in that of the memory, once a camera that came
        back (`relocate`) is located; None before, and where it is the same world."""
        return self._world_T_poses

    @property
    def why_not_located(self) -> str:
        """Why the camera is not located; empty where it is."""
        return "" if self._coming_back is None else self._coming_back.reason

    def merge(self, other: Scene) -> Merge:
        """Add another scene of the place, such as another robot's, whose world may have any origin.
        Things that both have become one, under their ids here; the other scene stays as it is.

        Raises:
            SceneMemoryError: where it lies in this one cannot be told for sure, or this scene is
                open to be read only; nothing was changed.
        """
        from scenemind.memory.places.coming_back import merge_located

        merge = merge_located(self.writable_memory, other.memory)
        if self._loops is not None:
            self._loops.begin_anew()
        return merge

    def map(
        self,
        recording: str | Path | RecordedSequence,
        *,
        frames: int | None = None,
        on_frame: Callable[[MapperReport], None] | None = None,
        shift_clock: bool = False,
    ) -> MappingResult:
        """Map a recording into this scene, every frame of it; objects keep their ids.

        A recording is a visit of its own where it begins minutes after the one before (`changes`).
        One whose clock began anew needs `shift_clock`, or a memory of its own: see `merge`.

        Args:
            recording: see `map`; in the world frame of what is mapped already.
            frames: stop after so many; None: all.
            on_frame: called after each frame, on another thread.
            shift_clock: where its stamps begin before the last frame that is mapped already, take
                it to begin ten minutes after that frame.

        Raises:
            SceneMindError: no such recording, no detector for it, a damaged file, or its stamps
                begin before the last frame that is mapped already; nothing was changed then.
        """
        from scenemind.simulation import open_source

        source = open_source(str(recording)) if isinstance(recording, (str, Path)) else recording
        detector = _detector_of(self.config, self._detector, source)
        return self._map(source, detector, frames, on_frame, shift_clock)

    def _map(
        self,
        source: RecordedSequence,
        detector: Detector,
        frames: int | None = None,
        on_frame: Callable[[MapperReport], None] | None = None,
        shift_clock: bool = False,
    ) -> MappingResult:
        from scenemind.frames import read_sequence
        from scenemind.mapping import map_all

        wanted: Iterator[RGBDFrame] = islice(read_sequence(source), frames)
        first = next(wanted, None)
        if first is not None:
            wanted = chain((first,), wanted)
            last_ns = _last_ns(self.writable_memory)
            if shift_clock and last_ns is not None and first.stamp_ns <= last_ns:
                later_ns = last_ns + _LATER_NS - first.stamp_ns
                wanted = (replace(f, stamp_ns=f.stamp_ns + later_ns) for f in wanted)
            else:
                _check_clock(self.writable_memory, source.name, first)
        mapper = self._new_mapper(detector, patiently=True)
        self._mapper = self._last_added = None
        count, start = 0, time.perf_counter()

        def count_frame(report: MapperReport) -> None:
            nonlocal count
            count += 1
            if on_frame is not None:
                on_frame(report)

        if self._coming_back is not None:
            for frame in wanted:
                count_frame(self._process(mapper, frame, patiently=True))
                if self._coming_back is None:
                    break
        if self._coming_back is None:
            map_all(mapper, wanted, count_frame)
        seconds = time.perf_counter() - start
        mapper.memory.flush()
        stage_ms = {name: stage.median_ms for name, stage in mapper.timings.stats().items()}
        return MappingResult(count, dict(source.drops), mapper.failed_detections, seconds, stage_ms)

    def _new_mapper(self, detector: Detector, *, patiently: bool) -> Mapper:
        from scenemind.mapping import Mapper

        if self._coming_back is not None:  # there are no loops before the camera is located
            return Mapper(detector, self._coming_back.visit, self.config)
        loops = self._new_loops(patiently=patiently)
        return Mapper(detector, self.writable_memory, self.config, self._world_T_poses, loops)

    def _new_loops(self, *, patiently: bool) -> LoopClosing:
        """Closes the loops of the frames from now on; the one before has ended."""
        from scenemind.memory.loops.closing import LoopClosing

        if self._loops is not None:
            self._loops.close()
        settings = self.config.loop_closure
        self._loops = LoopClosing(self.writable_memory, settings, patiently=patiently)
        self._opened.callback(self._loops.close)
        if not patiently:
            self._loops.prepare()
        return self._loops

    @property
    def loops(self) -> LoopReport | None:
        """What closing of loops has done since frames of the latest recording or camera came;
        None: none came."""
        return None if self._loops is None else self._loops.report()

    def correct_poses(
        self,
        stamps_ns: Sequence[int] | NDArray[np.int64],
        world_T_camera: Sequence[Pose],
        *,
        keeps_odometry: bool = False,
    ) -> PoseCorrection | None:
        """Move the memory as poses that SLAM corrected afterwards: objects, walls, key frames and
        all else, under their ids. Frames that come afterwards are in the corrected world.

        Args:
            stamps_ns: moments in nanoseconds, strictly ascending; between them corrections are
                interpolated, before the first and after the last they are held.
            world_T_camera: the corrected poses of the camera at these moments.
            keeps_odometry: frames that come afterwards have poses of an odometry that knows of no
                correction; the last one is put before them.

        Returns:
            What was corrected; None: nothing moves.

        Raises:
            SceneMemoryError: moments out of order, or none that was mapped; or this scene is open
                to be read only.
        """
        return self.writable_memory.correct_poses(
            np.asarray(stamps_ns), world_T_camera, keeps_odometry=keeps_odometry
        )

    # Questions and corrections

    def ask(
        self,
        question: str | Query,
        *,
        situation: str = "",
        method: str = "auto",
        policy: Policy = "balanced",
        by: str = "",
        timeout_s: float = _TIMEOUT_S,
        asking: Asking | None = None,
    ) -> Answer:
        """The answer to a question, with the frames that show it.

        Args:
            question: in plain words; or a `Query` with a viewpoint, objects that are pointed at,
                or the conversation that it belongs to.
            situation: where the asker stands ("I am facing the window").
            method: auto, symbolic, memtree, vlm_grounder, llm_tpc, vadar, synergai or ensemble;
                all but symbolic ask models.
            policy: where nothing that was seen answers it: "balanced" says what is likely,
                "strict" fails rather than guess, "always_answer" guesses.
            by: the person's name, to whom "my cup" belongs; empty: that of the `Query`, else the
                user of this process.
            timeout_s: that the question may take.
            asking: limits, progress and cancellation of this question; None: the configured
                limits, and no progress.

        Raises:
            SceneMindError: no such method or policy, or the models cannot be used. Whatever else
                goes wrong is the answer's `failure`.
        """
        query = _query(question, situation, policy, by)
        _check_name("method", method, METHODS)
        answer = self._router().ask(query, method, asking or self._asking(timeout_s))
        return answer if self.is_located else answer.of_earlier_visit()

    def ground(
        self,
        phrase: str | Query,
        *,
        situation: str = "",
        method: str = "auto",
        policy: Policy = "balanced",
        by: str = "",
        timeout_s: float = _TIMEOUT_S,
        asking: Asking | None = None,
    ) -> Grounding:
        """The objects that a phrase means ("the cup on the couch"), best first; see `ask`."""
        query = _query(phrase, situation, policy, by)
        _check_name("method", method, METHODS)
        found = self._router().ground(query, method, asking or self._asking(timeout_s))
        return found if self.is_located else found.of_earlier_visit()

    def align(
        self,
        sentence: str | Query,
        *,
        by: str = "",
        timeout_s: float = _TIMEOUT_S,
        asking: Asking | None = None,
    ) -> Alignment:
        """Correct the map as a sentence says ("object 3 is a mug").

        A correction lies over what perception saw, and stays when the map changes; `undo` takes it
        back.

        Args:
            by: the person's name, for the journal; empty: the user of this process.
            timeout_s: see `ask`, as for `asking`.

        Raises:
            SceneMemoryError: the scene is open to be read only. Whatever else hinders a correction
                is its `failure`.
        """
        _ = self.writable_memory
        query = _query(sentence, "", "balanced", by)
        asking = asking or self._asking(timeout_s)
        return self._router().align(query, query.by or user_name(), asking)

    def take_inventory(
        self,
        budget: InventoryBudget | None = None,
        *,
        preview: bool = False,
        asking: Asking | None = None,
    ) -> InventoryReport:
        """Let the vision model name what stands in key frames and has no object yet, and add it.

        The new objects have the attribute `NAMED_BY`, and are corrected as all others.

        Args:
            budget: calls, tokens and seconds; None: the defaults.
            preview: only say what would be added.
            asking: progress and cancellation, with an allowance of its own; None: the budget's.

        Raises:
            ReasoningError: there is no vision model, or no frame is stored.
            ModelError: cancelled, or the model failed before it had answered once.
            SceneMemoryError: the scene is open to be read only, or the disk failed.
        """
        from scenemind.reasoning.inventory import InventoryBudget

        budget = budget or InventoryBudget()
        memory = self.memory if preview else self.writable_memory
        inventory = self.reasoner.inventory()
        asking = asking or Asking(Allowance(budget.seconds, budget.tokens))
        report = inventory.propose(memory, budget, asking)
        if preview:
            return report
        with asking.allowance.committing():
            return inventory.keep(report, self.writable_memory)

    def start_inventory(self) -> BackgroundInventory:
        """Take an inventory in the background, bit by bit, within the budget of
        `config.inventory`; one that runs already is returned. It ends with the scene.

        `add` starts it where `inventory.enabled` is set.

        Raises:
            ReasoningError: there is no vision model.
            SceneMemoryError: the scene is open to be read only.
        """
        from scenemind.reasoning.inventory import BackgroundInventory

        if self._inventory is None or self._inventory.is_over:
            self._inventory = BackgroundInventory(
                self.writable_memory,
                self.reasoner.inventory(),
                self.config.inventory,
                self.reasoner.allowance,
            )
            self._opened.callback(self._inventory.close)
        return self._inventory

    def undo(self, *correction_ids: int) -> list[Correction]:
        """Take back corrections by their numbers, all or none; without a number, all that the
        newest sentence wrote.

        Returns:
            The entries of the journal as they are now, oldest first.

        Raises:
            SceneMemoryError: there is none (left), or the scene is open to be read only.
        """
        return self.memory.undo(*correction_ids)

    def redo(self, *correction_ids: int) -> list[Correction]:
        """Redo corrections by their numbers, all or none; without a number, the sentence that was
        undone last.

        Returns:
            The entries of the journal as they are now, oldest first.

        Raises:
            SceneMemoryError: there is none, another correction contradicts it, or the scene is open
                to be read only.
        """
        return self.memory.redo(*correction_ids)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """The journal of corrections, oldest first, with those that were undone."""
        return tuple(self.memory.corrections())

    def export_corrections(self) -> str:
        """The journal of corrections as JSON, with where its objects stood; see `replay`."""
        return self.memory.export_corrections()

    def replay(self, journal: Scene | str, *, by: str = "", preview: bool = False) -> Replay:
        """Make the corrections of another map of this place here; objects are found by where they
        stood and what they were called. Those that are not found, or not for sure, are left out.

        Args:
            journal: the other scene; or the text of its `export_corrections`.
            by: the person who replays it; empty: those who corrected the other map.
            preview: only say what would be done.

        Raises:
            SceneMemoryError: it is no journal, or this scene is open to be read only.
        """
        text = journal.export_corrections() if isinstance(journal, Scene) else journal
        return self.writable_memory.import_corrections(text, by, preview=preview)

    def _router(self) -> Router:
        return self.reasoner.router(self.memory, dialogues=self._dialogues)

    def _asking(self, timeout_s: float) -> Asking:
        return Asking(self.reasoner.allowance(timeout_s))

    # Out of here

    def export(self, path: str | Path, *, points: bool = False) -> Path:
        """Write the scene graph to a file, in the format of its suffix: .json (all of it; see
        `scene_graph.schema.json`), .graphml, .ply (boxes and points) or .csv (ids, labels, boxes).
        Its folder is made where it is missing.

        Args:
            points: JSON with the surface points of the objects.

        Raises:
            ExchangeError: another suffix, or an optional package is missing.
            OSError: the file cannot be written.
        """
        from scenemind.exchange import SceneExport, encode_scene, format_of, locations_of_objects

        path = Path(path)
        form = format_of(path)
        scene = SceneExport(self.snapshot, locations_of_objects(self.memory.tree()))
        written = encode_scene(scene, form, as_csv=True, with_points=points)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written)
        return path

    def mesh(self, path: str | Path | None = None, *, voxel_m: float = 0.02) -> SurfaceMesh:
        """The surface of the place, fused from the stored key frames: see `fuse_surface`.

        Args:
            path: also write it to this file, .ply or .glb. Its folder is made where it is missing.
            voxel_m: edge length of the voxels; larger in a place that is large.

        Raises:
            MissingOpen3DError: Open3D, the extra `geometry3d`, is not there; says what to type.
            SurfaceError: no frame with depth is stored, or an impossible voxel size.
            ExchangeError: another suffix.
            OSError: the file cannot be written.
        """
        from scenemind.exchange.mesh_file import encode_mesh, mesh_suffix
        from scenemind.surface import fuse_surface

        if path is not None:
            mesh_suffix(Path(path))  # before the work
        mesh = fuse_surface(self.memory, voxel_m)
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(encode_mesh(mesh, Path(path)))
        return mesh

    def film(self, path: str | Path, frames: int = 30) -> int:
        """Write how the map grew as an animated GIF or WebP; returns the number of pictures.

        Args:
            path: .gif or .webp.
            frames: the most pictures.

        Raises:
            SceneMindError: another suffix, no stored frames, or the file cannot be written.
        """
        from scenemind.report.film import write_film

        return write_film(self.memory, Path(path), frames)

    def view(
        self, *, host: str = "127.0.0.1", port: int = 8080, opens_browser: bool = True
    ) -> Viewer:
        """Serve the scene to browsers, live while it grows, until the viewer is closed.

            scene.view().wait()  # until Ctrl-C

        Args:
            host: address to listen on; with another than this machine's own, the viewer's
                `address` holds a token that browsers must name.
            port: 0: any that is free.
            opens_browser: where there is a display.

        Raises:
            SceneMindError: viser is not installed, or the port is taken.
        """
        from scenemind.viewer.browser_view import ViewOptions, open_browser, open_viewer

        viewer = open_viewer(
            ViewOptions(host, port, opens_browser, by=user_name()),
            f"SceneMind: {self.memory.path.name}",
            self.memory,
            self._router(),
            lambda: self._asking(_VIEW_TIMEOUT_S),
        )
        viewer.start()
        if opens_browser:
            open_browser(viewer.make_address())
        return viewer

    def close(self) -> None:
        """Write what is left, and free the memory and the models; the second call does nothing.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self._finalizer()

    def __enter__(self) -> Scene:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._finalizer.alive:
            return f"<Scene {self._memory.path.name}, closed>"
        return f"<Scene {self.memory.path.name}: {len(self.snapshot.objects)} objects>"


def _folder_of(memory: str | Path) -> Path:
    """
    Raises:
        SceneMemoryError: neither a name nor a path.
    """
    if isinstance(memory, Path) or os.sep in memory:
        return Path(memory).expanduser()
    return memory_folder(memory)


def _settings(
    config: AnyConfig | None, models: AnyModels | None, detector: AnyDetector | None
) -> SceneMindConfig:
    """
    Raises:
        ConfigError: a setting that does not exist, or an impossible value.
    """
    if isinstance(config, SceneMindConfig):
        settings = config
    elif isinstance(config, Mapping):
        settings = SceneMindConfig.from_nested(config, source="config")
    else:
        settings = SceneMindConfig() if config is None else SceneMindConfig.load(config)
    if isinstance(detector, (str, Path)):
        # Text without a slash is a name, in the cache; a `Path` is a path.
        named = detector.expanduser().absolute() if isinstance(detector, Path) else detector
        settings = with_detector(settings, str(named))
    if models is None or isinstance(models, Models):
        return settings
    if isinstance(models, ModelsConfig):
        return settings.model_copy(update={"models": models})
    fields = {"language": {"model": models}} if isinstance(models, str) else models
    tree = settings.model_dump()
    for name, value in fields.items():
        is_section = isinstance(value, Mapping) and name in tree["models"]
        tree["models"][name] = {**tree["models"][name], **value} if is_section else value
    return SceneMindConfig.from_nested(tree, source="models")


def _open(models: AnyModels | None) -> Models | None:
    """Models that the caller has opened."""
    return models if isinstance(models, Models) else None


def _detector_of(
    config: SceneMindConfig, given: AnyDetector | None, source: RecordedSequence | None
) -> Detector:
    """
    Args:
        config: has the detector's name, where one is given.

    Raises:
        PerceptionError: none is named and none can be found, or it cannot be used.
    """
    if given is None or isinstance(given, (str, Path)):
        return choose_detector(config, source)[1]
    if not isinstance(given, Detector):
        raise PerceptionError(
            f"detector= is of type {type(given).__name__}: give weights, a model's name, or an"
            " object with `name`, `vocabulary` and `detect(frame)`, which returns"
            " scenemind.perception.Detections"
        )
    return given


def _check_order(last: RGBDFrame | None, frame: RGBDFrame) -> None:
    """
    Raises:
        SceneMemoryError: a frame's number or stamp is not above that of the frame before.
    """
    if last is None or (frame.number > last.number and frame.stamp_ns > last.stamp_ns):
        return
    raise SceneMemoryError(
        f"frame {frame.number} at {frame.stamp_ns} ns does not come after frame {last.number} at"
        f" {last.stamp_ns} ns: numbers and stamps of added frames rise; another visit begins with"
        " scene.map(recording), or with the first frame after the scene is closed and opened again"
        " (sm.open)"
    )


def _check_clock(memory: Memory, name: str, first: RGBDFrame) -> None:
    """
    Raises:
        SceneMemoryError: a recording begins before the last frame of the memory: what was there
            earlier and what later could not be told any more.
    """
    last_ns = _last_ns(memory)
    if last_ns is None or first.stamp_ns > last_ns:
        return
    raise SceneMemoryError(
        f"the stamps of {name} begin at {show_stamp(first.stamp_ns)}, before the last frame of the"
        f" memory ({show_stamp(last_ns)}). If it was recorded later, and its clock began anew, say"
        " --shift-clock (shift_clock=True in Python). Else map it into a memory of its own, then"
        " compare both (scenemind changes --later, or changes(since=) in Python), or join them"
        " (scenemind memory merge, or merge() in Python)"
    )


def _last_ns(memory: Memory) -> int | None:
    """Stamp of the last frame; None: there is none."""
    return max((visit.span.last_ns for visit in memory.history.visits()), default=None)


def _query(text: str | Query, situation: str, policy: Policy, by: str) -> Query:
    """
    Raises:
        ReasoningError: there is no such policy.
    """
    query = text
    if isinstance(query, str):
        query = Query(query, situation, policy=policy, by=by.strip() or user_name())
    elif by.strip():
        query = replace(query, by=by.strip())
    _check_name("policy", query.policy, POLICIES)
    return query


def _check_name(what: str, name: str, names: tuple[str, ...]) -> None:
    """
    Raises:
        ReasoningError: the name is none of the names.
    """
    if name not in names:
        close = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {close[0]!r}? There are" if close else "there are"
        text = f"there is no {what} {name!r}: {hint} {', '.join(names)}"
        raise ReasoningError("invalid_request", text)


def _known_id(scene: MemorySnapshot, thing: Thing) -> int:
    """The id of an object that is there or is gone, or of the floor, a wall or the ceiling.

    Raises:
        SceneMemoryError: there is none of this id.
    """
    number = thing.object_id if isinstance(thing, MapObject) else thing
    if not any(number in known for known in (scene.objects, scene.gone, scene.structure)):
        raise _no_object(number)
    return number


def _object_of(scene: MemorySnapshot, thing: Thing) -> MapObject:
    """
    Raises:
        SceneMemoryError: there is no object of this id.
    """
    if isinstance(thing, MapObject):
        return thing
    if thing not in scene.objects:
        raise _no_object(thing)
    return scene.objects[thing]


def _no_object(number: object) -> SceneMemoryError:
    return SceneMemoryError(f"there is no object {number}: scene.objects lists those there are")
