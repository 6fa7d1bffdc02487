"""General sense of things by their names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.reasoning import Router
from scenemind.reasoning.symbolic import usual as ordinary
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing

_OPPOSITES = (("open", "closed"), ("on", "off"), ("tidy", "messy"), ("made", "unmade"))


@pytest.mark.parametrize(
    ("words", "better", "worse"),
    [
        (("sleep",), "bed", "table"),
        (("wash", "hands"), "sink", "door"),
        (("throwing", "trash"), "trash can", "chair"),
        (("washing", "clothes"), "washing machine", "clothes dryer"),
        (("dry", "clothes"), "clothes dryer", "washing machine"),
        (("sit",), "sofa", "lamp"),
        (("playing",), "piano", "lamp"),
    ],
)
def test_purposes_of_things(words: tuple[str, ...], better: str, worse: str) -> None:
    assert ordinary.purpose_share(better, words) > ordinary.purpose_share(worse, words)


@pytest.mark.parametrize(
    ("words", "best"),
    [
        (("throw", "paper"), "trash can"),
        (("put", "coat"), "coatrack"),
        (("put", "parcel"), "table"),
        (("put", "banana", "skin"), "trash can"),
        (("put", "leash"), "table"),
        (("hang", "scarf"), "coatrack"),
        (("put in", "soup"), "bowl"),
        (("wash", "hands"), "sink"),
        (("eat", "soup"), "bowl"),
    ],
)
def test_uses_are_of_the_verb_and_of_what_it_is_done_to(words: tuple[str, ...], best: str) -> None:
    labels = ("trash can", "table", "coatrack", "sink", "bowl", "lamp")
    shares = {label: ordinary.use_share(label, words) for label in labels}
    assert max(shares, key=shares.__getitem__) == best
    assert shares["lamp"] == 0.0


@pytest.mark.parametrize(
    ("use", "best", "not_for"),
    [
        ("put dirty clothes", "laundry basket", "wardrobe"),
        ("put clothes", "wardrobe", "laundry basket"),
        ("put empty bottle", "trash can", "refrigerator"),
        ("put apple core", "trash can", "table"),
        ("put keys", "table", "piano"),
        ("put daffodils in", "vase", "table"),
        ("go for coffee", "coffee maker", "cup"),
        ("keep beer cold", "refrigerator", "radiator"),
        ("heat soup", "microwave", "radiator"),
        ("warm my feet", "radiator", "microwave"),
        ("dry hair", "hair dryer", "clothes dryer"),
        ("see myself", "mirror", "window"),
        ("tell the time", "clock", "table"),
        ("read at", "armchair", "book"),
        ("stretch out", "couch", "chair"),
        ("kip", "couch", "table"),
        ("listen to music", "radio", "piano"),
        ("make tea", "kettle", "coffee maker"),
        ("play with", "toy", "piano"),
        ("put up poster", "bulletin board", "table"),
        ("do my homework", "desk", "couch"),
        ("do the washing-up", "sink", "washing machine"),
        ("do the laundry", "washing machine", "sink"),
        ("wash this apple", "sink", "washing machine"),
        ("take a hot bath", "bathtub", "towel"),
        ("go to the loo", "toilet", "sink"),
        ("dry my jumper", "clothes dryer", "towel"),
        ("cut some bread with", "knife", "scissors"),
        ("throw this away", "trash can", "ball"),
        ("wait", "bench", "table"),
    ],
)
def test_what_somebody_wants_to_do_is_for_the_thing_that_it_is_done_with(
    use: str, best: str, not_for: str
) -> None:
    table = thing(3, "cardboard", (9, 9, 0.2), (0.4, 0.4, 0.4))
    two = [thing(n, each, (2.0 * n, 0, 0.5), (0.5,) * 3) for n, each in enumerate((best, not_for))]
    found = Router(SmallMemory(snapshot_of((*two, table)))).ask(query(f"where can I {use}?"))
    assert [each.label for each in found.objects] == [best]


@pytest.mark.parametrize(
    "text", ["where can I put this peel?", "where should the purple chair go?"]
)
def test_rubbish_and_furniture_belong_on_no_table(text: str) -> None:
    table = thing(1, "table", (0, 0, 0.4), (1, 1, 0.8))
    answer = Router(SmallMemory(snapshot_of((table,)))).ask(query(text))
    assert answer.objects == ()
    assert answer.confidence <= 0.5


def test_synonyms_plurals_and_compounds_are_for_the_same() -> None:
    shares = {ordinary.purpose_share(name, ("sit",)) for name in ("couch", "sofa", "couches")}
    assert shares == {1.0}
    assert ordinary.purpose_share("office chair", ("sit",)) == 1.0


def test_a_share_is_of_the_words() -> None:
    assert ordinary.purpose_share("bed", ("sleep", "zebra")) == 0.5
    assert ordinary.purpose_share("bed", ()) == 0.0


def test_usual_properties_of_things() -> None:
    assert ordinary.usual_of("toilet", "color").value == "white"
    assert ordinary.usual_of("wooden desk", "material").value == "wood"
    assert ordinary.usual_of("gizmo", "color") == ordinary.usual_of("doodah", "color")
    assert ordinary.usual_count("legs") == 4
    assert ordinary.usual_count("unicorns") is None


@pytest.mark.parametrize(
    ("label", "options", "expected"),
    [
        ("door", ("open", "closed"), "closed"),
        ("office door", ("open", "closed"), "closed"),
        ("bookshelf", ("empty", "filled"), "filled"),
        ("chair", ("empty", "occupied"), "empty"),
        ("tv", ("on", "off"), "off"),
        ("pillow", ("soft", "hard"), "soft"),
        ("table", ("soft", "hard"), "hard"),
    ],
)
def test_usual_states_depend_on_the_thing(
    label: str, options: tuple[str, ...], expected: str
) -> None:
    usual = ordinary.usual_state(label, options)
    assert usual is not None
    assert usual.value == expected
    assert 0.5 <= usual.share <= 1.0


def test_nothing_is_usual_of_unknown_states() -> None:
    assert ordinary.usual_state("door", ("loud", "quiet")) is None
    assert ordinary.state_share("door", "loud") is None


@settings(deadline=None)
@given(st.sampled_from(("door", "tv", "bed", "shelf", "gizmo")), st.sampled_from(_OPPOSITES))
def test_opposite_states_exclude_each_other(label: str, states: tuple[str, str]) -> None:
    first, second = (ordinary.state_share(label, state) for state in states)
    assert first is not None
    assert second is not None
    assert first + second == pytest.approx(1.0)


def test_measured_attributes_count_more_than_usual_ones() -> None:
    small, large = (
        thing(1, "table", (0.0, 0.0, 0.3), (side, side, 0.6), color="black") for side in (0.5, 2.0)
    )
    assert ordinary.attribute_of(small, "color").value == "black"
    bowl = thing(2, "bowl", (0.0, 0.0, 0.3), (0.2, 0.2, 0.1), color="orange")
    assert ordinary.attribute_of(bowl, "color").value == "orange"
    assert [ordinary.attribute_of(table, "size").value for table in (small, large)] == [
        "small",
        "large",
    ]


def test_rooms_are_told_by_what_stands_in_them() -> None:
    assert ordinary.find_room("bathroom of the house") == "bathroom"
    assert ordinary.find_room("amusement park") is None
    assert {"bathroom", "kitchen"} <= set(ordinary.room_kinds())


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("the thing that keeps the milk cold", "the thing for milk cold"),
        ("the tall thing by the door that gets hot", "the tall thing for hot by the door"),
        ("the thing the cat sleeps on", "the thing for sleeps"),
        ("something for when it rains", "something for rains"),
        ("the place where you'd do the washing-up", "the place for washing"),
        ("the thing that hums all night long", "the thing for night"),
        ("the thing that grunts", ""),
        ("the lamp that gives us light", ""),  # it has a name
        ("keeps the milk cold", ""),
        ("the bits and bobs that go with the computer", ""),
    ],
)
def test_a_clause_about_a_nameless_thing_is_its_purpose(said: str, plain: str) -> None:
    assert ordinary.by_purpose(said) == plain


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("the thing that keeps the milk cold", 1),
        ("the thing that tells us the time", 2),
        ("the thing by the clock that keeps the rain off", 3),
        ("the place where you'd do the washing-up", 4),
        ("the thing that grunts", None),
    ],
)
def test_what_is_for_most_of_it_is_meant(said: str, number: int | None) -> None:
    labels = ("refrigerator", "clock", "umbrella", "sink", "book")
    things = [thing(n, label, (2.0 * n, 0, 0.5), (0.4,) * 3) for n, label in enumerate(labels, 1)]
    found = Router(SmallMemory(snapshot_of(things))).ground(query(said))
    assert [each.object_id for each in found.objects] == [number] * (number is not None)
