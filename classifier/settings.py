"""Settings of the classifier: section [classifier] of the settings file, CGRAG_CLASSIFIER_* in the environment."""

from __future__ import annotations

from dataclasses import dataclass

from common.core.settings import setting
from common.model.settings import ModelSettings
from common.rpc.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class ClassifierSettings(ServerSettings, ModelSettings):
    """Settings of the classifier."""

    port: int = setting(50052, "Port of the gRPC server; 0 takes any free one.", minimum=0, maximum=65535)
    metrics_port: int = setting(9102, "Port of the Prometheus endpoint; 0 switches it off.", minimum=0, maximum=65535)
    engine: str = setting("rules", "What decides: rules need no account, model asks one.", choices=("rules", "model"))
    model: str = setting("claude-haiku-4-5", "Small model that classifies, where the engine is model.")
    input_usd_per_million: float = setting(0.0, "Price of a million input tokens of the classifying model.", minimum=0)
    output_usd_per_million: float = setting(0.0, "Price of a million output tokens of it.", minimum=0)
    model_seconds: float = setting(3.0, "A model that takes longer is given up; the rules decide.", minimum=0.05)
    cached_verdicts: int = setting(2000, "Verdicts of the model that are remembered.", minimum=1, maximum=1_000_000)
