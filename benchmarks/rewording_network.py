"""The network of `scenemind.language.rewording` in torch, to be trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from scenemind.language.rewording import (
    ALSO,
    END,
    ENDINGS,
    NOTHING,
    START,
    TELLS,
    Words,
    ending_of,
    features_of,
    other_number,
)
from scenemind.language.word_vectors import vectors_of

_WIDTH, _DEPTH, _SMALL = 96, 128, 32
_FEATURES, _MEANING = len(features_of("chair")), vectors_of(["chair"]).shape[1]
_NEVER = -1e9


@dataclass(frozen=True, slots=True)
class Pair:
    """What a person says, and the plain sentences in words; `names` are those of things in both, in
    the singular."""

    heard: Words
    said: Words
    names: frozenset[str] = frozenset()


class CopyNet(nn.Module):
    """Words in, words out or copied: CopyNet (Gu et al., 2016, section 3) of gated recurrent
    units."""

    def __init__(self, heard: Sequence[str], said: Sequence[str], drop: float = 0.35) -> None:
        super().__init__()
        self.said = {word: at for at, word in enumerate(said)}
        self._heard = {word: at for at, word in enumerate(heard)}
        self.of_heard = nn.Embedding(len(heard), _WIDTH)
        self.of_endings = nn.Embedding(ENDINGS, _SMALL)
        self.features = nn.Linear(_FEATURES, _SMALL)
        self.mix = nn.Linear(_WIDTH + 2 * _SMALL + _MEANING, _WIDTH)
        self.first = nn.GRU(_WIDTH, _DEPTH // 2, bidirectional=True, batch_first=True)
        self.second = nn.GRU(_DEPTH, _DEPTH // 2, bidirectional=True, batch_first=True)
        self.start = nn.Linear(_DEPTH, _DEPTH)
        self.say = nn.GRUCell(_WIDTH + _DEPTH, _DEPTH)
        self.attend, self.copy, self.other = (
            nn.Linear(_DEPTH, _DEPTH, bias=False) for _ in range(3)
        )
        self.out = nn.Linear(2 * _DEPTH, _DEPTH)
        self.word = nn.Linear(_DEPTH, len(said))
        self.drop, self.drop_meaning = nn.Dropout(drop), nn.Dropout(drop / 2)

    def loss(self, pairs: Sequence[Pair], hidden: float = 0.2) -> torch.Tensor:
        """Mean negative log likelihood a word of what is said.

        Args:
            hidden: share of the words whose identity is hidden, so that features count.
        """
        heard = [pair.heard for pair in pairs]
        said = [(*pair.said, END) for pair in pairs]
        vectors = self._vectors(heard, hidden)
        lengths = torch.tensor([len(words) for words in heard])
        is_word = torch.arange(vectors.shape[1])[None] < lengths[:, None]
        read, state = self._read(vectors, lengths)
        last = self._vectors([(START, *words[:-1]) for words in said], hidden)
        ways, counts = self._ways(heard, said, vectors.shape[1])
        context, told = torch.zeros_like(state), []
        for at in range(ways.shape[1]):
            state = self.say(torch.cat((last[:, at], context), -1), state)
            near = torch.einsum("bd,bnd->bn", self.attend(state), read)
            shares = near.masked_fill(~is_word, _NEVER).softmax(-1)
            context = torch.einsum("bn,bnd->bd", shares, read)
            told.append(torch.cat((state, context), -1))
        out = self.drop(torch.tanh(self.out(torch.stack(told, 1))))
        copied = [
            torch.einsum("btd,bnd->btn", layer(out), read).masked_fill(~is_word[:, None], _NEVER)
            for layer in (self.copy, self.other)
        ]
        chances = torch.cat((self.word(out), *copied), -1).log_softmax(-1)
        right = torch.logsumexp(chances.masked_fill(~ways, _NEVER), -1)
        return -(right * counts).sum() / counts.sum()

    def weights(self) -> dict[str, NDArray[np.float16]]:
        """Weights by the names that `scenemind.language.rewording` reads."""
        return {
            name: weight.detach().numpy().astype(np.float16)
            for name, weight in self._named_weights().items()
        }

    def start_from(
        self, weights: Mapping[str, NDArray[np.generic]], heard: Sequence[str], said: Sequence[str]
    ) -> None:
        """Take over weights of a network that heard and said other words: those of words that both
        know, and of all that is no word."""
        own = {"heard": list(self._heard), "word.weight": list(self.said)}
        own["word.bias"] = own["word.weight"]
        for name, weight in self._named_weights().items():
            known = torch.from_numpy(weights[name].astype(np.float32))
            words = own.get(name)
            if words is None:
                weight.data.copy_(known)
                continue
            row_of = {word: row for row, word in enumerate(heard if name == "heard" else said)}
            for row, word in enumerate(words):
                if word in row_of:
                    weight.data[row] = known[row_of[word]]

    def _named_weights(self) -> dict[str, torch.Tensor]:
        found = {"heard": self.of_heard.weight, "endings": self.of_endings.weight}
        for name in ("features", "mix", "start", "attend", "copy", "other", "out", "word"):
            layer: nn.Linear = getattr(self, name)
            found[f"{name}.weight"] = layer.weight
            if layer.bias is not None:
                found[f"{name}.bias"] = layer.bias
        units = [("say", self.say, "")]
        for name, layer in (("first", self.first), ("second", self.second)):
            units += [(f"{name}.forth", layer, "_l0"), (f"{name}.back", layer, "_l0_reverse")]
        for name, layer, end in units:
            for part, of in (("input", "ih"), ("hidden", "hh")):
                found[f"{name}.{part}.weight"] = getattr(layer, f"weight_{of}{end}")
                found[f"{name}.{part}.bias"] = getattr(layer, f"bias_{of}{end}")
        return found

    def _vectors(self, texts: Sequence[Words], hidden: float) -> torch.Tensor:
        shape = len(texts), max(map(len, texts))
        known, ends = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        told = np.zeros((*shape, _FEATURES), np.float32)
        meant = np.zeros((*shape, _MEANING), np.float32)
        for row, words in enumerate(texts):
            meant[row, : len(words)] = vectors_of(words)
            for at, word in enumerate(words):
                known[row, at] = self._heard.get(word, 0)
                ends[row, at] = ending_of(word)
                told[row, at] = features_of(word)
        kept = torch.from_numpy(known) * (torch.rand(shape) >= hidden)
        parts = (
            self.of_heard(kept),
            self.of_endings(torch.from_numpy(ends)),
            self.features(torch.from_numpy(told)),
        )
        mixed = self.drop(torch.cat(parts, -1)), self.drop_meaning(torch.from_numpy(meant))
        return torch.tanh(self.mix(torch.cat(mixed, -1)))

    def _read(
        self, vectors: torch.Tensor, lengths: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(vectors, lengths, True, enforce_sorted=False)
        first, _ = nn.utils.rnn.pad_packed_sequence(self.first(packed)[0], True)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(first), lengths, True, enforce_sorted=False
        )
        second, ends = self.second(packed)
        read = nn.utils.rnn.pad_packed_sequence(second, True)[0] + first
        return read, torch.tanh(self.start(torch.cat((ends[0], ends[1]), -1)))

    def _ways(
        self, heard: Sequence[Words], said: Sequence[Words], longest: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Which choices (B, T, V + 2 N) give each word; and which words can be said, (B, T)."""
        own = len(self.said)
        ways = np.zeros((len(said), max(map(len, said)), own + 2 * longest), bool)
        for row, (words, targets) in enumerate(zip(heard, said, strict=True)):
            others = [other_number(word) for word in words]
            for at, target in enumerate(targets):
                if target in self.said:
                    ways[row, at, self.said[target]] = True
                for place, (word, other) in enumerate(zip(words, others, strict=True)):
                    ways[row, at, own + place] = word == target
                    ways[row, at, own + longest + place] = other == target != word
        counts = torch.from_numpy(ways.any(-1).astype(np.float32))
        return torch.from_numpy(ways), counts


def vocabularies(pairs: Sequence[Pair], names: frozenset[str]) -> tuple[list[str], list[str]]:
    """Words to be heard, and words to be said that are not always copied.

    Args:
        names: of things in the singular: they are told by their features, and copied.
    """
    heard = Counter(word for pair in pairs for word in pair.heard)
    known = [w for w, n in heard.items() if n > 1 and not {w, other_number(w)} & names]
    own = Counter(word for pair in pairs for word in pair.said if word not in pair.heard)
    both = Counter(word for pair in pairs for word in pair.said)
    said = [w for w, n in both.items() if n > 1 and own[w] > 1]
    return ["", *sorted({*known, START})], sorted({*said, END, NOTHING, ALSO, TELLS})
