"""The four images, built and started for real; minutes, most of them for packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "build_images.sh"
CA_FILE = "/etc/ssl/certs/ca-certificates.crt"
SERVICES = ["indexer", "classifier", "retriever", "orchestrator"]
MOST_MEGABYTES = 1100
needs_tools = pytest.mark.skipif(
    shutil.which("buildah") is None or shutil.which("mmdebstrap") is None or os.geteuid() != 0,
    reason="images are built as root with buildah and mmdebstrap (apt-get install buildah mmdebstrap)",
)


def build(storage: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script over Debian's packages, as no registry of images may be in reach."""
    environ = {**os.environ, "STORAGE": str(storage), "CA_FILE": CA_FILE, **variables}
    return subprocess.run([SCRIPT], capture_output=True, text=True, env=environ, timeout=3000, check=False)


def test_without_buildah_it_fails(tmp_path: Path) -> None:
    """It does not pass by doing nothing, and names the package."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "bash", "dirname"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = build(tmp_path / "images", PATH=str(programs))

    assert done.returncode == 1
    assert "apt-get install buildah" in done.stderr


@pytest.mark.long
@needs_tools
def test_each_image_builds_starts_and_ends(tmp_path: Path) -> None:
    """Its health check passes, SIGTERM ends it with 0, its size is told; one that cannot be built fails."""
    done = build(tmp_path, BASE="debian")
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines())

    assert done.returncode == 0, done.stderr[-3000:]
    assert list(told) == SERVICES
    assert all(re.fullmatch(r"[\d.]+ MB, healthy after \d+ s", each) for each in told.values()), told
    assert max(float(each.split()[0]) for each in told.values()) < MOST_MEGABYTES
    broken = build(tmp_path, BASE="localhost/cgrag-base", SERVICES="nothing")
    assert broken.returncode == 1
    assert "nothing: does not build" in broken.stderr
