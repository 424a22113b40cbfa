"""
Settings parsed once from a TOML file and the environment into frozen dataclasses; all errors at once.

A service declares its settings as a frozen dataclass whose fields are made with `setting(...)`. Environment wins
over file, file wins over default. Durations carry their unit in the field's name.

A number without a maximum of its own has the default maximum of its unit, which timers, dates and databases can hold.

A secret may also be read from a file of one line, whose path is in `<VARIABLE>_FILE` in the environment or
`<field>_file` in the settings file. The file is read only when the settings are loaded.
"""

from __future__ import annotations

import dataclasses
import math
import re
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from common.core.tables import Tables, to_tables
from common.core.variables import meant, unread
from common.core.words.numbers import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

_METADATA_KEY = "cgrag.setting"
_MAX_SECRET_BYTES = 64 * 1024
_SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
# Greatest value by the unit at the end of a setting's name: poll(2) takes at most 24 days in milliseconds, and dates
# cannot be before the year 1.
_GREATEST_OF_UNIT = {"seconds": 1_000_000, "minutes": 1_000_000, "days": 36_500}
_GREATEST = 1_000_000_000
# Patterns of addresses: an HTTP URL; a gRPC target such as host:port, dns:///host:port or unix:/path; a host alone.
URL = r"https?://[^\s/]\S*"
TARGET = r"(?!https?://)\S+"
HOST = r"[\w.:%\[\]-]+"


