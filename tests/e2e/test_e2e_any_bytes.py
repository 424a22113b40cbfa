"""Whatever bytes come to any method of any service: a status of the contract, no defect, and the service lives on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor

from tests.e2e.four_services import CALL_SECONDS, NAMES, FourServices, refusal_of

MODULES: dict[str, Any] = {
    "indexer": indexer_pb2,
    "classifier": classifier_pb2,
    "retriever": retriever_pb2,
    "orchestrator": orchestrator_pb2,
}
EXPECTED = {
    "OK",
    *(
        f"ERROR_REASON_{reason}"
        for reason in (
            *("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "REPOSITORY_NOT_FOUND", "SNAPSHOT_NOT_FOUND"),
            *("JOB_NOT_FOUND", "ANSWER_NOT_FOUND", "SESSION_NOT_FOUND", "SOURCE_UNAVAILABLE", "SOURCE_REFUSED"),
            *("TASK_NOT_FOUND", "IMPORT_NOT_FOUND", "SPAN_NOT_FOUND"),
        )
    ),
}
TEXTS = (
    "",
    "x" * 300,
    "../etc",
    "\0",
    "-x",
    "a/b",
    "\u202e",
    "nowhere",
    "0" * 64,
    "What is f?",
    "*",
    "/nowhere",
    "é\n",
)
NUMBERS = (0, 1, 7, -1, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1, 2**32 - 1, 2**64 - 1)
FLOATS = (0.0, -1.0, float("nan"), float("inf"), 1e308, 0.5)
MOST_MESSAGE_BYTES = 4 * 1024 * 1024
DEPTH = 4
# What reading a message of 4 MB and refusing it takes, many times over; looking at each value took up to 24 seconds.
REFUSED_WITHIN_SECONDS = 2.0
TRIES = 3
TEXT_WITHIN_SECONDS = 10.0
# What requests are right with, by the names of their fields.
RIGHT: dict[str, Any] = {
    "paths": ["shop/cart.py"],
    "repository": "shop",
    "name": "charge",
    "relation": 1,
    "retrieval_id": "r1",
    "question": "Why does charge fail with a card that is declined?",
    "query": "charge a card",
    "text": "`charge` calls `pay`.",
    "task": "Let charge retry.",
    "stages": ["scope", "precision"],
    "context_window_tokens": 8000,
    "seeds": [{"path": "shop/payments.py"}],
    "spans": [{"path": "shop/payments.py"}],
    "citation": {"span": {"path": "shop/payments.py", "start_line": 1, "end_line": 2}},
    "claims": [{"kind": 1, "subject": "charge", "object": "pay"}, {"kind": 5, "object": "card"}],
    "gaps": [{"description": "where a card is charged", "symbol": "charge", "path": "shop/payments.py"}],
    "source": {"local_path": "/nowhere"},
    "header": {"repository": "nowhere"},
    "chunk": b"{}",
    "import_ids": ["nothing"],
    "snapshot_id": "",
    "rating": 4,
    "task_id": "t1",
    "missing_symbols": ["charge"],
    **dict.fromkeys(("job_id", "answer_id", "session_id"), "nothing"),
}
# Where the value that is right for others would do something to the suite, or be refused.
RIGHT_FOR: dict[str, dict[str, Any]] = {
    "DeleteRepository": {"repository": "nowhere"},
    "Ask": {"session_id": ""},
    "BuildContext": {"task_id": ""},
}
HOSTILE_TEXTS = (
    "a." * 499 + "a",
    "Err." * 12_000 + "Error: no card is here",
    "a.py:" * 2000 + "a",
    "../" * 300 + "etc/passwd",
    "(" * 9000,
    "e\u0301\u202e" * 300,
)


def methods(name: str) -> list[Any]:
    return list(MODULES[name].DESCRIPTOR.services_by_name[f"{name.capitalize()}Service"].methods)


def caller_of(suite: FourServices, name: str, method: Any) -> Callable[[bytes], str]:
    """Return what calls a method with bytes as they are, and gives OK, or the code or reason by which it is refused."""
    kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
    channel = grpc.insecure_channel(f"127.0.0.1:{suite.ports[name]}")
    begin = getattr(channel, kind)(f"/{method.containing_service.full_name}/{method.name}")

    def call(data: bytes) -> str:
        try:
            answer = begin(iter([data]) if method.client_streaming else data, timeout=CALL_SECONDS)
            if method.server_streaming:
                list(answer)
        except grpc.RpcError as error:
            # What is too large is refused by gRPC itself.
            return str(error.code().name if len(data) > MOST_MESSAGE_BYTES else refusal_of(error).reason)
        return "OK"

    return call


def invented(descriptor: Any, chooser: random.Random, depth: int = 0) -> Any:
    """Return a message whose fields hold anything that their types can."""
    message = message_factory.GetMessageClass(descriptor)()
    for each in descriptor.fields:
        if chooser.random() < 0.3 or (each.message_type and each.message_type.GetOptions().map_entry):
            continue
        values = [_value(each, chooser, depth) for _ in range(chooser.choice((1, 2, 300)) if each.is_repeated else 1)]
        holder = getattr(message, each.name)
        if each.type == FieldDescriptor.TYPE_MESSAGE:
            for value in values:
                (holder.add() if each.is_repeated else holder).CopyFrom(value)
        elif each.is_repeated:
            holder.extend(values)
        else:
            setattr(message, each.name, values[0])
    return message


def _value(field: Any, chooser: random.Random, depth: int) -> Any:
    kind = field.cpp_type
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        if depth < DEPTH:
            return invented(field.message_type, chooser, depth + 1)
        return message_factory.GetMessageClass(field.message_type)()
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chooser.randbytes(20)
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return chooser.choice(TEXTS)
    if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return chooser.choice(FLOATS)
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return chooser.choice((True, False))
    bits = 64 if kind in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64) else 32
    is_signed = kind not in (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64)
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return chooser.choice([number for number in NUMBERS if least <= number <= most])


def lives(suite: FourServices, name: str) -> bool:
    """Tell whether a service still answers and has met no defect."""
    log = (suite.data / f"{name}.log").read_text()
    probe: dict[str, tuple[Any, Any]] = {
        "indexer": (suite.indexer.ListRepositories, indexer_pb2.ListRepositoriesRequest()),
        "classifier": (suite.classifier.AnalyzeTask, classifier_pb2.AnalyzeTaskRequest(task="x")),
        "retriever": (suite.retriever.ListRemovals, retriever_pb2.ListRemovalsRequest()),
        "orchestrator": (suite.orchestrator.ListSessions, orchestrator_pb2.ListSessionsRequest()),
    }
    call, request = probe[name]
    call(request, timeout=CALL_SECONDS)
    return "rpc.defect" not in log


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_are_no_request_are_refused(suite: FourServices, name: str) -> None:
    """Random ones, groups without an end, and more than 4 MiB."""
    chooser = random.Random(7)
    for method in methods(name):
        call = caller_of(suite, name, method)
        codes = {call(chooser.randbytes(length)) for length in (1, 10, 100, 100_000) for _ in range(3)}

        assert codes <= EXPECTED, method.name
        assert call(b"\x0b" * 200) == "ERROR_REASON_INVALID_ARGUMENT", method.name
        assert call(b"\x0a" + bytes(MOST_MESSAGE_BYTES)) == "RESOURCE_EXHAUSTED", method.name
    assert lives(suite, name)


@pytest.mark.parametrize("name", NAMES)
def test_requests_that_hold_anything_get_a_status_of_the_contract(suite: FourServices, name: str) -> None:
    """Every field at the ends of what it may hold, hundreds of repeated ones, unknown values of enums."""
    chooser = random.Random(11)
    for method in methods(name):
        call = caller_of(suite, name, method)
        for _ in range(12):
            request = invented(method.input_type, chooser)

            assert call(request.SerializeToString()) in EXPECTED, f"{method.name}: {str(request)[:2000]}"
    assert lives(suite, name)


def crowded(descriptor: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield, for each repeated field at any depth, its name and a message with as many values as it has room for."""
    for each in descriptor.fields:
        message = message_factory.GetMessageClass(descriptor)()
        if each.message_type and each.message_type.GetOptions().map_entry:
            continue
        if each.is_repeated:
            value = _value(each, random.Random(3), DEPTH) if each.type == FieldDescriptor.TYPE_MESSAGE else None
            one = message_factory.GetMessageClass(descriptor)()
            getattr(one, each.name).extend([value or ("a" if each.type == FieldDescriptor.TYPE_STRING else 0)])
            data = one.SerializeToString() * (MOST_MESSAGE_BYTES // (2 * one.ByteSize()))
            yield each.name, message_factory.GetMessageClass(descriptor).FromString(data)
        elif each.type == FieldDescriptor.TYPE_MESSAGE and depth < DEPTH:
            for name, inner in crowded(each.message_type, depth + 1):
                getattr(message, each.name).CopyFrom(inner)
                yield f"{each.name}.{name}", message


@pytest.mark.parametrize("name", NAMES)
def test_no_list_holds_up_its_service_however_long_it_is(suite: FourServices, name: str) -> None:
    """Every list of every request, as long as a message can carry it: refused or served, and soon."""
    for method in methods(name):
        call = caller_of(suite, name, method)
        for field, message in crowded(method.input_type):
            for known in {"repository", "name", "retrieval_id"} & {*method.input_type.fields_by_name} - {field}:
                setattr(message, known, RIGHT[known])
            data, least = message.SerializeToString(), float("inf")
            for _ in range(TRIES):
                began = time.monotonic()

                assert call(data) in EXPECTED, f"{method.name}: {field}"
                least = min(least, time.monotonic() - began)
                if least < REFUSED_WITHIN_SECONDS:
                    break
            assert least < REFUSED_WITHIN_SECONDS, f"{method.name}: {field}"
    assert lives(suite, name)


def paged() -> list[tuple[str, Any]]:
    """Return every method whose requests have a page token."""
    return [(name, each) for name in NAMES for each in methods(name) if "page_token" in each.input_type.fields_by_name]


@pytest.mark.parametrize(("name", "method"), paged(), ids=lambda each: getattr(each, "name", each))
def test_a_token_that_was_tampered_with_is_refused(suite: FourServices, name: str, method: Any) -> None:
    """By every method that has pages: one that is invented, that is no base64, and one of another method."""
    call = caller_of(suite, name, method)
    message = message_factory.GetMessageClass(method.input_type)
    fields = right_fields(method)
    suite.retriever.Retrieve(
        retriever_pb2.RetrieveRequest(repository="shop", question="What is charged?", retrieval_id="r1"),
        timeout=CALL_SECONDS,
    )
    lookup = retriever_pb2.LookupSymbolsRequest(repository="shop", name="__init__", page_size=1)
    borrowed = suite.retriever.LookupSymbols(lookup, timeout=CALL_SECONDS).next_page_token

    assert call(message(**fields).SerializeToString()) == "OK"
    assert borrowed
    for token in ("A" * 40, "not base64!", "\0", borrowed, "é" * 100):
        request = message(**fields, page_token=token)

        assert call(request.SerializeToString()) == "ERROR_REASON_PAGE_TOKEN_INVALID", token


def right_fields(method: Any) -> dict[str, Any]:
    """Return what makes a request of a method right, as far as one suite is not changed by it."""
    values = RIGHT | RIGHT_FOR.get(method.name, {})
    return {name: value for name, value in values.items() if name in method.input_type.fields_by_name}


def text_fields(descriptor: Any, depth: int = 0) -> Iterator[tuple[str, ...]]:
    """Yield the way to each text that a message may have, by names of fields."""
    for each in descriptor.fields:
        if each.type == FieldDescriptor.TYPE_STRING:
            yield (each.name,)
        elif each.message_type and not each.message_type.GetOptions().map_entry and depth < DEPTH:
            yield from ((each.name, *rest) for rest in text_fields(each.message_type, depth + 1))


def with_text(request: Any, way: tuple[str, ...], text: str) -> bytes:
    """Return a request with another text in one place, all else being as it was."""
    changed = type(request)()
    changed.CopyFrom(request)
    holder = changed
    for name in way[:-1]:
        held = getattr(holder, name)
        holder = (held[0] if held else held.add()) if holder.DESCRIPTOR.fields_by_name[name].is_repeated else held
    if holder.DESCRIPTOR.fields_by_name[way[-1]].is_repeated:
        getattr(holder, way[-1])[:] = [text]
    else:
        setattr(holder, way[-1], text)
    return bytes(changed.SerializeToString())


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_too_strange_in_a_request_that_is_right(suite: FourServices, name: str) -> None:
    """What is refused for something else tries nothing: each text of a right request is replaced, the others stay."""
    built = {key: RIGHT[key] for key in ("repository", "task", "task_id", "stages", "context_window_tokens")}
    suite.retriever.BuildContext(retriever_pb2.BuildContextRequest(**built), timeout=CALL_SECONDS)
    for method in methods(name):
        call = caller_of(suite, name, method)
        request = message_factory.GetMessageClass(method.input_type)(**right_fields(method))

        assert call(request.SerializeToString()) in EXPECTED - {"ERROR_REASON_INVALID_ARGUMENT"}, method.name
        for way in text_fields(method.input_type):
            for text in HOSTILE_TEXTS:
                data, began = with_text(request, way, text), time.monotonic()

                assert call(data) in EXPECTED, f"{method.name}: {'.'.join(way)}: {text[:20]}"
                assert time.monotonic() - began < TEXT_WITHIN_SECONDS, f"{method.name}: {'.'.join(way)}: {text[:20]}"
    assert lives(suite, name)
