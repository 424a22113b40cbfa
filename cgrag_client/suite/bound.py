"""
Runs a command that is terminated when its parent process dies: `python bound.py PARENT COMMAND ...`.

The process that supervises the services may be killed without warning; services that it left behind would still hold
the lock of the data folder, so that the next run would be refused. This is a program of its own because a process with
threads cannot safely run code between fork and exec.

The signal is SIGHUP because Linux may send the signal several times, once for each thread of the parent: a second
SIGTERM would end a service at once while it still finishes its calls.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Let the system send SIGHUP to this process when its parent dies (on Linux only), and run the command."""
    _, parent, *command = sys.argv
    if sys.platform == "linux":
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` has it ignored, until the service sets its handler
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGHUP)
        if os.getppid() != int(parent):
            sys.exit(1)  # the parent died before prctl was called
    os.execv(command[0], command)  # noqa: S606 - our own services, and no shell between


if __name__ == "__main__":
    main()
