"""What stands around every call: credentials, roles, quotas, and one line for each decision."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from cgrag.orchestrator.v1 import orchestrator_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from common.core.errors import StartupError
from common.observability.metrics import Metrics
from common.rpc.access.file import read_callers
from common.rpc.access.opening import Access, open_access
from common.rpc.access.proofs import Signer
from common.rpc.access.rights import Role, Rules, changing_for_roles, for_roles
from common.rpc.access.trail import Trail, Why
from common.rpc.callers import Caller, set_caller
from common.rpc.settings import ServerSettings
from tests.e2e.guarded import access_file, metadata_of, token_of
from tests.fakes.answering import ASK, GET, SERVICE, Answers, details, eventually, refusal, sample, serving
from tests.fakes.clock import FakeClock

RULES = Rules(SERVICE, {"Ask": changing_for_roles(Role.ASKER), "GetAnswer": for_roles(Role.ASKER, Role.READER)})
CALLERS = {"anna": ("asker", "a*"), "rita": ("reader", "*")}


class Guard:
    """A guarded service, its stub, its servicer, its metrics, and the lines that were written."""

    def __init__(self, stub: Any, servicer: Answers, clock: FakeClock, metrics: Metrics, lines: list[Any]) -> None:
        self.stub = stub
        self.servicer = servicer
        self.clock = clock
        self.metrics = metrics
        self.logged = lines

    async def get(self, caller: str, **metadata: str) -> str:
        """Call the method that answers at once; return how it ended."""
        return await ended(self.stub.GetAnswer(GET, metadata=(*metadata_of(caller), *metadata.items())))

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Return decision, caller, method and reason of each line."""
        decided = [each for each in self.logged if each["event"] == "audit.decision"]
        return [(each["decision"], each["caller"], each["method"], each["reason"]) for each in decided]


async def ended(call: Any) -> str:
    """Wait for a call and return its code and the reason of its error."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return f"{error.code().name} {details(error)['ErrorInfo'].reason.removeprefix('ERROR_REASON_')}"
    return "OK"


@asynccontextmanager
async def guarding(
    folder: Path, text: str = "", keys: str = "", *, audit_reads: bool = False, **options: Any
) -> AsyncIterator[Guard]:
    """Serve behind an access file."""
    file, clock, servicer = folder / "access.toml", FakeClock(), Answers()
    file.write_text(text or access_file(CALLERS))
    key_file = folder / "identity.key"
    key_file.write_text(keys)
    settings = ServerSettings(access_file=file, identity_key_file=key_file if keys else None, audit_reads=audit_reads)
    access = open_access(settings, Metrics("sample"), RULES, clock=clock)
    with structlog.testing.capture_logs() as lines:
        async with serving(servicer, settings=settings, access=access, **options) as (_, stub, metrics):
            yield Guard(stub, servicer, clock, metrics, lines)


async def test_callers_are_who_their_token_says(tmp_path: Path) -> None:
    """The handler runs as the caller of the token, whatever name the metadata claims; the scheme's case is free."""
    async with guarding(tmp_path) as guard:
        codes = [await guard.get("anna", **{"x-cgrag-caller": "root"})]
        lower = (("authorization", f"bearer {token_of('rita')}"),)
        codes.append(await ended(guard.stub.GetAnswer(GET, metadata=lower)))

    assert codes == ["OK", "OK"]
    assert [each.partition(" ")[0] for each in guard.servicer.seen] == ["anna", "rita"]


async def test_credentials_that_are_not_good_are_refused(tmp_path: Path) -> None:
    """None, a wrong one, another scheme, an empty one, a proof where none are taken: nothing runs, each is written."""
    async with guarding(tmp_path) as guard:
        codes = [await guard.get("")]
        wrong = ("Bearer wrong", f"Basic {token_of('anna')}", "Bearer ", token_of("anna"))
        codes += [await guard.get("", authorization=value) for value in wrong]
        codes.append(await guard.get("anna", **{"x-cgrag-identity": "e30.e30"}))

    assert codes == ["UNAUTHENTICATED UNAUTHENTICATED"] * 6
    assert guard.servicer.seen == []
    reasons = [reason for _, _, _, reason in guard.lines()]
    assert reasons == [
        "no_credential",
        "bad_credential",
        "no_credential",
        "no_credential",
        "no_credential",
        "bad_credential",
    ]


