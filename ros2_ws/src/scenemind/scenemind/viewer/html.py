"""Words as HTML. Whatever was perceived or said goes through `shown`: viser shows HTML as it is.

Buttons, labels, fields and notifications show text as it is: these get `plain`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from scenemind.words.quoting import tame

_LONGEST = 2000
_LONGEST_NAME = 24  # capital Ws of a button still fit into the panel


def shown(text: str) -> str:
    """Text as itself: no tag, no entity, nothing that orders a browser about."""
    return escape(tame(text, _LONGEST), quote=True)


def plain(text: str, limit: int = _LONGEST_NAME) -> str:
    """Text for what shows no HTML, in one line and without marks that turn its direction."""
    return tame(text, limit)


def lines(parts: Iterable[str]) -> str:
    """HTML below HTML."""
    return "".join(f"<div>{part}</div>" for part in parts)


def small(html: str) -> str:
    style = "font-size:0.8em;opacity:0.75;padding:0.2em 0.9em;overflow-wrap:anywhere"
    return f'<div style="{style}">{html}</div>'


def panel(html: str) -> str:
    """With a margin, and no wider than its place."""
    return f'<div style="padding:0.3em 0.9em;overflow-wrap:anywhere">{html}</div>'


def newest_last(parts: Sequence[str], height: str) -> str:
    """HTML below HTML in a window that stays at its end."""
    turned = "".join(f"<div>{part}</div>" for part in reversed(parts))
    return (
        f'<div style="display:flex;flex-direction:column-reverse;max-height:{height};'
        f'overflow-y:auto;padding:0.2em 0">{turned}</div>'
    )


def bubble(html: str, is_person: bool) -> str:
    """What somebody said."""
    place = "margin:0.3em 0.6em 0.3em 3em" if is_person else "margin:0.3em 3em 0.1em 0.6em"
    color = "rgba(34,139,230,0.16)" if is_person else "rgba(128,128,128,0.14)"
    return (
        f'<div style="{place};padding:0.35em 0.7em;border-radius:0.7em;background:{color};'
        f'overflow-wrap:anywhere">{html}</div>'
    )


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Two columns of HTML."""
    cell = "padding:0.05em 0.6em 0.05em 0;vertical-align:top"
    made = "".join(
        f'<tr><td style="{cell};opacity:0.65;white-space:nowrap">{name}</td>'
        f'<td style="{cell}">{value}</td></tr>'
        for name, value in rows
    )
    return f'<table style="font-size:0.85em;border-spacing:0">{made}</table>'


def swatch(rgb: Iterable[int]) -> str:
    """A dot in a colour."""
    color = ",".join(str(int(value)) for value in rgb)
    return (
        '<span style="display:inline-block;width:0.75em;height:0.75em;border-radius:50%;'
        f'background:rgb({color});margin-right:0.35em"></span>'
    )


def strip(pictures: Sequence[tuple[bytes, str]]) -> str:
    """Pictures beside each other.

    Args:
        pictures: of each the JPEG file and HTML for below it.
    """
    width = 100.0 / max(2, len(pictures))
    cells = "".join(
        f'<figure style="margin:0;width:{width:.0f}%">'
        '<img style="width:100%;border-radius:0.3em;display:block" '
        f'src="data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"/>'
        f'<figcaption style="font-size:0.75em;opacity:0.75">{caption}</figcaption></figure>'
        for jpeg, caption in pictures
    )
    return f'<div style="display:flex;gap:0.4em;padding:0.3em 0.9em">{cells}</div>'
