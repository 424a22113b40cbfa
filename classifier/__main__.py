"""Starts the classifier: `python -m classifier`."""

import sys

if __name__ == "__main__":
    from common.core.runtime.starting import prepare

    prepare()

    from classifier.bootstrap import serve
    from classifier.settings import ClassifierSettings
    from common.rpc.serving.lifecycle import run_service

    sys.exit(run_service("classifier", ClassifierSettings, serve))
