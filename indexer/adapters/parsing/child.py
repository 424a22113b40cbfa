"""The code of a parsing process: reads requests from a pipe and answers each, in order, with packed facts."""

from __future__ import annotations

import gc
import resource
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.adapters.parsing.packing import pack
from indexer.domain.failures import failure_reason
from indexer.domain.model import ParsedFile
from indexer.domain.parsing import FileFacts, ParseRequest
from indexer.domain.roles import is_test
from indexer.domain.snapshots.lexical import count_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection

    from indexer.ports import Language

UNANSWERED = ""
"""Key of a request that gets no answer; it only makes the process load the code for such files."""
_COLLECT_EVERY_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one parsing process: memory in bytes, and CPU seconds in all, so that an orphan ends by itself."""

    memory_bytes: int
    cpu_seconds: int


def serve(pipe: Connection, languages: Mapping[str, Language], limits: Limits, file_seconds: float) -> None:
    """
    Answer batches until the pipe closes.

    A file that takes more processor time than `file_seconds` ends the process by SIGPROF. Wall-clock time is not
    used, as the content of the index must not depend on the load of the machine.
    """
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.disable()  # facts have no cycles and are short-lived: garbage collection would take a third of the time
    gc.freeze()
    read = 0
    try:
        while True:
            for request in pipe.recv():
                signal.setitimer(signal.ITIMER_PROF, file_seconds)
                facts = read_file(request, languages)
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                if request.key != UNANSWERED:
                    pipe.send_bytes((b"1" if facts.keep else b"0") + pack(facts))
                read += len(request.text)
                if read >= _COLLECT_EVERY_BYTES:
                    read = 0
                    gc.collect()
    except (EOFError, BrokenPipeError):
        return


def read_file(request: ParseRequest, languages: Mapping[str, Language]) -> FileFacts:
    """Return the facts of one file; one that its language cannot read has lexical counts and the error."""
    # Imported in the child only, so that the parent does not wait for it.
    from indexer.adapters.languages.configuration import configured
    from indexer.adapters.languages.marks import with_marks
    from indexer.adapters.languages.source_facts import with_source_facts
    from indexer.adapters.manifests.reading import manifest_facts

    language = languages.get(request.language)
    try:
        if language is None:
            said = (*configured(request.path, request.text), *manifest_facts(request.path, request.text))
            return replace(as_text(request, "", keep=True), values=said)
        parsed = language.parse(request.path, request.module, request.text)
        if parsed.error and len(parsed.symbols) == 1:
            return as_text(request, parsed.error, keep=True)
        if not is_test(request.path, parsed):  # values in a test are no settings of the project
            said = manifest_facts(request.path, request.text, 0)
            parsed = with_source_facts(language.name, request.path, request.text, parsed.with_facts(said))
        parsed = with_marks(language.name, request.path, parsed)
        return FileFacts(request.key, parsed, count_file(request.path, request.text, parsed), parsed.error)
    except MemoryError:
        gc.collect()
        return as_text(request, "parsing took too much memory", keep=False)
    except Exception as error:  # noqa: BLE001 (the boundary that keeps a defect from ending the index)
        return as_text(request, failure_reason(error), keep=True)


def as_text(request: ParseRequest, error: str, *, keep: bool) -> FileFacts:
    """Return the facts of a file that was not parsed: its lexical terms and the error."""
    terms = count_file(request.path, request.text, ParsedFile(request.language, (), (), b""))
    return FileFacts(request.key, None, terms, error, keep=keep)
