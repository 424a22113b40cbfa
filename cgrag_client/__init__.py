"""
Typed async client, command line and evaluation. Imports the generated stubs and nothing of the services.

Names are imported on first use, so that the command line starts before gRPC is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["Client", "ClientError", "ClientSettings", "ServiceUnreachable", "load_settings"]

if TYPE_CHECKING:
    from cgrag_client.client import Client
    from cgrag_client.connecting.settings import ClientSettings, load_settings
    from cgrag_client.errors import ClientError, ServiceUnreachable
else:  # so that type checkers know no other names
    _WHERE = {
        "Client": "client",
        "ClientError": "errors",
        "ClientSettings": "connecting.settings",
        "ServiceUnreachable": "errors",
        "load_settings": "connecting.settings",
    }

    def __getattr__(name: str) -> object:
        """Import a name of this package."""
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
