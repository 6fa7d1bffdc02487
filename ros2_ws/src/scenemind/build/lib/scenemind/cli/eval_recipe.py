"""The recipe by which `scenemind eval` opens a method and its scenes, here or in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scenemind.composition import Reasoner
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.method import Method, Share, share_of
from scenemind.evaluation.methods import (
    BlindMethod,
    PhotographMethod,
    RoutedMethod,
    ViewpointOf,
    no_viewpoint,
    photograph,
)
from scenemind.evaluation.scenes import NO_SCENE, PHOTOGRAPHS, NamedSource, Scenes, SceneSource
from scenemind.evaluation.sources import MappedMemories, ObjectsSource, predicted_instances
from scenemind.evaluation.zsvg3d import RecordedPrograms
from scenemind.geometry import Pose
from scenemind.models import Models
from scenemind.reasoning import Asking, AskMethod, Policy

if TYPE_CHECKING:
    from scenemind.evaluation.rooms import RoomSource


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """Source of the scenes: one of these. `objects` may be given beside another one, as truth only.

    Attributes:
        objects, instances: objects files. memories, images: folders.
        is_blind: no scenes.
        is_simulated: simulated rooms; their maps, where `maps` is given.
        maps: folder of maps of simulated rooms.
    """

    objects: Path | None = None
    memories: Path | None = None
    instances: Path | None = None
    images: Path | None = None
    is_blind: bool = False
    is_simulated: bool = False
    maps: Path | None = None

    def __post_init__(self) -> None:
        """
        Raises:
            UsageError: several are given, or none.
        """
        named = {
            "--memories": self.memories,
            "--instances": self.instances,
            "--images": self.images,
            "--blind": self.is_blind,
            "the simulated rooms": self.is_simulated,
        }
        typed = [name for name, value in named.items() if value]
        if len(typed) > 1:
            raise UsageError(f"scenes come from one place: say one of {', '.join(typed)}")
        if not typed and self.objects is None:
            raise UsageError(
                "say what is known of the scenes: --objects FILE (true objects), --memories DIR"
                " (mapped ones), --instances FILE (those that a detector found), --images DIR"
                " (photographs) or --blind (nothing)"
            )

    @property
    def files(self) -> list[Path]:
        """Files and folders that the predictions depend on."""
        paths = (self.objects, self.memories, self.instances, self.images)
        return [path for path in paths if path is not None]

    def simulated_rooms(self, settings: SceneMindConfig) -> RoomSource:
        """The true rooms, or maps of them, made when they are first needed."""
        from scenemind.evaluation.rooms import MappedRooms, TrueRooms

        return (
            TrueRooms(settings.relations) if self.maps is None else MappedRooms(self.maps, settings)
        )

    def opened(self, settings: SceneMindConfig) -> SceneSource | None:
        """The scenes of memories, instances, objects or simulated rooms; None: there are none.

        Raises:
            EvaluationError: the file or folder cannot be read.
        """
        if self.is_simulated:
            return self.simulated_rooms(settings)
        if self.memories is not None:
            return MappedMemories(self.memories, settings)
        if self.instances is not None:
            return predicted_instances(self.instances, settings.relations)
        if self.objects is None or self.images is not None or self.is_blind:
            return None
        return ObjectsSource(Scenes(self.objects, settings.relations))

    def name(self, scenes: SceneSource | None) -> NamedSource:
        """The source that results name.

        Args:
            scenes: as `opened`.
        """
        if scenes is not None:
            return scenes
        return NO_SCENE if self.is_blind else PHOTOGRAPHS

    def check(self, scene_id: str, scenes: SceneSource | None) -> None:
        """Check that a scene of the rows, or the photograph that stands for it, is there.

        Args:
            scenes: as `opened`.

        Raises:
            EvaluationError: it is not.
        """
        if scenes is not None:
            scenes.check(scene_id)
        elif self.images is not None:
            photograph(self.images, scene_id)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An `OpenMethod` that can be sent to other processes and machines.

    Attributes:
        poses: objects file with the axis alignment of viewpoints; None: viewpoints only in words.
        timeout_s: seconds for each answer.
    """

    source: SourceChoice
    method: str
    settings: SceneMindConfig
    poses: Path | None
    policy: Policy
    timeout_s: float

    @property
    def asks_models(self) -> bool:
        """Whether the method asks models, whose limits then count."""
        return self.method not in ("symbolic", RecordedPrograms.name)

    @contextmanager
    def __call__(self, share: Share) -> Iterator[Method]:
        """See `OpenMethod`."""
        if self.method == RecordedPrograms.name:
            yield RecordedPrograms(self._scenes(), self.settings.relations)
            return
        models = share_of(self.settings.models, share)
        settings = self.settings.model_copy(update={"models": models})
        with Reasoner(settings) as reasoner:
            asking = lambda: Asking(reasoner.allowance(self.timeout_s))  # noqa: E731
            if self.source.is_blind:
                yield _blind(reasoner.models, asking)
            elif self.source.images is not None:
                vadar = reasoner.methods.get("vadar")
                yield _of_photographs(self.source.images, settings, vadar, asking)
            else:
                yield RoutedMethod(
                    self._scenes(),
                    self.method,
                    lambda memory: reasoner.router(memory, falls_back=self.method == "auto"),
                    asking,
                    self._viewpoint_of(),
                    self.policy,
                )

    def _scenes(self) -> SceneSource:
        scenes = self.source.opened(self.settings)
        assert scenes is not None, "only methods without scenes are opened without any"
        return scenes

    def _viewpoint_of(self) -> ViewpointOf:
        if self.poses is None:
            return no_viewpoint
        truth = Scenes(self.poses, self.settings.relations)

        def viewpoint_of(row: Question) -> Pose | None:
            return truth.get_viewpoint(row.scene_id, row.pose) if row.pose else None

        return viewpoint_of


def _blind(models: Models, asking: Callable[[], Asking]) -> BlindMethod:
    if models.language is None:
        raise UsageError("--blind asks a language model: name one (--model, or --config)")
    return BlindMethod(models.language, asking)


def _of_photographs(
    images: Path,
    settings: SceneMindConfig,
    vadar: AskMethod | None,
    asking: Callable[[], Asking],
) -> PhotographMethod:
    """
    Raises:
        UsageError: no model is named.
        PerceptionError: no detector that takes words, or no such depth model.
    """
    from scenemind.perception.backends.depth_estimator import MonocularDepth
    from scenemind.reasoning.shared_models import open_detector
    from scenemind.reasoning.vadar import Vadar

    if not isinstance(vadar, Vadar):
        raise UsageError(
            "questions about photographs need models, one of which sees pictures: name one"
            " (models.vision.model and models.language.model in --config, or --model)"
        )
    detector = open_detector(settings.detector)
    named = settings.vadar.depth_model
    estimator = MonocularDepth(named) if named else None
    # What cannot be had, or takes minutes to come, is better known before models are paid.
    detector.open()
    if estimator is not None:
        estimator.fetch()
    return PhotographMethod(images, vadar, detector, estimator, asking)
