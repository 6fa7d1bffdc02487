"""Tables of words that come with the library."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

# The one in C, which wheels have, is ten times as fast.
_SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_table(package: str, name: str) -> Any:
    """The content of a YAML file in a package of the library."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=_SAFE_LOADER)
