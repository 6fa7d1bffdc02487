"""`scenemind memory`: what memories there are, and what to do with them."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.memories import existing_memory_path
from scenemind.cli.options import AsJson, MemoryRoot
from scenemind.cli.output import print_json, print_table
from scenemind.config.home import default_root
from scenemind.memory import list_memories
from scenemind.memory.disk import stored_memories
from scenemind.memory.disk.store_schema import MIGRATABLE, VERSION
from scenemind.memory.disk.stored_memories import MemoryInfo

_app = typer.Typer(no_args_is_help=True, help="List, copy, migrate and delete memories.")
_Name = Annotated[str, typer.Argument(help="Name of the memory.")]
_BYTES_PER_MB = 1e6


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="memory")


@_app.command("list", epilog="Example: scenemind memory list --json")
def _list(memory_root: MemoryRoot = None, as_json: AsJson = False) -> None:
    """Show all memories."""
    root = memory_root or default_root()
    found = [stored_memories.describe(root / name) for name in list_memories(root)]
    if as_json:
        print_json({"root": str(root), "memories": [_as_json(info) for info in found]})
        return
    if not found:
        print(f"no memories in {root}: make one with `scenemind map SEQUENCE --memory NAME`")
        return
    table = Table(box=SIMPLE_HEAD)
    for heading in ("name", "MB", "frames", "objects", "images", "last used", "version", ""):
        is_text = heading in ("name", "last used", "")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=heading != "")
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
    print_table(table)


@_app.command("info", epilog="Example: scenemind memory info kitchen")
def _info(name: _Name, memory_root: MemoryRoot = None, as_json: AsJson = False) -> None:
    """Show what one memory holds."""
    info = stored_memories.describe(existing_memory_path(name, memory_root))
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
        print(f"{what:<12}{value}")


@_app.command("save-as", epilog="Example: scenemind memory save-as kitchen kitchen-monday")
def _save_as(
    name: _Name,
    copy: Annotated[str, typer.Argument(help="Name of the copy.")],
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Copy a memory that no node has open; images are shared with the copy, not doubled."""
    path = stored_memories.save_copy(existing_memory_path(name, memory_root), copy)
    _done({"name": name, "copy": copy, "path": str(path)}, f"saved as {path}", as_json)


@_app.command("migrate", epilog="Example: scenemind memory migrate kitchen")
def _migrate(name: _Name, memory_root: MemoryRoot = None, as_json: AsJson = False) -> None:
    """Rewrite a memory that an older SceneMind made, so that this one can open it."""
    before = stored_memories.migrate(existing_memory_path(name, memory_root))
    text = f"{name} was of version {before} and is of version {VERSION}"
    if before == VERSION:
        text = f"{name} is of version {VERSION} already"
    _done({"name": name, "from_version": before, "version": VERSION}, text, as_json)


@_app.command("delete", epilog="Example: scenemind memory delete kitchen --yes")
def _delete(
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Forget a memory for good."""
    path = existing_memory_path(name, memory_root)
    if not yes:
        typer.confirm(f"forget {path}?", abort=True, err=True)
    stored_memories.delete(path)
    _done({"name": name, "deleted": True}, f"deleted {path}", as_json)


def _done(result: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        print_json(result)
    else:
        print(text, file=sys.stdout)


def _time(info: MemoryInfo) -> str:
    return datetime.fromtimestamp(info.last_used_s).strftime("%Y-%m-%d %H:%M")


def _remark(info: MemoryInfo) -> str:
    if info.problem:
        return info.problem
    if info.open_in is not None:
        return f"open in process {info.open_in}"
    if info.version in MIGRATABLE:
        return f"old: run `scenemind memory migrate {info.name}`"
    return "" if info.version == str(VERSION) else "of a newer SceneMind"


def _as_json(info: MemoryInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "path": str(info.path),
        "version": info.version,
        "last_used_s": round(info.last_used_s, 3),
        "disk_bytes": info.disk_bytes,
        "images": info.image_count,
        **info.counts,
        "open_in": info.open_in,
        "problem": info.problem or None,
    }
