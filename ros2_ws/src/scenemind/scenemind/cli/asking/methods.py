"""All methods of reasoning of a configuration, for as long as a command runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from scenemind.config import SceneMindConfig
from scenemind.models import Models, open_models
from scenemind.reasoning import AskMethod
from scenemind.reasoning.detecting import open_detector
from scenemind.reasoning.open_methods import close_methods, open_methods
from scenemind.reasoning.sandbox import Sandbox


@contextmanager
def opened_methods(settings: SceneMindConfig) -> Iterator[tuple[Models, dict[str, AskMethod]]]:
    """The models, and what asks them, by name; without a model there is nobody to write programs.

    Raises:
        ModelError: see `open_models`.
        SandboxError: programs cannot be run here.
    """
    with open_models(settings.models) as models, ExitStack() as opened:
        sandbox = None
        if models.vision is not None:
            sandbox = opened.enter_context(Sandbox(settings.sandbox))
        methods = open_methods(
            models,
            settings.memtree,
            open_detector(settings.detector),
            sandbox,
            settings.llm_tpc,
            settings.relations,
            vadar=settings.vadar,
            learned_methods=settings.learned_methods,
            vlm_grounder=settings.vlm_grounder,
            synergai=settings.synergai,
        )
        opened.callback(close_methods, methods)
        yield models, methods
