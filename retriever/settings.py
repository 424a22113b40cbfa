"""Settings of the retriever: section [retriever] of the settings file, CGRAG_RETRIEVER_* in the environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.core.settings import setting
from common.model.embedding_settings import EmbeddingSettings
from common.model.settings import ModelSettings
from common.objects.settings import ObjectStoreSettings


@dataclass(frozen=True, slots=True)
class RetrieverSettings(EmbeddingSettings, ModelSettings, ObjectStoreSettings):
    """Settings of the retriever. Sizes of context are in tokens."""

    port: int = setting(50053, "Port of the gRPC server; 0 takes any free one.", minimum=0, maximum=65535)
    metrics_port: int = setting(9103, "Port of the Prometheus endpoint; 0 switches it off.", minimum=0, maximum=65535)
    data_dir: Path = setting(
        Path("~/.local/share/cgrag").expanduser(),
        "Folder of snapshots.",
        env="CGRAG_DATA_DIR",
    )
    state_dir: Path | None = setting(
        None,
        "Folder of the decision log, and of tasks without task_store_url: on a disk of the machine, and of one replica"
        " where machines share the data folder; none is `retriever` in the data folder.",
    )
    open_snapshots: int = setting(8, "Snapshots kept open while nobody reads them.", minimum=1, maximum=1000)
    lease_seconds: float = setting(
        600.0, "How long a snapshot that was read is kept from collection.", minimum=30, maximum=86400
    )
    snapshot_cache_mb: int = setting(
        20_480,
        "Size of the snapshots that are kept of object storage in state_dir, in MiB; the largest must fit in twice.",
        minimum=1,
    )
    snapshot_poll_seconds: float = setting(
        2.0, "How often object storage is asked for newer snapshots of what is read.", minimum=0.05, maximum=60
    )
    page_token_key: str = setting(
        "", "Secret, 16 characters or more, that replicas share to read each other's page tokens.", secret=True
    )
    decision_log_url: str = setting(
        "",
        "Postgres database that keeps decisions, so that every replica tells those of all, for example"
        " postgresql://cgrag:password@postgres:5432/cgrag?sslmode=verify-full; none keeps them in state_dir, and each"
        " replica tells its own.",
        secret=True,
    )
    decision_log_days: float = setting(7.0, "Age at which decisions and tasks are forgotten.", minimum=0.01)
    removals_seconds: float = setting(
        30.0, "How soon decisions and tasks of a repository that was removed are forgotten.", minimum=0.1
    )
    decision_log_retrievals: int = setting(
        20_000,
        "Retrievals whose decisions are kept at most, and tasks, unless task_store_url names a server: there the days"
        " bound them, and what memory the server has.",
        minimum=1,
    )
    task_store_url: str = setting(
        "",
        "Valkey or Redis server that keeps tasks, so that every replica can go on with them, and counts what callers"
        " use, for example redis://valkey:6379/0; none keeps them in state_dir, for replicas of one machine.",
        secret=True,
    )
    max_concurrent_calls: int = setting(64, "Calls that run at once; more are refused.", minimum=1)

    max_call_graph_hops: int = setting(
        3, "Hops of a walk over the call graph.", env="CGRAG_MAX_CALL_GRAPH_HOPS", minimum=1, maximum=10
    )
    callees_per_hop: int = setting(8, "Callees of one symbol that a walk follows.", minimum=1, maximum=100)
    source_lines: int = setting(
        100, "Lines of one function that the first evidence shows at most; a gap brings the others.", minimum=1
    )
    docstring_chars: int = setting(
        200,
        "Characters of a docstring that are shown with a definition; a gap for its lines brings the others.",
        minimum=0,
    )
    error_string_chars: int = setting(100, "Characters of an error message that are looked up.", minimum=1)
    targeted_top_k: int = setting(3, "Matches by meaning that are kept for one gap.", minimum=1, maximum=10)

    judge: str = setting(
        "deterministic",
        "What has the last word on the context of a task: the order of each stage, or a model.",
        choices=("deterministic", "model"),
    )
    judge_model: str = setting("claude-haiku-5-5", "Model that judges, where the judge is model.")
    judge_input_usd_per_million: float = setting(
        0.0, "Price of a million input tokens of the judging model.", minimum=0
    )
    judge_output_usd_per_million: float = setting(0.0, "Price of a million output tokens of it.", minimum=0)
    judge_seconds: float = setting(10.0, "A model that takes longer is given up; the order decides.", minimum=0.05)
    judge_attempts: int = setting(2, "Requests to a model for one judgement.", minimum=1, maximum=10)
    judge_tokens: int = setting(4000, "Tokens of task and candidates in one question to the model.", minimum=100)
    judge_remembered: int = setting(1000, "Choices of the model that are remembered.", minimum=1, maximum=1_000_000)
    kill_switch_file: Path | None = setting(None, "While this file exists, no model judges.")

    cross_encoder: bool = setting(
        True, "Read the source that ranks best beside the question, by a small network: some 0.05 s a retrieval."
    )
    cross_encoder_threads: int = setting(2, "How many pieces of source it reads at once.", minimum=1, maximum=64)
    vector_seconds: float = setting(
        1.0,
        "Time of the search by vectors, at most half of what a call has left; what comes later is not waited for.",
        minimum=0.001,
    )

    total_context_budget: int = setting(
        8000, "Tokens of one call of the answering engine in all.", env="CGRAG_TOTAL_CONTEXT_BUDGET", minimum=0
    )
    system_budget: int = setting(700, "Tokens of it kept for system text and question.", minimum=0)
    initial_budget: int = setting(4000, "Tokens of the first evidence.", minimum=0)
    gap_total_budget: int = setting(6000, "Tokens for all gaps of an answer.", minimum=0)
    gap_budget: int = setting(1200, "Tokens for one gap.", minimum=0)
    pass_budget: int = setting(6000, "Tokens for the gaps of any one pass.", minimum=0)
    after_pass_budgets: tuple[int, ...] = setting(
        (4500, 5000, 1000), "Tokens for the fetch after pass 1, 2, 3 and so on; the last value holds for later passes."
    )
    conceptual_code: int = setting(3600, "Share of source for a conceptual question, in tokens.", minimum=0)
    conceptual_docs: int = setting(400, "Share of documents for a conceptual question, in tokens.", minimum=0)
    diagnostic_code: int = setting(3800, "Share of source for a diagnostic question, in tokens.", minimum=0)
    diagnostic_docs: int = setting(200, "Share of documents for a diagnostic question, in tokens.", minimum=0)
    exploratory_code: int = setting(3800, "Share of flow and source for an exploratory question, in tokens.", minimum=0)
    exploratory_docs: int = setting(200, "Share of documents for an exploratory question, in tokens.", minimum=0)
    analytical_code: int = setting(2800, "Share of source for an analytical question, in tokens.", minimum=0)
    analytical_issues: int = setting(
        1000, "Share of metrics, findings and diagram for an analytical question, in tokens.", minimum=0
    )
    analytical_docs: int = setting(200, "Share of documents for an analytical question, in tokens.", minimum=0)
    hybrid_code: int = setting(3600, "Share of source for a question that is not routed by mode, in tokens.", minimum=0)
    hybrid_docs: int = setting(
        400, "Share of documents for a question that is not routed by mode, in tokens.", minimum=0
    )
