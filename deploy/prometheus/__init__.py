"""Alerts: rules, their tests, and the object that brings them to the Prometheus operator."""
