"""Rewrites syntax of older and newer versions of Python as Python 3.11 reads it; line numbers stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>[uUrRbBfFtT]{0,2}(?:\"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3})?
      | '{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3})? | "(?:[^"\\\n]++|\\.)*+"? | '(?:[^'\\\n]++|\\.)*+'?))
  | (?P<number>0[xX][\da-fA-F_]+[lL]? | (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJlL]?)
  | (?P<name>[^\W\d]\w*)
  | (?P<newline>\n)
  | (?P<space>[ \t\f]+|\\\n)
  | (?P<other><>|>>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMPOUND = frozenset(
    ("if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async")
)
_NO_STATEMENT = frozenset(("(", "=", ".", ",", ":", ")"))
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_MAX_LAMBDA = 200
_BAD_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?=u(?![\da-fA-F]{4})|U(?![\da-fA-F]{8})|N(?!\{)|x(?![\da-fA-F]{2}))")


def as_common_python(text: str) -> str:
    """
    Return the text with statements of Python 2, and the newest ones, written as Python 3.11 reads them.

    Line numbers do not change. Meaning is kept as far as an index needs it: names, calls, raised errors. Use it only
    for text that the parser refused: it may break valid text.
    """
    kinds, tokens = _tokens(text)
    for at in list(_statements(kinds, tokens)):
        if at:
            _rewrite(tokens, at)
    return "".join(tokens)


def _tokens(text: str) -> tuple[list[str], list[str]]:
    kinds: list[str] = []
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup or "", match.group()
        if kind == "space" and (not kinds or kinds[-1] == "newline"):
            word = word.expandtabs(8)
        elif kind == "number":
            word = _number(word)
        elif kind == "string":
            word = _string(word)
        elif word == "<>":
            word = "!="
        kinds.append(kind)
        tokens.append(word)
    return kinds, tokens


def _number(word: str) -> str:
    word = word.rstrip("lL")
    return f"0o{word}" if len(word) > 1 and word.isdigit() and word[0] == "0" and word.strip("0") else word


def _string(word: str) -> str:
    quote = min(at for mark in "\"'" if (at := word.find(mark)) >= 0)
    prefix, body = word[:quote].lower(), word[quote:]
    if "r" not in prefix:
        body = _BAD_ESCAPE.sub(r"\1\\\\", body)
    elif "u" in prefix:
        prefix = "r"
    return prefix.replace("t", "f") + body


def _statements(kinds: Sequence[str], tokens: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of each statement's tokens, white space left out; the head of a block ends with its colon."""
    at: list[int] = []
    depth = lambdas = 0
    for position, (kind, word) in enumerate(zip(kinds, tokens, strict=True)):
        if kind in ("comment", "space") or (kind == "newline" and depth):
            continue
        if not depth and (kind == "newline" or word == ";"):
            yield at
            at, lambdas = [], 0
            continue
        at.append(position)
        depth = max(0, depth + _step(word))
        if not depth and word == "lambda":
            lambdas += 1
        elif not depth and word == ":" and lambdas:
            lambdas -= 1
        elif not depth and word == ":" and tokens[at[0]] in _COMPOUND:
            yield at
            at = []
    yield at


def _step(word: str) -> int:
    return (word in _OPEN) - (word in _CLOSE)


def _rewrite(tokens: list[str], at: list[int]) -> None:
    words = [tokens[position] for position in at]
    ticks = [position for position in at if tokens[position] == "`"]
    for number, position in enumerate(ticks):
        tokens[position] = ")" if number % 2 else "repr("
    if words[0] in ("print", "exec") and words[1:] and words[1] not in _NO_STATEMENT:
        _call(tokens, at)
    elif words[0] == "except":
        _except(tokens, at[:-1])
    elif words[0] == "raise":
        _raise(tokens, at)
    else:
        _declare(tokens, at, words)
    for number, position in enumerate(at):
        if tokens[position] == "lambda":
            _open_parameters(tokens, at[number + 1 : number + _MAX_LAMBDA])
        elif tokens[position] == "async" and words[number + 1 : number + 2] not in (["def"], ["for"], ["with"]):
            tokens[position] = "async_"


def _declare(tokens: list[str], at: Sequence[int], words: Sequence[str]) -> None:
    """Drop `type` from aliases, type parameters in brackets, and tuple parameters of functions."""
    if words[0] == "type" and words[2:] and words[1].isidentifier() and words[2] in ("=", "["):
        tokens[at[0] : at[1]] = [""] * (at[1] - at[0])
        _drop_brackets(tokens, at[2:])
    elif words[0] in ("def", "class") or words[:2] == ["async", "def"]:
        _drop_brackets(tokens, at[2 if words[0] != "async" else 3 :])
        if "def" in words[:2]:
            opening = next((number for number, position in enumerate(at) if tokens[position] == "("), len(at))
            _open_parameters(tokens, at[opening + 1 :])


def _call(tokens: list[str], at: Sequence[int]) -> None:
    """Write `print >>file, x` as `print(file, x)`, and `exec code in names` as `exec(code in names)`."""
    tokens[at[0]] += "("
    if tokens[at[1]] == ">>":
        tokens[at[1]] = ""
    tokens[at[-1]] += ")"


def _except(tokens: list[str], at: Sequence[int]) -> None:
    """Write `except A, error` as `except A as error`, and two classes, `except A, B`, as `except (A, B)`."""
    commas = list(_commas(tokens, at))
    if not commas:
        return
    behind = [position for position in at if position > commas[0]]
    if len(behind) == 1 and not tokens[behind[0]][:1].isupper():
        tokens[commas[0]] = " as "
    elif len(commas) > 1 or tokens[at[-1]][:1].isupper():
        tokens[at[0]] += " ("
        tokens[at[-1]] += ")"
    else:
        for position in (commas[0], *behind):
            tokens[position] = ""


def _raise(tokens: list[str], at: Sequence[int]) -> None:
    """Write `raise A, "message", trace` as `raise A("message") from trace`."""
    commas = list(_commas(tokens, at))
    if not commas:
        return
    tokens[commas[0]] = "("
    if len(commas) > 1:
        tokens[commas[1]] = ") from "
    else:
        tokens[at[-1]] += ")"


def _commas(tokens: Sequence[str], at: Sequence[int]) -> Iterator[int]:
    depth = 0
    for position in at:
        depth += _step(tokens[position])
        if tokens[position] == "," and not depth:
            yield position


def _drop_brackets(tokens: list[str], at: Sequence[int]) -> None:
    """Drop type parameters in brackets behind a name, which an index does not need."""
    if not at or tokens[at[0]] != "[":
        return
    depth = 0
    for position in at:
        depth += _step(tokens[position])
        tokens[position] = ""
        if not depth:
            return


def _open_parameters(tokens: list[str], at: Sequence[int]) -> None:
    """Write `def f(a, (b, c))` as `def f(a, b, c)`; `at` begins with the first parameter."""
    tuples = [True]
    before, last = ",", -1
    for position in at:
        word = tokens[position]
        if word == ":" and len(tuples) == 1:
            return
        if word in _OPEN:
            tuples.append(word == "(" and tuples[-1] and before in (",", "("))
        is_tuple = len(tuples) > 1 and tuples[-1]
        if word in _CLOSE:
            tuples.pop()
        if not tuples:
            return
        if is_tuple and word in ("(", ")"):
            tokens[position] = " "
            if word == ")" and before == ",":
                tokens[last] = ""
        before, last = word, position
