"""What a program finds when it starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class SandboxApi:
    """
    Only plain data crosses the border of the sandbox: numbers, strings, lists, tuples, dicts, sets,
    None. Objects with methods are made inside, by the prelude. A builtin that calls back, such as
    `sorted` with a key, cannot reach a host function from there.

    Attributes:
        prelude: trusted source that runs first: classes, and functions over values and over host
            functions.
        values: name -> data that the prelude and the program find.
        functions: name -> host function; raises `ApiError` to teach.
        stubs: declarations of what a program may use, for the type checker.
    """

    prelude: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    stubs: str = ""
