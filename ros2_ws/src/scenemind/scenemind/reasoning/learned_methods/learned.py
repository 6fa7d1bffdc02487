"""Methods that models have written, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scenemind.reasoning.learned_methods.signatures import Signature

_TOLD = "There are these functions as well, made of the ones above:\n\n```python\n{}\n```\n"


@dataclass(frozen=True, slots=True)
class LearnedMethod:
    """One that was tried.

    Attributes:
        source: the function, and imports.
        calls: names of learned methods that it calls.
        behaviour: of its trial.
        version: grows each time it is written anew.
        uses, successes: programs that called it, and those of them that came to a result.
    """

    signature: Signature
    source: str
    calls: tuple[str, ...]
    behaviour: str
    version: int = 1
    uses: int = 0
    successes: int = 0

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def score(self) -> float:
        """Share of successes, of which an unused method has a half (Laplace's rule)."""
        return (self.successes + 1) / (self.uses + 2)


def with_all_calls(names: Iterable[str], methods: Mapping[str, LearnedMethod]) -> list[str]:
    """Names of methods and of all that they call, what is called first; each once.

    Args:
        methods: of which none calls itself through others.
    """
    ordered: dict[str, None] = {}

    def add(name: str) -> None:
        if name in methods and name not in ordered:
            for called in methods[name].calls:
                add(called)
            ordered[name] = None

    for name in names:
        add(name)
    return list(ordered)


def source_of(names: Iterable[str], methods: Mapping[str, LearnedMethod]) -> str:
    """Of methods with all that they call, as a sandbox can run it."""
    return "\n\n".join(methods[name].source for name in with_all_calls(names, methods))


def declarations(methods: Iterable[LearnedMethod]) -> str:
    """For a model that may call them."""
    return "\n\n".join(method.signature.declaration for method in methods)


def told_of(declared: str) -> str:
    """Declarations as a question's prompt tells of them; empty where there are none."""
    return _TOLD.format(declared) if declared else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a question's programs may call beside the API's own functions.

    Attributes:
        declarations: for the model; empty: there is nothing.
        source: of the methods, and of all that they call.
    """

    declarations: str = ""
    source: str = ""


def offer_of(methods: Mapping[str, LearnedMethod], most: int) -> Offer:
    """The best methods, best first."""
    by_score = sorted(methods.values(), key=lambda m: (-m.score, -m.uses))
    best = by_score[:most]
    return Offer(declarations(best), source_of([method.name for method in best], methods))
