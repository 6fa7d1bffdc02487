"""Fit of `language/rewording.npz` on pairs, and its measure on people who were not heard.

A pair is varied each time it is shown: its things, colours and numbers become others, in what is
heard and said alike (Jia and Liang, 2016, section 4), and what other people say besides stands
before or after it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from rich.progress import track
from torch import nn

from benchmarks.rewording_network import CopyNet, Pair, vocabularies
from scenemind.language import lexicon, trees
from scenemind.language.english import find_number, plural, singular
from scenemind.language.questions import read_text
from scenemind.language.rewording import (
    ALSO,
    BEFORE,
    MOST_SAID,
    MOST_WORDS,
    NOTHING,
    TELLS,
    Rewording,
    Rewriter,
    commands_of,
    source_words,
)
from scenemind.language.tokens import tokenize
from scenemind.language.vocabulary import Thesaurus
from scenemind.report.terminal import progress_console

PAIRS = Path(__file__).parent / "everyday"
_BATCH, _EPOCHS, _RATE, _NETWORKS = 64, 45, 2e-3, 2
_POOL = 20  # batches
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_COLOURS = sorted(word for word in lexicon.COLOURS if word.isalpha())
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "nine", "ten", "12", "15", "20")
_LIKELY = (0.3, 0.5, 0.7)
_PARTS = 4  # of the people, each to be left out once


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence of a person, what was said before it, and the plain sentences that it means.

    Attributes:
        tells: they are corrections, no questions.
    """

    text: str
    before: str
    meant: tuple[str, ...]
    tells: bool

    @property
    def pair(self) -> Pair:
        """Its words."""
        heard = source_words(self.text, self.before)
        each = (tuple(token.word for token in tokenize(sentence)) for sentence in self.meant)
        said = tuple(word for words in each for word in (ALSO, *words))[1:]
        said = tuple(_as_heard(word, heard) for word in said) or (NOTHING,)
        if self.tells and self.meant:
            said = (TELLS, *said)
        singulars = {singular(word) for word in heard}
        names = {name for name in map(singular, self._named()) if name in singulars}
        return Pair(heard, said, frozenset(names))

    def tree(self, text: str) -> object:
        """The tree of plain sentences of its kind.

        Raises:
            NotUnderstoodError: they are none.
        """
        return commands_of(text) if self.tells else read_text(text).question

    def _named(self) -> Iterator[str]:
        """Words of the nouns of what it means."""
        for sentence in self.meant:
            tree = self.tree(sentence)
            nouns = [phrase.noun for phrase in trees.noun_phrases(tree)]
            nouns += [f"{one.label} {one.denied}" for one in trees.parts_of(tree, trees.Rename)]
            nouns += [f"{one.label} {one.denied}" for one in trees.parts_of(tree, trees.IsA)]
            yield from (word for noun in nouns for word in noun.split() if len(word) > 2)


def read_rows(people: Sequence[str]) -> list[Row]:
    """Rows of files of pairs of these names."""
    found = []
    for name in people:
        for row in yaml.load((PAIRS / f"{name}.yaml").read_text(), yaml.CSafeLoader):
            tells = "say" in row
            meant = row["say" if tells else "ask"]
            each = tuple(filter(None, meant if isinstance(meant, list) else [meant]))
            found.append(Row(row["text"], row.get("after") or "", each, tells))
    return found


