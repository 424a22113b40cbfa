"""Decides by name and contents which files are indexed, and decodes their bytes."""

from __future__ import annotations

import codecs
import re
from posixpath import splitext

from indexer.domain.source.encodings import east_asian, unmarked_utf16
from indexer.domain.source.notebooks import is_notebook
from indexer.domain.tree import SkipReason

MAX_DATA_BYTES = 100_000
"""Larger data files are left out: for their size they tell little about code."""

MAX_NOTEBOOK_BYTES = 16_000_000
"""Limit for notebooks, with all outputs, most of which are removed later."""

_BINARY_TEXT = """
.7z .a .avi .avif .bin .bmp .bz2 .class .db .dll .doc .docx .dylib .ear .egg .eot .exe .flac .fits .gif .gz .h5
.icns .ico .jar .jpeg .jpg .lib .mo .mov .mp3 .mp4 .npy .npz .o .ogg .onnx .otf .parquet .pdf .pickle .pkl .png
.ppt .pptx .psd .pyc .pyd .rar .so .sqlite .sqlite3 .tar .tgz .tif .tiff .ttf .war .wasm .wav .webm .webp .whl .woff
.woff2 .xls .xlsx .xz .zip .zst
"""
_VENDORED_TEXT = """
node_modules bower_components jspm_packages vendor vendored _vendor third_party third-party thirdparty site-packages
"""
_BINARY = frozenset(_BINARY_TEXT.split())
_VENDORED = frozenset(_VENDORED_TEXT.split())
_DATA = frozenset({".csv", ".geojson", ".json", ".jsonl", ".log", ".po", ".pot", ".svg", ".tsv", ".xml"})
_GENERATED_NAME = re.compile(
    r""".*_pb2(_grpc)?\.pyi?|.*\.pb(\.gw)?\.go|.*\.pb\.(h|cc)|.*_pb\.rb|.*\.(generated|g|g\.i|[dD]esigner)\.[a-z]+|moc_.*\.cpp|.*\.map
    |(package-lock|npm-shrinkwrap)\.json|(yarn|poetry|uv|Cargo|composer|Gemfile|Pipfile|pdm)\.lock
    |pnpm-lock\.yaml|go\.sum""",
    re.VERBOSE,
)
_GENERATED_MARK = re.compile(
    r"""(?<!\bthis\n)(?<!\bthe\n)(?<!\ban\n)            # not in the middle of a sentence,
    ^[^\w\n]{1,5}\s*+                                 # a comment that starts with one of
    ( (?>.*?\bcode\ generated\b).*\bdo\ not\ edit\b
    | .*@generated\b
    | <auto-?generated
    | (this\ file\ (is|was)\ )?auto(matically)?[ -]?generated
    | generated\ by\b.*\bdo\ not\ (edit|modify)
    )""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_SECRET_NAME = re.compile(
    r"\.env(?!\.(?:example|sample|template|dist|defaults?)$)(?:\.[\w.-]+)?"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:ppk|jks|keystore|p12|pfx)|[._]netrc|\.pgpass|\.git-credentials"
)
_PRIVATE_KEY = re.compile(r"^(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-)", re.MULTILINE)
_KEY_SUFFIXES = frozenset({"", ".pem", ".key", ".crt", ".asc"})
_MINIFIED_NAME = re.compile(r".*[.-]min\.(js|css|mjs)")
_SOURCE_MAP = re.compile(r"\s*/[/*][#@]\s*sourceMappingURL=.*")
_DENSE = frozenset({".js", ".mjs", ".cjs", ".css"})
_MAX_LINE = 20_000
_MAX_MEAN_LINE = 300
_HEAD_LINES = 10
_NUL_WINDOW = 8192

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COOKIE = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_MAX_FOREIGN = 0.1


def screen_path(path: str, size: int, max_bytes: int) -> SkipReason | None:
    """Return why a file is left out without reading it, by path and size; None if it must be read."""
    *folders, name = path.split("/")
    suffix = _suffix(name)
    if not _VENDORED.isdisjoint(folders):
        return SkipReason.VENDORED
    if suffix in _BINARY:
        return SkipReason.BINARY
    if _GENERATED_NAME.fullmatch(name):
        return SkipReason.GENERATED
    if _MINIFIED_NAME.fullmatch(name):
        return SkipReason.MINIFIED
    if is_notebook(path):
        return SkipReason.OVERSIZE if size > MAX_NOTEBOOK_BYTES else None
    if size > max_bytes or (suffix in _DATA and size > MAX_DATA_BYTES):
        return SkipReason.OVERSIZE
    return None


def screen_text(path: str, text: str) -> SkipReason | None:
    """Return why a file is left out, by its text; None if it is included."""
    lines = text.split("\n")
    longest = max(map(len, lines))
    dense = _suffix(path) in _DENSE and len(text) / len(lines) > _MAX_MEAN_LINE
    if longest > _MAX_LINE or dense:
        return SkipReason.MINIFIED
    if _GENERATED_MARK.search("\n".join(lines[:_HEAD_LINES])):
        return SkipReason.GENERATED
    if _suffix(path) in _DENSE and _SOURCE_MAP.fullmatch(text.rstrip().rpartition("\n")[2]):
        return SkipReason.GENERATED
    return None


def is_secret_path(path: str) -> bool:
    """Return whether a file is for secrets, by its name, such as `.env`; examples, as `.env.example`, are not."""
    return _SECRET_NAME.fullmatch(path.rpartition("/")[2]) is not None


def is_private_key(path: str, text: str) -> bool:
    """Return whether a text starts with a private key, or contains one and has a suffix of key files or none."""
    held = _PRIVATE_KEY.search(text) if _suffix(path) in _KEY_SUFFIXES else _PRIVATE_KEY.match(text.lstrip())
    return held is not None


def _suffix(path: str) -> str:
    return splitext(path)[1].lower()


def decode(data: bytes) -> str | SkipReason:
    """
    Return the text of a file with a single line feed as each line end, or why it cannot be decoded.

    Tried in this order: a byte order mark (UTF-8, UTF-16, UTF-32), UTF-8, the encoding that a `coding:` line names
    (PEP 263), an East Asian encoding if `east_asian` detects one, and Windows-1252 if at most one byte in ten is not
    ASCII. A file with NUL bytes and without a byte order mark is binary, unless it is mostly ASCII text in UTF-16.
    """
    marked = next((encoding for bom, encoding in _BOMS if data.startswith(bom)), None)
    if marked is None and b"\0" in data[:_NUL_WINDOW]:
        marked = unmarked_utf16(data)
        if not marked:
            return SkipReason.BINARY
    text = _decoded(data, (marked,) if marked else ("utf-8", *_declared(data)))
    if text is None and not marked:
        text = _decoded(data, _foreign(data))
    if text is None:
        return SkipReason.UNDECODABLE
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, encodings: tuple[str, ...]) -> str | None:
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):  # the codec "undefined" raises UnicodeError itself
            continue
    return None


def _declared(data: bytes) -> tuple[str, ...]:
    """Return the text encoding that a `coding:` line names; Python's bytes-to-bytes codecs do not count."""
    match = _COOKIE.match(data[:400])
    if match is None:
        return ()
    try:
        info = codecs.lookup(match[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        return ()
    return (info.name,) if getattr(info, "_is_text_encoding", True) else ()


def _foreign(data: bytes) -> tuple[str, ...]:
    known = east_asian(data)
    if known:
        return (known,)
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    return ("cp1252",) if high <= len(data) * _MAX_FOREIGN else ()
