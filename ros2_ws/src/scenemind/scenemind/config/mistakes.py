"""What is wrong with settings, in plain words."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

_SHOWN = 80


def in_words(error: ValidationError, settings: type[BaseModel]) -> str:
    """Every mistake with the dotted name of its setting.

    Args:
        settings: what was validated.
    """
    return "; ".join(_in_words(mistake, settings) for mistake in error.errors())


def _in_words(mistake: Mapping[str, Any], settings: type[BaseModel]) -> str:
    path = [str(part) for part in mistake["loc"]]
    name = ".".join(path)
    if mistake["type"] == "extra_forbidden":
        return f"there is no setting {name}{_nearest(path, settings)}"
    if mistake["type"] == "model_type":
        what = "should be a section of settings, `name: value` a line"
        return f"{name}: {what}{_got(mistake['input'])}".removeprefix(": ")
    # Before what we say ourselves, pydantic says that it is an error.
    what = mistake["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{name}: {what}{_got(mistake['input'])}".removeprefix(": ")


def _nearest(path: Sequence[str], settings: type[BaseModel]) -> str:
    """The setting that may be meant: of this name in another section, else of a like name here;
    none is proposed within a list."""
    *sections, last = path
    here: Any = settings
    for section in sections:
        here = here.model_fields[section].annotation
        if not hasattr(here, "model_fields"):
            return ""
    close = difflib.get_close_matches(last, here.model_fields, n=1)
    meant = [*_named(last, settings), *(".".join((*sections, name)) for name in close)]
    return f"; did you mean {meant[0]}?" if meant else ""


def _named(name: str, settings: type[BaseModel], prefix: str = "") -> list[str]:
    """Dotted names of the settings of this name, in whatever section."""
    found = []
    for key, field in settings.model_fields.items():
        if key == name:
            found.append(prefix + key)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found += _named(name, field.annotation, f"{prefix}{key}.")
    return found


def _got(value: object) -> str:
    """The offending value; a section as a whole says nothing."""
    if isinstance(value, Mapping):
        return ""
    said = repr(value)
    return f" (got {said if len(said) <= _SHOWN else said[: _SHOWN - 3] + '...'})"
