"""The kit that every service is built with; knows nothing of what the services do."""
