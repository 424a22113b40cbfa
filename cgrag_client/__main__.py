"""
Runs the command line, as `cgrag` and as `python -m cgrag_client`.

Slow modules are imported only after the handler of Ctrl-C is installed.
"""

import os
import signal
import sys

_INTERRUPTED = 130


def start() -> int:
    """Run the command line and return its exit code; Ctrl-C while it is being loaded ends the process quietly."""
    # Before gRPC is imported: its messages about closed connections do not belong on a terminal.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # otherwise SIGINT stays ignored, as in a background job of a script
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    from cgrag_client.cli import main

    signal.signal(signal.SIGINT, usual)
    return main()


if __name__ == "__main__":
    sys.exit(start())
