"""One meaning for each phrase."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from scenemind.language import lexicon
from scenemind.language.english import read_table
from scenemind.language.relation_names import RELATION_NAMES, find_relation

DATA = read_table("scenemind.language", "lexicon.yaml")
ONLY_IN_PHRASES = {"with", "opposite", "at the end of", "in the corner of", "at the foot of"}


# Lists for several purposes share words.
LISTS = {"sides", "views", "words", "free_text"}


@pytest.mark.parametrize("table", sorted(DATA.keys() - LISTS))
def test_no_phrase_stands_in_two_entries(table: str) -> None:
    phrases = Counter(phrase for forms in DATA[table].values() for phrase in forms)
    assert [phrase for phrase, count in phrases.items() if count > 1] == []


def test_relations_of_free_text_have_no_other_meaning_elsewhere() -> None:
    everywhere = {phrase for forms in DATA["relations"].values() for phrase in forms}
    free = {phrase for forms in DATA["relations_in_free_text"].values() for phrase in forms}
    assert everywhere & free == set()


def test_relations_are_those_of_the_scene_graph() -> None:
    assert set(DATA["relations"]) - set(RELATION_NAMES) == ONLY_IN_PHRASES


def test_the_spellings_of_papers_mean_the_same() -> None:
    found = {phrase: find_relation(" ".join(phrase)) for phrase in lexicon.RELATIONS}
    known = {phrase: relation.name for phrase, relation in found.items() if relation is not None}
    assert known == {phrase: lexicon.RELATIONS[phrase] for phrase in known}


def test_the_file_has_no_key_twice() -> None:
    """A repeated key of a mapping would silently replace the first one."""

    class Strict(yaml.SafeLoader):
        pass

    def no_duplicates(loader: Strict, node: yaml.MappingNode) -> dict[object, object]:
        keys = [loader.construct_object(key) for key, _ in node.value]
        assert len(keys) == len(set(keys)), [key for key, n in Counter(keys).items() if n > 1]
        return loader.construct_mapping(node, deep=True)

    Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, no_duplicates)
    for name in ("lexicon.yaml", "questions.yaml"):
        path = lexicon.__file__.replace("lexicon.py", name)
        with open(path, encoding="utf-8") as file:
            yaml.load(file, Loader=Strict)
