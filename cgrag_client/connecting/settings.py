"""Where the services are and how long to wait for them: `[client]` of the settings file and `CGRAG_CLIENT_*`."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T = TypeVar("T")

_DOC = "doc"
_START = "CGRAG_CLIENT_"
# Least similarity (difflib's ratio) of a misspelled name and a suggestion for it.
_LIKE = 0.85
_SHORT = {"token": "CGRAG_TOKEN"}

_WITH_DATA = ("indexer", "retriever", "orchestrator")

# Eleven days; gRPC treats a deadline that is too far in the future as already exceeded.
MOST_SECONDS = 1_000_000

SERVICES = ("indexer", "classifier", "retriever", "orchestrator")

DEFAULT = "default"
"""Origin of a value that is not set."""


def _setting(default: T, doc: str) -> T:
    declared: T = field(default=default, metadata={_DOC: doc})
    return declared


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Settings of the client."""

    orchestrator: str = _setting("127.0.0.1:50054", "host:port of the service that answers.")
    indexer: str = _setting("127.0.0.1:50051", "host:port of the service that indexes.")
    retriever: str = _setting("127.0.0.1:50053", "host:port of the service that searches.")
    classifier: str = _setting("127.0.0.1:50052", "host:port of the service that classifies; for `status` and scoring.")
    token: str = _setting("", "Bearer token that is sent with every call; `CGRAG_TOKEN` for short; empty sends none.")
    token_file: str = _setting("", "File that holds the token, instead.")
    token_in_clear: bool = _setting(
        False, "Send the token without TLS to other machines, too, for all on the way to read."
    )
    ca_file: str = _setting("", "Authority (PEM) of the services' certificates; empty talks in the clear.")
    certificate_file: str = _setting("", "Certificate chain (PEM) of the caller, for services that ask for one.")
    key_file: str = _setting("", "Private key (PEM) of that certificate.")
    call_timeout_seconds: float = _setting(30.0, "Deadline of calls that answer at once.")
    answer_timeout_seconds: float = _setting(300.0, "Deadline of a whole answer, cuts included.")

    def address(self, service: str) -> str:
        """Read the address of one of `SERVICES`."""
        return str(getattr(self, service))

    def at(self, addresses: Mapping[str, str]) -> ClientSettings:
        """Return the settings with other addresses, by service."""
        return replace(self, **dict[str, Any](addresses))


@dataclass(frozen=True, slots=True)
class Origin:
    """A setting in force: its value as text, its source ("default", "file" or a variable's name), its description."""

    name: str
    value: str
    source: str
    doc: str
    variable: str


def load_settings(environ: Mapping[str, str]) -> ClientSettings:
    """Read the environment and the file that CGRAG_CONFIG names. Raises UsageError with every fault."""
    return load_with_origins(environ)[0]


def load_with_origins(environ: Mapping[str, str]) -> tuple[ClientSettings, tuple[Origin, ...]]:
    """Read the settings as `load_settings` does, and say where each value came from."""
    table = _table("client", environ)
    known = {each.name: each for each in fields(ClientSettings)}
    problems = [f"[client] {name}: no such setting{meant(name, known)}" for name in table if name not in known]
    problems += _unread(known, environ)
    values: dict[str, Any] = {}
    origins: list[Origin] = []
    for name, declared in known.items():
        variable = _variable(name, environ)
        raw, source = _find(name, variable, environ, table, declared.default)
        try:
            values[name] = _CONVERTERS[type(declared.default)](raw)
        except ValueError as error:
            problems.append(f"{f'[client] {name}' if source == 'file' else source}: {error}")
            continue
        shown = "(secret)" if name == "token" and values[name] else str(values[name])
        origins.append(Origin(f"client.{name}", shown, source, declared.metadata[_DOC], variable))
    if problems:
        raise UsageError("\n".join(problems))
    return ClientSettings(**values), tuple(origins)


