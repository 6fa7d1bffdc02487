"""Which modules a program may import, found out before it runs."""

from __future__ import annotations

import ast

from scenemind.reasoning.sandbox.errors import ProgramError
from scenemind.reasoning.sandbox.parsing import find_tree

ALLOWED = (
    "collections", "copy", "dataclasses", "functools", "itertools", "json", "math", "re", "typing",
)  # fmt: skip


def find_forbidden_import(program: str) -> ProgramError | None:
    """The first import that is not allowed. A program that does not parse has none: the sandbox
    says better what is wrong with it.

    It teaches who wrote the program; what keeps the program in is that the sandbox's modules reach
    nothing.
    """
    if "import" not in program:  # as most programs; many times faster
        return None
    tree = find_tree(program)
    if tree is None:
        return None
    for node in ast.walk(tree):
        for module in _imported(node):
            if module.partition(".")[0] not in ALLOWED:
                return ProgramError(
                    "import",
                    f"line {node.lineno}: {module} cannot be imported; the modules that can are"  # type: ignore[attr-defined]
                    f" {', '.join(ALLOWED)}",
                )
    return None


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []
