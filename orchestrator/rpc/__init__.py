"""Servicer and conversion between messages and domain values."""
