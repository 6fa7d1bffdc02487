"""How a method is opened, in this process or in another one, for as long as its rows are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.errors import CommandError
from scenemind.cli.evaluating.source_choice import SourceChoice
from scenemind.config import SceneMindConfig
from scenemind.evaluation.blind import BlindMethod
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.method import Method, Share
from scenemind.evaluation.model_share import share_of
from scenemind.evaluation.photographs import PhotographMethod
from scenemind.evaluation.routed import RoutedMethod, ViewpointOf, no_viewpoint
from scenemind.evaluation.scene_source import SceneSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.zsvg3d import RecordedPrograms
from scenemind.geometry import Pose
from scenemind.models import Models
from scenemind.perception.backends.depth_estimator import MonocularDepth
from scenemind.reasoning import Asking, AskMethod, Policy
from scenemind.reasoning.detecting import open_detector
from scenemind.reasoning.vadar import Vadar


@dataclass(frozen=True, slots=True)
class Recipe:
    """An `OpenMethod` of what was typed; can be sent to other processes and machines.

    Attributes:
        poses: objects file by which poses of who asks are turned; None: the words have to do.
        timeout_s: that each answer may take.
    """

    source: SourceChoice
    method: str
    settings: SceneMindConfig
    poses: Path | None
    policy: Policy
    timeout_s: float

    @property
    def asks_models(self) -> bool:
        """Whether limits of models matter."""
        return self.method not in ("symbolic", RecordedPrograms.name)

    @contextmanager
    def __call__(self, share: Share) -> Iterator[Method]:
        """See `OpenMethod`."""
        if self.method == RecordedPrograms.name:
            yield RecordedPrograms(self._scenes(), self.settings.relations)
            return
        models = share_of(self.settings.models, share)
        settings = self.settings.model_copy(update={"models": models})
        with opened_methods(settings) as (opened, methods):
            asking = lambda: Asking(opened.allowance(self.timeout_s))  # noqa: E731
            if self.source.is_blind:
                yield _blind(opened, asking)
            elif self.source.images is not None:
                yield _of_photographs(self.source.images, settings, methods.get("vadar"), asking)
            else:
                yield RoutedMethod(
                    self._scenes(),
                    self.method,
                    methods,
                    asking,
                    self._viewpoint_of(),
                    self.policy,
                    settings.relations,
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
        raise CommandError("--blind asks a language model: name one (--model, or --config)")
    return BlindMethod(models.language, asking)


def _of_photographs(
    images: Path,
    settings: SceneMindConfig,
    vadar: AskMethod | None,
    asking: Callable[[], Asking],
) -> PhotographMethod:
    """
    Raises:
        CommandError: no model is named.
        PerceptionError: no detector that takes words, or no such depth model.
    """
    if not isinstance(vadar, Vadar):
        raise CommandError(
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
