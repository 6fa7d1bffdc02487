"""New methods, tried on made-up pictures before anything rests on them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from scenemind.reasoning.learned_methods.signatures import Signature
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.probes import probe_argument, probe_look, probe_views
from scenemind.reasoning.vadar.vision_api import VisionApi

_SECONDS = 1.0
_LOOKS = 1000
# What fails in the picture of nothing only is told to nobody, and is how it behaves.
_TRY = """

_results = []
for _arguments in [{tried}]:
    _results.append({name}(*_arguments))
try:
    _results.append({name}(*({nothing},)))
except Exception as _error:
    _results.append("fails where nothing is found")
_results
"""
_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "Box": (list, tuple),
    "list[Box]": (list, tuple),
    "list[str]": (list, tuple),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """
    Attributes:
        error: for who wrote the method; empty: it works.
        behaviour: the same for methods that ask the same and give the same on all pictures.
    """

    error: str
    behaviour: str = ""


def try_method(sandbox: Sandbox, signature: Signature, source: str, used: str) -> Trial:
    """
    Args:
        used: source of the methods that it calls.

    Raises:
        SandboxError: no program can be run.
    """
    views = probe_views()
    api = VisionApi(views, probe_look, _LOOKS)
    parameters = signature.parameters
    calls = [
        ", ".join(probe_argument(p.type, place, number) for place, p in enumerate(parameters))
        for number in range(len(views))
    ]
    *tried, nothing = calls
    program = source + _TRY.format(
        name=signature.name, tried=", ".join(f"({call},)" for call in tried), nothing=nothing
    )
    outcome = sandbox.run(program, api.of_sandbox(used), _SECONDS)
    if outcome.error is not None:
        return Trial(f"On a made-up picture:\n{outcome.error.text}")
    if not isinstance(outcome.value, list):
        return Trial(f"it must return {signature.returns}, not an object")
    wrong = [value for value in outcome.value[:-1] if not _fits(value, signature.returns)]
    if wrong:
        return Trial(f"it must return {signature.returns}, and returned {wrong[0]!r:.100}")
    return Trial("", _behaviour(signature, outcome.value, api.calls))


def _fits(value: Any, returns: str) -> bool:
    kinds = _KINDS.get(returns)
    if kinds is None or (value is None and returns == "Box"):  # a box that is not there
        return True
    return isinstance(value, kinds) and not (isinstance(value, bool) and returns != "bool")


def _behaviour(signature: Signature, values: list[Any], calls: list[str]) -> str:
    types = [parameter.type for parameter in signature.parameters]
    told = json.dumps([types, signature.returns, values, sorted(calls)], default=str)
    return hashlib.sha256(told.encode()).hexdigest()
