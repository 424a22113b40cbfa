"""Git sources: read at a revision without a checkout, fetched only from where it is allowed."""

from __future__ import annotations

import http.server
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from indexer.domain.errors import SourceRefused, SourceUnavailable
from indexer.domain.jobs import GitSource
from indexer.domain.tree import SkipReason
from tests.fakes.git_repositories import commit_all, git
from tests.integration.indexer.indexing import Indexing, write_tree


def file_url(root: Path) -> str:
    return f"file://{root}"


def test_a_revision_is_read_without_a_checkout(indexing: Indexing, shop: Path) -> None:
    """Branch, tag and commit each give the files of their commit, whatever the working tree holds."""
    indexing.more["git_allow_file"] = True
    first = commit_all(shop)
    git(shop, "tag", "v1")
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    second = commit_all(shop)
    write_tree(shop, {"shop/new.py": "not committed\n"})
    commits = {}
    for revision in ("v1", first, "main", "", second):
        snapshot = indexing.run(GitSource(file_url(shop), revision)).snapshot
        commits[revision] = (snapshot.commit, snapshot.dirty, snapshot.counts.files)

    assert commits == {
        "v1": (first, False, 6),
        first: (first, False, 6),
        "main": (second, False, 7),
        "": (second, False, 7),
        second: (second, False, 7),
    }


def test_commit_and_working_tree_of_equal_contents_are_one_source(indexing: Indexing, shop: Path) -> None:
    """The same files have the same identity and digest, from a folder or from git."""
    indexing.more["git_allow_file"] = True
    commit_all(shop)
    folder = indexing.run(shop).snapshot
    outcome = indexing.run(GitSource(file_url(shop)))

    assert outcome.unchanged
    assert outcome.snapshot == folder


def test_links_and_submodules_of_a_commit_are_not_followed(indexing: Indexing, tmp_path: Path) -> None:
    """A link that leads out is counted, one that stays inside is no file, a submodule is counted, not read."""
    indexing.more["git_allow_file"] = True
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", "sub/b.py": "y = 1\n"})
    (root / "out").symlink_to("../../etc/passwd")
    (root / "absolute").symlink_to("/etc/passwd")
    (root / "sub/inside").symlink_to("../a.py")
    head = commit_all(root)
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},module")
    git(root, "commit", "-q", "-m", "module")
    outcome = indexing.run(GitSource(file_url(root)))

    assert indexing.rows("SELECT path FROM files ORDER BY path") == [("a.py",), ("sub/b.py",)]
    assert outcome.snapshot.counts.skipped == {SkipReason.UNSAFE_LINK: 2, SkipReason.SUBMODULE: 1}


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch /tmp/x",
        "-u",
        "ext::sh -c touch% /tmp/x",
        "file::/tmp/x",
        "http://example.org/x.git",
        "git://example.org/x.git",
        "ftp://example.org/x",
        "https://",
        "https://-oProxyCommand=x/y",
        "ssh://-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "https://[::1/x",
        "https://host:99999/x",
        "https://example.org/ x",
        "fd::17",
    ],
)
def test_other_transports_and_options_are_refused(indexing: Indexing, url: str) -> None:
    """Only https, ssh and the ssh short form are spoken; nothing that git could take for an option."""
    with pytest.raises(SourceRefused):
        indexing.run(GitSource(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/x.git",
        "https://localhost/x.git",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/x.git",
        "https://[::1]/x.git",
        "https://[::ffff:127.0.0.1]/x.git",
        "https://[64:ff9b::7f00:1]/x.git",
        "https://2130706433/x.git",
        "https://0/x.git",
        "https://100.64.0.1/x.git",
        "ssh://git@192.168.1.1/x.git",
        "git@127.0.0.1:x.git",
    ],
)
def test_private_and_metadata_addresses_are_refused(indexing: Indexing, url: str) -> None:
    """Loopback, private, link-local, shared and mapped addresses, in any notation, are not spoken to."""
    with pytest.raises(SourceRefused, match="git_allowed_hosts"):
        indexing.run(GitSource(url))


