"""Starts the indexer: `python -m indexer`."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # before anything is loaded: nearly all of it stays

    from common.rpc.lifecycle import run_service
    from indexer.bootstrap import serve
    from indexer.settings import IndexerSettings

    sys.exit(run_service("indexer", IndexerSettings, serve))
