"""Reads reports in SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format) from any scanner. Pure."""
