"""All access to models and embedding endpoints: client, retries, circuit breaker, redaction, cost."""
