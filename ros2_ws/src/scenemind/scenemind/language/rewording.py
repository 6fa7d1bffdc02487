"""Everyday sentences said again as plain questions or corrections, by a small network that learnt
it from pairs.

People talk in more ways than shapes can hold. Where the grammars do not read a sentence, this says
it in words that they read: a sequence to sequence network with attention that copies words of the
sentence or says its own (CopyNet: Gu et al., 2016, section 3). It can say another thing than was
meant, and nothing worse: a question is read by the grammar and answered from the map, a correction
is shown to the person before anything is written.

It knows what words mean that no pair holds by their vectors (`word_vectors.py`).

`python -m benchmarks rewording --fit` makes `rewording.npz` from the pairs in
`benchmarks/everyday`, and measures it on people whom it has not heard.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon, trees
from scenemind.language.english import find_number, find_ordinal, is_plural, plural, singular
from scenemind.language.questions import read_text
from scenemind.language.spelling import thing_words
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.word_vectors import vectors_of

Words = tuple[str, ...]
_Array = NDArray[np.float32]
# Signs between words: what was said before, two questions, the end, the start, nothing to answer,
# and before corrections.
BEFORE, ALSO, END, START, NOTHING, TELLS = "|", ";", "</s>", "<s>", "<none>", "<tells>"
MOST_WORDS, MOST_SAID = 60, 32
ENDINGS = 256  # buckets of the last letters of words
_BEAM = 5
_LEAST = 1e-12  # chance
_HOPELESS = 4.0  # behind the best sentence, in log likelihood
_NEGLIGIBLE = 3.0  # behind it, where a likelier one is read
_ONE_WORD_RELATIONS = frozenset(form[0] for form in lexicon.RELATIONS if len(form) == 1)
_LOOKS = frozenset((*lexicon.SIZES, *lexicon.QUALITIES, *lexicon.LOOKS, *lexicon.MASSES))
_NAME = re.compile(r"\b[A-Z]\w*\b")  # a name, or the start of a sentence
_NO_NUMBER = re.compile(r"\D*")
_PRONOUNS, _DETERMINERS = lexicon.free_text("pronoun"), lexicon.DEFINITE | lexicon.INDEFINITE


@dataclass(frozen=True, slots=True)
class Rewording:
    """A sentence as a plain question or correction.

    Attributes:
        text: what the grammar of questions, or that of corrections, reads whole; empty where a map
            of objects answers nothing of the sort.
        likelihood: that it says what was meant, in [0, 1]; of the rewordings of a sentence the sum
            is at most 1.
        tells: it is a correction.
    """

    text: str
    likelihood: float
    tells: bool = False


def source_words(text: str, before: str = "") -> Words:
    """What the network reads.

    Args:
        before: the sentence that was said before.
    """
    said = tuple(token.word for token in tokenize(text))[:MOST_WORDS]
    told = tuple(token.word for token in tokenize(before))[: MOST_WORDS - len(said)]
    return (*told, BEFORE, *said) if told else said


@lru_cache(maxsize=4096)
def features_of(word: str) -> tuple[bool, ...]:
    """What the lexicon tells of a word: it counts where the network never met the word."""
    return (
        word in thing_words() or singular(word) in thing_words(),
        word in lexicon.COLOURS,
        word in _LOOKS,
        word in lexicon.SUPERLATIVES or word in lexicon.RANKS,
        word in lexicon.COMPARATIVES,
        word in _ONE_WORD_RELATIONS,
        find_number(word) is not None or word[:1].isdigit(),
        find_ordinal(word) is not None,
        is_plural(word),
        word in _DETERMINERS,
        word in _PRONOUNS,
        word in lexicon.ANYTHING or word in lexicon.ANYBODY,
    )


def ending_of(word: str) -> int:
    """Bucket of a word's last letters."""
    return crc32(word[-3:].encode()) % ENDINGS


@lru_cache(maxsize=4096)
def other_number(word: str) -> str:
    """The singular of a plural, the plural of other words."""
    return singular(word) if is_plural(word) else plural(word)


