"""The service's own state, kept for some days in SQLite or in a store that all replicas share: decisions and tasks."""