def bench_rewording(
    held_out: Sequence[str] = (), fit: bool = False, go_on: bool = False
) -> dict[str, Any]:
    """Shares of the sentences of people that are said again as the question or correction that was
    meant, by a network that heard none of them. How far it can be trusted is fitted on the other
    people who were tried, and on the same where there are none of their kind.

    Args:
        held_out: names of the files of these people.
        fit: write the packaged networks, of all files, and how far they can be trusted: fitted on
            what networks say of a quarter of the people each that they have not heard.
        go_on: start from the packaged networks, which takes a third of the time; `held_out` names
            people whom they have not heard, to fit the trust, which is then the mean of theirs and
            of the packaged one: people differ in how far they are understood.
    """
    names = [path.stem for path in sorted(PAIRS.glob("*.yaml"))]
    parts = [names[at::_PARTS] for at in range(_PARTS)] if fit else [list(held_out)]
    if go_on:
        heard = sorted(set(held_out) & set(_packaged()["people"].tolist()))
        if heard or not held_out:
            raise ValueError(f"held_out must name people not heard; {heard} were heard")
        parts = [list(held_out)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        running = [pool.submit(_tried_on, part, go_on) for part in parts if part]
        seeds = range(_NETWORKS if fit else 0)
        fitting = [pool.submit(_network, names, seed, go_on) for seed in seeds]
        waiting: list[Future[Any]] = [*running, *fitting]
        done = as_completed(waiting)
        for _ in track(done, "Fitting", len(waiting), console=progress_console()):
            pass
    tried = [one for part in running for one in part.result()]
    if not fit:
        return {one.name: one.measured(_packaged()["trust"]) for one in tried}
    path = files("scenemind.language").joinpath("rewording.npz")
    content = _content([network.result() for network in fitting], names)
    trust = _trust(tried)
    trust = (trust + _packaged()["trust"]) / 2.0 if go_on else trust
    np.savez_compressed(str(path), **(content | {"trust": trust}))
    return {
        one.name: one.measured(_trust([other for other in tried if other != one] or [one]))
        for one in tried
    }


def _tried_on(part: Sequence[str], go_on: bool) -> list[_Tried]:
    """What a network that has not heard some people makes of their sentences."""
    names = [path.stem for path in PAIRS.glob("*.yaml") if path.stem not in part]
    network = Rewriter(_content([_network(names, 0, go_on)], names))
    return [_Tried.of(network, name) for name in part]


@dataclass(frozen=True, eq=False, slots=True)
class _Tried:
    """What a network makes of the sentences of people that it has not heard.

    Attributes:
        tells: their sentences are corrections.
        likelihood: log likelihood of each first rewording of their kind that says something, (N,).
        same: whether it is what was meant, (N,).
        sentences: their number, and of those that were said as meant.
    """

    name: str
    tells: bool
    likelihood: NDArray[np.float64]
    same: NDArray[np.bool_]
    sentences: tuple[int, int]

    @classmethod
    def of(cls, network: Rewriter, name: str) -> _Tried:
        rows = read_rows([name])
        told, same, right = [], [], 0
        for row in rows:
            found = next(iter(network.rewordings(row.text, row.before)), Rewording("", 1.0))
            is_same = _is_same(found, row)
            right += is_same
            if found.text and found.tells == row.tells:
                told.append(np.log(found.likelihood))
                same.append(is_same)
        tells = any(row.tells for row in rows)
        return cls(name, tells, np.array(told), np.array(same), (len(rows), right))

    def measured(self, trust: NDArray[np.float64]) -> dict[str, Any]:
        """Shares as meant, of all and of those that are likely."""
        sentences, right = self.sentences
        shown: dict[str, Any] = {"sentences": sentences, "as meant": right / sentences}
        least, slope = trust[int(self.tells)]
        likelihood = _logistic(least + slope * self.likelihood)
        for least in _LIKELY:
            likely = self.same[likelihood >= least]
            shown[f"rewordings of likelihood {least} and more"] = len(likely)
            shown[f"as meant of those of {least}"] = likely.mean().item() if len(likely) else None
        return shown


def _trust(tried: Sequence[_Tried]) -> NDArray[np.float64]:
    """Weights (2, 2) of 1 and of the log likelihood, for questions and corrections; the packaged
    ones where none were tried."""
    kinds = [[one for one in tried if one.tells == tells] for tells in (False, True)]
    known: NDArray[np.float64] = _packaged()["trust"]
    return np.stack([_weights(one) if one else known[at] for at, one in enumerate(kinds)])


def _weights(tried: Sequence[_Tried]) -> NDArray[np.float64]:
    """A logistic regression (Platt, 1999), by Newton's method."""
    given = np.concatenate([one.likelihood for one in tried])
    given = np.stack((np.ones_like(given), given), axis=1)
    same = np.concatenate([one.same for one in tried])
    weights = np.zeros(2)
    for _ in range(20):
        chance = _logistic(given @ weights)
        bend = (given * (chance * (1.0 - chance))[:, None]).T @ given
        weights += np.linalg.solve(bend, given.T @ (same - chance))
    return weights


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-values))
    return chances


