"""Starts the retriever: `python -m retriever`."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # before anything is loaded: nearly all of it stays

    from common.rpc.lifecycle import run_service
    from retriever.bootstrap import serve
    from retriever.settings import RetrieverSettings

    sys.exit(run_service("retriever", RetrieverSettings, serve))
