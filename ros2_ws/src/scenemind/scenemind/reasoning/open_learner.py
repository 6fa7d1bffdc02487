"""Who learns methods, of what is configured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from scenemind.config import LearnedMethodsConfig
from scenemind.config.home import default_root
from scenemind.models import ChatModel
from scenemind.reasoning.learned_methods import ApiName, Learner, MethodApi, MethodLibrary
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.picture_methods import picture_methods

_APIS: Mapping[ApiName, Callable[[], MethodApi]] = {
    "scene": scene_methods,
    "picture": picture_methods,
}
_FILE = "learned_methods.sqlite"


def open_library(api: ApiName, config: LearnedMethodsConfig | None = None) -> MethodLibrary:
    """Of methods on that API, in the configured file."""
    config = config or LearnedMethodsConfig()
    path = Path(config.library) if config.library else default_root() / _FILE
    return MethodLibrary(path, api, config.kept)


def open_learner(
    api: ApiName,
    language: ChatModel,
    sandbox: Sandbox,
    config: LearnedMethodsConfig | None = None,
) -> Learner:
    """Of methods on that API. Cheap: the file is opened by the first use.

    Args:
        language: writes the methods.
        sandbox: stays open as long as the learner is used.
    """
    config = config or LearnedMethodsConfig()
    return Learner(language, sandbox, _APIS[api](), open_library(api, config), config)
