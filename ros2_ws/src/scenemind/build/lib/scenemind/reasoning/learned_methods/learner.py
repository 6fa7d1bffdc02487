"""The dynamic API of VADAR: methods that questions need are designed, written, tested, kept and
used again, on any API of functions.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scenemind.config import LearnedMethodsConfig
from scenemind.errors import SandboxError
from scenemind.models import ChatModel, ModelError
from scenemind.reasoning.learned_methods.api_agent import ApiAgent
from scenemind.reasoning.learned_methods.library import (
    LearnedMethod,
    MethodLibrary,
    Offer,
    offer_of,
    with_all_calls,
)
from scenemind.reasoning.learned_methods.method_api import MethodApi
from scenemind.reasoning.learned_methods.signature_agent import propose
from scenemind.reasoning.learned_methods.source import (
    enclosed,
    find_source_fault,
    private_calls,
    reserved_names,
)
from scenemind.reasoning.method import Asking
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.sandbox import Sandbox

_log = logging.getLogger(__name__)
_CHECK_S = 1.0


@dataclass(frozen=True, slots=True)
class Lesson:
    """The result of learning from one batch of questions.

    Attributes:
        learned: names of the new methods.
        refused: name of a method -> why there is none.
        trouble: errors of the signature agent; may be empty.
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

    def learn(self, questions: Sequence[str], asking: Asking) -> Lesson:
        """Extend the library for a batch of questions; the paper's batch has ten
        (`LearnedMethodsConfig.batch`).

        Raises:
            ModelError: the model was not reached, refused, or the allowance is used up; methods
                that were ready by then are kept.
            SandboxError: no program can be run.
            ReasoningError: the library cannot be used.
        """
        config, known, progress = self._config, self._sound(), asking.progress
        # Signature agent: names, types and docstrings of methods that the questions share.
        signatures = [method.signature for method in known.values()]
        proposed, trouble = propose(
            self._model, self._api, questions, signatures, config.new_methods, asking
        )
        if trouble:
            progress.note(f"the design of new methods is of little use: {trouble}")
        if not proposed:
            progress.note(f"{len(known)} learned methods, none new")
            return Lesson(trouble=trouble)
        progress.note(f"new methods: {', '.join(signature.name for signature in proposed)}")
        # API agent: implements them depth first, and tests each on made-up data.
        agent = ApiAgent(self._model, self._sandbox, self._api, known, config, asking)
        try:
            agent.implement(proposed)
        finally:
            if agent.new:
                self._library.add(agent.new.values())
        return Lesson(tuple(agent.new), agent.refused, trouble)

    def offer(self) -> Offer:
        """The best methods of the library.

        Raises:
            ReasoningError: it cannot be used, or the sandbox does not take what is in it.
        """
        best = offer_of(self._sound(), self._config.offered)
        return replace(best, source=self._checked(best.source))

    def _sound(self) -> dict[str, LearnedMethod]:
        """The library's methods that fit this API, with all that they call."""
        methods = self._library.methods()
        own = reserved_names(self._api)
        bad = {
            name
            for name, method in methods.items()
            if method.signature.find_fault(self._api, own)
            or find_source_fault(method.source, method.signature, self._api)
        }
        return {
            name: method
            for name, method in methods.items()
            if bad.isdisjoint(with_all_calls([name], methods))
        }

    def _checked(self, source: str) -> str:
        """The source of methods as programs use it. It stands before every program, so that one
        method that the sandbox rejects, such as one of an older version, would break all of them.

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
        """Score methods by the programs that called them, with whether each came to a result.
        Errors of the library are only logged."""
        for program, succeeded in programs:
            try:
                self._library.note_use(private_calls(program), succeeded)
            except ReasoningError as error:
                _log.warning("cannot count the uses of learned methods: %s", error)
                return

    def close(self) -> None:
        """Close the library's file; the next use opens it again."""
        self._library.close()


def forgetful_learner(model: ChatModel, sandbox: Sandbox, api: MethodApi) -> Learner:
    """A learner with a temporary library."""
    config = LearnedMethodsConfig()
    return Learner(model, sandbox, api, MethodLibrary(None, api.name, config.kept), config)


# Of a question's time: a slow model would learn all of it long, and answer nothing.
_MOST_OF_TIME = 0.5


def offer_for(question: str, learner: Learner, learns: bool, asking: Asking) -> Offer:
    """The best methods of the library for a question's programs. A library that cannot be used is
    logged, and gives no methods.

    Args:
        learns: write new methods first, in at most half of the question's time.

    Raises:
        ModelError: the model was not reached, or the allowance is used up.
        SandboxError: no program can be run.
    """
    try:
        if learns:
            _learn(question, learner, asking)
        return learner.offer()
    except ReasoningError as error:
        _log.warning("cannot use the learned methods: %s", error)
        asking.progress.note(f"no learned methods: {error}")
        return Offer()


def _learn(question: str, learner: Learner, asking: Asking) -> None:
    part = asking.allowance.part(_MOST_OF_TIME * asking.allowance.left_s)
    try:
        learner.learn([question], replace(asking, allowance=part))
    except ModelError as error:
        asking.allowance.check()  # else the time of the question is over, and not of this part
        if error.kind != "too_late":
            raise
        asking.progress.note("the time for new methods is over")
