"""Texts are checked over RPC, and a model's answer carries what checking it found."""

from __future__ import annotations

from itertools import permutations

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.fakes.answering import details, refusal
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, asking
from tests.fakes.peers import PATH, REPOSITORY, SNAPSHOT, source, symbol

TEXT = "`checkout()` calls `charge()`. It never calls `authorise()`.\n\nSee `Bank.vanish()`."


async def test_each_claim_of_a_text_has_its_verdict_and_its_place(suite: Orchestrating) -> None:
    """Whoever wrote it; what is denied is no claim."""
    response = await suite.stub.CheckText(pb.CheckTextRequest(repository=REPOSITORY, text=TEXT))

    found = {
        (each.checked.claim.subject, each.checked.claim.object): (
            evidence_pb2.ClaimVerdict.Name(each.checked.verdict).removeprefix("CLAIM_VERDICT_"),
            TEXT[each.start : each.end],
        )
        for each in response.claims
    }
    assert response.snapshot_id == SNAPSHOT
    assert found["checkout", "charge"] == ("VERIFIED", "`checkout()` calls `charge()`.")
    assert found["Bank.vanish", ""] == ("CONTRADICTED", "See `Bank.vanish()`.")
    assert not any("authorise" in what for _, what in found)


@pytest.mark.parametrize(("repository", "text", "field"), [("", TEXT, "repository"), (REPOSITORY, "", "text")])
async def test_a_text_and_its_repository_are_needed(
    repository: str, text: str, field: str, suite: Orchestrating
) -> None:
    """The error names the field."""
    refused = await refusal(suite.stub.CheckText(pb.CheckTextRequest(repository=repository, text=text)))

    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in str(details(refused))


async def test_a_sentence_that_is_contradicted_says_so_in_the_answer(model: AnthropicServer) -> None:
    """The stream has what the model wrote, the answer what became of it."""
    model.enqueue(Message("`checkout()` takes the money [E1]. Then `Bank.vanish()` runs [E1]."))
    async with asking(model, max_passes=1) as suite:
        answer = await suite.answer()

    assert answer.text.startswith(
        "`checkout()` takes the money [1]. Then `Bank.vanish()` runs. _(contradicted by the index"
    )
    assert answer.text.count("contradicted") == 1


async def test_a_citation_moves_to_the_evidence_that_shows_what_it_is_cited_for(model: AnthropicServer) -> None:
    """The answer says so; numbers and citations stay together."""
    model.enqueue(Message("`authorise()` asks the bank [E1]. `checkout()` begins [E1]. `Nobody.knows()` [E2]."))
    async with asking(model, max_passes=1) as suite:
        suite.retriever.first = [source("checkout"), source("authorise")]
        answer = await suite.answer()

    assert answer.text.startswith("`authorise()` asks the bank [1]. `checkout()` begins [2]. `Nobody.knows()`")
    assert [each.symbol.qualified_name for each in answer.citations] == ["authorise", "checkout"]
    assert "1 of 3 citations beside names now cite" in answer.disclaimer
    assert "1 of 3 citations beside names were removed" in answer.disclaimer


async def test_a_list_is_cited_by_the_lines_of_those_whom_the_sentence_names(model: AnthropicServer) -> None:
    """A sentence that names none of them cites all; lines of a list have no hash of a piece, and lead to their file."""
    users = [
        evidence_pb2.User(name=name, symbol=symbol(name), place=code_pb2.Span(path=PATH, start_line=at, end_line=at))
        for name, at in (("checkout", 4), ("authorise", 13))
    ]
    listed = evidence_pb2.Evidence(
        evidence_id="ev-users",
        kind=evidence_pb2.EVIDENCE_KIND_FLOW,
        title="What charge is used by",
        text="charge is used by 3\n",
        tokens=9,
        mentions=[symbol("checkout"), symbol("authorise")],
        users=evidence_pb2.UserList(
            name="charge",
            count=3,
            listed=[*users, evidence_pb2.User(name="README.md", place=code_pb2.Span(path="README.md", start_line=2))],
        ),
    )
    model.enqueue(Message("Three use `charge()` [E1]. `checkout()` is one of them [E1], and line 2 too [E1]."))
    async with asking(model, max_passes=1) as suite:
        suite.retriever.first = [listed]
        answer = await suite.answer()

    assert answer.text == "Three use `charge()` [1][2][3]. `checkout()` is one of them [1], and line 2 too [3]."
    places = [(each.span.path, each.span.start_line) for each in answer.citations]
    assert places == [(PATH, 4), (PATH, 13), ("README.md", 2)]
    assert "citations beside names" not in answer.disclaimer