def data_folder(environ: Mapping[str, str]) -> Path:
    """
    Name the folder that the services of this machine keep their data in.

    It is CGRAG_DATA_DIR, else the `data_dir` of the services in the settings file, else `~/.local/share/cgrag`. Raises
    UsageError if the file gives the services different folders, or the home folder is not known.
    """
    named = environ.get("CGRAG_DATA_DIR")
    if not named:
        tables = {name: _table(name, environ) for name in _WITH_DATA}
        found = {name: table["data_dir"] for name, table in tables.items() if table.get("data_dir")}
        if len(set(map(str, found.values()))) > 1:
            told = ", ".join(f"[{name}] {folder}" for name, folder in found.items())
            raise UsageError(f"data_dir is not one folder: {told}; choose one with --data or CGRAG_DATA_DIR")
        named = str(next(iter(found.values()), "~/.local/share/cgrag"))
    try:
        return Path(named).expanduser()
    except RuntimeError as error:  # HOME is not set, and the user is not in the system's user database
        raise UsageError(f"{named}: no home folder is known; name another with --data or CGRAG_DATA_DIR") from error


def service_value(service: str, name: str, environ: Mapping[str, str]) -> tuple[object, str] | None:
    """Return the value of a service's setting and its source (a variable's name, or "file"); None if it is not set."""
    variable = f"CGRAG_{service}_{name}".upper()
    if variable in environ:
        return environ[variable], variable
    table = _table(service, environ)
    return (table[name], "file") if name in table else None


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a service that is started in another folder: with CGRAG_CONFIG as absolute path."""
    name = environ.get("CGRAG_CONFIG", "")
    whole = {"CGRAG_CONFIG": str(Path(name).expanduser().absolute())} if name else {}
    return {**environ, **whole}


def read_file(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Read the TOML file that CGRAG_CONFIG names; {} if it names none. Raises UsageError if it cannot be read."""
    name = environ.get("CGRAG_CONFIG", "")
    if not name:
        return {}
    try:
        return tomllib.loads(Path(name).expanduser().read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # invalid TOML or UTF-8, a number with too many digits
        raise UsageError(f"CGRAG_CONFIG {name}: not valid TOML: {error}") from error
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"CGRAG_CONFIG {name}: cannot be read ({reason})") from error


def _table(section: str, environ: Mapping[str, str]) -> Mapping[str, Any]:
    table = read_file(environ).get(section, {})
    if not isinstance(table, dict):
        raise UsageError(f"CGRAG_CONFIG {environ['CGRAG_CONFIG']}: [{section}] must be a table")
    return table


def _unread(known: Iterable[str], environ: Iterable[str]) -> list[str]:
    """Report each `CGRAG_CLIENT_*` variable that is not a setting, with a suggestion."""
    variables = [f"{_START}{name}".upper() for name in known]
    unknown = sorted(each for each in environ if each.startswith(_START) and each not in variables)
    return [f"{name}: no such setting{meant(name, variables)}" for name in unknown]


def meant(name: str, known: Iterable[str], like: float = _LIKE) -> str:
    """Return `; did you mean X?` for the known name that is most like a wrong one, "" if none is."""
    return "".join(f"; did you mean {each}?" for each in difflib.get_close_matches(name, list(known), 1, like))


def _variable(name: str, environ: Mapping[str, str]) -> str:
    variable = f"{_START}{name}".upper()
    return _SHORT[name] if variable not in environ and _SHORT.get(name, "") in environ else variable


def _find(
    name: str, variable: str, environ: Mapping[str, str], table: Mapping[str, object], default: object
) -> tuple[object, str]:
    if variable in environ:
        return environ[variable], variable
    return (table[name], "file") if name in table else (default, DEFAULT)


def _seconds(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"expected a number of seconds, got {raw!r}")
    try:
        seconds = float(raw)
    except ValueError:
        raise ValueError(f"expected a number of seconds, got {raw!r}") from None
    if not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"must be more than 0 and at most {MOST_SECONDS}, got {raw!r}")
    return seconds


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"expected a text, got {raw!r}")
    return raw


def _flag(raw: object) -> bool:
    text = str(raw).strip().lower()
    if text not in ("true", "false", "1", "0", "yes", "no", "on", "off"):
        raise ValueError(f"expected true or false, got {raw!r}")
    return text in ("true", "1", "yes", "on")


_CONVERTERS: Mapping[type, Callable[[object], object]] = {str: _text, float: _seconds, bool: _flag}
