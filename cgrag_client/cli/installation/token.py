"""`cgrag token`: makes a token for a caller and the lines for the access file."""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated

import typer

from cgrag_client.cli.console import stderr
from cgrag_client.connecting.tokens import hash_of, new_key, new_token
from cgrag_client.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9_.:@/-]{1,128}")
"""Names of callers that the services' access file allows."""


def token(
    name: Annotated[str, typer.Argument(help="Name of the caller.")] = "NAME",
    key: Annotated[bool, typer.Option("--key", help="Make a key for the services' identity_key_file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")] = False,
) -> None:
    """
    Make a token for a caller, and the lines that let it in.

    The token goes to the caller, as CGRAG_TOKEN or in a file that `[client] token_file` names; it is shown this once.
    The lines go into the services' access file, which holds the hash alone.

    Examples:

        cgrag token anna

        cgrag token --key > identity.key
    """
    if not key and not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a caller's name; use 1 to 128 letters, digits and -_.:@/")
    if key:
        made = new_key()
        sys.stdout.write((json.dumps({"key": made}) if as_json else made) + "\n")
        return
    made = new_token()
    if as_json:
        sys.stdout.write(json.dumps({"name": name, "token": made, "token_sha256": hash_of(made)}) + "\n")
        return
    stderr().print(f"the token of {name}, shown this once:")
    sys.stdout.write(made + "\n")
    stderr().print("\nfor the access file:")
    sys.stdout.write(
        f'\n[callers."{name}"]\ntoken_sha256 = ["{hash_of(made)}"]\nroles = ["asker"]\nrepositories = []\n'
    )
