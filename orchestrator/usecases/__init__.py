"""Use cases of the service, one per file; they use the domain, and everything outside through ports."""
