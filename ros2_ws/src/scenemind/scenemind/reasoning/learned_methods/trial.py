"""New methods, tried in small made-up worlds before anything rests on them."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import Any

from scenemind.reasoning.learned_methods.method_api import MethodApi, Probe
from scenemind.reasoning.learned_methods.signatures import Signature
from scenemind.reasoning.sandbox import ProgramError, Sandbox

_SECONDS = 1.0  # of all worlds together
# Fewer different values may agree by chance; then it counts as well what was asked.
_TELLING_VALUES = 4
_DIGITS = 6
_FAILS = "fails where nothing is found"


@dataclass(frozen=True, slots=True)
class Trial:
    """
    Attributes:
        error: for who wrote the method; empty: it works.
        behaviour: the same for methods that do the same in all worlds.
    """

    error: str
    behaviour: str = ""


def try_method(
    sandbox: Sandbox, api: MethodApi, signature: Signature, source: str, used: str
) -> Trial:
    """
    Args:
        used: source of the methods that it calls, as programs have it.

    Raises:
        SandboxError: no program can be run.
    """
    values: list[Any] = []
    asked: list[str] = []
    due = time.monotonic() + _SECONDS
    for probe in api.probes([parameter.type for parameter in signature.parameters]):
        seconds = due - time.monotonic()
        told, error = _told(sandbox, probe, signature, source, used, seconds)
        if error is None:
            wrong = [value for value in told if not api.returns[signature.returns](value)]
            if wrong and not probe.is_bare:
                return Trial(f"it must return {signature.returns}, and returned {_shown(wrong[0])}")
        elif not (probe.is_bare and error.kind == "crash"):
            return Trial(f"On made-up data:\n{error.text}")
        values += told
        asked += probe.asked()
    return Trial("", _behaviour(signature, values, asked))


def _told(
    sandbox: Sandbox,
    probe: Probe,
    signature: Signature,
    source: str,
    used: str,
    seconds: float,
) -> tuple[list[Any], ProgramError | None]:
    """What the calls return."""
    lines = [f"_results.append(_told({signature.name}({call})))" for call in probe.calls]
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
    if len(set(seen)) < _TELLING_VALUES:
        seen += sorted(asked)
    told = json.dumps([types, signature.returns, seen])
    return hashlib.sha256(told.encode()).hexdigest()


def _rounded(value: Any) -> Any:
    """Two ways to calculate one number differ in its last digits."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value
