"""What the makers of tasks draw from, and what they hand back."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from scenemind.evaluation.alignment.planting import Planting
from scenemind.evaluation.alignment.tasks import Wanted
from scenemind.evaluation.alignment.true_scene import TrueScene
from scenemind.geometry import Pose
from scenemind.words.english import plural, with_article
from scenemind.words.tables import read_table


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One scene, in which a task is to be found."""

    scene: TrueScene
    planting: Planting
    rng: random.Random

    def ask(self, kind: str, *answers: str, noun: str = "", **words: str) -> Wanted:
        """A question of the person's, in one of their wordings.

        Args:
            words: what stands in it, by name.
        """
        wording = self.rng.choice(wordings()["questions"][kind])
        return Wanted(said(wording, noun=noun, **words), answers)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A task of which the errors stand in the draw's `planting`."""

    wanted: Wanted
    viewpoint: Pose | None = None


def said(wording: str, **words: str) -> str:
    """A wording with its words: "{a_noun}" has the article, "{nouns}" is the plural."""
    more = {f"a_{name}": with_article(word) for name, word in words.items() if word}
    return wording.format(nouns=plural(words.get("noun", "")), **more, **words)


@cache
def wordings(file: str = "person.yaml") -> Mapping[str, Any]:
    """What persons say: one of the tables in this folder."""
    table: Mapping[str, Any] = read_table("scenemind.evaluation.alignment", file)
    return table


def shuffled(draw: Draw, things: Sequence[Any]) -> list[Any]:
    """In an order that the seed gives."""
    return draw.rng.sample(list(things), len(things))
