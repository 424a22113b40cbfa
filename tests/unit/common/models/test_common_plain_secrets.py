"""Secrets that are plain words, in files of settings; and what looks like them, there and in code."""

from __future__ import annotations

import time

import pytest

from common.core.secrets.plain import plain_secrets
from common.core.secrets.redaction import redact_known
from common.model.redaction import Redactor
from tests.fakes.latency import within

SETTINGS = (
    "database:\n  host: db\n  password: {}\n  port: 5432\n",
    "smtp:\n  - user: me\n    smtp_password: {}\n",
    "app:\r\n  host: db\r\n  password: {}\r\n",
    "user: me\n\npassword: {}  # of the test\n",
    "services:\n  db:\n    environment:\n      - POSTGRES_USER=me\n      - POSTGRES_PASSWORD={}\n",
    'environment:\n  - "DB_USER=me"\n  - "DB_PASSWORD={}"\n',
    "environment:\n  DB_USER: me\n  JWT_SECRET: {}\n",
    "[client]\nuser = me\npassword = {}\n",
    "[client]\n# of the test\npassword={}\n",
    "[db]\nurl = %(host)s/x\n\n; more\npasswd   =   {}\n",
    "spring.datasource.username=me\nspring.datasource.password={}\n",
    "datasource.user=me\ndatasource.proxyPassword={}\n",
    "export DB_USER=me\nexport DB_PASS={}\n",
    "DB_USER=me\nAPI_TOKEN={}\n",
    "all:\n  vars:\n    ansible_become_password: {}\n    ansible_port: 22\n",
    "{{{{- if .Values.db }}}}\npassword: {}\n{{{{- end }}}}\n",
    '<piece label="E1" place="app.yaml:1-2">\npassword: {}\nhost: db\n</piece>',
    "```yaml\nhost: db\napi_key: {}\n```",
    "env:\n  - name: DB_PASSWORD\n    value: {}\n  - name: DB_USER\n    value: me\n",
    "env:\n  - name: APP_SECRET_KEY\n    value: '{}'\n",
)
NONE = (
    "changeme",
    "change_me_please",
    "replace-me-with-a-random-string",
    "your_password_here",
    "<password>",
    "xxxxxxxx",
    "********",
    "${DB_PASSWORD}",
    "${DB_PASSWORD:fallback}",
    "$DB_PASSWORD",
    "{{ vault_db }}",
    "%(password)s",
    "null",
    "none",
    "true",
    "yes",
    "required",
    "string",
    "Passwort",
    "SecretStr",
    "HTTPSecretStore",
    "/run/secrets/db",
    "./secrets/db.txt",
    "db.json",
    "env.DB_PASSWORD",
    "DB_PASSWORD",
    "db-password",
    "64",
    "7.1.2",
    "!vault |",
    "a word about it",
)
STAYS = (
    "spec:\n  secretName: my-tls\n  passwordKey: db-pass\n",
    "valueFrom:\n  secretKeyRef:\n    name: db-credentials\n    key: password\n",
    "remoteRef:\n  secretKey: username\n  existingSecret: my-database\n",
    "with:\n  persist-credentials: false\n  automountServiceAccountToken: false\n",
    "auth:\n  credentials: basic\n  secret: my-app-credentials\n  token: identifier\n",
    "password_file: correcthorse\npassword_policy: strict\npassword_hasher: argon\n",
    "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: database\n",
    "env:\n  - name: DB_PASSWORD_FILE\n    value: correcthorse\n",
    "minipass: 7.1.2\npgpass: 1.0.5\n",
)
CODE = (
    "def connect(user, password):\n    user = user or me\n    password = fallback\n    return user\n",
    "user = who\npassword = what\nhost = where\n",
    "class Login(Form):\n    user: str\n    password: hidden\n\n    def check(self):\n        pass\n",
    "const login = {\n  user: name,\n  password: word\n}\n",
    "connect(\n    user=name,\n    password=word\n)\n",
    "connect(\n    user=name,\n    password=word,\n)\n",
    "type Login struct {\n    password: word\n}\n",
    "interface Login {\n  user: string;\n  apiKey: secure;\n}\n",
    "this.user = name;\nthis.password = word;\n",
    "match kind:\n  default:\n    password: word\n",
    "It is written as such:\npassword: word\nwhere word is yours.\n",
    "password: correcthorse",
)


@pytest.mark.parametrize("around", SETTINGS)
def test_a_plain_word_among_settings_is_a_secret(around: str) -> None:
    """It goes, and nothing else does."""
    assert redact_known(around.format("correcthorse")).text == around.format("[redacted]")
    assert redact_known(around.format("123456")).text == around.format("[redacted]")


@pytest.mark.parametrize("value", NONE)
@pytest.mark.parametrize("around", ["db:\n  host: db\n  password: {}\n", "[db]\nuser = me\npassword = {}\n"])
def test_what_names_or_points_to_a_secret_is_none(around: str, value: str) -> None:
    """Nor is what is to be filled in, or says what kind of value there is."""
    assert redact_known(around.format(value)).text == around.format(value)


@pytest.mark.parametrize("text", [*STAYS, *CODE])
def test_settings_about_secrets_and_code_stay(text: str) -> None:
    """A variable or a type is no secret, and who asks about settings needs the names."""
    assert plain_secrets(text) == ()


def test_paths_to_passwords_stay() -> None:
    """In an environment, too."""
    text = "environment:\n  - DB_PASSWORD=/run/secrets/db-password\n  - DB_USER=me\n"

    assert redact_known(text).text == text


def test_every_quoted_secret_of_a_line_is_found() -> None:
    """A line may be all of a file."""
    line = "".join(f'{{"service{number}": {{"password": "correct{number}horse"}}}},' for number in range(200))

    redacted = Redactor().redact(line)

    assert "horse" not in redacted
    assert redacted.count("[redacted]") == 200
    assert redacted.count('"service') == 200


@pytest.mark.parametrize(
    "unit",
    [
        "password: abcde\n",
        "[a]\npassword = abcde\n",
        "password=\n",
        "password",
        "a: b\npassword: abcde" + " " * 500 + "x\n",
        "password=abcde" + "\n" * 50,
        "- name: PASSWORD\n",
        " ",
    ],
)
def test_the_time_grows_with_the_text(unit: str) -> None:
    """Half a million of what looks like the beginning of many."""
    with within(5.0):
        plain_secrets(unit * (500_000 // len(unit)))


def test_the_time_of_a_line_full_of_secrets_grows_with_it() -> None:
    """A line of eight times the length, each secret another, takes no sixteen times as long, with nothing left."""

    def seconds(count: int) -> float:
        line = "".join(f"password='horse{number:05}'," for number in range(count))
        began = time.process_time()
        redacted = Redactor().redact(line)
        assert "horse" not in redacted
        return time.process_time() - began

    assert seconds(2400) < 16 * max(0.1, seconds(300))