class SettingsError(Exception):
    """One or more settings are wrong; the message lists every one with where it came from."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(f"- {problem}" for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """Metadata of a field: documentation, bounds, pattern, name in the environment, and whether it is secret."""

    doc: str
    env: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False
    pattern: str = ""
    is_filled: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """
    The effective value of a setting, as text, and its source: "default", "file" or the name of an environment variable.

    `variable` is the environment variable for the value; `file_variable` is the one for the path of a file with the
    value, "" if the setting is not secret.
    """

    name: str
    value: str
    source: str
    doc: str
    variable: str
    file_variable: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """The raw value of a setting, and its source and place for messages; `path` is the file a secret was read from."""

    raw: object
    source: str = "default"
    where: str = ""
    path: str = ""


def setting(
    default: T,
    doc: str,
    *,
    env: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    secret: bool = False,
    pattern: str = "",
    is_filled: bool = False,
) -> T:
    """
    Declare one setting of a frozen dataclass.

    Args:
        default: Value if neither environment nor file sets one; must have the type of the field.
        doc: One sentence for `cgrag config check`.
        env: Name in the environment; by default CGRAG_<SECTION>_<FIELD> in capitals.
        minimum: Least number allowed, also of each number in a list.
        maximum: Greatest number allowed, also of each number in a list; by default that of its unit. Infinity is
            refused unless this is `math.inf`.
        choices: Texts allowed; empty allows any.
        secret: The value is never printed, and may be read from a file.
        pattern: Regular expression that a text, or each text of a list, must match completely; empty allows any.
        is_filled: Whether a list must not be empty.
    """
    info = SettingInfo(doc, env, minimum, maximum, choices, secret, pattern, is_filled)
    declared: T = field(default=default, metadata={_METADATA_KEY: info})
    return declared


def read_toml(path: Path | None) -> Mapping[str, Any]:
    """Read a settings file; None gives no settings. Raises SettingsError if it is missing or malformed."""
    if path is None:
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError([f"{path}: cannot be read ({error.strerror}); name another file or none"]) from error
    except (ValueError, RecursionError) as error:  # malformed TOML or UTF-8, or too many digits
        raise SettingsError([f"{path}: not valid TOML: {error}"]) from error


def load(cls: type[T], section: str, *, environ: Mapping[str, str], file: Mapping[str, Any]) -> T:
    """
    Build one settings dataclass.

    Args:
        cls: Frozen dataclass of bool, int, float, str, Path, Path | None, tuples of texts or ints, and Tables.
        section: Table of the file, and middle part of the environment names.
        environ: The environment.
        file: The whole settings file, parsed.

    Raises:
        SettingsError: with every unknown name, wrong type, value out of bounds and file that cannot be read.
    """
    value, _ = load_with_origins(cls, section, environ=environ, file=file)
    return value


def load_with_origins(
    cls: type[T], section: str, *, environ: Mapping[str, str], file: Mapping[str, Any]
) -> tuple[T, tuple[Origin, ...]]:
    """Build one settings dataclass as `load` does, and return where each value came from."""
    table = file.get(section, {})
    if not isinstance(table, dict):
        raise SettingsError([f"[{section}] must be a table"])
    hints = typing.get_type_hints(cls)
    declared = {each.name: each for each in dataclasses.fields(typing.cast("Any", cls))}
    infos = {name: _bounded(name, each.metadata[_METADATA_KEY]) for name, each in declared.items()}
    known = {*declared, *(f"{name}_file" for name, info in infos.items() if info.secret)}
    problems = [f"[{section}] {name}: no such setting{meant(name, known)}" for name in table if name not in known]
    problems += _unread(section, infos, environ)
    values: dict[str, Any] = {}
    origins: list[Origin] = []
    for name, info in infos.items():
        variable = _variable(section, name, info)
        try:
            found = _find(section, name, variable, info, environ=environ, table=table) or _Found(declared[name].default)
            values[name] = _value(found, hints[name], info)
        except ValueError as error:
            problems.append(str(error))
            continue
        shown = _shown(values[name], found, info)
        file_variable = f"{variable}_FILE" if info.secret else ""
        origins.append(Origin(f"{section}.{name}", shown, found.source, info.doc, variable, file_variable))
    if problems:
        raise SettingsError(problems)
    return cls(**values), tuple(origins)


def collect(loaders: Sequence[Callable[[], object]]) -> None:
    """Run several loaders and raise one SettingsError with the problems of all of them."""
    problems: list[str] = []
    for loader in loaders:
        try:
            loader()
        except SettingsError as error:
            problems.extend(error.problems)
    if problems:
        raise SettingsError(problems)


def _variable(section: str, name: str, info: SettingInfo) -> str:
    return info.env or f"CGRAG_{section}_{name}".upper()


def _unread(section: str, infos: Mapping[str, SettingInfo], environ: Mapping[str, str]) -> list[str]:
    variables = {name: _variable(section, name, info) for name, info in infos.items()}
    files = {f"{name}_file": f"{variables[name]}_FILE" for name, info in infos.items() if info.secret}
    return unread(f"CGRAG_{section}_".upper(), {**variables, **files}, environ)


def _bounded(name: str, info: SettingInfo) -> SettingInfo:
    if info.maximum is not None:
        return info
    return dataclasses.replace(info, maximum=_GREATEST_OF_UNIT.get(name.rpartition("_")[2], _GREATEST))


def _find(
    section: str, name: str, variable: str, info: SettingInfo, *, environ: Mapping[str, str], table: Mapping[str, Any]
) -> _Found | None:
    """Look in the environment, then in the table. Raises ValueError if a secret is set twice or cannot be read."""
    places = ((environ, variable, "_FILE", variable), (table, name, "_file", f"[{section}] {name}"))
    for given, key, ending, where in places:
        path = given.get(f"{key}{ending}") if info.secret else None
        if path and given.get(key):
            raise ValueError(f"{where} and {key}{ending} are both set; keep one of them")
        if not path and key not in given:
            continue
        source = "file" if given is table else f"{key}{ending}" if path else key
        if path:
            return _Found(_read_secret(path, f"{where}{ending}"), source, where, str(path))
        return _Found(given[key], source, where)
    return None


def _value(found: _Found, kind: object, info: SettingInfo) -> object:
    """Convert and check a value; raises ValueError, which names the place but never a secret value."""
    try:
        return _checked(_converted(found.raw, kind), info)
    except ValueError as error:
        problem = "not of its form; as it is secret, it is not shown" if info.secret else error
        raise ValueError(f"{found.where}: {problem}") from None


def _read_secret(name: object, where: str) -> str:
    """Return the only line of a file. Raises ValueError that names the setting and the problem."""
    try:
        path = _to_path(name)
        with path.open("rb") as file:
            content = file.read(_MAX_SECRET_BYTES + 1)
        text = content.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError(f"{where}: {name}: must hold text (UTF-8)") from None
    except OSError as error:
        raise ValueError(f"{where}: {name}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if not text:
        raise ValueError(f"{where}: {name}: is empty")
    if not text.isprintable() or len(content) > _MAX_SECRET_BYTES:
        raise ValueError(f"{where}: {name}: must hold one line of at most 64 KiB, and nothing that cannot be seen")
    return text


def _shown(value: object, found: _Found, info: SettingInfo) -> str:
    if not (info.secret and value):
        return str(value)
    return f"(secret, in {found.path})" if found.path else "(secret)"


def _converted(raw: object, kind: object) -> object:
    converter = _CONVERTERS.get(kind)
    if converter is None:
        raise TypeError(f"settings cannot hold {kind}")
    return converter(raw)


def _to_bool(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    found = _SWITCHES.get(str(raw).strip().lower())
    if found is None:
        raise ValueError(f"expected true or false, got {raw!r}")
    return found


def _to_int(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(f"expected a whole number, got {raw!r}")
    try:
        return int(raw)
    except ValueError:
        raise ValueError(f"expected a whole number, got {raw!r}") from None


def _to_float(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"expected a number, got {raw!r}")
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"expected a number, got {raw!r}")
    return number


def _to_str(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"expected a text, got {raw!r}")
    return raw


def _to_path(raw: object) -> Path:
    if not isinstance(raw, str | Path) or not str(raw):
        raise ValueError(f"expected a path, got {raw!r}")
    return Path(raw).expanduser()


def to_texts(raw: object) -> tuple[str, ...]:
    """Return a list of texts, which may be given as one text with commas. Raises ValueError."""
    if isinstance(raw, str):
        return tuple(part.strip() for part in raw.split(",") if part.strip())
    if isinstance(raw, list | tuple) and all(isinstance(part, str) for part in raw):
        return tuple(raw)
    raise ValueError(f"expected a list of texts, got {raw!r}")


def _to_ints(raw: object) -> tuple[int, ...]:
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list | tuple):
        raise ValueError(f"expected a list of whole numbers, got {raw!r}")
    return tuple(_to_int(part) for part in parts)


_CONVERTERS: dict[object, Callable[[object], object]] = {
    bool: _to_bool,
    int: _to_int,
    float: _to_float,
    str: _to_str,
    Path: _to_path,
    Path | None: lambda raw: None if raw is None or raw == "" else _to_path(raw),
    tuple[str, ...]: to_texts,
    tuple[int, ...]: _to_ints,
    Tables: to_tables,
}


def _check_bounds(value: object, info: SettingInfo) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if abs(value) == math.inf and value != info.maximum:
        raise ValueError(f"expected a number, got {value!r}")
    if info.minimum is not None and value < info.minimum:
        raise ValueError(f"must be at least {plain(info.minimum)}, got {plain(value)}")
    if info.maximum is not None and value > info.maximum:
        raise ValueError(f"must be at most {plain(info.maximum)}, got {plain(value)}")


def _checked(value: object, info: SettingInfo) -> object:
    if info.is_filled and not value:
        raise ValueError("must not be empty")
    for each in value if isinstance(value, tuple) else (value,):
        _check_bounds(each, info)
        if info.choices and each not in info.choices:
            raise ValueError(f"must be one of {', '.join(info.choices)}; got {each!r}")
        if info.pattern and not re.fullmatch(info.pattern, str(each)):
            raise ValueError(f"must match {info.pattern}, got {each!r}")
    return value
