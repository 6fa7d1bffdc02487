"""Short answers to situated questions: what was found, else what is usual.

Something is always answered, with the likelihood that it is right. For each shape the likelihood is
how often such answers were right in half of SQA3D's scenes; the other half confirmed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np

from scenemind.config import RelationConfig
from scenemind.language.english import number_word, shown
from scenemind.language.situated.questions import read_question
from scenemind.language.trees import (
    AskAttribute,
    AskDirection,
    AskRoom,
    Choose,
    Compare,
    Condition,
    Count,
    Described,
    Exists,
    HasAttribute,
    Identify,
    IsWayClear,
    NounPhrase,
    Related,
    Same,
    SituatedQuestion,
    Verify,
    Viewer,
    Where,
    relations_to_viewer,
)
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.method import MethodReply
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.symbolic.place_answers import brief_landmark
from scenemind.reasoning.symbolic.replies import listed, noun_of, sentence
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.finder import (
    REACH_M,
    Classes,
    Finder,
    Surroundings,
    is_several,
    links,
)
from scenemind.reasoning.symbolic.situated.usual import (
    Usual,
    attribute_of,
    attribute_values,
    find_room,
    is_known_thing,
    room_kinds,
    room_weights,
    state_share,
    usual_count,
    usual_of,
    usual_state,
)
from scenemind.reasoning.symbolic.viewpoint import bearing_of, viewpoint_of

# Least score of a relation, so that nearness decides where it holds for nothing.
_LITTLE = 1e-3
# Least weight of a confirmed kind of room, relative to the likeliest.
_AS_LIKELY = 0.75
_SHOWN = 3
# Largest bearing of "forward", and smallest of "backward".
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# Largest bearing of a visible object; heads turn.
_SEEN_RAD = math.radians(90.0)
# An obstacle reaches to the knee, and stands within a step or two.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "back"}
_LONGEST_NAME = 3
# Gap up to which a thing is at another one.
_BESIDE_M = 0.5
_TIED = 0.96
# Likelihoods of right answers, by shape; of counts from zero on, the last one beyond.
_COUNTS, _PARITY, _PARTS = (0.6, 0.8, 0.7, 0.5, 0.55, 0.45), 0.8, 0.8
_COMPARED, _CHOSEN, _EXISTS, _CLAIMED, _ROOM = 0.9, 0.75, 0.7, 0.55, 0.85
_TURNED, _PLACED, _IN_VIEW, _GUESSED = 0.75, 0.35, 0.83, 0.15
# A name is as likely as this, and more by its share of all scores.
_NAMED, _BY_SHARE = 0.2, 0.4
# Factors where the asker's place is told in words, and where it is not known.
_IN_WORDS, _NOWHERE = 0.87, 0.65
# Least likelihoods of answers that are no guesses, with and without a place of the asker.
_LIKELY, _SURE = 0.2, 0.45


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """An answer of one or two words.

    Attributes:
        likely: how likely it is right, where the objects exist.
        rows: of the scene, as evidence; empty for a usual value or a guess.
        is_usual: it is what is usual, and was not seen.
    """

    text: str
    likely: float
    rows: tuple[int, ...] = ()
    is_usual: bool = False


def yes_or_no(is_so: bool, likely: float, *rows: int) -> ShortAnswer:
    """Yes or no, with the rows that support it."""
    return ShortAnswer("yes" if is_so else "no", likely, rows)


def answer_briefly(
    query: Query, scene: Scene, vocabulary: Vocabulary, config: RelationConfig, *, may_guess: bool
) -> MethodReply | None:
    """Short answer.

    Args:
        may_guess: answer whatever is asked; else None for a guess, and where a word was not used.
    """
    viewpoint = _viewpoint(query, scene, vocabulary)
    question = read_question(query.text)
    finder = Finder(Surroundings(scene, viewpoint), vocabulary, config)
    stands = query.viewpoint is not None or bool(query.situation.strip())
    short = ShortAnswers(finder, stands).answer(question)
    unknown, unread = _unused_words(question, finder.classes)
    things = [scene.objects[row] for row in short.rows]
    steps = [
        f"read as a situated question: {type(question).__name__}",
        f"directions and distances are from {viewpoint.describe()}",
        f"rests on: {listed(things)}" if things else "nothing seen answers it: what is usual",
    ]
    if unknown or unread:
        steps.append(f"could not use: {shown(', '.join((*unknown, *unread)))}")
    exist = float(np.mean([thing.confidence for thing in things])) if things else 1.0
    place = 1.0 if query.viewpoint is not None else _IN_WORDS if stands else _NOWHERE
    sure = short.likely * exist * place
    if not may_guess and (
        unknown or sure < (_LIKELY if stands else _SURE) or (unread and not stands)
    ):
        return None
    return MethodReply(
        sentence(f"I cannot see that; usually {short.text}" if short.is_usual else short.text),
        sure,
        tuple(thing for thing in things if thing.object_id >= 0),
        steps=tuple(steps),
        brief=short.text,
    )


def _viewpoint(query: Query, scene: Scene, vocabulary: Vocabulary) -> Viewpoint:
    """Viewpoint of the asker; the middle of the scene where none is known."""
    try:
        return viewpoint_of(query, scene, vocabulary)
    except ReasoningError:
        middle = (scene.low.min(axis=0) + scene.high.max(axis=0)) / 2.0
        return Viewpoint(middle, np.array((1.0, 0.0)), "the middle of the map, looking along x")


class ShortAnswers:
    """Short answers from one finder.

    Attributes:
        stands: whether it is known where the asker stands.
    """

    def __init__(self, finder: Finder, stands: bool) -> None:
        self._finder = finder
        self._scene: Scene = finder.scene
        self._stands = stands

    def answer(self, question: SituatedQuestion) -> ShortAnswer:
        """Short answer to a question; always one."""
        match question:
            case AskAttribute():
                return self._attribute(question)
            case Count(subject=NounPhrase() as phrase):
                return self._count(question, phrase)
            case AskDirection(subject=NounPhrase() as goal):
                return self._direction(goal)
            case Where(subject=NounPhrase() as phrase):
                return self._where(phrase)
            case Compare():
                return self._compare(question)
            case Choose():
                return self._choose(question)
            case Exists(subject=NounPhrase() as phrase):
                return self._existence(phrase, is_there=True)
            case Verify(subject=NounPhrase() as phrase, condition=condition):
                return self._verify(phrase, condition)
            case IsWayClear(way=way):
                return self._clearance(way)
            case Same():
                return self._sameness(question)
            case AskRoom(noun=words):
                return self._room(words)
            case Identify(subject=NounPhrase() as phrase):
                return self._identify(phrase)
        raise AssertionError(f"no situated question is {question}")

    def _attribute(self, question: AskAttribute) -> ShortAnswer:
        row = self._finder.find_named(question.subject)
        if row is None:
            usual = usual_of(noun_of(question.subject), question.key)
            return ShortAnswer(usual.value, usual.share, is_usual=True)
        found = attribute_of(self._scene.objects[row], question.key)
        return ShortAnswer(found.value, found.share, (row,))

    def _count(self, question: Count, phrase: NounPhrase) -> ShortAnswer:
        classes = self._finder.classes
        parts = None if classes.sure_labels(phrase.noun) else usual_count(phrase.noun)
        if parts is not None:
            is_of_known = any(map(classes.sure_labels, phrase.unread)) or bool(links(phrase))
            return ShortAnswer(number_word(parts), _PARTS if is_of_known else 0.0, is_usual=True)
        found = self._finder.counted_rows(phrase, self._stands)
        n, rows = len(found), tuple(found.tolist())
        if question.divisor:
            return yes_or_no(n > 0 and n % question.divisor == 0, _PARITY, *rows)
        if not question.parity:
            return ShortAnswer(number_word(n), _COUNTS[min(n, len(_COUNTS) - 1)], rows)
        parity = "odd" if n % 2 else "even"
        if question.parity == "either":
            return ShortAnswer(parity, _PARITY, rows)
        return yes_or_no(parity == question.parity, _PARITY, *rows)

    def _compare(self, question: Compare) -> ShortAnswer:
        """The option that compares best, in the words of the question."""
        measures = self._finder.measure(question.rank)
        rows = {option: self._finder.find_named(option) for option in question.options}
        known = {option: row for option, row in rows.items() if row is not None}
        if not known:
            return ShortAnswer(noun_of(question.options[0]), 1.0 / len(rows))
        best = min(known, key=lambda option: measures[known[option]])
        return ShortAnswer(noun_of(best), _COMPARED, (known[best],))

    def _identify(self, phrase: NounPhrase) -> ShortAnswer:
        row = self._finder.find_best(phrase)
        if row is None:
            row = self._finder.find_best(replace(phrase, noun="", unread=()))
        if row is None:
            return ShortAnswer("table", _GUESSED)
        share = self._finder.share(phrase, row)
        return ShortAnswer(self._scene.objects[row].label, _NAMED + _BY_SHARE * share, (row,))

    def _choose(self, question: Choose) -> ShortAnswer:
        """The option that fits, else the usual one, else the first."""
        row = self._finder.find_named(question.subject)
        rules: tuple[Callable[[Choose, int | None], ShortAnswer | None], ...] = (
            self._more,
            self._side,
            self._look,
            self._kind_of_room,
            self._thing,
        )
        for rule in rules:
            found = rule(question, row)
            if found is not None:
                return found
        words = tuple(map(option_words, question.options))
        label = noun_of(question.subject) if row is None else self._scene.objects[row].label
        usual = usual_state(label, words) or Usual(words[0], 1.0 / len(words))
        rows = () if row is None else (row,)
        return ShortAnswer(usual.value, usual.share, rows, is_usual=True)

    def _more(self, question: Choose, row: int | None) -> ShortAnswer | None:
        """The side with more objects: "are there more chairs on my left or right?"."""
        of, options = question.subject, question.options
        if row is None or not isinstance(of, NounPhrase) or not is_several(of):
            return None
        if not all(isinstance(option, Related) for option in options):
            return None
        others = [c for c in of.conditions if c not in relations_to_viewer(of)]
        there = [replace(of, conditions=(*others, option)) for option in options]
        counts = [len(self._finder.counted_rows(phrase)) for phrase in there]
        most = max(counts)
        if counts.count(most) > 1:
            return None
        return ShortAnswer(option_words(options[counts.index(most)]), _CHOSEN)

    def _side(self, question: Choose, row: int | None) -> ShortAnswer | None:
        sides = [
            (option_words(option), bearing)
            for option in question.options
            if isinstance(option, Related) and (bearing := bearing_of(option.predicate)) is not None
        ]
        if row is None or len(sides) < 2:
            return None
        at = float(self._finder.around.bearing_rad[row])
        best, _ = max(sides, key=lambda side: math.cos(at - side[1]))
        return ShortAnswer(best, _CHOSEN, (row,))

    def _look(self, question: Choose, row: int | None) -> ShortAnswer | None:
        """An option by an attribute."""
        if row is None:
            return None
        thing, options = self._scene.objects[row], tuple(map(option_words, question.options))
        for key, of_key in attribute_values().items():
            values = {of_key[option]: option for option in options if option in of_key}
            if len(values) >= 2:
                found = attribute_of(thing, key)
                said = values.get(found.value, options[-1])
                return ShortAnswer(said, max(found.share, 1.0 / len(options)), (row,))
        stated = quick_attributes(thing).values()
        said = next((option for option in options if option in stated), "")
        return ShortAnswer(said, _CHOSEN, (row,)) if said else None

    def _kind_of_room(self, question: Choose, row: int | None) -> ShortAnswer | None:
        """The likeliest of several kinds of rooms."""
        del row
        kinds = {
            option_words(option): find_room(option_words(option)) for option in question.options
        }
        known = {words: self._room_weight(kind) for words, kind in kinds.items() if kind}
        if len(known) < len(kinds) or not any(known.values()):
            return None
        return ShortAnswer(max(known, key=lambda words: known[words]), _ROOM)

    def _thing(self, question: Choose, row: int | None) -> ShortAnswer | None:
        """The option that fits best, or that is nearest to the object in question."""
        classes, of = self._finder.classes, question.subject
        nouns = [option.noun for option in question.options if isinstance(option, Described)]
        if not isinstance(of, NounPhrase) or len(nouns) < len(question.options):
            return None
        if not all(classes.sure_labels(noun) for noun in nouns):
            return None
        if row is not None and of.noun and classes.sure_labels(of.noun):
            fits = 1.0 / (1.0 + self._scene.gaps_to_m(row))
        else:
            fits = self._finder.at(of) / (1.0 + self._finder.around.gap_m)
            for link in links(of):
                fits = fits * (self._finder.related(link, fits) + _LITTLE)
        worth = [float((fits * classes.named(noun)).max()) for noun in nouns]
        best = nouns[worth.index(max(worth))]
        return ShortAnswer(best, _CHOSEN, () if row is None else (row,))

    def _existence(self, phrase: NounPhrase, is_there: bool) -> ShortAnswer:
        """Yes or no to an existence question.

        A noun without objects means no, unless it may be no thing at all ("light").
        """
        if phrase.noun and not self._finder.classes.named(phrase.noun).any():
            return yes_or_no(not is_there and not is_known_thing(phrase.noun), _EXISTS)
        rows = self._finder.counted_rows(phrase)
        return yes_or_no(len(rows) > 0, _EXISTS, *rows[:_SHOWN].tolist())

    def _verify(self, subject: NounPhrase, condition: Condition) -> ShortAnswer:
        match condition:
            case Related(predicate="in view of"):
                return self._visibility(subject, condition)
            case Related(predicate="within reach"):
                return self._reachability(subject)
            case Related():
                whole = replace(subject, conditions=(*subject.conditions, condition))
                return self._existence(whole, is_there=False)
        return self._claim(subject, option_words(condition))

    def _claim(self, subject: NounPhrase, words: str) -> ShortAnswer:
        """Yes or no to a claim in words: things that it names must be there, else what is usual."""
        row = self._finder.find_named(subject)
        if row is None:
            return yes_or_no(False, _CLAIMED)
        thing = self._scene.objects[row]
        for key, of_key in attribute_values().items():
            if words in of_key:
                found = attribute_of(thing, key)
                return yes_or_no(found.value == of_key[words], found.share, row)
        for name in filter(is_known_thing, words.split()):
            # "Is the window covered by a curtain", "is somebody sitting on the chair".
            named = self._finder.classes.named(name) > 0.0
            named &= self._finder.classes.named(thing.label) == 0.0
            near = self._scene.gaps_to_m(row) <= _BESIDE_M
            return yes_or_no(bool((named & near).any()), _CLAIMED, row)
        share = state_share(thing.label, words)
        if share is None:
            return yes_or_no(True, _CLAIMED, row)
        return replace(yes_or_no(share >= 0.5, max(share, 1.0 - share), row), is_usual=True)

    def _sameness(self, question: Same) -> ShortAnswer:
        """Yes or no: whether two things share a property."""
        rows = [self._finder.find_named(subject) for subject in question.subjects]
        known, key = [row for row in rows if row is not None], question.key
        if len(known) < 2:
            return yes_or_no(key == "kind", _CLAIMED)
        things = [self._scene.objects[row] for row in known]
        values = {
            thing.label if key == "kind" else attribute_of(thing, key).value for thing in things
        }
        return yes_or_no(len(values) == 1, _CLAIMED, *known)

    def _room(self, words: str) -> ShortAnswer:
        """Yes or no to a kind of room by its objects; without words, the likeliest kind."""
        weights = {kind: self._room_weight(kind) for kind in room_kinds()}
        likeliest = max(weights, key=lambda kind: weights[kind])
        if not words:
            return ShortAnswer(likeliest, _ROOM)
        kind = find_room(words)
        is_so = kind is not None and weights[kind] >= _AS_LIKELY * weights[likeliest] > 0.0
        return yes_or_no(is_so, _ROOM)

    def _room_weight(self, kind: str) -> float:
        """What tells that the room is of a kind."""
        sure_labels = self._finder.classes.sure_labels
        return sum(weight for name, weight in room_weights(kind).items() if sure_labels(name))

    def _direction(self, goal: NounPhrase) -> ShortAnswer:
        """Direction in which to turn for the goal."""
        row = self._find_goal(goal)
        if row is None:
            return ShortAnswer("right", _GUESSED)
        bearing = float(self._finder.around.bearing_rad[row])
        if any(bearing_of(place.predicate) is not None for place in relations_to_viewer(goal)):
            # Its place is given: the question is over which side to turn.
            return ShortAnswer("right" if bearing > 0.0 else "left", _TURNED, (row,))
        return ShortAnswer(side_of(bearing), _TURNED, (row,))

    def _where(self, phrase: NounPhrase) -> ShortAnswer:
        """The side on which a thing lies; its place, where its side is known, or nobody stands
        anywhere."""
        row = self._finder.find_best(phrase) if phrase.noun else self._find_goal(phrase)
        if row is None:
            return ShortAnswer("right", _GUESSED)
        place = brief_landmark(self._scene, row)
        if place and (not self._stands or relations_to_viewer(phrase)):
            return ShortAnswer(place, _PLACED, (row,))
        return ShortAnswer(side_of(float(self._finder.around.bearing_rad[row])), _TURNED, (row,))

    def _visibility(self, phrase: NounPhrase, view: Related) -> ShortAnswer:
        """Yes if one of the objects is in front, or behind for an asker who turns around."""
        finder = self._finder
        fits = finder.classes.named(phrase.noun) if phrase.noun else finder.scores(phrase)
        rows = np.flatnonzero(fits > 0.0)
        off_rad = np.abs(finder.around.bearing_rad[rows])
        turned = Viewer(turned=True) in view.anchors
        in_view = off_rad >= math.pi - _SEEN_RAD if turned else off_rad <= _SEEN_RAD
        return yes_or_no(bool(in_view.any()), _IN_VIEW, *rows[:_SHOWN].tolist())

    def _reachability(self, phrase: NounPhrase) -> ShortAnswer:
        """Yes if the object is within an arm's length and a lean."""
        row = self._find_goal(phrase)
        if row is None:
            return yes_or_no(False, _IN_VIEW)
        return yes_or_no(bool(self._finder.around.gap_m[row] <= REACH_M), _IN_VIEW, row)

    def _clearance(self, way: Related) -> ShortAnswer:
        """Yes if no object blocks the way to a side."""
        around, scene = self._finder.around, self._scene
        knee = scene.floor_z + _KNEE_M
        standing = (scene.low[:, 2] < knee) & (scene.high[:, 2] > knee)
        ahead = around.towards(bearing_of(way.predicate) or 0.0, _PATH_RAD) > 0.0
        rows = np.flatnonzero(standing & ahead & (around.gap_m < _STEPS_M))
        return yes_or_no(not len(rows), _IN_VIEW, *rows[:_SHOWN].tolist())

    def _find_goal(self, goal: NounPhrase) -> int | None:
        """Row of the nearest object that the unread words name, or whose purpose they are."""
        classes = self._finder.classes
        fits = classes.by_purpose(goal.unread)
        for name in _names(goal.unread):
            if classes.sure_labels(name):
                fits = classes.named(name)
                break
        there = fits * self._finder.at(goal)
        fits = there if there.any() else fits
        if not fits.any():
            return None
        rows = np.flatnonzero(fits >= _TIED * fits.max())
        return int(rows[np.argmin(self._finder.around.gap_m[rows])])


