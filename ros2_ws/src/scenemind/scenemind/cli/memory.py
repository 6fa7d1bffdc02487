"""`scenemind memory`: list, copy, merge, check, repair and delete memories."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.markup import escape

from scenemind.cli.options import AsJson, MemoryName, MemoryRoot, memory_path, stored_path
from scenemind.composition import is_memory
from scenemind.config.scenemind_config import default_root
from scenemind.errors import SceneMemoryError
from scenemind.memory import list_memories
from scenemind.memory.disk import examination, folder
from scenemind.memory.disk.folder import MemoryInfo
from scenemind.memory.disk.schema import VERSION
from scenemind.memory.disk.sound_rows import Damage
from scenemind.memory.disk.store import COUNTED
from scenemind.report.terminal import make_table, print_json, print_table
from scenemind.untrusted import say

_app = typer.Typer(
    no_args_is_help=True, help="List, copy, merge, check, repair and delete memories."
)
_BYTES_PER_MB = 1e6


@_app.command("list", epilog="Example: scenemind memory list --json")
def _list(memory_root: MemoryRoot = None, as_json: AsJson = False) -> None:
    """List all memories."""
    root = memory_root or default_root()
    found = [folder.describe(root / name) for name in list_memories(root)]
    if as_json:
        print_json({"root": str(root), "memories": [_as_json(info) for info in found]})
        return
    if not found:
        say(f"no memories in {root}: make one with `scenemind map RECORDING --memory NAME`")
        return
    headings = ("name", "MB", "frames", "objects", "images", "last used", "version", "")
    table = make_table(*headings, whole=("name",), right="MB,frames,objects,images,version")
    for info in found:
        table.add_row(
            escape(info.name),
            f"{info.disk_bytes / _BYTES_PER_MB:.1f}",
            str(info.counts.get("frames", "-")),
            str(info.counts.get("objects", "-")),
            str(info.image_count),
            _time(info),
            info.version or "-",
            escape(_remark(info)),
        )
    print_table(table, spare=("version", "images", "frames"))


@_app.command("info", epilog="Example: scenemind memory info --memory kitchen")
def _info(
    memory: MemoryName = "current", memory_root: MemoryRoot = None, as_json: AsJson = False
) -> None:
    """Show the size and content of a memory."""
    info = folder.describe(stored_path(memory, memory_root))
    if as_json:
        print_json(_as_json(info))
        return
    rows = {
        "name": info.name,
        "folder": str(info.path),
        "version": info.version or "-",
        "last used": _time(info),
        "on disk": f"{info.disk_bytes / _BYTES_PER_MB:.1f} MB",
        "images": str(info.image_count),
        **{what: str(count) for what, count in info.counts.items()},
    }
    if _remark(info):
        rows["remark"] = _remark(info)
    for what, value in rows.items():
        say(f"{what:<12}{value}")


@_app.command("save-as", epilog="Example: scenemind memory save-as kitchen-monday --memory kitchen")
def _save_as(
    copy: Annotated[str, typer.Argument(help="Name of the copy.")],
    memory: MemoryName = "current",
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Copy a memory that no process has open; both share the image files."""
    path = folder.save_copy(stored_path(memory, memory_root), copy)
    _done({"name": memory, "copy": copy, "path": str(path)}, f"saved as {path}", as_json)


@_app.command("merge", epilog="Example: scenemind memory merge kitchen kitchen-of-robot-2")
def _merge(
    memory: Annotated[str, typer.Argument(help="Receives the other one; its ids stay.")],
    other: Annotated[str, typer.Argument(help="A memory of the same place, with any origin.")],
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Add a memory to another one of the same place, if it is sure where it lies there."""
    import scenemind as sm

    paths = stored_path(memory, memory_root), stored_path(other, memory_root)
    with sm.open(paths[0]) as scene, sm.open(paths[1], read_only=True) as added:
        done = scene.merge(added)
        count = len(scene.objects)
    said = (
        f"{other} is part of {memory}: {done.frames} frames, {len(done.same)} of its"
        f" {len(done.object_ids)} objects were known; {count} objects now"
    )
    result = {
        "name": memory,
        "merged": other,
        "frames": done.frames,
        "object_ids": {str(theirs): ours for theirs, ours in done.object_ids.items()},
        "known": sorted(done.same),
        "objects": count,
    }
    _done(result, said, as_json)


@_app.command("check", epilog="Example: scenemind memory check --memory kitchen")
def _check(
    memory: MemoryName = "current", memory_root: MemoryRoot = None, as_json: AsJson = False
) -> None:
    """Say what is damaged in a memory: rows and files. Nothing is changed."""
    path = stored_path(memory, memory_root)
    damage = examination.check(path)
    _done(
        {"name": memory, "damage": [asdict(one) for one in damage]},
        _lines(damage) or f"{path} is whole",
        as_json,
    )
    if damage:
        raise typer.Exit(1)


@_app.command("repair", epilog="Example: scenemind memory repair --memory kitchen")
def _repair(
    memory: MemoryName = "current", memory_root: MemoryRoot = None, as_json: AsJson = False
) -> None:
    """Keep what is whole of a damaged memory, and a copy of the original beside it."""
    path = stored_path(memory, memory_root)
    done = examination.repair(path)
    original = None if done.original is None else str(done.original)
    said = f"{path} is whole: nothing was changed"
    if done.damage:
        said = f"left out:\n{_lines(done.damage)}\n{path} is whole now; the original is {original}"
    left_out = [asdict(one) for one in done.damage]
    _done({"name": memory, "left_out": left_out, "original": original}, said, as_json)


def _lines(damage: Sequence[Damage]) -> str:
    return "\n".join(map(str, damage))


@_app.command("delete", epilog="Example: scenemind memory delete --memory kitchen --yes")
def _delete(
    memory: MemoryName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Delete a memory."""
    path = memory_path(memory, memory_root)
    if not is_memory(path):
        others = ", ".join(list_memories(path.parent)) or "none"
        raise SceneMemoryError(f"there is no memory {path.name} in {path.parent}; there: {others}")
    if not yes:
        typer.confirm(f"delete {path}?", abort=True, err=True)
    folder.delete(path)
    _done({"name": memory, "deleted": True}, f"deleted {path}", as_json)


def _done(result: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        print_json(result)
    else:
        say(text, file=sys.stdout)


def _time(info: MemoryInfo) -> str:
    return datetime.fromtimestamp(info.last_used_s).strftime("%Y-%m-%d %H:%M")


def _remark(info: MemoryInfo) -> str:
    if info.problem:
        return info.problem
    if info.open_in is not None:
        return f"open in process {info.open_in}"
    return "" if info.version == str(VERSION) else "of another version of SceneMind"


def _as_json(info: MemoryInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "path": str(info.path),
        "version": info.version,
        "last_used_s": round(info.last_used_s, 3),
        "disk_bytes": info.disk_bytes,
        "images": info.image_count,
        **{what: info.counts.get(what) for what in COUNTED},
        "open_in": info.open_in,
        "problem": info.problem or None,
    }


app = typer.Typer()
app.add_typer(_app, name="memory")
