"""Stores of answers, ratings and sessions: SQLite, Postgres, Valkey."""
