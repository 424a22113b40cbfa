"""What is read, what is left out, and how bytes become text."""

from __future__ import annotations

import pytest

from indexer.domain.source.screening import (
    MAX_DATA_BYTES,
    MAX_NOTEBOOK_BYTES,
    decode,
    is_private_key,
    is_secret_path,
    screen_path,
    screen_text,
)
from indexer.domain.tree import SkipReason, safe_path

LIMIT = 1_000_000
BEGIN = "-----BEGIN OPENSSH " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("path", "size", "reason"),
    [
        ("src/app.py", 100, None),
        ("README", 100, None),
        ("node_modules/x/index.js", 100, SkipReason.VENDORED),
        ("pkg/vendor/lib.go", 100, SkipReason.VENDORED),
        ("logo.PNG", 100, SkipReason.BINARY),
        ("api_pb2.py", 100, SkipReason.GENERATED),
        ("package-lock.json", 100, SkipReason.GENERATED),
        ("static/jquery.min.js", 100, SkipReason.MINIFIED),
        ("big.py", LIMIT + 1, SkipReason.OVERSIZE),
        ("limit.py", LIMIT, None),
        ("data.json", 200_000, SkipReason.OVERSIZE),
        ("data.json", 2_000, None),
    ],
)
def test_paths_are_screened_by_name_and_size(path: str, size: int, reason: SkipReason | None) -> None:
    """Vendored, binary, generated, minified and oversize files are told by name and size alone."""

    assert screen_path(path, size, LIMIT) == reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain\n", "plain\n"),
        (b"\xef\xbb\xbfmarked\n", "marked\n"),
        ("é\r\nü\r".encode(), "é\nü\n"),
        ("x = 1\n".encode("utf-16"), "x = 1\n"),
        ("ü\n".encode("utf-32"), "ü\n"),
        (b"# -*- coding: latin-1 -*-\n# \xe9\xe8\xe7\xe0\xfc\xf6\xe4\xe9\xe8\xe7\xe0\xfc\xf6\xe4\n", None),
        (b"a long enough line with one caf\xe9 in it\n", "a long enough line with one caf\u00e9 in it\n"),
    ],
)
def test_text_is_decoded_by_mark_utf8_declaration_and_guess(data: bytes, text: str | None) -> None:
    """Byte order marks, UTF-8, declared encodings and mostly-ASCII Windows-1252 give text with line feeds."""
    decoded = decode(data)

    assert isinstance(decoded, str)
    assert text is None or decoded == text
    assert "\r" not in decoded


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GIF89a\0\0\0", SkipReason.BINARY),
        (bytes(range(128, 256)) * 4, SkipReason.UNDECODABLE),
        (b"\xff\xfe\x00\xd8\x00", SkipReason.UNDECODABLE),
        (b"# coding: base64\n\xff\xff\xff\xff", SkipReason.UNDECODABLE),
        (b"# coding: no-such-thing\n\xff\xff\xff\xff", SkipReason.UNDECODABLE),
    ],
)
def test_what_is_no_text_is_named(data: bytes, reason: SkipReason) -> None:
    """NUL bytes mean binary; what no encoding fits is undecodable; codecs that are no encodings are not tried."""

    assert decode(data) == reason


def test_one_line_of_a_megabyte_is_minified() -> None:
    """A line that no person writes makes a file minified, whatever its name."""

    assert screen_text("data.py", "x = '" + "a" * 1_000_000 + "'\n") == SkipReason.MINIFIED


@pytest.mark.parametrize(
    ("path", "taken", "left_out", "reason"),
    [
        ("x.py", "x" * 20_000, "x" * 20_001, SkipReason.MINIFIED),
        ("x.js", "x" * 299 + "\n" + "x" * 300, "x" * 301 + "\n" + "x" * 300, SkipReason.MINIFIED),
        ("x.py", "# a\n" * 10 + "# @generated", "# a\n" * 9 + "# @generated", SkipReason.GENERATED),
    ],
    ids=["longest line", "mean line", "lines of the head"],
)
def test_limits_of_text_are_exact(path: str, taken: str, left_out: str, reason: SkipReason) -> None:
    """What just keeps within a limit is taken, what just exceeds it is not."""
    assert screen_text(path, taken) is None
    assert screen_text(path, left_out) is reason


