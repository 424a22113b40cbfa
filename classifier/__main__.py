"""Starts the classifier: `python -m classifier`."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # before anything is loaded: nearly all of it stays

    from classifier.bootstrap import serve
    from classifier.settings import ClassifierSettings
    from common.rpc.lifecycle import run_service

    sys.exit(run_service("classifier", ClassifierSettings, serve))
