"""The form in which the model answers, and what of it becomes attributes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

# What the camera measures; a model's word counts where the measured one is missing.
MEASURED = ("color", "shape")
_LONGEST = 60
_LONGEST_CAPTION = 200
_NOTHING = frozenset(
    ("", "-", "unknown", "none", "n/a", "na", "null", "unclear", "not visible", "cannot tell")
)


class ViewNotes(BaseModel):
    """One picture by itself. The model writes these first, so that it can compare."""

    model_config = ConfigDict(extra="forbid")

    material: str
    texture: str
    color: str
    shape: str
    state: str
    affordance: str


class Summary(ViewNotes):
    """All pictures together, mistakes put right."""

    caption: str


class DescriptionForm(BaseModel):
    """SynergAI (appendix B): the attributes that each view shows, then one coherent summary."""

    model_config = ConfigDict(extra="forbid")

    views: list[ViewNotes]
    summary: Summary


def attributes_of(form: DescriptionForm, measured: Mapping[str, str]) -> dict[str, str]:
    """Name -> what the summary says, in one line of bounded length; nothing of what is unknown.

    Args:
        measured: the attributes that are computed; see `MEASURED`.
    """
    return {
        name: text
        for name, text in _texts(form.summary)
        if not (name in MEASURED and name in measured)
    }


def _texts(summary: Summary) -> Iterator[tuple[str, str]]:
    for name, said in summary.model_dump().items():
        is_caption = name == "caption"
        text = _one_line(said, _LONGEST_CAPTION if is_caption else _LONGEST)
        if text.lower().strip(" .") not in _NOTHING:
            yield name, text if is_caption else text.lower().rstrip(".")


def _one_line(said: str, longest: int) -> str:
    """Without control and format characters; cut between words where it is too long."""
    printable = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in said)
    line = " ".join(printable.split())
    return line if len(line) <= longest else line[: longest + 1].rsplit(" ", 1)[0][:longest]
