"""The API that grows: what questions need is designed, written, tried, kept, and used again
(VADAR), whatever functions it grows on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scenemind.config import LearnedMethodsConfig
from scenemind.models import ChatModel
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods.api_agent import ApiAgent
from scenemind.reasoning.learned_methods.enclosing import enclosed
from scenemind.reasoning.learned_methods.learned import Offer, offer_of
from scenemind.reasoning.learned_methods.library import MethodLibrary
from scenemind.reasoning.learned_methods.method_api import MethodApi
from scenemind.reasoning.learned_methods.signature_agent import propose
from scenemind.reasoning.learned_methods.source import private_calls
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox, SandboxError

_log = logging.getLogger(__name__)

_CHECK_S = 1.0


@dataclass(frozen=True, slots=True)
class Lesson:
    """What came of one batch of questions.

    Attributes:
        learned: names of the methods that are new.
        refused: name -> why there is no such method.
        trouble: with the design; empty: none.
    """

    learned: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


class Learner:
    """The signature agent and the API agent, with the library that they write to."""

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: MethodApi,
        library: MethodLibrary,
        config: LearnedMethodsConfig,
    ) -> None:
        """
        Args:
            library: of methods on this API.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._library = library
        self._config = config
        self._runs = ""  # what was found to run last

    def learn(self, questions: Sequence[str], asking: Asking, steps: list[str]) -> Lesson:
        """Extend the library for questions that are looked at together; ten are as many as in the
        paper (`LearnedMethodsConfig.batch`).

        Args:
            steps: takes what is done, a line each.

        Raises:
            ModelError: the model was not reached, refused, or the allowance is used up; methods
                that were ready by then are kept.
            SandboxError: no program can be run.
            ReasoningError: the library cannot be used.
        """
        config, known = self._config, self._library.methods()
        signatures = [method.signature for method in known.values()]
        wanted, trouble = propose(
            self._model, self._api, questions, signatures, config.new_methods, asking
        )
        if trouble:
            steps.append(f"the design of new methods is of little use: {trouble}")
        if not wanted:
            steps.append(f"{len(known)} learned methods, none new")
            return Lesson(trouble=trouble)
        steps.append(f"new methods: {', '.join(signature.name for signature in wanted)}")
        agent = ApiAgent(self._model, self._sandbox, self._api, known, config, asking, steps)
        try:
            agent.implement(wanted)
        finally:
            if agent.new:
                self._library.add(agent.new.values())
        return Lesson(tuple(agent.new), agent.refused, trouble)

    def offer(self) -> Offer:
        """The best of the library.

        Raises:
            ReasoningError: it cannot be used, or the sandbox does not take what is in it.
        """
        best = offer_of(self._library.methods(), self._config.offered)
        return replace(best, source=self._checked(best.source))

    def _checked(self, source: str) -> str:
        """As programs have it. It stands before each of them, so that one method that the sandbox
        does not take, such as one of another version, would keep all from running.

        Raises:
            ReasoningError: there is one.
        """
        try:
            text = enclosed(source, self._api)
            if text and text != self._runs:
                probe = self._api.probes(())[0].api
                api = replace(probe, prelude=f"{probe.prelude}\n\n{text}")
                error = self._sandbox.run("None", api, _CHECK_S).error
                if error is not None:
                    raise SandboxError(error.text)
                self._runs = text
        except (SyntaxError, ValueError, RecursionError, SandboxError) as error:
            raise ReasoningError(
                "method_unavailable",
                f"The learned methods in {self._library.path} do not run: {error}. Move the file"
                " away, or name another one in learned_methods.library.",
            ) from error
        return text

    def note_uses(self, programs: Iterable[tuple[str, bool]]) -> None:
        """Score methods by programs that were run, with whether each came to a result. A library
        that cannot be written costs nobody an answer."""
        for program, succeeded in programs:
            try:
                self._library.note_use(private_calls(program), succeeded)
            except ReasoningError as error:
                _log.warning("the use of learned methods is not noted: %s", error)
                return

    def close(self) -> None:
        """Close the library's file; the next use opens it again."""
        self._library.close()


def forgetful_learner(model: ChatModel, sandbox: Sandbox, api: MethodApi) -> Learner:
    """One whose library lives as long as itself."""
    config = LearnedMethodsConfig()
    return Learner(model, sandbox, api, MethodLibrary(None, api.name, config.kept), config)
