"""The dashboard on services: rate, errors and duration of every method, saturation, models."""

from __future__ import annotations

from deploy.grafana.panels import (
    NAMESPACE,
    DashboardSpec,
    Limit,
    PanelSpec,
    Query,
    RowSpec,
    Shape,
    State,
    or_none,
    quantile,
    rate,
)

_ERRORS = 'grpc_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DATA_LOSS"'
_LATE = 'grpc_code="DEADLINE_EXCEEDED",grpc_method!~"Watch.*"'

_BREAKER = (State(0, "closed", "green"), State(1, "half open", "yellow"), State(2, "open", "red"))
_READY = (State(0, "not ready", "red"), State(1, "ready", "green"))
_BUDGET = 0.005
"""Share of calls that may fail for a reason of ours: 99.5 % availability."""


SERVICES = DashboardSpec(
    name="cgrag-services",
    title="cgrag / Services",
    description="Whether the services are well: calls, failures, load, models.",
    rows=(
        RowSpec(
            "Targets",
            (
                PanelSpec(
                    "Availability",
                    "Share of calls without a server-side failure, over 3 days. The target is 99.5 %.",
                    "percentunit",
                    (Query(f"1 - namespace:cgrag_errors:ratio3d{{{NAMESPACE}}}", "{{namespace}}"),),
                    Shape.NUMBER,
                    limit=Limit(1 - _BUDGET, bad="below"),
                ),
                PanelSpec(
                    "Error budget left",
                    "Of the failures that 99.5 % availability allows in 3 days. Below nothing the target is missed.",
                    "percentunit",
                    (Query(f"1 - namespace:cgrag_errors:ratio3d{{{NAMESPACE}}} / {_BUDGET}", "{{namespace}}"),),
                    limit=Limit(0, bad="below"),
                    signed=True,
                ),
                PanelSpec(
                    "Burn of the error budget",
                    "How many times faster than allowed calls fail. At 1 the budget is just used up; 14.4 over an hour "
                    "and 6 over six page somebody.",
                    "suffix:x",
                    tuple(
                        Query(
                            f"namespace:cgrag_errors:ratio{window}{{{NAMESPACE}}} / {_BUDGET}",
                            f"{{{{namespace}}}} {window}",
                        )
                        for window in ("1h", "6h", "3d")
                    ),
                    limit=Limit(1, bad="above"),
                ),
                PanelSpec(
                    "Answers that begin late",
                    "Share of answers whose first event takes longer than 250 ms, over an hour. The target is 1 %.",
                    "percentunit",
                    (Query(f"namespace:cgrag_late_acks:ratio1h{{{NAMESPACE}}}", "{{namespace}}"),),
                    limit=Limit(0.01, bad="above"),
                ),
            ),
        ),
        RowSpec(
            "Calls",
            (
                PanelSpec(
                    "Calls begun by method",
                    "Rate of calls, including refused ones.",
                    "suffix: calls/s",
                    (Query(rate("grpc_server_started_total", "grpc_service, grpc_method"), "{{grpc_method}}"),),
                ),
                PanelSpec(
                    "Errors by method",
                    "Calls with a server-side failure. The target for all is below 0.5 %.",
                    "suffix: calls/s",
                    (
                        Query(
                            rate("grpc_server_handled_total", "grpc_method, grpc_code", _ERRORS),
                            "{{grpc_method}} {{grpc_code}}",
                        ),
                    ),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Calls out of time",
                    "Calls whose deadline passed: by method, and those of Ask by what they waited for. They count "
                    "against availability; waiting for the engine is the model's share.",
                    "suffix: calls/s",
                    (
                        Query(rate("grpc_server_handled_total", "grpc_method", _LATE), "{{grpc_method}}"),
                        Query(rate("cgrag_answer_deadlines_total", "waiting_for"), "Ask, waiting for {{waiting_for}}"),
                    ),
                ),
                PanelSpec(
                    "Duration by method, p99",
                    "Handling time of the slowest calls.",
                    "s",
                    (Query(quantile(0.99, "grpc_server_handling_seconds", "grpc_method"), "{{grpc_method}}"),),
                ),
                PanelSpec(
                    "Messages sent",
                    "Stream events and responses; one event costs 25 to 70 microseconds.",
                    "suffix: messages/s",
                    (Query(rate("grpc_server_msg_sent_total", "grpc_service"), "{{grpc_service}}"),),
                ),
            ),
        ),
        RowSpec(
            "Saturation",
            (
                PanelSpec(
                    "Streams in flight",
                    "Open streams. The autoscaler uses this number.",
                    "short",
                    (Query(f"sum by (grpc_method) (cgrag_streams_in_flight{{{NAMESPACE}}})", "{{grpc_method}}"),),
                ),
                PanelSpec(
                    "Calls refused",
                    "Calls refused by the concurrency limit, or because the server was shutting down.",
                    "suffix: calls/s",
                    (Query(rate("cgrag_shed_total", "reason"), "{{reason}}"),),
                ),
                PanelSpec(
                    "Degraded answers",
                    "Answers made while a part of the system was unavailable, by part.",
                    "suffix: answers/s",
                    (Query(rate("cgrag_degraded_answers_total", "reason"), "{{reason}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Breakers of dependencies",
                    "While a breaker is open, answers do without the dependency; half open, one request probes it.",
                    "short",
                    (
                        Query(
                            f"max by (instance, dependency) (cgrag_dependency_breaker_state{{{NAMESPACE}}})",
                            "{{instance}} {{dependency}}",
                        ),
                    ),
                    Shape.STATES,
                    states=_BREAKER,
                ),
                PanelSpec(
                    "Event loop lag",
                    "How late each event loop is. Above 5 s the process counts as dead.",
                    "s",
                    (Query(f"max by (instance) (cgrag_event_loop_lag_seconds{{{NAMESPACE}}})", "{{instance}}"),),
                    limit=Limit(5, bad="above"),
                ),
                PanelSpec(
                    "Ready",
                    "Whether each process reports that it is ready.",
                    "short",
                    (Query(f"min by (instance) (cgrag_ready{{{NAMESPACE}}})", "{{instance}}"),),
                    Shape.STATES,
                    states=_READY,
                ),
                PanelSpec(
                    "CPU",
                    "Cores used by each process.",
                    "suffix: cores",
                    (Query(rate("process_cpu_seconds_total", "instance"), "{{instance}}"),),
                ),
                PanelSpec(
                    "Memory",
                    "Resident memory of each process.",
                    "bytes",
                    (Query(f"sum by (instance) (process_resident_memory_bytes{{{NAMESPACE}}})", "{{instance}}"),),
                ),
                PanelSpec(
                    "Versions",
                    "Running versions. More than one outside of a rollout needs an explanation.",
                    "short",
                    (Query(f"sum by (service, version) (cgrag_build_info{{{NAMESPACE}}})", "{{service}} {{version}}"),),
                    Shape.NUMBER,
                ),
            ),
        ),
        RowSpec(
            "Access",
            (
                PanelSpec(
                    "Calls denied by method",
                    "No good credential, not the role for it, a repository out of sight, or a quota used up: the log's "
                    "audit.decision says who and why. None without an access file.",
                    "suffix: calls/s",
                    (Query(or_none(rate("cgrag_authz_denied_total", "method"), "method"), "{{method}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Access files read",
                    "Access and key files that changed, over the range shown. A refused one leaves the one before in "
                    "force: the log's access.file_refused says what is wrong.",
                    "short",
                    (
                        Query(
                            or_none(
                                f"sum by (outcome) (increase(cgrag_access_file_reads_total{{{NAMESPACE}}}[$__range]))",
                                "outcome",
                            ),
                            "{{outcome}}",
                        ),
                    ),
                    Shape.NUMBER,
                ),
            ),
        ),
        RowSpec(
            "Models",
            (
                PanelSpec(
                    "Model requests",
                    "Requests to models by how they ended.",
                    "reqps",
                    (Query(rate("cgrag_llm_requests_total", "role, outcome"), "{{role}} {{outcome}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Model retries",
                    "Further attempts, by the cause of the previous failure.",
                    "suffix: attempts/s",
                    (Query(rate("cgrag_llm_retries_total", "role, outcome"), "{{role}} {{outcome}}"),),
                ),
                PanelSpec(
                    "Breaker",
                    "While a breaker is open, the model of that role is not called; half open, one request probes it.",
                    "short",
                    (
                        Query(
                            f"max by (instance, role) (cgrag_llm_breaker_state{{{NAMESPACE}}})", "{{instance}} {{role}}"
                        ),
                    ),
                    Shape.STATES,
                    states=_BREAKER,
                ),
                PanelSpec(
                    "Tokens a second",
                    "Input and output tokens of models; cached input is cheap.",
                    "suffix: tokens/s",
                    (Query(rate("gen_ai_client_token_usage_sum", "gen_ai_token_type"), "{{gen_ai_token_type}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Cost",
                    "US dollars over the range shown, by the configured prices.",
                    "currencyUSD",
                    (
                        Query(
                            f"sum by (role) (increase(cgrag_llm_cost_usd_total{{{NAMESPACE}}}[$__range]))", "{{role}}"
                        ),
                    ),
                    Shape.NUMBER,
                ),
                PanelSpec(
                    "Secrets kept from models",
                    "Secrets redacted from text before it was sent to a model, by class.",
                    "short",
                    (Query(rate("cgrag_secrets_redacted_total", "class"), "{{class}}"),),
                    Shape.STACK,
                ),
            ),
        ),
    ),
)
