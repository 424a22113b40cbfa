"""Makes gaps whose right outcome is known: existing names in different spellings, and names that do not exist."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cgrag_client.evaluation.gaps.truth import Definition, Truth, is_known_outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARAPHRASE = "paraphrase"
"""The kind of gaps that describe a symbol by its documentation in other words."""
SKIPPED_FILE = "oversize_module_for_gaps.py"
UNDECODABLE_FILE = "undecodable_module_for_gaps.py"
_SKIPPED_NAMES = tuple(f"planted_{word}" for word in ("alpha", "bravo", "cedar", "delta", "ember", "fjord"))
INVENTED = ("frobnicate", "quuxify", "zorblat", "wibbler", "snargle", "plonkist", "blarghify", "vorpalise")
_SYNONYMS = {
    "return": "give back",
    "returns": "gives back",
    "create": "build",
    "creates": "builds",
    "check": "test",
    "checks": "tests",
    "get": "fetch",
    "gets": "fetches",
    "remove": "delete",
    "removes": "deletes",
    "convert": "turn",
    "converts": "turns",
    "whether": "if",
    "object": "instance",
    "given": "supplied",
    "used": "employed",
    "raise": "throw",
    "raises": "throws",
    "called": "invoked",
    "call": "invoke",
    "list": "sequence",
    "function": "routine",
}
_ELSEWHERE = (
    "computes the orbital elements of a comet from three observations",
    "how tidal forces bend the crust of a small moon",
    "fermentation temperature of a sourdough starter overnight",
    "measures blood oxygen saturation with an infrared sensor",
    "plans the irrigation of vineyards from soil moisture",
    "tunes a violin string by listening for beats",
    "estimates protein folding energy with a lattice model",
    "matches fingerprints by minutiae points",
    "schedules nurses for night shifts in a hospital",
    "routes freight trains around a blocked junction",
    "predicts avalanche risk from snow layers",
    "decodes morse code from a microphone",
    "brews espresso at nine bars of pressure",
    "simulates traffic jams on a roundabout",
    "renders fur on animated animals",
    "calculates mortgage amortization with variable interest",
    "chooses chess openings against an aggressive opponent",
    "detects credit card fraud in real time",
    "balances chemical equations of combustion",
    "translates whale songs into spectrograms",
)
_LEAST_WORDS = 7
_MARKUP = re.compile(r":\w+:`~?([^`]*)`|[`*]+")


@dataclass(frozen=True, slots=True)
class GapCase:
    """
    One gap with its right outcome.

    Args:
        kind: How it was made, for example "wrong file" or "near miss".
        outcome: RESOLVED, or the reason why it cannot be.
        place: Path and qualified name of the right symbol; None unless RESOLVED.
        same: Other symbols with the same documentation, which are right, too.
    """

    kind: str
    outcome: str
    symbol: str = ""
    path: str = ""
    description: str = ""
    place: tuple[str, str] | None = None
    same: tuple[tuple[str, str], ...] = ()


def make_cases(truth: Truth, *, seed: int, per_kind: int) -> list[GapCase]:
    """
    Make up to `per_kind` gaps of each kind.

    Equal input gives equal cases. A name is used only if the syntax trees leave no doubt about the right outcome.
    """
    source = random.Random(seed)  # noqa: S311 - samples, no secrets
    makers = (
        _exact(truth),
        _partial(truth),
        _with_file(truth),
        _wrong_file(truth, source),
        _paraphrases(truth),
        _invented(truth, source, per_kind),
        _near_misses(truth, source),
        _foreign_members(truth, source),
        _external(truth),
        _not_covered(),
        (GapCase("elsewhere", "BELOW_FLOOR", description=text) for text in _ELSEWHERE),
    )
    cases: list[GapCase] = []
    for maker in makers:
        made = list(dict.fromkeys(maker))
        cases += source.sample(made, min(per_kind, len(made)))
    return cases


def _resolved(kind: str, target: Definition, symbol: str = "", path: str = "", description: str = "") -> GapCase:
    return GapCase(kind, "RESOLVED", symbol, path, description, (target.path, target.qualified_name))


def _code(truth: Truth) -> Sequence[Definition]:
    return [each for each in truth.definitions if not each.is_test]


def _exact(truth: Truth) -> Iterator[GapCase]:
    times = truth.times()
    for each in _code(truth):
        full = f"{each.module}.{each.qualified_name}"
        if times[full] == 1:
            yield _resolved("exact", each, full)


def _partial(truth: Truth) -> Iterator[GapCase]:
    times = truth.times()
    for each in _code(truth):
        parts = each.qualified_name.split(".")
        for length in (1, 2):
            ending = ".".join(parts[-length:])
            if length <= len(parts) and times[ending] == 1:
                yield _resolved("partial", each, ending)


def _with_file(truth: Truth) -> Iterator[GapCase]:
    for each in _code(truth):
        same = {d.qualified_name for d in truth.definitions if d.path == each.path and d.name == each.name}
        if len(same) == 1:
            yield _resolved("with file", each, each.name, each.path)


def _wrong_file(truth: Truth, source: random.Random) -> Iterator[GapCase]:
    times = truth.times()
    paths = sorted({each.path for each in _code(truth)})
    for each in _code(truth):
        if times[each.name] == 1:
            other = source.choice(paths)
            if other != each.path:
                yield _resolved("wrong file", each, each.name, other)


def paraphrase(sentence: str) -> str:
    """Say a sentence in other words: common verbs and nouns replaced, mark-up gone, the second half first."""
    plain = _MARKUP.sub(lambda match: match.group(1) or "", sentence).rstrip(". ")
    words = [_SYNONYMS.get(word.lower(), word) for word in plain.split()]
    half = next((index for index, word in enumerate(words) if word.endswith(",")), 0)
    return " ".join(words[half + 1 :] + [word.rstrip(",") for word in words[: half + 1]] if half else words)


def _paraphrases(truth: Truth) -> Iterator[GapCase]:
    documented_alike: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in truth.definitions:
        documented_alike[each.docstring].append((each.path, each.qualified_name))
    for each in _code(truth):
        documented = len(each.docstring.split()) >= _LEAST_WORDS and each.name not in each.docstring
        if documented and not each.is_class and not each.name.startswith("__"):
            case = _resolved(PARAPHRASE, each, description=paraphrase(each.docstring))
            same = (place for place in documented_alike[each.docstring] if place != case.place)
            yield replace(case, same=tuple(dict.fromkeys(same)))


def _invented(truth: Truth, source: random.Random, count: int) -> Iterator[GapCase]:
    nouns = sorted({each.name.strip("_").split("_")[-1] for each in _code(truth) if each.name.strip("_").islower()})
    words = truth.all_words
    for _ in range(4 * count if nouns else 0):
        name = f"{source.choice(INVENTED)}_{source.choice(nouns)}"
        if name not in words:
            yield GapCase("invented", "ABSENT", name)


def _near_misses(truth: Truth, source: random.Random) -> Iterator[GapCase]:
    words = truth.all_words
    for each in _code(truth):
        name = each.name
        if len(name) < 6 or name.startswith("__"):
            continue
        at = source.randrange(1, len(name) - 1)
        changed = source.choice(
            (
                name + "s",
                name[:at] + name[at + 1 :],
                name[:at] + name[at + 1] + name[at] + name[at + 2 :],
                name.swapcase(),
                "get_" + name,
                name.replace("_", ""),
            )
        )
        if changed not in words and not is_known_outside(changed):
            written = source.choice((changed, ".".join([*each.qualified_name.split(".")[:-1], changed])))
            yield GapCase("near miss", "ABSENT", written, source.choice(("", each.path)))


def _foreign_members(truth: Truth, source: random.Random) -> Iterator[GapCase]:
    plain = [each for each in _code(truth) if each.is_plain]
    methods = sorted({each.name for each in _code(truth) if "." in each.qualified_name})
    own = {each.qualified_name for each in truth.definitions}
    for each in plain if methods else []:
        member = source.choice(methods)
        name = f"{each.qualified_name}.{member}"
        # A name that occurs anywhere in the file is not used: it may be an attribute of the class.
        if name not in own and member not in truth.words[each.path] and not member.startswith("__"):
            yield GapCase("foreign member", "ABSENT", name)


def _external(truth: Truth) -> Iterator[GapCase]:
    for name in truth.external:
        if not name.startswith("__future__"):
            yield GapCase("external", "EXTERNAL", name)


def _not_covered() -> Iterator[GapCase]:
    for name in _SKIPPED_NAMES:
        for file in (SKIPPED_FILE, UNDECODABLE_FILE):
            yield GapCase("not covered", "OUT_OF_COVERAGE", name, file)
            yield GapCase("not covered", "OUT_OF_COVERAGE", f"{file.removesuffix('.py')}.{name}")


def skipped_text(size: int) -> str:
    """Return a Python file of more than `size` bytes that defines the names of the uncovered gaps."""
    body = "".join(f"def {name}():\n    return {name!r}\n\n\n" for name in _SKIPPED_NAMES)
    return body + "# padding\n" * (1 + size // 10)


def undecodable_bytes() -> bytes:
    """Return a Python file that is not valid in any encoding and defines the names of the uncovered gaps."""
    body = "".join(f"def {name}():\n    return {name!r}\n\n\n" for name in _SKIPPED_NAMES)
    return b"# " + bytes(range(129, 256)) * 8 + b"\n" + body.encode()
