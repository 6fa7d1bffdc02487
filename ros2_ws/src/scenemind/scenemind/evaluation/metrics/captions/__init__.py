"""BLEU, ROUGE-L, METEOR and CIDEr as ScanQA reports them (Azuma et al., CVPR 2022).

By pycocoevalcap, the extra `eval`, on answers that Stanford's tokenizer has split, as ScanQA's
script does. The tokenizer and METEOR are Java programs.
"""

from scenemind.evaluation.metrics.captions.scores import CAPTION_METRICS, caption_columns

__all__ = ["CAPTION_METRICS", "caption_columns"]
