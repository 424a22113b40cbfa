"""Error strings: the fixed parts of the messages that code raises, logs, warns of and asserts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from indexer.adapters.languages.placeholders import PLACEHOLDER, says_something
from indexer.adapters.languages.python.symbols import Body, bound_names

Constants: TypeAlias = Mapping[str, Sequence[str]]
# Prefix of keys for attributes (`.x`, `.x[key]`), which keeps them apart from plain names.
MEMBER = "."
# Flags and width may both begin with zeros: possessive flags avoid backtracking.
_PERCENT = re.compile(r"%(?:\([^)%]*+\))?[-#0 +]*+(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?[diouxXeEfFgGcrsa]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_WORDS_OF_TRANSLATIONS = """
_ gettext gettext_lazy ugettext ugettext_lazy ngettext ngettext_lazy pgettext _lazy N_ dedent cleandoc str mark_safe
"""
_TRANSLATIONS = frozenset(_WORDS_OF_TRANSLATIONS.split())
_LEVELS = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"))
_FAILURES = frozenset(("error", "exception", "critical", "fatal", "fail", "abort", "warning", "warn", "UsageError"))
_MESSAGE_NAME = re.compile(r"error|message|msg|detail|description|warning|hint", re.IGNORECASE)
_ERROR_CLASS = re.compile(r"(Error|Exception|Warning|Fault|Failure|Exit|Interrupt)$")


def message_texts(node: ast.expr | None, constants: Constants) -> tuple[str, ...]:
    """
    Render every message that an expression can be seen to give.

    Parts that vary become `{}`. Names are looked up in `constants` (name, or attribute behind a dot, to texts).
    Expressions without a fixed word give nothing.
    """
    found = dict.fromkeys(_render(node, constants, 6))
    return tuple(text for text in found if says_something(text))


def _render(node: ast.expr | None, constants: Constants, depth: int) -> Iterator[str]:  # noqa: C901 - one case a node
    if depth == 0:
        return
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else PLACEHOLDER for v in values)
        case ast.BinOp(op=ast.Mod(), left=left):
            yield from (
                _PERCENT.sub(PLACEHOLDER, text).replace("%%", "%") for text in _render(left, constants, depth - 1)
            )
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first = next(_render(left, constants, depth - 1), PLACEHOLDER)
            second = next(_render(right, constants, depth - 1), PLACEHOLDER)
            yield first + second
        case ast.IfExp(body=body, orelse=orelse):
            yield from _render(body, constants, depth - 1)
            yield from _render(orelse, constants, depth - 1)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _render(value, constants, depth - 1)
        case ast.Call():
            yield from _rendered_call(node, constants, depth)
        case ast.Name(id=name):
            yield from constants.get(name, ())
        case ast.Attribute(attr=name):
            yield from constants.get(MEMBER + name, ())
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            yield from constants.get(f"{_place(value)}[{key}]", ())


def _place(node: ast.AST) -> str:
    """Return the key of a name or attribute in `Constants`; "" for anything else."""
    return MEMBER + node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _rendered_call(node: ast.Call, constants: Constants, depth: int) -> Iterator[str]:
    match node.func:
        case ast.Attribute(value=value, attr="format" | "format_map"):
            yield from (_BRACES.sub(_brace, text) for text in _render(value, constants, depth - 1))
        case ast.Attribute(value=value, attr="strip" | "rstrip" | "lstrip" | "lower" | "capitalize" | "title"):
            yield from _render(value, constants, depth - 1)
        case ast.Attribute(value=ast.Constant(value=str(glue)), attr="join") if node.args:
            parts = node.args[0]
            if isinstance(parts, ast.List | ast.Tuple):
                yield glue.join(next(_render(part, constants, depth - 1), PLACEHOLDER) for part in parts.elts)
        case function if last_name(function) in _TRANSLATIONS and node.args:
            yield from _render(node.args[0], constants, depth - 1)


def _brace(found: re.Match[str]) -> str:
    text = found.group()
    return text[0] if text in ("{{", "}}") else PLACEHOLDER


def dotted(node: ast.AST | None) -> str:
    """Write a name or attribute chain as in the source; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.AST) -> str:
    """Return the last part of a name or attribute chain; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def constant_texts(body: Iterable[ast.AST], known: Constants) -> dict[str, list[str]]:
    """
    Collect the texts that assignments give to names (`x = "..."`) and to keys of dictionaries (`x["key"]`).

    The key of an attribute is `.x`, whatever its object.
    """
    found: dict[str, list[str]] = {}
    so_far = dict(known)
    for node in body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        else:
            continue
        names = bound_names(targets) or [_place(target) for target in targets if isinstance(target, ast.Attribute)]
        value = node.value
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    for name in names:
                        place = f"{name}[{key.value}]"
                        so_far[place] = found.setdefault(place, [])
                        found[place] += message_texts(item, known)
        elif value is not None and (texts := message_texts(value, so_far)):
            for name in names:
                so_far[name] = found.setdefault(name, [])
                found[name] += texts
    return found


def given_before(statement: ast.stmt, nodes: Iterable[ast.AST], known: Constants) -> Constants:
    """Return constants at a statement: a name has the texts of its last assignment before, if in the same block."""
    last: dict[str, ast.Assign] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and node.lineno < statement.lineno:
            for name in bound_names(node.targets):
                last[name] = max(node, last.get(name, node), key=lambda each: each.lineno)
    same = {name: node for name, node in last.items() if node.col_offset == statement.col_offset}
    texts = {name: found for name, node in same.items() if (found := message_texts(node.value, known))}
    return {**known, **texts}


def as_members(texts: Constants) -> dict[str, Sequence[str]]:
    """Return the texts of a class body with keys of attributes (`.x`), by which its methods refer to them."""
    return {name if name.startswith(MEMBER) else MEMBER + name: found for name, found in texts.items()}


def seen_inside(around: Constants, body: Body) -> dict[str, Sequence[str]]:
    """Return the constants around a function without those that its parameters and assignments hide."""
    hidden = {*body.stored}
    for node in (*_parameters(body.owner), *body.nodes):
        if isinstance(node, ast.arg):
            hidden.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            hidden.add(node.name)
    hidden -= body.shared
    return {name: texts for name, texts in around.items() if name.partition("[")[0] not in hidden}


def _parameters(owner: ast.AST) -> Iterator[ast.arg]:
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
        given = owner.args
        yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
        yield from (each for each in (given.vararg, given.kwarg) if each is not None)


def class_messages(node: ast.ClassDef, constants: Constants) -> Iterator[tuple[str, int]]:
    """Yield (message, line) of texts in a class body: all of an exception class, else those named as messages."""
    keeps_all = is_error_class(node)
    for statement in node.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        names = bound_names(statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if not any(keeps_all or _MESSAGE_NAME.search(name) for name in names):
            continue
        value = statement.value
        items = value.values if isinstance(value, ast.Dict) else [value]
        for item in items:
            for text in message_texts(item, constants):
                yield text, item.lineno


def is_error_class(node: ast.ClassDef) -> bool:
    """Return whether a class looks like an exception, by its own name or that of a base."""
    return any(_ERROR_CLASS.search(name) for name in (node.name, *(last_name(base) for base in node.bases)))


def reported_messages(call: ast.Call, constants: Constants) -> tuple[str, ...]:
    """Return the messages of a call that logs, warns or reports a failure; none for other calls."""
    name = last_name(call.func)
    if name not in _LEVELS and name not in _FAILURES and name != "exit":
        return ()
    if name not in _FAILURES and name != "exit":
        receiver = dotted(call.func).rpartition(".")[0].rpartition(".")[2].lower()
        if "log" not in receiver:
            return ()
    return tuple(text for argument in call.args[:2] for text in _unpercent(message_texts(argument, constants)))


def _unpercent(texts: Iterable[str]) -> Iterator[str]:
    """Replace `%s` and the like, which logging fills in later, with placeholders."""
    return (_PERCENT.sub(PLACEHOLDER, text).replace("%%", "%") for text in texts)


def raised_messages(call: ast.Call, constants: Constants) -> tuple[str, ...]:
    """Return the messages among the arguments of a raised exception."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return tuple(dict.fromkeys(text for argument in arguments for text in message_texts(argument, constants)))
