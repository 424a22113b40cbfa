"""How many of ninety planted secrets leave, and how many of three hundred lines about secrets lose a harmless value."""

from __future__ import annotations

import re
from pathlib import Path

from common.core.secrets.redaction import redact_known
from common.model.redaction import Redactor

CASES = Path(__file__).parents[3] / "golden" / "secrets"
# Plain words, which nothing but their meaning tells from others, and commands that name no secret.
KNOWN_TO_LEAVE = {
    *("correct horse battery staple", "no_moon_tonight"),
    *("Ld4pPine", "Ph4seShift", "Sh4rePoint", "T4skMaster", "Sp4rrowhawk"),
}


def test_planted_secrets_do_not_leave() -> None:
    """In sentences, docstrings, comments, settings, addresses, commands, SQL and connection strings."""
    redactor = Redactor()
    left = set()
    for line in (CASES / "planted.txt").read_text().splitlines():
        text = f"Some words.\n\n{line}\n\nAnd more.".replace("\\n", "\n")
        secret = re.findall("«(.+?)»", text)[0]
        redacted = redactor.redact(text.replace("«", "").replace("»", ""))
        left |= {secret} if secret in redacted else set()

        assert redacted.count("\n") == text.count("\n")

    assert left == KNOWN_TO_LEAVE


def test_lines_about_secrets_stay() -> None:
    """Code, settings, commands and prose that name secrets without having one."""
    redactor = Redactor()
    lines = (CASES / "harmless.txt").read_text().splitlines()

    assert len(lines) == 300
    assert [line for line in lines if redactor.redact(line) != line] == []


def test_a_named_secret_goes_wherever_it_stands() -> None:
    """Once a line says that a value is a password, other lines do not show it either."""
    text = "def f(x='brunswick-77-Kq'):\n    # the password brunswick-77-Kq is the old one\n    return x"

    assert redact_known(text).text == text.replace("brunswick-77-Kq", "[redacted]")


def test_a_quoted_secret_goes_whole() -> None:
    """Up to its closing quote, blanks and all."""
    assert redact_known("the password is 'w1nter Lane 22', for now").text == "the password is '[redacted]', for now"


def test_a_plain_word_goes_where_it_is_the_value_only() -> None:
    """A value of letters alone is part of names as well, which stay."""
    assert Redactor().redact('api_key="key", dimensions=2') == 'api_key="[redacted]", dimensions=2'
