"""All access to object storage: its settings, and reading and writing objects of a bucket, whatever they contain."""
