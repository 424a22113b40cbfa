"""Starts the retriever: `python -m retriever`."""

import sys

if __name__ == "__main__":
    from common.core.runtime.starting import prepare

    prepare()

    from common.rpc.serving.lifecycle import run_service
    from retriever.bootstrap import serve
    from retriever.settings import RetrieverSettings

    sys.exit(run_service("retriever", RetrieverSettings, serve))
