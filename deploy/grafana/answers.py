"""The dashboard on answers: passes, gaps, context, quality."""

from __future__ import annotations

from deploy.grafana.panels import NAMESPACE, DashboardSpec, PanelSpec, Query, RowSpec, Shape, quantile, rate

_OUTCOME = 'outcome="completed"'
_COMPLETED = f"{NAMESPACE}, {_OUTCOME}"

_HIGH = 'confidence="high"'
_GROUP = "variant, engine, model"
_GROUP_NAME = "{{variant}} {{engine}} {{model}}"


def _of_group(metric: str, labels: str = "") -> str:
    """Return the expression for what a counter grew by over the range shown, for each group of answers."""
    selector = ", ".join(part for part in (NAMESPACE, labels) if part)
    return f"sum by ({_GROUP}) (increase({metric}{{{selector}}}[$__range]))"


_RATED = " + ".join(
    f"{rating} * {_of_group('cgrag_answer_rating_total', labels)}"
    for rating, labels in ((each, f'rating="{each}"') for each in range(1, 6))
)

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
                    "Calls of the answering engine for each answer over the range shown; the last bar is 4 and more. "
                    "Long bars to the right mean that the first retrieval misses much.",
                    "short",
                    (Query(f"sum by (le) (increase(cgrag_answer_passes_bucket{{{_COMPLETED}}}[$__range]))", "{{le}}"),),
                    Shape.HISTOGRAM,
                ),
                PanelSpec(
                    "Answers by number of passes, over time",
                    "The same as time goes by; the topmost row is 4 and more.",
                    "short",
                    (
                        Query(
                            f"sum by (le) (increase(cgrag_answer_passes_bucket{{{_COMPLETED}}}[$__rate_interval]))",
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
                            f"{rate('cgrag_answer_passes_sum', 'mode', _OUTCOME)} / "
                            f"{rate('cgrag_answer_passes_count', 'mode', _OUTCOME)}",
                            "{{mode}}",
                        ),
                    ),
                ),
                PanelSpec(
                    "Why answers stop",
                    "Stop reasons of the loop. Many budget or time stops mean that the limits are too tight.",
                    "suffix: answers/s",
                    (Query(rate("cgrag_answer_passes_count", "stop_reason", _OUTCOME), "{{stop_reason}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "What became of gaps",
                    "Outcomes of what the engine asked for. The target is more than 70 % resolved.",
                    "suffix: gaps/s",
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
                            f"{rate('cgrag_answer_passes_count', labels=_OUTCOME)}",
                            "{{source}}",
                        ),
                    ),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Model's verdict replaced by rules",
                    "Questions that the rules classified because the configured model did not answer in time.",
                    "suffix: questions/s",
                    (Query(rate("cgrag_classification_fallbacks_total"), "fallbacks"),),
                ),
                PanelSpec(
                    "Classifications by mode",
                    "Modes of incoming questions, by the engine that classified them.",
                    "suffix: questions/s",
                    (Query(rate("cgrag_classifications_total", "mode, engine"), "{{mode}} ({{engine}})"),),
                    Shape.STACK,
                ),
            ),
        ),
        RowSpec(
            "Quality",
            (
                PanelSpec(
                    "Confidence",
                    "How far the evidence carries answers. A shift to low means that questions are asked about what is "
                    "not in the index, or that the model claims what is not there.",
                    "suffix: answers/s",
                    (Query(rate("cgrag_answer_confidence_total", "confidence"), "{{confidence}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Claims by verdict",
                    "Verdicts on the claims of answers. Contradicted claims lower an answer's confidence.",
                    "suffix: claims/s",
                    (Query(rate("cgrag_claims_total", "verdict"), "{{verdict}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Citations",
                    "Citations that were checked against the evidence, and labels that were dropped as invented.",
                    "suffix: citations/s",
                    (Query(rate("cgrag_citations_total", "verdict"), "{{verdict}}"),),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Ratings",
                    "Ratings by users, 1 to 5. The target for the mean is 4.",
                    "short",
                    (
                        Query(
                            f"sum by (rating) (increase(cgrag_answer_rating_total{{{NAMESPACE}}}[$__range]))",
                            "{{rating}}",
                        ),
                    ),
                    Shape.STACK,
                ),
                PanelSpec(
                    "Agreement with shadows",
                    "Answers made a second time by the configuration that is tried, by how far both rest on the same "
                    "files and symbols and are equally sure. Many different or failed ones mean: look before rolling "
                    "out. Zero while no shadows are made.",
                    "short",
                    (
                        Query(
                            "sum by (agreement) "
                            f"(increase(cgrag_answers_shadow_total{{{NAMESPACE}}}[$__rate_interval]))",
                            "{{agreement}}",
                        ),
                    ),
                    Shape.STACK,
                ),
            ),
        ),
        RowSpec(
            "Groups: by variant, engine and model",
            (
                PanelSpec(
                    "Mean rating",
                    "Of first ratings over the range shown. Compare the variant that is rolled out to a share of "
                    "the sessions with the standard configuration, which the others get.",
                    "short",
                    (Query(f"({_RATED}) / {_of_group('cgrag_answer_rating_total')}", _GROUP_NAME),),
                ),
                PanelSpec(
                    "Share of high confidence",
                    "Share of answers with high confidence over the range shown.",
                    "percentunit",
                    (
                        Query(
                            f"{_of_group('cgrag_answer_confidence_total', _HIGH)} / "
                            f"{_of_group('cgrag_answer_confidence_total')}",
                            _GROUP_NAME,
                        ),
                    ),
                ),
                PanelSpec(
                    "Passes of an answer",
                    "Mean calls of the answering engine over the range shown.",
                    "short",
                    (
                        Query(
                            f"{_of_group('cgrag_answer_passes_sum', _OUTCOME)} / "
                            f"{_of_group('cgrag_answer_passes_count', _OUTCOME)}",
                            _GROUP_NAME,
                        ),
                    ),
                ),
                PanelSpec(
                    "Duration, p95",
                    "From request to the whole answer.",
                    "s",
                    (Query(quantile(0.95, "cgrag_answer_duration_seconds", _GROUP), _GROUP_NAME),),
                ),
                PanelSpec(
                    "Tokens of an answer",
                    "Input and output tokens of the model, mean over the range shown.",
                    "short",
                    (
                        Query(
                            f"{_of_group('cgrag_answer_tokens_total')} / "
                            f"{_of_group('cgrag_answer_passes_count', _OUTCOME)}",
                            _GROUP_NAME,
                        ),
                    ),
                ),
                PanelSpec(
                    "Cost of an answer",
                    "In US dollars, by the prices of the settings, mean over the range shown.",
                    "currencyUSD",
                    (
                        Query(
                            f"{_of_group('cgrag_answer_cost_usd_total')} / "
                            f"{_of_group('cgrag_answer_passes_count', _OUTCOME)}",
                            _GROUP_NAME,
                        ),
                    ),
                ),
            ),
        ),
        RowSpec(
            "Sessions",
            (
                PanelSpec(
                    "Sessions and running answers",
                    "Sessions that are not expired, which replicas share, and answers being made now.",
                    "short",
                    (
                        Query(f"sum (max by (namespace) (cgrag_sessions{{{NAMESPACE}}}))", "sessions"),
                        Query(f"sum (cgrag_answers_in_flight{{{NAMESPACE}}})", "running answers"),
                    ),
                ),
                PanelSpec(
                    "Evidence dropped from sessions",
                    "Evidence evicted from full sessions. A high rate means that follow-up questions fetch it again.",
                    "short",
                    (Query(rate("cgrag_session_evictions_total", "reason"), "{{reason}}"),),
                ),
            ),
        ),
    ),
)
