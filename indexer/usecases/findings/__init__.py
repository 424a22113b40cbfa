"""Findings of analyzers and scanners."""
