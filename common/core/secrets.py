"""Finds secrets of well-known formats in text: what a provider's own prefix gives away. Pure and quick."""

from __future__ import annotations

import re
from dataclasses import dataclass

REDACTED = "[redacted]"

# Class (a closed set: a label of a metric); texts of which one must be there, a quick look before the pattern; pattern,
# whose group `secret`, or else the whole match, gets replaced.
_FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private_key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("anthropic", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("cgrag", ("cgt_",), r"\bcgt_[A-Za-z0-9_-]{40,}"),
    ("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ("github", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab", ("gl",), r"\bgl(?:pat|dt|rt|ptt|cbt|soat|ft)-[A-Za-z0-9_-]{20,}"),
    ("aws", ("AKIA", "ASIA", "ABIA", "ACCA"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    (
        "aws",
        ("aws", "AWS", "Aws"),
        r"(?i)aws.{0,20}?(?:secret|key).{0,20}?['\"=:\s](?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    ("google", ("AIza",), r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google", ("ya29.",), r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("slack", ("xox", "xapp-"), r"\b(?:xox[abposr]|xapp)-[A-Za-z0-9-]{10,}"),
    ("slack", ("hooks.slack.com",), r"https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,}"),
    ("stripe", ("k_live_", "k_test_", "whsec_"), r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    ("twilio", ("SK",), r"\bSK[0-9a-f]{32}\b"),
    ("sendgrid", ("SG.",), r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("vault", ("hvs.", "hvb."), r"\bhv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("digitalocean", ("_v1_",), r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("docker", ("dckr_",), r"\bdckr_[a-z]{3}_[A-Za-z0-9_-]{20,}"),
    ("atlassian", ("ATATT3",), r"\bATATT3[A-Za-z0-9_=-]{20,}"),
    ("shopify", ("shp",), r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("npm", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi", ("pypi-",), r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("huggingface", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    ("azure", ("AccountKey=",), r"\bAccountKey=(?P<secret>[A-Za-z0-9+/]{60,}={0,2})"),
    ("jwt", ("eyJ",), r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    (
        "url_password",
        ("://",),
        # Redis has no users, so that none is named. A `$` at the beginning stands for a password; the last @ ends it.
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{0,64}:(?P<secret>(?!\$)[^\s/'\"{}<>]{3,128})@",
    ),
    ("url_password", ("://",), r"\bhttps?://(?P<secret>(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{32,128})@"),
    (
        "assignment",
        ("=",),
        (
            r"(?m)^[ \t]*(?:export[ \t]+)?[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET(?:_KEY)?|TOKEN|API_?KEY|ACCESS_KEY)"
            r"[ \t]*=[ \t]*(?P<secret>(?=\S*\d)[A-Za-z0-9+/=_~!@#%^&*-]{8,})[ \t]*$"
        ),
    ),
    (
        # As in YAML, without quotes. What is a word with one number in it, like `OAuth2Token`, is a type in code.
        "assignment",
        (":",),
        (
            r"(?m)^[ \t]*(?:-[ \t]+)?[A-Za-z0-9_.-]*"
            r"(?i:password|passwd|secret(?:_?key)?|token|api[_-]?key|access[_-]?key)[ \t]*:[ \t]+"
            r"(?![A-Z][A-Za-z]*\d+[A-Za-z]*[ \t]*$)"
            r"(?P<secret>(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9+/=_~!@#%^&*-]{8,})[ \t]*(?:[ \t]#.*)?\r?$"
        ),
    ),
    (
        "bearer",
        ("uthorization", "UTHORIZATION"),
        r"(?i)\bauthorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})",
    ),
)
_PATTERNS = tuple((name, hints, re.compile(pattern)) for name, hints, pattern in _FORMATS)

KNOWN_CLASSES = tuple(dict.fromkeys(name for name, _, _ in _FORMATS))


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without secrets, and the class of each one that was taken out, in order of the classes."""

    text: str
    classes: tuple[str, ...] = ()


def redact_known(text: str) -> Redaction:
    """Replace secrets of known formats by `[redacted]`; line breaks within them stay, so that lines keep numbers."""
    found: list[str] = []
    for name, hints, pattern in _PATTERNS:
        if any(hint in text for hint in hints) and (matches := list(pattern.finditer(text))):
            found.extend([name] * len(matches))
            text = _without(text, [_span(match) for match in matches])
    return Redaction(text, tuple(found))


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts.append(text[position:start])
        parts.append(REDACTED + "\n" * text.count("\n", start, end))
        position = end
    return "".join(parts) + text[position:]
