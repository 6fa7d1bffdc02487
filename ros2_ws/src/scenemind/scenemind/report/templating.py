"""Jinja2 with everything escaped: labels and questions come from cameras and people."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["Markup", "render", "render_of"]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(template: str, **values: object) -> Markup:
    """A template of this package with these values; � for characters that XML does not know."""
    return render_of("scenemind.report", template, **values)


def render_of(package: str, template: str, /, **values: object) -> Markup:
    """The same of another package, whose templates may include those of this one."""
    text = _environment(package).get_template(template).render(**values)
    return Markup(_NOT_IN_XML.sub("\ufffd", text))


@cache
def _environment(package: str) -> Environment:
    packages = dict.fromkeys((package, "scenemind.report"))
    return Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
