"""Static checks and transformations of the source of learned methods; nothing is run here."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache, lru_cache

from scenemind.reasoning.learned_methods.method_api import MethodApi, Parameter, Signature
from scenemind.reasoning.sandbox.program import find_forbidden_import, find_tree

# Names in test programs and in `enclosed`.
_OURS = frozenset(("_results", "_learned"))
_CONSTANTS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str"}
_PRIVATE_CALL = re.compile(r"\b_\w*\s*\(")
_Import = (ast.Import, ast.ImportFrom)
# Functions that change the state of others, or hide what a source does.
_FORBIDDEN = frozenset(("setattr", "delattr", "eval", "exec"))
# All methods stand before each program: one that is too large or too deep for the interpreter would
# break every program.
_MOST_CHARACTERS, _MOST_LEVELS = 4000, 100


@cache
def reserved_names(api: MethodApi) -> frozenset[str]:
    """Private names of an API, which methods must neither define nor use."""
    return frozenset(n for n in _names(api) if n.startswith("_")) | _OURS


@cache
def _names(api: MethodApi) -> frozenset[str]:
    nodes = list(ast.walk(ast.parse(api.prelude)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {n.name for n in nodes if isinstance(n, ast.FunctionDef)})


def find_source_fault(source: str, signature: Signature, api: MethodApi) -> str | None:
    """The first mistake in the source of a method; None where there is none.

    It runs with every program, so it must override no names that others use, and call no private
    functions of the API.
    """
    fault = find_form_fault(source, signature)
    return _find_reach(ast.parse(source), api) if fault is None else fault


def find_form_fault(source: str, signature: Signature) -> str | None:
    """The first mistake that can be told without the API; None where there is none.

    A source has the one function that was asked for, after its imports, and no other statements.
    """
    if len(source) > _MOST_CHARACTERS:
        return f"it has {len(source)} characters, {_MOST_CHARACTERS} are the most"
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"it does not parse: {error}"
    if _is_deep(tree):
        return "it is nested too deeply, or has too long a chain of operators, calls or branches"
    try:
        ast.unparse(tree)  # as it will be enclosed
    except ValueError as error:
        return f"write it in a simpler way: {error}"
    forbidden = find_forbidden_import(source)
    if forbidden is not None:
        return forbidden.text
    function = tree.body[-1] if tree.body else None
    before = tree.body[:-1]
    if not isinstance(function, ast.FunctionDef) or not all(isinstance(n, _Import) for n in before):
        return f"write the one function {signature.name}, and nothing beside it but imports before"
    return _find_other_function(function, signature)


def _is_deep(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(_MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


def _find_other_function(function: ast.FunctionDef, signature: Signature) -> str | None:
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


def _find_reach(tree: ast.Module, api: MethodApi) -> str | None:
    """The first use of names beyond the function's own; None where there is none."""
    for name in _imported_names(tree):
        if name == "*":
            return "import what you need by its name, not *"
        if name.startswith("_") or name in _names(api) or hasattr(builtins, name):
            return f"an import must not be called {name}, which others use"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            return f"global {', '.join(node.names)}: a method changes nothing but its own variables"
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return f"{ast.unparse(node)}: a method does not change what it is given"
    hidden = sorted(_used_names(tree) & (reserved_names(api) | _FORBIDDEN))
    return f"{hidden[0]} is not among the functions that can be used" if hidden else None


def _imported_names(tree: ast.Module) -> Iterator[str]:
    """Names that imports outside the function define."""
    for node in tree.body:
        if isinstance(node, _Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _used_names(tree: ast.Module) -> set[str]:
    """Names that a source uses and does not define."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return {node.id for node in names} - own


def private_calls(source: str) -> dict[str, ast.Call]:
    """Functions with a leading underscore that a source calls and does not define, each with one
    call, by name; empty where it does not parse."""
    if not _PRIVATE_CALL.search(source):  # as most programs; many times faster
        return {}
    tree = find_tree(source)
    if tree is None:
        return {}
    calls = {
        node.func.id: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    others = _used_names(tree)
    return {name: calls[name] for name in sorted(calls) if name.startswith("_") and name in others}


def signature_of_call(name: str, call: ast.Call, api: MethodApi) -> Signature:
    """A signature for a method that is called without one, guessed from the call."""
    parameters: list[Parameter] = []
    for number, argument in enumerate((*call.args, *(k.value for k in call.keywords)), start=1):
        guess = argument.id if isinstance(argument, ast.Name) else f"value{number}"
        known = {parameter.name for parameter in parameters}
        spelled = f"{guess}{number}" if guess in known else guess
        parameters.append(Parameter(name=spelled, type=_type_of(argument, api)))
    return Signature(
        name=name,
        parameters=tuple(parameters),
        returns="Any",
        description=f"What its name says, called as {ast.unparse(call)}",
    )


def _type_of(argument: ast.expr, api: MethodApi) -> str:
    """The type of an argument, guessed from its name."""
    if isinstance(argument, ast.Constant):
        return _CONSTANTS.get(type(argument.value), "str")
    named = argument.func if isinstance(argument, ast.Call) else argument
    return api.guess_type(named.id.lower() if isinstance(named, ast.Name) else "")


@lru_cache(maxsize=8)
def enclosed(source: str, api: MethodApi) -> str:
    """The functions of a source, defined within another function. There they find the API's
    functions even where a program reuses their names, as in `depth = depth(image, box)`, and each
    finds its own imports.

    Args:
        source: function definitions, each after its imports.
    """
    functions = _with_their_imports(ast.parse(source))
    names = [function.name for function in functions]
    if not names:
        return ""
    known = ", ".join(f"{name}={name}" for name in public_names(api))
    given = f"{', '.join(names)},"
    module = ast.parse(f"def _learned({known}):\n    return ({given})\n({given}) = _learned()")
    outer = module.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [*functions, *outer.body]
    return ast.unparse(module)


def _with_their_imports(module: ast.Module) -> list[ast.FunctionDef]:
    functions: list[ast.FunctionDef] = []
    imports: list[ast.stmt] = []
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            node.body = [*imports, *node.body]
            functions.append(node)
            imports = []
        else:
            imports.append(node)
    return functions


@cache
def public_names(api: MethodApi) -> tuple[str, ...]:
    """Public names that an API's prelude defines."""
    body = ast.parse(api.prelude).body
    names = [n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    targets = [target for n in body if isinstance(n, ast.Assign) for target in n.targets]
    names += [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))
