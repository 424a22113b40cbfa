"""Runs the command line as `python -m cgrag_client`."""

import sys

from cgrag_client.cli import main

sys.exit(main())
