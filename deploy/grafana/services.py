"""The dashboard on services: rate, errors and duration of every method, saturation, models."""

from __future__ import annotations

from deploy.grafana.panels import NAMESPACE, DashboardSpec, PanelSpec, Query, RowSpec, Shape, or_none, quantile, rate

_ERRORS = 'grpc_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DATA_LOSS"'

SERVICES = DashboardSpec(
    name="cgrag-services",
    title="cgrag / Services",
    description="Whether the services are well: calls, failures, load, models.",
    rows=(
        RowSpec(
            "Calls",
            (
                PanelSpec(
                    "Calls begun by method",
                    "Rate of calls, those that are refused included.",
                    "reqps",
                    (Query(rate("grpc_server_started_total", "grpc_service, grpc_method"), "{{grpc_method}}"),),
                ),
                PanelSpec(
                    "Errors by method",
                    "Calls that failed for a reason of ours. The target for all is below 0.5 %.",
                    "reqps",
                    (
                        Query(
                            rate("grpc_server_handled_total", "grpc_method, grpc_code", _ERRORS),
                            "{{grpc_method}} {{grpc_code}}",
                        ),
                    ),
                    Shape.STACK,
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
                    "short",
                    (Query(rate("grpc_server_msg_sent_total", "grpc_service"), "{{grpc_service}}"),),
                ),
            ),
        ),
        RowSpec(
            "Saturation",
            (
                PanelSpec(
                    "Streams in flight",
                    "Streams that run now. Replicas are added by this number.",
                    "short",
                    (Query(f"sum by (grpc_method) (cgrag_streams_in_flight{{{NAMESPACE}}})", "{{grpc_method}}"),),
                ),
                PanelSpec(
                    "Calls refused",
                    "Refused because too many ran, or because the server was going away.",
                    "reqps",
                    (Query(rate("cgrag_shed_total", "reason"), "{{reason}}"),),
                ),
                PanelSpec(
                    "Degraded answers",
                    "Answers that lacked a part of the system, by part.",
                    "reqps",
                    (Query(rate("cgrag_degraded_answers_total", "reason"), "{{reason}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Breakers of dependencies",
                    "0 closed, 1 half open, 2 open: answers do without it meanwhile.",
                    "short",
                    (
                        Query(
                            f"max by (instance, dependency) (cgrag_dependency_breaker_state{{{NAMESPACE}}})",
                            "{{instance}} {{dependency}}",
                        ),
                    ),
                ),
                PanelSpec(
                    "Event loop lag",
                    "How late each event loop is. Above 5 s the process counts as dead.",
                    "s",
                    (Query(f"max by (instance) (cgrag_event_loop_lag_seconds{{{NAMESPACE}}})", "{{instance}}"),),
                ),
                PanelSpec(
                    "Ready",
                    "1 for each process that can serve what it is asked, 0 for one that says it cannot.",
                    "short",
                    (Query(f"min by (instance) (cgrag_ready{{{NAMESPACE}}})", "{{instance}}"),),
                ),
                PanelSpec(
                    "CPU",
                    "Cores used by each process.",
                    "short",
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
                    "What runs. More than one version outside of a release wants an explanation.",
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
                    "audit.decision says who and why. None where everybody is believed.",
                    "reqps",
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
                    "Further attempts by why the one before failed.",
                    "reqps",
                    (Query(rate("cgrag_llm_retries_total", "role, outcome"), "{{role}} {{outcome}}"),),
                ),
                PanelSpec(
                    "Breaker",
                    "0 closed, 1 half open, 2 open: the model of that role is left alone.",
                    "short",
                    (
                        Query(
                            f"max by (instance, role) (cgrag_llm_breaker_state{{{NAMESPACE}}})", "{{instance}} {{role}}"
                        ),
                    ),
                ),
                PanelSpec(
                    "Tokens a second",
                    "What models read and wrote; reading from the cache is cheap.",
                    "short",
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
                    "Secrets that were taken out of texts, by class.",
                    "short",
                    (Query(rate("cgrag_secrets_redacted_total", "class"), "{{class}}"),),
                    Shape.STACK,
                ),
            ),
        ),
    ),
)
