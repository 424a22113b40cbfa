"""
The next release: this checkout with what a maintainer may add by the rules of docs/deploying.md, really in use.

Messages have new fields, answers' streams a new kind of event, enumerations new members, records new fields, tables new
columns, and snapshots the next schema version. Whatever is added is also written, wherever there is a place for it.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LATER = 99
"""Number of all that is added to contracts."""
_PACKAGES = ("classifier", "common", "indexer", "orchestrator", "protos", "retriever")

_FIELDS_OF_MESSAGES = {
    "type/v1/question": ("Budget", "Classification", "Switches"),
    "type/v1/evidence": ("Citation", "Evidence", "Gap", "GapResult"),
    "classifier/v1/classifier": ("ClassifyQuestionRequest",),
    "indexer/v1/indexer": ("IndexJob", "Snapshot", "StartIndexingRequest"),
    "orchestrator/v1/orchestrator": ("Answer", "AskOptions", "AskRequest", "LoopMetadata", "Started", "Warning"),
    "retriever/v1/retriever": ("ResolveGapsRequest", "RetrieveRequest", "RetrieveResponse"),
}
_MEMBERS_OF_CONTRACTS = {
    "type/v1/question": {"Mode": "MODE_COMPARATIVE"},
    "type/v1/evidence": {"EvidenceKind": "EVIDENCE_KIND_RECORDING", "GapOutcome": "GAP_OUTCOME_REDIRECTED"},
    "indexer/v1/indexer": {"SkipReason": "SKIP_REASON_QUARANTINED"},
    "orchestrator/v1/orchestrator": {"StopReason": "STOP_REASON_SATISFIED"},
}
_IN_CLASSES = {
    "common/core/contract/evidence.py": {"GapOutcome": "REDIRECTED = auto()"},
    "indexer/domain/tree.py": {"SkipReason": "QUARANTINED = 99"},
    "orchestrator/domain/answers/answer.py": {
        "StopReason": "SATISFIED = auto()",
        "LoopMetadata": "later: str = 'written'",
    },
    "orchestrator/domain/evidence/piece.py": {
        "EvidenceKind": "RECORDING = auto()",
        "Evidence": "later: str = 'written'",
        "GapResult": "later: str = 'written'",
    },
    "orchestrator/domain/questions/question.py": {"AskOptions": "later: str = ''", "Mode": "COMPARATIVE = auto()"},
    "orchestrator/domain/answers/records.py": {"AnswerRecord": "later: str = 'written'"},
    "retriever/domain/evidence/piece.py": {"Decision": "later: str = ''"},
    "retriever/domain/tasks/task.py": {"TaskState": "later: str = 'written'"},
}
_CONSTANTS = {
    "indexer/domain/snapshots/snapshot.py": ("SCHEMA_VERSION = 2", "SCHEMA_VERSION = 3"),
    "indexer/queries/schema.sql": ("CREATE TABLE meta", "CREATE TABLE later (id INTEGER);\nCREATE TABLE meta"),
    "orchestrator/queries/answers.sql": ("owner TEXT NOT NULL,", "owner TEXT NOT NULL, later TEXT DEFAULT '',"),
    "orchestrator/queries/sessions.sql": ("body TEXT NOT NULL,", "body TEXT NOT NULL, later TEXT DEFAULT '',"),
    "retriever/adapters/snapshots/folder.py": ("SCHEMA_VERSIONS = (1, 2)", "SCHEMA_VERSIONS = (2, 3)"),
    "retriever/queries/tasks.sql": ("time REAL NOT NULL,", "time REAL NOT NULL, later TEXT DEFAULT '',"),
}
_ADD_COLUMN = """
def _with_column(connection, table):
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    if "later" not in names:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN later TEXT DEFAULT ''")
"""
_APPENDED = {
    "indexer/adapters/jobs/queue.py": _ADD_COLUMN
    + """
_init_of_before = SqliteJobQueue.__init__
def _init(self, file):
    _init_of_before(self, file)
    _with_column(self._connection, "jobs")
