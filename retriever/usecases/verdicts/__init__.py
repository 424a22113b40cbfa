"""Verdicts on claims, one file for what claims say: that something exists, what code does, where code stands."""
