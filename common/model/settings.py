"""Settings of the model endpoint, the same in every service that may call a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.settings import URL, setting
from common.model.config import VENDOR_URLS, ModelConfig, RetryPolicy, Timeouts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.model.config import RoleModel
    from common.model.values import ModelRole

_RETRY = RetryPolicy()


@dataclass(frozen=True)  # without slots, so that settings can extend it beside another class that has them
class ModelSettings:
    """Where models are; a service's settings extend it."""

    model_api: str = setting(
        "anthropic",
        "API that the endpoint speaks: Anthropic's Messages, or OpenAI's chat completions, which vLLM, llama.cpp and"
        " Ollama speak too.",
        choices=tuple(VENDOR_URLS),
    )
    model_url: str = setting(
        "",
        "Endpoint that speaks this API, for example http://127.0.0.1:11434/v1; empty for the vendor's.",
        pattern=f"({URL})?",
    )
    api_key: str = setting("", "Key of an endpoint of Anthropic's API.", env="ANTHROPIC_API_KEY", secret=True)
    openai_api_key: str = setting("", "Key of an endpoint of OpenAI's API.", env="OPENAI_API_KEY", secret=True)

    @property
    def model_key(self) -> str:
        """Return the key of the configured API, maybe none."""
        return self.openai_api_key if self.model_api == "openai" else self.api_key

    def model_config(
        self,
        roles: Mapping[ModelRole, RoleModel],
        timeouts: Timeouts,
        retry: RetryPolicy = _RETRY,
        *,
        reserve_seconds: float = 0.1,
    ) -> ModelConfig:
        """Return how the models of these roles are reached."""
        return ModelConfig(
            roles=roles,
            api=self.model_api,
            base_url=self.model_url,
            api_key=self.model_key,
            timeouts=timeouts,
            retry=retry,
            reserve_seconds=reserve_seconds,
        )
