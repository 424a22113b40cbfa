"""Four services that talk to nobody without a certificate, all of which are replaced while questions are asked."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from cgrag.orchestrator.v1 import orchestrator_pb2

from cgrag_client import Client, ClientSettings
from cgrag_client.indexes import is_served, source_of
from tests.e2e.four_services import NAMES, SHOP, FourServices
from tests.fakes.authority import Authority, Pair

QUESTION = "What does the discount function do?"
NOTICED_SECONDS = 1.5
"""Longer than anybody waits until the files are looked at again."""


def mutual_tls(pair: Pair) -> dict[str, str]:
    """Settings by which every service shows a certificate, and accepts none but those of the authority."""
    files = {"TLS_CERTIFICATE_FILE": pair.certificate, "TLS_KEY_FILE": pair.key, "TLS_CLIENT_CA_FILE": pair.authority}
    peers = {"PEER_CA_FILE": pair.authority, "PEER_CERTIFICATE_FILE": pair.certificate, "PEER_KEY_FILE": pair.key}
    settings = {f"CGRAG_{name.upper()}_{key}": str(path) for name in NAMES for key, path in files.items()}
    settings |= {f"CGRAG_ORCHESTRATOR_{key}": str(path) for key, path in peers.items()}
    # Connections that do not live long: those that follow are made with what is there by then.
    return settings | {f"CGRAG_{name.upper()}_MAX_CONNECTION_AGE_SECONDS": "0.3" for name in NAMES}


def client_of(services: FourServices, pair: Pair) -> Client:
    addresses = {name: f"127.0.0.1:{services.ports[name]}" for name in NAMES}
    files = {"ca_file": pair.authority, "certificate_file": pair.certificate, "key_file": pair.key}
    return Client(replace(ClientSettings(), **addresses, **{name: str(path) for name, path in files.items()}))  # type: ignore[arg-type]  # texts all


async def asked(client: Client, seconds: float) -> list[orchestrator_pb2.Answer]:
    """Ask again and again for a while; any call that fails fails the test."""
    answers: list[orchestrator_pb2.Answer] = []
    async with asyncio.timeout(60):
        ends = asyncio.get_running_loop().time() + seconds
        while len(answers) < 3 or asyncio.get_running_loop().time() < ends:
            answers.append(await client.answers.answer(QUESTION, repository="shop"))
    return answers


async def test_answers_go_on_while_all_certificates_come_from_another_authority(tmp_path: Path) -> None:
    """Both are accepted for a while, then all show the new ones, then the old authority is unknown; no call fails."""
    old, fresh = Authority(tmp_path / "old"), Authority(tmp_path / "new").issue("fresh")
    both = tmp_path / "both.pem"
    both.write_bytes(old.certificate.read_bytes() + fresh.authority.read_bytes())
    place = old.issue("place")
    answers: list[orchestrator_pb2.Answer] = []
    with FourServices(tmp_path / "data", mutual_tls(place)) as services:
        async with client_of(services, place) as client:
            job = await client.indexes.start(source_of(str(SHOP)), repository="shop", without_vectors=True)
            async with aclosing(client.indexes.watch(job.job_id)) as jobs:
                states = [job async for job in jobs]
            for pair in (replace(place, authority=both), replace(fresh, authority=both), fresh):
                answers += await asked(client, NOTICED_SECONDS)
                place.replace(pair)
            answers += await asked(client, NOTICED_SECONDS)
        logs = {name: (services.data / f"{name}.log").read_text(encoding="utf-8") for name in NAMES}

    assert is_served(states[-1])
    # Vectors were not wanted; the classifier's part, which would go too, is there.
    assert {(bool(each.citations), *each.degraded) for each in answers} == {(True,)}
    assert {name for name, log in logs.items() if "tls.files_read" in log} >= {
        "retriever",
        "classifier",
        "orchestrator",
    }
