"""Prompts live as text files beside the method that sends them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def read_prompt(package: str, name: str) -> str:
    """The text of `prompts/<name>.txt` in a package, without blank lines at its end."""
    path = files(package).joinpath("prompts", f"{name}.txt")
    return path.read_text(encoding="utf-8").rstrip()


def fill_prompt(package: str, name: str, **values: str) -> str:
    """The same with a value for each $name in it. What looks like one in a value stays as it is."""
    return Template(read_prompt(package, name)).substitute(values)
