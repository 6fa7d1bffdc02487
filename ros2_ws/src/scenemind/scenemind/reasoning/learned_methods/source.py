"""What a learned method's source is made of; nothing is run here."""

from __future__ import annotations

import ast
from functools import cache

from scenemind.reasoning.learned_methods.signatures import Parameter, ParameterType, Signature
from scenemind.reasoning.sandbox.imports import find_forbidden_import
from scenemind.reasoning.vadar.vision_api import prelude

_CONSTANTS: dict[type, ParameterType] = {bool: "bool", int: "int", float: "float", str: "str"}
_OF_TRIALS = frozenset(("_results", "_arguments", "_error"))


@cache
def reserved_names() -> frozenset[str]:
    """Private names of the predefined functions, and Python's."""
    names = (n.id for n in ast.walk(ast.parse(prelude())) if isinstance(n, ast.Name))
    functions = (n.name for n in ast.walk(ast.parse(prelude())) if isinstance(n, ast.FunctionDef))
    private = {name for name in (*names, *functions) if name.startswith("_")}
    return frozenset(private) | _OF_TRIALS


def find_source_fault(source: str, signature: Signature) -> str | None:
    """Why a source is not the one function that was asked for, beside imports; None: it is. Nothing
    but definitions may stand in it, since it runs with every program."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"it does not parse: {error}"
    forbidden = find_forbidden_import(source)
    if forbidden is not None:
        return forbidden.text
    functions = [n for n in body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    if len(functions) != 1 or not isinstance(functions[0], ast.FunctionDef):
        return f"write the one function {signature.name}, and nothing beside it but imports"
    function = functions[0]
    wanted = [p.name for p in signature.parameters]
    if function.name != signature.name or _parameters(function) != wanted:
        return f"the function must be {signature.name}({', '.join(wanted)})"
    if function.decorator_list or function.args.defaults:
        return "the function must have no decorators and no default values"
    return None


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return []
    return [argument.arg for argument in arguments.args]


def private_calls(source: str) -> dict[str, ast.Call]:
    """Name -> a call of it, of all functions with an underscore that a source calls and does not
    define itself, in the order of their names; empty where it does not parse."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    calls = {
        node.func.id: node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return {name: calls[name] for name in sorted(calls) if name.startswith("_") and name not in own}


def signature_of_call(name: str, call: ast.Call) -> Signature:
    """What a method that was only called seems to be like."""
    parameters: list[Parameter] = []
    for number, argument in enumerate((*call.args, *(k.value for k in call.keywords)), start=1):
        guess = argument.id if isinstance(argument, ast.Name) else f"value{number}"
        known = {parameter.name for parameter in parameters}
        spelled = f"{guess}{number}" if guess in known else guess
        parameters.append(Parameter(name=spelled, type=_type_of(argument)))
    return Signature(
        name=name,
        parameters=tuple(parameters),
        returns="Any",
        description=f"What its name says, called as {ast.unparse(call)}",
    )


def _type_of(argument: ast.expr) -> ParameterType:
    """By the names that the predefined functions use."""
    if isinstance(argument, ast.Constant):
        return _CONSTANTS.get(type(argument.value), "str")
    name = argument.id.lower() if isinstance(argument, ast.Name) else ""
    if name == "image":
        return "Image"
    if "boxes" in name:
        return "list[Box]"
    return "Box" if "box" in name else "str"
