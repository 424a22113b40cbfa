"""Starts the indexer: `python -m indexer`."""

import sys

if __name__ == "__main__":
    from common.core.runtime.starting import prepare

    prepare()

    from common.rpc.serving.lifecycle import run_service
    from indexer.bootstrap import serve
    from indexer.settings import IndexerSettings

    sys.exit(run_service("indexer", IndexerSettings, serve))
