"""Labelled phrasings of questions for training, and copies of them with other names and words in their slots."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from dataclasses import dataclass, replace

from classifier.domain.reading.tokens import Shape, Token, sentence_bounds, tokens_of

_MARKED = re.compile(r"\[([sovwkcqrm]):([^\]]+)\]")
_KINDS = {"s": "SUBJECT", "o": "OBJECT", "v": "VERB", "w": "OWNER", "k": "KIND", "c": "CONDITION", "q": "QUANTITY"}
_FILLERS = ("<word>", "<symbol>")


@dataclass(frozen=True, slots=True)
class Sample:
    """A phrasing: its tokens, label, the tag of each token ("B-SUBJECT", "I-SUBJECT", "O") and language."""

    text: str
    tokens: tuple[Token, ...]
    label: str
    tags: tuple[str, ...]
    language: str


def read_sample(line: str) -> Sample:
    """Read one line of the phrasings."""
    case = json.loads(line)
    text, spans, done = "", [], 0
    for match in _MARKED.finditer(case["text"]):
        text += case["text"][done : match.start()]
        if match[1] in _KINDS:
            spans.append((len(text), len(text) + len(match[2]), _KINDS[match[1]]))
        text += match[2]
        done = match.end()
    text += case["text"][done:]
    tokens = tokens_of(text)
    tags: list[str] = []
    for token in tokens:
        kind = next((kind for start, end, kind in spans if token.start < end and start < token.end), "")
        goes_on = bool(kind and tags and tags[-1].endswith(kind))
        tags.append(f"{'I' if goes_on else 'B'}-{kind}" if kind else "O")
    return Sample(text, tokens, case["label"], tuple(tags), case.get("language", "ENGLISH"))


def told_apart(sample: Sample) -> tuple[Sample, tuple[tuple[Token, ...], ...]]:
    """
    Split a phrasing into the sentence that asks and the sentences that give the context.

    The asking sentence is the one with the most slots; of several, the one with a question mark. If there is only one
    sentence, no slot and no question mark, or still a tie, the phrasing is returned whole, without context.
    """
    bounds = sentence_bounds(sample.tokens)
    marked = [
        (
            sum(tag[0] == "B" for tag in sample.tags[start:end]),
            any(token.key == "?" for token in sample.tokens[start:end]),
        )
        for start, end in bounds
    ]
    if len(bounds) == 1 or marked.count(max(marked)) > 1 or max(marked) == (0, False):
        return sample, ()
    asking = marked.index(max(marked))
    start, end = bounds[asking]
    others = tuple(sample.tokens[a:b] for at, (a, b) in enumerate(bounds) if at != asking)
    return replace(sample, tokens=sample.tokens[start:end], tags=sample.tags[start:end]), others


def variants(sample: Sample) -> list[tuple[Token, ...]]:
    """Return the tokens, and copies with placeholders in the slots, so that the model does not learn single names."""
    found = [sample.tokens]
    kinds = {tag[2:] for tag in sample.tags} - {"", "VERB", "QUANTITY"}
    for filler in _FILLERS if kinds else ():
        tokens: list[Token] = []
        for token, tag in zip(sample.tokens, sample.tags, strict=True):
            if tag[2:] not in kinds:
                tokens.append(token)
            elif tag[0] == "B":
                shape = Shape(filler) if filler.startswith("<s") else Shape.WORD
                tokens.append(Token(token.text, shape, token.start, token.end, filler))
        found.append(tuple(tokens))
    if "VERB" in {tag[2:] for tag in sample.tags}:
        found.append(
            tuple(
                Token(token.text, token.shape, token.start, token.end, "<word>") if tag != "O" else token
                for token, tag in zip(sample.tokens, sample.tags, strict=True)
            )
        )
    return found


def swapped(samples: list[Sample], count: int) -> list[Sample]:
    """Return copies of the samples with their slots filled from other samples; verbs keep their ending."""
    shuffled = random.Random(11)
    pools: dict[str, list[tuple[Token, ...]]] = defaultdict(list)
    for sample in samples:
        if sample.language == "ENGLISH":
            for kind, content in _contents(sample):
                pools[_pool(kind, content)].append(content)
    found = []
    for sample in samples:
        if sample.language != "ENGLISH" or not any(tag != "O" for tag in sample.tags):
            continue
        for _ in range(count):
            tokens: list[Token] = []
            tags: list[str] = []
            at = 0
            while at < len(sample.tokens):
                end = at + 1
                kind = sample.tags[at][2:]
                while kind and end < len(sample.tokens) and sample.tags[end] == f"I-{kind}":
                    end += 1
                content = sample.tokens[at:end]
                if kind:
                    content = shuffled.choice(pools[_pool(kind, content)])
                tokens.extend(content)
                tags.extend([f"B-{kind}", *[f"I-{kind}"] * (len(content) - 1)] if kind else ["O"])
                at = end
            found.append(Sample(sample.text, tuple(tokens), sample.label, tuple(tags), sample.language))
    return found


def _contents(sample: Sample) -> list[tuple[str, tuple[Token, ...]]]:
    found, at = [], 0
    while at < len(sample.tokens):
        end, kind = at + 1, sample.tags[at][2:]
        while kind and end < len(sample.tokens) and sample.tags[end] == f"I-{kind}":
            end += 1
        if kind:
            found.append((kind, sample.tokens[at:end]))
        at = end
    return found


def _pool(kind: str, content: tuple[Token, ...]) -> str:
    if kind == "VERB":
        ends = ("ing", "ed", "s")
        return f"VERB {next((end for end in ends if content[0].key.endswith(end)), '')} {len(content)}"
    return "THING" if kind in {"SUBJECT", "OBJECT", "OWNER"} else kind
