"""Writes the alerts as an object of the Prometheus operator: `python -m deploy.prometheus.operator`."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
RULES = ROOT / "prometheus" / "rules.yaml"
OBJECT = ROOT / "kustomize" / "overlays" / "production" / "alerts.yaml"

_HEAD = """\
# Made of deploy/prometheus/rules.yaml by `make dashboards`; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: cgrag
spec:
"""


def render() -> str:
    """Return the PrometheusRule: the groups of the rules file for Prometheus, one level deeper."""
    lines = RULES.read_text(encoding="utf-8").splitlines()
    groups = lines[lines.index("groups:") :]
    return _HEAD + "".join(f"  {line}\n" if line else "\n" for line in groups)


if __name__ == "__main__":
    OBJECT.write_text(render(), encoding="utf-8")
