"""Settings with a name and a bound each, read from YAML or from dotted names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import Self

from scenemind.config.mistakes import in_words
from scenemind.errors import SceneMindError

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
            raise ConfigError(f"{source}: {in_words(error, cls)}") from error

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