async def test_an_owner_that_a_real_name_does_not_have_is_marked(model: AnthropicServer) -> None:
    """However that is said; what is marked as general knowledge is not held against the repository."""
    model.enqueue(
        Message("`charge`, which lives on `Till`, asks [E1]. General knowledge: `Path` ships with `charge` [E1].")
    )
    async with asking(model, max_passes=1) as suite:
        suite.retriever.first = [source("charge")]
        answer = await suite.answer()

    marked, _, rest = answer.text.partition(" General")
    assert "_(contradicted by the index" in marked
    assert "contradicted" not in rest
    owners = {each.claim.subject: each.verdict for each in answer.claims if "." in each.claim.subject}
    assert owners["Till.charge"] == evidence_pb2.CLAIM_VERDICT_CONTRADICTED


async def test_what_the_index_contradicts_is_put_to_the_model_once(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """Where a pass is left; what it then says stands, marked where it is contradicted again."""
    model.enqueue(
        Message("`checkout()` takes the money [E1]. Then `Bank.vanish()` runs."), Message("`Bank.gone()` [E1].")
    )
    events = await modelled.ask()

    answer = events[-1].completed.answer
    [warning] = [each.warning for each in events if each.HasField("warning") and each.warning.code == "contradicted"]
    assert "Then `Bank.vanish()` runs." in warning.message
    assert b"Then `Bank.vanish()` runs." in model.requests[1].body
    assert len(model.requests) == answer.metadata.passes == 2
    assert answer.text.startswith("`Bank.gone()`. _(contradicted by the index")


async def test_an_answer_that_was_corrected_says_nothing_of_it(model: AnthropicServer, modelled: Orchestrating) -> None:
    """Its first form is not in the answer."""
    model.enqueue(Message("`Bank.vanish()` runs [E1]."), Message("`checkout()` runs [E1]."))
    answer = await modelled.answer()

    assert answer.text == "`checkout()` runs [1]."
    assert "Bank" not in answer.disclaimer


async def test_a_member_that_an_owner_only_names_is_not_refuted(suite: Orchestrating) -> None:
    """A verb that no lexicon knows may say that the owner uses it."""
    text = "`Cart` reveres `charge`. `Cart` reveres `vanish`."
    response = await suite.stub.CheckText(pb.CheckTextRequest(repository=REPOSITORY, text=text))

    verdicts = {
        each.checked.claim.subject: evidence_pb2.ClaimVerdict.Name(each.checked.verdict).removeprefix("CLAIM_VERDICT_")
        for each in response.claims
        if each.checked.claim.kind == evidence_pb2.CLAIM_KIND_EXISTS and "." in each.checked.claim.subject
    }
    assert verdicts == {"Cart.charge": "UNCHECKABLE", "Cart.vanish": "CONTRADICTED"}


async def test_the_evidence_only_writer_is_taken_at_its_word(suite: Orchestrating) -> None:
    """What it cites is what it was made of."""
    answer = await suite.answer()

    assert "citations beside names" not in answer.disclaimer
    assert "contradicted by the index" not in answer.text


@pytest.mark.parametrize(("names", "is_told"), [(("vanish",), False), (("vanish", "gone", "lost"), True)])
async def test_few_contradictions_among_many_claims_stand_in_the_claims_alone(
    model: AnthropicServer, names: tuple[str, ...], is_told: bool, modelled: Orchestrating
) -> None:
    """A sentence may be misread: one of many is neither marked, nor put to the model, nor held against the answer."""
    known = permutations(("checkout", "charge", "authorise"), 2)
    said = "".join(f"`{one}()` {does} `{other}()` [E1]. " for one, other in known for does in ("sets", "uses"))
    model.enqueue(Message(said + "".join(f"Then `Bank.{name}()` runs. " for name in names)), Message("It is so [E1]."))
    answer = await modelled.answer()

    assert len(model.requests) == (2 if is_told else 1)
    if not is_told:
        assert "contradicted" not in f"{answer.text}{answer.disclaimer}{answer.confidence_reason}"
        refuted = [
            each.claim.subject for each in answer.claims if each.verdict == evidence_pb2.CLAIM_VERDICT_CONTRADICTED
        ]
        assert refuted == ["Bank.vanish"]
