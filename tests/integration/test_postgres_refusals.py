"""What a server says at the start: some of it ends the start, since waiting would not help; the rest is waited out."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from common.core.errors import DependencyUnavailable, StartupError
from common.core.ids import RandomIds
from common.stores.postgres import Postgres, Tables
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
from tests.fakes.authority import Authority
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_front import refusing, relaying, serving
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

TABLES = Tables("things", ("CREATE TABLE cgrag_things (name text PRIMARY KEY, size integer)",))


def opened(url: str) -> Postgres:
    """Open a database."""
    return Postgres(url, "thing_url", TABLES)


@contextmanager
def tls(database: PostgresDatabase, folder: Path) -> Iterator[tuple[int, Path]]:
    """Put TLS before a server that cannot, and give its port and whose certificate it shows."""
    authority = Authority(folder / "authority")
    pair = authority.issue("database")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with serving(relaying(database.url), context) as port:
        yield port, authority.certificate


def over(database: PostgresDatabase, host: str, port: int) -> str:
    """Return a database's URL by way of another address."""
    return f"postgresql://{urlsplit(database.url).username}@{host}:{port}/postgres"


@pytest.mark.parametrize(
    "text",
    [
        "sorry, too many clients already",
        "remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'too many connections for role "ann"',
        "the database system is starting up",
        "the database system is shutting down",
        "the database system is in recovery mode",
        "the database system is not yet accepting connections",
        "the database system is not accepting connections",
        "terminating connection due to administrator command",
        "canceling authentication due to timeout",
        "no more connections allowed (max_client_conn)",
        "server login has been failing, try again later (server_login_retry)",
        "query_wait_timeout",
        "pgbouncer is shutting down",
        "das Datenbanksystem startet",
    ],
)
async def test_a_server_that_has_no_time_yet_is_waited_for(text: str) -> None:
    """The start goes on, and what is asked meanwhile is told that the store is away."""
    with serving(refusing(text)) as port:
        postgres = opened(f"postgresql://ann@127.0.0.1:{port}/db")
        postgres.prepare()
        with pytest.raises(DependencyUnavailable, match="thing_url"):
            await postgres.rows("SELECT 1")
        await postgres.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("28P01", 'password authentication failed for user "ann"'),
        ("28000", 'no pg_hba.conf entry for host "10.0.0.1", user "ann", database "db", no encryption'),
        ("28000", 'role "ann" is not permitted to log in'),
        ("28000", 'role "ann" does not exist'),
        ("3D000", 'database "db" does not exist'),
        ("55000", 'database "db" is not currently accepting connections'),
        ("42501", 'permission denied for database "db"'),
        ("08P01", "no such database: db"),
        ("08P01", "no such user: ann"),
        ("08P01", "SSL required"),
        ("08P01", "unsupported startup parameter: options"),
    ],
)
def test_who_is_not_let_in_for_good_is_told_at_the_start(code: str, text: str) -> None:
    """Nobody has to look for it in the answers."""
    with serving(refusing(text, code)) as port, pytest.raises(StartupError, match="thing_url") as refused:
        opened(f"postgresql://ann@127.0.0.1:{port}/db").prepare()

    assert text in str(refused.value)


def test_what_is_waited_for_is_told_in_the_log() -> None:
    """With its reason, for whoever wonders why no answer begins; without a password."""
    with serving(refusing("the database system is starting up")) as port, capture_logs() as said:
        url = f"postgresql://ann:secret@127.0.0.1:{port}/db"
        PostgresAnswers.at(url, FakeClock(), RandomIds())
        PostgresDecisionLog.at(url, FakeClock(), days=1, retrievals=1)

    assert [(each["event"], each["setting"]) for each in said] == [
        ("store.away", "answer_store_url"),
        ("store.away", "decision_log_url"),
    ]
    assert all("starting up" in each["problem"] for each in said)
    assert "secret" not in str(said)


async def test_a_server_that_hangs_up_in_the_middle_of_tls_is_waited_for(tmp_path: Path) -> None:
    """As a proxy does whose server is away."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    pair = Authority(tmp_path / "authority").issue("database")
    context.load_cert_chain(pair.certificate, pair.key)

    def hang_up(client: socket.socket, _: dict[str, str]) -> None:
        client.close()

    with serving(hang_up, context) as port:
        postgres = opened(f"postgresql://ann@127.0.0.1:{port}/db?sslmode=require")
        postgres.prepare()
        with pytest.raises(DependencyUnavailable):
            await postgres.rows("SELECT 1")
        await postgres.close()


@needs_postgres
@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_a_server_is_reached_over_tls_as_its_address_says(tmp_path: Path, mode: str) -> None:
    """The URL names whose certificates are believed."""
    with postgres_database() as database, tls(database, tmp_path) as (port, authority):
        url = f"{over(database, 'localhost', port)}?sslmode={mode}&sslrootcert={authority}&channel_binding=disable"
        postgres = opened(url)
        postgres.prepare()
        found = await postgres.rows("SELECT current_user")
        [connection] = postgres._idle
        is_tls = connection.pgconn.ssl_in_use
        await postgres.close()

    assert found == [(urlsplit(database.url).username,)]
    assert is_tls


@needs_postgres
def test_a_server_of_another_authority_or_name_is_refused_at_the_start(tmp_path: Path) -> None:
    """Waiting would not make it the right one; without TLS it is not reached either."""
    stranger = Authority(tmp_path / "stranger").certificate
    with postgres_database() as database, tls(database, tmp_path) as (port, authority):
        for host, query in (
            ("localhost", f"sslmode=verify-full&sslrootcert={stranger}"),
            ("localhost", f"sslmode=verify-full&sslrootcert={tmp_path / 'nothing.pem'}"),
            ("ip6-localhost", f"hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={authority}"),
        ):
            with pytest.raises(StartupError, match=r"thing_url.*certificate"):
                opened(f"{over(database, host, port)}?{query}").prepare()
    with postgres_database() as database, serving(relaying(database.url)) as port:  # noqa: SIM117 (it would not fit)
        with pytest.raises(StartupError, match=r"thing_url.*SSL"):
            opened(f"{over(database, 'localhost', port)}?sslmode=require").prepare()
