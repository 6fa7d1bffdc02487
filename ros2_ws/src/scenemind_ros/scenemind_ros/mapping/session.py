"""The memory in use and the thread that maps into it. Knows no ROS."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from scenemind.config import DetectorConfig
from scenemind.config.home import default_root
from scenemind.describing import DescribingService
from scenemind.frames import RGBDFrame
from scenemind.mapping import Governor, LatestSlot, Mapper, MapperReport, MappingPipeline
from scenemind.memory import Memory, SceneMemoryError
from scenemind.memory.disk.folder import DATABASE, checked_name
from scenemind.models import ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector
from scenemind.perception.protocols import Detector
from scenemind_ros.parameters import MappingParameters

_log = logging.getLogger(__name__)

# Ends of the names of folders beside the memory while another one is loaded.
_LOADING, _REPLACED = ".loading", ".replaced"


class MappingSession:
    """Opens the memory, runs the mapper, and exchanges the memory for a saved one.

    For one thread, except that `memory` may be read from any.

    Attributes:
        memory: the one in use; another object after `load`.
        mapper: None while nothing is mapped: stopped, or no instance names yet.
        describing: what asks models about the memory's objects; None: that is not wanted.
        dropped: frames that a newer one pushed out before they were mapped.
    """

    def __init__(
        self, parameters: MappingParameters, on_report: Callable[[MapperReport], None]
    ) -> None:
        """`on_report` is called after each frame, on the mapping thread.

        Raises:
            PerceptionError: the detector cannot be used.
            SceneMemoryError: the memory cannot be opened.
            ModelError: there is no key for the model that is to describe objects.
        """
        self._parameters = parameters
        self._on_report = on_report
        self._detector = _find_detector(parameters.detector, None)
        self._names: Mapping[int, str] = {}
        self._path = _path_of(parameters)
        self.memory = self._open()
        try:
            self.describing = self._describe()
        except (ModelError, PerceptionError):
            self.memory.close()
            raise
        self.mapper: Mapper | None = None
        self._pipeline: MappingPipeline | None = None
        self._slot: LatestSlot[RGBDFrame] = LatestSlot(parameters.pending_frames)
        self._is_active = False
        self._dropped_before = 0

    @property
    def detector(self) -> Detector | None:
        """None for an instance camera whose names have not come yet."""
        return self._detector

    @property
    def detector_name(self) -> str:
        if self._detector is None:
            return "simulated instance camera (its names have not come yet)"
        return self._detector.name

    @property
    def waits_for_names(self) -> bool:
        """Whether nothing can be mapped before `name_instances`."""
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
        """What ended the mapping thread, when something did."""
        return self._pipeline.failure if self._pipeline else None

    @property
    def governor(self) -> Governor | None:
        """What is put off for want of time; None while nothing is mapped."""
        return self._pipeline.governor if self._pipeline else None

    def start(self) -> None:
        """Map what is submitted from now on."""
        self._is_active = True
        if self._detector is not None:
            self.mapper = Mapper(self._detector, self.memory, self._parameters)
            governor = Governor(self._parameters.mapper)
            self._pipeline = MappingPipeline(self.mapper, self._slot, governor, self._on_report)
            self._pipeline.start()

    def stop(self) -> None:
        """Finish what waits, and map nothing more."""
        self._is_active = False
        if self._pipeline is not None:
            try:
                self._pipeline.stop()
            except Exception:  # noqa: BLE001 - it was logged in full when it happened
                _log.error("mapping had stopped before; it starts anew when activated again")
        self._dropped_before += self._slot.dropped
        self._slot = LatestSlot(self._parameters.pending_frames)
        self._pipeline = self.mapper = None

    def submit(self, frame: RGBDFrame) -> None:
        """Hand a frame to the mapper; the newest ones wait for it where it is not there yet."""
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

    def load(self, name: str) -> None:
        """Go on with a copy of a saved memory; the saved one stays as it is.

        Raises:
            SceneMemoryError: there is no such memory, or it is the one in use; nothing changed.
        """
        if self._path is None:
            raise SceneMemoryError(
                "this memory ends with the process and has no saved ones beside it: set memory.root"
            )
        saved_path = self._path.parent / checked_name(name)
        if saved_path == self.memory.path:
            raise SceneMemoryError(f"{name} is the memory in use; what was saved has another name")
        loading, replaced = (_beside(self._path, end) for end in (_LOADING, _REPLACED))
        for leftover in (loading, replaced):
            shutil.rmtree(leftover, ignore_errors=True)
        with Memory.open(saved_path, self._parameters) as saved:
            saved.save_as(loading.name)
        was_active = self._is_active
        self.stop()
        self._stop_describing()
        try:
            self.memory.close()
            self._path.rename(replaced)
            loading.rename(self._path)
        except OSError as error:
            raise SceneMemoryError(f"cannot put {name} in place: {error}") from error
        finally:  # on with the loaded one, or where that failed with the one before
            self.memory = self._open()
            self.describing = self._describe()
            if was_active:
                self.start()
        shutil.rmtree(replaced, ignore_errors=True)

    def close(self) -> None:
        """Raises SceneMemoryError when the disk failed at the end."""
        self.stop()
        self._stop_describing()
        self.memory.close()

    def _describe(self) -> DescribingService | None:
        config, models = self._parameters.descriptions, self._parameters.models
        return DescribingService(self.memory, config, models) if config.enabled else None

    def _stop_describing(self) -> None:
        if self.describing is not None:
            self.describing.close()

    def _open(self) -> Memory:
        if self._path is None:
            return Memory.create(None, self._parameters)
        replaced = _beside(self._path, _REPLACED)
        if replaced.exists() and not self._path.exists():  # killed while it loaded another one
            replaced.rename(self._path)
        if (self._path / DATABASE).exists():
            memory = Memory.open(self._path, self._parameters)
            _log.info("going on with the memory %s", self._path)
            return memory
        return Memory.create(self._path, self._parameters)


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _find_detector(config: DetectorConfig, names: Mapping[int, str] | None) -> Detector | None:
    """The configured detector; None for an instance camera whose names have not come yet."""
    if config.backend == "instance_camera" and names is None:
        return None
    return make_detector(config, names)


def _path_of(parameters: MappingParameters) -> Path | None:
    """The folder of the memory; None for one that ends with the process."""
    root, name = parameters.memory.root, checked_name(parameters.memory.name)
    if not root:
        return None
    return (default_root() if root == "auto" else Path(root).expanduser()) / name
