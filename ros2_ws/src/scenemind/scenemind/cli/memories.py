"""Where memories live, and opening one by name."""

from __future__ import annotations

import shutil
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig
from scenemind.config.home import default_root
from scenemind.memory import Memory, ReadOnlyMemory, list_memories
from scenemind.memory.disk.folder import DATABASE, checked_name


def memory_path(name: str, root: Path | None) -> Path:
    """The folder of a memory, which need not exist.

    Raises:
        SceneMemoryError: the name could be a path.
    """
    return (root or default_root()) / checked_name(name)


def existing_memory_path(name: str, root: Path | None) -> Path:
    """The folder of a memory that is there.

    Raises:
        CommandError: there is none of that name.
        SceneMemoryError: the name could be a path.
    """
    path = memory_path(name, root)
    if not (path / DATABASE).is_file():
        known = ", ".join(list_memories(path.parent)) or "none yet"
        raise CommandError(
            f"there is no memory {name} in {path.parent} (there: {known}): make one with"
            f" `scenemind map SEQUENCE --memory {name}`"
        )
    return path


def open_memory(name: str, root: Path | None, config: SceneMindConfig) -> Memory:
    """A memory that is there.

    Raises:
        CommandError: there is none of that name.
        SceneMemoryError: it is damaged or in use.
    """
    return Memory.open(existing_memory_path(name, root), config)


def read_memory(name: str, root: Path | None, config: SceneMindConfig) -> ReadOnlyMemory:
    """A memory that is there, for a command that changes nothing: several may read it at once.

    Raises:
        CommandError: there is none of that name.
        SceneMemoryError: it is damaged, or somebody writes to it.
    """
    return ReadOnlyMemory.open(existing_memory_path(name, root), config)


def new_memory(
    name: str, root: Path | None, config: SceneMindConfig, *, extend: bool, replace: bool
) -> Memory:
    """A memory to map into.

    Args:
        extend: go on with one that is there. replace: forget it.

    Raises:
        CommandError: there is one, and neither was said.
    """
    path = memory_path(name, root)
    if not (path / DATABASE).is_file():
        return Memory.create(path, config)
    if extend:
        return Memory.open(path, config)
    if not replace:
        raise CommandError(
            f"there is a memory {name} in {path.parent} already: choose another --memory, or say"
            " --replace to forget it, or --extend to go on with it"
        )
    # Opening it first makes sure that no node has it in use.
    Memory.open(path, config).close()
    shutil.rmtree(path)
    return Memory.create(path, config)
