"""Typed async client, command line and evaluation. Imports the generated stubs and nothing of the services."""

from cgrag_client.client import Client
from cgrag_client.errors import ClientError, ServiceUnreachable
from cgrag_client.settings import ClientSettings, load_settings

__all__ = ["Client", "ClientError", "ClientSettings", "ServiceUnreachable", "load_settings"]