def reworded(text: str, before: str = "") -> Rewording | None:
    """A sentence as a plain question; see `Rewriter.reworded`."""
    return _packaged().reworded(text, before)


def as_correction(text: str, before: str = "") -> Rewording | None:
    """A sentence as plain corrections; see `Rewriter.reworded`."""
    return _packaged().reworded(text, before, tells=True)


def commands_of(text: str) -> tuple[trees.Command, ...]:
    """The commands of plain corrections, in sentences.

    Raises:
        NotUnderstoodError: one is none.
    """
    # A question needs no grammar of corrections, which takes 0.1 s to import.
    from scenemind.language.corrections.grammar import parse_commands

    each = text.removesuffix(".").split(". ")
    return tuple(command for sentence in each for command in parse_commands(sentence))


def _sentences_of(said: Words, names: Mapping[str, str]) -> Words:
    """The sentences of what the network says; none where it says that there is nothing to answer.

    Args:
        names: as they are written, by their lower-case words.
    """
    if said == (NOTHING,):
        return ()
    parts = " ".join(names.get(word, word) for word in said).split(f" {ALSO} ")
    return tuple(part.replace(" ,", ",").replace(" :", ":").replace(" i ", " I ") for part in parts)


def _cannot_be(command: object) -> bool:
    """Whether a thing is said to be what it is called or is said not to be, to belong to a number
    or a thing, or to be named after one; or whether a material is what is spoken of: "the metal is
    made of tin"."""
    noun = getattr(getattr(command, "subject", None), "noun", "")
    is_material = noun in lexicon.MASSES or lexicon.LOOKS.get(noun, ("",))[0] == "material"
    if is_material and noun not in thing_words():
        return True
    match command:
        case trees.Rename() | trees.IsA():
            return command.label in (command.denied, noun)
        case trees.SetAttribute(key="name", value=value):
            of_others = thing_words().difference(noun.split())
            return not of_others.isdisjoint(value.split())  # "couch bertie"
        case trees.SetAttribute(key="owner", value=value):
            return not _NO_NUMBER.fullmatch(value) or singular(value) in thing_words()
        case trees.SetAttribute():
            return command.denied == command.value
    return False


def _compares_with_itself(question: trees.Question) -> bool:
    """Whether a thing is measured or compared against itself: "how far is the cup from the cup"."""
    match question:
        case trees.Distance(first=trees.NounPhrase(count=None) as first, second=second):
            return first == second
        case trees.Compare(options=options, rank=rank):
            return len({*options, rank.anchor}) <= len(options)
    return False


def _meant(sentences: Words, tells: bool) -> tuple[trees.Question | trees.Command, ...] | None:
    """The trees of sentences that are read whole, each; None where one is not."""
    found: list[trees.Question | trees.Command] = []
    for sentence in sentences:
        try:
            if tells:
                found += commands_of(sentence)
                if any(map(_cannot_be, found)):
                    return None
                continue
            read = read_text(sentence)
        except NotUnderstoodError:
            return None
        if read.remarks or read.missed or _compares_with_itself(read.question):
            return None
        found.append(read.question)
    return tuple(found)