@pytest.mark.parametrize(
    ("path", "most"), [("x.py", 1_000_000), ("x.json", MAX_DATA_BYTES), ("x.ipynb", MAX_NOTEBOOK_BYTES)]
)
def test_limits_of_size_are_exact(path: str, most: int) -> None:
    """Data and notebooks have limits of their own."""
    assert screen_path(path, most, 1_000_000) is None
    assert screen_path(path, most + 1, 1_000_000) is SkipReason.OVERSIZE


def test_dense_javascript_is_minified_and_dense_prose_is_not() -> None:
    """Long mean lines mark JavaScript as minified; prose may have long lines."""
    text = "var a=1;" * 100 + "\n"

    assert screen_text("app.js", text) == SkipReason.MINIFIED
    assert screen_text("README.md", text) is None


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("dist/app.js", "f();\n//# sourceMappingURL=app.js.map\n", SkipReason.GENERATED),
        ("dist/app.cjs", "f();\n//@ sourceMappingURL=app.js.map", SkipReason.GENERATED),
        ("dist/app.css", "a {}\n/*# sourceMappingURL=app.css.map */\n\n", SkipReason.GENERATED),
        ("lib/maps.js", 'add("//# sourceMappingURL=" + name);\n', None),
        ("lib/maps.js", "//# sourceMappingURL=x.map\nf();\n", None),
        ("maps.py", "x = 1\n//# sourceMappingURL=x.map\n", None),
    ],
)
def test_what_ends_with_its_source_map_was_made_from_something_else(
    path: str, text: str, reason: SkipReason | None
) -> None:
    """Bundlers and compilers of JavaScript and CSS end their output with where its sources are told."""

    assert screen_text(path, text) == reason


@pytest.mark.parametrize(
    "head",
    [
        "# Code generated by protoc. DO NOT EDIT.",
        "// @generated by tool",
        "// <auto-generated/>",
        "/* This file was automatically generated */",
        "# Autogenerated, do not touch",
    ],
)
def test_generated_marks_in_a_leading_comment_count(head: str) -> None:
    """The usual marks of generators are recognised at the head of a file."""

    assert screen_text("x.py", head + "\nx = 1\n") == SkipReason.GENERATED


@pytest.mark.parametrize(
    "text",
    [
        'HEADER = "# Code generated by us. DO NOT EDIT."\n',
        "x = 1\n" * 20 + "# Code generated by us. DO NOT EDIT.\n",
        "# Do not edit lightly.\n",
        "# The generated code is checked below.\n",
        "# Note that not all possible configuration values are present in this\n# autogenerated file.\n",
    ],
)
def test_talk_of_generation_elsewhere_does_not_count(text: str) -> None:
    """A generator's own source, and marks far from the head, are ordinary code."""

    assert screen_text("x.py", text) is None


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../b", "a//b", "a\\b", "a\nb", "a\0b", ".git/config", "sub/.GIT/hooks", "a\udcffb"],
)
def test_unsafe_paths_are_refused(path: str) -> None:
    """Absolute, climbing, empty, control-character, backslash and .git paths never enter a snapshot."""

    assert not safe_path(path)


def test_ordinary_paths_are_safe() -> None:
    """Spaces, dots and letters of all languages are fine."""

    assert all(map(safe_path, ["a.py", ".github/x.yml", "dir with space/ü.py", "a..b/c"]))


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        (".env.example", False),
        ("app/.env.template", False),
        (".envrc", False),
        ("environment.py", False),
        ("ssh/id_rsa", True),
        ("ssh/id_ed25519.pub", False),
        ("keys/store.p12", True),
        (".netrc", True),
        ("src/id_rsa_parser.py", False),
    ],
)
def test_files_for_secrets_are_told_by_name(path: str, secret: bool) -> None:
    """Examples that show what belongs into them are for everybody to read."""
    assert is_secret_path(path) is secret


@pytest.mark.parametrize(
    ("path", "text", "is_key"),
    [
        ("server", f"{BEGIN}\nabc\n", True),
        ("tls.pem", f"-----BEGIN CERTIFICATE-----\nabc\n{BEGIN}\nabc\n", True),
        ("tls.pem", "-----BEGIN CERTIFICATE-----\nabc\n", False),
        ("keys.txt", f"\n{BEGIN}\nabc\n", True),
        ("keys.py", f'KEY = """\n{BEGIN}\n"""\n', False),
    ],
)
def test_private_keys_are_told_by_what_they_hold(path: str, text: str, is_key: bool) -> None:
    """Source that has one among other things is source."""
    assert is_private_key(path, text) is is_key
