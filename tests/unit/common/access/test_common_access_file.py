"""The access file: what it says, what is wrong with it, and how it is read again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import StartupError
from common.core.settings import SettingsError
from common.rpc.access.file import Callers, read_callers
from common.rpc.access.patterns import Patterns, malformed
from common.rpc.access.rights import Role
from common.rpc.access.watching import WatchedFile
from tests.e2e.guarded import access_file, token_of
from tests.fakes.clock import FakeClock

NAMES = st.text("ab-", max_size=6)
GLOBS = st.text("ab-*?", min_size=1, max_size=5)


def test_callers_are_found_by_token_and_certificate() -> None:
    """A token is known by its hash, a certificate by a name in it; what nobody has is nobody's."""
    text = access_file({"anna": ("asker, reader", "a*")}, anna='certificates = ["anna.example"]\ncalls_at_once = 2')
    callers = read_callers(text.encode())
    entry = callers.with_token(token_of("anna"))

    assert entry is not None
    assert (entry.name, entry.quotas.calls_at_once, entry.quotas.requests_per_minute) == ("anna", 2, 0)
    assert entry.rights.roles == {Role.ASKER, Role.READER}
    assert callers.with_certificate(("other", "anna.example")) is entry
    assert callers.with_token("") is None
    assert callers.with_token(token_of("bert")) is None
    assert callers.with_certificate(()) is None


def test_a_hash_that_only_begins_alike_is_another() -> None:
    """All of it counts, however it is found."""
    digest = hashlib.sha256(b"the token").hexdigest()
    alike = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    text = f'[callers.anna]\ntoken_sha256 = ["{alike}"]\n[callers.bert]\ntoken_sha256 = ["{digest}"]'
    callers = read_callers(text.encode())
    alone = read_callers(text.partition("[callers.bert]")[0].encode())

    assert callers.with_token("the token") is callers.named("bert")
    assert alone.with_token("the token") is None


def test_a_caller_has_nothing_that_it_was_not_given() -> None:
    """Without roles and repositories a caller may call nothing and see nothing."""
    callers = read_callers(f'[callers.anna]\ntoken_sha256 = ["{"0" * 64}"]'.encode())
    entry = callers.named("anna")

    assert entry is not None
    assert entry.rights.roles == set()
    assert not any(entry.rights.repositories.match(name) for name in ("", "a", "*"))


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Unknown names, types, roles, hashes, patterns, bounds, and credentials that two callers share."""
    text = f"""
        [callers.anna]
        token_sha256 = ["secret-token", "{"1" * 64}"]
        roles = ["boss"]
        colour = "red"
        [callers.bert]
        token_sha256 = ["{"1" * 64}"]
        repositories = ["a[bc]", "ok-*"]
        requests_per_minute = -1
        [callers.carl]
        [callers."two words"]
        certificates = ["x"]
        repositories = ["{"a" * 200}"]
        [people]
    """
    with pytest.raises(SettingsError) as raised:
        read_callers(text.encode())
    told = "\n".join(raised.value.problems)

    for expected in (
        "people: no such table",
        "[anna] colour",
        "[anna] roles: must be one of",
        "[bert] requests_per_minute",
        "[carl] token_sha256: nobody could be",
        "[two words] the name must",
        "[anna] token_sha256: the same stands for bert",
    ):
        assert expected in told


def test_credentials_that_two_share_are_told_however_they_are_written() -> None:
    """A list may be written as one text with commas: the last of two callers would quietly have the token of both."""
    text = f"""
        [callers.anna]
        token_sha256 = "{"1" * 64}, {"2" * 64}"
        certificates = "shared.example"
        [callers.bert]
        token_sha256 = ["{"2" * 64}"]
        certificates = "own.example,shared.example"
    """
    with pytest.raises(SettingsError) as raised:
        read_callers(text.encode())

    assert raised.value.problems == (
        "callers: [anna] token_sha256: the same stands for bert",
        "callers: [anna] certificates: the same stands for bert",
    )


def test_hashes_and_patterns_are_checked_and_never_repeated() -> None:
    """A token in the place of its hash is refused without being shown, or it would end up in a log."""
    text = '[callers.anna]\ntoken_sha256 = ["my-very-secret-token"]\nrepositories = ["a[bc]", "a/b"]'
    with pytest.raises(SettingsError) as raised:
        read_callers(text.encode())
    told = "\n".join(raised.value.problems)

    assert "1 is no SHA-256" in told
    assert "'a[bc]' is no name" in told
    assert "'a/b' is no name" in told
    assert "my-very-secret" not in told


@pytest.mark.parametrize("text", ["callers = 3", "[callers]\nanna = 3", "no toml", "\udcff", "a = " + "9" * 5000])
def test_a_file_of_another_form_is_refused(text: str) -> None:
    """What is no table of tables is told as such."""
    with pytest.raises(SettingsError):
        read_callers(text.encode("utf-8", "surrogateescape"))


VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 5), st.floats(-5, 5), st.text("a0-*,", max_size=4)),
    lambda inner: st.lists(inner, max_size=3),
)
FIELDS = st.sampled_from(
    [
        "token_sha256",
        "certificates",
        "roles",
        "repositories",
        "requests_per_minute",
        "calls_at_once",
        "usd_per_day",
        "x",
    ]
)


@given(st.dictionaries(st.sampled_from("ab"), st.dictionaries(FIELDS, VALUES, max_size=4), max_size=2))
def test_whatever_values_a_file_has_it_is_read_or_told(tables: dict[str, dict[str, object]]) -> None:
    """No value of a wrong type gets by as another error, which would end the heartbeat that reads the file."""
    lines = []
    for name, table in tables.items():
        lines += [f"[callers.{name}]", *(f"{field} = {json.dumps(value)}" for field, value in table.items())]
    try:
        read = len(read_callers("\n".join(lines).encode()))
    except SettingsError as error:
        read = -len(error.problems)

    assert read == len(tables) or read < 0


def naive(pattern: str, name: str) -> bool:
    """Match by the definition, one character after the other."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return naive(pattern[1:], name) or (bool(name) and naive(pattern, name[1:]))
    return bool(name) and pattern[0] in ("?", name[0]) and naive(pattern[1:], name[1:])


