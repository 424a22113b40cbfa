"""Chooses a mode by a few words, for when the classifier does not answer."""

from __future__ import annotations

import re

from orchestrator.domain.question import Anchors, Classification, ClassifierEngine, Mode

_WORDS = (
    (Mode.DIAGNOSTIC, re.compile(r"traceback|\bwhy\b|\b\w*(?:error|exception)\b|\bfail|\bcrash|\bbug\b|\braise")),
    (Mode.EXPLORATORY, re.compile(r"\btrace\b|\bfollow|\bflow|what happens|step by step|\bconnect")),
    (Mode.ANALYTICAL, re.compile(r"architect|coupl|\bcohesi|complexit|\bquality|circular|hotspot|\bdepend")),
)
_CODE = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`|\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\b|\b([a-z]+(?:_[a-z0-9]+)+)\b")
_EXCEPTION = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\b")
_UNSURE = 0.5


def classify_by_words(question: str, forced: Mode) -> Classification:
    """Return the forced mode if there is one, else that of the first words that match, else CONCEPTUAL."""
    symbols = tuple(dict.fromkeys(next(filter(None, each)) for each in _CODE.findall(question)))
    anchors = Anchors(symbols=symbols, exceptions=tuple(dict.fromkeys(_EXCEPTION.findall(question))))
    if forced is not Mode.UNSPECIFIED:
        return Classification(forced, 1.0, "The caller named the mode.", "", ClassifierEngine.FORCED, anchors)
    mode = next((mode for mode, words in _WORDS if words.search(question.lower())), Mode.CONCEPTUAL)
    reason = "The classifier did not answer; words of the question chose the mode."
    return Classification(mode, _UNSURE, reason, "", ClassifierEngine.RULES, anchors)
