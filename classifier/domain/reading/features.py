"""Features for the models of intent, slots, language and mode. Training and prediction both use this file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from classifier.domain.reading.tokens import NAMES, Shape, tokens_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from classifier.domain.reading.tokens import Token
    from classifier.domain.values import TaskType
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding

UNKNOWN = "<word>"
OPENING, ENDING = 28, 22
"""Tokens at the start and the end of a text from which its intent is predicted; reports have logs between them."""
LONG = 45
"""Tokens above which a text counts as long."""
BRIEF = 20
"""Words from which on a question's intent no longer decides its mode alone."""
_TITLE = 16
"""Tokens above which a text is more than a title."""
_PREFIX, _STEM = 4, 5
_ENDINGS = ("ing", "ed", "s")


class Concepts:
    """
    Groups of words and phrases with the same meaning; of overlapping phrases the longest is used.

    Args:
        concepts: Name to phrases; a word that ends in * matches any ending.
        silent: Names of concepts that do not influence the intent.
    """

    def __init__(self, concepts: Mapping[str, Sequence[str]], silent: Collection[str]) -> None:
        self.silent = frozenset(silent)
        self._phrases: dict[tuple[str, ...], tuple[str, ...]] = {}
        for name, phrases in concepts.items():
            for phrase in phrases:
                words = tuple(token.key for token in tokens_of(phrase))
                known = self._phrases.get(words, ())
                if name not in known:
                    self._phrases[words] = (*known, name)
        self._longest: dict[str, int] = {}
        for words in self._phrases:
            self._longest[words[0]] = max(self._longest.get(words[0], 0), len(words))

    def spans(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield start, end and concept names of each phrase; every other token is yielded alone, without names."""
        at = 0
        while at < len(tokens):
            longest = self._longest.get(tokens[at].key, 0)
            for count in range(min(longest, len(tokens) - at), 0, -1):
                names = self._phrases.get(tuple(token.key for token in tokens[at : at + count]))
                if names:
                    yield at, at + count, names
                    at += count
                    break
            else:
                yield at, at + 1, ()
                at += 1

    def of_each(self, tokens: Sequence[Token]) -> list[str]:
        """Return, for each token, the first concept of its phrase; "" for none."""
        return [names[0] if names else "" for start, end, names in self.spans(tokens) for _ in range(start, end)]


def keys_of(tokens: Sequence[Token], vocabulary: Collection[str]) -> list[str]:
    """Return the keys that the models see; each run of words outside the vocabulary becomes one UNKNOWN."""
    keys: list[str] = []
    for token in tokens:
        key = token.key if token.shape is not Shape.WORD or token.key in vocabulary else UNKNOWN
        if key == UNKNOWN and keys and keys[-1] == UNKNOWN:
            continue
        keys.append(key)
    return keys


def intent_features(tokens: Sequence[Token], lexicon: Concepts, vocabulary: Collection[str]) -> list[str]:
    """Return the features from which the intent of a text is predicted, without duplicates."""
    shown = [*tokens[:OPENING], *tokens[max(OPENING, len(tokens) - ENDING) :]]
    keys = keys_of(shown, vocabulary)
    bare = [key for key in keys if key not in _MARKS]
    found = dict.fromkeys(_grams(bare))
    found.update(dict.fromkeys(_edges(bare)))
    found.update((f"pre {token.key[:_PREFIX]}", None) for token in shown if token.shape is Shape.WORD)
    found.update((f"has {token.shape.value}", None) for token in tokens if token.shape in NAMES)
    found.update(dict.fromkeys(_meanings(shown, lexicon, vocabulary)))
    found[f"ends {keys[-1] if keys else ''}"] = None
    found[f"length {min(len(bare), 8)}"] = None
    if len(tokens) > LONG:
        found["long"] = None
    if any(token.key == "\n" for token in tokens):
        found["lines"] = None
    return ["bias", *found]


def _meanings(tokens: Sequence[Token], lexicon: Concepts, vocabulary: Collection[str]) -> Iterator[str]:
    """Yield features of the concepts of a text: each one, each ordered pair, and neighbours."""
    line: list[str] = []
    for start, _, names in lexicon.spans(tokens):
        token = tokens[start]
        if names:
            yield from (f"c {name}" for name in names)
            if names[0] not in lexicon.silent:
                line.append(f"@{names[0]}")
        elif token.shape is Shape.MARK:
            continue
        else:
            key = token.key if token.shape is not Shape.WORD or token.key in vocabulary else UNKNOWN
            if not (key == UNKNOWN and line and line[-1] == UNKNOWN):
                line.append(key)
    kept = line[:_MOST_PAIRED]
    for at, first in enumerate(kept):
        for second in kept[at + 1 :]:
            yield f"p {first} {second}"
            yield f"b {min(first, second)} {max(first, second)}"
    yield from (f"m{each}" for each in (*_grams(kept), *_edges(kept)))


_MOST_PAIRED = 14
_MARKS = frozenset("?.!,;:()=-\n")


def _grams(keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        yield f"1 {key}"
    for first, second in pairwise(keys):
        yield f"2 {first} {second}"
    for first, second, third in zip(keys, keys[1:], keys[2:], strict=False):
        yield f"3 {first} {second} {third}"
        yield f"s {first} _ {third}"


def _edges(keys: Sequence[str]) -> Iterator[str]:
    for count in (1, 2, 3, 4):
        if len(keys) >= count:
            yield f"first {' '.join(keys[:count])}"
            yield f"last {' '.join(keys[-count:])}"
    if len(keys) <= 4:
        yield f"whole {' '.join(keys)}"


def slot_features(
    tokens: Sequence[Token],
    at: int,
    concepts: Sequence[str],
    vocabulary: Collection[str],
    label: str,
    before: str,
) -> list[str]:
    """
    Return the features from which the slot tag of one token is predicted.

    Args:
        concepts: Concept of each token, as returned by `Concepts.of_each`.
        before: Tag of the token before.
    """
    intent = label.partition(".")[0]
    meant = [concepts[at + each] if 0 <= at + each < len(tokens) else "<edge>" for each in (-2, -1, 0, 1, 2)]
    window = {offset: _key(tokens, at + offset, vocabulary) for offset in range(-3, 4)}
    token = tokens[at]
    word = token.key
    plain = [
        "bias",
        f"shape {token.shape.name}",
        f"0 {window[0]}",
        f"-1 {window[-1]}",
        f"+1 {window[1]}",
        f"-2 {window[-2]}",
        f"+2 {window[2]}",
        f"-1,0 {window[-1]} {window[0]}",
        f"0,1 {window[0]} {window[1]}",
        f"-2,-1 {window[-2]} {window[-1]}",
        f"1,2 {window[1]} {window[2]}",
        f"-3,-2 {window[-3]} {window[-2]}",
        f"-1,1 {window[-1]} {window[1]}",
        f"suffix {word[-3:]}",
        f"suffix2 {word[-2:]} {window[-1]}",
        f"suffix2 {word[-2:]} {token.shape.name} left {min(len(tokens) - at, 3)}",
        f"suffix2 {word[-2:]} tag {before} {window[1]}",
        f"tag {before}",
        f"tag {before} {window[0]}",
        f"tag {before} {token.shape.name} {window[-1]}",
        f"at {min(at, 3)}",
        f"left {min(len(tokens) - at, 3)}",
        f"first {tokens[0].key} {window[0]}",
    ]
    plain += _by_concept(meant, token.shape.name, before)
    return [*plain, *(f"{intent}: {each}" for each in plain)]


def _by_concept(meant: Sequence[str], shape: str, before: str) -> list[str]:
    """Return such features of concepts instead of words: of five tokens, the predicted one in the middle."""
    return [
        f"c0 {meant[2]}",
        f"c-1 {meant[1]}",
        f"c+1 {meant[3]}",
        f"c-1,0 {meant[1]} {meant[2]}",
        f"c0,1 {meant[2]} {meant[3]}",
        f"c-2,-1 {meant[0]} {meant[1]}",
        f"c1,2 {meant[3]} {meant[4]}",
        f"c-1,1 {meant[1]} {meant[3]} {shape}",
        f"ctag {before} {meant[2]} {meant[1]}",
    ]


def _key(tokens: Sequence[Token], at: int, vocabulary: Collection[str]) -> str:
    if not 0 <= at < len(tokens):
        return "<edge>"
    token = tokens[at]
    if token.shape is not Shape.WORD or token.key in vocabulary:
        return token.key
    # Endings distinguish verbs from nouns outside the vocabulary.
    return UNKNOWN + next((each for each in _ENDINGS if token.key.endswith(each)), "")


def mode_features(
    tokens: Sequence[Token], concepts: Concepts, anchors: Anchors, understanding: Understanding, task: TaskType | None
) -> list[str]:
    """
    Return the features from which the mode of a text is predicted, without duplicates.

    Words and concepts are features alone and combined with the opening: the question word that the text begins with;
    else "ask" if it has a question mark, or "tell". Neighbouring words are also features as pairs.
    """
    keys = [token.key for token in tokens if token.shape is not Shape.MARK]
    asks = "ask" if any(token.key == "?" for token in tokens) else "tell"
    opening = keys[0] if keys and keys[0] in _QUESTION_WORDS else asks
    found = dict.fromkeys(f"has {name}" for name in _ANCHORS if getattr(anchors, name))
    found[f"task {task.name if task else ''}"] = None
    found[f"length {sum(len(tokens) > each for each in (_TITLE, LONG, 2 * LONG))}"] = None
    if any(token.key == "\n" for token in tokens):
        found["lines"] = None
    for _, _, names in concepts.spans(tokens):
        found.update((f"c {name}", None) for name in names)
    stems = [token.key[:_STEM] if token.shape is Shape.WORD else token.key for token in tokens]
    found.update((f"w {each}", None) for each in stems)
    found.update(dict.fromkeys([f"{opening} {each}" for each in found]))
    found.update((f"pair {first} {second}", None) for first, second in pairwise(stems))
    found.update((f"first {' '.join(keys[:count])}", None) for count in (1, 2, 3))
    found.update((f"later {key}", None) for key in keys[1:] if key in _QUESTION_WORDS)
    length = "brief" if len(keys) < BRIEF else "long"
    for part in understanding.parts:
        for least in (each for each in _CHANCES if part.confidence >= each):
            found.update(dict.fromkeys((f"i {part.intent.name} {least}", f"{length} i {part.intent.name} {least}")))
    return [opening, *found]


_QUESTION_WORDS = frozenset({"what", "how", "why", "where", "which", "who", "when"})
_ANCHORS = ("frames", "exceptions", "error_messages", "symbols", "paths")
_CHANCES = (0.1, 0.3, 0.6, 0.85)


def language_features(text: str) -> list[str]:
    """Return words, character trigrams and scripts of the first 400 characters of a text, names left out."""
    words = [token.key for token in tokens_of(text[:400]) if token.shape is Shape.WORD]
    found = dict.fromkeys(f"w {word}" for word in words)
    for word in words:
        padded = f" {word} "
        found.update((f"c {padded[at : at + 3]}", None) for at in range(max(len(padded) - 2, 1)))
        found.update((f"script {_script(sign)}", None) for sign in word[:1])
    return list(found)


_SCRIPTS = ((0x3040, 0x30FF, "kana"), (0x3400, 0x9FFF, "han"), (0x0400, 0x04FF, "cyrillic"), (0xAC00, 0xD7AF, "hangul"))
_LATIN_ENDS = 0x024F


def _script(sign: str) -> str:
    code = ord(sign)
    known = next((name for low, high, name in _SCRIPTS if low <= code <= high), "")
    return known or ("latin" if code <= _LATIN_ENDS else "other")
