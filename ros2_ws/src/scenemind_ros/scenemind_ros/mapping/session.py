"""A configured mapping node's memory and mapper, and its run while the node is active."""

from __future__ import annotations

import logging
import math
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from scenemind.composition import Reasoner
from scenemind.config import DetectorConfig
from scenemind.config.scenemind_config import default_root
from scenemind.describing import AnnotationWorker, DescribingService, vision_only
from scenemind.geometry import Pose
from scenemind.mapping import Governor, LatestSlot, Mapper, MapperReport, MappingPipeline
from scenemind.memory import Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk.folder import DATABASE, checked_name
from scenemind.memory.loops.closing import LoopClosing, LoopReport
from scenemind.memory.merging import Merge
from scenemind.memory.places.coming_back import ComingBack, merge_located, move_world
from scenemind.models import ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector
from scenemind.perception.protocols import Detector
from scenemind.reasoning.inventory import BackgroundInventory
from scenemind_ros.errors import diagnostic_status
from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.input.frame_assembler import UndecodedFrame
from scenemind_ros.input.health import FrameYield, ImageLosses, input_problems
from scenemind_ros.mapping.map_publisher import MapPublisher, MapToOdom
from scenemind_ros.mapping.slam_corrections import SlamCorrections
from scenemind_ros.mapping.surface_publisher import SurfacePublisher
from scenemind_ros.parameters import EARLIER_VISIT, MappingParameters

_log = logging.getLogger(__name__)
# Suffixes of folder names beside the memory while another one is loaded.
_LOADING, _REPLACED = ".loading", ".replaced"


