"""The language of ZSVG3D's programs: assignments of operators with named arguments.

    BOX0=LOC(object='chair')
    BOX1=LOC(object='desk')
    TARGET=CLOSEST(targets=BOX0, anchors=[BOX1])

A language model wrote them, so that operators are made up and lines are broken; those are told
apart here, and run by nobody: a program is data.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

_TARGETS = ("targets", "data", "values", "target")
_ANCHORS = ("anchors", "anchors2", "anchor")


@dataclass(frozen=True, slots=True)
class Reference:
    """What an earlier line was named."""

    name: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words for a thing."""

    text: str


Argument = Reference | Phrase


@dataclass(frozen=True, slots=True)
class Statement:
    """One line.

    Attributes:
        operator: such as CLOSEST; empty for a plain copy (`TARGET=BOX1`).
        targets: what is chosen from. anchors: what that is related to.
    """

    name: str
    operator: str
    targets: tuple[Argument, ...]
    anchors: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """
    Attributes:
        unread: lines that are none of the language.
    """

    statements: tuple[Statement, ...]
    unread: tuple[str, ...]


def parse_program(text: str) -> Program:
    """Line by line."""
    statements: list[Statement] = []
    unread: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        statement = _find_statement(line)
        if statement is None:
            unread.append(line)
        else:
            statements.append(statement)
    return Program(tuple(statements), tuple(unread))


def _find_statement(line: str) -> Statement | None:
    try:
        body = ast.parse(line).body
    except (SyntaxError, ValueError):
        return None
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other))]:
            return Statement(name, "", (Reference(other),))
        case [
            ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id=operator), keywords=keywords),
            )
        ]:
            return _called(name, operator, keywords)
    return None


def _called(name: str, operator: str, keywords: list[ast.keyword]) -> Statement:
    given = {keyword.arg: _arguments(keyword.value) for keyword in keywords}
    if operator == "LOC":
        return Statement(name, operator, given.get("object", ()))
    targets = tuple(argument for key in _TARGETS for argument in given.get(key, ()))
    anchors = tuple(argument for key in _ANCHORS for argument in given.get(key, ()))
    return Statement(name, operator, targets, anchors)


def _arguments(value: ast.expr) -> tuple[Argument, ...]:
    match value:
        case ast.Name(id=name):
            return (Reference(name),)
        case ast.Constant(value=str(text)):
            return (Phrase(text),)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return tuple(argument for element in elements for argument in _arguments(element))
        case ast.Call(keywords=keywords):  # MAX(data=CALC_SIZE(targets=BOX0)) is about BOX0
            named = [k.value for k in keywords if k.arg in ("object", *_TARGETS)]
            return tuple(argument for value in named for argument in _arguments(value))
    return ()
