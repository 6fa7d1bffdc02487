"""Questions as JSON: a form for each kind of tree of `language/trees.py`, made from its fields.

    {"question": {"kind": "Count", "subject": {"kind": "NounPhrase", "noun": "chair"}}}

A form takes nothing else: unknown kinds, fields and values are refused, and so are texts that are
no words and trees that are too large.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ForwardRef, Literal, Union, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Discriminator, StringConstraints, create_model
from pydantic import Field as Limits

from scenemind.language import trees
from scenemind.language.trees import Question

KINDS: tuple[type, ...] = tuple(k for k in get_args(Question) if k is not trees.Joined)
"""Kinds of questions that have a form; of two in one sentence each is asked alone."""
_MOST_NODES, _DEEPEST = 24, 6
_MOST_PARTS, _LARGEST = 4, 1_000_000
_WORD = r"^[A-Za-z0-9' -]{0,40}$"
_UNSAID = frozenset(("unread",))  # what no question is made of


class QuestionForm(BaseModel):
    """The tree of a sentence; None: it asks nothing that a map can answer."""

    model_config = ConfigDict(extra="forbid")

    question: Any

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """The schema in the words that strict servers know, and choices that recur only once."""
        schema: dict[str, Any] = _plain(super().model_json_schema(*arguments, **options))
        found = Counter(_choices_in(schema))
        names = {text: f"Choice{n}" for n, (text, count) in enumerate(found.items()) if count > 1}
        schema = _with_names(schema, names)
        schema["$defs"] |= {name: json.loads(text) for text, name in names.items()}
        return schema

    def tree(self) -> Question | None:
        """The tree itself."""
        built: Question | None = _built(self.question)
        return built


def _plain(schema: Any) -> Any:
    """Without titles and discriminators; "oneOf" of tagged kinds is "anyOf"."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        "anyOf" if key == "oneOf" else key: _plain(part)
        for key, part in schema.items()
        if key != "discriminator" and not (key == "title" and isinstance(part, str))
    }


def _choices_in(schema: Any) -> Iterator[str]:
    parts = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and "anyOf" in schema:
        yield json.dumps(schema)
    if isinstance(schema, dict | list):
        for part in parts:
            yield from _choices_in(part)


def _with_names(schema: Any, names: Mapping[str, str]) -> Any:
    if isinstance(schema, list):
        return [_with_names(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if (name := names.get(json.dumps(schema))) is not None:
        return {"$ref": f"#/$defs/{name}"}
    return {key: _with_names(part, names) for key, part in schema.items()}


@cache
def question_form() -> type[QuestionForm]:
    """The form of all kinds of questions."""
    models: dict[str, type[BaseModel]] = {_name(kind): _form_of(kind) for kind in _BY_NAME.values()}
    asked: Any = (_tagged([_reference(kind) for kind in KINDS]) | None, ...)
    form: type[QuestionForm] = create_model("QuestionForm", __base__=QuestionForm, question=asked)
    whole: list[type[BaseModel]] = [*models.values(), form]
    for model in whole:
        model.model_rebuild(_types_namespace=models)
    return form


def complaint_about_size(form: QuestionForm) -> str | None:
    """Why a tree is too large; None where it is not."""
    nodes, depth = _size(form.question)
    if nodes > _MOST_NODES or depth > _DEEPEST:
        return f"the tree has {nodes} parts in {depth} levels: keep to what the sentence says"
    return None


def _size(value: Any) -> tuple[int, int]:
    if isinstance(value, BaseModel):
        parts = [_size(getattr(value, name)) for name in type(value).model_fields]
        return 1 + sum(n for n, _ in parts), 1 + max((d for _, d in parts), default=0)
    if isinstance(value, list):
        parts = [_size(part) for part in value]
        return sum(n for n, _ in parts), max((d for _, d in parts), default=0)
    return 0, 0


def _built(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_built, value))
    if not isinstance(value, BaseModel):
        return value
    parts = {name: _built(getattr(value, name)) for name in type(value).model_fields}
    kind = _BY_NAME[parts.pop("kind")]
    return kind(**parts)


def _reachable(kinds: tuple[type, ...]) -> list[type]:
    """These kinds of trees and all that are parts of them."""
    found: dict[type, None] = {}
    waiting: list[Any] = list(kinds)
    while waiting:
        hint = waiting.pop()
        if is_dataclass(hint) and isinstance(hint, type) and hint not in found:
            found[hint] = None
            waiting.extend(_hints(hint).values())
        waiting.extend(get_args(hint))
    return list(found)


def _hints(kind: type) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name not in _UNSAID}


def _form_of(kind: type) -> type[BaseModel]:
    hints = _hints(kind)
    parts: dict[str, Any] = {"kind": (Literal[kind.__name__], ...)}
    for each in fields(kind):
        if each.name in hints:
            parts[each.name] = (_form_hint(hints[each.name]), _default(each))
    config = ConfigDict(extra="forbid", json_schema_extra=_all_required)
    return create_model(_name(kind), __config__=config, **parts)


def _default(field: Field[Any]) -> Any:
    if field.default is MISSING:
        return ...
    return [] if field.default == () else field.default


def _form_hint(hint: Any) -> Any:
    """The type of a field of a form, from that of a tree."""
    if is_dataclass(hint) and isinstance(hint, type):
        return _reference(hint)
    options = get_args(hint)
    if getattr(hint, "__origin__", None) is tuple:
        return Annotated[list[_form_hint(options[0])], Limits(max_length=_MOST_PARTS)]  # type: ignore[misc]
    if hint is str:
        return Annotated[str, StringConstraints(pattern=_WORD)]
    if hint is int or hint is float:
        return Annotated[hint, Limits(ge=0, le=_LARGEST)]
    if not options or getattr(hint, "__origin__", None) is Literal:
        return hint
    of_trees = [_form_hint(option) for option in options if is_dataclass(option)]
    others = [_form_hint(option) for option in options if not is_dataclass(option)]
    if len(of_trees) > 1:
        of_trees = [_tagged(of_trees)]
    return Union[(*of_trees, *others)]


def _tagged(references: list[Any]) -> Any:
    """One of several kinds of trees, told apart by their names."""
    return Annotated[Union[tuple(references)], Discriminator("kind")]  # noqa: UP007


def _reference(kind: type) -> ForwardRef:
    return ForwardRef(_name(kind))


def _name(kind: type) -> str:
    return f"{kind.__name__}Form"


def _all_required(schema: dict[str, Any]) -> None:
    """Name every field, as servers with strict schemas want it; replies may leave defaults out."""
    schema["required"] = list(schema["properties"])
    for part in schema["properties"].values():
        part.pop("default", None)


_BY_NAME = {kind.__name__: kind for kind in _reachable(KINDS)}
