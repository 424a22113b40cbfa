"""Starts the orchestrator: `python -m orchestrator`."""

import sys

from common.rpc.lifecycle import run_service
from orchestrator.bootstrap import serve
from orchestrator.settings import OrchestratorSettings

if __name__ == "__main__":
    sys.exit(run_service("orchestrator", OrchestratorSettings, serve))
