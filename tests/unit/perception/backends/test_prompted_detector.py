"""Words as an input: what a detector with a changeable vocabulary promises."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.frames import RGBDFrame
from scenemind.perception import PerceptionError
from scenemind.perception.backends.prompted_detector import PromptedDetector, encoder_of, padded
from scenemind.perception.protocols import OpenVocabularyDetector, TextEncoder
from scenemind.perception.text import default_vocabulary

SIZE = 64
UNUSED_SCORE = 0.99


class ColourNetwork:
    """Finds one box, as wide as the picture, and gives it the word whose vector fits its colour.

    Slots beyond the words fire too, as those of a careless export do.
    """

    fixed_size = (SIZE, SIZE)
    runtime = "numpy"
    metadata: Mapping[str, str] = {"text_encoder": "clip_vit_b32"}

    def __init__(self, slots: int | None = 6, dimension: int = 3) -> None:
        self.texts_shape = (slots, dimension)

    def run(self, images: np.ndarray, texts: np.ndarray | None = None) -> list[np.ndarray]:
        assert texts is not None
        assert self.texts_shape[0] in (None, texts.shape[1])
        scores = texts[0, :, :3] @ images[0].mean(axis=(1, 2))
        slot = int(scores.argmax())
        unused = np.array([5, 5, 30, 30, UNUSED_SCORE, 5], np.float32)
        box = np.array([0, 0, SIZE, SIZE, scores[slot], slot], np.float32)
        return [np.stack((unused, box, np.zeros(6, np.float32)))[None]]


class Colours:
    """The vectors of three colours."""

    name = "colours"
    dimension = 3
    known = ("red", "green", "blue", "white")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        vectors = {**dict(zip(self.known, np.eye(3), strict=False)), "white": np.full(3, 3**-0.5)}
        if unknown := [text for text in texts if text not in vectors]:
            raise PerceptionError(f"{unknown} cannot be embedded")
        return np.array([vectors[text] for text in texts], np.float32)


def detector(slots: int | None = 6, **settings: object) -> PromptedDetector:
    config = DetectorConfig.model_validate({"vocabulary": ["red", "green"], **settings})
    return PromptedDetector(ColourNetwork(slots), Colours(), config, "colours")


def painted(frame: RGBDFrame, rgb: tuple[int, int, int]) -> RGBDFrame:
    return replace(frame, color=np.full_like(frame.color, rgb))


def test_it_is_an_open_vocabulary_detector_and_says_what_runs() -> None:
    made = detector()
    assert isinstance(made, OpenVocabularyDetector)
    assert made.name == "colours (numpy)"
    assert made.vocabulary == ("red", "green")


def test_the_vocabulary_names_what_is_found(frame: RGBDFrame) -> None:
    made = detector()
    assert made.detect(painted(frame, (255, 0, 0))).labels == ("red",)
    made.set_vocabulary(["blue", "Red"])
    assert made.detect(painted(frame, (255, 0, 0))).labels == ("red",)
    assert made.detect(painted(frame, (0, 0, 255))).labels == ("blue",)
    assert made.vocabulary == ("blue", "red")


@pytest.mark.parametrize("slots", [6, None])
def test_slots_without_a_word_never_count(frame: RGBDFrame, slots: int | None) -> None:
    found = detector(slots).detect(painted(frame, (255, 0, 0)))
    assert UNUSED_SCORE not in found.scores.round(2)
    assert found.labels == ("red",)


def test_only_wanted_classes_are_kept(frame: RGBDFrame) -> None:
    made = detector(classes=["green"])
    assert len(made.detect(painted(frame, (255, 0, 0)))) == 0
    assert made.detect(painted(frame, (0, 255, 0))).labels == ("green",)
    with pytest.raises(PerceptionError, match="'green'"):
        made.set_vocabulary(["red"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["red", "mauve"], r"mauve.*leave them out of detector\.vocabulary"),
        ([], "empty"),
        (["red", ""], "no name of a thing"),
        ([f"thing {i}" for i in range(7)], r"7 words do not fit into the 6 slots.*--slots 7"),
    ],
)
def test_a_refused_vocabulary_changes_nothing(
    frame: RGBDFrame, words: list[str], message: str
) -> None:
    made = detector()
    with pytest.raises(PerceptionError, match=message):
        made.set_vocabulary(words)
    assert made.vocabulary == ("red", "green")
    assert made.detect(painted(frame, (0, 255, 0))).labels == ("green",)


def test_words_change_as_a_whole_while_it_detects(frame: RGBDFrame) -> None:
    """Both vocabularies know the colour; one's words with the other's vectors would not."""
    made = detector()
    red = painted(frame, (255, 0, 0))
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            made.set_vocabulary(["blue", "green", "white", "red"])
            made.set_vocabulary(["red", "green"])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        labels = {made.detect(red).labels for _ in range(300)}
    finally:
        stop.set()
        thread.join()
    assert labels == {("red",)}


def test_the_default_vocabulary_is_used_where_none_is_set(words: TextEncoder) -> None:
    made = PromptedDetector(ColourNetwork(None, dimension=512), words, DetectorConfig(), "colours")
    assert made.vocabulary == default_vocabulary()


def test_an_encoder_of_another_dimension_is_refused(words: TextEncoder) -> None:
    with pytest.raises(PerceptionError, match=r"vectors of 3 numbers.*hashed gives 512"):
        PromptedDetector(ColourNetwork(), words, DetectorConfig(), "colours")


def test_the_encoder_is_the_one_that_the_file_names() -> None:
    network = ColourNetwork()
    assert encoder_of(network, "colours").name == "clip_vit_b32"
    network.metadata = {}
    with pytest.raises(PerceptionError, match="detector export"):
        encoder_of(network, "colours")


def test_padding_is_zeros_behind_the_words() -> None:
    texts = padded(np.ones((2, 3), np.float32), slots=4)
    np.testing.assert_array_equal(texts[0].sum(axis=1), [3, 3, 0, 0])
    assert padded(np.ones((2, 3), np.float32), slots=None).shape == (1, 2, 3)
