"""The API agent of VADAR: writes methods depth first, each after those that it calls, and tries
them.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scenemind.config import LearnedMethodsConfig
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning.learned_methods.library import LearnedMethod, source_of
from scenemind.reasoning.learned_methods.method_api import MethodApi, Probe, Signature
from scenemind.reasoning.learned_methods.source import (
    enclosed,
    find_source_fault,
    private_calls,
    reserved_names,
    signature_of_call,
)
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_for_code, fill_prompt, printable
from scenemind.reasoning.sandbox import ProgramError, Sandbox

_PROMPTS = "scenemind.reasoning.learned_methods"
_DEEPEST = 4
_ERROR_CHARACTERS = 2000


class ApiAgent:
    """The API agent for one batch of signatures.

    Attributes:
        new: methods that were written and passed their trial, by name.
        refused: name of a method -> why there is none.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: MethodApi,
        known: Mapping[str, LearnedMethod],
        config: LearnedMethodsConfig,
        asking: Asking,
    ) -> None:
        """
        Args:
            known: methods of the library.
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
        self.new: dict[str, LearnedMethod] = {}
        self.refused: dict[str, str] = {}

    def implement(self, signatures: Sequence[Signature]) -> None:
        """Write a method for each signature; those that cannot be written are left out, and the
        steps say why.

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
        """Write one method, after those that it calls (depth first); whether it exists then.

        Args:
            above: methods that wait for this one, the outermost first.
        """
        name = self._renamed.get(signature.name, signature.name)
        if name in self._methods:
            return True
        if name in self.refused:
            return False
        messages, error = self._messages(signature), "nothing was written"
        for _ in range(self._retries + 1):
            if self._calls_left <= 0:
                self._asking.progress.note("the calls for new methods are used up")
                break
            source = self._ask(messages, name)
            error = self._find_error(signature, source, above)
            if not error:
                return True
            self._asking.progress.note(f"wrong with {name}: {error}")
            request = fill_prompt(_PROMPTS, "implement_failed", error=error)
            messages.append(ChatMessage("user", request))
        self.refused[name] = error
        self._asking.progress.note(f"{name} is left out")
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
        self._asking.progress.report("implement", name)
        self._calls_left -= 1
        source = self._with_new_names(ask_for_code(self._model, messages, self._asking))
        self._asking.progress.note(f"method:\n{printable(source)}")
        return source

    def _find_error(self, signature: Signature, source: str, above: tuple[str, ...]) -> str:
        """Write the methods that a source calls, test it and keep it; the error for the model, or
        an empty text."""
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
        """The error where methods wait for each other, or too many do; may be empty."""
        if wanted.name in above:
            circle = " calls ".join((*above[above.index(wanted.name) :], wanted.name))
            return f"{circle}, without end: do not call {wanted.name} here"
        if len(above) >= _DEEPEST:
            return f"{len(above)} methods wait for each other: do without {wanted.name}"
        return wanted.find_fault(self._api, reserved_names(self._api)) or ""

    def _keep(self, method: LearnedMethod) -> None:
        """Keep a method, unless another one behaves alike, which replaces it."""
        twin = next((m for m in self._methods.values() if m.behaviour == method.behaviour), None)
        if twin is None:
            self.new[method.name] = method
            self._asking.progress.note(f"{method.name} works on made-up data")
        else:
            self._renamed[method.name] = twin.name
            self.refused[method.name] = f"it does what {twin.name} does, which is used instead"
            self._asking.progress.note(f"{method.name}: {self.refused[method.name]}")

    def _with_new_names(self, source: str) -> str:
        for name, other in self._renamed.items():
            source = re.sub(rf"\b{name}\b(?=\s*\()", other, source)
        return source


_SECONDS = 1.0  # of all worlds together
# With fewer different values the API calls are compared too, as values may agree by chance.
_DISTINCTIVE_VALUES = 4
_DIGITS = 6
_FAILS = "fails where nothing is found"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of testing a method.

    Attributes:
        error: for the method's author; empty: it works.
        behaviour: a hash, equal for methods that behave alike in all worlds.
    """

    error: str
    behaviour: str = ""


def try_method(
    sandbox: Sandbox, api: MethodApi, signature: Signature, source: str, used: str
) -> Trial:
    """Test a method in the API's synthetic worlds.

    Args:
        used: source of the methods that it calls.

    Raises:
        SandboxError: no program can be run.
    """
    values: list[Any] = []
    asked: list[str] = []
    due = time.monotonic() + _SECONDS
    for probe in api.probes([parameter.type for parameter in signature.parameters]):
        seconds = due - time.monotonic()
        returned, error = _values_of(sandbox, probe, signature, source, used, seconds)
        if error is None:
            wrong = [value for value in returned if not api.returns[signature.returns](value)]
            if wrong and not probe.is_bare:
                return Trial(f"it must return {signature.returns}, and returned {_shown(wrong[0])}")
        elif not (probe.is_bare and error.kind == "crash"):
            return Trial(f"On made-up data:\n{error.text}")
        values += returned
        asked += probe.asked()
    return Trial("", _behaviour(signature, values, asked))


def _values_of(
    sandbox: Sandbox,
    probe: Probe,
    signature: Signature,
    source: str,
    used: str,
    seconds: float,
) -> tuple[list[Any], ProgramError | None]:
    """The return values of a probe's calls, and the error of the program."""
    lines = [f"_results.append(_plain({signature.name}({call})))" for call in probe.calls]
    program = "\n".join((source, "_results = []", *lines, "_results"))
    api = replace(probe.api, prelude=f"{probe.api.prelude}\n\n{used}")
    outcome = sandbox.run(program, api, seconds)
    if outcome.error is not None:
        return [_FAILS], outcome.error
    if not isinstance(outcome.value, list):
        return [], ProgramError("crash", f"it must return {signature.returns}, not an object")
    return outcome.value, None


def _shown(value: Any) -> str:
    return f"{value!r:.100}"


def _behaviour(signature: Signature, values: list[Any], asked: list[str]) -> str:
    types = [parameter.type for parameter in signature.parameters]
    seen = [json.dumps(_rounded(value), default=str) for value in values]
    if len(set(seen)) < _DISTINCTIVE_VALUES:
        seen += sorted(asked)
    text = json.dumps([types, signature.returns, seen])
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: Any) -> Any:
    """A value with rounded numbers: equivalent calculations differ in the last digits."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value
