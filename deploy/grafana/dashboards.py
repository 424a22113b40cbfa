"""Writes the Grafana dashboards as JSON; `--check` fails if the committed ones are stale."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from deploy.grafana.panels import NAMESPACE, DashboardSpec, PanelSpec, Query, RowSpec, Shape, build, quantile, rate

FOLDER = Path(__file__).resolve().parent / "dashboards"

ANSWERS = DashboardSpec(
    name="cgrag-answers",
    title="cgrag / Answers",
    description="How many passes answers take, why they stop, and what stays open.",
    rows=(
        RowSpec(
            "Passes",
            (
                PanelSpec(
                    "Answers by number of passes",
                    "Calls of the answering engine for each answer. A shift to the right means that the first "
                    "retrieval misses more.",
                    "short",
                    (
                        Query(
                            f"sum by (le) (increase(cgrag_answer_passes_bucket{{{NAMESPACE}}}[$__rate_interval]))",
                            "{{le}}",
                        ),
                    ),
                    Shape.HEATMAP,
                ),
                PanelSpec(
                    "Passes for each answer, mean",
                    "Mean number of passes by mode of the question.",
                    "short",
                    (
                        Query(
                            f"{rate('cgrag_answer_passes_sum', 'mode')} / {rate('cgrag_answer_passes_count', 'mode')}",
                            "{{mode}}",
                        ),
                    ),
                ),
                PanelSpec(
                    "Why answers stop",
                    "Stop reasons of the loop. Many budget or time stops mean that the limits are too tight.",
                    "reqps",
                    (Query(rate("cgrag_answer_passes_count", "stop_reason"), "{{stop_reason}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "What became of gaps",
                    "Outcomes of what the engine asked for. The target is more than 70 % resolved.",
                    "reqps",
                    (Query(rate("cgrag_gaps_total", "outcome"), "{{outcome}}"),),
                    Shape.STACK,
                ),
            ),
        ),
        RowSpec(
            "Context",
            (
                PanelSpec(
                    "Context tokens for each answer, mean",
                    "Tokens of evidence by cap. The target for the sum is below 4000.",
                    "short",
                    (
                        Query(
                            f"{rate('cgrag_context_tokens_sum', 'source')} / ignoring(source) group_left "
                            f"{rate('cgrag_answer_passes_count')}",
                            "{{source}}",
                        ),
                    ),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Classifications by mode",
                    "What kinds of question come in, by the engine that classified them.",
                    "reqps",
                    (Query(rate("cgrag_classifications_total", "mode, engine"), "{{mode}} ({{engine}})"),),
                    Shape.STACK,
                ),
            ),
        ),
    ),
)

LATENCY = DashboardSpec(
    name="cgrag-latency",
    title="cgrag / Latency",
    description="Where the time of an answer goes: first event, stages, passes, classification, calls.",
    rows=(
        RowSpec(
            "Answers",
            (
                PanelSpec(
                    "Answers a second",
                    "Finished answers by outcome.",
                    "reqps",
                    (Query(rate("cgrag_answer_duration_seconds_count", "outcome"), "{{outcome}}"),),
                ),
                PanelSpec(
                    "Answer duration",
                    "From request to completion. The target without the model's own time is p95 below 3 s.",
                    "s",
                    (
                        Query(quantile(0.5, "cgrag_answer_duration_seconds"), "p50"),
                        Query(quantile(0.95, "cgrag_answer_duration_seconds"), "p95"),
                        Query(quantile(0.99, "cgrag_answer_duration_seconds"), "p99"),
                    ),
                ),
                PanelSpec(
                    "Answer duration by mode, p95",
                    "Which kinds of question are slow.",
                    "s",
                    (Query(quantile(0.95, "cgrag_answer_duration_seconds", "mode"), "{{mode}}"),),
                ),
                PanelSpec(
                    "Time to first event, p99",
                    "What a caller waits for: the acknowledgement, the first evidence, the first text. "
                    "The target for the acknowledgement is below 250 ms.",
                    "s",
                    (Query(quantile(0.99, "cgrag_time_to_first_event_seconds", "kind"), "{{kind}}"),),
                ),
            ),
        ),
        RowSpec(
            "Inside",
            (
                PanelSpec(
                    "Pass duration, p95",
                    "One call of the answering engine, by number of the pass.",
                    "s",
                    (Query(quantile(0.95, "cgrag_pass_duration_seconds", "pass"), "pass {{pass}}"),),
                ),
                PanelSpec(
                    "Stage duration, p95",
                    "Retrieval stages; the slowest one is where to look.",
                    "s",
                    (Query(quantile(0.95, "cgrag_stage_duration_seconds", "stage"), "{{stage}}"),),
                ),
                PanelSpec(
                    "Classification duration, p95",
                    "By engine: rules take less than a millisecond, a model does not.",
                    "s",
                    (Query(quantile(0.95, "cgrag_classification_duration_seconds", "engine"), "{{engine}}"),),
                ),
                PanelSpec(
                    "Own time of the orchestrator, p95",
                    "Everything but the calls to the answering engine and the retriever. The target is below 20 ms.",
                    "s",
                    (Query(quantile(0.95, "cgrag_orchestrator_overhead_seconds"), "p95"),),
                ),
            ),
        ),
        RowSpec(
            "Calls",
            (
                PanelSpec(
                    "Calls a second",
                    "Handled calls by service and code.",
                    "reqps",
                    (
                        Query(
                            rate("grpc_server_handled_total", "grpc_service, grpc_code"),
                            "{{grpc_service}} {{grpc_code}}",
                        ),
                    ),
                ),
                PanelSpec(
                    "Call duration by method, p95",
                    "Server-side handling time.",
                    "s",
                    (Query(quantile(0.95, "grpc_server_handling_seconds", "grpc_method"), "{{grpc_method}}"),),
                ),
            ),
        ),
    ),
)

DASHBOARDS = (ANSWERS, LATENCY)


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
