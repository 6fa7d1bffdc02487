"""Memories that an older SceneMind wrote, rewritten as this one stores them: a file a version."""

from scenemind.memory.disk.migration.upgrade import migrate

__all__ = ["migrate"]
