"""Writes docs/evaluation.md from the figures in docs/evaluation.toml; `--check` fails if the page is stale."""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "evaluation.md"
DATA = DOCS / "evaluation.toml"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

HEAD = """\
# Evaluation

Made by `make evaluation-page` from [evaluation.toml](evaluation.toml); do not edit.

What was measured, on what, and how to measure it again. What was tried and not kept is on the page of
[experiments](experiments.md).

## How to read the figures
- Shares are in percent. A *bar* is what has to be reached.
- **Acc@k**: share of the cases in which *all* right places are among the first k. **recall@k**: share of the right
  places that are among the first k. **p50/p95**: median, and the value that 95 of 100 stay below.
- **Held out**: measured on repositories that the weights were not trained on; expect these figures on your code.
  **As shipped**: measured with the weights in the package, which may have been trained on these cases.
- **dev_small, dev_mid**: 187 reports of five projects and 112 of eight others, which localization was developed with.
- A *gold line* is a line that a reference answer cites.
- Times were taken on two cores; with other work beside, they are longer.

## Cases
Cases are JSON lines that you bring. Repositories are read from mirrors by commit: `MIRRORS` is a folder with
`owner+name/repo`, `MIRROR_MAP` a JSON file of `{repo: folder}`. `ARGS=--json` prints one JSON object.

| command | a case |
|---|---|
| `eval-localization` | `{instance_id, repo, base_commit, problem_statement, gold_files, gold_functions}` |
| `eval-questions`, `eval-answers` | `{id, repo, commit, question, gold_files, gold_functions}` |
| `eval-context` | `{id, repo, commit, question, gold_lines: [[path, first, last], ...]}` |
| `eval-classifier` | `{question, mode}` |
| `eval-callgraph` | a folder of snippets with `callgraph.json`, or recorded calls |
| `eval-gaps`, `eval-claims` | none: they are made from the syntax trees of `REPO` with a seed |

## Figures
"""


def lines_of(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes, the table and the commands. Raises ValueError for an incomplete row or an unused command."""
    commands: Mapping[str, str] = data["commands"]
    yield from (f"- **{area['name']}**: {area['note']}" for area in data["areas"])
    yield from ("", "| area | measure | figure | bar | date | command |", "|---|---|---|---|---|---|")
    for area in data["areas"]:
        for row in area["rows"]:
            yield _row(area["name"], row, commands)
    used = {row[4] for area in data["areas"] for row in area["rows"]}
    if unused := commands.keys() - used:
        raise ValueError(f"commands without a row: {', '.join(sorted(unused))}")
    yield from ("", "## Commands", "", "| command | run |", "|---|---|")
    yield from (f"| {name} | {_code(name, text)} |" for name, text in sorted(commands.items()))


def _row(area: str, row: Sequence[str], commands: Mapping[str, str]) -> str:
    name, figure, bar, date, command = row
    if not (name and figure and _DATE.fullmatch(date) and command in commands):
        raise ValueError(f"{area}: a row needs a name, a figure, a date and a known command: {row}")
    return f"| {area} | {name} | {figure} | {bar} | {date} | {command} |"


def _code(name: str, text: str) -> str:
    return text if name == "hand" else f"`{text}`"


def page() -> str:
    """Return the whole page."""
    return HEAD + "\n".join(lines_of(tomllib.loads(DATA.read_text(encoding="utf-8")))) + "\n"


def main() -> int:
    """Write the page, or compare it with what is committed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        print("stale: docs/evaluation.md (run `make evaluation-page`)")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
