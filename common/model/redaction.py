"""Removes secrets from all text that is sent to a model or an embedding endpoint."""

from __future__ import annotations

import functools
import importlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from common.core.secrets.redaction import KNOWN_CLASSES, REDACTED, Redaction, redact_known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from common.model.values import ModelRequest, Part

_REMEMBERED_TEXTS = 64
# Detectors of detect-secrets by module and class. Left out are the formats that `common.core.secrets.redaction` knows,
# and hexadecimal strings and addresses, which in source are hashes and examples far more often than secrets.
_DETECTORS = (
    ("keyword", "KeywordDetector", "keyword"),
    ("high_entropy_strings", "Base64HighEntropyString", "high_entropy"),
    ("artifactory", "ArtifactoryDetector", "artifactory"),
    ("basic_auth", "BasicAuthDetector", "url_password"),
    ("cloudant", "CloudantDetector", "cloudant"),
    ("discord", "DiscordBotTokenDetector", "discord"),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "ibm"),
    ("ibm_cos_hmac", "IbmCosHmacDetector", "ibm"),
    ("mailchimp", "MailchimpDetector", "mailchimp"),
    ("softlayer", "SoftlayerDetector", "softlayer"),
    ("square_oauth", "SquareOAuthDetector", "square"),
    ("telegram_token", "TelegramBotTokenDetector", "telegram"),
)
# The time of a detector grows with the square of a line's length, and it holds the interpreter lock. So long lines are
# scanned in pieces of this length; each overlaps half of the one before.
_PIECE_CHARS = 1000
# Shorter findings are no secrets, and would be replaced at unrelated places of the line.
_LEAST_SECRET = 3
_TAKEN = re.compile(rb"\x01+")
# The name tells the keyword detector which syntax to expect: quoted values, as in most code.
_FILE_NAME = "evidence.py"

SECRET_CLASSES = tuple(dict.fromkeys((*KNOWN_CLASSES, *(label for _, _, label in _DETECTORS))))


def open_redact() -> Callable[[str], str]:
    """Return a function that replaces the secrets of a text, for responses to callers."""
    return Redactor().redact


class _Found(Protocol):
    secret_value: str | None


class _Detector(Protocol):
    def analyze_line(self, filename: str, line: str, line_number: int) -> Iterable[_Found]: ...


class Redactor:
    """
    Removes secrets from text before it is sent to a model; lines keep their numbers.

    May be called from any thread. Costs about 50 ms for a thousand lines: keep it off the event loop.

    Args:
        on_redacted: Called with the class of each secret of a text, each time that the text is redacted.
    """

    def __init__(self, on_redacted: Callable[[str], None] = lambda _: None) -> None:
        self._on_redacted = on_redacted
        self._detectors = tuple((label, _detector(module, name)) for module, name, label in _DETECTORS)
        # Prompts repeat their stable prefix with every pass.
        self._remembered = functools.lru_cache(_REMEMBERED_TEXTS)(self._find)

    def redact(self, text: str) -> str:
        """Return the text with every secret replaced by `[redacted]`."""
        redaction = self._remembered(text)
        for label in redaction.classes:
            self._on_redacted(label)
        return redaction.text

    def redact_request(self, request: ModelRequest) -> ModelRequest:
        """Remove secrets from all text of a request before it is sent to a model."""
        return replace(
            request,
            system=self._parts(request.system),
            turns=tuple(replace(turn, parts=self._parts(turn.parts)) for turn in request.turns),
        )

    def _parts(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(replace(part, text=self.redact(part.text)) for part in parts)

    def _find(self, text: str) -> Redaction:
        known = redact_known(text)
        classes = list(known.classes)
        lines = known.text.split("\n")
        for number, line in enumerate(lines):
            if len(line) >= _LEAST_SECRET:
                lines[number] = self._without(line, classes)
        return Redaction("\n".join(lines), tuple(classes))

    def _without(self, line: str, classes: list[str]) -> str:
        """Replace all occurrences of secrets in a line; add their classes to `classes`."""
        taken = bytearray(len(line))
        for label, detector in self._detectors:
            for start, piece in _pieces(line):
                for secret in sorted(_secrets(detector, piece, every=label == "keyword")):
                    if len(secret) < _LEAST_SECRET or REDACTED in secret:
                        continue
                    spans = [(start + at, start + at + len(secret)) for at in _places(secret, piece)]
                    if any(0 in taken[begin:end] for begin, end in spans):
                        classes.append(label)
                    for begin, end in spans:
                        taken[begin:end] = b"\1" * (end - begin)
        return _cut(line, taken)


def _pieces(line: str) -> Iterator[tuple[int, str]]:
    step = _PIECE_CHARS // 2
    for at in range(0, max(1, len(line) - step), step):
        yield at, line[at : at + _PIECE_CHARS]


def _secrets(detector: _Detector, piece: str, *, every: bool) -> set[str]:
    """
    Return what a detector finds.

    Args:
        every: Whether the detector reports only its first match, so that the rest of the text is scanned again.
    """
    found: set[str] = set()
    while told := {each.secret_value for each in detector.analyze_line(_FILE_NAME, piece, 0) if each.secret_value}:
        found |= told
        ends = [piece.find(each) + len(each) for each in told if each in piece]
        if not every or not ends:
            break
        piece = piece[min(ends) :]
    return found


def _places(secret: str, piece: str) -> Iterator[int]:
    """Yield the positions of a secret; one of letters alone counts only as a whole word."""
    pattern = rf"(?<!\w){secret}(?!\w)" if secret.isalpha() else re.escape(secret)
    return (each.start() for each in re.finditer(pattern, piece))


def _cut(line: str, taken: bytearray) -> str:
    parts: list[str] = []
    position = 0
    for run in _TAKEN.finditer(taken):
        parts += line[position : run.start()], REDACTED
        position = run.end()
    return "".join(parts) + line[position:]


def _detector(module: str, name: str) -> _Detector:
    detector: _Detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
    return detector
