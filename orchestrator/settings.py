"""Settings of the orchestrator: section [orchestrator] of the file, CGRAG_ORCHESTRATOR_* in the environment."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

from common.core.settings import TARGET, SettingsError, collect, load, setting
from common.core.tables import Tables
from common.model.settings import ModelSettings
from common.rpc.settings import ServerSettings
from orchestrator.domain.answers.confidence import ConfidenceThresholds
from orchestrator.domain.questions.question import Budget, Switches

STANDARD = "standard"
"""Label in metrics of answers that no variant made."""
PARTS = tuple(each.name.removeprefix("without_") for each in fields(Switches))


@dataclass(frozen=True)
class Variant:
    """Settings of the making of answers that a variant may override for a share of the sessions."""

    engine: str = setting(
        "auto",
        "What answers: evidence needs no account, model asks a model, auto asks one where there is a key. anthropic is"
        " an older name of model, until the next release.",
        choices=("auto", "evidence", "model", "anthropic"),
    )
    judge: str = setting("rules", "What judges in the sufficiency strategy.", choices=("rules", "model"))
    answer_model: str = setting("claude-sonnet-5-5", "Model that answers.")
    judge_model: str = setting("claude-haiku-5-5", "Model that judges.")
    judge_input_usd_per_million: float = setting(
        0.0, "Price of a million input tokens of the judging model.", minimum=0
    )
    judge_output_usd_per_million: float = setting(0.0, "Price of a million output tokens of it.", minimum=0)
    input_usd_per_million: float = setting(0.0, "Price of a million input tokens of the answering model.", minimum=0)
    output_usd_per_million: float = setting(0.0, "Price of a million output tokens of it.", minimum=0)
    model_gaps: str = setting(
        "text",
        "How a model asks for what it misses: in its text, or by calling a tool; an endpoint without tools gets text.",
        choices=("text", "tools"),
    )
    prompts_dir: Path | None = setting(
        None, "Folder of prompts that are taken instead of the built-in ones of the same file names."
    )
    answer_max_tokens: int = setting(2000, "Longest text of one pass.", minimum=1, maximum=64_000)

    max_passes: int = setting(3, "Passes of one answer at most.", env="CGRAG_MAX_PASSES", minimum=1, maximum=10)
    strategy: str = setting("gaps", "How the loop goes about an answer.", choices=("gaps", "sufficiency"))
    max_retrievals: int = setting(4, "Retrievals of the sufficiency strategy at most.", minimum=1, maximum=10)
    stop_without_new_evidence: bool = setting(True, "Stop after a fetch that brought nothing new.")
    max_gaps_per_pass: int = setting(3, "Gaps that the evidence-only engine names in one pass.", minimum=0, maximum=20)
    max_model_gaps_per_pass: int = setting(20, "Gaps of a model that are taken up in one pass.", minimum=0, maximum=20)
    without: tuple[str, ...] = setting(
        (), "Parts of the retrieval that are turned off, beside those that a request turns off.", choices=PARTS
    )

    total_tokens: int = setting(
        8000,
        "Tokens of one call in all; parts that are not set scale with it.",
        env="CGRAG_TOTAL_CONTEXT_BUDGET",
        minimum=800,
        maximum=1_000_000,
    )
    system_tokens: int = setting(700, "Tokens of it kept for system text and question.", minimum=0, maximum=100_000)
    initial_tokens: int = setting(2800, "Tokens of the first evidence.", minimum=1, maximum=1_000_000)
    gap_total_tokens: int = setting(6000, "Tokens for all gaps of an answer.", minimum=0, maximum=1_000_000)
    gap_tokens: int = setting(1200, "Tokens for one gap.", minimum=1, maximum=1_000_000)
    pass_tokens: int = setting(6000, "Tokens for the gaps of any one pass.", minimum=1, maximum=1_000_000)
    after_pass_tokens: tuple[int, ...] = setting(
        (4500, 5000, 1000),
        "Tokens for the fetch after pass 1, 2, 3 and on.",
        minimum=0,
        maximum=1_000_000,
        is_filled=True,
    )
    asking_share: float = setting(
        0.65,
        "Part of the initial tokens that a model is shown before it asks, with names of further definitions.",
        minimum=0,
        maximum=1,
    )
    recalled_share: float = setting(
        0.75, "Part of the initial tokens that a session's evidence may take.", minimum=0, maximum=1
    )


@dataclass(frozen=True, slots=True)
class OrchestratorSettings(ServerSettings, ModelSettings, Variant):
    """Settings of the orchestrator."""

    port: int = setting(50054, "Port of the gRPC server; 0 takes any free one.", minimum=0, maximum=65535)
    metrics_port: int = setting(9104, "Port of the Prometheus endpoint; 0 switches it off.", minimum=0, maximum=65535)
    data_dir: Path = setting(
        Path("~/.local/share/cgrag").expanduser(), "Folder of sessions and answers.", env="CGRAG_DATA_DIR"
    )
    retriever: tuple[str, ...] = setting(
        ("127.0.0.1:50053",), "Where retrievers listen, host:port.", is_filled=True, pattern=TARGET
    )
    classifier: str = setting("127.0.0.1:50052", "Where the classifier listens, host:port.", pattern=TARGET)
    indexer: str = setting(
        "",
        "Where the indexer listens, host:port, to be asked which cited files changed since they were indexed; none asks"
        " nobody.",
        pattern=f"({TARGET})?",
    )
    retriever_calls: int = setting(
        16,
        "Calls that run at once at each retriever; more wait, for answer_seconds at most, small answers before large"
        " ones. Keep it below its max_concurrent_calls.",
        minimum=1,
    )
    retrieval_seconds: float = setting(20.0, "Longest that one retrieval may take.", minimum=0.05)
    classification_seconds: float = setting(5.0, "Longest that a classification may take.", minimum=0.05)
    peer_ca_file: Path | None = setting(None, "Authority (PEM) of retriever and classifier; none talks in the clear.")
    peer_certificate_file: Path | None = setting(None, "Certificate chain (PEM) that is shown to them if they ask.")
    peer_key_file: Path | None = setting(None, "Private key of that certificate (PEM).")

    kill_switch_file: Path | None = setting(
        None, "While this file exists, no model writes answers or judges, and none gets a shadow."
    )
    variants: Tables = setting(
        Tables(),
        "Other ways to make answers by their names, each a table of what it has otherwise: any of the settings that"
        " docs/deploying.md lists.",
    )
    rollout: str = setting("", "Name of the variant that makes the answers of some sessions; empty for none.")
    rollout_percent: float = setting(
        0.0, "Share of these sessions; each stays with its variant.", minimum=0, maximum=100
    )
    shadow: str = setting("", "Name of the variant that makes answers a second time; empty for the same way again.")
    shadow_percent: float = setting(
        0.0,
        "Share of sessions whose answers are made a second time, to be compared, not served.",
        minimum=0,
        maximum=100,
    )
    shadow_at_once: int = setting(1, "Answers that are made a second time at once; more get no shadow.", minimum=1)
    shadow_per_day: int = setting(
        1000,
        "Answers that are made a second time in a day of UTC, by each orchestrator: bounds what that costs.",
        minimum=0,
    )
    shadow_busy_answers: int = setting(
        20,
        "Served answers in the making beyond which none is made a second time, and what runs of that is dropped.",
        minimum=1,
    )
    model_first_event_seconds: float = setting(20.0, "Silence at the start before a model is given up.", minimum=0.05)
    model_idle_seconds: float = setting(15.0, "Silence within an answer before a model is given up.", minimum=0.05)
    model_seconds: float = setting(
        180.0, "Time for one request to a model, attempts included; a slow local model may need more.", minimum=0.05
    )
    model_attempts: int = setting(2, "Requests to a model before it is given up.", minimum=1, maximum=10)
    answer_seconds: float = setting(120.0, "Time after which no further pass begins.", minimum=0.1)

    high_citations: int = setting(2, "Cited places that a model's answer needs for high confidence.", minimum=1)
    high_coverage: float = setting(
        0.6, "Share of the question's words that the first place of an answer must have for it.", minimum=0, maximum=1
    )
    medium_coverage: float = setting(
        0.3, "The same for medium confidence, of an answer that says what to read.", minimum=0, maximum=1
    )
    citation_url: str = setting(
        "",
        "Link of a citation: {path}, {start_line}, {end_line}, {commit}; empty for none.",
        pattern=r"(?:[^{}]|\{(?:path|start_line|end_line|commit)\})*",
    )
    stream_evidence_text: bool = setting(False, "Send the text of evidence to callers, not only its place.")

    session_minutes: float = setting(30.0, "Time without use after which a session expires.", minimum=0.01)
    session_store_url: str = setting(
        "",
        "Valkey or Redis server that keeps sessions, so that every replica can go on with them, and counts what callers"
        " use, for example redis://valkey:6379/0; none keeps them in data_dir, for one replica.",
        secret=True,
    )
    session_nodes: int = setting(50, "Pieces of evidence that a session keeps.", minimum=0, maximum=10_000)
    answer_store_url: str = setting(
        "",
        "Postgres database that keeps answers, so that every replica can go on with them, for example"
        " postgresql://cgrag:password@postgres:5432/cgrag?sslmode=verify-full; none keeps them in data_dir, for one"
        " replica.",
        secret=True,
    )
    page_token_key: str = setting(
        "", "Secret, 16 characters or more, that replicas share to read each other's page tokens.", secret=True
    )
    answer_hold_seconds: float = setting(
        5.0,
        "With answer_store_url: silence of a replica after which another makes the answers that it was making.",
        minimum=0.5,
        maximum=300,
    )
    answer_retention_days: float = setting(30.0, "Age at which answers are forgotten.", minimum=0)
    removals_seconds: float = setting(
        30.0, "How soon answers and sessions of a repository that was removed are forgotten.", minimum=0.1
    )
    answer_log_mib: int = setting(1024, "Size of the answer log from which the oldest go, in MiB.", minimum=1)
    max_streams: int = setting(1000, "Answers that are streamed at once; more are refused.", minimum=1)
    linger_seconds: float = setting(
        0.0, "How long an answer goes on after its last reader left, before it is suspended.", minimum=0
    )
    heartbeat_seconds: float = setting(15.0, "Silence on a stream before a heartbeat.", minimum=0.01)

    def __post_init__(self) -> None:
        """Check the settings that depend on each other."""
        if self.system_tokens >= self.total_tokens:
            text = f"{self.system_tokens} leave nothing for evidence of the {self.total_tokens} total_tokens"
            raise SettingsError([f"[orchestrator] system_tokens: {text}"])
        problems = [
            f"[orchestrator] {use}: no variant is called {name}; [orchestrator.variants.{name}] describes it"
            for use, name in (("rollout", self.rollout), ("shadow", self.shadow))
            if name and name not in self.variants
        ]
        taken = {STANDARD, "other"}.intersection(self.variants)
        problems += [f"[orchestrator] variants: {name} means something else in metrics; rename it" for name in taken]
        if problems:
            raise SettingsError(problems)
        collect([partial(self.variant, name) for name in self.variants])

    @property
    def has_prices(self) -> bool:
        """Return whether a model that writes or judges for callers costs anything."""
        return any(
            each.input_usd_per_million
            or each.output_usd_per_million
            or each.judge_input_usd_per_million
            or each.judge_output_usd_per_million
            for each in (self, self.variant(self.rollout))
        )

    @property
    def asks_model(self) -> bool:
        """Return whether answers are written by a model."""
        return self.engine in ("model", "anthropic") or (self.engine == "auto" and bool(self.model_key))

    def budget(self) -> Budget:
        """Return the default token budget of an answer."""
        return Budget(**{each.name: getattr(self, each.name) for each in fields(Budget)})

    def switches(self) -> Switches:
        """Return which parts of the retrieval are off."""
        return Switches(*(part in self.without for part in PARTS))

    def thresholds(self) -> ConfidenceThresholds:
        """Return the thresholds that decide the confidence of an answer."""
        return ConfidenceThresholds(self.high_citations, self.high_coverage, self.medium_coverage)

    def variant(self, name: str) -> OrchestratorSettings:
        """
        Return the settings with the overrides of a variant; "" returns the settings as they are.

        If the variant sets a model, prices of that model that it does not set are 0. Raises SettingsError.
        """
        if not name:
            return self
        given = dict(self.variants[name])
        for model, prefix in (("answer_model", ""), ("judge_model", "judge_")):
            if model in given:
                given = {f"{prefix}{each}_usd_per_million": 0.0 for each in ("input", "output")} | given
        section = f"orchestrator.variants.{name}"
        read = load(Variant, section, environ={}, file={section: given})
        values = {each: getattr(read, each) for each in given}
        return replace(self, variants=Tables(), rollout="", shadow="", **values)
