"""A type whose name stands in more files than those of its known users."""

from __future__ import annotations

from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

FILES = {
    "src/note.rs": "pub struct Note {\n    pub size: u32,\n}\n\n"
    "impl Note {\n    pub fn new() -> Note {\n        Note { size: 3 }\n    }\n}\n\n"
    "pub struct Page {}\n",
    "src/desk.rs": "use crate::note::Note;\n\nfn make() -> u32 {\n    let note = Note::new();\n    note.size\n}\n",
    **{f"src/read{n}.rs": f"pub trait Read{n} {{\n    type Error: Into<Note>;\n}}\n" for n in range(7)},
    "src/told.rs": "// A Note is told here.\nfn tell() {}\n",
    "notes.py": "class Reader:\n    def read(self, Note):\n        return Note\n",
}


async def test_files_that_name_a_type_are_noted_beside_its_users(opened: OpenSnapshot) -> None:
    """Of its own language, in code, some by name: what breaks may be there too."""
    task = task_of("What would break if I change Note?", Mode.ANALYTICAL)

    text = (await Users().run(Context(), opened.snapshot, task, OrderJudge())).drafts[0].text

    assert "make (src/desk.rs:3)" in text
    named = ", ".join(f"src/read{n}.rs" for n in range(5))
    assert f"and its name stands in 7 more files, as a type or in ways that are not resolved: {named}\n" in text


async def test_who_calls_it_is_no_question_for_its_name(opened: OpenSnapshot) -> None:
    """Nor is anything noted where nobody is known."""
    for question in ("Who calls make?", "What would break if I change Page?"):
        context = await Users().run(Context(), opened.snapshot, task_of(question, Mode.ANALYTICAL), OrderJudge())

        assert all("its name stands" not in draft.text for draft in context.drafts)