class MappingSession:
    """Owner of the memory and the mapper; it can replace the memory by a saved one.

    For one thread, except that any thread may read `memory`.

    Attributes:
        memory: the memory in use; another object after `load`.
        mapper: None while mapping is stopped or waits for instance names.
        loops: closes the loops of its way; None without a mapper.
        describing: descriptions of objects by models; None: disabled.
        inventory: objects that a model names in stored frames; None: disabled.
        dropped: frames that a newer one replaced before they were mapped.
        frame_of_poses: that the frames' poses are in; `map_frame` unless odometry's frame has no
            place in it.
    """

    def __init__(
        self, parameters: MappingParameters, on_report: Callable[[MapperReport], None]
    ) -> None:
        """`on_report` is called after each frame, on the mapping thread.

        Raises:
            PerceptionError: the detector cannot be used.
            SceneMemoryError: the memory cannot be opened.
            ModelError: there is no key for the model that describes or names objects.
        """
        self._parameters = parameters
        self._on_report = on_report
        self.frame_of_poses = parameters.map_frame
        self._detector = _find_detector(parameters.detector, None)
        self._names: Mapping[int, str] = {}
        self._path = _path_of(parameters)
        self.memory = self._open()
        self._comes_back = parameters.memory.relocate and self.memory.last_frame_number >= 0
        self._coming_back: ComingBack | None = None
        self.describing: DescribingService | None = None
        self.inventory: BackgroundInventory | None = None
        self._looking = ExitStack()
        try:
            self._look()
        except (ModelError, PerceptionError):
            self._looking.close()
            self.memory.close()
            raise
        self.mapper: Mapper | None = None
        self.loops: LoopClosing | None = None
        self._pipeline: MappingPipeline[UndecodedFrame] | None = None
        self._slot: LatestSlot[UndecodedFrame] = LatestSlot(parameters.pending_frames)
        self._is_active = False
        self._dropped_before = 0

    @property
    def detector(self) -> Detector | None:
        """The detector; None for an instance camera without names yet."""
        return self._detector

    @property
    def detector_name(self) -> str:
        if self._detector is None:
            return "simulated instance camera (its names have not come yet)"
        return self._detector.name

    @property
    def waits_for_names(self) -> bool:
        """Whether mapping waits for `name_instances`."""
        return self._detector is None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self._detector.vocabulary if self._detector else ()

    @property
    def is_simulated(self) -> bool:
        """Whether detections come from a simulator and not from a model."""
        return self._parameters.detector.backend == "instance_camera"

    @property
    def dropped(self) -> int:
        return self._dropped_before + self._slot.dropped

    @property
    def failure(self) -> Exception | None:
        """The error that ended the mapping thread; None while it runs."""
        return self._pipeline.failure if self._pipeline else None

    @property
    def governor(self) -> Governor | None:
        """The governor of deferred work; None while mapping is stopped."""
        return self._pipeline.governor if self._pipeline else None

    @property
    def is_located(self) -> bool:
        """False while a robot whose world began anew (`memory.relocate`) is not located in the
        memory yet: its frames are mapped apart, and positions of the memory are in the world of an
        earlier visit. So they are before mapping begins."""
        return not self._comes_back

    @property
    def world_frame(self) -> str:
        """The frame that positions in the memory are in."""
        return self.frame_of_poses if self.is_located else self.frame_of_poses + EARLIER_VISIT

    @property
    def why_not_located(self) -> str:
        """Why it is not; empty where it is."""
        if self.is_located:
            return ""
        visit = self._coming_back
        return "mapping has not begun" if visit is None else visit.reason

    @property
    def mapped(self) -> Memory:
        """The memory that frames are mapped into."""
        visit = self._coming_back
        return self.memory if visit is None else visit.visit

    def start(self) -> None:
        """Start mapping the submitted frames."""
        self._is_active = True
        if self._detector is None:
            return
        if self._comes_back:  # there are no loops before it is located
            self._coming_back = ComingBack(self.memory, self._parameters)
        else:
            self.loops = self._new_loops()
        self.mapper = Mapper(self._detector, self.mapped, self._parameters, loops=self.loops)
        governor = Governor(self._parameters.mapper)
        self._pipeline = MappingPipeline(
            self.mapper, self._slot, governor, UndecodedFrame.decode, self._note_frame
        )
        self._pipeline.start()

    def _new_loops(self) -> LoopClosing:
        loops = LoopClosing(self.memory, self._parameters.own_loops)
        loops.prepare()
        return loops

    def _note_frame(self, report: MapperReport) -> None:
        """After each frame, on the mapping thread."""
        visit = self._coming_back
        old_T_new = None if visit is None else visit.note_frame(patiently=False)
        if visit is not None and old_T_new is not None:
            try:
                self._arrive(visit, old_T_new)
            except SceneMemoryError as error:
                _log.error("located in %s, but not part of it yet: %s", self._path, error)
        self._on_report(report)

    def _arrive(self, visit: ComingBack, old_T_new: Pose) -> None:
        """Move the memory into the robot's world, in which all else on the robot is, and make the
        visit part of it. If that fails in between, a later look finds the two in one world."""
        assert self.mapper is not None, "it has mapped the visit"
        move_world(self.memory, old_T_new.inverse())
        self.memory.merge(visit.visit, Pose.identity())
        self.loops = self._new_loops()
        self.mapper.go_on_in(self.memory, self.mapper.world_T_poses, self.loops)
        self._coming_back, self._comes_back = None, False
        visit.close()
        _log.info("located in the memory %s, which is in this robot's world now", self._path)

    def stop(self) -> None:
        """Finish the waiting frames and stop mapping."""
        self._is_active = False
        if self._pipeline is not None:
            try:
                self._pipeline.stop()
            except Exception:  # noqa: BLE001 - it was logged in full when it happened
                _log.error("mapping had stopped before; activate the node again to restart it")
        if self.loops is not None:
            self.loops.close()
        if self._coming_back is not None:
            _log.warning("the visit is forgotten: %s", self._coming_back.reason)
            self._coming_back.close()
            self._coming_back = None
        self._dropped_before += self._slot.dropped
        self._slot = LatestSlot(self._parameters.pending_frames)
        self._pipeline = self.mapper = self.loops = None

    def submit(self, frame: UndecodedFrame) -> None:
        """Hand a frame to the mapper; without a mapper the newest frames wait for it. One that a
        newer one replaces is not decoded."""
        self._slot.put(frame)

    def name_instances(self, names: Mapping[int, str]) -> None:
        """A simulator's names for the ids of its instance images.

        Raises:
            PerceptionError: an id is out of range.
        """
        if not self.is_simulated or names == self._names:
            return
        detector = _find_detector(self._parameters.detector, names)
        was_active = self._is_active
        if self.mapper is not None:
            self.stop()
        self._detector, self._names = detector, dict(names)
        if was_active:
            self.start()

    def merge(self, name: str) -> Merge:
        """Add a saved memory of the place to the one in use, wherever the origin of its world was.

        Raises:
            SceneMemoryError: there is no such memory, it is the one in use, or where it lies cannot
                be told for sure; nothing changed.
        """
        _, saved_path = self._saved(name)
        with ReadOnlyMemory.open(saved_path, self._parameters) as saved:
            merge = merge_located(self.memory, saved)
        if self.loops is not None:
            self.loops.begin_anew()
        return merge

    def _saved(self, name: str) -> tuple[Path, Path]:
        """The folders of the memory in use and of a saved one; raises SceneMemoryError."""
        if self._path is None:
            raise SceneMemoryError(
                "this memory ends with the process and has no saved ones beside it: set memory.root"
            )
        saved_path = self._path.parent / checked_name(name)
        if saved_path == self.memory.path:
            raise SceneMemoryError(f"{name} is the memory in use; what was saved has another name")
        return self._path, saved_path

    def reset(self) -> None:
        """Forget all objects and frames."""
        was_active = self._is_active
        if self._coming_back is not None:
            self.stop()
        self.memory.reset()
        self._comes_back = False
        if was_active and self.mapper is None:
            self.start()

    def load(self, name: str, *, relocate: bool = False) -> None:
        """Continue with a copy of a saved memory; the saved one does not change.

        Args:
            relocate: the robot's world may have another origin than the saved one; see
                `is_located`.

        Raises:
            SceneMemoryError: there is no such memory, or it is the one in use; nothing changed.
        """
        path, saved_path = self._saved(name)
        loading, replaced = (_beside(path, end) for end in (_LOADING, _REPLACED))
        for leftover in (loading, replaced):
            shutil.rmtree(leftover, ignore_errors=True)
        with Memory.open(saved_path, self._parameters) as saved:
            saved.save_as(loading.name)
        was_active, comes_back = self._is_active, self._comes_back
        self.stop()
        self._looking.close()
        try:
            self.memory.close()
            path.rename(replaced)
            loading.rename(path)
            comes_back = relocate
        except OSError as error:
            raise SceneMemoryError(f"cannot put {name} in place: {error}") from error
        finally:  # continue with the loaded memory, or after a failure with the old one
            self.memory = self._open()
            self._comes_back = comes_back and self.memory.last_frame_number >= 0
            self._look()
            if was_active:
                self.start()
        shutil.rmtree(replaced, ignore_errors=True)

    def close(self) -> None:
        """Close the memory; raises SceneMemoryError if the disk failed at the end."""
        self.stop()
        self._looking.close()
        self.memory.close()

    def _look(self) -> None:
        """Start the threads on which models look at the memory in use."""
        parameters, opened = self._parameters, self._looking
        if parameters.descriptions.enabled:
            service = DescribingService(self.memory, parameters.descriptions, parameters.models)
            self.describing = opened.enter_context(service)
        if parameters.inventory.enabled:
            seeing = {"models": vision_only(parameters.models)}
            reasoner = opened.enter_context(Reasoner(parameters.model_copy(update=seeing)))
            reasoner.models.check_keys()
            task = BackgroundInventory(
                self.memory, reasoner.inventory(), parameters.inventory, reasoner.allowance
            )
            self.inventory = opened.enter_context(task)

    def _open(self) -> Memory:
        if self._path is None:
            return Memory.create(None, self._parameters)
        replaced = _beside(self._path, _REPLACED)
        if (
            replaced.exists() and not self._path.exists()
        ):  # the process ended while it loaded another one
            replaced.rename(self._path)
        if (self._path / DATABASE).exists():
            memory = Memory.open(self._path, self._parameters)
            _log.info("continuing the memory %s", self._path)
            return memory
        return Memory.create(self._path, self._parameters)


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _find_detector(config: DetectorConfig, names: Mapping[int, str] | None) -> Detector | None:
    """The configured detector; None for an instance camera without names yet."""
    if config.backend == "instance_camera" and names is None:
        return None
    return make_detector(config, names)


