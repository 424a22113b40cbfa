"""Starts the orchestrator: `python -m orchestrator`."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # before anything is loaded: nearly all of it stays

    from common.rpc.lifecycle import run_service
    from orchestrator.bootstrap import serve
    from orchestrator.settings import OrchestratorSettings

    sys.exit(run_service("orchestrator", OrchestratorSettings, serve))
