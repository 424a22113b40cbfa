"""Verdicts on claims, one file per topic: existence, behaviour, places and values."""
