"""Waits between attempts, the breaker, and what counts as a secret: without any connection."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.usage import TokenUsage
from common.core.secrets.redaction import redact_known
from common.model.config import RetryPolicy, RoleModel
from common.model.failures import Cause, ModelFailed
from common.model.redaction import Redactor
from common.model.retry import next_wait, retry_after

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("9" * 400, float("inf")),
        ("soon", None),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
        ("Wed, 31 Dec 2025 23:59:30 GMT", 0.0),
        ("Thu, 01 Jan 2026 01:00:30 +0100", 30.0),
        ("Thu, 01 Jan 99999999999999999999 00:00:30 GMT", None),
        ("Thu, 99999999999 Jan 2026 00:00:30 GMT", None),
    ],
)
def test_reads_retry_after(text: str | None, seconds: float | None) -> None:
    """Seconds and HTTP dates are understood; anything else says nothing."""
    assert retry_after({} if text is None else {"retry-after": text}, NOW) == seconds


@given(
    asked=st.one_of(st.none(), st.floats(0, 300)),
    attempt=st.integers(1, 5),
    left=st.floats(0, 300),
    jitter=st.floats(0, 1),
)
def test_never_waits_less_than_asked_nor_past_the_deadline(
    asked: float | None, attempt: int, left: float, jitter: float
) -> None:
    """A wait is at least what was asked, ends before the deadline, and is bounded; else there is none."""
    policy = RetryPolicy(max_attempts=4)
    failure = ModelFailed(Cause.OVERLOADED, "busy", retry_after_seconds=asked)

    wait = next_wait(policy, failure, attempt, left, lambda: jitter)

    if wait is not None:
        assert attempt < policy.max_attempts
        assert (asked or 0.0) <= wait <= policy.max_wait_seconds
        assert wait < left


def test_cost_counts_the_cache_at_its_own_price() -> None:
    """Reading the cache costs a tenth, writing it a quarter more."""
    model = RoleModel("m", input_usd_per_million=10.0, output_usd_per_million=50.0)

    assert model.cost_usd(TokenUsage(1000, 100, 1000, 1000)) == pytest.approx(0.0285)


SECRETS = [
    ("anthropic", "sk-ant-api03-" + "aB3" * 10),
    ("openai", "sk-proj-" + "aB3" * 10),
    ("github", "ghp_" + "aB3d" * 9),
    ("gitlab", "glpat-" + "aB3d" * 5),
    ("aws", "AKIA" + "ABCD2345" * 2),
    ("google", "AIza" + "aB3d5" * 7),
    ("slack", "xoxb-" + "123456789012-abc"),
    ("stripe", "sk_live_" + "aB3d" * 6),
    ("huggingface", "hf_" + "aB" * 17),
    ("npm", "npm_" + "aB3d" * 9),
    ("jwt", "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "SflKxwRJSMeK"),
    ("sendgrid", "SG." + "a" * 22 + "." + "b" * 43),
    ("vault", "hvs." + "aB3d" * 6),
    ("digitalocean", "dop_v1_" + "a1b2" * 16),
    ("docker", "dckr_pat_" + "aB3d" * 7),
    ("atlassian", "ATATT3xFfGF0" + "aB3d" * 10),
    ("shopify", "shpat_" + "a1" * 16),
    ("slack", "xapp-1-A012345-0123456789-abcdef"),
    ("stripe", "whsec_" + "aB3d" * 6),
]


@pytest.mark.parametrize(("label", "secret"), SECRETS)
def test_known_formats_are_taken_out(label: str, secret: str) -> None:
    """Whatever stands around it, the secret goes and the rest stays."""
    redaction = redact_known(f'key = "{secret}"  # do not commit')

    assert redaction.text == 'key = "[redacted]"  # do not commit'
    assert redaction.classes == (label,)


def test_lines_keep_their_numbers() -> None:
    """A private key of several lines becomes as many lines."""
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----"

    text = redact_known(f"a\n{key}\nb").text

    assert "abc" not in text
    assert text.split("\n").index("b") == 5


def test_passwords_in_urls_and_assignments_go_and_code_stays() -> None:
    """Values go, names and expressions stay."""
    source = [
        'url = "postgres://app:s3cr3t@db/main"',
        'password = "hunter2secret"',
        "export API_TOKEN=abc123def456",
        'password = os.environ["PASSWORD"]',
        "MAX_TOKENS = DEFAULT_LIMIT",
        "def check_password(password: str, digest: str) -> bool:",
        'raise ValueError("password: not good enough")',
        'sha = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"',
    ]

    lines = Redactor().redact("\n".join(source)).split("\n")

    assert lines[:3] == [
        'url = "postgres://app:[redacted]@db/main"',
        'password = "[redacted]"',
        "export API_TOKEN=[redacted]",
    ]
    assert lines[3:] == source[3:]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:s3cretpass@cache:6379/0", "redis://:[redacted]@cache:6379/0"),
        ("postgres://app:pa$$w0rd@db/main", "postgres://app:[redacted]@db/main"),
        ("amqp://app:p@ssw0rd@mq/vhost", "amqp://app:[redacted]@mq/vhost"),
        ("mongodb+srv://app:Zx9:kk21@db.example", "mongodb+srv://app:[redacted]@db.example"),
        (
            "https://0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c@git.example/shop.git",
            "https://[redacted]@git.example/shop.git",
        ),
        ("redis://cache:6379/0", "redis://cache:6379/0"),
        ("postgres://app:${PASSWORD}@db/main", "postgres://app:${PASSWORD}@db/main"),
        ("postgres://app:$PASSWORD@db/main", "postgres://app:$PASSWORD@db/main"),
        ("https://registry.example:4873/@scope/name", "https://registry.example:4873/@scope/name"),
        ("https://git@git.example/shop.git", "https://git@git.example/shop.git"),
        ("ftp://a:b@example", "ftp://a:b@example"),
    ],
)
def test_urls_lose_their_passwords_whole_and_nothing_else(url: str, shown: str) -> None:
    """Also where no user is named, as in those of Redis, and where a password holds what ends one elsewhere."""
    found: list[str] = []

    text = Redactor(found.append).redact(f"connect({url!r})  # a, b and app")

    assert text == f"connect({shown!r})  # a, b and app"
    assert found == (["url_password"] if shown != url else [])
    assert redact_known(url).text == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("DB_PASSWORD: hunter2abc", "DB_PASSWORD: [redacted]"),
        ("  - secret_key: abcd1234efgh5678  # of staging", "  - secret_key: [redacted]  # of staging"),
        ("spring.datasource.password: pa55w0rd!", "spring.datasource.password: [redacted]"),
        ("api-key: Xk9dK2jf8Q\r", "api-key: [redacted]\r"),
        ("    token: OAuth2Token", "    token: OAuth2Token"),
        ("  secret: Uint8Array", "  secret: Uint8Array"),
        ("    password: str", "    password: str"),
        ("max_tokens: 100000000", "max_tokens: 100000000"),
        ("pad_token: 100000000", "pad_token: 100000000"),
        ("password: ${DB_PASSWORD_2}", "password: ${DB_PASSWORD_2}"),
        ("token: a2(b, c)", "token: a2(b, c)"),
        ("    token: str = make_token2()", "    token: str = make_token2()"),
    ],
)
def test_values_of_yaml_go_and_types_stay(line: str, shown: str) -> None:
    """Files of configuration quote no secrets; code names types at the same place."""
    assert Redactor().redact(f"a: b\n{line}\nc: d") == f"a: b\n{shown}\nc: d"
    assert redact_known(line).text == shown


def test_every_sending_counts_its_secrets() -> None:
    """A text that was seen before is not scanned again, but its secrets are counted again."""
    found: list[str] = []
    redactor = Redactor(found.append)

    texts = {redactor.redact('password = "hunter2secret"') for _ in range(2)}

    assert texts == {'password = "[redacted]"'}
    assert found == ["assignment", "assignment"]
