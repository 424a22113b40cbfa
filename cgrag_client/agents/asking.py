"""Tools that answer: questions, contexts of tasks, and what was answered before."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Literal

from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2
from mcp.server.mcpserver import Context  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult  # noqa: TC002 - as above
from pydantic import Field

from cgrag_client.agents.replies import Repository, Tools, located, reply
from cgrag_client.render import words
from cgrag_client.render.answer import answer_for_agents, open_gaps
from cgrag_client.render.status import when

if TYPE_CHECKING:
    from collections.abc import Sequence

ModeName = Literal["auto", "conceptual", "diagnostic", "exploratory", "analytical"]
Names = Annotated[list[str] | None, Field(description="As the code writes them.", max_length=50)]
_WINDOW = 16_000


class Asking:
    """Tools that answer."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def ask(
        self,
        question: Annotated[
            str, Field(description="What something does, why it fails, how control flows, or how it is built.")
        ],
        context: Context,
        repository: Repository = None,
        mode: Annotated[ModeName | None, Field(description="How to look; auto lets the service decide.")] = None,
        session: Annotated[
            str | None,
            Field(description='Id that an earlier answer gave: "it" and "why?" then mean what that was about.'),
        ] = None,
    ) -> CallToolResult:
        """
        Answer a question about a codebase from its source, with citations, and say what could not be found.

        Use it first, for whatever takes more than one look: why something fails, how a request flows, what a module is
        for, what breaks. For a name or a message that you know exactly, `lookup_symbol` or `search` is cheaper.
        """
        chosen = "MODE_UNSPECIFIED" if mode in (None, "auto") else f"MODE_{mode}".upper()
        options = orchestrator_pb2.AskOptions(mode=question_pb2.Mode.Value(chosen))
        async with self._tools.meant(repository) as name:
            asked = self._tools.client.ask(question, repository=name, options=options, session_id=session or "")
            async with aclosing(asked) as events:
                async for event in events:
                    await context.report_progress(event.sequence, message=event.WhichOneof("event"))
                    if event.WhichOneof("event") == "completed":
                        return _answer(event.completed.answer)
        raise ToolError("the answer did not complete")

    async def history(
        self,
        answer: Annotated[str | None, Field(description="Id of an answer to read again.")] = None,
    ) -> CallToolResult:
        """
        List your sessions, last used first, or read an earlier answer again by its id.

        Use it to go on with a session of before, or to look up an answer without paying for it twice.
        """
        async with self._tools.errors_told():
            if answer:
                return _answer(await self._tools.client.answers.get(answer))
            sessions = await self._tools.client.answers.sessions()
        rows = [
            {"session": each.session_id, "repository": each.repository, "last_used": when(each.last_use_time)}
            for each in sessions
        ]
        text = "\n".join(f"{each['session']} {each['repository']} {each['last_used']}" for each in rows)
        return reply(text or "no session yet; `ask` opens one", {"sessions": rows})

    async def context(
        self,
        task: Annotated[str, Field(description="What is to be done: an issue, a report, a change to make.")],
        repository: Repository = None,
        context_window: Annotated[
            int | None, Field(ge=500, le=1_000_000, description=f"Tokens that it may take; {_WINDOW} if left out.")
        ] = None,
    ) -> CallToolResult:
        """
        Build the source that a task needs, within a budget: what to change, what depends on it, its tests.

        Use it before you plan or make a change; `refine_context` adds what turns out to be missing.
        """
        async with self._tools.meant(repository) as name:
            request = retriever_pb2.BuildContextRequest(
                repository=name,
                task=task,
                stages=["scope", "precision"],
                context_window_tokens=context_window or _WINDOW,
                format=retriever_pb2.CONTEXT_FORMAT_MARKDOWN,
            )
            return _package(await self._tools.client.code.build_context(request))

    async def refine_context(
        self,
        task_id: Annotated[str, Field(description="Id that `context` gave.")],
        repository: Repository = None,
        files: Names = None,
        symbols: Names = None,
        tests: Names = None,
        errors: Annotated[list[str] | None, Field(description="Messages that came up.", max_length=50)] = None,
    ) -> CallToolResult:
        """
        Add what was missing to the context of a task; the budget stays the same.

        Use it after `context`, when a file, symbol, test or error shows up that it does not have.
        """
        async with self._tools.meant(repository) as name:
            request = retriever_pb2.RefineContextRequest(
                repository=name,
                task_id=task_id,
                missing_files=files or (),
                missing_symbols=symbols or (),
                missing_tests=tests or (),
                error_signatures=errors or (),
            )
            return _package(await self._tools.client.code.refine_context(request))


def _answer(answer: orchestrator_pb2.Answer) -> CallToolResult:
    citations = [
        {"number": each.number, "symbol": each.symbol.qualified_name, **located(each.span)} for each in answer.citations
    ]
    unresolved: Sequence[str] = list(open_gaps(answer))
    data: dict[str, object] = {
        "text": answer.text,
        "citations": citations,
        "confidence": words.confidence(answer.confidence),
        "confidence_reason": answer.confidence_reason,
        "note": answer.disclaimer,
        "not_found": unresolved,
        "changed_files": list(answer.changed_files),
        "answer": answer.answer_id,
        "session": answer.session_id,
    }
    return reply(answer_for_agents(answer), data)


def _package(package: retriever_pb2.ContextPackage) -> CallToolResult:
    entries = [
        {**located(each.evidence.span), "title": each.evidence.title, "signature_only": each.demoted}
        for each in package.entries
    ]
    data: dict[str, object] = {
        "task_id": package.task_id,
        "entries": entries,
        "not_found": list(package.not_found),
        "used_tokens": package.used_tokens,
        "limit_tokens": package.limit_tokens,
    }
    missed = f"Not found: {', '.join(package.not_found)}\n" if package.not_found else ""
    way_on = f"[task {package.task_id}: {package.used_tokens} of {package.limit_tokens} tokens; refine_context adds]\n"
    return reply(f"{package.rendered.rstrip()}\n\n{missed}{way_on}", data)
