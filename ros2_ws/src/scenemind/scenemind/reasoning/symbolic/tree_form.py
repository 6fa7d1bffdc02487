"""Questions as JSON: a form for each kind of tree of `language/trees.py`, made from its fields.

    {"question": {"kind": "Count", "subject": {"kind": "NounPhrase", "noun": "chair"}}}

A form takes nothing else: unknown kinds, fields and values are refused, and so are texts that are
no words and trees that are too large.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import time
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, field_validator

from scenemind.language import trees
from scenemind.language.trees import Question

KINDS: tuple[type, ...] = tuple(k for k in get_args(Question) if k is not trees.Joined)
"""Kinds of questions that have a form; of two in one sentence each is asked alone."""
_MOST_NODES, _DEEPEST = 24, 8
_MOST_PARTS, _LARGEST = 4, 1_000_000
_WORD = r"^[A-Za-z0-9' -]{0,40}$"
_UNSAID = frozenset(("unread",))  # what no question is made of
# Values that are no trees: Python type -> JSON schema.
_PLAIN: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string", "pattern": _WORD},
    int: {"type": "integer", "minimum": 0, "maximum": _LARGEST},
    float: {"type": "number", "minimum": 0, "maximum": _LARGEST},
    bool: {"type": "boolean"},
    time: {"type": "string", "format": "time"},
    NoneType: {"type": "null"},
}


class QuestionForm(BaseModel):
    """The tree of a sentence; None: it asks nothing that a map can answer."""

    model_config = ConfigDict(extra="forbid")

    question: Any

    @field_validator("question")
    @classmethod
    def _as_tree(cls, value: Any) -> Question | None:
        tree: Question | None = _value(value, (*KINDS, NoneType))
        return tree

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        """The schema in the words that strict servers know, with each kind of tree only once."""
        kinds: dict[str, Any] = {}
        asked = {"question": _schema((*KINDS, NoneType), kinds)}
        return {**_object(asked), "title": "QuestionForm", "$defs": kinds}


def complaint_about_size(tree: Question) -> str | None:
    """Why a tree is too large; None where it is not."""
    nodes, depth = _size(tree)
    if nodes > _MOST_NODES or depth > _DEEPEST:
        return f"the tree has {nodes} parts in {depth} levels: keep to what the sentence says"
    return None


def _size(tree: Any) -> tuple[int, int]:
    """Number of the parts of a tree, and of their levels."""
    is_tree = is_dataclass(tree)
    parts = [getattr(tree, field.name) for field in fields(tree)] if is_tree else tree
    sizes = [_size(part) for part in parts] if is_tree or isinstance(tree, tuple) else []
    return is_tree + sum(n for n, _ in sizes), is_tree + max((d for _, d in sizes), default=0)


def _options(hint: Any) -> tuple[Any, ...]:
    """The types of which a field takes one."""
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)
    return tuple(o for each in hint for o in _options(each)) if isinstance(hint, tuple) else (hint,)


@cache
def _hints(kind: type) -> dict[str, tuple[Any, ...]]:
    """Types of the fields of a tree."""
    hints = get_type_hints(kind)
    return {f.name: _options(hints[f.name]) for f in fields(kind) if f.name not in _UNSAID}


def _schema(options: tuple[Any, ...], kinds: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field; kinds of trees that occur in it are added to `kinds`."""
    found = []
    for option in options:
        name, arguments = getattr(option, "__name__", ""), get_args(option)
        if option in _PLAIN:
            found.append(dict(_PLAIN[option]))
        elif get_origin(option) is Literal:
            found.append({"type": "string", "enum": list(arguments)})
        elif get_origin(option) is tuple:
            items = _schema(_options(arguments[0]), kinds)
            found.append({"type": "array", "items": items, "maxItems": _MOST_PARTS})
        else:
            if name not in kinds:
                kinds[name] = {}  # it may be a part of itself
                of_fields = {key: _schema(each, kinds) for key, each in _hints(option).items()}
                kinds[name] = _object({"kind": {"type": "string", "enum": [name]}, **of_fields})
            found.append({"$ref": f"#/$defs/{name}"})
    return found[0] if len(found) == 1 else {"anyOf": found}


def _object(parts: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that names every field, as strict servers want it; replies may leave
    defaults out."""
    of_object = {"type": "object", "additionalProperties": False}
    return {**of_object, "properties": parts, "required": list(parts)}


def _value(value: Any, options: tuple[Any, ...]) -> Any:
    """A JSON value as the value of a field.

    Raises:
        ValueError: it is of no type that the field takes.
    """
    for option in options:
        arguments, origin = get_args(option), get_origin(option)
        if isinstance(option, type) and is_dataclass(option):
            if isinstance(value, dict) and value.get("kind") == option.__name__:
                return _tree(value, option)
        elif origin is tuple:
            if isinstance(value, list) and len(value) <= _MOST_PARTS:
                return tuple(_value(part, _options(arguments[0])) for part in value)
        elif origin is Literal:
            if value in arguments:
                return value
        elif option is time:
            if isinstance(value, str):
                return time.fromisoformat(value)
        elif type(value) is option or (type(value) is int and option is float):
            if option is str and not re.fullmatch(_WORD, value):
                raise ValueError(f"{json.dumps(value)[:80]} are no words")
            if option in (int, float) and not 0 <= value <= _LARGEST:
                raise ValueError(f"{value} is too large or too small")
            return value
    raise ValueError(f"{json.dumps(value)[:80]} is nothing that belongs there")


def _tree(value: Mapping[str, Any], kind: type) -> Any:
    hints = _hints(kind)
    parts = {key: _value(part, hints.get(key, ())) for key, part in value.items() if key != "kind"}
    try:
        return kind(**parts)
    except TypeError as missing:
        raise ValueError(f"{kind.__name__}: {missing}") from missing
