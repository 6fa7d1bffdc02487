"""Referring expressions: their chunks, and the trees read from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.english import word_set
from scenemind.language.referring.chunks import chunks_of
from scenemind.language.referring.reader import read
from scenemind.language.trees import (
    HasAttribute,
    NounPhrase,
    Rank,
    Reference,
    Related,
    View,
    noun_phrases,
)
from tests.tables import read_table

WORDS = sorted(
    word_set(
        "the a it this chair desk window is are next to left of on between and . , not with facing"
        " when you second one corner closest door in black that there another from highlighted"
        " middle its side end"
    )
)
WITH_LAMP = Related("with", (NounPhrase("lamp"),))


@pytest.mark.parametrize(("text", "chunks"), read_table(__file__, "chunks").items())
def test_the_longest_phrase_counts(text: str, chunks: list[list[str]]) -> None:
    assert [[chunk.kind, chunk.value] for chunk in chunks_of(text) if chunk.value] == chunks


def test_looks_and_numbers_are_no_part_of_the_noun() -> None:
    (chunk,) = chunks_of("the second small round table")
    assert (chunk.value, chunk.traits, chunk.order) == ("table", ("small", "round"), 2)


@pytest.mark.parametrize("text", ["its on the left", "it's on the left", "it 's on the left"])
def test_short_forms_are_one_spelling(text: str) -> None:
    assert [chunk.words[0] for chunk in chunks_of(text)] == ["it", "is", "on"]


@pytest.mark.parametrize("told", ["somebody left lying there", "that someone has forgotten here"])
def test_whoever_left_a_thing_is_not_what_is_meant(told: str) -> None:
    assert read(f"the bag {told}").phrase == NounPhrase("bag")


def relations(text: str) -> list[tuple[str, str]]:
    """Predicates and nouns of the anchors of what an expression says of its target."""
    return said_of(read(text).phrase)


def said_of(phrase: NounPhrase) -> list[tuple[str, str]]:
    return [(c.predicate, " and ".join(noun_of(a) for a in c.anchors))
            for c in phrase.conditions if isinstance(c, Related)]  # fmt: skip


def test_what_lies_beside_a_thing_is_no_place_of_its_own() -> None:
    """Another chair to its left is no look of it, and a direction that it faces no place."""
    for text in (
        "there is one chair to its left.",
        "there is a chair to it 's left.",
        "to the left of the chair is a chair.",
    ):
        assert relations(f"the chair is red. {text}") == [("right of", "chair")]
    assert read("the chair is red. it is facing down and to the left.").phrase.ranks == ()


@pytest.mark.parametrize(
    "text",
    [
        "in this room is a table. the highlighted object is the lamp near the door.",
        "there is a table. the lamp near the door is the highlighted object.",
        "there is a table. we are looking for the lamp near the door.",
        "above the lamp is a shelf. to the left of the lamp is a door.",
    ],
)
def test_what_is_looked_for_may_be_named_last(text: str) -> None:
    assert read(text).phrase.noun == "lamp"


def noun_of(reference: Reference | None) -> str:
    assert isinstance(reference, NounPhrase)
    return reference.noun


def colours(phrase: NounPhrase) -> list[str]:
    return [c.value for c in phrase.conditions if isinstance(c, HasAttribute) and c.key == "color"]


def test_sentences_go_on_about_the_first_thing() -> None:
    said = read("this is a black office chair. it is located behind a cluttered desk.").phrase
    assert (said.noun, colours(said)) == ("office chair", ["black"])
    assert relations("this is an office chair. it is behind a desk.") == [("behind", "desk")]


def test_the_same_noun_goes_on_about_it_and_another_one_does_not() -> None:
    said = read("the chair is near the window. the chair is brown.").phrase
    assert colours(said) == ["brown"]
    other = read("the chair is next to another chair. it is brown.").phrase
    assert colours(other) == ["brown"]
    assert other.conditions[1] == Related("next to", (NounPhrase("chair", other=True),))


def test_a_synonym_goes_on_about_it_too() -> None:
    assert relations("this is a trash can. the bin is to the left of the door.") == [
        ("left of", "door")
    ]


def test_direction_in_which_a_thing_faces_is_no_place() -> None:
    assert read("the chair is facing to the left").phrase == NounPhrase("chair")


def test_adjectives_before_the_noun() -> None:
    assert relations("next to the bed is a lamp") == [("next to", "bed")]
    assert read("next to the bed is a lamp").phrase.noun == "lamp"


def test_what_is_said_of_another_thing_beside_it_is_turned_around() -> None:
    assert relations("the table is round. there is a lamp to the left of it.") == [
        ("right of", "lamp")
    ]
    assert relations("this is a chair near a lamp. in front of it is a table.")[1] == (
        *("behind", "table"),
    )
    assert relations("the table has a lamp on it") == [("supports", "lamp")]
    assert relations("the box inside which there is a toy") == [("inside", "toy")]


def test_what_it_does_not_have_somewhere_is_one_denied_relation() -> None:
    (under,) = read("the table without a chair under it").phrase.conditions
    assert under == Related("above", (NounPhrase("chair"),), negated=True)


def test_two_anchors_and_two_relations() -> None:
    assert relations("the chair between the desk and the door") == [("between", "desk and door")]
    assert relations("the box above and to the right of the sink") == [
        ("above", "sink"),
        ("right of", "sink"),
    ]
    assert relations("the chair next to the desk and the lamp") == [
        ("next to", "desk"),
        ("next to", "lamp"),
    ]


def test_a_second_relation_is_of_the_nearer_noun() -> None:
    (on,) = read("the cup on the table next to the sofa").phrase.conditions
    assert isinstance(on, Related)
    (table,) = on.anchors
    assert isinstance(table, NounPhrase)
    assert said_of(table) == [("next to", "sofa")]
    assert relations("the cup on the table and next to the sofa") == [
        ("on", "table"),
        ("next to", "sofa"),
    ]


def test_views() -> None:
    said = read("when facing the windows, it is the desk on the left")
    assert said.view == View("facing", NounPhrase("windows"))
    assert said.phrase == NounPhrase("desk", ranks=(Rank("leftmost"),))
    entered = read("walking into the room the chair is on your right")
    assert entered.view == View("from", None)
    assert entered.phrase.noun == "chair"


def test_the_one_means_a_noun_named_in_the_plural() -> None:
    assert read("facing the two shelves the correct one is on the left").phrase.noun == "shelves"


def test_orders_and_superlatives() -> None:
    assert read("the second window from the left").phrase.ranks == (Rank("leftmost", 2),)
    assert read("the chair second closest to the door").phrase.ranks == (
        Rank("closest", 2, NounPhrase("door")),
    )
    assert read("the larger of the darkest chairs").phrase.ranks == (
        Rank("largest"),
        Rank("darkest"),
    )
    assert relations("the desk in the corner of the room") == [("in the corner of", "room")]


def test_words_on_looks_are_attributes() -> None:
    said = read("a small round wooden dark grey table, nice and new").phrase
    assert [(c.key, c.value) for c in said.conditions if isinstance(c, HasAttribute)] == [
        ("size", "small"), ("shape", "round"), ("material", "wooden"), ("color", "dark"),
        ("color", "grey"),
    ]  # fmt: skip


def test_nouns_that_nothing_joins_to_the_target_are_unread() -> None:
    said = read("there is a chair. a picture shows a horse.").phrase
    assert (said.noun, said.unread) == ("chair", ("picture shows", "horse"))


def test_negations() -> None:
    (condition,) = read("the table that is not next to a plant").phrase.conditions
    assert condition.negated
    (front,) = read("the chair that does not have a table in front of it").phrase.conditions
    assert front == Related("behind", (NounPhrase("table"),), negated=True)
    assert read("the chair that is not black").phrase.conditions == (
        HasAttribute("color", "black", negated=True),
    )


def test_this_means_the_target() -> None:
    assert read("a table is seen in front of this refrigerator").phrase.noun == "refrigerator"


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=40))
def test_any_text_has_a_tree(text: str) -> None:
    said = read(text)
    assert len(list(noun_phrases(said.phrase))) < 100
    assert hash(said) == hash(read(text))


def test_object_to_choose_is_the_target_after_any_sentence() -> None:
    said = read("standing at the foot of the beds choose the bed on the left and pick its pillow")
    assert said.phrase.noun == "pillow"
    assert read("face the sink, you want the towel next to it").phrase.noun == "towel"
    again = read("there are two chairs. choose the chair on the left").phrase
    assert again == NounPhrase("chairs", ranks=(Rank("leftmost"),))
    assert read("it is a keyboard. you will find a cup beside it").phrase.noun == "keyboard"


def test_adjective_belongs_to_the_nearer_noun_first() -> None:
    (on,) = read("on the desk with a lamp is a cup").phrase.conditions
    assert on == Related("on", (NounPhrase("desk", conditions=(WITH_LAMP,)),))


def test_place_after_a_noun_with_a_part_is_of_the_noun() -> None:
    said = read("on the desk with two lamps it is the one in the middle").phrase
    assert said.ranks == (Rank("middle"),)
    assert read("the desk with a lamp on top").phrase == NounPhrase("desk", conditions=(WITH_LAMP,))


def test_the_furthest_left_is_the_one_on_the_left() -> None:
    assert read("the furthest left chair").phrase.ranks == (Rank("leftmost"),)
    assert read("the furthest chair").phrase.ranks == (Rank("rearmost"),)
    assert read("the back left chair").phrase.ranks == (Rank("rearmost"), Rank("leftmost"))


def test_a_number_alone_names_no_thing() -> None:
    said = read("three cups are together. it is the left one of the three").phrase
    assert said.noun == "cups"


def test_superlatives_and_ordinals_compare_with_what_follows_from_or_to() -> None:
    door = NounPhrase("door")
    assert read("the third chair from the door").phrase.ranks == (Rank("closest", 3, door),)
    assert read("the desk is the closest one to the door").phrase.ranks == (
        Rank("closest", 1, door),
    )
    assert read("the furthest chair to the left").phrase.ranks == (Rank("leftmost"),)
    assert read("the third chair from the left").phrase.ranks == (Rank("leftmost", 3),)


def test_a_side_before_a_noun_is_its_own() -> None:
    (on,) = read("the pillow on the right bed").phrase.conditions
    assert on == Related("on", (NounPhrase("bed", ranks=(Rank("rightmost"),)),))
    said = read("facing the window, the far left monitor").phrase
    assert (said.noun, said.ranks) == ("monitor", (Rank("leftmost"),))
    assert relations("the chair right behind the desk") == [("behind", "desk")]
    assert read("the chair right behind the desk").phrase.ranks == ()


def test_what_is_wanted_at_a_place_is_the_target() -> None:
    said = read("facing the beds you want the bed on the left the pillow near the lamp").phrase
    assert said.noun == "pillow"
    assert said_of(said) == [("next to", "bed"), ("near", "lamp")]


def test_parts_and_postures_are_no_places() -> None:
    assert read("the table with a round top").phrase == NounPhrase("table")
    assert relations("there is a chair. its back is facing a microwave") == [
        ("facing", "microwave")
    ]
    assert read("the two shelves are stacked one on top of the other").phrase.conditions == ()


def test_this_is_a_thing_that_was_named_before() -> None:
    said = read("this is a pillow on the right bed. it is the leftmost pillow on this bed").phrase
    assert (said.noun, said.ranks) == ("pillow", (Rank("leftmost"),))


def test_the_light_is_a_thing() -> None:
    assert read("the light above the bed").phrase.noun == "light"


def test_the_second_end_of_between_may_follow_other_words() -> None:
    assert relations("the rack is between a table of books and the bookshelf") == [
        ("between", "table and bookshelf")
    ]
    assert relations("the lamp between the tv stand and the bed") == [
        ("between", "tv stand and bed")
    ]


def test_what_follows_the_second_end_of_between_is_said_of_it() -> None:
    (between,) = read(
        "the difference between the chair here and the one in the hall"
    ).phrase.conditions
    assert isinstance(between, Related)
    assert said_of(between.anchors[1]) == [("inside", "hall")]  # type: ignore[arg-type]


def test_things_of_the_same_kind_at_a_place_are_others() -> None:
    assert relations("the chair is black. behind the wall is a lot of chairs") == []


def test_corners_of_rooms_and_of_things() -> None:
    room = NounPhrase("room", definite=True)
    corner = Related("in the corner of", (room,))
    said = read("the box is in the far left corner").phrase
    assert (said.conditions, said.ranks) == ((corner,), (Rank("leftmost"),))
    assert relations("the book on the corner of the desk") == [("in the corner of", "desk")]


def test_walls_and_floors_have_no_place_of_their_own() -> None:
    assert relations("the bottle on the floor behind the toilet") == [
        ("on", "floor"),
        ("behind", "toilet"),
    ]


def test_the_larger_one_is_another_of_its_kind() -> None:
    (near,) = read("the shelf near the larger one").phrase.conditions
    assert near == Related("near", (NounPhrase("shelf", ranks=(Rank("largest"),)),))


def test_what_is_not_the_one_is_denied() -> None:
    lamp, desk = NounPhrase("lamp"), NounPhrase("desk")
    assert read("the monitor near the lamp, not the one on the desk").phrase.conditions == (
        Related("near", (lamp,)),
        Related("on", (desk,), negated=True),
    )


def test_a_whole_is_no_other_target() -> None:
    said = read("choose the roll of toilet paper on the tank of the toilet").phrase
    assert said.noun == "toilet paper"


def test_stuff_with_an_article_is_a_thing() -> None:
    cloth = NounPhrase("cloth", conditions=(HasAttribute("color", "yellow"),))
    assert read("the cabinet with the yellow cloth on it").phrase.conditions == (
        Related("supports", (cloth,)),
    )


def test_numbers_of_things_are_counts() -> None:
    assert read("the table with three chairs").phrase.conditions == (
        Related("with", (NounPhrase("chairs", count=3),)),
    )
    said = read("there are two chairs. choose the chair on the left").phrase
    assert said == NounPhrase("chairs", ranks=(Rank("leftmost"),))


def test_the_target_may_be_what_another_thing_is_beside() -> None:
    text = "the black chair is by the door. there is a lamp to the right of the chair"
    assert relations(text) == [("near", "door"), ("left of", "lamp")]
    assert relations("the chair is next to the chair") == [("next to", "chair")]


def test_adjectives_may_stand_in_a_list() -> None:
    (beside,) = read("the lamp next to a large, white table").phrase.conditions
    assert isinstance(beside, Related)
    (table,) = beside.anchors
    assert table == NounPhrase(
        "table", conditions=(HasAttribute("size", "large"), HasAttribute("color", "white"))
    )


def test_without_an_anchor_the_distance_is_to_the_viewer() -> None:
    assert read("the pillow furthest away. it is white").phrase.ranks == (Rank("rearmost"),)
    assert read("it is the table closest.").phrase.ranks == (Rank("frontmost"),)


def test_an_ordinal_after_and_is_of_the_target() -> None:
    said = read("it is left of the table and the second chair from the window").phrase
    assert said.ranks == (Rank("closest", 2, NounPhrase("window")),)


def test_the_side_of_a_thing_is_no_thing() -> None:
    said = read("the chair on the side closest to the sink").phrase
    assert said == NounPhrase("chair", ranks=(Rank("closest", 1, NounPhrase("sink")),))


def test_far_and_adverbs_before_a_noun() -> None:
    assert relations("the desk near the far wall") == [("near", "wall")]
    (near,) = read("the lamp near the partially open door").phrase.conditions
    door = NounPhrase("door", conditions=(HasAttribute("state", "open"),))
    assert near == Related("near", (door,))
    assert relations("the can on top of the other box") == [("on", "box")]


def test_names_in_two_words_are_joined_where_only_that_is_known() -> None:
    assert [c.value for c in chunks_of("a back pack")] == ["backpack"]
    assert read("the chair next to the back pack") == read("the chair next to the backpack")
    assert [c.value for c in chunks_of("the bed sheet")] == ["bed sheet"]


def test_a_row_is_counted_from_the_corner_or_the_wall_at_its_end() -> None:
    for end in ("corner", "wall"):
        assert read(f"the third chair from the right {end}") == read(
            "the third chair from the right"
        )
