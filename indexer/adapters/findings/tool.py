"""Runs an analyzer in a process that does not read any configuration of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from indexer.domain.errors import AnalyzerFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SHOWN = 300


def run_module(module: str, arguments: Sequence[str], folder: Path, output: Path, seconds: float) -> None:
    """
    Run an installed Python module in a folder of untrusted files, with its output in a file.

    `-I` keeps Python from importing modules of that folder; the environment has no settings of this machine.

    Raises AnalyzerFailed.
    """
    command = [sys.executable, "-I", "-m", module, *arguments]
    environ = {"PATH": os.defpath, "RAYON_NUM_THREADS": "2"}
    try:
        with output.open("wb") as out:
            subprocess.run(  # noqa: S603 (the command is ours; the files that it reads are data)
                command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                timeout=seconds, check=True,
            )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise AnalyzerFailed(f"took longer than {seconds:g} s") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()[-_SHOWN:]
        raise AnalyzerFailed(f"ended with code {error.returncode}: {said}") from error
    except OSError as error:
        raise AnalyzerFailed(f"could not be started: {error.strerror}") from error
