"""How learned methods are printed."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_text
from scenemind.cli.learning.batches import Learned
from scenemind.cli.output import print_table, printable
from scenemind.reasoning.learned_methods import MethodLibrary


def print_learned(learned: Learned, library: MethodLibrary) -> None:
    """What is new, and what was refused and why."""
    methods = library.methods()
    for name in learned.names:
        if name in methods:
            print(f"learned {printable(methods[name].signature.headline)}")
            print(f"    {printable(methods[name].signature.description)}")
    for name, why in learned.refused.items():
        print(f"refused {printable(name)}: {printable(why.strip())}")
    for trouble in learned.troubles:
        print(f"the design was of little use: {printable(trouble)}")
    print(
        f"{len(learned.names)} new methods from {learned.questions} of {learned.total} questions,"
        f" {len(methods)} in {library.path}; {usage_text(learned.usage)}"
    )


def print_library(library: MethodLibrary) -> None:
    """A line a method, the best first."""
    methods = sorted(library.methods().values(), key=lambda m: (-m.score, -m.uses))
    if not methods:
        print(f"no methods have been learned on a {library.api}: {library.path}")
        return
    table = Table("method", "does", box=SIMPLE_HEAD)
    for heading in ("version", "used", "worked"):
        table.add_column(heading, justify="right")
    for method in methods:
        words = (method.signature.headline, method.signature.description)
        counts = (method.version, method.uses, method.successes)
        table.add_row(*(escape(printable(word)) for word in words), *map(str, counts))
    print_table(table)


def library_json(library: MethodLibrary) -> dict[str, Any]:
    """For programs."""
    return {
        "api": library.api,
        "library": str(library.path),
        "methods": [
            {
                "name": method.name,
                "signature": method.signature.headline,
                "description": method.signature.description,
                "source": method.source,
                "calls": list(method.calls),
                "version": method.version,
                "uses": method.uses,
                "successes": method.successes,
            }
            for method in library.methods().values()
        ],
    }
