"""Writes docs/settings.md from the settings that the services declare; `--check` fails if it is stale."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cgrag_client.connecting.settings import SERVICES, load_with_origins

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "settings.md"
HOME = "/home/you"

Row = Mapping[str, str]

HEAD = """\
# Settings

Made by `make settings-page` out of what the services declare; do not edit.

Settings come from one TOML file, which `CGRAG_CONFIG` names, and from the environment, which wins. Each service reads
the table of its name. All mistakes are reported at once, before anything starts. `cgrag config check` prints what is in
force and where it came from. A number out of its bounds is such a mistake, and the message says them: at most, where a
setting has no bound of its own, 1000000 seconds or minutes, 36500 days, and 1000000000 of all else. So is a variable
that begins as those of a service or of the client do and is none of them, looks like one of the others, or lacks the
service's name; `cgrag config check` tells of every name with `CGRAG_` that nobody reads.

A secret may be the one line of a file instead: where a row has two variables, the second names the file, and so does
`<setting>_file` in the table. Giving both is refused, and so is an empty file. The file is read when a service starts,
and by the indexer for each job; a changed one needs a restart.

```toml
# cgrag.toml
[orchestrator]
max_passes = 2
api_key_file = "/run/secrets/model-key"

[indexer]
exclude = ["third_party/**"]

[client]
orchestrator = "cgrag.internal:50054"
```
"""


def settings_of(service: str) -> list[Row]:
    """Ask a service for its settings with nothing set."""
    environ = {"PATH": os.environ["PATH"], "HOME": HOME, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'protos' / 'gen'}"}
    command = [sys.executable, "-m", service, "--print-settings"]
    run = subprocess.run(command, cwd=ROOT, env=environ, check=True, capture_output=True, text=True)
    rows: list[Row] = json.loads(run.stdout)
    return rows


def table(rows: Sequence[Row]) -> str:
    """Lay settings out as a table."""
    lines = ["| setting | environment | default | what it is |", "|---|---|---|---|"]
    for row in rows:
        value = row["value"].replace(HOME, "~")
        default = "" if value in {"", "()", "None"} else f"`{value}`"
        name = row["name"].partition(".")[2]
        variables = ", ".join(f"`{each}`" for each in (row["variable"], row.get("file_variable")) if each)
        lines.append(f"| `{name}` | {variables} | {default} | {row['doc'].replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def page() -> str:
    """Put the page together: what all services share once, then each section."""
    sections = {name: settings_of(name) for name in SERVICES}
    names = {section: {row["name"].partition(".")[2] for row in rows} for section, rows in sections.items()}
    shared = set.intersection(*names.values())
    example = [row for row in sections[SERVICES[0]] if row["name"].partition(".")[2] in shared]
    common = [
        {**row, "variable": row["variable"].replace(SERVICES[0].upper(), "<SERVICE>"), "value": _shared_value(row)}
        for row in example
    ]
    parts = [HEAD, "## Every service\n", table(common)]
    for section, rows in sections.items():
        own = [row for row in rows if row["name"].partition(".")[2] not in shared]
        parts += [f"\n## [{section}]\n", table(own)]
    _, origins = load_with_origins({})
    parts += ["\n## [client]\n", table([dataclasses.asdict(each) for each in origins])]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Write the page, or compare it with what is committed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    fresh = page()
    if not parser.parse_args().check:
        PAGE.write_text(fresh, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == fresh:
        return 0
    print("stale: docs/settings.md (run `make settings-page`)")
    return 1


def _shared_value(row: Row) -> str:
    own = {"port": "50051 to 50054", "metrics_port": "9101 to 9104", "max_concurrent_calls": "1000, retriever 64"}
    return own.get(row["name"].partition(".")[2], row["value"])


if __name__ == "__main__":
    sys.exit(main())
