"""Where changes come from."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from scenemind.cli.changes.comparison import COMPARISON, Comparison, compared_spans
from scenemind.cli.errors import CommandError
from scenemind.cli.live import fetch_live
from scenemind.cli.memories import read_memory
from scenemind.cli.output import progress_console
from scenemind.config import SceneMindConfig
from scenemind.memory import ReadOnlyMemory
from scenemind.memory.history import SceneChanges, compare_maps

# Fewer of the smaller map's objects than this share at one place: they are hardly of one room.
_FEW_IN_PLACE = 0.2


def of_memory(
    name: str,
    root: Path | None,
    between: tuple[str, str] | None,
    since: str | None,
    pause_s: float,
) -> Comparison:
    """Within a stored memory; see `compared_spans`.

    Raises:
        CommandError: there is no such memory, or no such moments.
        SceneMemoryError: it is damaged or in use, or the moments are in the wrong order.
    """
    with read_memory(name, root, SceneMindConfig()) as memory:
        visits = memory.history.visits(pause_s)
        before, after = compared_spans(visits, between, since)
        found = memory.history.changes(before, after)
        return Comparison(visits, before, after, found, _unseen(memory, found))


def of_nodes(between: tuple[str, str] | None, since: str | None) -> Comparison:
    """Within the memory that running nodes have open."""
    reply = fetch_live("changes", between=between, since=since)
    return COMPARISON.validate_python(reply["comparison"])


def of_two(earlier: str, later: str, root: Path | None) -> tuple[SceneChanges, dict[int, str]]:
    """From one stored memory to another of the same place, with labels of what nobody looked for.

    Raises:
        CommandError: there is no such memory, or both are one.
        SceneMemoryError: one is damaged or in use.
    """
    if earlier == later:
        raise CommandError(f"{earlier} compared with itself is the same: name another memory")
    with ExitStack() as opened:
        old, new = (
            opened.enter_context(read_memory(name, root, SceneMindConfig()))
            for name in (earlier, later)
        )
        found = _compare(old, new)
        return found, _unseen(old, found)


def _compare(old: ReadOnlyMemory, new: ReadOnlyMemory) -> SceneChanges:
    before, after = old.snapshot(), new.snapshot()
    found = compare_maps(before, after, old.history.views(), new.history.views())
    most = min(len(before.objects), len(after.objects))
    if found.unchanged < _FEW_IN_PLACE * most:
        progress_console().print(
            f"only {found.unchanged} of {most} objects stand where they stood: are both memories of"
            " one place, and in one map frame?"
        )
    return found


def _unseen(memory: ReadOnlyMemory, found: SceneChanges) -> dict[int, str]:
    scene = memory.snapshot()
    return {i: {**scene.gone, **scene.objects}[i].label for i in found.unseen}
