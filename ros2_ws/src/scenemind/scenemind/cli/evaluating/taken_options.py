"""Options that make no difference to what is asked are refused, before somebody relies on them."""

from __future__ import annotations

import typer

from scenemind.cli.errors import CommandError

_ALWAYS = frozenset(
    {"name", "method", "limit", "seed", "timeout", "out", "config", "model", "endpoint"}
    | {"record", "replay", "as_json"}
)
_OF_ALIGNMENT = frozenset({"clicks", "wording"})
_OF_ROOMS = frozenset({"rooms", "mapped"})
_OF_LIVE = frozenset({"live", "scene"})
_TAKEN = {
    "alignment": _ALWAYS | _OF_ALIGNMENT | {"objects"},
    "--live": _ALWAYS | _OF_LIVE | {"data", "objects", "policy", "detector"},
}


def refuse_untaken(context: typer.Context, name: str, is_live: bool) -> None:
    """
    Args:
        name: of the benchmark.

    Raises:
        CommandError: something was typed that this benchmark, or `--live`, does not take.
    """
    taker = "--live" if is_live and name != "alignment" else name
    untaken = [
        max(option.opts, key=len)
        for option in context.command.params
        if option.name and was_typed(context, option.name) and not _is_taken(option.name, taker)
    ]
    if untaken:
        raise CommandError(f"{taker} takes no {', '.join(untaken)}: leave it out")


def was_typed(context: typer.Context, option: str) -> bool:
    """Whether the option of this name was given, and is not at its default."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _is_taken(option: str, taker: str) -> bool:
    if taker in _TAKEN:
        return option in _TAKEN[taker]
    of_others = _OF_ALIGNMENT | _OF_LIVE
    if taker == "simulation":
        return option not in of_others | {"data", "objects"}
    return option not in of_others | _OF_ROOMS