@pytest.mark.parametrize("key", ["authorization", "x-cgrag-identity"])
async def test_two_credentials_of_a_kind_are_refused(tmp_path: Path, key: str) -> None:
    """Be they the same: something on the way that looks at the other one would take the call for somebody else's."""
    async with guarding(tmp_path, keys="k" * 32 if key != "authorization" else "") as guard:
        credential = (key, f"Bearer {token_of('anna')}")
        refused = await refusal(guard.stub.GetAnswer(GET, metadata=(credential, credential)))

    assert refused.code() is grpc.StatusCode.UNAUTHENTICATED
    assert refused.details() == f"2 values of {key} came with the call; send one"
    assert guard.servicer.seen == []


async def test_methods_are_for_roles(tmp_path: Path) -> None:
    """Who has none of a method's roles is denied; a method without a rule is for nobody."""
    async with guarding(tmp_path) as guard:
        asked = await ended(guard.stub.Ask(ASK, metadata=metadata_of("rita")).read())
        listed = guard.stub.ListSessions(orchestrator_pb2.ListSessionsRequest(), metadata=metadata_of("anna"))
        other = await ended(listed)

    assert asked == other == "PERMISSION_DENIED PERMISSION_DENIED"
    assert guard.lines() == [("denied", "rita", "Ask", "role"), ("denied", "anna", "ListSessions", "role")]


async def test_changes_that_are_allowed_are_written_down_once(tmp_path: Path) -> None:
    """A call that changes something leaves one line, one that reads leaves none."""
    async with guarding(tmp_path) as guard:
        guard.servicer.release.set()
        async for _ in guard.stub.Ask(ASK, metadata=metadata_of("anna")):
            pass
        await guard.get("anna")

    assert guard.lines() == [("allowed", "anna", "Ask", "")]


async def test_reads_are_written_down_where_that_is_set(tmp_path: Path) -> None:
    """Who read what, for installations that have to tell; still one line a call."""
    async with guarding(tmp_path, audit_reads=True) as guard:
        await guard.get("anna")
        await guard.get("nobody")

    assert guard.lines() == [("allowed", "anna", "GetAnswer", ""), ("denied", "", "GetAnswer", "bad_credential")]


async def test_requests_of_a_minute_are_counted_for_each_caller(tmp_path: Path) -> None:
    """Beyond its bucket a caller waits as long as it is told, by the monotonic clock; others do not."""
    text = access_file(CALLERS, anna="requests_per_minute = 2")
    async with guarding(tmp_path, text) as guard:
        codes = [await guard.get("anna") for _ in range(3)]
        others = await guard.get("rita")
        refused = await refusal(guard.stub.GetAnswer(GET, metadata=metadata_of("anna")))
        guard.clock.jump(3600)
        still = await guard.get("anna")
        guard.clock.advance(30)
        later = [await guard.get("anna"), await guard.get("anna")]

    full = "RESOURCE_EXHAUSTED QUOTA_EXCEEDED"
    assert codes == ["OK", "OK", full]
    assert others == "OK"
    assert details(refused)["RetryInfo"].retry_delay.ToMilliseconds() == 30_000
    assert details(refused)["ErrorInfo"].metadata["quota"] == "requests_per_minute"
    assert still == full
    assert later == ["OK", full]
    assert ("denied", "anna", "GetAnswer", "quota") in guard.lines()


async def test_calls_at_once_are_counted_until_they_end(tmp_path: Path) -> None:
    """One too many is refused at once; a stream that is left makes room."""
    text = access_file(CALLERS, anna="calls_at_once = 1")
    async with guarding(tmp_path, text) as guard:
        running = guard.stub.Ask(ASK, metadata=metadata_of("anna"))
        await running.read()
        full = await guard.get("anna")
        running.cancel()
        await eventually(lambda: guard.servicer.seen[-1] == "closed")
        free = await guard.get("anna")

    assert full == "RESOURCE_EXHAUSTED QUOTA_EXCEEDED"
    assert free == "OK"


@pytest.mark.parametrize("guarded", [True, False])
async def test_reflection_is_off_behind_an_access_file(tmp_path: Path, guarded: bool) -> None:
    """Whoever may not call anything does not learn what there is to call; without the file it is as it was."""
    (tmp_path / "access.toml").write_text(access_file(CALLERS))
    settings = ServerSettings(access_file=tmp_path / "access.toml" if guarded else None, reflection=True)
    access = open_access(settings, Metrics("sample"), RULES)
    async with (
        serving(Answers(), settings=settings, access=access) as (server, _, _),
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]), timeout=10)
        is_told = True
        try:
            await call.read()
        except grpc.aio.AioRpcError as error:
            is_told = error.code() is not grpc.StatusCode.UNIMPLEMENTED

    assert is_told is not guarded


