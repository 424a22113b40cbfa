"""Logs as events with fields, metrics, traces."""
