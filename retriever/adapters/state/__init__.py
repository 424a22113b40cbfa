"""What this service keeps for some days, in SQLite or where all replicas share it: the decision log, and tasks."""
