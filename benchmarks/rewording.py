"""Fit of `language/rewording.npz` on pairs, and its measure on people who were not heard.

A pair is varied each time it is shown: its things, colours and numbers become others, in what is
heard and said alike (Jia and Liang, 2016, section 4), and what other people say besides stands
before or after it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
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
    Rewriter,
    source_words,
)
from scenemind.language.tokens import NotUnderstoodError, tokenize
from scenemind.language.vocabulary import Thesaurus
from scenemind.report.terminal import progress_console

PAIRS = Path(__file__).parent / "everyday"
_BATCH, _EPOCHS, _RATE = 48, 60, 2e-3
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_COLOURS = sorted(word for word in lexicon.COLOURS if word.isalpha())
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "nine", "ten", "12", "15", "20")
_LIKELY = (0.3, 0.5, 0.7)


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence of a person, what was said before it, and what it asks."""

    text: str
    before: str
    asks: tuple[str, ...]

    @property
    def pair(self) -> Pair:
        """Its words."""
        heard = source_words(self.text, self.before)
        asked = (tuple(token.word for token in tokenize(ask)) for ask in self.asks)
        said = tuple(word for ask in asked for word in (ALSO, *ask))[1:]
        said = tuple(_as_heard(word, heard) for word in said) or (NOTHING,)
        singulars = {singular(word) for word in heard}
        names = {name for name in map(singular, self._named()) if name in singulars}
        return Pair(heard, said, frozenset(names))

    def _named(self) -> Iterator[str]:
        """Last words of the nouns of what it asks."""
        for ask in self.asks:
            for phrase in trees.noun_phrases(read_text(ask).question):
                yield from (word for word in phrase.noun.split() if len(word) > 2)


def read_rows(people: Sequence[Path]) -> list[Row]:
    """Rows of files of pairs."""
    found = []
    for path in people:
        for row in yaml.safe_load(path.read_text()):
            asks = row["ask"] if isinstance(row["ask"], list) else [row["ask"]]
            found.append(
                Row(row["text"], row.get("after") or "", tuple(ask for ask in asks if ask))
            )
    return found


def bench_rewording(held_out: Sequence[str] = (), fit: bool = False) -> dict[str, Any]:
    """Shares of the sentences of files that are said again as the question that was meant, by a
    network that learnt from the other files.

    Args:
        held_out: names of the files to be left out in turn.
        fit: write the packaged networks, of all files.
    """
    people = sorted(PAIRS.glob("*.yaml"))
    measured = {}
    for left_out in [path for path in people if path.stem in held_out]:
        rows = read_rows([path for path in people if path != left_out])
        content = _content(rows, networks=1)
        measured[left_out.stem] = _measured(Rewriter(content), read_rows([left_out]))
    if fit:
        rows = read_rows(people)
        path = files("scenemind.language").joinpath("rewording.npz")
        np.savez_compressed(str(path), **_content(rows, networks=2))
    return measured


def _measured(network: Rewriter, rows: Sequence[Row]) -> dict[str, Any]:
    found = []
    for row in rows:
        said = network.reworded(row.text, row.before)
        asked = said.text if said else None
        found.append((said.likelihood if said else 0.0, asked, _is_same(asked, row.asks)))
    shown: dict[str, Any] = {
        "sentences": len(rows),
        "as meant": float(np.mean([same for *_, same in found])),
    }
    for least in _LIKELY:
        likely = [same for sure, asked, same in found if sure >= least and asked]
        shown[f"questions of likelihood {least} and more"] = len(likely)
        shown[f"as meant of those of {least}"] = float(np.mean(likely)) if likely else None
    return shown


def _is_same(asked: str | None, meant: Sequence[str]) -> bool:
    """Whether a question is the one that was meant."""
    if asked is None or not asked or not meant:
        return asked is not None and not asked and not meant
    try:
        return read_text(asked).question == read_text("? ".join(meant)).question
    except NotUnderstoodError:
        return False


def _content(rows: Sequence[Row], networks: int) -> dict[str, Any]:
    """Content of `rewording.npz`."""
    pairs = [row.pair for row in rows]
    names = frozenset(name for name in Thesaurus.load().known() if " " not in name)
    heard, said = vocabularies(pairs, names)
    content: dict[str, Any] = {"heard": heard, "said": said, "networks": networks}
    asides = list(_asides(rows))
    for number in range(networks):
        network = _trained(pairs, heard, said, sorted(names), asides, seed=number)
        weights = network.weights()
        content |= {f"{number}/{name}": weight for name, weight in weights.items()}
    return {name: np.asarray(value) for name, value in content.items()}


def _trained(
    pairs: Sequence[Pair],
    heard: Sequence[str],
    said: Sequence[str],
    names: Sequence[str],
    asides: Sequence[tuple[str, ...]],
    seed: int,
) -> CopyNet:
    chance = random.Random(seed)
    torch.manual_seed(seed)
    network = CopyNet(heard, said)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=1e-3)
    steps = -(-len(pairs) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, _RATE, total_steps=_EPOCHS * steps, pct_start=0.15
    )
    network.train()
    for _ in track(range(_EPOCHS), "Fitting", console=progress_console()):
        order = chance.sample(pairs, len(pairs))
        for at in range(0, len(order), _BATCH):
            shown = [_varied(pair, names, asides, chance) for pair in order[at : at + _BATCH]]
            loss = network.loss(shown)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            schedule.step()
    return network


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
            heard = tuple(word for word in said if word != ALSO)
    return replace(pair, heard=heard[:MOST_WORDS], said=said[:MOST_SAID])


def _asides(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """What people say besides what they ask: sentences that share no thing with the question."""
    for row in rows:
        parts = _SENTENCE_END.split(row.text)
        for part in parts if len(parts) > 1 and row.asks and not row.before else ():
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
