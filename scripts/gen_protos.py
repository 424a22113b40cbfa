"""Generates the Python stubs of every contract into protos/gen; `--check` fails if the committed ones are stale."""

from __future__ import annotations

import argparse
import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
COMMITTED = PROTOS / "gen"


def generate(target: Path) -> None:
    """Write stubs, type stubs and package markers below `target`, which must exist."""
    sources = sorted(str(path.relative_to(PROTOS)) for path in (PROTOS / "cgrag").rglob("*.proto"))
    outputs = [f"--{kind}_out={target}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", *outputs, *sources], check=True, cwd=ROOT)
    for stubs in target.rglob("*_pb2_grpc.py"):
        trim(stubs)
    for folder in {path.parent for path in target.rglob("*.py")}:
        while folder != target:
            (folder / "__init__.py").touch()
            folder = folder.parent
    (target / "cgrag" / "py.typed").touch()


def trim(stubs: Path) -> None:
    """
    Remove unused generated code: stubs of a contract without a service, and the experimental static API of a service.

    The type stubs do not declare that API either; it ends the file.
    """
    text = stubs.read_text(encoding="utf-8")
    if "Stub:" not in text:
        stubs.unlink()
        stubs.with_suffix(".pyi").unlink()
        return
    kept = text.partition("\n\n # This class is part of an EXPERIMENTAL API.\n")[0].replace("import warnings\n", "")
    stubs.write_text(kept.rstrip("\n") + "\n", encoding="utf-8")


def files_below(folder: Path) -> dict[str, Path]:
    """Map each generated file's relative name to its path."""
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def differences(fresh: Path) -> list[str]:
    """Name the files that differ between a fresh generation and the committed one."""
    new, old = files_below(fresh), files_below(COMMITTED)
    changed = [name for name in new.keys() & old.keys() if not filecmp.cmp(new[name], old[name], shallow=False)]
    return sorted(changed + list(new.keys() ^ old.keys()))


def main() -> int:
    """Generate the stubs, or compare them with the committed ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if stale")
    if not parser.parse_args().check:
        COMMITTED.mkdir(exist_ok=True)
        generate(COMMITTED)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        stale = differences(Path(folder))
    for name in stale:
        print(f"stale: protos/gen/{name} (run `make proto`)")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
