"""Connections: addresses, certificates, tokens, health."""
