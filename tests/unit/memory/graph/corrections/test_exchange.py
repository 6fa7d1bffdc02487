"""The journal as JSON: there and back, and errors that name the place."""

from __future__ import annotations

import json

import pytest

from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.corrections.exchange import corrections_from_json, corrections_to_json
from tests.unit.memory.graph.corrections.room import (
    LEFT,
    RIGHT,
    delete,
    merge,
    new_journal,
    relate,
    rename,
    split,
    write,
)


def test_a_journal_comes_back_as_it_was() -> None:
    journal = new_journal()
    write(journal, rename(2, "Caf\u00e9-Tasse ☕"), split(8, LEFT, RIGHT), merge(1, 7))
    write(journal, relate(2, "on", 4), delete(100))
    journal.undo(3)
    text = corrections_to_json(journal.entries())
    assert corrections_from_json(text) == journal.entries()
    assert corrections_from_json(corrections_to_json([])) == []


def test_its_form_is_written_for_other_programs() -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    written = json.loads(corrections_to_json(journal.entries()))
    assert (written["format"], written["version"]) == ("scenemind corrections", 1)
    (entry,) = written["corrections"]
    (anchor,) = entry.pop("anchors")
    assert entry == {
        "id": 1,
        "kind": "rename",
        "object_ids": [7],
        "key": "",
        "value": "stool",
        "places": [],
        "new_ids": [],
        "by": "Ada",
        "reason": "I say so",
        "stamp_ns": 5,
        "undone_ns": 0,
    }
    assert (anchor["object_id"], anchor["label"]) == (7, "chair")
    assert anchor["size"] == pytest.approx([0.5, 0.5, 0.9])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), 2, "version: Input should be 1"),
        (("format",), "a shopping list", "format"),
        (("corrections", 0, "kind"), "paint", "corrections.0.kind"),
        (("corrections", 0, "object_ids"), ["seven"], "corrections.0.object_ids.0"),
        (("corrections", 0, "value"), 7, "corrections.0.value"),
        (("corrections", 0, "stamp_ns"), 10**19, "corrections.0.stamp_ns"),
        (("corrections", 0, "stamp_ns"), -1, "corrections.0.stamp_ns"),
        (("corrections", 0, "undone_ns"), 2**31 * 10**9, "corrections.0.undone_ns"),
        (("corrections", 0, "object_ids"), [2**31], "corrections.0.object_ids.0"),
        (("corrections", 0, "new_ids"), [77], "corrections.0: .*1 new_ids for 0 new parts"),
        (("corrections", 0, "places"), [LEFT, RIGHT], "0 new_ids for 1 new parts"),
        (("corrections", 0, "mood"), "good", "corrections.0.mood"),
        (("corrections", 0, "anchors", 0, "center"), [0.0, 1.0], "anchors.0.center"),
        (("corrections", 0, "anchors", 0, "size"), [-1.0, 1.0, 1.0], "negative size"),
    ],
)
def test_what_is_wrong_is_named(path: tuple, value: object, message: str) -> None:
    journal = new_journal()
    write(journal, rename(7, "stool"))
    document = json.loads(corrections_to_json(journal.entries()))
    *outer, last = path
    inner = document
    for step in outer:
        inner = inner[step]
    inner[last] = value
    with pytest.raises(SceneMemoryError, match=message):
        corrections_from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "\ud800"])
def test_other_text_is_no_journal(text: str) -> None:
    with pytest.raises(SceneMemoryError, match="no journal of corrections"):
        corrections_from_json(text)
