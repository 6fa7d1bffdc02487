"""What methods are written on: the functions for pictures, or those for a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scenemind.reasoning.sandbox import SandboxApi

ApiName = Literal["picture", "scene"]

_TOLD = """
def _told(value):
    if isinstance(value, {kind}):
        return {{"object": value.{key}}}
    if isinstance(value, (set, frozenset)):
        return {{"set": sorted([_told(item) for item in value], key=repr)}}
    if isinstance(value, dict):
        return {{"dict": [[_told(key), _told(item)] for key, item in value.items()]}}
    if isinstance(value, (list, tuple)):
        return [_told(item) for item in value]
    return value
"""


def told_source(kind: str, key: str) -> str:
    """Source of `_told`, which writes a value as plain data that lies about nothing: objects, sets
    and dicts are told from each other, and from what looks like them.

    Args:
        kind, key: class of the API's objects, and the attribute by which they are told apart.
    """
    return _TOLD.format(kind=kind, key=key)


def is_one_of(*kinds: type) -> Callable[[Any], bool]:
    """Tells values of these types, of which bool is none though Python takes it for an int."""
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A small made-up world in which a method is called several times.

    Attributes:
        api: what a program finds there; `_told` writes a value as plain data.
        calls: the arguments of each call, in Python.
        asked: gives what was asked of the world so far, a line each.
        is_bare: there is nothing to be found, so that a method may fail.
    """

    api: SandboxApi
    calls: tuple[str, ...]
    asked: Callable[[], Sequence[str]]
    is_bare: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MethodApi:
    """Functions that methods call, and what is needed to have methods written on them.

    Attributes:
        name: programs on an API of another name never see such methods.
        questions: what is asked about, for prompts, such as "pictures of places".
        design, writing: advice for who designs methods, and for who writes one.
        documentation: the functions as declarations, for models.
        prelude: source of them, and of what probes need.
        parameters: types of parameters.
        returns: type -> whether a value, as `_told` writes it, is of it.
        guess_type: of an argument by the name of its variable, or of the function that gives it;
            for methods that are called before anybody has designed them.
        probes: for parameters of these types.
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