class Rewriter:
    """Networks of one shape that decide together; may be used from several threads at once."""

    def __init__(self, content: Mapping[str, NDArray[np.generic]]) -> None:
        """
        Args:
            content: `heard` and `said`, the words that are known; weights by the number of the
                network and their name; and `trust`, for questions and corrections the two weights
                of the log likelihood that it is what was meant (2, 2), as
                `benchmarks/rewording.py` writes them.
        """
        self._trust = content["trust"].astype(np.float64)
        self._heard = {str(word): at for at, word in enumerate(content["heard"])}
        self._said = [str(word) for word in content["said"]]
        self._own = frozenset(self._said)
        self._parts = [
            {
                name.partition("/")[2]: content[name].astype(np.float32)
                for name in content
                if name.startswith(f"{number}/")
            }
            for number in range(int(content["networks"]))
        ]

    def reworded(self, text: str, before: str = "", *, tells: bool = False) -> Rewording | None:
        """A sentence as the likeliest plain question, with its likelihood that people whom the
        networks never heard meant it; None where none is read whole.

        Args:
            before: the sentence that was said before, which "it" may refer to.
            tells: as corrections instead.
        """
        found = next(iter(self.rewordings(text, before, tells=tells)), None)
        if found is None:
            return None
        least, slope = self._trust[int(tells)]
        odds = least + slope * np.log(max(found.likelihood, _LEAST))
        return replace(found, likelihood=float(1.0 / (1.0 + np.exp(-odds))))

    def rewordings(
        self, text: str, before: str = "", *, tells: bool | None = None
    ) -> list[Rewording]:
        """What a sentence may ask or correct, a wording of each meaning, the likeliest first; with
        the likelihood that the networks give them, which is too sure of new people.

        Args:
            tells: of corrections or of questions alone; None: of both.
        """
        words = source_words(text, before)
        likelihoods: defaultdict[tuple[bool, object], float] = defaultdict(float)
        best_said: dict[tuple[bool, object], tuple[float, str]] = {}
        sentences = sorted(self._sentences(words), reverse=True) if words else []
        written = ((word.lower(), word) for word in _NAME.findall(text))
        names = {word: name for word, name in written if word not in self._own}
        for log_likelihood, said in sentences:
            if best_said and log_likelihood < sentences[0][0] - _NEGLIGIBLE:
                break
            is_told = said[:1] == (TELLS,)
            if tells not in (None, is_told):
                continue
            each = _sentences_of(said[int(is_told) :], names)
            meant = _meant(each, is_told)
            if meant is not None:
                likelihoods[is_told, meant] += float(np.exp(log_likelihood))
                way = log_likelihood, (". " if is_told else "? ").join(each)
                best_said[is_told, meant] = max(way, best_said.get((is_told, meant), way))
        ordered = sorted(likelihoods, key=likelihoods.__getitem__, reverse=True)
        return [
            Rewording(best_said[one][1], min(likelihoods[one], 1.0), tells=one[0])
            for one in ordered
        ]

    def _sentences(self, words: Words) -> Iterator[tuple[float, Words]]:
        """What the words are said again as, with its log likelihood, by a beam search."""
        readers = [_Reader(part, self._vectors(part, words)) for part in self._parts]
        choices = (*self._said, *words, *map(other_number, words))
        beam: list[tuple[float, Words]] = [(0.0, ())]
        states = [(reader.state, np.zeros_like(reader.state)) for reader in readers]
        best = -np.inf
        for _ in range(MOST_SAID):
            last = [said[-1] if said else START for _, said in beam]
            chances = np.zeros((len(beam), len(choices)), np.float32)
            for at, reader in enumerate(readers):
                vectors = self._vectors(self._parts[at], last)
                shares, state, context = reader.step(vectors, *states[at])
                chances += shares / len(readers)
                states[at] = state, context
            grown = [
                (sure + float(np.log(chance)), row, (*said, word))
                for row, (sure, said) in enumerate(beam)
                for word, chance in _best(chances[row], choices)
            ]
            kept = []
            for sure, row, said in sorted(grown, reverse=True)[:_BEAM]:
                if said[-1] == END:
                    best = max(best, sure)
                    yield sure, said[:-1]
                elif sure > best - _HOPELESS:
                    kept.append((sure, row, said))
            if not kept:
                return
            rows = [row for _, row, _ in kept]
            beam = [(sure, said) for sure, _, said in kept]
            states = [(state[rows], context[rows]) for state, context in states]

    def _vectors(self, part: Mapping[str, _Array], words: Sequence[str]) -> _Array:
        """Vectors (N, E) of words."""
        known = part["heard"][[self._heard.get(word, 0) for word in words]]
        ends = part["endings"][[ending_of(word) for word in words]]
        told = np.array([features_of(word) for word in words], np.float32)
        told = told @ part["features.weight"].T + part["features.bias"]
        of_all = np.concatenate((known, ends, told, vectors_of(words)), axis=1)
        return np.tanh(of_all @ part["mix.weight"].T + part["mix.bias"])


