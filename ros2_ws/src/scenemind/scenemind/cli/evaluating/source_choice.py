"""What a method is to know of the scenes, as it was typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.photographs import photograph
from scenemind.evaluation.rooms import MappedRooms, RoomSource, TrueRooms
from scenemind.evaluation.scene_source import NO_SCENE, PHOTOGRAPHS, NamedSource, SceneSource
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import MappedMemories, ObjectsSource, predicted_instances


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """One of these; `objects` may stand beside another one, as the truth alone.

    Attributes:
        objects, instances: objects files. memories, images: folders.
        is_blind: nothing is known.
        is_simulated: simulated rooms as they are; or as drives mapped them, where `maps` says.
        maps: folder of these.
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
            CommandError: several are named, or none is.
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

    def simulated_rooms(self, settings: SceneMindConfig) -> RoomSource:
        """As they are, or mapped when they are first asked for."""
        return (
            TrueRooms(settings.relations) if self.maps is None else MappedRooms(self.maps, settings)
        )

    def opened(self, settings: SceneMindConfig) -> SceneSource | None:
        """Of memories, instances, objects or simulated rooms; None: there are no scenes.

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
        """What results say of it.

        Args:
            scenes: as `opened`.
        """
        if scenes is not None:
            return scenes
        return NO_SCENE if self.is_blind else PHOTOGRAPHS

    def check(self, rows: Iterable[Row], scenes: SceneSource | None) -> None:
        """
        Args:
            scenes: as `opened`.

        Raises:
            EvaluationError: something that a row needs is missing.
        """
        if scenes is not None:
            for scene_id in dict.fromkeys(row.scene_id for row in rows):
                scenes.check(scene_id)
        elif self.images is not None:
            for row in rows:
                if isinstance(row, Question) and row.image:
                    photograph(self.images, row.image)