def _packaged() -> dict[str, Any]:
    path = files("scenemind.language").joinpath("rewording.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        return dict(content)


def _is_same(found: Rewording, row: Row) -> bool:
    """Whether a rewording means what a person meant; both may mean nothing."""
    if not found.text or not row.meant:
        return not found.text and not row.meant
    if found.tells != row.tells:
        return False
    return row.tree(found.text) == row.tree((". " if row.tells else "? ").join(row.meant))


def _content(networks: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """Content of `rewording.npz` of networks that learnt from files of these names."""
    heard, said = _vocabularies(read_rows(names))
    content: dict[str, Any] = {"heard": heard, "said": said, "networks": len(networks)}
    content["people"] = list(names)
    for number, weights in enumerate(networks):
        content |= {f"{number}/{name}": weight for name, weight in weights.items()}
    arrays = {name: np.asarray(value) for name, value in content.items()}
    return arrays | {"trust": np.array(((0.0, 1.0), (0.0, 1.0)))}


def _names_of_things() -> frozenset[str]:
    return frozenset(name for name in Thesaurus.load().known() if " " not in name)


def _vocabularies(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    return vocabularies([row.pair for row in rows], _names_of_things())


def _network(people: Sequence[str], seed: int, go_on: bool) -> dict[str, NDArray[np.float16]]:
    """Weights of a network that learnt from files of these names; `go_on`: from the packaged one
    of this number on."""
    torch.set_num_threads(1)
    chance = random.Random(seed)
    torch.manual_seed(seed)
    rows, names = read_rows(people), sorted(_names_of_things())
    pairs, asides = [row.pair for row in rows], list(_asides(rows))
    network = CopyNet(*_vocabularies(rows))
    epochs, rate = (_EPOCHS // 3, _RATE / 2) if go_on else (_EPOCHS, _RATE)
    if go_on:
        known = _packaged()
        weights = {name.partition("/")[2]: known[name] for name in known if name[0] == str(seed)}
        network.start_from(weights, known["heard"].tolist(), known["said"].tolist())
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-3)
    steps = -(-len(pairs) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=epochs * steps, pct_start=0.15
    )
    network.train()
    for _ in range(epochs):
        shown = [_varied(pair, names, asides, chance) for pair in chance.sample(pairs, len(pairs))]
        for batch in _batches(shown, chance):
            loss = network.loss(batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            schedule.step()
    return network.weights()


def _batches(pairs: Sequence[Pair], chance: random.Random) -> list[list[Pair]]:
    """Batches of pairs of like lengths, so that little is computed for padding."""
    found = []
    for start in range(0, len(pairs), _POOL * _BATCH):
        pool = list(pairs[start : start + _POOL * _BATCH])
        pool.sort(key=lambda pair: (len(pair.said), len(pair.heard)))
        found += [pool[at : at + _BATCH] for at in range(0, len(pool), _BATCH)]
    return chance.sample(found, len(found))


def _varied(
    pair: Pair, names: Sequence[str], asides: Sequence[tuple[str, ...]], chance: random.Random
) -> Pair:
    """A pair with other things, colours and numbers, and with something said besides."""
    swaps: dict[str, str] = {}
    if chance.random() < 0.75:
        for name in sorted(pair.names):
            if chance.random() < 0.8:
                other = chance.choice(names)
                swaps |= {name: other, plural(name): plural(other)}
    for word in sorted(set(pair.heard) & set(pair.said)):
        if word in lexicon.COLOURS and chance.random() < 0.4:
            swaps[word] = chance.choice(_COLOURS)
        elif (find_number(word) or 0) > 1 and chance.random() < 0.3:
            swaps[word] = chance.choice(_NUMBERS)
    heard = tuple(swaps.get(word, word) for word in pair.heard)
    said = tuple(swaps.get(word, word) for word in pair.said)
    if said != (NOTHING,) and BEFORE not in heard:
        if asides and chance.random() < 0.15:
            aside = chance.choice(asides)
            heard = (*aside, *heard) if chance.random() < 0.6 else (*heard, *aside)
        elif chance.random() < 0.06:
            heard = tuple(word for word in said if word not in (ALSO, TELLS))
    return replace(pair, heard=heard[:MOST_WORDS], said=said[:MOST_SAID])


def _asides(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """What people say besides what they ask: sentences that share no thing with the question."""
    for row in rows:
        parts = _SENTENCE_END.split(row.text)
        is_whole = len(parts) > 1 and row.meant and not row.before and not row.tells
        for part in parts if is_whole else ():
            words = tuple(token.word for token in tokenize(part))
            is_apart = row.pair.names.isdisjoint(map(singular, words))
            if "?" not in part and 1 < len(words) < 13 and is_apart:
                yield words


def _as_heard(word: str, heard: Sequence[str]) -> str:
    """A superlative in the word that was heard for it: "biggest" for "largest", to be copied."""
    ranks: Mapping[str, str] = lexicon.SUPERLATIVES
    if word in heard or word not in ranks:
        return word
    return next((other for other in heard if ranks.get(other) == ranks[word]), word)