SqliteJobQueue.__init__ = _init

_rest_of_before, _spec_of_before = _rest, _spec
def _rest(job):
    return json.dumps(json.loads(_rest_of_before(job)) | {"later": "written"})
def _spec(job):
    return json.dumps(json.loads(_spec_of_before(job)) | {"later": "written"})
""",
    "indexer/adapters/store/manifests.py": """
_encode_counts_of_before = encode_counts
def encode_counts(counts):
    plain = _encode_counts_of_before(counts)
    return plain | {"skipped": plain["skipped"] | {"99": 1}, "later": 1}
""",
    "orchestrator/adapters/stores/database.py": _ADD_COLUMN
    + """
_connected_of_before = Database._connected
def _connected(self):
    is_new = self._connection is None
    connection = _connected_of_before(self)
    if is_new:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            _with_column(connection, table)
    return connection
Database._connected = _connected
""",
    "orchestrator/adapters/stores/postgres_answers.py": """
_Tables_of_before = Tables
_LATER = '''
ALTER TABLE cgrag_answers ADD COLUMN later text NOT NULL DEFAULT '';
ALTER TABLE cgrag_answer_events ADD COLUMN later text NOT NULL DEFAULT '';
ALTER TABLE cgrag_answer_holds ADD COLUMN later text NOT NULL DEFAULT '';
ALTER TABLE cgrag_answer_debts ADD COLUMN later text NOT NULL DEFAULT '';
'''
def Tables(name, steps):
    return _Tables_of_before(name, (*steps, _LATER))
""",
    "orchestrator/domain/answers/events.py": """
@dataclass(frozen=True, slots=True)
class Thought:
    pass_number: int
    text: str = ""

Event = Event | Thought
""",
    "orchestrator/domain/answers/phases.py": """
from orchestrator.domain.answers.events import Thought
_transitions = {(phase, Thought): phase for phase in Phase if phase not in (Phase.NEW, Phase.DONE)}
TRANSITIONS = MappingProxyType({**TRANSITIONS, **_transitions})
""",
    "orchestrator/domain/questions/sessions.py": """
_REMEMBERED = _REMEMBERED | {GapOutcome.REDIRECTED}
""",
    "orchestrator/domain/answers/state.py": """
from orchestrator.domain.answers.events import Thought
_changed_of_before = _changed
def _changed(state, event, phase):
    return state if isinstance(event, Thought) else _changed_of_before(state, event, phase)
""",
    "orchestrator/rpc/convert.py": """
_MESSAGES = MappingProxyType({**_MESSAGES, events.Thought: ("thought", pb.Thought)})
""",
    "orchestrator/usecases/answering/context.py": """
from dataclasses import replace as _replaced
from orchestrator.domain.answers.answer import StopReason as _StopReason
from orchestrator.domain.answers.events import Completed as _Completed, PassStarted as _PassStarted, Thought as _Thought
_emit_of_before = Answering.emit
async def _emit(self, event):
    if isinstance(event, _Completed):
        metadata = _replaced(event.answer.metadata, stop_reason=_StopReason.SATISFIED)
        event = _Completed(_replaced(event.answer, metadata=metadata))
    await _emit_of_before(self, event)
    if isinstance(event, _PassStarted):
        for number in range(3):
            await _emit_of_before(self, _Thought(event.pass_number, f"thought {number}"))
Answering.emit = _emit
""",
    "orchestrator/domain/writing/sections/notes.py": """
_OUTCOMES = MappingProxyType({**_OUTCOMES, GapOutcome.REDIRECTED: "is called otherwise now"})
""",
    "classifier/rpc/convert.py": """
_classification_of_before = classification_to_message
def classification_to_message(classification, cost_usd):
    message = _classification_of_before(classification, cost_usd)
    message.mode, message.later = 99, "written"
    return message
""",
    "retriever/adapters/state/decisions_sqlite.py": """