def _path_of(parameters: MappingParameters) -> Path | None:
    """The folder of the memory; None for one that ends with the process."""
    root, name = parameters.memory.root, checked_name(parameters.memory.name)
    if not root:
        return None
    return (default_root() if root == "auto" else Path(root).expanduser()) / name


class Rates:
    """Rates of counters between two readings."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def hz(self, name: str, count: int) -> float:
        """The rate since the last call for the name; 0 at the first."""
        now = time.monotonic()
        then, before = self._seen.get(name, (now, count))
        self._seen[name] = (now, count)
        return (count - before) / (now - then) if now > then else 0.0


class MappingDiagnostics:
    """Builder of one message per call; rates are over the time since the last call."""

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        source: CameraInput,
        session: MappingSession,
        corrections: SlamCorrections | None = None,
    ) -> None:
        self._corrections = corrections
        self._node = node
        self._parameters = parameters
        self._source = source
        self._session = session
        self._yield = FrameYield(source, parameters.silence_s)
        self._losses = ImageLosses(source)
        self._rates = Rates()

    def message(self) -> DiagnosticArray:
        status = [self._input(), self._mapper(), self._memory(), *self._looking()]
        if self._session.loops is not None:
            status.append(self._loops(self._session.loops.report()))
        message = DiagnosticArray(status=status)
        message.header.stamp = self._node.get_clock().now().to_msg()
        return message

    def _input(self) -> DiagnosticStatus:
        """Rates of every stream, and all drops."""
        values: dict[str, object] = {}
        for stream, reader in self._source.readers.items():
            values[f"{stream}_topic"] = reader.topic
            values[f"{stream}_messages"] = reader.received
            values[f"{stream}_hz"] = self._rates.hz(stream, reader.received)
        frames = self._source.assembler.delivered
        values["frames"], values["frames_hz"] = frames, self._rates.hz("input", frames)
        values.update({f"dropped_{cause}": n for cause, n in self._source.dropped().items()})
        problems = input_problems(
            self._node, self._source, self._parameters.silence_s, self._parameters.sync.jump_s
        )
        problems += self._yield.problems() + self._losses.problems()
        values["world_frame"] = self._source.world.name
        if self._source.world.problem:
            problems.append(self._source.world.problem)
        if self._source.mounting is not None:
            values["camera_mounting"] = self._source.mounting.source or "not known yet"
            problems += [self._source.mounting.problem] * bool(self._source.mounting.problem)
        return diagnostic_status(self._node, "input", values, problems)

    def _mapper(self) -> DiagnosticStatus:
        """Detector, rates, stage times, and work deferred for lack of time."""
        session = self._session
        values: dict[str, object] = {
            "detector": session.detector_name,
            "simulated": str(session.is_simulated).lower(),
            "classes": len(session.vocabulary),
            "dropped_newer_frame": session.dropped,
        }
        problems = []
        level = DiagnosticStatus.WARN
        if session.waits_for_names:
            topic = self._parameters.topics.instance_names
            problems.append(f"the names of the instance camera have not come on {topic}")
        if session.mapper is not None:
            stages = session.mapper.timings.stats()
            frames = max((stage.count for stage in stages.values()), default=0)
            values["frames"] = frames
            values["frames_hz"] = self._rates.hz("frames", frames)
            values.update({f"{name}_ms": stage.median_ms for name, stage in stages.items()})
            values["failed_detections"] = session.mapper.failed_detections
        if session.governor is not None:
            values["put_off"] = ", ".join(session.governor.plan.put_off) or "nothing"
            for put_off, count in enumerate(session.governor.frames_at):
                values[f"frames_at_level_{put_off}"] = count
        if session.failure is not None:
            level = DiagnosticStatus.ERROR
            problems.append(
                f"mapping has stopped (the log has the traceback): {session.failure!r}; to go on,"
                " deactivate and activate the node"
            )
        return diagnostic_status(self._node, "mapper", values, problems, level)

    def _memory(self) -> DiagnosticStatus:
        """Size of the memory, and frames that could not be written."""
        memory = self._session.memory
        stats = memory.stats()
        values = {name: getattr(stats, name) for name in stats.__slots__}
        problems = []
        if stats.images_failed or stats.failed_commits:
            problems.append(
                f"the disk failed {stats.images_failed + stats.failed_commits} times: is it full?"
            )
        if stats.damaged:
            problems.append(
                f"{stats.damaged} rows or files are damaged: the log names them, and `scenemind"
                " memory repair` keeps what is whole"
            )
        if not self._session.is_located:
            problems.append(
                "the robot is not located in this memory, whose positions are those of an earlier"
                f" visit: {self._session.why_not_located}"
            )
        values = {"path": memory.path, "located": self._session.is_located, **values}
        return diagnostic_status(self._node, "memory", values, problems)

    def _loops(self, report: LoopReport) -> DiagnosticStatus:
        """Loops that were found and refused, and what became of them."""
        refused = {f"refused: {why}": count for why, count in report.refused.items()}
        values: dict[str, object] = {
            "loops": report.found,
            "waiting": report.waiting,
            **refused,
            "residual_m": "none" if report.residual_m is None else report.residual_m,
            "applied": report.applied,
            "largest_m": report.largest_m,
            "largest_deg": report.largest_deg,
            "put_off": report.put_off,
            **self._from_odometry(),
        }
        if report.problem:
            values["not closed"] = report.problem
        problems = [report.problem] if report.failed else []
        return diagnostic_status(self._node, "loop closure", values, problems)

    def _from_odometry(self) -> dict[str, object]:
        """How far the map and odometry have parted."""
        mapper = self._session.mapper
        moved = None if mapper is None else mapper.world_T_poses
        if moved is None:
            return {"map_to_odom_m": 0.0, "map_to_odom_deg": 0.0}
        still = Pose.identity()
        return {
            "map_to_odom_m": moved.distance_m(still),
            "map_to_odom_deg": math.degrees(moved.angle_rad(still)),
        }

    def _looking(self) -> list[DiagnosticStatus]:
        """Outcomes of model calls; nothing without configured models."""
        service = self._session.describing
        parts = {} if service is None else service.parts
        notes = [self._notes(name, part) for name, part in parts.items()]
        return notes if self._session.inventory is None else [*notes, self._inventory()]

    def _inventory(self) -> DiagnosticStatus:
        """What was named, and what is left of the budget."""
        assert self._session.inventory is not None
        counts = self._session.inventory.counts
        failed = {f"failed_{kind}": count for kind, count in counts.failed.items()}
        values = {
            "pictures": counts.pictures,
            "named": counts.named,
            "settled": counts.settled,
            "calls": counts.usage.calls,
            "tokens": counts.usage.tokens,
            "left_calls": counts.left_calls,
        }
        problems = [f"{sum(failed.values())} looks failed: the log has why"] if failed else []
        return diagnostic_status(self._node, "inventory", {**values, **failed}, problems)

    def _notes(self, name: str, part: AnnotationWorker) -> DiagnosticStatus:
        counts = part.counts
        values = {"made": counts.made, "no_views": counts.no_views, "waiting": part.waiting}
        failed = {f"failed_{kind}": count for kind, count in counts.failed.items()}
        problems = [f"{sum(failed.values())} {name} failed: the log has why"] if failed else []
        return diagnostic_status(self._node, name, {**values, **failed}, problems)


_POLL_S = 0.2  # interval to look for new publishers
_DIAGNOSTICS_S = 1.0


class MappingRun:
    """Connection of camera topics, session and outgoing topics, until closed."""

    def __init__(
        self,
        node: Node,
        parameters: MappingParameters,
        session: MappingSession,
        outgoing: MapPublisher,
    ) -> None:
        """Connect; raises ConfigError if TF is needed and tf2_ros is not installed."""
        self._node = node
        self._session = session
        self._outgoing = outgoing
        self._input = CameraInput(node, parameters, session.submit, self._name_instances)
        self._has_tf_poses = parameters.pose_source == "tf"
        self._corrections = SlamCorrections(
            node,
            parameters,
            lambda: session.mapped,
            self._keeps_odometry,
            lambda: self._input.assembler.base_T_camera,
            lambda: self._input.assembler.newest_stamp_ns.get("color"),
        )
        wants_odom = parameters.publish.map_to_odom
        self._map_to_odom = MapToOdom(node) if wants_odom else None
        self._surface = SurfacePublisher(node)
        self._health = MappingDiagnostics(node, parameters, self._input, session, self._corrections)
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        session.start()
        # A steady clock also runs if use_sim_time waits for a missing /clock.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timers = [
            node.create_timer(period_s, call, clock=steady)
            for period_s, call in (
                (_POLL_S, self._input.poll),
                (_POLL_S, self._corrections.poll),
                (_DIAGNOSTICS_S, self._publish_health),
                (1.0 / parameters.publish.max_hz, self._publish_map),
            )
        ]
        self._input.poll()

    def close(self) -> None:
        """Unsubscribe, map the waiting frames, and publish the result."""
        for timer in self._timers:
            self._node.destroy_timer(timer)
        self._input.close()
        self._corrections.close()
        self._session.stop()
        if self._node.context.ok():
            self._publish_map()
        self._surface.close()
        if self._map_to_odom is not None:
            self._map_to_odom.close()
        self._node.destroy_publisher(self._diagnostics)

    def _name_instances(self, names: Mapping[int, str]) -> None:
        try:
            self._session.name_instances(names)
        except PerceptionError as error:
            self._input.drops.count("bad_instance_names", str(error))

    def _publish_health(self) -> None:
        self._diagnostics.publish(self._health.message())

    def _keeps_odometry(self) -> bool:
        """Whether new frames have poses of an odometry that nothing corrects."""
        return not (self._has_tf_poses or self._input.world.follows_tf)

    def _publish_map(self) -> None:
        self._session.frame_of_poses = self._input.world.name
        self._outgoing.publish(self._session.memory, self._session.world_frame)
        self._surface.poll(self._session.memory, self._session.world_frame)
        mapper, world = self._session.mapper, self._input.world
        if self._map_to_odom is not None and mapper is not None:
            self._map_to_odom.publish(mapper.world_T_poses, world.name, world.odom_frame)
