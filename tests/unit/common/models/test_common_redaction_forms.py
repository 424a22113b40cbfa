"""Secrets as files of configuration, connection strings and command lines write them, and code that looks like it."""

from __future__ import annotations

import pytest

from common.core.secrets.redaction import redact_known
from common.model.redaction import Redactor
from tests.fakes.latency import within

KEY = "hJ7kQ2mZ9xLp4Rt8Wv3Yb6NchJ7kQ2mZ9xLp4Rt8Wv3Yb6Nc"
SECRETS = (
    ("Server=db;Database=shop;User Id=sa;Password={};", "hunter2pass"),
    ("Server=db;Database=shop;User Id=sa;Pwd={};Encrypt=yes", "S3cr3t!x"),
    ("Password={};Server=db", "correct horse"),
    ('"Default": "Server=db;User Id=sa;Password={}"', "letmein"),
    ("jdbc:sqlserver://db:1433;databaseName=x;user=sa;password={};encrypt=true", "letmein"),
    ("jdbc:mysql://db:3306/x?user=root&password={}&useSSL=false", "letmein"),
    ("jdbc:oracle:thin:scott/{}@db:1521:x", "tiger"),
    ("Driver={{ODBC Driver 17}};Server=db;UID=sa;PWD={};", "hunter2pass"),
    ("host=db user=app password={} dbname=shop sslmode=disable", "letmein"),
    ("[db]\nuser = x\npassword = {}\n", "hunter2"),
    ("spring.datasource.password={}", "hunter2"),
    ("db_password: {}", "s3cretpass"),
    ("  password: {}  # of the test", "correct-horse-battery"),
    ("secret_key_base: {}", "0123456789abcdef"),
    ("export MYSQL_PASSWORD={}", "letmein"),
    ("      MYSQL_ROOT_PASSWORD: {}", "example"),
    ("      - POSTGRES_PASSWORD={}", "mypass"),
    ("ENV DB_PASSWORD {}", "letmein"),
    ("//registry.npmjs.org/:_authToken={}", "00000000-1111-2222-3333-444444444444"),
    ("_auth={}", "dXNlcjpwYXNzd29yZA=="),
    ("machine api.example.com login me password {}", "hunter2"),
    ("machine api.example.com\n  login me\n  password {}\n", "letmein"),
    ("12:01 WARN login failed, password={} was refused", "askedP4ss99"),
    ("Connects with all keys: password={}.", "docS3cretWord42"),
    ("GET /a?token={}&page=2", "aB3xY9kLmn"),
    ("Authorization: Basic {}", "dXNlcjpwYXNz"),
    ("Authorization: token {}", "0123456789abcdef0123"),
    ("https://me:{}@example.com/x.git", "tok3n"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n{}\n-----END PGP PRIVATE KEY BLOCK-----", "lQOYBF"),
    ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", "P2/56wAAA"),
    ("Private-Lines: 2\n{}\nBBBB\nPrivate-MAC: 0123abcd", "AAAAgQCsecret"),
    ("<RSAKeyValue><Modulus>abc</Modulus><D>{}</D></RSAKeyValue>", "c2VjcmV0c2VjcmV0c2VjcmV0"),
    ("Endpoint=sb://x/;SharedAccessKeyName=all;SharedAccessKey={}=", KEY),
    ("https://x.blob.core.windows.net/c?sv=2020-08-04&sig={}%3D", KEY),
    ("client: abc8Q~{}", KEY[:31]),
    ("id: GOCSPX-{}", KEY),
    ('<add key="ApiPassword" value="{}" />', "letmein"),
    ("<password>{}</password>", "letmein"),
    ("tool --password={} --verbose", "hunter2pass"),
)
CODE = (
    'password = request.form["password"]',
    "password = getpass()",
    "password = password1",
    "self.password = password",
    "token = b64encode",
    "secret: sha256_hash",
    "token: OAuth2Token",
    "password: string",
    "  DB_PASSWORD: string",
    "password: str | None = None",
    "password: ${DB_PASSWORD}",
    "PASSWORD=$PASSWORD",
    "password: {{ .Values.password }}",
    "password=%(password)s",
    "password: <your password>",
    ":param password: password of the user",
    "Password={password};Server={server}",
    'connection = "Server=" + server + ";Password=" + password + ";"',
    "connect(host=host, user=user, password=password)",
    'f"host={host} user={user} password={password}"',
    "server = x; password = ask();",
    "machine learning password manager",
    "machine: ubuntu-latest",
    "Authorization: Basic authentication",
    "Authorization: Bearer <token>",
    "max_tokens: 4096",
    "password_file: /run/secrets/db1",
    "TOKEN_TTL=3600",
    "PWD=/home/user1; cd $PWD",
    "call(token=accessTokenV2)",
    "call(token=accessTokenV2, other=1)",
    "password=getP4ssWord()",
    "token=Settings.tokenV2",
    "  secret: my-app-secrets",
    "mysql --password=PASSWORD",
    "<password>${env.PASSWORD}</password>",
)


@pytest.mark.parametrize(("written", "secret"), SECRETS)
def test_a_secret_is_found_as_it_is_written(written: str, secret: str) -> None:
    """It goes, in a line of its own or in the middle of a file, and what is around it stays."""
    around = "first = 1\n{}\nlast = 2"
    text = around.format(written.format(secret))

    redacted = Redactor().redact(text)

    assert secret not in redacted
    assert redacted.startswith("first = 1\n")
    assert redacted.endswith("\nlast = 2")
    assert redacted.count("\n") == text.count("\n")


@pytest.mark.parametrize("line", CODE)
def test_code_and_prose_about_secrets_stay(line: str) -> None:
    """What names, types or asks for a secret is none."""
    assert Redactor().redact(f"first = 1\n{line}\nlast = 2") == f"first = 1\n{line}\nlast = 2"


@pytest.mark.parametrize(
    "unit",
    [
        *("server=a;password", "host=a password=", "machine a login b ", "password: a-", "token=a1 "),
        *("password ", 'key="password" ', "token is a1b2! ", "the pass w0rd", "curl -u a", "secret='a1", "mysql x/y@"),
        "--password=",  # what has no digit is no secret, and none of them looks for one in all that follows
    ],
)
def test_what_looks_like_the_beginning_of_many_is_read_in_time(unit: str) -> None:
    """The time grows with the length of the text."""
    with within(5.0):
        redact_known(unit * (400_000 // len(unit)))
