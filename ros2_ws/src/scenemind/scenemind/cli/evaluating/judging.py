"""The model that marks answers, as it was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.evaluation.judging import judge, judge_config
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.run_folder import RunFolder
from scenemind.models import open_models

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """
    Attributes:
        model: empty: nobody judges. endpoint: empty: where the language model is asked.
    """

    model: str = ""
    endpoint: str = ""

    def marks(
        self, predictions: Sequence[Prediction], models: ModelsConfig, folder: RunFolder | None
    ) -> dict[str, float]:
        """Row id -> mark; what the folder has already is not asked again.

        Args:
            models: whose limits are kept.

        Raises:
            ModelError: the endpoint is no address, or its key is missing.
        """
        if not self.model:
            return {}
        judging = models.model_copy(
            update={
                "language": judge_config(self._config(models.language)),
                "vision": ChatModelConfig(),
                "record": "",
                "replay": "",
            }
        )
        with open_models(judging) as opened:
            opened.check_keys()
            assert opened.language is not None, "the judge is named"
            return judge(
                predictions,
                opened.language,
                folder.judgements() if folder else {},
                folder.keep_judgement if folder else _keep_nothing,
                lambda: opened.allowance(_TIMEOUT_S),
                models.parallel_calls,
            )

    def _config(self, language: ChatModelConfig) -> ChatModelConfig:
        """At the language model's own endpoint with its key; prices are of that model alone."""
        if self.endpoint:
            return ChatModelConfig(model=self.model, endpoint=self.endpoint)
        if self.model == language.model:
            return language
        return ChatModelConfig(
            model=self.model, endpoint=language.endpoint, key_variable=language.key_variable
        )


def _keep_nothing(row_id: str, judgement: Mapping[str, Any]) -> None:
    del row_id, judgement
