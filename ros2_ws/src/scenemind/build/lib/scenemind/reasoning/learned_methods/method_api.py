"""The base of learned methods: an API of functions on pictures or scenes, and signatures."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from scenemind.language.quoting import tame
from scenemind.reasoning.sandbox import SandboxApi

ApiName = Literal["picture", "scene"]
_PLAIN = """
def _plain(value):
    if isinstance(value, {kind}):
        return {{"object": value.{key}}}
    if isinstance(value, (set, frozenset)):
        return {{"set": sorted([_plain(item) for item in value], key=repr)}}
    if isinstance(value, dict):
        return {{"dict": [[_plain(key), _plain(item)] for key, item in value.items()]}}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
"""


def plain_source(kind: str, key: str) -> str:
    """Source of `_plain`, which writes a value as plain data, with objects, sets and dicts marked
    as such.

    Args:
        kind, key: class of the API's objects, and their identifying attribute.
    """
    return _PLAIN.format(kind=kind, key=key)


def is_one_of(*kinds: type) -> Callable[[Any], bool]:
    """A predicate for values of these types, without bool, which Python takes for an int."""
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A small synthetic world in which a method is called several times.

    Attributes:
        api: the world for programs, with `_plain`.
        calls: the arguments of each call, in Python.
        asked: gives the calls of the API so far, a line each.
        is_bare: the world is empty, so that a method may fail in it.
    """

    api: SandboxApi
    calls: tuple[str, ...]
    asked: Callable[[], Sequence[str]]
    is_bare: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MethodApi:
    """Functions that methods are built on, with all that is needed to have methods written.

    Attributes:
        name: methods are used only by programs on the same API.
        questions: subject of the questions, for prompts, such as "pictures of places".
        design, writing: advice in the prompts for signatures and for implementations.
        documentation: the functions as declarations, for models.
        prelude: source of the functions, and of those that probes need.
        parameters: types of parameters.
        returns: type -> whether a value, as `_plain` writes it, has it.
        guess_type: type of an argument by the name of its variable or function, for methods that
            are called without a signature.
        probes: probes for parameters of these types.
    """

    name: ApiName
    questions: str
    design: str
    writing: str
    documentation: str
    prelude: str
    parameters: tuple[str, ...]
    returns: Mapping[str, Callable[[Any], bool]]
    guess_type: Callable[[str], str]
    probes: Callable[[Sequence[str]], Sequence[Probe]]


_NAME = re.compile(r"_[a-z][a-z0-9_]{0,40}\Z")
_LONGEST_DESCRIPTION = 300
_MOST_PARAMETERS = 6


class Parameter(BaseModel):
    """A positional parameter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: str = Field(description="one of the types of parameters")


class Signature(BaseModel):
    """The signature of a method, as a model writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="begins with an underscore")
    parameters: tuple[Parameter, ...]
    returns: str = Field(description="one of the types of results")
    description: str = Field(description="what it returns, in one sentence")

    @property
    def headline(self) -> str:
        """Name, parameters and result, as in Python."""
        parameters = ", ".join(f"{p.name}: {p.type}" for p in self.parameters)
        return f"{self.name}({parameters}) -> {self.returns}"

    @property
    def declaration(self) -> str:
        """The method in Python, with a docstring and without a body."""
        text = tame(self.description, _LONGEST_DESCRIPTION).replace("\\", "/").replace('"', "'")
        return f'def {self.headline}:\n    """{text}"""'

    def find_fault(self, api: MethodApi, reserved: Collection[str]) -> str | None:
        """The first mistake, for a model, without a full stop; None where there is none.

        Args:
            reserved: names that must not be used.
        """
        if not _NAME.match(self.name):
            return f"{tame(self.name)}: a name is an underscore and lower-case words"
        if self.name in reserved:
            return f"{self.name}: the name is taken"
        names = [p.name for p in self.parameters]
        if not 1 <= len(names) <= _MOST_PARAMETERS or len(set(names)) < len(names):
            return f"{self.name}: it needs 1 to {_MOST_PARAMETERS} parameters of different names"
        unusable = [n for n in names if not n.isidentifier() or keyword.iskeyword(n)]
        if unusable:
            return f"{self.name}: no names: {tame(', '.join(unusable))}"
        return self._find_unknown_type(api)

    def _find_unknown_type(self, api: MethodApi) -> str | None:
        for parameter in self.parameters:
            if parameter.type not in api.parameters:
                known = ", ".join(api.parameters)
                return f"{self.name}: {tame(parameter.type)} is no type of a parameter: {known}"
        if self.returns in api.returns:
            return None
        known = ", ".join(api.returns)
        return f"{self.name}: {tame(self.returns)} is no type of a result: {known}"
