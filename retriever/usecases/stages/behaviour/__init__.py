"""Stages for what code does: flows, errors, descriptions."""