_packed_of_before = packed
def packed(decision):
    return json.dumps([*json.loads(_packed_of_before(decision)), "written"])
""",
    "retriever/rpc/decode.py": """
_mode_of_before = _mode
def _mode(wrong, number, field):
    return Mode.EXPLORATORY if number == 99 else _mode_of_before(wrong, number, field)
""",
    "retriever/rpc/encode.py": """
_evidence_of_before, _gap_result_of_before, _retrieval_of_before = evidence, _gap_result, retrieval
def evidence(piece, pass_number):
    message = _evidence_of_before(piece, pass_number)
    message.later = "written"
    if message.kind == evidence_pb2.EVIDENCE_KIND_DOC:
        message.kind = 99
    return message
def _gap_result(result):
    message = _gap_result_of_before(result)
    if message.outcome == evidence_pb2.GAP_OUTCOME_ABSENT:
        message.outcome = 99
    return message
def retrieval(question, found):
    message = _retrieval_of_before(question, found)
    message.later = "written"
    return message
""",
}
_THOUGHT = """
// What the engine thinks while it writes.
message Thought {
  int32 pass_number = 1;
  string text = 2;
}
"""


def make_next_release(folder: Path) -> Path:
    """Make the next release out of this checkout, and return its checkout."""
    for package in _PACKAGES:
        shutil.copytree(ROOT / package, folder / package)
    for name, messages in _FIELDS_OF_MESSAGES.items():
        for each in messages:
            _add_to_contract(folder, name, f"message {each}", f"string later = {LATER};")
    for name, members in _MEMBERS_OF_CONTRACTS.items():
        for enum, member in members.items():
            _add_to_contract(folder, name, f"enum {enum}", f"{member} = {LATER};")
    _add_to_contract(folder, "orchestrator/v1/orchestrator", "oneof event", f"Thought thought = {LATER};")
    _append(folder / "protos/cgrag/orchestrator/v1/orchestrator.proto", _THOUGHT)
    _generate(folder / "protos")
    for path, classes in _IN_CLASSES.items():
        for name, line in classes.items():
            _add_to_class(folder / path, name, line)
    for path, (before, after) in _CONSTANTS.items():
        _replace(folder / path, before, after)
    for path, code in _APPENDED.items():
        _append(folder / path, code)
    return folder


def _add_to_contract(folder: Path, name: str, block: str, line: str) -> None:
    """Add a line to a block of a contract, before its closing brace."""
    file = folder / "protos/cgrag" / f"{name}.proto"
    text = file.read_text(encoding="utf-8")
    found = re.search(rf"^( *){block} \{{\n.*?^\1\}}", text, re.MULTILINE | re.DOTALL)
    assert found, f"{name}.proto has no {block}: tell this module where it is now"
    end = found.end() - 1 - len(found[1])
    file.write_text(f"{text[:end]}  {line}\n{text[end:]}", encoding="utf-8")


def _add_to_class(file: Path, name: str, line: str) -> None:
    """Add a field or a member behind the last one of a class."""
    text = file.read_text(encoding="utf-8")
    classes = [each for each in ast.parse(text).body if isinstance(each, ast.ClassDef) and each.name == name]
    assert classes, f"{file.name} has no class {name}: tell this module where it is now"
    last = [each for each in classes[0].body if isinstance(each, (ast.Assign, ast.AnnAssign))][-1]
    lines = text.splitlines()
    lines.insert(last.end_lineno or 0, f"    {line}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _replace(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text, f"{file.name} has no {before!r} any more: tell this module what it has"
    file.write_text(text.replace(before, after), encoding="utf-8")


def _append(file: Path, code: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + code, encoding="utf-8")


def _generate(protos: Path) -> None:
    sources = [str(path.relative_to(protos)) for path in (protos / "cgrag").rglob("*.proto")]
    outputs = [f"--{kind}_out={protos / 'gen'}" for kind in ("python", "grpc_python")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{protos}", *outputs, *sources]
    subprocess.run(command, check=True, cwd=protos)
