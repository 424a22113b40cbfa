"""The dashboard on latency: first events, passes, stages, the model's time and our own."""

from __future__ import annotations

from deploy.grafana.panels import DashboardSpec, PanelSpec, Query, RowSpec, quantile, rate

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
                    "suffix: answers/s",
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
                    "Time until the acknowledgement, the first evidence, the first text. "
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
                    "Answers without the engine's time, p95",
                    "Classifying, retrieving and the orchestrator's own work. The target is below 3 s.",
                    "s",
                    (Query(quantile(0.95, "cgrag_answer_own_seconds"), "p95"),),
                ),
                PanelSpec(
                    "Model requests, p95",
                    "The model's own time, by what it was asked for.",
                    "s",
                    (Query(quantile(0.95, "gen_ai_client_operation_duration_seconds", "role"), "{{role}}"),),
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
                    "suffix: calls/s",
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
