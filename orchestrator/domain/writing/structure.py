"""Sections about the structure of code: measures, findings, diagram, and the code where they show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.question_terms import describes_one_thing
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.markdown import bullets, fenced, head
from orchestrator.domain.writing.points import point
from orchestrator.domain.writing.sections import connections, core_lines, definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

# The form in which the retriever writes its measures.
_SCOPE = re.compile(r"^Structure of (.+)", re.MULTILINE)
_BLANK = re.compile(r"\n{3,}")
_MEASURED = re.compile(r"(\S+) \(([^()]+)\): (\d+ \w+)")
_OF_STRUCTURE = re.compile(
    r"\b(?:coupl\w*|depend\w*|architect\w*|struct\w*|modul\w*|layer\w*|quality|debt|smell\w*|cohes\w*|organi[sz]\w*|"
    r"maintain\w*|analy[sz]\w*|overview|design\w*|findings?|issues?|secur\w*|risk\w*|perform\w*|bottleneck\w*)\b",
    re.IGNORECASE,
)
_LEVELS = ("modules", "folders", "files")
"""What circles are counted of, the coarsest first."""
_PLACED = re.compile(r"(\S+) \(([^()]+:\d+)\)")
_USES = re.compile(r"^Uses of (\S+) by (\S+): (\d+)$", re.MULTILINE)
_NAMED = 5
_COUPLED = re.compile(r"^- (\S+): \d+, \d+$", re.MULTILINE)


def coupling(material: Material) -> list[str]:
    """Say what was measured of what is asked, or what answers otherwise; without measures, what the subject is."""
    if not material.of(EvidenceKind.METRICS, EvidenceKind.FINDING):
        return definition(material)
    asked = next((measure for pattern, measure in _MEASURES if pattern.search(material.question)), None)
    is_of_one = describes_one_thing(material.question)
    if between := _between(material):
        return [between]
    if asked and not is_of_one:
        return [asked(material) or _most_coupled(material)]
    if material.users and not _is_of_structure(material):
        return definition(material)[:1]
    if is_of_one:
        return [*definition(material), *core_lines(material)]
    if _OF_STRUCTURE.search(material.question):
        return [_most_coupled(material)]
    return [*definition(material)[:1], _most_coupled(material)]


def structure(material: Material) -> list[str]:
    """State what was measured of the structure, what analyzers found, and the diagram; not of who uses one thing."""
    if material.users and not _is_of_structure(material):
        return []
    measures = ("\n".join(_measured(piece, 24)) for piece in material.of(EvidenceKind.METRICS))
    lines = [_BLANK.sub("\n\n", each).strip() for each in measures]
    for piece in material.of(EvidenceKind.FINDING):
        lines += ["Findings of the analyzers:", "\n".join(_measured(piece, 8))]
    return [*lines, *(_diagram(piece) for piece in material.of(EvidenceKind.DIAGRAM)[:1])]


def _is_of_structure(material: Material) -> bool:
    is_measured = any(pattern.search(material.question) for pattern, _ in _MEASURES)
    return is_measured or _OF_STRUCTURE.search(material.question) is not None


def samples(material: Material) -> list[str]:
    """Name the code that stands for the structure, with the measure that made it stand out; else what takes part."""
    if describes_one_thing(material.question) or (material.users and not _is_of_structure(material)):
        return connections(material)
    shown = [piece for piece in material.of(EvidenceKind.SOURCE) if piece not in material.fetched]
    lines = [point(material, piece, piece.evidence.reason) for piece in shown[:6]]
    return ["Where it shows:", bullets(lines)] if lines else []


def _most_coupled(material: Material) -> str:
    """Say in a sentence which modules the measures name as most coupled."""
    scope, text = _scope_and_text(material)
    inside = text.partition("\nInside (")[2]
    around = [match[1] for match in _COUPLED.finditer(text.removesuffix(inside))][:3]
    within = [match[1] for match in _COUPLED.finditer(inside)][:3]
    if not scope or not (around or within):
        return ""
    told = [f"with {scope}: {_listed(around)}"] if around else []
    told += [f"inside {'it' if around else scope}: {_listed(within)}"] if within else []
    return f"Most coupled {'; '.join(told)}; the numbers follow."


def _cycles(material: Material) -> str:
    """Say which modules depend on one another in circles."""
    scope, text = _scope_and_text(material)
    counted = {level: _items(text, f"Circular dependencies between {level}") for level in _LEVELS}
    level = next((each for each in _LEVELS if counted[each][0]), "")
    if not level:
        is_measured = counted["modules"][0] == 0
        levels = ", folders and files" if counted["files"][0] == 0 else ""
        return f"No circular dependencies between the modules{levels} of {scope} were found." if is_measured else ""
    count, items = counted[level]
    noun = "circle of dependencies" if count == 1 else "circles of dependencies"
    told = (
        f"There {'is' if count == 1 else 'are'} {count} {noun} between the {level} of {scope}: {'; '.join(items[:2])}."
    )
    return told if level == "modules" else f"{told} Between {_coarser(level)} there is none."


def _coarser(level: str) -> str:
    return " and ".join(_LEVELS[: _LEVELS.index(level)])


def _largest(material: Material) -> str:
    """Say which files, folders, classes or functions have most lines."""
    return _ranked(material, "Largest", "Most lines in {} have {}.", "") or _heaviest(material)


def _unused(material: Material) -> str:
    """Say what nothing is known to use, and how far that is known."""
    scope, text = _scope_and_text(material)
    found = {heading: _items(text, heading) for heading in ("Unused and private", "Unused here, but public")}
    (private, own), (public, others) = found.values()
    if private is None or public is None:
        return ""
    if not private and not public:
        return (
            f"Every definition in {scope} is used by code of it, or may be used by others, as far as the index knows."
        )
    told = [f"Nothing uses {_counted(private, 'private definition')} of {scope}: {_placed(material, own[:_NAMED])}."]
    told += [f"Nothing here uses {_counted(public, 'public definition')}: {_placed(material, others[:_NAMED])}."]
    aside = "Others may use what is public, or call by a name made at run time; tests do not count."
    return " ".join([*(each for each, count in zip(told, (private, public), strict=True) if count), aside])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _placed(material: Material, items: list[str]) -> str:
    mentions = {
        (each.qualified_name, f"{each.path}:{each.start_line}"): piece.mention_cite(each)
        for piece in _measures(material)
        for each in piece.evidence.mentions
    }
    found = (_PLACED.fullmatch(item) for item in items)
    return ", ".join(f"`{each[1]}` {mentions.get((each[1], each[2]), '')}".rstrip() for each in found if each)


def _between(material: Material) -> str:
    """Say how two parts depend on each other."""
    text = "\n".join(piece.evidence.text for piece in _measures(material))
    uses = [(match[1], match[2], int(match[3])) for match in _USES.finditer(text)]
    if len(uses) != 2:
        return ""
    (target, source, there), (_, _, back) = uses
    if there and back:
        told = f"uses `{target}` {there} times, and is used by it {back} times: they depend on each other"
        return f"`{source}` {told}, in a circle."
    if there or back:
        one, other, count = (source, target, there) if there else (target, source, back)
        return f"`{one}` uses `{other}` {count} times, and `{other}` does not use `{one}`: that is no circle."
    return f"Neither of `{source}` and `{target}` uses the other, as far as the index knows."


def _heaviest(material: Material) -> str:
    """Say which functions call most others, and which the analyzers found to be most complex."""
    return _ranked(material, "God functions", "The functions of {} that call most others: {}.", "complexity of")


def _most_called(material: Material) -> str:
    """Say which functions are called from most places."""
    return _ranked(material, "Hotspots", "What is called from most places in {}: {}.", "")


def _ranked(material: Material, heading: str, sentence: str, finding: str) -> str:
    scope, text = _scope_and_text(material)
    mentions = {
        each.qualified_name: piece.mention_cite(each)
        for piece in _measures(material)
        for each in piece.evidence.mentions
    }
    count, items = _items(text, heading)
    told = [
        f"`{match[1]}` ({match[3]}) {mentions.get(match[1], '')}".rstrip()
        for match in map(_MEASURED.fullmatch, items[:3])
        if match
    ]
    lines = [each for piece in material.of(EvidenceKind.FINDING) for each in piece.evidence.text.splitlines()]
    found = next((each.partition(": ")[2].partition(" [")[0] for each in lines if finding and finding in each), "")
    extra = f" The gravest finding of the analyzers about it: {prose.unlabelled(found)}." if found else ""
    if told:
        return sentence.format(scope, ", ".join(told)) + extra
    return (f"None of the functions of {scope} stands out by its calls." + extra) if count == 0 else extra.strip()


def _scope_and_text(material: Material) -> tuple[str, str]:
    text = "\n".join(piece.evidence.text for piece in _measures(material))
    scope = _SCOPE.search(text)
    return (scope[1] if scope else "", text)


def _measures(material: Material) -> tuple[Piece, ...]:
    return material.of(EvidenceKind.METRICS)


def _items(text: str, heading: str) -> tuple[int | None, list[str]]:
    """Return how many things a heading of the measures counts, None if it is not there, and the lines below it."""
    found = re.search(rf"^{heading}\b[^\n]*: (\d+)\n((?:- [^\n]*\n?)*)", text + "\n", re.MULTILINE)
    return (int(found[1]), [line[2:] for line in found[2].splitlines()]) if found else (None, [])


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _measured(piece: Piece, limit: int) -> Iterator[str]:
    mentions = {each.qualified_name: each for each in piece.evidence.mentions}
    for line in head(prose.unlabelled(piece.evidence.text), limit):
        is_item = line.lstrip().startswith("-")
        named = next((mentions[name] for name in _names_in(line) if name in mentions), None)
        cite = piece.mention_cite(named) if named else piece.cite if piece.evidence.span else ""
        yield f"{line} {cite}".rstrip() if is_item else f"\n{line}\n"


def _names_in(line: str) -> list[str]:
    return re.findall(r"[A-Za-z_][\w.]*[\w]", line)


def _diagram(piece: Piece) -> str:
    text = piece.evidence.text.strip()
    return text if text.startswith("```") else fenced(text.splitlines(), "mermaid")


_MEASURES = (
    (re.compile(r"\b(?:dead|unused|never|nobody|nothing)\b", re.IGNORECASE), _unused),
    (re.compile(r"\b(?:largest|biggest|longest|most lines)\b", re.IGNORECASE), _largest),
    (re.compile(r"\b(?:circular|cycl\w*|circles?|import loops?)\b", re.IGNORECASE), _cycles),
    (re.compile(r"\b(?:hot ?spots?|most (?:called|used)|(?:called|used) most|callers)\b", re.IGNORECASE), _most_called),
    (
        re.compile(
            r"\b(?:complex\w*|complicated|god|largest|biggest|longest|too (?:big|long|large)|refactor\w*)\b",
            re.IGNORECASE,
        ),
        _heaviest,
    ),
)
"""What a question may ask to be measured; the first that it speaks of counts."""
