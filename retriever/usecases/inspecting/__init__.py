"""Reads what the service decided, lost and removed."""
