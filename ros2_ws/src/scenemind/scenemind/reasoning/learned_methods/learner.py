"""The API that grows: what questions need is designed, written, tried and kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from scenemind.config import VadarConfig
from scenemind.models import ChatModel
from scenemind.reasoning.learned_methods.api_agent import ApiAgent
from scenemind.reasoning.learned_methods.library import MethodLibrary
from scenemind.reasoning.learned_methods.signature_agent import propose
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox


class Learner:
    """The signature agent and the API agent, with the library that they write to."""

    def __init__(
        self, model: ChatModel, sandbox: Sandbox, library: MethodLibrary, config: VadarConfig
    ) -> None:
        self._model = model
        self._sandbox = sandbox
        self._library = library
        self._config = config

    def learn(self, questions: Iterable[str], asking: Asking, steps: list[str]) -> None:
        """Extend the library for such questions, a batch at a time.

        Args:
            steps: takes what is done, a line each.

        Raises:
            ModelError: the model was not reached, refused, or the allowance is used up.
            SandboxError: no program can be run.
            ReasoningError: the library cannot be used.
        """
        left = iter(questions)
        while batch := list(islice(left, self._config.batch)):
            self._learn_batch(batch, asking, steps)

    def _learn_batch(self, questions: Sequence[str], asking: Asking, steps: list[str]) -> None:
        config, known = self._config, self._library.methods()
        signatures = [method.signature for method in known.values()]
        wanted, trouble = propose(self._model, questions, signatures, config.new_methods, asking)
        if trouble:
            steps.append(f"the design of new methods is of little use: {trouble}")
        if not wanted:
            steps.append(f"{len(known)} learned methods, none new")
            return
        steps.append(f"new methods: {', '.join(signature.name for signature in wanted)}")
        agent = ApiAgent(self._model, self._sandbox, known, config, asking, steps)
        agent.implement(wanted)
        self._library.add(agent.new.values())