@given(st.lists(GLOBS, max_size=3), NAMES)
def test_patterns_match_by_their_definition(globs: list[str], name: str) -> None:
    """Several match what one of them does; none match nothing."""
    assert Patterns(tuple(globs)).match(name) == any(naive(glob, name) for glob in globs)


@given(st.text(max_size=8), st.text(max_size=8))
def test_a_name_without_stars_matches_itself_alone(pattern: str, name: str) -> None:
    """Nothing in a name but `*` and `?` means anything, whatever regular expressions think of it; case counts."""
    literal = pattern.replace("*", ".").replace("?", ".")

    assert Patterns((literal,)).match(name) == (literal == name)


@given(st.lists(GLOBS, max_size=3), GLOBS, NAMES)
def test_another_pattern_never_takes_away(globs: list[str], more: str, name: str) -> None:
    """What is seen stays seen when a pattern is added."""
    assert Patterns((*globs, more)).match(name) >= Patterns(tuple(globs)).match(name)


def test_stars_in_a_row_take_no_longer() -> None:
    """A pattern of many stars is answered at once, where trying them all would take for ever."""
    assert not Patterns(("*" * 40 + "b",)).match("a" * 5000)
    assert not Patterns(("*a" * 60 + "?b",)).match("a" * 1000)
    assert malformed(("a*", "?", "", "a b", "a\n")) == ("", "a b", "a\n")


class Watched:
    """A watched access file, a clock, and what was told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.told: list[str] = []
        self.file: WatchedFile[Callers] = WatchedFile(
            path, "access_file", read_callers, self.clock, lambda _, problem: self.told.append(problem)
        )
        self._times = 0

    async def after(self, text: str | None) -> Callers:
        """Replace the file, and look a second later."""
        if text is None:
            self.path.unlink()
        else:
            self.path.write_text(text)
            self._times += 1
            os.utime(self.path, ns=(self._times, self._times))
        self.clock.advance(1.0)
        await self.file.look()
        return self.file.content


async def test_a_changed_file_is_taken_over_and_a_bad_one_is_not(tmp_path: Path) -> None:
    """A good file is in force; a bad or missing one is told once and leaves the one before in force."""
    path = tmp_path / "access.toml"
    path.write_text(access_file({"anna": ("asker", "*")}))
    watched = Watched(path)
    two = await watched.after(access_file({"anna": ("asker", "*"), "bert": ("asker", "*")}))
    kept = [await watched.after(text) for text in ("no toml", "no toml, again", None)]
    watched.clock.advance(1.0)
    await watched.file.look()
    one = await watched.after(access_file({"bert": ("asker", "*")}))

    assert len(two) == 2
    assert kept == [two] * 3
    assert len(one) == 1
    assert [bool(problem) for problem in watched.told] == [False, True, True, True, False]


async def test_a_file_that_is_there_and_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    """However long it stays so; it is taken as soon as it can be read."""
    path = tmp_path / "access.toml"
    path.write_text(access_file({"anna": ("asker", "*")}))
    watched = Watched(path)
    before = watched.file.content
    path.unlink()
    path.mkdir()
    for _ in range(3):
        watched.clock.advance(1.0)
        await watched.file.look()
    kept = watched.file.content
    path.rmdir()
    after = await watched.after(access_file({"anna": ("asker", "*"), "bert": ("asker", "*")}))

    assert kept is before
    assert len(after) == 2
    assert watched.told == ["cannot be read (Is a directory)", ""]


async def test_the_file_is_looked_at_once_a_second(tmp_path: Path) -> None:
    """Within a second the content stands, however many ask."""
    path = tmp_path / "access.toml"
    path.write_text(access_file({"anna": ("asker", "*")}))
    watched = Watched(path)
    before = watched.file.content
    path.write_text(access_file({"bert": ("asker", "*")}))
    await watched.file.look()

    assert not watched.file.is_due
    assert watched.file.content is before


def test_a_service_does_not_start_with_a_bad_file(tmp_path: Path) -> None:
    """The error names the file, the setting and every problem."""
    path = tmp_path / "access.toml"
    with pytest.raises(StartupError, match="access_file"):
        Watched(path)
    path.write_text("[callers.anna]\nroles = ['boss']\n[callers.bert]")
    with pytest.raises(StartupError) as raised:
        Watched(path)

    assert str(path) in str(raised.value)
    assert "[anna] roles" in str(raised.value)
    assert "[bert] token_sha256" in str(raised.value)
