"""Settings of the indexer: section [indexer] of the settings file, CGRAG_INDEXER_* in the environment."""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common.core.settings import setting
from common.model.embedding_settings import EmbeddingSettings
from common.model.settings import ModelSettings
from common.objects.settings import ObjectStoreSettings
from indexer.domain.model import FactKind

_MIB = 1 << 20
ANALYZERS = ("ruff", "complexity", "lizard")


@dataclass(frozen=True, slots=True)
class IndexerSettings(EmbeddingSettings, ModelSettings, ObjectStoreSettings):
    """Settings of the indexer. Those that change the contents of a snapshot are part of its source identity."""

    port: int = setting(50051, "Port of the gRPC server; 0 takes any free one.", minimum=0, maximum=65535)
    metrics_port: int = setting(9101, "Port of the Prometheus endpoint; 0 switches it off.", minimum=0, maximum=65535)
    data_dir: Path = setting(
        Path("~/.local/share/cgrag"), "Folder of snapshots, caches and jobs.", env="CGRAG_DATA_DIR"
    )
    owner_wait_seconds: float = setting(
        0.0,
        "So long a starting indexer waits for another one to let go of the data folder, then it gives up; in a cluster "
        "the time that its predecessor has to end.",
        minimum=0,
    )
    allowed_roots: tuple[str, ...] = setting(
        (),
        "Folders below which local paths may be indexed; none means the home folder, the folder that the indexer was "
        "started in, and the folder for temporary files.",
    )
    exclude: tuple[str, ...] = setting((), "Globs of paths to leave out, in the form of .gitignore lines.")
    max_file_bytes: int = setting(1_000_000, "Larger files are skipped.", minimum=1)
    secret_files: bool = setting(
        False, "Index .env files and private keys, too, which are left out and counted as secret otherwise."
    )
    settled_seconds: float = setting(
        2.0,
        "A file that did not change for so long is known again by its size and times, without being read; more where "
        "files come from a machine whose clock differs, inf to read all files every time.",
        minimum=0,
        maximum=math.inf,
    )
    provisional_files: int = setting(
        20,
        "An edit of at most so many files is shown before everything is linked again; 0 lets every edit wait for that.",
        minimum=0,
    )
    provisional_seconds: float = setting(
        60.0,
        "So long edits that follow each other put the exact snapshot off; then the next one waits for it.",
        minimum=0,
    )
    extract_raises: bool = setting(True, "Read which exceptions a symbol raises.")
    extract_mutates: bool = setting(True, "Read which state a symbol changes.", env="CGRAG_EXTRACT_MUTATES")
    extract_error_strings: bool = setting(True, "Read the messages that a symbol raises, logs or asserts.")
    max_jobs: int = setting(1, "Jobs that run at once, each in a process of its own.", minimum=1, maximum=64)
    job_seconds: float = setting(
        7200.0, "A job that takes longer fails; what it has published stays. 0 for no limit.", minimum=0
    )
    parse_processes: int = setting(2, "Parsing processes for each job.", minimum=1, maximum=64)
    parse_file_seconds: float = setting(20.0, "A file that takes more processor time is indexed as text.", minimum=0.1)
    parse_memory_mb: int = setting(2048, "Memory of one parsing process, in MiB.", minimum=256)
    facts_cache_mb: int = setting(4096, "Size of the cache of facts, in MiB.", minimum=16)
    history_commits: int = setting(5000, "Commits over which changes are counted; 0 for none.", minimum=0)
    vectors_max_points: int = setting(20_000, "Greatest number of vectors of a snapshot.", minimum=1)
    vectors_max_seconds: float = setting(
        600.0, "Time for texts that were not embedded before; what is left gets no vector this time.", minimum=0
    )
    embedding_cache_rows: int = setting(1_000_000, "Vectors that are kept for texts seen before.", minimum=1000)
    analyzers: tuple[str, ...] = setting(
        ANALYZERS,
        "What looks for findings after core serves; empty for none: then only imported findings are listed.",
        choices=ANALYZERS,
    )
    analyzer_seconds: float = setting(120.0, "An analyzer that takes longer has no findings.", minimum=1)
    ruff_rules: tuple[str, ...] = setting(
        ("ASYNC", "B", "C4", "E9", "F", "PERF", "PLE", "S", "SIM"),
        "Rules of ruff that are checked, or beginnings of their codes.",
    )
    enrichment: bool = setting(
        False, "Let a model say what files are for, after core serves; it is shown their pages, secrets taken out."
    )
    enrichment_model: str = setting("claude-haiku-4-5", "Small model that describes files.")
    enrichment_max_files: int = setting(500, "Files that are described, those first that are used most.", minimum=1)
    enrichment_max_tokens: int = setting(500_000, "Tokens of one job for that, questions and answers.", minimum=1)
    enrichment_seconds: float = setting(600.0, "Time of one job for that; what is left waits for the next.", minimum=1)
    max_complexity: int = setting(15, "Functions of greater cyclomatic complexity are findings.", minimum=1)
    max_function_lines: int = setting(100, "Functions of more lines are findings.", minimum=1)
    precise_max_mb: int = setting(512, "Greatest SCIP index that is imported, in MiB.", minimum=1)
    precise_memory_mb: int = setting(
        4096, "Memory of the process that imports a SCIP index or a large report, in MiB.", minimum=256
    )
    precise_seconds: float = setting(600.0, "An import of a SCIP index that takes longer fails.", minimum=1)
    qdrant_prefix: str = setting(
        "cgrag",
        "Collections in a Qdrant server are named <prefix>_<model>; suites that share a server need one each. Letters,"
        " digits, dots and dashes; no underscore, which would let one prefix begin another's names.",
        pattern="[A-Za-z0-9.-]+",
    )
    qdrant_quantization: str = setting(
        "scalar", "Of collections made in a Qdrant server.", choices=("none", "scalar", "binary")
    )
    qdrant_shards: int = setting(
        1, "Shards of collections made in a Qdrant server, spread over its nodes.", minimum=1, maximum=1000
    )
    qdrant_replicas: int = setting(
        1, "Nodes that keep each shard of collections made in a Qdrant server.", minimum=1, maximum=100
    )
    git_allowed_hosts: tuple[str, ...] = setting(
        (), "Hosts that may be fetched from though their addresses are private or local."
    )
    git_allow_file: bool = setting(False, "Allow file:// URLs below the allowed roots.")
    git_ca_file: str = setting("", "Certificates to trust for https, beside none; empty means the system's.")
    git_fetch_seconds: float = setting(900.0, "A fetch that takes longer fails.", minimum=1)
    failpoint: str = setting("", "Step at which the process ends at once; for tests only.", env="FAILPOINT")

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the folders below which local paths may be indexed; by default never the whole machine."""
        if self.allowed_roots:
            return tuple(Path(root).expanduser() for root in self.allowed_roots)
        home = os.path.expanduser("~")  # noqa: PTH111 (users of containers may have no home: Path.home() would raise)
        named = (Path(home), Path.cwd(), Path(tempfile.gettempdir()))
        return tuple(root for root in named if root.is_absolute() and root != Path("/"))

    @property
    def own_dir(self) -> Path:
        """Return the folder of the indexer's own files."""
        return self.data_dir / "indexer"

    @property
    def scratch_dir(self) -> Path:
        """Return the folder for layers that are being made, and for indexes that come in."""
        return self.own_dir / "scratch"

    @property
    def findings_file(self) -> Path:
        """Return where imported findings are kept."""
        return self.own_dir / "findings.db"

    @property
    def precise_file(self) -> Path:
        """Return where imported edges are kept."""
        return self.own_dir / "precise.db"

    @property
    def parse_memory_bytes(self) -> int:
        """Return the memory limit of one parsing process in bytes."""
        return self.parse_memory_mb * _MIB

    @property
    def left_out(self) -> frozenset[FactKind]:
        """Return the kinds of facts that are switched off."""
        switches = {
            FactKind.RAISES: self.extract_raises,
            FactKind.MUTATES: self.extract_mutates,
            FactKind.ERROR_STRING: self.extract_error_strings,
            FactKind.ASSERTION: self.extract_error_strings,
        }
        return frozenset(kind for kind, on in switches.items() if not on)

    @property
    def identity(self) -> dict[str, str]:
        """Return the settings that change what a snapshot holds, by name."""
        names = (
            "max_file_bytes",
            "extract_raises",
            "extract_mutates",
            "extract_error_strings",
            "history_commits",
        )
        secret_files = {"secret_files": "True"} if self.secret_files else {}
        return {name: str(getattr(self, name)) for name in names} | {"exclude": "\n".join(self.exclude)} | secret_files
