"""
Becomes a command that ends with the process that started it: `python bound.py PARENT COMMAND ...`.

Whoever supervises services may be killed without warning; what he leaves behind would keep the data folder, so that the
next run is refused. It is a program of its own since nothing can be asked for safely between fork and exec of a process
with threads.

The signal is SIGHUP, since Linux sends it once for each thread of the parent: a second SIGTERM would end at once what
has begun to drain.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask for SIGHUP at the parent's death, where the system knows that (Linux does), and run the command."""
    _, parent, *command = sys.argv
    if sys.platform == "linux":
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under `nohup` it would be lost until the service takes it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGHUP)
        if os.getppid() != int(parent):
            sys.exit(1)  # he died before it was asked for
    os.execv(command[0], command)  # noqa: S606 - our own services, and no shell between


if __name__ == "__main__":
    main()
