"""An authority that signs certificates of `localhost`, valid for as long as a test wants."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_CONFIG = """
[ca]
default_ca = this
[this]
database = {folder}/index.txt
serial = {folder}/serial
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Where the files are that a server or caller shows, and whose certificates it accepts."""

    authority: Path
    certificate: Path
    key: Path

    def replace(self, other: Pair) -> None:
        """Put others in their place, each whole, as a Secret or a renewing program does."""
        for mine, its in (
            (self.authority, other.authority),
            (self.certificate, other.certificate),
            (self.key, other.key),
        ):
            fresh = mine.with_suffix(".new")
            fresh.write_bytes(its.read_bytes())
            fresh.rename(mine)


class Authority:
    """
    Signs.

    Args:
        folder: Of its own; everything that it makes is in there.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self.certificate = folder / "ca.pem"
        self._key = folder / "ca.key"
        (folder / "index.txt").touch()
        (folder / "serial").write_text("01", encoding="utf-8")
        (folder / "ca.cnf").write_text(_CONFIG.format(folder=folder), encoding="utf-8")
        _run(
            "req", "-x509", *_EC, "-days", "2", "-subj", "/CN=authority", "-keyout", self._key, "-out", self.certificate
        )

    def issue(self, name: str, lifetime: timedelta = timedelta(days=2)) -> Pair:
        """Make a key and a certificate for `localhost` with this common name, valid from now for its lifetime."""
        folder = self._folder / name
        folder.mkdir()
        pair = Pair(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
        pair.authority.write_bytes(self.certificate.read_bytes())
        request, names = folder / "request.pem", folder / "names.cnf"
        names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n", encoding="utf-8")
        _run("req", *_EC, "-subj", f"/CN={name}", "-keyout", pair.key, "-out", request)
        now = datetime.now(UTC)
        dates = ("-startdate", _date(now - timedelta(minutes=1)), "-enddate", _date(now + lifetime))
        signer = ("-config", self._folder / "ca.cnf", "-cert", self.certificate, "-keyfile", self._key)
        what = ("-in", request, "-out", pair.certificate, "-outdir", folder, "-extfile", names)
        _run("ca", "-batch", "-notext", *signer, *dates, *what)
        return pair


def _date(moment: datetime) -> str:
    return moment.strftime("%Y%m%d%H%M%SZ")


def _run(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
