"""Tools about what is indexed: repositories with their freshness, indexing, and findings of analyzers."""

from __future__ import annotations

import os
from contextlib import aclosing
from typing import Annotated, Literal

from cgrag.indexer.v1 import indexer_pb2
from mcp.server.mcpserver import Context  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from mcp_types import CallToolResult  # noqa: TC002 - as above
from pydantic import Field

from cgrag_client.agents.replies import Offset, Repository, Tools, located, more, paged, reply
from cgrag_client.indexes import is_final, is_git_url, is_served, source_of
from cgrag_client.render import words
from cgrag_client.render.job import following, phase_line
from cgrag_client.render.status import when

SeverityName = Literal["info", "low", "medium", "high", "critical"]
_FINDINGS = 50


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 (it touches no file)


class Indexing:
    """MCP tools that list repositories and start indexing jobs."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def repositories(self) -> CallToolResult:
        """
        List what is indexed: name, commit, when it was indexed, what it was indexed from, and what is still being made.

        Use it to find the name that other tools take, and to see whether an index is older than the code.
        """
        async with self._tools.errors_told():
            found = await self._tools.client.indexes.repositories()
            rows: list[dict[str, object]] = []
            for each in found:
                jobs = await self._tools.client.indexes.recent_jobs(repository=each.repository, limit=1)
                job = jobs[0] if jobs else None
                rows.append(
                    {
                        "repository": each.repository,
                        "commit": each.current.commit,
                        "uncommitted_changes": each.current.dirty,
                        "indexed": when(each.current.publish_time),
                        "source": (job.source.local_path or job.source.git.url) if job else "",
                        "files": each.current.counts.files,
                        "layers": [words.layer(layer.kind) for layer in each.current.layers],
                        "now": following(job) or (phase_line(job) if job and not is_final(job) else ""),
                    }
                )
        lines = [
            f"{each['repository']}: {each['files']} files, indexed {each['indexed']}"
            + (f" at {str(each['commit'])[:12]}" if each["commit"] else "")
            + (" with uncommitted changes" if each["uncommitted_changes"] else "")
            + (f", from {each['source']}" if each["source"] else "")
            + (f"; {each['now']}" if each["now"] else "")
            for each in rows
        ]
        return reply("\n".join(lines) or "nothing is indexed yet; `index` does it", {"repositories": rows})

    async def index(
        self,
        source: Annotated[str, Field(description="Absolute path of a folder, or git URL.")],
        context: Context,
        name: Annotated[
            str | None, Field(description="To ask for it by; the last part of the source if left out.")
        ] = None,
        revision: Annotated[
            str | None, Field(description="Branch, tag or commit; a folder as it is if left out.")
        ] = None,
    ) -> CallToolResult:
        """
        Index a repository, or bring its index up to date; returns when questions can be asked about the files as they
        are now. Vectors may follow.

        Use it after you changed files, before you ask about them. Only what changed is read again.
        """
        path = source if is_git_url(source) else _expanded(source)
        async with self._tools.errors_told():
            indexes = self._tools.client.indexes
            job = await indexes.start(source_of(path, revision or ""), repository=name or "")
            async with aclosing(indexes.watch(job.job_id)) as jobs:
                async for job in jobs:
                    await context.report_progress(job.progress.done, job.progress.total or None, phase_line(job))
                    if is_final(job) or is_served(job):
                        break
        state = words.job_state(job.state)
        data: dict[str, object] = {
            "repository": job.repository,
            "state": state,
            "served": is_served(job),
            "unchanged": job.unchanged,
            "files": job.counts.files,
            "error": job.error,
        }
        if not is_served(job):
            return reply(f"{job.repository}: {state}, {job.error}" if job.error else f"{job.repository}: {state}", data)
        found = "nothing had changed" if job.unchanged else f"{job.counts.files} files"
        later = f"; {following(job)}" if following(job) else ""
        return reply(f"{job.repository}: {found}, questions can be asked{later}", data)

    async def findings(
        self,
        repository: Repository = None,
        severity: Annotated[SeverityName | None, Field(description="Least severity.")] = None,
        path: Annotated[str | None, Field(description="Only paths that start with this.")] = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        List what analyzers and scanners found, worst first.

        Use it before a review or a change, to see what is known to be wrong there.
        """
        least = indexer_pb2.Severity.Value(f"SEVERITY_{severity}".upper() if severity else "SEVERITY_UNSPECIFIED")
        found: list[indexer_pb2.Finding] = []
        async with self._tools.meant(repository) as name:
            listed = self._tools.client.findings.list(
                name, min_severity=least, path_prefix=(path or "").removeprefix("./")
            )
            async with aclosing(listed) as each_found:
                async for each in each_found:
                    found.append(each)
                    if len(found) > (offset or 0) + _FINDINGS:
                        break
        page, following_offset = paged(found, offset, _FINDINGS)
        rows = [
            {
                "severity": words.severity(each.severity),
                "category": words.category(each.category),
                "message": each.message,
                "rule": f"{each.tool} {each.rule}",
                **located(each.span),
            }
            for each in page
        ]
        lines = [
            f"{words.place(each.span)} {words.severity(each.severity)}: {each.message} [{each.tool} {each.rule}]"
            for each in page
        ]
        text = "\n".join(lines) + more(following_offset) if lines else "nothing was found"
        return reply(text, {"findings": rows, "next_offset": following_offset})
