"""Learned methods, kept apart from the variables of the program that calls them."""

from __future__ import annotations

import ast
from functools import cache, lru_cache

from scenemind.reasoning.learned_methods.method_api import MethodApi


@lru_cache(maxsize=8)
def enclosed(source: str, api: MethodApi) -> str:
    """The functions of a source within one of their own, so that they find those of their API even
    where a program gives their names to something else, as in `depth = depth(image, box)`; each
    with its own imports, so that it finds these even where another one imports something else under
    the same name.

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
    """What an API's prelude defines for programs."""
    body = ast.parse(api.prelude).body
    names = [n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    targets = [target for n in body if isinstance(n, ast.Assign) for target in n.targets]
    names += [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))
