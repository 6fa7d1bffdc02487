"""The objects that a word of an attribute is said of, or another word for the same."""

from __future__ import annotations

from collections.abc import Iterable

from scenemind.memory.finding.attribute_words import FORM_WORDS
from scenemind.memory.finding.object_index import ObjectIndex


class WordHolders:
    """What the form of an object says is found when that object is asked about.

    Attributes:
        said: object id -> the attribute that has the word, where the form need not be known.
        is_open: other objects may have it, too: their form may say so.
    """

    def __init__(self, words: Iterable[str], index: ObjectIndex) -> None:
        """Args: words: that say the same."""
        ordered = sorted(words)
        self.said = {i: said for word in ordered for i, said in index.with_word(word).items()}
        self._of_form = [word for word in ordered if word in FORM_WORDS]
        self._index = index
        self.is_open = bool(self._of_form)

    def find(self, object_id: int) -> str | None:
        """The attribute of an object that has the word; None where none has."""
        if object_id in self.said or not self.is_open:
            return self.said.get(object_id)
        for word in self._of_form:
            said = self._index.form_with(word, object_id)
            if said is not None:
                return said
        return None
