"""Whether less or more of a metric is better: as its name says it, or as a user does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

Goal = Literal["", "min", "max"]

_LESS = """
    loss losses error errors err mse rmse mae mape msle rmsle logloss perplexity ppl nll bpb bpc wer cer
    fid kid lpips kl divergence regret cost crossentropy entropy brier ece chamfer
"""
_MORE = """
    accuracy accuracies acc auc auroc roc auprc precision recall f1 fscore score scores bleu rouge meteor
    map miou iou dice jaccard psnr ssim r2 reward rewards return returns ndcg mrr hits top1 top5 kappa mcc
    specificity sensitivity likelihood elbo winrate throughput
"""
_GOALS: dict[str, Goal] = {
    **dict.fromkeys(_LESS.split(), "min"),
    **dict.fromkeys(_MORE.split(), "max"),
}
_WORDS = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Za-z]?[a-z]+[0-9]*")


@lru_cache(maxsize=4096)
def goal_of(name: str) -> Goal:
    """Return what is better of a metric, by the words of its name; "" where they do not say it.

    The last word that says it counts: `score_loss` is a loss, `error/accuracy` an accuracy.
    """
    words = (word.lower() for word in reversed(_WORDS.findall(name)))
    return next((_GOALS[word] for word in words if word in _GOALS), "")


def goal_among(name: str, said: Mapping[str, Goal]) -> Goal:
    """Return what is better of a metric. said: by name, where a user said it."""
    return said[name] if name in said else goal_of(name)