def _best(chances: _Array, choices: Sequence[str]) -> list[tuple[str, float]]:
    """The likeliest words and their chances; a word may be several choices, copied and said."""
    of_word: defaultdict[str, float] = defaultdict(float)
    for choice in np.argpartition(-chances, 3 * _BEAM)[: 3 * _BEAM]:
        of_word[choices[choice]] += float(chances[choice])
    likeliest = sorted(of_word.items(), key=lambda word: word[1], reverse=True)[:_BEAM]
    return [(word, max(chance, _LEAST)) for word, chance in likeliest]


class _Reader:
    """A sentence as one network has read it."""

    def __init__(self, part: Mapping[str, _Array], vectors: _Array) -> None:
        """
        Args:
            vectors: of its words, (N, E).
        """
        self._part = part
        first, _ = _both_ways(part, "first", vectors)
        second, ends = _both_ways(part, "second", first)
        self._read = first + second
        self.state = np.tanh(ends @ part["start.weight"].T + part["start.bias"])[None]

    def step(self, last: _Array, state: _Array, context: _Array) -> tuple[_Array, _Array, _Array]:
        """Chances (B, V + 2 N) of the network's words, of words to copy, and of those in the other
        number; and what it goes on with.

        Args:
            last: vectors (B, E) of the words said last. state, context: (B, D).
        """
        part, read = self._part, self._read
        given = np.concatenate((last, context), axis=1)
        state = _gated(part, "say", _inputs(part, "say", given), state)
        context = _shares(state @ part["attend.weight"].T @ read.T) @ read
        both = np.concatenate((state, context), axis=1)
        out = np.tanh(both @ part["out.weight"].T + part["out.bias"])
        own = out @ part["word.weight"].T + part["word.bias"]
        copied = out @ part["copy.weight"].T @ read.T
        other = out @ part["other.weight"].T @ read.T
        return _shares(np.concatenate((own, copied, other), axis=1)), state, context


def _both_ways(part: Mapping[str, _Array], name: str, vectors: _Array) -> tuple[_Array, _Array]:
    """States (N, D) of a gated recurrent layer that reads both ways, and its last ones (D,)."""
    forth = list(_states(part, f"{name}.forth", vectors))
    back = list(_states(part, f"{name}.back", vectors[::-1]))
    read = np.concatenate((np.concatenate(forth), np.concatenate(back[::-1])), axis=1)
    return read, np.concatenate((forth[-1][0], back[-1][0]))


def _states(part: Mapping[str, _Array], name: str, vectors: _Array) -> Iterator[_Array]:
    state = np.zeros((1, part[f"{name}.hidden.weight"].shape[1]), np.float32)
    for new in _inputs(part, name, vectors):
        state = _gated(part, name, new[None], state)
        yield state


def _inputs(part: Mapping[str, _Array], name: str, given: _Array) -> _Array:
    """What a gated recurrent unit makes of what it is given (N, E), for its gates: (N, 3 D)."""
    made: _Array = given @ part[f"{name}.input.weight"].T + part[f"{name}.input.bias"]
    return made


def _gated(part: Mapping[str, _Array], name: str, new: _Array, state: _Array) -> _Array:
    """The next state (B, D) of a gated recurrent unit (Cho et al., 2014), with its inputs
    (B, 3 D)."""
    old = state @ part[f"{name}.hidden.weight"].T + part[f"{name}.hidden.bias"]
    size = state.shape[1]
    gates = 1.0 / (1.0 + np.exp(-(new[:, : 2 * size] + old[:, : 2 * size])))
    reset, keep = gates[:, :size], gates[:, size:]
    fresh = np.tanh(new[:, 2 * size :] + reset * old[:, 2 * size :])
    mixed: _Array = ((1.0 - keep) * fresh + keep * state).astype(np.float32, copy=False)
    return mixed


def _shares(scores: _Array) -> _Array:
    """Softmax over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: _Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares


@cache
def _packaged() -> Rewriter:
    """The packaged networks."""
    path = files("scenemind.language").joinpath("rewording.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        return Rewriter(dict(content))
