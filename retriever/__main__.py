"""Starts the retriever: `python -m retriever`."""

import sys

from common.rpc.lifecycle import run_service
from retriever.bootstrap import serve
from retriever.settings import RetrieverSettings

if __name__ == "__main__":
    sys.exit(run_service("retriever", RetrieverSettings, serve))
