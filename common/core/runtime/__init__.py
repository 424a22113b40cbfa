"""The running process: threads, tasks, memory, circuit breakers."""
