"""Serves the suite to coding agents over MCP, by tools that call the same services as the command line."""
