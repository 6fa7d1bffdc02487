"""The fit of rewordings: what is trained is what is packaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from scenemind.language.questions import read_text
from scenemind.language.rewording import END, NOTHING, START, Rewriter, commands_of
from scenemind.language.tokens import tokenize

PAIRS = Path(__file__).parents[3] / "benchmarks" / "everyday"


@pytest.mark.parametrize("path", sorted(PAIRS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_plain_sentence_is_read_whole(path: Path) -> None:
    for row in yaml.load(path.read_text(), yaml.CSafeLoader):
        meant = row.get("ask", row.get("say"))
        for sentence in filter(None, meant if isinstance(meant, list) else [meant]):
            if "say" in row:
                assert commands_of(sentence), sentence
                continue
            said = read_text(sentence)
            assert not said.remarks, sentence
            assert not said.missed, sentence


@pytest.mark.extras
def test_a_network_that_has_learnt_a_pair_says_it_in_numpy() -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.rewording_network import CopyNet, Pair

    heard = tuple(token.word for token in tokenize("where on earth did the kettle go"))
    said = tuple(token.word for token in tokenize("where is the kettle?"))
    words = ["", START, *sorted(set(heard) - {"kettle"})]
    own = sorted({*said, END, NOTHING} - {"kettle"})
    torch.manual_seed(0)
    network = CopyNet(words, own, drop=0.0)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    for _ in range(60):
        loss = network.loss([Pair(heard, said)], hidden=0.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    content = {f"0/{name}": weight for name, weight in network.weights().items()}
    named = {"heard": np.array(words), "said": np.array(own), "networks": np.array(1)}
    rewriter = Rewriter({**content, **named, "trust": np.zeros((2, 2))})
    found, *_ = rewriter.rewordings("where on earth did the kettle go")
    assert found.text == "where is the kettle"
    # The loss is the mean negative log likelihood of the five words said, the end among them.
    assert np.log(found.likelihood) == pytest.approx(-5 * loss.item(), abs=0.05)
