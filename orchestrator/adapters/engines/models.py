"""Opens the client of the models for served answers, rollouts and shadows, each under roles of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.model.config import RetryPolicy, RoleModel, Timeouts
from common.model.values import ModelRole
from orchestrator.settings import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from common.model.client import ModelClient
    from common.observability.metrics import Metrics
    from orchestrator.settings import OrchestratorSettings


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles under which models are called, counted and given circuit breakers; shadows are not charged to callers."""

    answer: ModelRole
    judge: ModelRole


SERVED = Roles(ModelRole.ANSWER, ModelRole.JUDGE)
ROLLOUT = Roles(ModelRole.ROLLOUT, ModelRole.ROLLOUT_JUDGE)
SHADOW = Roles(ModelRole.SHADOW, ModelRole.SHADOW_JUDGE)


def open_models(
    settings: OrchestratorSettings, metrics: Metrics, clock: Clock, served: Callable[[float], None]
) -> ModelClient | None:
    """
    Return the client of all roles, which the caller must close; None if no model is configured.

    Args:
        served: Called with the cost in US dollars of each request for a served answer.
    """
    ways = _ways(settings)
    if not any(each.asks_model or each.judge == "model" for each in ways.values()):
        return None
    from common.model.client import open_model_client  # imported late: it is slow, and few services ask a model

    config = settings.model_config(
        {role: model for roles, way in ways.items() for role, model in _models(way, roles)},
        Timeouts(
            first_event_seconds=settings.model_first_event_seconds,
            idle_seconds=settings.model_idle_seconds,
            total_seconds=settings.model_seconds,
        ),
        RetryPolicy(max_attempts=settings.model_attempts),
    )

    def spent(role: ModelRole, usd: float) -> None:
        # The caller did not request the shadow: the operator pays for it.
        if role not in (SHADOW.answer, SHADOW.judge):
            served(usd)

    return open_model_client(config, metrics, clock, spent=spent)


def answering_models(settings: OrchestratorSettings) -> dict[str, RoleModel | None]:
    """Return the model that writes served answers, for each variant; None if they are written from evidence."""
    served = {STANDARD: settings} | ({settings.rollout: settings.variant(settings.rollout)} if settings.rollout else {})
    return {name: _answering(each) if each.asks_model else None for name, each in served.items()}


def _ways(settings: OrchestratorSettings) -> dict[Roles, OrchestratorSettings]:
    found = {SERVED: settings}
    if settings.rollout:
        found[ROLLOUT] = settings.variant(settings.rollout)
    if settings.shadow_percent:
        found[SHADOW] = settings.variant(settings.shadow)
    return found


def _answering(settings: OrchestratorSettings) -> RoleModel:
    return RoleModel(
        settings.answer_model,
        settings.answer_max_tokens,
        settings.input_usd_per_million,
        settings.output_usd_per_million,
    )


def _models(settings: OrchestratorSettings, roles: Roles) -> tuple[tuple[ModelRole, RoleModel], ...]:
    judging = RoleModel(
        settings.judge_model,
        input_usd_per_million=settings.judge_input_usd_per_million,
        output_usd_per_million=settings.judge_output_usd_per_million,
    )
    return (roles.answer, _answering(settings)), (roles.judge, judging)
