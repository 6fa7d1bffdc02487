"""One service: its name below the node, its type, and what fills the response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Service(NamedTuple):
    """A handler gets request and response; what it raises becomes the response's error."""

    name: str
    kind: type
    handle: Callable[[Any, Any], None]
