"""Who may do what: callers of an access file, their rights and quotas, and proofs of identity between services."""
