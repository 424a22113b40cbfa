"""Jobs: kept in SQLite, done in processes of their own."""
