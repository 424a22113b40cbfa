"""The version of this software."""

# As in pyproject.toml, which is not there where the services run.
VERSION = "0.1.0"
