"""Expressions as descriptions: what is meant, and what is said of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.symbolic.referring.description import Description, Mention, Placed, View
from scenemind.reasoning.symbolic.referring.reader import read
from scenemind.words.english import word_set

WORDS = sorted(
    word_set(
        "the a it this chair desk window is are next to left of on between and . , not with facing"
        " when you second one corner closest door in black that there another from highlighted"
        " middle its"
    )
)


def target(description: Description) -> Mention:
    return description.mentions[description.target]


def relations(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Subject, predicate and anchors of what an expression says, in nouns."""
    said = read(text)
    noun = [mention.noun for mention in said.mentions]
    return [
        (noun[link.subjects[0]], link.predicate, tuple(noun[a] for a in link.anchors))
        for link in said.links
    ]


def test_sentences_go_on_about_the_first_thing() -> None:
    said = read("this is a black office chair. it is located behind a cluttered desk.")
    assert target(said) == Mention("office chair", ("black",))
    assert relations("this is an office chair. it is behind a desk.") == [
        ("office chair", "behind", ("desk",))
    ]


def test_the_same_noun_goes_on_about_it_and_another_one_does_not() -> None:
    said = read("the chair is near the window. the chair is brown.")
    assert target(said).traits == ("brown",)
    other = read("the chair is next to another chair. it is brown.")
    assert len(other.mentions) == 2
    assert target(other).traits == ("brown",)


def test_a_synonym_goes_on_about_it_too() -> None:
    said = read("this is a trash can. the bin is to the left of the door.")
    assert relations("this is a trash can. the bin is left of a door.")[0][0] == "trash can"
    assert len(said.mentions) == 2


def test_which_way_a_thing_faces_is_no_place() -> None:
    assert read("the chair is facing to the left").places == ()


def test_what_stands_before_its_noun() -> None:
    assert relations("next to the bed is a lamp") == [("lamp", "next to", ("bed",))]
    assert target(read("next to the bed is a lamp")).noun == "lamp"


def test_what_two_sentences_start_from_is_what_is_meant() -> None:
    text = "next to the sink is a towel. above the sink is a mirror."
    assert target(read(text)).noun == "sink"
    assert relations(text) == [("towel", "next to", ("sink",)), ("mirror", "above", ("sink",))]
    assert target(read("next to the sink is a towel. it is white.")).noun == "towel"


def test_another_thing_beside_it() -> None:
    assert relations("the table is round. there is a lamp to the left of it.") == [
        ("lamp", "left of", ("table",))
    ]
    assert relations("this is a chair near a lamp. in front of it is a table.")[1] == (
        ("table", "in front of", ("chair",))
    )
    assert relations("the table is round. to the right is a sofa.") == [
        ("sofa", "right of", ("table",))
    ]


def test_two_anchors_and_two_relations() -> None:
    assert relations("the chair between the desk and the door") == [
        ("chair", "between", ("desk", "door"))
    ]
    assert relations("the box above and to the right of the sink") == [
        ("box", "above", ("sink",)),
        ("box", "right of", ("sink",)),
    ]
    assert relations("the chair next to the desk and the lamp") == [
        ("chair", "next to", ("desk",)),
        ("chair", "next to", ("lamp",)),
    ]


def test_a_second_relation_may_be_of_either_noun() -> None:
    (_, second) = read("the cup on the table next to the sofa").links
    assert second.subjects == (1, 0)
    (_, apart) = read("the cup on the table and next to the sofa").links
    assert apart.subjects == (0,)


def test_views() -> None:
    said = read("when facing the windows, it is the desk on the left")
    assert said.view == View("facing", 0)
    assert target(said).noun == "desk"
    assert [place.place for place in said.places] == ["left"]
    entered = read("walking into the room the chair is on your right")
    assert entered.view == View("from", None)
    assert target(entered).noun == "chair"


def test_the_one_is_what_was_named_in_the_plural() -> None:
    assert target(read("facing the two shelves the correct one is on the left")).noun == "shelves"


def test_orders_and_superlatives() -> None:
    assert read("the second window from the left").places == (Placed(0, "left", 2),)
    (link,) = read("the chair second closest to the door").links
    assert (link.predicate, link.order) == ("closest", 2)
    assert read("the desk in the corner of the room").places == (Placed(0, "corner"),)


def test_negations() -> None:
    (link,) = read("the table that is not next to a plant").links
    assert link.negated
    (without,) = read("the chair that does not have a table in front of it").links[:1]
    assert without.predicate == "without"


def test_this_is_what_is_meant() -> None:
    said = read("a table is seen in front of this refrigerator")
    assert target(said).noun == "refrigerator"


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=40))
def test_any_text_has_a_description_that_holds_together(text: str) -> None:
    said = read(text)
    known = range(len(said.mentions))
    assert said.target in known
    assert all(index in known for link in said.links for index in (*link.subjects, *link.anchors))
    assert all(not set(link.subjects) & set(link.anchors) for link in said.links)
    assert all(place.subject in known for place in said.places)
    assert said.view is None or said.view.mention is None or said.view.mention in known


def test_what_is_to_be_chosen_is_meant_whatever_was_said_before() -> None:
    said = read("standing at the foot of the beds choose the bed on the left and pick its pillow")
    assert target(said).noun == "pillow"
    assert target(read("face the sink, you want the towel next to it")).noun == "towel"
    again = read("there are two chairs. choose the chair on the left")
    assert len(again.mentions) == 1
    assert target(read("it is a keyboard. you will find a cup beside it")).noun == "keyboard"


def test_what_stands_before_belongs_to_the_nearer_noun_first() -> None:
    said = read("on the desk with a lamp is a cup")
    assert [link.subjects for link in said.links] == [(2,), (0, 2)]


def test_a_place_after_it_is_said_of_it_and_not_of_what_it_has() -> None:
    said = read("on the desk with two lamps it is the one in the middle")
    assert said.places == (Placed(said.target, "middle"),)
    assert read("the desk with a lamp on top").places == ()


def test_the_furthest_left_is_the_one_on_the_left() -> None:
    assert read("the furthest left chair").places == (Placed(0, "left"),)
    assert read("the furthest chair").places == (Placed(0, "back"),)
    assert read("the back left chair").places == (Placed(0, "back"), Placed(0, "left"))


def test_a_number_alone_names_no_thing() -> None:
    assert target(read("three cups are together. it is the left one of the three")).noun == "cups"
