"""Runs the indexer."""

import sys

from common.rpc.lifecycle import run_service
from indexer.bootstrap import serve
from indexer.settings import IndexerSettings

if __name__ == "__main__":
    sys.exit(run_service("indexer", IndexerSettings, serve))
