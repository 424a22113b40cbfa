"""`cgrag precise`: call graphs as compilers see them."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path  # noqa: TC003 - used by typer itself at run time
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.indexer.v1 import indexer_pb2
from rich.text import Text

from cgrag_client.cli.answers.session import open_repository
from cgrag_client.cli.console import print_found, print_line, print_message, stderr
from cgrag_client.cli.options import Commands, Json, Repo, file_argument
from cgrag_client.errors import UsageError
from cgrag_client.render import words
from cgrag_client.render.status import imports_table

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cgrag.indexer.v1.indexer_pb2 import ImportPreciseEdgesResponse, PreciseImport

_REFUSED = {
    indexer_pb2.DOCUMENT_REFUSAL_UNSAFE_PATH: "with a path outside of its root",
    indexer_pb2.DOCUMENT_REFUSAL_NOT_INDEXED: "of files that are not in the snapshot",
    indexer_pb2.DOCUMENT_REFUSAL_WITHOUT_SYMBOLS: "of files that are indexed as text",
    indexer_pb2.DOCUMENT_REFUSAL_DUPLICATE: "of files that had one already",
    indexer_pb2.DOCUMENT_REFUSAL_OTHER_TEXT: "made for other text than that of the snapshot",
}
GROUP = Commands(no_args_is_help=True, rich_markup_mode="markdown", help="Take over what a compiler knows.")


@GROUP.command("import")
async def import_index(
    file: Annotated[
        Path,
        file_argument("Index made by an indexer of the language.", "FILE.scip"),
    ],
    repo: Repo = "",
    as_json: Json = False,
) -> None:
    """
    Import an index in the SCIP format: its edges replace those that cgrag found by itself.

    Make it from the commit that is indexed. It holds for each file until the file changes; import again to renew it.

    Examples:

        scip-python index . && cgrag precise import index.scip

        scip-typescript index --infer-tsconfig && cgrag precise import index.scip --repo shop
    """

    async with open_repository(repo) as (client, repository):
        try:
            with stderr().status(Text(f"importing {file.name}")):
                done = await client.precise.import_index(repository, file)
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}; give a SCIP index that can be read") from error
    if as_json:
        print_message(done)
    else:
        _show(done)


@GROUP.command("list")
async def list_imports(repo: Repo = "", as_json: Json = False) -> None:
    """
    List what was imported, newest first.

    An import is in force for a file as long as the file is what it was; a later import of a file replaces it there.

    Example:

        cgrag precise list --repo shop
    """

    async with open_repository(repo) as (client, repository):
        imports = await _all(client.precise.list(repository))
    print_found(imports, imports_table, "no imports; `cgrag precise import index.scip` adds one", as_json=as_json)


@GROUP.command("remove")
async def remove_imports(
    imports: Annotated[list[str] | None, typer.Argument(metavar="ID", help="As `list` shows them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all imports of the repository.")] = False,
    repo: Repo = "",
    as_json: Json = False,
) -> None:
    """
    Remove imports: their files have the edges again that cgrag found by itself.

    `cgrag precise list` shows their ids.

    Examples:

        cgrag precise remove 1f0c9a6b22d4

        cgrag precise remove --all --repo shop
    """
    if everything == bool(imports):
        raise UsageError("name the imports that `cgrag precise list` shows, or give --all, not both")

    async with open_repository(repo) as (client, repository):
        named = imports or [each.import_id for each in await _all(client.precise.list(repository))]
        if not named:
            stderr().print("no imports to remove", highlight=False)
            return
        with stderr().status("removing"):
            done = await client.precise.remove(repository, named)
    if as_json:
        print_message(done)
    else:
        left = words.count(done.edges_precise, "precise edge")
        told = f"{words.count(len(named), 'import')} removed: {words.count(done.files, 'file')}"
        print_line(f"{told} withdrawn, {left} left")


async def _all(found: AsyncGenerator[PreciseImport]) -> list[PreciseImport]:
    async with aclosing(found) as imports:
        return [each async for each in imports]


def _show(done: ImportPreciseEdgesResponse) -> None:
    precise = words.count(done.edges_precise, "precise edge")
    told = f"{words.count(done.documents, 'file')} covered; {precise} now stand for"
    print_line(f"{told} {words.number(done.edges_replaced)} of the linker's")
    for each in done.refused:
        why = _REFUSED.get(each.reason, "for another reason")
        stderr().print(f"left out: {words.count(each.documents, 'document')} {why}", highlight=False)