def option_words(option: Condition) -> str:
    """An option in a word."""
    match option:
        case HasAttribute(value=value):
            return value
        case Described(noun=noun):
            return noun
        case Related(predicate=predicate):
            return _SIDES.get(predicate, predicate)


def side_of(bearing_rad: float) -> str:
    """Direction of a bearing, clockwise from ahead in (-pi, pi]."""
    if abs(bearing_rad) < _AHEAD_RAD:
        return "forward"
    if abs(bearing_rad) > _BACK_RAD:
        return "backward"
    return "right" if bearing_rad > 0.0 else "left"


def _names(words: tuple[str, ...]) -> list[str]:
    """Candidate names among the words, the longest first."""
    lengths = range(_LONGEST_NAME, 0, -1)
    return [" ".join(words[i : i + n]) for n in lengths for i in range(len(words) - n + 1)]


def _unused_words(
    question: SituatedQuestion, classes: Classes
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Nouns without objects or purpose here, and unread words beside a known noun."""
    unknown: list[str] = []
    unread: list[str] = []
    for phrase in _phrases(question):
        if phrase.noun == "room" or find_room(phrase.noun):
            continue
        if phrase.noun and classes.named(phrase.noun).any():
            unread += phrase.unread
        elif phrase.noun and not classes.by_purpose(tuple(phrase.noun.split())).any():
            unknown.append(phrase.noun)
    return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(unread))


def _phrases(tree: object) -> Iterator[NounPhrase]:
    """All noun phrases of a question or of a part of it."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from _phrases(part)
    elif is_dataclass(tree):
        if isinstance(tree, NounPhrase):
            yield tree
        for field in fields(tree):
            yield from _phrases(getattr(tree, field.name))
