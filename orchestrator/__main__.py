"""Starts the orchestrator: `python -m orchestrator`."""

import sys

if __name__ == "__main__":
    from common.core.runtime.starting import prepare

    prepare()

    from common.rpc.serving.lifecycle import run_service
    from orchestrator.bootstrap import serve
    from orchestrator.settings import OrchestratorSettings

    sys.exit(run_service("orchestrator", OrchestratorSettings, serve))
