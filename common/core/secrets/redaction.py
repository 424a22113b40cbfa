"""Finds secrets of well-known formats in text: what a provider's own prefix gives away. Pure and quick."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.secrets.named import named_secrets
from common.core.secrets.plain import plain_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

REDACTED = "[redacted]"

# Password keys of connection strings of ADO, JDBC and ODBC, with their values.
_OF_CONNECTION = (
    r"(?:server|data source|host|addr|address|user id|uid|user|username|database|initial catalog|databasename|driver"
    r"|dsn|provider|port|encrypt)"
)
_IN_CONNECTION = r"(?P<secret>(?![{<$%(\[])[^;\n\"'<>{}]{3,128}?)(?=[;\"'\n]|\Z)"
_PASSWORD_IS = ("assword=", "ASSWORD=", "pwd=", "Pwd=", "PWD=")
# Values after a password key that are types or placeholders.
_A_TYPE = r"(?:string|bytes|boolean|number|object|required|optional|secret|unknown|undefined)\b"

# For each format: its class, the value of a metric's label; texts, of which one must occur before the pattern is tried;
# the pattern, whose group `secret`, or else the whole match, is replaced.
_FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private_key",
        ("PRIVATE KEY",),
        (
            r"-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
            r"[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|\Z)"
        ),
    ),
    (
        "private_key",
        ("Private-Lines:",),
        r"(?m)^Private-Lines: \d+\r?\n(?P<secret>(?:[A-Za-z0-9+/=]{1,100}(?:\r?\n|\Z))+)",
    ),
    (
        "private_key",
        ("<RSAKeyValue>",),
        r"<(?P<part>D|P|Q|DP|DQ|InverseQ)>(?P<secret>[A-Za-z0-9+/=\s]{16,2000})</(?P=part)>",
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
    ("google", ("GOCSPX-",), r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
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
    (
        "npm",
        ("_auth", "_password"),
        (
            r"(?m)(?:^|:)_(?:authToken|auth|password)[ \t]*=[ \t]*"
            r"\"?(?P<secret>[A-Za-z0-9+/=_-]{8,})\"?[ \t]*\r?$"
        ),
    ),
    (
        "netrc",
        ("machine",),
        (
            r"\bmachine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,200}\s{1,20}"
            r"password\s{1,20}(?P<secret>[^\s<>${}]{3,200})"
        ),
    ),
    ("azure", ("AccountKey=", "AccessKey="), r"\b(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    ("azure", ("Q~",), r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])"),
    ("azure", ("sig=",), r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{30,}={0,2})"),
    ("jwt", ("eyJ",), r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    (
        "url_password",
        ("://",),
        # URLs of Redis may have no user name. A `$` at the beginning is a placeholder; the last @ ends the password.
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{0,64}:(?P<secret>(?!\$)[^\s/'\"{}<>]{3,128})@",
    ),
    (
        "url_password",
        ("&password=", "?password=", "&pwd=", "?pwd="),
        r"[?&](?:password|pwd)=(?P<secret>[^\s&'\"<>{}$%]{3,128})",
    ),
    (
        "url_password",
        ("@",),  # Connection strings of Oracle, with and without the prefix of its JDBC driver.
        r"(?:\bjdbc:oracle:[a-z0-9]{1,20}:)?\b[\w$#-]{1,64}/(?P<secret>[^\s/@'\"{}$<>]{3,128})@(?://)?[\w.-]{1,128}:\d+[:/]",
    ),
    (
        "connection",
        _PASSWORD_IS,
        (
            rf"(?i)\b{_OF_CONNECTION}=[^;\n\"']{{0,200}};(?:[^;\n\"']{{0,200}};){{0,12}}[ \t]*"
            rf"(?:password|pwd)={_IN_CONNECTION}"
        ),
    ),
    ("connection", _PASSWORD_IS, rf"(?i)\b(?:password|pwd)={_IN_CONNECTION};[ \t]*{_OF_CONNECTION}="),
    (
        # Connection strings of libpq: `host=... password=...`.
        "connection",
        ("password=",),
        (
            r"\b(?:host|user|dbname|port)=[^\s,'\"]{1,200}[ \t]+(?:[a-z_]{1,30}=[^\s,'\"]{1,200}[ \t]+){0,8}"
            r"password=(?P<secret>[^\s,'\"(){}<>$%]{3,128})(?=[\s'\"]|$)"
        ),
    ),
    ("url_password", ("://",), r"\bhttps?://(?P<secret>(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{32,128})@"),
    (
        # Environment variables, in a form that does not occur in code: plain words are passwords, too.
        "assignment",
        ("PASSWORD", "PASSWD"),
        (
            r"(?m)^[ \t]*(?:(?:export|ENV|ARG)[ \t]+|-[ \t]+)?[A-Z0-9_]*(?:PASSWORD|PASSWD)(?:=|:[ \t]+)"
            rf"(?P<secret>(?!{_A_TYPE}|/\w+/)[A-Za-z0-9+/_~!@#%^&*-]{{6,}})[ \t]*\r?$"
        ),
    ),
    (
        "assignment",
        ("ENV ",),
        r"(?m)^ENV[ \t]+[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY)[ \t]+(?P<secret>[^\s$]{6,})[ \t]*\r?$",
    ),
    (
        "assignment",
        ("<pass", "<Pass", "ecret>", "pikey>", "piKey>"),
        r"<(?P<tag>(?i:password|passphrase|passwd|client-?secret|apikey))>(?P<secret>[^<>${}\s]{3,128})</(?P=tag)>",
    ),
    (
        "assignment",
        ("value=",),
        (
            r"\b(?:key|name)=\"[^\"\n]{0,100}(?i:password|passwd|secret|apikey)\"[ \t]+"
            r"value=\"(?P<secret>[^\"\s${}<>]{4,128})\""
        ),
    ),
    (
        # In a log line or a sentence: in code, a bracket, a comma or a member access would follow.
        "assignment",
        (
            "assword=",
            "ASSWORD=",
            "asswd=",
            "ecret=",
            "SECRET=",
            "oken=",
            "TOKEN=",
            "pi_key=",
            "pikey=",
            "piKey=",
            "PI_KEY=",
        ),
        (
            r"(?i:password|passwd|secret|token|api[_-]?key)="
            r"(?P<secret>(?=[^\s&]{0,128}[a-z])(?=[^\s&]{0,128}[A-Z])(?=[^\s&]{0,128}\d)"
            r"[A-Za-z0-9!@#%^*+~_/-]{8,128})(?=[&\"'`]|[.;]?(?:\s|\Z))"
        ),
    ),
    (
        "bearer",
        ("uthorization", "UTHORIZATION"),
        r"(?i)\bauthorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token|apikey)\s+(?P<secret>(?=\S*(?-i:[A-Z0-9=]))[A-Za-z0-9._~+/=-]{12,})",
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
    for find in (plain_secrets, named_secrets):
        if spans := tuple(find(text)):
            found.extend(["assignment"] * len(spans))
            text = _without(text, spans)
    return Redaction(text, tuple(found))


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts.append(text[position:start])
        parts.append(REDACTED + "\n" * text.count("\n", start, end))
        position = end
    return "".join(parts) + text[position:]