@pytest.mark.parametrize(
    "revision", ["--output=/tmp/x", "-x", "a..b", "main^{/x}", "@{u}", "a b", "HEAD~1", ":/x", "ü"]
)
def test_revisions_that_are_no_names_are_refused(indexing: Indexing, shop: Path, revision: str) -> None:
    """Options and expressions are not revisions."""
    indexing.more["git_allow_file"] = True
    commit_all(shop)
    with pytest.raises(SourceRefused):
        indexing.run(GitSource(file_url(shop), revision))


def test_unknown_revision_is_told(indexing: Indexing, shop: Path) -> None:
    """A revision that is not there is named in the error."""
    indexing.more["git_allow_file"] = True
    commit_all(shop)
    with pytest.raises(SourceUnavailable, match="no-such-branch"):
        indexing.run(GitSource(file_url(shop), "no-such-branch"))


def test_file_urls_need_a_setting_and_an_allowed_root(indexing: Indexing, shop: Path) -> None:
    """By default file:// is refused; with the setting, paths outside the roots still are."""
    with pytest.raises(SourceRefused, match="git_allow_file"):
        indexing.run(GitSource(file_url(shop)))
    indexing.more["git_allow_file"] = True
    with pytest.raises(SourceRefused, match="allowed_roots"):
        indexing.run(GitSource("file:///etc"))


@contextmanager
def https_server(folder: Path, certificates: Path) -> Iterator[int]:
    """Serve a folder over TLS on the loopback address, as a dumb git server does; yield the port."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificates.mkdir()
    (certificates / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    (certificates / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "ca.pem", certificates / "key.pem")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/away/"):
            port, _, rest = self.path.removeprefix("/away/").partition("/")
            self.send_response(302)
            self.send_header("Location", f"https://127.0.0.1:{port}/{rest}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, *args: object) -> None:
        pass


def test_a_redirect_is_not_followed(indexing: Indexing, tmp_path: Path) -> None:
    """Nobody speaks to the address that the host leads to, since that was never checked."""
    (tmp_path / "served").mkdir()
    with (
        https_server(tmp_path / "served", tmp_path / "certificates") as port,
        socket.create_server(("127.0.0.1", 0)) as elsewhere,
    ):
        indexing.more |= {
            "git_allowed_hosts": ("localhost",),
            "git_ca_file": str(tmp_path / "certificates/ca.pem"),
            "git_fetch_seconds": 5.0,
        }
        elsewhere.setblocking(False)
        with pytest.raises(SourceUnavailable):
            indexing.run(GitSource(f"https://localhost:{port}/away/{elsewhere.getsockname()[1]}/shop.git"))
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


def test_https_repository_is_fetched_and_kept(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """Fetched over https from an allowed host; new commits come with the next job, even after a crash in between."""
    first = commit_all(shop)
    served = tmp_path / "served"
    subprocess.run(["git", "clone", "-q", "--bare", str(shop), str(served / "shop.git")], check=True, env=os.environ)
    bare = served / "shop.git"
    git(bare, "update-server-info")
    with https_server(served, tmp_path / "certificates") as port:
        url = f"https://user:secret@localhost:{port}/shop.git"
        indexing.more |= {
            "git_allowed_hosts": ("localhost",),
            "git_ca_file": str(tmp_path / "certificates/ca.pem"),
            "git_fetch_seconds": 30.0,
        }
        before = indexing.run(GitSource(url)).snapshot
        write_tree(shop, {"shop/new.py": "x = 1\n"})
        second = commit_all(shop)
        git(shop, "tag", "v2")
        git(shop, "push", "-q", str(bare), "main", "v2")
        git(bare, "update-server-info")
        (kept,) = [each for each in (indexing.data / "git").iterdir() if each.is_dir()]
        (kept / "packed-refs.lock").touch()
        (kept / "HEAD").unlink()
        after = indexing.run(GitSource(url, "v2")).snapshot
        old = indexing.run(GitSource(url, first)).snapshot
        with pytest.raises(SourceUnavailable) as away:
            indexing.run(GitSource(f"https://user:secret@localhost:{port}/away/1/shop.git"))

    assert (before.commit, after.commit, old.commit) == (first, second, first)
    assert after.counts.files == before.counts.files + 1
    assert "secret" not in str(away.value)
    assert not [path for path in (indexing.data / "git").rglob("config") if b"secret" in path.read_bytes()]
