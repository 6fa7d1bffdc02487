"""What is wrong with a document, in a sentence."""

from __future__ import annotations

from pydantic import ValidationError

_SHOWN = 3


def faults(error: ValidationError) -> str:
    """The first few faults, each with its place in the document."""
    found = error.errors(include_url=False, include_input=False)
    shown = [f"{'.'.join(map(str, one['loc'])) or 'text'}: {one['msg']}" for one in found[:_SHOWN]]
    more = len(found) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