async def test_denials_are_counted_by_method(tmp_path: Path) -> None:
    """The series of every method exist from the start; no label tells callers or repositories."""
    settings = ServerSettings(access_file=tmp_path / "access.toml")
    (tmp_path / "access.toml").write_text(access_file(CALLERS))
    metrics = Metrics("sample")
    access = open_access(settings, metrics, RULES, clock=FakeClock())
    async with serving(Answers(), settings=settings, access=access) as (_, stub, _):
        await ended(stub.GetAnswer(GET))

    assert sample(metrics, "cgrag_authz_denied_total", method="GetAnswer") == 1
    assert sample(metrics, "cgrag_authz_denied_total", method="Ask") == 0


async def test_proofs_of_other_services_are_taken(tmp_path: Path) -> None:
    """A proof speaks for its caller, counts nothing here, and holds for this contract and its time alone."""
    key = "k" * 40
    text = access_file(CALLERS, anna="requests_per_minute = 1")
    async with guarding(tmp_path, text, keys=key) as guard:
        known = read_callers(text.encode())
        signer = Signer(lambda: (key.encode(),), known.named, guard.clock)
        good, other = (signer.proof("anna", name) for name in (SERVICE.full_name, "cgrag.indexer.v1.IndexerService"))
        reader = signer.proof("rita", SERVICE.full_name)
        codes = [await guard.get("", **{"x-cgrag-identity": proof}) for proof in (good, good, good, other)]
        asked = guard.stub.Ask(ASK, metadata=(("x-cgrag-identity", reader),))
        denied = await ended(asked.read())
        guard.clock.jump(3600)
        late = await guard.get("", **{"x-cgrag-identity": good})

    assert codes == ["OK", "OK", "OK", "UNAUTHENTICATED UNAUTHENTICATED"]
    assert denied == "PERMISSION_DENIED PERMISSION_DENIED"
    assert late == "UNAUTHENTICATED UNAUTHENTICATED"
    assert guard.lines()[1] == ("denied", "rita", "Ask", "role")


async def test_a_bad_file_is_told_also_where_nobody_calls(tmp_path: Path) -> None:
    """Whoever writes the file learns it from the log and need not wait for a caller; the one before is in force."""
    async with guarding(tmp_path) as guard:
        (tmp_path / "access.toml").write_text("no toml, " * 99)
        guard.clock.advance(1.0)
        await eventually(lambda: "access.file_refused" in [each["event"] for each in guard.logged])
        still = await guard.get("anna")

    assert still == "OK"


def test_a_call_is_denied_once_however_often_it_asks() -> None:
    """One line and one count for a call that names a repository in several places; after it nothing was allowed."""

    def told() -> list[Any]:
        metrics = Metrics("sample")
        trail = Trail(metrics, ("Ask",))
        with structlog.testing.capture_logs() as lines:
            trail.begin("Ask", changes=True)
            for _ in range(3):
                trail.denied(Why.REPOSITORY, "beta")
            trail.allowed("alpha")
        return [sample(metrics, "cgrag_authz_denied_total", method="Ask"), *lines]

    count, *lines = copy_context().run(told)
    assert count == 1
    assert [(each["decision"], each["repository"]) for each in lines] == [("denied", "beta")]


def test_without_files_nothing_is_asked() -> None:
    """The default knows no layer, and everything may be seen, by whomever."""
    access = open_access(ServerSettings(), Metrics("sample"), RULES)

    def seen() -> bool:
        set_caller(Caller("anybody"))
        return Access().sees("x") and access.admits("x")

    assert not access.is_on
    assert access.layer is None
    assert copy_context().run(seen)


def test_a_service_that_calls_others_needs_keys(tmp_path: Path) -> None:
    """Without them the services behind it would refuse every call."""
    (tmp_path / "access.toml").write_text(access_file(CALLERS))
    settings = ServerSettings(access_file=tmp_path / "access.toml")

    with pytest.raises(StartupError, match="identity_key_file"):
        open_access(settings, Metrics("sample"), RULES, calls_others=True)


def test_tokens_are_hashed_as_the_file_has_them() -> None:
    """The hash of a token is SHA-256 of its text, which any tool makes."""
    assert hashlib.sha256(token_of("anna").encode()).hexdigest() in access_file({"anna": ("asker", "*")})
