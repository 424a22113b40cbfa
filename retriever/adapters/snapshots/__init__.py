"""
Serves published sets from a data folder: finds, checks, opens, leases and closes them. Never publishes or collects.

Layers that are one file of lines, findings and enrichment, are read here; core and vectors have rooms of their own.
"""
