"""The agent that writes methods, those that a method calls before it (VADAR, API agent)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from scenemind.config import LearnedMethodsConfig
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning.coding import ask_for_code, printable
from scenemind.reasoning.learned_methods.enclosing import enclosed
from scenemind.reasoning.learned_methods.learned import LearnedMethod, source_of
from scenemind.reasoning.learned_methods.method_api import MethodApi
from scenemind.reasoning.learned_methods.signatures import Signature
from scenemind.reasoning.learned_methods.source import (
    find_source_fault,
    private_calls,
    reserved_names,
    signature_of_call,
)
from scenemind.reasoning.learned_methods.trial import try_method
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import fill_prompt
from scenemind.reasoning.sandbox import Sandbox

_PROMPTS = "scenemind.reasoning.learned_methods"
_DEEPEST = 4
_ERROR_CHARACTERS = 2000


class ApiAgent:
    """Of one batch of signatures.

    Attributes:
        new: what was written, and tried: name -> method.
        refused: name -> why there is no such method, in words.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: MethodApi,
        known: Mapping[str, LearnedMethod],
        config: LearnedMethodsConfig,
        asking: Asking,
        steps: list[str],
    ) -> None:
        """
        Args:
            known: methods that are there.
            steps: takes what is written and what is wrong, in order.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._known = known
        self._retries = config.retries
        self._calls_left = config.calls
        self._asking = asking
        self._planned: dict[str, Signature] = {}
        self._renamed: dict[str, str] = {}
        self._steps = steps
        self.new: dict[str, LearnedMethod] = {}
        self.refused: dict[str, str] = {}

    def implement(self, signatures: Sequence[Signature]) -> None:
        """Write what can be written; what cannot is left out, and the steps say so.

        Raises:
            ModelError: the model was not reached, or the allowance is used up.
            SandboxError: no program can be run.
        """
        self._planned = {signature.name: signature for signature in signatures}
        for signature in signatures:
            self._write(signature, ())

    @property
    def _methods(self) -> dict[str, LearnedMethod]:
        return {**self._known, **self.new}

    def _write(self, signature: Signature, above: tuple[str, ...]) -> bool:
        """Whether it is there, now or already.

        Args:
            above: methods that wait for it, the first of all first.
        """
        name = self._renamed.get(signature.name, signature.name)
        if name in self._methods:
            return True
        if name in self.refused:
            return False
        messages, error = self._messages(signature), "nothing was written"
        for _ in range(self._retries + 1):
            if self._calls_left <= 0:
                self._steps.append("the calls for new methods are used up")
                break
            source = self._ask(messages, name)
            error = self._find_error(signature, source, above)
            if not error:
                return True
            self._steps.append(f"wrong with {name}: {error}")
            told = fill_prompt(_PROMPTS, "implement_failed", error=error)
            messages.append(ChatMessage("user", told))
        self.refused[name] = error
        self._steps.append(f"{name} is left out")
        return False

    def _messages(self, signature: Signature) -> list[ChatMessage]:
        others = [m.signature for m in self._methods.values()]
        others += [s for s in self._planned.values() if s.name not in self._methods]
        listed = "\n\n".join(s.declaration for s in others if s.name != signature.name)
        system = fill_prompt(
            _PROMPTS,
            "implement",
            questions=self._api.questions,
            documentation=self._api.documentation,
            advice=self._api.writing,
        )
        asked = fill_prompt(
            _PROMPTS,
            "implement_question",
            others=f"```python\n{listed}\n```" if listed else "none",
            declaration=signature.declaration,
        )
        return [ChatMessage("system", system), ChatMessage("user", asked)]

    def _ask(self, messages: list[ChatMessage], name: str) -> str:
        self._asking.report("implement", name)
        self._calls_left -= 1
        source = self._with_new_names(ask_for_code(self._model, messages, self._asking))
        self._steps.append(f"method:\n{printable(source)}")
        return source

    def _find_error(self, signature: Signature, source: str, above: tuple[str, ...]) -> str:
        """What is wrong; empty: it is written, and among the new ones."""
        fault = find_source_fault(source, signature, self._api)
        if fault is not None:
            return printable(fault)[:_ERROR_CHARACTERS]
        missing = list(self._missing(source))
        for wanted in missing:
            error = self._find_recursion(wanted, (*above, signature.name))
            if not error and not self._write(wanted, (*above, signature.name)):
                error = f"there is no method {wanted.name}, and none could be written: do without"
            if error:
                return error
        source = self._with_new_names(source)
        calls = tuple(name for name in private_calls(source) if name in self._methods)
        used = enclosed(source_of(calls, self._methods), self._api)
        trial = try_method(self._sandbox, self._api, signature, source, used)
        if trial.error:
            return printable(trial.error)[:_ERROR_CHARACTERS]
        self._keep(LearnedMethod(signature, source, calls, trial.behaviour))
        return ""

    def _missing(self, source: str) -> Iterator[Signature]:
        for name, call in private_calls(source).items():
            if name not in self._methods:
                yield self._planned.get(name) or signature_of_call(name, call, self._api)

    def _find_recursion(self, wanted: Signature, above: tuple[str, ...]) -> str:
        """A method that waits for the one that wants it, or too many that do."""
        if wanted.name in above:
            circle = " calls ".join((*above[above.index(wanted.name) :], wanted.name))
            return f"{circle}, without end: do not call {wanted.name} here"
        if len(above) >= _DEEPEST:
            return f"{len(above)} methods wait for each other: do without {wanted.name}"
        return wanted.find_fault(self._api, reserved_names(self._api)) or ""

    def _keep(self, method: LearnedMethod) -> None:
        """Or the one that does the same under another name, which is used instead."""
        twin = next((m for m in self._methods.values() if m.behaviour == method.behaviour), None)
        if twin is None:
            self.new[method.name] = method
            self._steps.append(f"{method.name} works on made-up data")
        else:
            self._renamed[method.name] = twin.name
            self.refused[method.name] = f"it does what {twin.name} does, which is used instead"
            self._steps.append(f"{method.name}: {self.refused[method.name]}")

    def _with_new_names(self, source: str) -> str:
        for name, other in self._renamed.items():
            source = re.sub(rf"\b{name}\b(?=\s*\()", other, source)
        return source
