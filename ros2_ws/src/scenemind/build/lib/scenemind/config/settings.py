"""Settings with names and bounds, read from YAML or dotted names, with readable errors."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import Self

from scenemind.errors import SceneMindError

_SHOWN = 80
Positive = Annotated[float, Field(gt=0.0)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


class ConfigError(SceneMindError, ValueError):
    """A setting that does not exist or cannot have that value."""


class Settings(BaseModel):
    """Settings with a name and a bound each; sections are settings within settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """From a YAML file that names only what differs from the defaults.

        Raises:
            ConfigError: no such file, no YAML, an unknown key or an impossible value.
        """
        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"no configuration at {path}: {error.strerror}") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} is not YAML: {error}") from error
        return cls.from_nested(data or {}, source=str(path))

    @classmethod
    def from_nested(cls, data: Any, source: str = "the given settings") -> Self:
        """From nested dictionaries.

        Raises:
            ConfigError: an unknown key or an impossible value.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(f"{source}: {describe_errors(error, cls)}") from error

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> Self:
        """From dotted names, as ROS parameters come.

        Raises:
            ConfigError: an unknown key or an impossible value.
        """
        nested: dict[str, Any] = {}
        for dotted, value in values.items():
            *parents, leaf = dotted.split(".")
            section = nested
            for parent in parents:
                section = section.setdefault(parent, {})
            section[leaf] = value
        return cls.from_nested(nested)

    def flatten(self) -> dict[str, Any]:
        """Dotted name -> value, in the order of the class."""
        return _flatten(self.model_dump())


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def describe_errors(error: ValidationError, settings: type[BaseModel]) -> str:
    """One message for all mistakes, each with the dotted name of its setting.

    Args:
        settings: the class that was validated.
    """
    return "; ".join(_describe(mistake, settings) for mistake in error.errors())


def _describe(mistake: Mapping[str, Any], settings: type[BaseModel]) -> str:
    path = [str(part) for part in mistake["loc"]]
    name = ".".join(path)
    if mistake["type"] == "extra_forbidden":
        return f"there is no setting {name}{_suggestion(path, settings)}"
    if mistake["type"] == "model_type":
        what = "should be a section of settings, `name: value` a line"
        return f"{name}: {what}{_value_text(mistake['input'])}".removeprefix(": ")
    # pydantic puts a prefix before the messages of our own validators.
    what = mistake["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{name}: {what}{_value_text(mistake['input'])}".removeprefix(": ")


def _suggestion(path: Sequence[str], settings: type[BaseModel]) -> str:
    """A suggestion: the setting of this name in another section, else the closest name in this one.

    Empty for settings within a list.
    """
    *sections, last = path
    here: Any = settings
    for section in sections:
        here = here.model_fields[section].annotation
        if not hasattr(here, "model_fields"):
            return ""
    close = difflib.get_close_matches(last, here.model_fields, n=1)
    meant = [*_names_of(last, settings), *(".".join((*sections, name)) for name in close)]
    return f"; did you mean {meant[0]}?" if meant else ""


def _names_of(name: str, settings: type[BaseModel], prefix: str = "") -> list[str]:
    """Dotted names of all settings with this name, in any section."""
    found = []
    for key, field in settings.model_fields.items():
        if key == name:
            found.append(prefix + key)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found += _names_of(name, field.annotation, f"{prefix}{key}.")
    return found


def _value_text(value: object) -> str:
    """The offending value in parentheses; empty for a whole section."""
    if isinstance(value, Mapping):
        return ""
    text = repr(value)
    return f" (got {text if len(text) <= _SHOWN else text[: _SHOWN - 3] + '...'})"
