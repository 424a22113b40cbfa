"""The strategies of an answer without I/O: what to do next, which gaps are left, when the evidence suffices."""
