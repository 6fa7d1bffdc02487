"""The selectors of key frames that questions may name."""

from __future__ import annotations

import threading
from typing import get_args

from scenemind.config.memtree import SelectorName
from scenemind.models import Models
from scenemind.reasoning import AskMethod
from scenemind.reasoning.detecting import open_detector
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.open_methods import open_methods, open_selector
from scenemind.reasoning.sandbox import Sandbox
from scenemind_ros.errors import RosError
from scenemind_ros.reasoning.parameters import ReasoningParameters


class Selectors:
    """Each is opened when somebody asks for it, and kept: some remember the frames they saw.
    Thread-safe."""

    def __init__(self, models: Models, parameters: ReasoningParameters) -> None:
        self._models = models
        self._parameters = parameters
        self._detector = open_detector(parameters.detector)
        self._lock = threading.Lock()  # of those below
        self._opened: dict[SelectorName, FrameSelector] = {}

    def methods(self, sandbox: Sandbox | None) -> dict[str, AskMethod]:
        """Those that ask a model, by name. They share the selectors with who asks for one."""
        if self._models.vision is None:
            return {}
        settings = self._parameters
        return open_methods(
            self._models,
            settings.memtree,
            self._detector,
            sandbox,
            settings.llm_tpc,
            settings.relations,
            self.get(settings.memtree.selector),
            settings.vadar,
            settings.learned_methods,
            settings.vlm_grounder,
            settings.synergai,
        )

    def get(self, name: str) -> FrameSelector:
        """By its name.

        Raises:
            RosError: there is no such selector.
            ReasoningError: it needs a model, and none is configured.
            PerceptionError: it needs an encoder that cannot be had.
        """
        known = _known(name)
        with self._lock:
            if known not in self._opened:
                settings = self._parameters
                self._opened[known] = open_selector(
                    known, self._models, settings.memtree, self._detector
                )
            return self._opened[known]


def _known(name: str) -> SelectorName:
    names: tuple[SelectorName, ...] = get_args(SelectorName)
    for known in names:
        if name == known:
            return known
    raise RosError(f"there is no selector {name!r}: use one of {', '.join(names)}")
