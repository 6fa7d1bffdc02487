"""What the vision model is asked and told (VLM-Grounder, Table 6)."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MemorySnapshot
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.types import Policy, Query
from scenemind.reasoning.vlm_grounder.album import Album, image_id
from scenemind.reasoning.vlm_grounder.choices import Id, listed
from scenemind.reasoning.vlm_grounder.circumstances import circumstances
from scenemind.reasoning.vlm_grounder.query_analysis import LONGEST_SAID, UNKNOWN
from scenemind.reasoning.vlm_grounder.tries import MOST_IMAGES
from scenemind.reasoning.vlm_grounder.types import QueryAnalysis
from scenemind.words.english import joined
from scenemind.words.quoting import quoted

_PROMPTS = "scenemind.reasoning.vlm_grounder"
_FILTERED = "Images that do not show any object of the target class were left out."


def system_prompt() -> str:
    return read_prompt(_PROMPTS, "system")


def ask_for_image(
    query: Query, analysis: QueryAnalysis, snapshot: MemorySnapshot, album: Album, *, filtered: bool
) -> str:
    """The task, before the sheets.

    Args:
        filtered: the images were chosen by the class.

    Raises:
        ReasoningError: all that was marked is gone.
    """
    if analysis.wants_all:
        wanted = fill_prompt(_PROMPTS, "wanted_all", most=str(MOST_IMAGES))
    else:
        wanted = read_prompt(_PROMPTS, "wanted_one")
    policy = read_prompt(_PROMPTS, f"policy_{query.policy}")
    return fill_prompt(
        _PROMPTS,
        "choose_image",
        filtered=_FILTERED if filtered else "",
        wanted=f"{policy}\n\n{wanted}",
        circumstances=circumstances(query, snapshot, album),
        query=quoted(query.text, LONGEST_SAID),
        target_class=quoted(analysis.target_class),
        attributes=_facts(analysis.attributes),
        conditions=_facts(analysis.conditions),
        count=str(len(album)),
        sheets="1 sheet" if len(album.sheets) == 1 else f"{len(album.sheets)} sheets",
    )


def ask_for_object(place: int, count: int, policy: Policy, *, wants_all: bool) -> str:
    """Which of the marked candidates it is, before the marked image."""
    sure = _sure_of_object(policy)
    if wants_all:
        wanted = fill_prompt(_PROMPTS, "object_all", sure=sure)
    else:
        wanted = fill_prompt(_PROMPTS, "object_one", sure=sure)
    candidates = "1 candidate" if count == 1 else f"{count} candidates"
    return fill_prompt(
        _PROMPTS, "choose_object", image_id=image_id(place), candidates=candidates, wanted=wanted
    )


def tell_image_invalid(written: Sequence[Id]) -> str:
    """The paper's feedback where an image does not exist."""
    return fill_prompt(_PROMPTS, "image_invalid", image_id=listed(written))


def tell_object_not_existing(places: Sequence[int], target_class: str) -> str:
    """The paper's feedback where an image shows no candidate."""
    what = "object" if target_class == UNKNOWN else f"object of the class {quoted(target_class)}"
    ids = joined([*map(image_id, places)])
    return fill_prompt(_PROMPTS, "object_not_existing", image_id=ids, what=what)


def tell_object_id_invalid(written: Sequence[Id], count: int) -> str:
    """The paper's feedback where no candidate has this id."""
    known = "0" if count == 1 else f"0 to {count - 1}"
    return fill_prompt(_PROMPTS, "object_id_invalid", object_id=listed(written), known=known)


def _sure_of_object(policy: Policy) -> str:
    if policy == "strict":
        return read_prompt(_PROMPTS, "object_no_guess")
    return read_prompt(_PROMPTS, "object_guess")


def _facts(facts: Sequence[str]) -> str:
    return ", ".join(map(quoted, facts)) or "none"
