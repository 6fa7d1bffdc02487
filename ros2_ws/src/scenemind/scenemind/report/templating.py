"""Jinja2 with everything escaped: labels and questions come from cameras and people."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["Markup", "render"]


def render(template: str, **values: object) -> Markup:
    """A template of this package with these values."""
    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("scenemind.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
