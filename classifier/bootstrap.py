"""Composition root of the classifier. The only module that names adapters."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from classifier.adapters.cache import CachedEngine
from classifier.adapters.metrics import ClassifierMetrics
from classifier.adapters.model import ModelEngine
from classifier.adapters.reading import RulesEngine, read_models
from classifier.domain.reading.understand import Reader
from classifier.domain.values import Engine
from classifier.rpc.rules import RULES
from classifier.rpc.servicer import ClassifierServicer, registration
from classifier.usecases.classify import Classify
from common.core.clock import SystemClock
from common.model.call_cost import add_cost
from common.model.config import RetryPolicy, RoleModel, Timeouts
from common.model.values import ModelRole
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access
from common.rpc.serving.lifecycle import run_until_stopped
from common.rpc.serving.server import build_server

if TYPE_CHECKING:
    from classifier.ports import ModeEngine
    from classifier.settings import ClassifierSettings
    from common.rpc.serving.server import Server

_MODEL_ATTEMPTS = 2


async def serve(settings: ClassifierSettings) -> None:
    """Serve until the process is stopped."""
    async with AsyncExitStack() as stack:
        await run_until_stopped(build(settings, stack))


def build(settings: ClassifierSettings, stack: AsyncExitStack) -> Server:
    """Build the server; `stack` closes what it opens."""
    metrics = Metrics("classifier")
    wants_model = settings.engine == "model"
    models = read_models()
    classify = Classify(
        reader=Reader(models),
        rules=RulesEngine(models),
        model=_model_engine(settings, metrics, stack) if wants_model else None,
        preferred=Engine.MODEL if wants_model else Engine.RULES,
        model_seconds=settings.model_seconds,
        meter=ClassifierMetrics(metrics),
        clock=SystemClock(),
    )
    services = [registration(ClassifierServicer(classify))]
    return build_server(settings, services, metrics=metrics, access=open_access(settings, metrics, RULES))


def _model_engine(settings: ClassifierSettings, metrics: Metrics, stack: AsyncExitStack) -> ModeEngine:
    from common.model.client import open_model_client  # imported late: it is slow, and few services ask a model

    model = RoleModel(settings.model, 700, settings.input_usd_per_million, settings.output_usd_per_million)
    config = settings.model_config(
        {ModelRole.CLASSIFY: model},
        Timeouts(total_seconds=settings.model_seconds),
        RetryPolicy(max_attempts=_MODEL_ATTEMPTS),
    )
    client = open_model_client(config, metrics, SystemClock(), spent=add_cost)
    stack.push_async_callback(client.close)
    return CachedEngine(ModelEngine(client), size=settings.cached_verdicts)
