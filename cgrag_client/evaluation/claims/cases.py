"""Makes statements about code that are known to be true or false, phrased by templates from a data file."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from itertools import cycle
from typing import TYPE_CHECKING

from cgrag_client.evaluation.claims.truth import is_builtin_failure
from cgrag_client.evaluation.gaps.cases import INVENTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cgrag_client.evaluation.claims.truth import Body, CodeTruth, Type

KINDS = ("calls", "raises", "changes", "names", "owners", "quotes")
HALVES = ("known", "held_out")
_LEAST_QUOTED = 16
_FAR = 30
"""Lines, at least, between quoted code and the line number that a false quotation gives."""
_TRIES = 400
_PLAIN_LINE = re.compile(r"[ \t]*(?!\.\.\.|[#@>\"'])[^`\"']*[=(\[.][^`]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """
    A sentence about code.

    Args:
        half: The half of the phrasings that its phrasing is from, "known" or "held_out".
        phrasing: The template, as in the data file.
        subject: For kinds "names" and "owners", the symbol that is said to exist; "" for other kinds.
    """

    kind: str
    is_true: bool
    half: str
    phrasing: str
    text: str
    subject: str = ""


def read_phrasings() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the phrasings (templates) of statements, by kind and half."""
    text = resources.files("cgrag_client.evaluation").joinpath("claim_phrasings.toml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(text)
    return found


def make_statements(truth: CodeTruth, *, per_kind: int, seed: int) -> tuple[Statement, ...]:
    """Return up to `per_kind` true and as many false statements of each kind; equal arguments give equal statements."""
    phrasings = read_phrasings()
    found: list[Statement] = []
    for kind in KINDS:
        ways = [(half, each) for half in HALVES for each in phrasings[kind][half]]
        for is_true in (True, False):
            chance = random.Random(f"{seed}-{kind}-{is_true}")  # noqa: S311 (a choice, not a secret)
            facts = _MAKERS[kind](truth, is_true, chance)
            chance.shuffle(ways)
            for (half, phrasing), fact in zip(cycle(ways), _first(facts, per_kind), strict=False):
                found.append(
                    Statement(kind, is_true, half, phrasing, _said(phrasing, fact, chance), _existing(kind, fact))
                )
    return tuple(found)


Fact = dict[str, str]


def _first(facts: Iterator[Fact], count: int) -> Iterator[Fact]:
    seen: set[tuple[str, ...]] = set()
    for fact in facts:
        key = tuple(fact.values())
        if key not in seen:
            seen.add(key)
            yield fact
        if len(seen) >= count:
            return


def _existing(kind: str, fact: Fact) -> str:
    if kind == "names":
        return fact["a"].removesuffix("()")
    return f"{fact['owner']}.{fact['name']}" if kind == "owners" else ""


def _said(phrasing: str, fact: Fact, chance: random.Random) -> str:
    text = phrasing
    for slot, value in fact.items():
        is_name = slot in {"a", "b", "owner", "name"}
        call = (
            "()"
            if is_name and slot != "owner" and value[:1].islower() and value[-1] != ")" and chance.random() < 0.3
            else ""
        )
        text = text.replace(f"{{{slot}}}", f"`{value}{call}`" if is_name else value)
    return text


def _subjects(truth: CodeTruth, chance: random.Random) -> Iterator[tuple[Body, str]]:
    """Yield, repeatedly, the functions whose name (with that of their class) has a single definition."""
    known = [(body, ".".join(body.name.split(".")[-2:])) for body in truth.bodies]
    alone = [(body, name) for body, name in known if truth.defined[name] == 1 and len(body.words) > 1]
    for _ in range(_TRIES):
        chance.shuffle(alone)
        yield from alone


def _calls(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    everything = sorted({body.name.rpartition(".")[2] for body in truth.bodies})
    everything = [each for each in everything if not each.startswith("__")]
    for body, name in _subjects(truth, chance):
        if is_true and body.calls:
            called = chance.choice(body.calls)
            simple = called.rpartition(".")[2]
            is_own = called.startswith("self.") and called.count(".") == 1
            yield {"a": name, "b": called if is_own and chance.random() < 0.5 else simple}
        elif not is_true and everything:
            other = chance.choice(everything)
            if other not in body.words:
                yield {"a": name, "b": other}


def _callees(truth: CodeTruth) -> Mapping[str, list[Body]]:
    found: dict[str, list[Body]] = {}
    for body in truth.bodies:
        found.setdefault(body.name.rpartition(".")[2], []).append(body)
    return found


def _raises(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    own = {each.name for each in truth.types}
    raised = sorted(
        {name for body in truth.bodies for name in body.raises if name in own and not is_builtin_failure(name)}
    )
    callees = _callees(truth)
    for body, name in _subjects(truth, chance):
        if is_true and body.raises:
            yield {"a": name, "b": chance.choice(body.raises)}
        elif not is_true and raised:
            other = chance.choice(raised)
            below = [one for each in body.called for one in callees.get(each, ())]
            related = _related(truth, other)
            if related.isdisjoint(body.words) and all(related.isdisjoint(one.words) for one in below):
                yield {"a": name, "b": other}


def _related(truth: CodeTruth, name: str) -> frozenset[str]:
    """Return the names of a class, of its subclasses and of its base classes, direct and indirect."""
    found, grew = {name}, True
    while grew:
        below = {each.name for each in truth.types if found.intersection(each.bases)}
        grew = not below <= found
        found |= below
    above = [name]
    while above:
        bases = {base for each in truth.types if each.name in above for base in each.bases} - found
        found |= bases
        above = sorted(bases)
    return frozenset(found)


def _changes(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    changed = sorted({name for body in truth.bodies for name in body.changes})
    callees = _callees(truth)
    for body, name in _subjects(truth, chance):
        if is_true and body.changes:
            yield {"a": name, "b": f"self.{chance.choice(body.changes)}"}
        elif not is_true and changed and body.owner:
            other = chance.choice(changed)
            below = [one for each in body.called for one in callees.get(each, ())]
            if other not in body.words and all(other not in one.words for one in below):
                yield {"a": name, "b": f"self.{other}"}


def _names(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    closed = {each.name for each in truth.types if truth.family(each)}
    for body, name in _subjects(truth, chance):
        plain = body.name.rpartition(".")[2]
        if is_true:
            yield {"a": name if "." in name or "_" in plain.strip("_") else f"{plain}()"}
            continue
        invented = chance.choice(INVENTED)
        maker = body.owner.strip("_")
        ways = [f"{invented}_{plain.strip('_')}", f"{invented.title()}{maker if maker[:1].isupper() else 'Maker'}"]
        if not body.owner or body.owner in closed:
            ways.append(f"{name}_{invented}")
        made = chance.choice(ways)
        if made.rpartition(".")[2] not in truth.words:
            yield {"a": made}


def _owners(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    types = [each for each in truth.types if truth.defined[each.name] == 1 and each.members and each.name[:1].isupper()]
    everything = sorted({name for each in truth.types for name in each.members})
    for _ in range(_TRIES):
        for owner in chance.sample(types, len(types)):
            if is_true:
                yield _owned(owner, chance.choice(sorted(owner.members)))
                continue
            family = truth.family(owner)
            other = chance.choice(everything)
            if family and all(other not in each.members for each in family) and not _is_set_on(truth, owner, other):
                yield _owned(owner, other)


def _is_set_on(truth: CodeTruth, owner: Type, name: str) -> bool:
    """Return whether a subclass has the member: code may then use it on an object that is typed as the class."""
    return any(owner.name in each.bases and name in each.members for each in truth.types)


def _owned(owner: Type, name: str) -> Fact:
    return {"owner": owner.name, "name": name, "owner_": owner.name, "name_": name}


def _quotes(truth: CodeTruth, is_true: bool, chance: random.Random) -> Iterator[Fact]:
    paths = sorted(path for path, lines in truth.lines.items() if len(lines) > _FAR)
    for _ in range(_TRIES * _TRIES):
        path = chance.choice(paths)
        lines = truth.lines[path]
        number = chance.randrange(len(lines))
        code = lines[number].strip()
        if len(code) < _LEAST_QUOTED or not _PLAIN_LINE.fullmatch(lines[number]):
            continue
        if is_true:
            yield {"path": path, "line": str(number + 1), "code": code}
            continue
        if chance.random() < 0.5:
            made = _altered(code, chance)
            if made and made not in "\n".join(lines):
                yield {"path": path, "line": str(number + 1), "code": made}
            continue
        wrong = (number + _FAR + chance.randrange(len(lines))) % len(lines)
        if all(code not in line for line in lines[max(0, wrong - 4) : wrong + 5]):
            yield {"path": path, "line": str(wrong + 1), "code": code}


def _altered(code: str, chance: random.Random) -> str:
    """Return a line with one word or one operator changed; "" if nothing could be changed."""
    words = re.findall(r"[^\W\d]\w{3,}", code)
    ways: list[Callable[[], str]] = [
        lambda: code.replace(" == ", " != "),
        lambda: code.replace(" is None", " is not None"),
    ]
    if words:
        word = chance.choice(words)
        ways += [lambda: re.sub(rf"\b{word}\b", f"{word}_{chance.choice(INVENTED)}", code, count=1)] * 2
    made = chance.choice(ways)()
    return "" if made == code else made


_MAKERS: Mapping[str, Callable[[CodeTruth, bool, random.Random], Iterator[Fact]]] = {
    "calls": _calls,
    "raises": _raises,
    "changes": _changes,
    "names": _names,
    "owners": _owners,
    "quotes": _quotes,
}
