"""`cgrag eval NAME`: the evaluation commands."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from cgrag_client.errors import UsageError

SCORERS = {
    "localization": "ranked files and functions for problem texts, against where they were repaired",
    "questions": "evidence retrieved for questions, against the places that answers rest on",
    "context": "lines that the answering engine is shown, against those that good answers cite",
    "answers": "whole answers, against the places that they should cite",
    "classifier": "modes of questions, against labels",
    "understanding": "intents and slots of questions, put in many ways",
    "callgraph": "edges of the call graph, against known ones",
    "claims": "verdicts on statements about code, against what a walk of the syntax trees says",
    "gaps": "outcomes of gaps, against what a walk of the syntax trees says",
}
_MODULES = {"claims": "claims.measure", "gaps": "gaps.measure"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    names = "\n\n".join(f"- {name}: {what}" for name, what in SCORERS.items())
    app.command(
        "eval",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
        help=f"Score the services against cases of yours.\n\n{names}\n\n`cgrag eval NAME --help` shows its options.",
        rich_help_panel="Quality",
    )(_evaluate)


def _evaluate(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Scorer to run.", show_default=False)] = "",
) -> None:
    if name not in SCORERS:
        if name in {"", "--help", "-h"}:
            typer.echo(context.get_help())
            return
        raise UsageError(f"no scorer is named {name!r}; there are {', '.join(SCORERS)}")
    module = importlib.import_module(f"cgrag_client.evaluation.{_MODULES.get(name, name)}")
    scorer = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # otherwise rich takes brackets for markup and drops them
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    scorer.command()(module.command)
    scorer(args=context.args, prog_name=f"cgrag eval {name}")
