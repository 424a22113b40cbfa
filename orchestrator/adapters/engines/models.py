"""The way to models: for answers that are served, and for their shadows under roles of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.model.config import ModelConfig, RetryPolicy, RoleModel, Timeouts
from common.model.values import ModelRole

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from common.model.client import ModelClient
    from common.observability.metrics import Metrics
    from orchestrator.settings import OrchestratorSettings


@dataclass(frozen=True, slots=True)
class Roles:
    """Under which names models are asked, counted, and left alone when they fail."""

    answer: ModelRole
    judge: ModelRole


SERVED = Roles(ModelRole.ANSWER, ModelRole.JUDGE)
SHADOW = Roles(ModelRole.SHADOW, ModelRole.SHADOW_JUDGE)


def open_models(
    settings: OrchestratorSettings, metrics: Metrics, clock: Clock, served: Callable[[float], None]
) -> ModelClient | None:
    """
    Return the client of all roles, None where no model is asked. Close it.

    Args:
        served: Told in US dollars what each request has cost that was for an answer that is served.
    """
    of_shadows = settings.of_shadows() if settings.shadow_percent else None
    asks_beside = of_shadows is not None and of_shadows.asks_model
    if not (settings.asks_model or settings.judge == "model" or asks_beside):
        return None
    from common.model.client import open_model_client  # takes most of a service's start, and few ask a model

    config = ModelConfig(
        roles=_models(settings, SERVED) | (_models(of_shadows, SHADOW) if of_shadows is not None else {}),
        base_url=settings.model_url,
        api_key=settings.api_key,
        timeouts=Timeouts(
            first_event_seconds=settings.model_first_event_seconds,
            idle_seconds=settings.model_idle_seconds,
            total_seconds=settings.model_seconds,
        ),
        retry=RetryPolicy(max_attempts=settings.model_attempts),
    )

    def spent(role: ModelRole, usd: float) -> None:
        # Who asked has not asked for the shadow: it is on the operator.
        if role in (SERVED.answer, SERVED.judge):
            served(usd)

    return open_model_client(config, metrics, clock, spent=spent)


def answering_models(settings: OrchestratorSettings) -> tuple[RoleModel, ...]:
    """Return the models that write answers which are served."""
    return (_answering(settings),) if settings.asks_model else ()


def _answering(settings: OrchestratorSettings) -> RoleModel:
    return RoleModel(
        settings.answer_model,
        settings.answer_max_tokens,
        settings.input_usd_per_million,
        settings.output_usd_per_million,
    )


def _models(settings: OrchestratorSettings, roles: Roles) -> dict[ModelRole, RoleModel]:
    judging = RoleModel(
        settings.judge_model,
        input_usd_per_million=settings.judge_input_usd_per_million,
        output_usd_per_million=settings.judge_output_usd_per_million,
    )
    return {roles.answer: _answering(settings), roles.judge: judging}
