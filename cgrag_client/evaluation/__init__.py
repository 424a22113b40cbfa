"""
Evaluation commands: cases in, one table or JSON object out. They talk to the services over RPC like any caller.

A scorer is a module here with a function `command`, whose typed parameters are its options (typer reads them);
`cgrag eval NAME` runs it. Options that several scorers have are spelled alike: --cases, --mirrors, --mirror-map,
--repo, --json, --data, --limit. Errors of use are raised as UsageError, and a run that scored exits with 0.
"""
