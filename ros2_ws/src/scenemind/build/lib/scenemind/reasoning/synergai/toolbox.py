"""Typed functions as tools: their docstrings and their parameters make the prompt."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from scenemind.language.quoting import quoted
from scenemind.models import Tool, ToolCall

_NAMED_MISTAKES = 3


class ToolError(Exception):
    """An error of the model, with a message for it."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A tool with the form of its arguments."""

    tool: Tool
    arguments: type[BaseModel]


class Toolbox:
    """Tools by name. A wrong call raises `ToolError`; bugs are raised as they are."""

    def __init__(self, functions: Iterable[Callable[..., str]]) -> None:
        """
        Args:
            functions: bound methods with annotated parameters, a docstring, and no defaults that
                JSON cannot have. What they return is the observation.
        """
        self._functions = {function.__name__: function for function in functions}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, for the model."""
        return tuple(_form_of(_plain(f)).tool for f in self._functions.values())

    def run(self, call: ToolCall) -> str:
        """The observation of a call.

        Raises:
            ToolError: no such tool, or arguments that it does not take.
        """
        name = call.name.strip()
        function = self._functions.get(name)
        if function is None:
            near = get_close_matches(name, self._functions, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ToolError(
                f"there is no tool {quoted(name)}, there are {', '.join(self._functions)}{hint}"
            )
        try:
            given = json.loads(call.arguments or "{}")
            values = _form_of(_plain(function)).arguments.model_validate(given)
        except ValidationError as error:
            raise ToolError(f"{name}: {_mistakes(error)}") from error
        except (ValueError, RecursionError) as error:
            raise ToolError(f"the arguments of {name} are no JSON: {error}") from error
        return function(**{key: getattr(values, key) for key in type(values).model_fields})


def _plain(function: Callable[..., str]) -> Callable[..., str]:
    """The plain function of a bound method."""
    return getattr(function, "__func__", function)


@lru_cache
def _form_of(function: Callable[..., str]) -> _Form:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        is_needed = parameter.default is inspect.Parameter.empty
        fields[name] = (hints[name], ... if is_needed else parameter.default)
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    arguments = create_model(function.__name__, __config__=config, **fields)
    schema = arguments.model_json_schema()
    for part in (schema, *schema.get("properties", {}).values()):
        part.pop("title", None)
    description = inspect.cleandoc(function.__doc__ or "").replace("\n", " ")
    return _Form(Tool(function.__name__, description, schema), arguments)


def _mistakes(error: ValidationError) -> str:
    named = error.errors()[:_NAMED_MISTAKES]
    return "; ".join(f"{'.'.join(map(str, m['loc'])) or 'the whole'}: {m['msg']}" for m in named)
