"""Features of a question's language: how it opens, which word groups it uses, what form it has. Pure and fast."""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from classifier.domain.understanding import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from classifier.domain.understanding import Understanding
    from classifier.domain.values import Anchors

READ_CHARS = 1500
TITLE_WORDS = 16
SHORT_WORDS = 12
NOUN_WORDS = 12
CORE_WORDS = 40
BRIEF_WORDS = 20

_WORD = re.compile(r"[a-z][a-z'\-]*[a-z]|[a-z]|(?<!\d)\d+(?:\.\d+)+|[?]")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_POLITE = re.compile(
    r"\A\W*(?:(?:hi|hey|hello|ok|okay|so|well|just|please|quick question|any idea"
    r"|do you know|does (?:anyone|anybody|someone) know"
    r"|(?:can|could|would|will) (?:you|someone|somebody|anyone)(?: please)?"
    r"|(?:tell|show|explain|remind|help)(?: to)? (?:me|us)(?: understand| see)?|explain|describe"
    r"|i(?: would|'d)? (?:want|need|like|love) to (?:know|understand|see|learn)|i(?:'m| am| was) (?:just )?"
    r"(?:wondering|curious|asking myself|trying to (?:understand|find out|figure out))"
    r"|i (?:wonder|don't (?:understand|get|know)))"
    r"[\s,!.:\-]+){1,4}(?=(?:what|how|why|where|which|who|when)\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_QUESTION_WORDS = frozenset({"what", "how", "why", "where", "which", "who", "when"})
_AUXILIARIES = frozenset(
    {"is", "are", "does", "do", "did", "can", "could", "should", "would", "was", "were", "has", "will"}
)
_PHRASE_ENDS = frozenset(
    {"of", "between", "in", "that", "which", "for", "when", "from", "with", "to", "by", "and", "on", "at", "through"}
)
_FORM = {
    "form:heading": re.compile(r"(?m)(?:^|\s)#{2,5} |\*\*[A-Z][^*\n]{3,60}\*\*"),
    "form:checkbox": re.compile(r"- \[[ xX\u2705]\]"),
    "form:description": re.compile(r"\bDescription\b|### Summary"),
    "form:bug_tag": re.compile(r"(?i)\[bug\]|\bbug:|describe the bug|bug report|bug summary"),
    "form:feature_tag": re.compile(r"(?i)\[(?:feature|rfe|enh)[^\]]{0,12}\]|feature request"),
    "form:version": re.compile(r"\bv?\d+\.\d+(?:\.\d+)?\b"),
    "form:link": re.compile(r"https?://"),
    "form:from_to": re.compile(r"(?i)\bfrom\b[^.?\n]{2,90}?\b(?:to|into|through|until|back)\b"),
    "form:both_and": re.compile(r"(?i)\b(?:between|both)\b[^.?\n]{2,120}?\band\b"),
    "form:list": re.compile(r"\w+, [^,.?\n]{2,60}, and "),
    "form:repl": re.compile(r">>> |In \[\d+\]"),
}


class Lexicon:
    """
    Word groups that can be looked up word by word.

    Args:
        groups: Group name to words and phrases; a trailing * on the last word matches any ending.
        verbs: Kind of what is asked to base forms of verbs, looked up only where a question has its verb.
    """

    def __init__(
        self, groups: Mapping[str, Sequence[str]], verbs: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> None:
        self._verbs = {verb: kind for kind, of_kind in verbs.items() for verb in of_kind}
        self._exact: dict[tuple[str, ...], list[str]] = {}
        self._stems: dict[tuple[str, ...], list[str]] = {}
        for group, entries in groups.items():
            for entry in entries:
                words = tuple(entry.rstrip("*").split())
                table = self._stems if entry.endswith("*") else self._exact
                table.setdefault(words, []).append(group)
        self._stem_lengths = sorted({len(words[-1]) for words in self._stems})
        self._firsts = {words[0] for words in (*self._exact, *self._stems) if len(words) > 1}

    def groups(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield (position, group) for each word and each phrase of up to three words that belongs to one."""
        for position, word in enumerate(words):
            for group in self._of((), word):
                yield position, group
            if word not in self._firsts:
                continue
            for length in (2, 3):
                phrase = tuple(words[position : position + length])
                if len(phrase) == length:
                    for group in self._of(phrase[:-1], phrase[-1]):
                        yield position, group

    def verb(self, words: Sequence[str]) -> str:
        """Return the kind of the first known verb; "" if there is none."""
        return next((self._verbs[word] for word in words if word in self._verbs), "")

    def _of(self, before: tuple[str, ...], last: str) -> Iterator[str]:
        yield from self._exact.get((*before, last), ())
        for length in self._stem_lengths:
            if length > len(last):
                break
            yield from self._stems.get((*before, last[:length]), ())


def read(text: str, anchors: Anchors, lexicon: Lexicon, understanding: Understanding) -> dict[str, float]:
    """
    Extract the features of a question: name to strength, 0 (absent) to about 2.

    Only the first READ_CHARS characters count for language; anchors were found in the whole text. Questions and
    reports use the same words differently, so every feature appears once alone and once paired with the form:
    "ask|..." or "tell|...".

    Args:
        text: The question.
        anchors: What it mentions.
        lexicon: Word groups to look for.
        understanding: What it means; the likelier its first intent, the stronger that counts.
    """
    shown = _POLITE.sub("", text[:READ_CHARS].replace("\u2019", "'").replace("\uff1f", "?"), count=1)
    prose = CODE.sub(" code ", shown)
    words = _WORD.findall(prose.lower())
    features = _group_features(words, min(TITLE_WORDS, len(_WORD.findall(_title(prose).lower()))), lexicon)
    features.update({name: 1.0 for name, pattern in _FORM.items() if pattern.search(shown)})
    features.update(_anchor_features(anchors))
    if "```" in shown:
        features["form:code"] = 1.0
    features["form:long"] = min(len(words) / 60.0, 2.0)
    if len(words) < SHORT_WORDS:
        features["form:short"] = 1.0
    form = "ask" if words and (words[0] in _QUESTION_WORDS | _AUXILIARIES or "?" in words) else "tell"
    features.update({f"{form}|{name}": strength for name, strength in features.items()})
    features[form] = 1.0
    features.update(_opening(words))
    features.update(_core(words, lexicon))
    features.update(_intent(understanding, is_brief=len(words) < BRIEF_WORDS))
    return features


def _intent(understanding: Understanding, *, is_brief: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in understanding.parts[:1]:
        name = f"intent:{part.intent.name}"
        found[name] = part.confidence
        if part.relation is not Relation.UNSPECIFIED:
            found[f"{name}.{part.relation.name}"] = part.confidence
        if is_brief:
            found[f"brief|{name}"] = part.confidence
    return found


def _group_features(words: Sequence[str], title_words: int, lexicon: Lexicon) -> dict[str, float]:
    features: dict[str, float] = {}
    counts: dict[str, int] = {}
    for position, group in lexicon.groups(words):
        counts[group] = counts.get(group, 0) + 1
        if position < title_words:
            features[f"title:{group}"] = 1.0
        if position == 0:
            features[f"first:{group}"] = 1.0
    for group, count in counts.items():
        features[f"any:{group}"] = min(1.0 + 0.5 * math.log(count), 2.0)
    return features


def _title(prose: str) -> str:
    end = _SENTENCE_END.search(prose.lstrip())
    return prose.lstrip()[: end.start()] if end else prose


def _opening(words: Sequence[str]) -> dict[str, float]:
    if not words:
        return {}
    first = words[0]
    found: dict[str, float] = {}
    if first in _QUESTION_WORDS | _AUXILIARIES:
        found[f"opens:{first}"] = 1.0
        second = words[1] if len(words) > 1 else ""
        if first in _QUESTION_WORDS and second in _AUXILIARIES | {"in"}:
            found[f"opens:{first} {second}"] = 1.0
    later = [word for word in words[1:] if word in _QUESTION_WORDS]
    for word in dict.fromkeys(later):
        found[f"later:{word}"] = 1.0
    return found


def _core(words: Sequence[str], lexicon: Lexicon) -> dict[str, float]:
    """
    Read the two words that a question turns on: the noun after "what is the", and the verb after "how does X".

    The noun's phrase ends at the first preposition or conjunction; the verb is the first known one in its base form,
    which is the form that it has after "does".
    """
    found: dict[str, float] = {}
    if not words or words[0] not in _QUESTION_WORDS:
        return found
    opener, core = words[0], words[:CORE_WORDS]
    if opener in {"what", "which"}:
        end = next((at for at, word in enumerate(core) if word in _PHRASE_ENDS), len(core))
        for _, group in lexicon.groups(core[: min(end, NOUN_WORDS)]):
            found[f"noun:{group}"] = found[f"{opener}|noun:{group}"] = 1.0
    auxiliary = next((at for at, word in enumerate(core[:4]) if word in _AUXILIARIES), None)
    kind = lexicon.verb(core[auxiliary + 1 :]) if auxiliary is not None else ""
    if kind:
        found[f"verb:{kind}"] = found[f"{opener}|verb:{kind}"] = 1.0
    return found


def _anchor_features(anchors: Anchors) -> dict[str, float]:
    lists = {
        "has:frames": anchors.frames,
        "has:exceptions": anchors.exceptions,
        "has:messages": anchors.error_messages,
        "has:symbols": anchors.symbols,
        "has:paths": anchors.paths,
    }
    return {name: 1.0 for name, values in lists.items() if values}
