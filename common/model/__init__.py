"""The one way out to models and embedding endpoints: client, retry, breaker, redaction, cost."""
