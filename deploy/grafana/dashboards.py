"""Writes the Grafana dashboards as JSON; `--check` fails if the committed ones are stale."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from deploy.grafana.panels import DashboardSpec, build, read_dashboard

FOLDER = Path(__file__).resolve().parent / "dashboards"

DASHBOARDS = tuple(map(read_dashboard, ("answers", "latency", "services", "indexing")))


def render(spec: DashboardSpec) -> str:
    """Return one dashboard as the JSON text that is committed."""
    return JSONEncoder(sort_keys=True, indent=2).encode(build(spec).build()) + "\n"


def main() -> int:
    """Write the dashboards, or compare them with what is committed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    check = parser.parse_args().check
    stale = []
    for spec in DASHBOARDS:
        path, text = FOLDER / f"{spec.name}.json", render(spec)
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    for name in stale:
        print(f"stale: deploy/grafana/dashboards/{name} (run `make dashboards`)")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
