"""Settings of every gRPC server; each service's settings extend it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (settings resolve their annotations when they are loaded)

from common.core.settings import HOST, setting

_ENDPOINT = r"(https?://[^\s/]+)?"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """
    Settings that all services share; a service extends this class and overrides the ports.

    With `tls_client_ca_file`, callers must show a certificate.
    """

    host: str = setting("127.0.0.1", "Address to listen on; 0.0.0.0 or [::] for all.", pattern=HOST)
    port: int = setting(0, "Port of the gRPC server; 0 takes any free one.", minimum=0, maximum=65535)
    health_port: int = setting(
        0, "Port of the health server; 0 takes port + 1000, or any free one if port is 0.", minimum=0, maximum=65535
    )
    metrics_port: int = setting(0, "Port of the Prometheus endpoint; 0 switches it off.", minimum=0, maximum=65535)
    log_level: str = setting("info", "Least level that is logged.", choices=("debug", "info", "warning", "error"))
    log_muted: tuple[str, ...] = setting(
        (),
        "Topics not logged below warning, such as classification, query, gaps, budget: the event's name up to its dot.",
    )
    otlp_endpoint: str = setting(
        "", "Where spans go by OTLP over gRPC, for example http://collector:4317; none for nowhere.", pattern=_ENDPOINT
    )
    grace_seconds: float = setting(20.0, "Time that running calls have to finish after SIGTERM.", minimum=0)
    drain_delay_seconds: float = setting(
        0.0, "Pause between NOT_SERVING and refusing new calls, for load balancers to notice.", minimum=0
    )
    default_deadline_seconds: float = setting(60.0, "Deadline of unary calls that come without one.", minimum=0.001)
    default_stream_deadline_seconds: float = setting(
        3600.0, "Deadline of streams that come without one.", minimum=0.001
    )
    max_concurrent_calls: int = setting(
        1000, "Calls that run at once, streams and others counted apart; more are refused.", minimum=1
    )
    max_message_bytes: int = setting(
        4 * 1024 * 1024, "Largest message that is accepted.", minimum=1024, maximum=256 * 1024 * 1024
    )
    max_connections: int = setting(
        4096, "Connections at once; never more than a third of the files that the process may open.", minimum=1
    )
    handshake_seconds: float = setting(
        20.0, "Time that a new connection has to say what it is; then it is closed.", minimum=0.001
    )
    max_connection_idle_seconds: float = setting(
        3600.0, "Time without a call after which a connection is closed; 0 never.", minimum=0
    )
    max_connection_age_seconds: float = setting(
        0.0, "Age at which connections are renewed, so that new replicas get load; 0 never.", minimum=0
    )
    reflection: bool = setting(True, "Serve gRPC reflection, unless there is an access file; switch off in production.")
    tls_certificate_file: Path | None = setting(None, "Certificate chain (PEM); none serves in the clear.")
    tls_key_file: Path | None = setting(None, "Private key of the certificate (PEM).")
    tls_client_ca_file: Path | None = setting(
        None, "Authority (PEM) whose certificates callers must show; none asks for none."
    )
    access_file: Path | None = setting(
        None, "Callers, and what each may do (TOML, docs/access.md); none believes everybody and allows everything."
    )
    redact_answers: str = setting(
        "auto",
        "Take secrets out of what callers get: auto does where they may be others than this machine's user, with an"
        " access file or on an address other than loopback.",
        choices=("auto", "always", "never"),
    )
    audit_reads: bool = setting(
        False, "Write allowed calls that change nothing into the trail, too; it takes an access file."
    )
    identity_key_file: Path | None = setting(
        None,
        "Key that the services share, for the proofs by which they tell each other who calls; two while it changes.",
    )
