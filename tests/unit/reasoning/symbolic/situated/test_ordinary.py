"""General sense of things by their names."""

from __future__ import annotations

import pytest

from scenemind.reasoning.symbolic.situated import ordinary


@pytest.mark.parametrize(
    ("words", "better", "worse"),
    [
        (("sleep",), "bed", "table"),
        (("wash", "hands"), "sink", "door"),
        (("throwing", "trash"), "trash can", "chair"),
        (("washing", "clothes"), "washing machine", "clothes dryer"),
        (("dry", "clothes"), "clothes dryer", "washing machine"),
        (("sit",), "sofa", "lamp"),
    ],
)
def test_what_things_are_for(words: tuple[str, ...], better: str, worse: str) -> None:
    assert ordinary.purpose_share(better, words) > ordinary.purpose_share(worse, words)


def test_synonyms_plurals_and_compounds_are_for_the_same() -> None:
    shares = {ordinary.purpose_share(name, ("sit",)) for name in ("couch", "sofa", "couches")}
    assert shares == {1.0}
    assert ordinary.purpose_share("office chair", ("sit",)) == 1.0


def test_a_share_is_of_the_words() -> None:
    assert ordinary.purpose_share("bed", ("sleep", "zebra")) == 0.5
    assert ordinary.purpose_share("bed", ()) == 0.0


def test_what_is_usual() -> None:
    assert ordinary.usual("toilet", "color") == "white"
    assert ordinary.usual("wooden desk", "material") == "wood"
    assert ordinary.usual("gizmo", "color") is None
    assert ordinary.find_usual_state(("open", "closed")) == "closed"
    assert ordinary.find_usual_state(("loud", "quiet")) is None
    assert ordinary.find_parts("legs") == 4
    assert ordinary.find_parts("unicorns") is None


def test_rooms_are_told_by_what_stands_in_them() -> None:
    assert ordinary.find_room("bathroom of the house") == "bathroom"
    assert ordinary.find_room("amusement park") is None
    assert {"bathroom", "kitchen"} <= set(ordinary.room_kinds())
