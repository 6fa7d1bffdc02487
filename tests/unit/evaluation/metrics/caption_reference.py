"""BLEU and ROUGE-L in a few lines, to compare with."""

from __future__ import annotations

PAIRS = (
    ("brown chair near the desk", ("the brown chair", "dark brown chair")),
    ("on the left side of the big bed", ("left side of the bed", "on the left of the bed")),
    ("two", ("2", "two")),
    ("it is next to the window", ("next to the window", "by the window it is next to")),
    ("a black office chair", ("black office chair", "black chair in front of the desk")),
)
PERCENTS = {
    "bleu_1": 83.33333333333334,
    "bleu_2": 75.50996216370999,
    "bleu_3": 67.24640591076464,
    "bleu_4": 53.66411241731205,
    "rouge_l": 82.26305015238185,
    "meteor": 47.89364892707077,
    "cider": 339.26605948361384,
}
ROWS = {
    "rouge_l": (0.523605, 0.879808, 1.0, 0.829932, 0.879808),
    "meteor": (
        *(0.39584136351604354, 0.4685233047785224, 1.0, 0.5255759325753065),
        0.5098574389611754,
    ),
    "cider": (2.147327, 4.001145, 1.25, 6.284979, 3.279852),
}
METEOR_STATISTICS = (
    (5, 3, 1, 1, 2, 2, 1, 1, *[0] * 12, 2, 3, 3),
    (8, 5, 4, 2, 3, 3, 2, 2, *[0] * 12, 2, 5, 5),
    (1, 1, 1, 1, 0, 0, 1, 1, *[0] * 12, 1, 1, 1),
    (6, 4, 4, 2, 2, 2, 2, 2, *[0] * 12, 1, 4, 4),
    (4, 3, 1, 0, 3, 3, 0, 0, *[0] * 12, 1, 3, 3),
)
# Length, length of the closest reference, n-grams, and those of them that a reference has; by hand.
BLEU_COUNTS = (
    (5, 3, 5, 4, 3, 2, 3, 1, 0, 0),
    (8, 6, 8, 7, 6, 5, 7, 5, 3, 1),
    (1, 1, 1, 0, 0, 0, 1, 0, 0, 0),
    (6, 7, 6, 5, 4, 3, 6, 5, 4, 2),
    (4, 3, 4, 3, 2, 1, 3, 2, 1, 0),
)
