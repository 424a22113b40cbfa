"""Makes the checkout importable from its own environment and puts the `cgrag` command beside its Python."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = """\
#!{python}
import sys

from cgrag_client.__main__ import start

sys.exit(start())
"""


def main() -> None:
    """Write a .pth file for the packages and stubs, and an executable for the command line."""
    site = Path(sysconfig.get_paths()["purelib"])
    (site / "cgrag_checkout.pth").write_text(f"{ROOT}\n{ROOT / 'protos' / 'gen'}\n", encoding="utf-8")
    command = Path(sys.executable).parent / "cgrag"
    command.write_text(COMMAND.format(python=sys.executable), encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    main()
