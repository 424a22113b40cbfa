"""The dashboard on indexing: jobs, throughput, freshness, what is skipped."""

from __future__ import annotations

from deploy.grafana.panels import NAMESPACE, DashboardSpec, PanelSpec, Query, RowSpec, Shape, quantile, rate

INDEXING = DashboardSpec(
    name="cgrag-indexing",
    title="cgrag / Indexing",
    description="Whether indexes are made, how fast, and what is left out of them.",
    rows=(
        RowSpec(
            "Jobs",
            (
                PanelSpec(
                    "Jobs by how they ended",
                    "Finished indexing jobs over the range shown.",
                    "short",
                    (
                        Query(
                            f"sum by (state) (increase(cgrag_index_build_seconds_count{{{NAMESPACE}}}[$__range]))",
                            "{{state}}",
                        ),
                    ),
                    Shape.NUMBER,
                ),
                PanelSpec(
                    "Duration of jobs",
                    "From taking a job up to its end.",
                    "s",
                    (
                        Query(quantile(0.5, "cgrag_index_build_seconds"), "p50"),
                        Query(quantile(0.95, "cgrag_index_build_seconds"), "p95"),
                    ),
                ),
                PanelSpec(
                    "Freshness, p95",
                    "From asking for an index to its being served.",
                    "s",
                    (Query(quantile(0.95, "cgrag_index_freshness_seconds"), "p95"),),
                ),
            ),
        ),
        RowSpec(
            "Files",
            (
                PanelSpec(
                    "Files a second",
                    "Files parsed anew and taken from the cache of facts.",
                    "short",
                    (Query(rate("cgrag_index_files_total", "result", 'result!~"skipped.*"'), "{{result}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Files skipped by reason",
                    "Files that are not indexed. A sudden rise means that questions about those files go unanswered.",
                    "short",
                    (Query(rate("cgrag_index_files_total", "result", 'result=~"skipped.*"'), "{{result}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Coverage",
                    "Share of the files that jobs met over the range shown which are in the index, parsed or as text. "
                    "What is left out, and why, is beside it.",
                    "percentunit",
                    (
                        Query(
                            f'sum (increase(cgrag_index_files_total{{{NAMESPACE}, result!~"skipped.*"}}[$__range])) / '
                            f"sum (increase(cgrag_index_files_total{{{NAMESPACE}}}[$__range]))",
                            "coverage",
                        ),
                    ),
                    Shape.NUMBER,
                ),
                PanelSpec(
                    "Snapshots that could not be loaded",
                    "By reason; the previous snapshot is served meanwhile.",
                    "short",
                    (Query(rate("cgrag_snapshot_load_failures_total", "reason"), "{{reason}}"),),
                ),
            ),
        ),
        RowSpec(
            "Object storage",
            (
                PanelSpec(
                    "Snapshots on their way",
                    "Repositories whose current snapshot is at the indexer and not in object storage yet; readers have "
                    "the one before. Nothing where there is no object storage.",
                    "short",
                    (Query(f"max (cgrag_snapshots_waiting{{{NAMESPACE}}})", "waiting"),),
                ),
                PanelSpec(
                    "Looks that failed",
                    "Failed polls of object storage for newer snapshots; cached snapshots are served meanwhile.",
                    "short",
                    (
                        Query(
                            f"sum (rate(cgrag_object_store_failures_total{{{NAMESPACE}}}[$__rate_interval]))", "failed"
                        ),
                    ),
                ),
                PanelSpec(
                    "Layers fetched",
                    "Fetched layers by outcome. A damaged one does not match its manifest.",
                    "short",
                    (Query(rate("cgrag_snapshot_layers_fetched_total", "outcome"), "{{outcome}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Bytes fetched and uploaded",
                    "By all retrievers, and by the indexer. Much that is fetched without new snapshots: caches are too "
                    "small, see the evictions.",
                    "Bps",
                    (
                        Query(
                            f"sum (rate(cgrag_snapshot_bytes_fetched_total{{{NAMESPACE}}}[$__rate_interval]))",
                            "fetched",
                        ),
                        Query(
                            f"sum (rate(cgrag_snapshot_bytes_uploaded_total{{{NAMESPACE}}}[$__rate_interval]))",
                            "uploaded",
                        ),
                    ),
                ),
                PanelSpec(
                    "Cache of snapshots",
                    "The fullest one of the retrievers; snapshot_cache_mb bounds it.",
                    "bytes",
                    (Query(f"max (cgrag_snapshot_cache_bytes{{{NAMESPACE}}})", "fullest"),),
                ),
                PanelSpec(
                    "Evictions",
                    "Snapshots evicted from a cache, over the range shown.",
                    "short",
                    (Query(f"sum (increase(cgrag_snapshot_evictions_total{{{NAMESPACE}}}[$__range]))", "evictions"),),
                    Shape.NUMBER,
                ),
            ),
        ),
    ),
)
