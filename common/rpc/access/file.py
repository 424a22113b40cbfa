"""The access file: callers, their credentials and their rights. All its errors are reported at once."""

from __future__ import annotations

import hashlib
import hmac
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.settings import SettingsError, load, setting, to_texts
from common.rpc.access.patterns import Patterns, malformed
from common.rpc.access.rights import Rights, Role
from common.rpc.callers import is_plain_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ROLES = tuple(role.value for role in Role)
_HASH = re.compile("[0-9a-f]{64}")
_MAX_PATTERN_CHARACTERS = 3000
"""Length of a caller's patterns: they are sent in each proof of identity, and gRPC limits metadata to 8 KiB."""
_BUCKET = 8


@dataclass(frozen=True, slots=True)
class Quotas:
    """What a caller may use; 0 means no bound."""

    requests_per_minute: int = 0
    calls_at_once: int = 0
    usd_per_day: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A caller as the access file has it."""

    name: str
    rights: Rights
    quotas: Quotas


@dataclass(frozen=True, slots=True)
class _Table:
    """The form of `[callers.NAME]`."""

    token_sha256: tuple[str, ...] = setting((), "SHA-256 of each token in force: two while one replaces the other.")
    certificates: tuple[str, ...] = setting((), "Names in the certificate that the caller shows.")
    roles: tuple[str, ...] = setting((), "What the caller is there for.", choices=_ROLES)
    repositories: tuple[str, ...] = setting((), "Repositories that the caller may see.")
    requests_per_minute: int = setting(0, "Calls begun in a minute.", minimum=0, maximum=1_000_000)
    calls_at_once: int = setting(0, "Calls that run at once.", minimum=0, maximum=1_000_000)
    usd_per_day: float = setting(0.0, "Cost of models in a day.", minimum=0, maximum=1_000_000)


class Callers:
    """Who may call, found by name, token or certificate."""

    def __init__(self, known: Iterable[tuple[Entry, Sequence[str], Sequence[str]]] = ()) -> None:
        self._by_name: dict[str, Entry] = {}
        self._by_certificate: dict[str, Entry] = {}
        self._by_hash: defaultdict[str, list[tuple[str, Entry]]] = defaultdict(list)
        for entry, hashes, certificates in known:
            self._by_name[entry.name] = entry
            self._by_certificate.update(dict.fromkeys(certificates, entry))
            for each in hashes:
                self._by_hash[each[:_BUCKET]].append((each, entry))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._by_name)

    def named(self, name: str) -> Entry | None:
        """Return the caller of that name."""
        return self._by_name.get(name)

    def with_token(self, token: str) -> Entry | None:
        """
        Return the caller whose token this is.

        Hashes are found by their first digits and then compared in constant time: response times reveal no token.
        """
        digest = hashlib.sha256(token.encode()).hexdigest()
        found: Entry | None = None
        for known, entry in self._by_hash.get(digest[:_BUCKET], ()):
            if hmac.compare_digest(known, digest):
                found = entry
        return found

    def with_certificate(self, names: Iterable[str]) -> Entry | None:
        """Return the caller of one of these certificate names."""
        return next((self._by_certificate[each] for each in names if each in self._by_certificate), None)


def read_callers(content: bytes) -> Callers:
    """
    Read an access file.

    Raises:
        SettingsError: with everything that is wrong.
    """
    try:
        file = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of a number without end
        raise SettingsError([f"not valid TOML: {error}"]) from error
    tables = file.get("callers", {})
    problems = [f"{name}: no such table; callers are tables [callers.NAME]" for name in file if name != "callers"]
    if not isinstance(tables, dict):
        raise SettingsError([*problems, "callers: must hold a table for each caller, [callers.NAME]"])
    known: list[tuple[Entry, Sequence[str], Sequence[str]]] = []
    for name in tables:
        try:
            table = load(_Table, name, environ={}, file=tables)
        except SettingsError as error:
            problems += [f"callers: {problem}" for problem in error.problems]
            continue
        problems += _problems(name, table)
        if not problems:
            known.append((_entry(name, table), table.token_sha256, table.certificates))
    problems += _shared({name: tables[name] for name in tables if isinstance(tables[name], dict)})
    if problems:
        raise SettingsError(problems)
    return Callers(known)


def _entry(name: str, table: _Table) -> Entry:
    rights = Rights(frozenset(Role(each) for each in table.roles), Patterns(table.repositories))
    return Entry(name, rights, Quotas(table.requests_per_minute, table.calls_at_once, table.usd_per_day))


def _problems(name: str, table: _Table) -> list[str]:
    found: list[str] = []
    if not is_plain_id(name):
        found.append("the name must be 1 to 128 of letters, digits, -_.:@/")
    if not table.token_sha256 and not table.certificates:
        found.append("token_sha256: nobody could be this caller; `cgrag token` makes a token and the line for it")
    found += [
        f"token_sha256: {position} is no SHA-256: 64 lower-case hexadecimal digits, never the token itself"
        for position, each in enumerate(table.token_sha256, 1)
        if not _HASH.fullmatch(each)
    ]
    found += [f"repositories: {each!r} is no name with * and ?" for each in malformed(table.repositories)]
    if sum(map(len, table.repositories)) > _MAX_PATTERN_CHARACTERS:
        found.append(f"repositories: at most {_MAX_PATTERN_CHARACTERS} characters together; use * where it fits")
    return [f"callers: [{name}] {problem}" for problem in found]


def _shared(tables: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Name the credentials that belong to more than one caller."""
    found: list[str] = []
    for field in ("token_sha256", "certificates"):
        owners: defaultdict[str, list[str]] = defaultdict(list)
        for name, table in tables.items():
            for value in dict.fromkeys(_texts(table.get(field, ()))):
                owners[value].append(name)
        found += [
            f"callers: [{names[0]}] {field}: the same stands for {', '.join(names[1:])}"
            for names in owners.values()
            if len(names) > 1
        ]
    return found


def _texts(raw: object) -> tuple[str, ...]:
    """Return the texts of a list; () if it is not a list of texts, which is reported where the table is read."""
    try:
        return to_texts(raw)
    except ValueError:
        return ()
