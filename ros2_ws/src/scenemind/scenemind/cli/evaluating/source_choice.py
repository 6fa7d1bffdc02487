"""What a method is to know of the scenes, as it was typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.photographs import photograph
from scenemind.evaluation.scene_source import NO_SCENE, PHOTOGRAPHS, NamedSource, SceneSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import MappedMemories, ObjectsSource, predicted_instances


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """One of these; `objects` may stand beside another one, as the truth alone.

    Attributes:
        objects, instances: objects files. memories, images: folders.
        is_blind: nothing is known.
    """

    objects: Path | None = None
    memories: Path | None = None
    instances: Path | None = None
    images: Path | None = None
    is_blind: bool = False

    def __post_init__(self) -> None:
        """
        Raises:
            CommandError: several are named, or none is.
        """
        named = {
            "--memories": self.memories,
            "--instances": self.instances,
            "--images": self.images,
            "--blind": self.is_blind,
        }
        typed = [name for name, value in named.items() if value]
        if len(typed) > 1:
            raise CommandError(f"scenes come from one place: say one of {', '.join(typed)}")
        if not typed and self.objects is None:
            raise CommandError(
                "say what is known of the scenes: --objects FILE (true objects), --memories DIR"
                " (mapped ones), --instances FILE (those that a detector found), --images DIR"
                " (photographs) or --blind (nothing)"
            )

    @property
    def files(self) -> list[Path]:
        """That the predictions depend on."""
        paths = (self.objects, self.memories, self.instances, self.images)
        return [path for path in paths if path is not None]

    def checked(self, rows: Iterable[Row], settings: SceneMindConfig) -> NamedSource:
        """What results name, when all that the rows need is there.

        Raises:
            EvaluationError: something is missing.
        """
        if self.is_blind:
            return NO_SCENE
        if self.images is not None:
            for row in rows:
                if isinstance(row, Question) and row.image:
                    photograph(self.images, row.image)
            return PHOTOGRAPHS
        source = self.opened(settings)
        for scene_id in dict.fromkeys(row.scene_id for row in rows):
            source.check(scene_id)
        return source

    def opened(self, settings: SceneMindConfig) -> SceneSource:
        """Of memories, instances or objects.

        Raises:
            EvaluationError: the file or folder cannot be read.
        """
        if self.memories is not None:
            return MappedMemories(self.memories, settings)
        if self.instances is not None:
            return predicted_instances(self.instances, settings.relations)
        if self.objects is None:
            raise CommandError("there are no scenes to be asked about")
        return ObjectsSource(Scenes(self.objects, settings.relations))
