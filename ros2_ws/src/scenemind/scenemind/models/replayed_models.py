"""Models whose replies are read from a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from scenemind.config import ChatModelConfig
from scenemind.models.chat import ChatModel
from scenemind.models.replaying import Replay, Replayer
from scenemind.models.status import READY, ModelStatus
from scenemind.models.usage import NOTHING_USED


@dataclass(frozen=True, slots=True)
class ReplayedModel:
    """
    Attributes:
        chat: to be asked.
        missing: nothing, as no key is needed.
    """

    chat: ChatModel
    _path: Path
    missing: ClassVar[str] = ""

    def status(self, role: str) -> ModelStatus:
        """Nothing is counted: nothing is spent."""
        return ModelStatus(
            role=role,
            model=self.chat.name,
            endpoint=f"replayed from {self._path}",
            state=READY,
            calls=0,
            failures={},
            in_flight=0,
            waiting=0,
            used_today=NOTHING_USED,
            has_price=False,
            trouble="",
        )


def open_replayed(path: Path, by_role: Mapping[str, ChatModelConfig]) -> dict[str, ReplayedModel]:
    """A model for each role. Where no role names one, the first that was recorded reads text, and
    the last sees pictures.

    Raises:
        ModelError: see `open_models`.
    """
    replay = Replay(path)
    names = {role: model.model for role, model in by_role.items()}
    if not names and replay.models:
        names = {"language": replay.models[0], "vision": replay.models[-1]}
    return {role: ReplayedModel(Replayer(replay, name), path) for role, name in names.items()}
