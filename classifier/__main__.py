"""Starts the classifier: `python -m classifier`."""

import sys

from classifier.bootstrap import serve
from classifier.settings import ClassifierSettings
from common.rpc.lifecycle import run_service

if __name__ == "__main__":
    sys.exit(run_service("classifier", ClassifierSettings, serve))
