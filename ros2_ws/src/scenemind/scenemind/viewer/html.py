"""Words as HTML. Whatever was perceived or said goes through `shown`: viser shows HTML as it is."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from scenemind.words.quoting import tame

_LONGEST = 2000


def shown(text: str) -> str:
    """Text as itself: no tag, no entity, nothing that orders a browser about."""
    return escape(tame(text, _LONGEST), quote=True)


def lines(parts: Iterable[str]) -> str:
    """HTML below HTML."""
    return "".join(f"<div>{part}</div>" for part in parts)


def small(html: str) -> str:
    return f'<div style="font-size:0.8em;color:#666;padding:0.2em 0.6em">{html}</div>'


def panel(html: str) -> str:
    """With a margin, and no wider than its place."""
    return f'<div style="padding:0.3em 0.9em;overflow-wrap:anywhere">{html}</div>'
