"""Questions about a repository, made from the repository itself: names, documentation, errors, tracebacks, gaps."""

from __future__ import annotations

import ast
import random
import warnings
from dataclasses import dataclass
from pathlib import Path

from cgrag.type.v1 import question_pb2

from cgrag_client.evaluation.gaps.truth import LEFT_OUT

SEED = 20251122
_FILES = 400
_LONGEST_MESSAGE = 120
_LEAST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Place:
    """A function or method with what a question can be made of."""

    path: str
    name: str
    owner: str
    line: int
    sentence: str
    error: str
    message: str

    @property
    def qualified(self) -> str:
        """Its name with that of its class."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of the load: "search", "gaps", or the mode of a retrieval."""

    kind: str
    text: str
    mode: question_pb2.Mode.ValueType = question_pb2.MODE_UNSPECIFIED
    symbol: str = ""
    path: str = ""


def make_load(root: Path, number: int) -> list[Asked]:
    """Make so many requests, of every kind alike, in an order that is the same at every run."""
    places = _places(root)
    if not places:
        raise SystemExit(f"{root}: no Python function with documentation to ask about")
    source = random.Random(SEED)
    told = [each for each in places if each.sentence]
    raising = [each for each in places if each.message] or told
    makers = (_search, _conceptual, _diagnostic, _exploratory, _analytical, _gap)
    load = []
    for position in range(number):
        maker = makers[position % len(makers)]
        pool = raising if maker in (_diagnostic, _search) else told
        load.append(maker(source.choice(pool), source.choice(pool), source))
    source.shuffle(load)
    return load


def _search(one: Place, other: Place, _: random.Random) -> Asked:
    text = (
        f"{one.qualified} {one.error or 'fails'}: {one.message or one.sentence}\n\n"
        f"I call `{one.name}()` and expected that it does not depend on {other.name}. {other.sentence}\n\n"
        f"```\n{_traceback(other, one)}\n```\n\nIt worked in the last release."
    )
    return Asked("search", text)


def _conceptual(one: Place, _other: Place, source: random.Random) -> Asked:
    texts = (
        f"What does {one.qualified} do?",
        f"How do I use {one.name}?",
        f"How does it {one.sentence[0].lower()}{one.sentence[1:].rstrip('.')}?",
    )
    return Asked("conceptual", source.choice(texts), question_pb2.MODE_CONCEPTUAL)


def _diagnostic(one: Place, other: Place, source: random.Random) -> Asked:
    error, message = one.error or "ValueError", one.message or one.sentence
    texts = (
        f'Why do I get {error}: "{message}"?',
        f"Why does {one.qualified} raise {error}?",
        f"What is wrong here?\n\n{_traceback(other, one)}",
    )
    return Asked("diagnostic", source.choice(texts), question_pb2.MODE_DIAGNOSTIC)


def _exploratory(one: Place, other: Place, source: random.Random) -> Asked:
    texts = (
        f"Trace what happens when {one.qualified} is called",
        f"How does {one.name} get to {other.name}?",
        f"Follow the flow: {one.sentence}",
    )
    return Asked("exploratory", source.choice(texts), question_pb2.MODE_EXPLORATORY)


def _analytical(one: Place, _other: Place, source: random.Random) -> Asked:
    folder = one.path.rpartition("/")[0] or one.path
    texts = (
        f"What is the architecture of {folder}?",
        f"Which functions in {folder} are too complex or have too many callers?",
        f"How is {folder} coupled to the rest of the code?",
    )
    return Asked("analytical", source.choice(texts), question_pb2.MODE_ANALYTICAL)


def _gap(one: Place, other: Place, source: random.Random) -> Asked:
    forms = (
        Asked("gaps", one.sentence, symbol=one.qualified, path=one.path),
        Asked("gaps", one.sentence, symbol=one.name),
        Asked("gaps", one.sentence),
        Asked("gaps", other.sentence, symbol=f"{one.name}_of_{other.name}"),
    )
    return source.choice(forms)


def _traceback(caller: Place, raising: Place) -> str:
    frames = "".join(
        f'  File "/srv/app/site-packages/{each.path}", line {each.line + 1}, in {each.name}\n'
        for each in (caller, raising)
    )
    last = f"{raising.error or 'ValueError'}: {raising.message or raising.sentence}"
    return f"Traceback (most recent call last):\n{frames}{last}"


def _places(root: Path) -> list[Place]:
    files = [path for path in sorted(root.rglob("*.py")) if not _is_left_out(path.relative_to(root))]
    chosen = random.Random(SEED).sample(files, min(_FILES, len(files)))
    return [place for path in sorted(chosen) for place in _places_in(root, path)]


def _is_left_out(path: Path) -> bool:
    return any(part in LEFT_OUT or part.startswith(("test", ".", "docs")) for part in path.parts)


def _places_in(root: Path, path: Path) -> list[Place]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, OSError):
        return []
    relative = path.relative_to(root).as_posix()
    functions = [("", node) for node in tree.body]
    functions += [(node.name, each) for node in tree.body if isinstance(node, ast.ClassDef) for each in node.body]
    return [_place(relative, owner, node) for owner, node in functions if isinstance(node, ast.FunctionDef)]


def _place(path: str, owner: str, node: ast.FunctionDef) -> Place:
    sentence = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    error, message = _raised(node)
    long_enough = len(sentence.split()) >= _LEAST_WORDS
    return Place(path, node.name, owner, node.lineno, sentence if long_enough else "", error, message)


def _raised(node: ast.FunctionDef) -> tuple[str, str]:
    for each in ast.walk(node):
        if not (isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call) and each.exc.args):
            continue
        made, first = each.exc.func, each.exc.args[0]
        if isinstance(made, ast.Name) and isinstance(first, ast.Constant) and isinstance(first.value, str):
            return made.id, " ".join(first.value.split())[:_LONGEST_MESSAGE]
    return "", ""
