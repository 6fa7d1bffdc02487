"""The models of a configuration, by what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from scenemind.config import ModelsConfig
from scenemind.config.home import default_root
from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatModel
from scenemind.models.errors import ModelError
from scenemind.models.ledger import Ledger
from scenemind.models.live_models import LiveModel, open_live
from scenemind.models.replayed_models import ReplayedModel, open_replayed
from scenemind.models.status import ModelStatus

_LEDGER = "model_usage.sqlite"


class Models:
    """Language and vision models, open until `close`; see `open_models`. Thread-safe."""

    def __init__(
        self,
        config: ModelsConfig,
        by_role: Mapping[str, LiveModel | ReplayedModel],
        opened: ExitStack,
    ) -> None:
        """
        Args:
            by_role: language, vision, both or neither.
            opened: closes them.
        """
        self._config = config
        self._by_role = by_role
        self._opened = opened

    @property
    def language(self) -> ChatModel | None:
        """Reads text; None: no model is configured."""
        model = self._by_role.get("language")
        return model.chat if model else None

    @property
    def vision(self) -> ChatModel | None:
        """Sees pictures: the language model where no other is named; None: neither is."""
        model = self._by_role.get("vision")
        return model.chat if model else self.language

    def allowance(self, seconds: float) -> Allowance:
        """For one question, with the configured limits."""
        return Allowance(seconds, self._config.question_tokens, self._config.question_cost)

    def status(self) -> tuple[ModelStatus, ...]:
        """Of every model, language first."""
        is_one = "vision" not in self._by_role
        return tuple(
            model.status("language and vision" if is_one else role)
            for role, model in self._by_role.items()
        )

    def check_keys(self) -> None:
        """For whom has nothing to do without its models.

        Raises:
            ModelError: a key is missing (no_key).
        """
        for model in self._by_role.values():
            if model.missing:
                raise ModelError("no_key", model.missing)

    def close(self) -> None:
        """Give up what is being asked, and send away who waits; the second call does nothing."""
        self._opened.close()

    def __enter__(self) -> Models:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def ledger_path() -> Path:
    """SQLite file with what each day used, beside the memories."""
    return default_root() / _LEDGER


def open_models(config: ModelsConfig, ledger: Path | None = None) -> Models:
    """The configured models, each with turns, retries, rests and budgets around it; or their
    replies from a recording. No server is asked yet. A model whose key is missing is there as well,
    and fails what it is asked (no_key); see `Models.check_keys`.

    Args:
        ledger: SQLite file with what each day used; None: see `ledger_path`.

    Raises:
        ModelError: an endpoint is no address, or the recording cannot be used.
    """
    if config.record and config.replay:
        raise ModelError(
            "not_recorded", "a replay records nothing: set models.record or models.replay"
        )
    roles = {"language": config.language, "vision": config.vision}
    by_role = {role: model for role, model in roles.items() if model.model}
    with ExitStack() as opened:
        if config.replay:
            replayed = open_replayed(Path(config.replay), by_role)
            return Models(config, replayed, opened.pop_all())
        book = Ledger(ledger or ledger_path(), config.day_tokens, config.day_cost)
        live = open_live(config, by_role, book, opened)
        return Models(config, live, opened.pop_all())
